"""A query and its passages in; an answer out, written by the model, or quoted where there is none or it fails."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event

from rag.approvals import cited_lines
from rag.citations import Support
from rag.config import Config
from rag.domain import FoundRule, Passage, Query, Turn
from rag.embedding import Embedder
from rag.errors import ModelError
from rag.llm import AnswerCut, LanguageModel, ModelChoice, extractive
from rag.prompt import answer_prompt, rewrite_messages
from rag.sanitize import defused

REWRITE_TOKENS = 120


@dataclass(frozen=True, slots=True)
class Draft:
    """What was written, before its markers and figures are checked; `passages` are those that the markers number."""

    text: str
    passages: tuple[Passage, ...]
    model: str
    notices: tuple[str, ...] = ()
    complete: bool = True
    failed: bool = False
    first_word_ms: float = 0.0
    support: tuple[Support, ...] = ()  # of what was quoted; what a model's statements rest on is looked up
    lacks: tuple[str, ...] = ()  # what the question wants and what was quoted does not hold


def write_answer(
    query: Query,
    passages: Sequence[Passage],
    history: Sequence[Turn],
    *,
    rules: Sequence[FoundRule],
    sure: bool,
    config: Config,
    choice: ModelChoice,
    embedder: Embedder | None,
    emit: Callable[[str], None],
    cancelled: Event,
) -> Draft:
    """Streams through `emit`. A model that fails leaves its question answered by quotations, with its cause and fix told."""
    if choice.model is None:
        return quote(query, passages, rules=rules, sure=sure, embedder=embedder, emit=emit)
    written: list[str] = []
    started = time.perf_counter()
    first_word = 0.0

    def tell(text: str) -> None:
        nonlocal first_word
        first_word = first_word or (time.perf_counter() - started) * 1000
        emit(text)

    given = tuple(passages)
    try:
        room = choice.model.context_tokens - config.llm.max_output_tokens
        stated = cited_lines(rules, passages)
        prompt = answer_prompt(query, passages, history, rules=stated, room=room, count_tokens=choice.model.count_tokens)
        given = prompt.passages
        stream_into(written, choice.model, prompt.messages, config.llm.max_output_tokens, emit=tell, cancelled=cancelled)
    except AnswerCut as cut:
        return Draft("".join(written), given, choice.name, (str(cut),), complete=False, first_word_ms=first_word)
    except ModelError as error:
        partial = "".join(written).strip()
        if partial:
            emit(" …\n\n")
        quoted = quote(query, passages, rules=rules, sure=sure, embedder=embedder, emit=emit)
        text = f"{partial} …\n\n{quoted.text}" if partial else quoted.text
        notice = f"{choice.name} failed, so the documents are quoted instead. {error}"
        return Draft(
            text,
            tuple(passages),
            quoted.model,
            (notice,),
            complete=not partial,
            failed=True,
            first_word_ms=first_word,
            support=quoted.support,
            lacks=quoted.lacks,
        )
    return Draft("".join(written), given, choice.name, complete=not cancelled.is_set(), first_word_ms=first_word)


def stream_into(
    written, model: LanguageModel, messages, max_tokens: int, *, emit: Callable[[str], None], cancelled: Event
) -> None:
    """Collects what the model says as it says it, and shows it made harmless; a cancelled answer ends the model's call."""
    stream = model.stream(messages, max_tokens=max_tokens)

    def collected() -> Iterator[str]:
        for piece in stream:
            written.append(piece)
            yield piece

    try:
        for shown in defused(collected()):
            emit(shown)
            if cancelled.is_set():
                return
    finally:
        stream.close()  # type: ignore[attr-defined]
    if not "".join(written).strip():
        raise ModelError(
            f"{model.name} returned an empty answer.", "Ask again; if it stays so, choose another model.", retryable=True
        )


def quote(
    query: Query,
    passages: Sequence[Passage],
    *,
    rules: Sequence[FoundRule],
    sure: bool,
    embedder: Embedder | None,
    emit: Callable[[str], None],
) -> Draft:
    pieces = []
    support: list[Support] = []
    lacks: list[str] = []
    for piece in extractive.answer(query, passages, rules=rules, sure=sure, embedder=embedder, support=support, lacks=lacks):
        pieces.append(piece)
        emit(piece)
    return Draft("".join(pieces), tuple(passages), extractive.NAME, support=tuple(support), lacks=tuple(lacks))


def rewrite_with(model: LanguageModel) -> Callable[[str, Sequence[Turn]], str]:
    """Makes a follow-up stand alone; the first line of the reply, and the question itself where that is no question."""

    def rewrite(question: str, history: Sequence[Turn]) -> str:
        reply = model.complete(rewrite_messages(question, history), max_tokens=REWRITE_TOKENS)
        line = next((line.strip().strip('"“”') for line in reply.splitlines() if line.strip()), "")
        return line if len(line) <= 4 * len(question) + 200 else ""

    return rewrite
