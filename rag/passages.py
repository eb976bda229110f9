"""A ranked page and its best pieces in; the passage that is shown and read, and its LangChain form, out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from langchain_core.documents import Document

from rag.context import joined
from rag.domain import Passage
from rag.fusion import Fused
from rag.index import Snapshot

GAP = "\n…\n"  # between stretches of a page that do not touch


def passage_of(
    fused: Fused, rows: Sequence[int], snapshot: Snapshot, *, features: Mapping[str, float] | None = None
) -> Passage:
    """The best piece with what stands around the best pieces of its page."""
    return Passage(snapshot.chunk(rows[0]), surroundings(rows, snapshot), fused.score, fused.found_by, features or {})


def surroundings(rows: Sequence[int], snapshot: Snapshot) -> str:
    """The parents of some pieces of one page, in the order of the page, overlaps said once."""
    text = ""
    for parent in sorted({int(snapshot.columns.parent[row]) for row in rows}):
        stretch = snapshot.parent(parent).text
        text = (joined(text, stretch) or f"{text}{GAP}{stretch}") if text else stretch
    return text


def scored_text(rows: Sequence[int], snapshot: Snapshot) -> str:
    """What a reranking model reads of a page: where the best piece stands, and the text around it."""
    prefix = snapshot.chunk(rows[0]).prefix
    return f"{prefix}\n{surroundings(rows[:1], snapshot)}".strip()


def document_of(passage: Passage) -> Document:
    metadata = asdict(passage.chunk)
    text = metadata.pop("text")
    return Document(page_content=text, metadata={**metadata, "score": passage.score, "found_by": list(passage.found_by)})
