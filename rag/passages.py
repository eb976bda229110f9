"""A ranked page and its best pieces in; the passage that is shown and read, and its LangChain form, out."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from langchain_core.documents import Document

from rag.context import joined
from rag.domain import Passage
from rag.fusion import Fused
from rag.index import Snapshot
from rag.sentences import LIST_ITEM, NEXT_PAGE

GAP = "\n…\n"  # between stretches of a page that do not touch
TABLE_NAMED = re.compile(r"\bTable\s+\d+(?:\.\d+)*", re.IGNORECASE)


def passage_of(
    fused: Fused, rows: Sequence[int], snapshot: Snapshot, *, features: Mapping[str, float] | None = None
) -> Passage:
    """The best piece with what stands around the best pieces of its page, and what these say nothing without."""
    text = joined_texts(with_tables(texts_of(parents_of(rows, snapshot), snapshot), rows[0], snapshot))
    if text.rstrip().endswith(":") and (items := next_page_items(rows[0], snapshot)):
        text = f"{text}{NEXT_PAGE}{items}"
    return Passage(snapshot.chunk(rows[0]), text, fused.score, fused.found_by, features or {})


def surroundings(rows: Sequence[int], snapshot: Snapshot) -> str:
    """The parents of some pieces of one page, in the order of the page, overlaps said once."""
    return joined_texts(texts_of(parents_of(rows, snapshot), snapshot))


def parents_of(rows: Sequence[int], snapshot: Snapshot) -> set[int]:
    return set(snapshot.columns.parent[list(rows)].tolist())


def texts_of(parents: Iterable[int], snapshot: Snapshot) -> dict[int, str]:
    return {parent: snapshot.parent(parent).text for parent in parents}


def joined_texts(texts: Mapping[int, str]) -> str:
    """The texts of some parents, in their order."""
    text = ""
    for _, stretch in sorted(texts.items()):
        text = (joined(text, stretch) or f"{text}{GAP}{stretch}") if text else stretch
    return text


def with_tables(texts: Mapping[int, str], row: int, snapshot: Snapshot) -> dict[int, str]:
    """Some parents of a page with the rest of their tables and the tables that they refer to ("Table 1 shows")."""
    captions = {caption_of(text) for text in texts.values() if is_table(text)} - {""}
    referred = {" ".join(name.split()) for text in texts.values() if not is_table(text) for name in TABLE_NAMED.findall(text)}
    if not (captions or referred):
        return dict(texts)
    page = parents_of_page(int(snapshot.columns.file[row]), int(snapshot.columns.page[row]), snapshot)
    belonging = {
        parent: text
        for parent, text in texts_of(page - texts.keys(), snapshot).items()
        if is_table(text)
        and (caption_of(text) in captions or any(re.search(rf"{re.escape(name)}\b", text) for name in referred))
    }
    return {**texts, **belonging}


def next_page_items(row: int, snapshot: Snapshot) -> str:
    """The list items that begin the next page; "" where it begins otherwise."""
    parents = parents_of_page(int(snapshot.columns.file[row]), int(snapshot.columns.page[row]) + 1, snapshot)
    text = snapshot.parent(min(parents)).text if parents else ""
    return text if LIST_ITEM.match(text) else ""


def parents_of_page(file: int, page: int, snapshot: Snapshot) -> set[int]:
    rows = snapshot.rows_of(file)
    return set(snapshot.columns.parent[rows[snapshot.columns.page[rows] == page]].tolist())


def is_table(text: str) -> bool:
    return text.startswith(("**", "|"))


def caption_of(text: str) -> str:
    """What every piece of one table begins with: its caption, or the header where it has none."""
    return text.split("\n| --- ", 1)[0] if "\n| --- " in text else text.split("\n", 1)[0]


def scored_text(rows: Sequence[int], snapshot: Snapshot) -> str:
    """What a reranking model reads of a page: where the best piece stands, and the text around it."""
    prefix = snapshot.chunk(rows[0]).prefix
    return f"{prefix}\n{surroundings(rows[:1], snapshot)}".strip()


def document_of(passage: Passage) -> Document:
    metadata = asdict(passage.chunk)
    text = metadata.pop("text")
    return Document(page_content=text, metadata={**metadata, "score": passage.score, "found_by": list(passage.found_by)})
