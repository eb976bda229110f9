"""Reads golden questions (JSON lines) and says for each where its answer stands."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rag.domain import Turn
from rag.errors import ProductError


class GoldenError(ProductError):
    """A golden file that can't be used; names the file and the line."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place that answers a question: any of `pages` (1-based physical) of `file`, where `evidence` stands verbatim."""

    file: str
    pages: tuple[int, ...]
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question with its kind and every place that answers it; no place means the documents don't say."""

    id: str
    question: str
    kind: str
    answer: str = ""
    history: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()

    @property
    def answerable(self) -> bool:
        return bool(self.places)

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(Turn(question=earlier) for earlier in self.history)


def load_golden(path: Path) -> list[GoldenQuestion]:
    """The questions of a file, in its order; those marked `"fair": false` are left out. Raises GoldenError."""
    questions = list(read_questions(path))
    if not questions:
        raise GoldenError(f"{path} holds no question: write one JSON object a line, as evaluation/golden/sample.jsonl does.")
    return questions


def read_questions(path: Path) -> Iterator[GoldenQuestion]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise GoldenError(f"{path} is not there: name a file of golden questions with --questions.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if record.get("fair") is False:
                continue
            yield parse_question(record, default_id=f"line-{number}")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise GoldenError(f"{path} line {number} is not a golden question ({error!r}): see evaluation/golden/.") from None


def parse_question(record: Mapping, *, default_id: str) -> GoldenQuestion:
    places = [record] if record.get("file") else []
    return GoldenQuestion(
        id=str(record.get("id") or default_id),
        question=record["question"],
        kind=record.get("kind", "lookup"),
        answer=str(record.get("answer") or ""),
        history=tuple(record.get("history") or ()),
        places=tuple(
            Place(file=place["file"], pages=tuple(place["pages"]), evidence=place.get("evidence") or "")
            for place in [*places, *(record.get("also") or [])]
        ),
    )
