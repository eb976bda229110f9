"""A chat whose answers are scripted and an index that holds what it is given, in the shape of rag/chat.py and rag/index.py."""

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from rag.domain import (
    Answer,
    Chunk,
    Citation,
    Expansion,
    FigureCheck,
    FileRecord,
    Filters,
    Finished,
    Found,
    MetadataValue,
    Passage,
    Query,
    Retrieval,
    Token,
    TraceStep,
)
from rag.errors import IndexMissing

POLICY = FileRecord(
    sha256="a" * 64,
    paths=("policies/policy.pdf",),
    size=10,
    outcome="read",
    pages=12,
    pages_by_outcome={"text": 12},
    metadata={"title": MetadataValue("Procurement Policy Rev 4", "page 1")},
    chunks=1,
)
QUOTE = "Three written quotations are required for every purchase above EUR 5,000."
CHUNK = Chunk(
    id="c1",
    file=POLICY.path,
    document=POLICY.title,
    page=6,
    page_label="4",
    kind="text",
    section=("4 Thresholds", "4.2 Written quotations"),
    parent="p1",
    start=0,
    end=len(QUOTE),
    text=QUOTE,
)

NO_FILTERS = Filters()


def retrieval(question="How many quotations?", *, filters=NO_FILTERS):
    return Retrieval(
        query=Query(
            question=question,
            standalone=question,
            expanded=f"{question} RFQ (Request for Quotation)",
            expansions=(Expansion("RFQ", "RFQ", "Request for Quotation"),),
            filters=filters,
        ),
        passages=(Passage(chunk=CHUNK, text=QUOTE, score=0.9, found_by=("dense", "lexical")),),
        trace=(TraceStep("dense", "50 chunks by meaning.", 3.2, ({"page": 6, "score": 0.8},)),),
        generation="gen-1",
    )


def answer(text="Three written quotations are required above EUR 5,000 [1].", **changes):
    values = {
        "text": text,
        "tier": "high",
        "citations": (
            Citation(
                marker=1,
                file=CHUNK.file,
                document=CHUNK.document,
                page=6,
                page_label="4",
                quote=QUOTE,
                chunk="c1",
                section=CHUNK.section,
            ),
        ),
        "checks": (
            FigureCheck("EUR 5,000", "amount", True, 1),
            FigureCheck("EUR 7,000", "amount", False),
            FigureCheck("a long quotation", "quotation", True, 1),
        ),
        "model": "scripted",
        "retrieval": retrieval(),
        "trace": (TraceStep("answer", "Written by scripted.", 12.0),),
    }
    return Answer(**{**values, **changes})


@dataclass
class FakeChat:
    """Answers the same to every question; `pause` holds it after its first word, `error` ends it there."""

    answer: Answer = field(default_factory=answer)
    error: Exception | None = None
    pause: threading.Event | None = None
    asked: list[tuple] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    choice: object = field(default_factory=lambda: SimpleNamespace(model=None, reason="Ollama does not answer."))

    def model(self):
        return self.choice

    def ask(self, question, *, filters=None, skip=(), conversation=None, history=()):
        self.asked.append((question, filters, skip))
        yield Found(self.answer.retrieval, self.answer.tier)
        first, *rest = self.answer.text.split(" ")
        yield Token(first)
        if self.pause:
            self.pause.wait(30)
        if self.error:
            raise self.error
        for word in rest:
            yield Token(f" {word}")
        yield Finished(self.answer)

    def search(self, question, *, k=5, **options):
        return retrieval(question)

    def forget(self, conversation):
        self.forgotten.append(conversation)


@dataclass
class FakeReader:
    """An index of one generation; no files means that there is no index yet."""

    files: tuple[FileRecord, ...] = (POLICY,)
    chunks: tuple[Chunk, ...] = (CHUNK,)
    generation: str = "gen-1"

    def snapshot(self):
        if not self.files:
            raise IndexMissing("There is no index yet. Run `python -m ingestion sync`.")
        return self

    def refresh(self):
        return False

    @property
    def manifest(self):
        return SimpleNamespace(created="2025-06-01T12:00:00+00:00")

    def chunk(self, row):
        return self.chunks[row]

    def rows_of(self, file):
        return np.array([row for row, chunk in enumerate(self.chunks) if chunk.file == self.files[file].path], dtype=int)

    def __len__(self):
        return len(self.chunks)
