"""A read document in; out come the small chunks that are searched and the larger parents around them that a model reads."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ingestion.clauses import Missing, as_cited, missing_numbers
from ingestion.semantic import Embed, meaning_shifts
from ingestion.splitting import CountTokens, Piece, lay_out, token_exceed_split
from ingestion.table_markdown import TablePiece, render_markdown, row_sentences, value_columns
from ingestion.table_rows import is_section
from rag.config import Chunking
from rag.domain import BEFORE_PATH, BELOW, Chunk, ChunkKind, Heading, Page, Parent, Table

if TYPE_CHECKING:
    from ingestion.reading import ReadDocument

# A house's own policies and guides all bear its name: in front of each of their pieces it tells nothing apart and only takes
# the room of the words that do (hit@1 of the sample's look-up questions 0.79 with it, 0.89 without).
ASKED_FOR_BY_ORGANISATION = ("10-K", "10-Q", "8-K", "annual report", "invoice", "quotation")
LONGEST_PREFIX = 200  # characters; and at most a quarter of what the embedder takes


class Section(NamedTuple):
    """From `start` on, a page stands under these headings, the outermost first."""

    start: int
    path: tuple[str, ...]


class Draft(NamedTuple):
    """A chunk before it has its ids: `place` tells apart the pieces of tables, which share one span."""

    kind: ChunkKind
    span: tuple[int, int]
    text: str
    section: tuple[str, ...]
    parent: tuple[int, int]
    parent_text: str
    place: str = ""
    parent_place: str = ""
    searched_as: str = ""


def chunk_document(
    document: "ReadDocument",
    *,
    file: str,
    title: str,
    settings: Chunking,
    count_tokens: CountTokens,
    max_tokens: int,
    embed: Embed | None = None,
) -> tuple[list[Chunk], list[Parent]]:
    """All chunks in page order with the parents they point to; a page of nothing but white space has none.

    `embed` is needed by the semantic strategy alone: it also begins chunks where the meaning shifts between sentences.
    """
    if document.whole_pages:
        settings = replace(settings, chunk_size=max([settings.chunk_size, *(len(page.text) for page in document.pages)]))
    prefixes = Prefixes(document_line(document, title), title, count_tokens, max_tokens)
    chunks: list[Chunk] = []
    parents: dict[str, Parent] = {}
    breaks = [section_breaks(page) for page in document.pages]
    if settings.strategy == "semantic" and embed:
        shifts = meaning_shifts([page.text for page in document.pages], embed)
        breaks = [sorted({*sections, *meanings}) for sections, meanings in zip(breaks, shifts, strict=True)]
    placed = with_sections(document.pages)
    missing = missing_numbers([(page.text, sections) for page, sections in placed])
    for (page, sections), page_breaks, numbers in zip(placed, breaks, missing, strict=True):
        drafts = text_drafts(page, sections, page_breaks, numbers, settings, prefixes)
        drafts += table_drafts(page, sections, settings, prefixes)
        for draft in drafts:
            parent = content_id(document.sha256, f"parent of {draft.kind}", page.number, draft.parent, draft.parent_place)
            parents.setdefault(parent, Parent(parent, page.number, *draft.parent, draft.parent_text))
            chunks.append(
                Chunk(
                    id=content_id(document.sha256, draft.kind, page.number, draft.span, draft.place),
                    file=file,
                    document=title,
                    page=page.number,
                    page_label=page.label,
                    kind=draft.kind,
                    section=draft.section,
                    parent=parent,
                    start=draft.span[0],
                    end=draft.span[1],
                    text=draft.text,
                    prefix=prefixes[draft.section],
                    searched_as=draft.searched_as,
                )
            )
    return chunks, list(parents.values())


def text_drafts(
    page: Page,
    sections: list[Section],
    breaks: list[int],
    missing: list[Missing],
    settings: Chunking,
    prefixes: "Prefixes",
) -> list[Draft]:
    """The body text: parents are laid out on the page and searched pieces inside each, so no piece straddles two parents."""
    text = page.text
    if not text.strip():
        return []
    drafts: list[Draft] = []
    # Short sections share a parent, so that a model reads what stands around a clause; shifts of meaning keep parents apart.
    parents_join_below = settings.chunk_size // 4 if settings.strategy == "semantic" else settings.chunk_size

    def searched(piece: Piece) -> str:
        section = section_of(sections, piece.core, piece.end)
        return prefixes.searched(section, as_cited(text, piece.start, piece.end, missing))

    for parent in lay_out(
        text,
        inside=Piece(0, 0, len(text)),
        breaks=breaks,
        size=settings.chunk_size,
        overlap=settings.chunk_overlap,
        joins_below=parents_join_below,
    ):
        pieces = lay_out(
            text,
            inside=parent,
            breaks=breaks,
            size=settings.search_size,
            overlap=settings.search_overlap,
            joins_below=settings.search_size // 4,
        )
        for piece in token_exceed_split(
            pieces,
            text,
            searched=searched,
            count_tokens=prefixes.count_tokens,
            max_tokens=prefixes.max_tokens,
            overlap=settings.search_overlap,
        ):
            shown, cited = text[piece.start : piece.end], as_cited(text, piece.start, piece.end, missing)
            drafts.append(
                Draft(
                    kind="ocr" if page.outcome == "ocr" else "text",
                    span=(piece.start, piece.end),
                    text=shown,
                    section=section_of(sections, piece.core, piece.end),
                    parent=(parent.start, parent.end),
                    parent_text=text[parent.start : parent.end],
                    searched_as=cited if cited != shown else "",
                )
            )
    return drafts


def table_drafts(page: Page, sections: list[Section], settings: Chunking, prefixes: "Prefixes") -> list[Draft]:
    """Tables as markdown of whole rows under their header, larger pieces for the parents and smaller ones to search."""
    drafts: list[Draft] = []
    for number, table in enumerate(page.tables):
        span = (table.before, table.before)
        section = section_of(sections, table.before, table.before + 1)
        for parent in render_markdown(table, max_characters=settings.chunk_size):
            for piece, searched in searched_rows(table, parent, settings, prefixes, section):
                drafts.append(
                    Draft(
                        kind="table",
                        span=span,
                        text=piece.text,
                        section=section,
                        parent=span,
                        parent_text=parent.text,
                        place=f"{number} {piece.first} {len(drafts)}",
                        parent_place=f"{number} {parent.first}",
                        searched_as=searched,
                    )
                )
    return drafts


def searched_rows(
    table: Table, parent: TablePiece, settings: Chunking, prefixes: "Prefixes", section: tuple[str, ...]
) -> Iterator[tuple[TablePiece, str]]:
    """The search pieces of a parent, each with its rows as sentences; a row is never split in what is shown.

    Where even one row is more than the embedder takes, its sentence is searched in parts that all show the whole row.
    """
    waiting = [(parent.first, parent.end, settings.search_size)]
    while waiting:
        first, end, size = waiting.pop(0)
        pieces = render_markdown(replace(table, rows=table.rows[first:end]), max_characters=size)
        for found in pieces:
            piece = TablePiece(found.text, first + found.first, first + found.end)
            sentences = rows_as_sentences(table, piece)
            if prefixes.fit(section, sentences):
                yield piece, sentences
            elif piece.end - piece.first > 1:
                waiting[:0] = [(at, at + 1, size) for at in range(piece.first, piece.end)]
            else:
                for part in prefixes.fitting_parts(section, sentences, settings.search_overlap):
                    yield piece, part


def rows_as_sentences(table: Table, piece: TablePiece) -> str:
    """What stands around the rows (caption, units, footnotes) and each row as "Category: IT | Limit: USD 50,000"."""
    rows = table.rows[piece.first : piece.end]
    heading = next((row for row in reversed(table.rows[: piece.first]) if is_section(row)), None)
    if heading and rows and not is_section(rows[0]):
        rows = (heading, *rows)
    around = [line for line in piece.text.splitlines() if line and not line.startswith("|")]
    return "\n".join([*around, *row_sentences(replace(table, rows=rows), values=value_columns(table))])


def with_sections(pages: Sequence[Page]) -> list[tuple[Page, list[Section]]]:
    """Every page with the sections on it: a section goes on over the pages until a heading of its level or above."""
    open_headings: list[Heading] = []
    placed = []
    for page in pages:
        sections = [Section(0, tuple(heading.text for heading in open_headings))]
        for heading in sorted(page.headings, key=lambda heading: heading.start):
            open_headings = [*(above for above in open_headings if above.level < heading.level), heading]
            sections.append(Section(heading.start, tuple(above.text for above in open_headings)))
        placed.append((page, sections))
    return placed


def section_of(sections: Sequence[Section], start: int, end: int) -> tuple[str, ...]:
    """The path that covers most of a span: what ends a section's last lines doesn't name the next section's text."""
    covered: Counter[tuple[str, ...]] = Counter()
    ends = [section.start for section in sections[1:]] + [max(end, sections[-1].start)]
    for section, stop in zip(sections, ends, strict=True):
        covered[section.path] += max(0, min(stop, end) - max(section.start, start))
    return covered.most_common(1)[0][0]


def section_breaks(page: Page) -> list[int]:
    """Where a chunk should rather begin: at headings, save those that directly follow another."""
    breaks: list[int] = []
    text_from = 0
    for heading in sorted(page.headings, key=lambda heading: heading.start):
        if page.text[text_from : heading.start].strip() or not breaks:
            breaks.append(heading.start)
        text_from = heading.start + len(heading.text)
    return breaks


class Prefixes(dict[tuple[str, ...], str]):
    """What stands before a chunk for the searches: the document's line and the section path, kept short."""

    def __init__(self, document: str, title: str, count_tokens: CountTokens, max_tokens: int) -> None:
        super().__init__()
        self.document = document
        self.title = title
        self.count_tokens = count_tokens
        self.max_tokens = max_tokens

    def __missing__(self, path: tuple[str, ...]) -> str:
        document, levels = self.document, [text for text in path if letters(text) != letters(self.title)]
        while (prefix := BEFORE_PATH.join(filter(None, (document, BELOW.join(levels))))) and not self.short(prefix):
            if len(levels) > 1:
                levels = levels[1:]  # the innermost headings say most
            elif levels and len(levels[0]) > len(document):
                levels = [levels[0][: len(levels[0]) // 2].rstrip()]
            else:
                document = document[: len(document) // 2].rstrip()
        self[path] = prefix
        return prefix

    def searched(self, section: tuple[str, ...], text: str) -> str:
        return f"{self[section]}\n{text}"

    def fit(self, section: tuple[str, ...], text: str) -> bool:
        return self.count_tokens([self.searched(section, text)])[0] <= self.max_tokens

    def fitting_parts(self, section: tuple[str, ...], text: str, overlap: int) -> list[str]:
        pieces = token_exceed_split(
            [Piece(0, 0, len(text))],
            text,
            searched=lambda piece: self.searched(section, text[piece.start : piece.end]),
            count_tokens=self.count_tokens,
            max_tokens=self.max_tokens,
            overlap=overlap,
        )
        return [text[piece.start : piece.end] for piece in pieces]

    def short(self, prefix: str) -> bool:
        return len(prefix) <= LONGEST_PREFIX and self.count_tokens([prefix])[0] <= self.max_tokens // 4


def letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def document_line(document: "ReadDocument", title: str) -> str:
    """The title, with the organisation (where it tells documents apart) and the year if they are known and not part of it."""
    known = {name: value.value for name, value in document.metadata.items()}
    names = ["organisation", "year"] if known.get("document_type") in ASKED_FOR_BY_ORGANISATION else ["year"]
    found = [known[name] for name in names if name in known]
    return ", ".join([title, *(value for value in found if value.casefold() not in title.casefold())])


def content_id(sha256: str, kind: str, page: int, span: tuple[int, int], place: str) -> str:
    """The same for the same content wherever its file lies and whatever it is called."""
    return hashlib.sha256(f"{sha256} {kind} {page} {span[0]} {span[1]} {place}".encode()).hexdigest()[:24]
