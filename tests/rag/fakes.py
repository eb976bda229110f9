"""Stand-ins for what answering needs: passages by hand, a retriever that finds them, a model that says what it is told."""

from collections.abc import Iterator, Sequence

from rag.confidence import FEATURES
from rag.config import Config
from rag.domain import Chunk, FileRecord, Passage, Query, Retrieval, TraceStep, Turn
from rag.errors import ModelError
from rag.llm import LanguageModel, ModelChoice


def passage(
    text: str,
    *,
    document: str = "Procurement Policy",
    file: str = "policy.pdf",
    page: int = 4,
    section: tuple[str, ...] = (),
    around: str = "",
    label: str = "",
) -> Passage:
    """`around` is the parent's text where the model reads more than the chunk."""
    chunk = Chunk(
        id=f"{file}:{page}:{len(text)}", file=file, document=document, page=page, page_label=label, kind="text",
        section=section, parent="parent", start=0, end=len(text), text=text,
    )  # fmt: skip
    return Passage(chunk, around or text, 1.0, ("dense", "lexical"))


def query(question: str, **values) -> Query:
    return Query(question=question, **{"standalone": question, "expanded": question, **values})


# Calibrated settings change; with these a strength of 0.45 is a chance of 0.38, and so a weak match.
EVEN_CONFIDENCE = {
    "intercept": -5.0,
    "weights": dict.fromkeys(FEATURES, 10 / len(FEATURES)),
    "low": 0.3,
    "high": 0.6,
    "low_by_type": {},
    "high_by_type": {},
}


def evidence(strength: float) -> TraceStep:
    """The features that confidence is computed from, all equally strong: 1 is sure, 0 is nothing."""
    return TraceStep("evidence", "", 0.0, (dict.fromkeys(FEATURES, strength),))


class FakeRetriever:
    """Finds the same passages whatever is asked, and keeps what it was asked with."""

    def __init__(self, *passages: Passage, strength: float = 1.0) -> None:
        self.passages = passages
        self.strength = strength
        self.notices: tuple[str, ...] = ()
        self.calls: list[dict] = []

    def search(self, question: str, *, history: Sequence[Turn] = (), rewriter=None, **options) -> Retrieval:
        standalone, rewritten_by = question, ""
        if rewriter and history:
            standalone, rewritten_by = rewriter.rewrite(question, history), rewriter.model
        self.calls.append({"question": question, "standalone": standalone, "history": tuple(history), **options})
        asked = query(question, standalone=standalone, expanded=standalone, rewritten_by=rewritten_by)
        return Retrieval(asked, self.passages[: options.get("k", 5)], (evidence(self.strength),), "gen-1", notices=self.notices)


class ScriptedModel(LanguageModel):
    """Says the queued answers in order, word by word; a queued exception is raised after the words before it."""

    name = "scripted"
    context_tokens = 8000

    def __init__(self, *answers: str | Sequence[str | Exception]) -> None:
        self.answers = [[answer] if isinstance(answer, str) else list(answer) for answer in answers]
        self.asked: list[list[str]] = []  # the contents of the messages of each call
        self.closed = 0

    def describe(self) -> str:
        return "a script"

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def stream(self, messages, *, max_tokens: int) -> Iterator[str]:
        self.asked.append([f"{message.type}: {message.content}" for message in messages])
        if not self.answers:
            raise ModelError("The script is over.", "Queue another answer.")
        try:
            for piece in self.answers.pop(0):
                if isinstance(piece, Exception):
                    raise piece
                for word in piece.split(" "):
                    yield f"{word} "
        finally:
            self.closed += 1


class FakeReader:
    """An index that holds these files, cut into so many chunks."""

    notices: tuple[str, ...] = ()
    generation = "gen-1"

    def __init__(self, *files: FileRecord, chunks: int = 7) -> None:
        self.files = files
        self.chunks = chunks

    def __len__(self) -> int:
        return self.chunks

    def snapshot(self) -> "FakeReader":
        return self

    def refresh(self) -> bool:
        return False


def choosing(model: LanguageModel | None):
    """An `open_model` that always chooses this model."""

    def open_model(config: Config) -> ModelChoice:
        return ModelChoice(model, "The test chose it.", preferred=True)

    return open_model
