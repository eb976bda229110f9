"""The stages of a search as they end in; what "How I found this" shows of them out."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag.domain import Query, TraceStep
from rag.filters import describe
from rag.fusion import Fused, Scored
from rag.index import Snapshot
from rag.prepared import Prepared
from rag.scorer import Evidence

TRACED = 10  # items of each ranking that the trace shows


@dataclass
class Trace:
    """The stages of one question as they end."""

    steps: list[TraceStep] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    def add(
        self, stage: str, note: str, *, milliseconds: float | None = None, items: Sequence[Mapping[str, object]] = ()
    ) -> None:
        """Ends a stage; it took what is given, else the time since the last one ended."""
        now = time.perf_counter()
        took = (now - self.started) * 1000 if milliseconds is None else milliseconds
        self.steps.append(TraceStep(stage, note, took, tuple(items)))
        self.started = now


def query_note(query: Query) -> str:
    parts = [f"Searched for: {query.expanded}"]
    if query.rewritten_by:
        by = "taking over words of earlier questions" if query.rewritten_by == "rule" else f"by {query.rewritten_by}"
        parts.append(f"(completed {by})")
    if query.filters:
        parts.append(f"in documents with {describe(query.filters)}")
    return " ".join(parts)


def traced_rows(scored: Scored, snapshot: Snapshot) -> list[dict[str, object]]:
    """The first items of a ranking of chunks, without reading a text."""
    shown = scored[:TRACED]
    rows = [row for row, _ in shown]
    files, pages = snapshot.columns.file[rows].tolist(), snapshot.columns.page[rows].tolist()
    return [
        {"file": snapshot.files[file].path, "page": page, "score": round(score, 4)}
        for file, page, (_, score) in zip(files, pages, shown, strict=True)
    ]


def traced_pages(fused: Sequence[Fused], prepared: Prepared) -> list[dict[str, object]]:
    return [
        {**prepared.place(item.id), "score": round(item.score, 4), "found_by": list(item.found_by)} for item in fused[:TRACED]
    ]


def traced_evidence(judged: Sequence[Evidence], prepared: Prepared) -> list[dict[str, object]]:
    return [
        {**prepared.place(each.page), "score": round(each.score, 4), **{n: round(v, 3) for n, v in each.features.items()}}
        for each in judged[:TRACED]
    ]
