"""The nouns every part of the product shares; frozen, with their conventions written down here once.

Pages are 1-based physical pages (the first sheet of the PDF is 1); the label printed on the page ("iv", "12")
is carried beside it and is only ever shown. Paths are relative to the documents folder, with forward slashes.
Character spans are half-open offsets into the cleaned text of one page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

PageOutcome = Literal["text", "ocr", "empty", "failed"]
FileOutcome = Literal["read", "partly", "failed"]
ChunkKind = Literal["text", "table", "ocr"]
Tier = Literal["high", "low", "none"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table as rows of cells; it becomes markdown only when the chunker renders it.

    `header` is the one row that names the columns (empty strings where a column has no name). `rows` excludes it.
    `before` is the offset in the page's cleaned body text before which the table stood. `continues` says that the
    table goes on from the last table of the previous page (its header is then the repeated one).
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    units: str = ""
    footnotes: tuple[str, ...] = ()
    bbox: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # x0, top, x1, bottom in points from the top left
    before: int = 0
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading found on a page: where its text starts in the page's cleaned text, and its level (1 is the top)."""

    start: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page as read. `text` is the cleaned body (no running header or footer, no table text)."""

    number: int
    outcome: PageOutcome
    text: str = ""
    label: str = ""
    reason: str = ""  # why it is empty or failed, or why it was read by OCR
    confidence: float | None = None  # mean OCR word confidence, 0 to 1; None where the text layer was read
    header: str = ""
    footer: str = ""
    hidden_text: str = ""  # text nobody can see (white, tiny, off the page); kept out of chunks
    tables: tuple[Table, ...] = ()
    headings: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class MetadataValue:
    """One piece of document metadata and where it was found: "file name", "page 1", "pdf information", "sidecar"."""

    value: str
    found_in: str


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """One edge of the approval graph: within an amount band, who approves, which method applies, or what is required.

    The band is above `low` up to and including `high`; None leaves a side open. `category` is what is bought ("" is
    anything). `quote` is the table row or sentence that says so, on `page`.
    """

    relation: Literal["approves", "method", "requires"]
    subject: str  # "Chief Financial Officer", "Request for Quotation"
    low: float | None
    high: float | None
    currency: str  # ISO 4217, "" where the document names none
    category: str
    page: int
    quote: str
    condition: str = ""  # what else must hold, as the band's cell says: "requirement fully specified", "up to 6 months"


@dataclass(frozen=True, slots=True)
class FoundRule:
    """What is shown, and stored with an answer, of an approval rule that holds for a question."""

    file: str
    page: int
    subject: str
    band: str  # in words, with its condition: "above USD 75,000 up to USD 250,000, quality and approach matter"
    category: str
    quote: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.band}" + (f" ({self.category})" if self.category else "")


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What the index knows about one document; stored in the manifest, shown on the Documents page.

    `sha256` of the content identifies it. `paths` lists every place where that content lies, the first being the one
    that citations name. `page_notes` holds (page, outcome, reason) of the pages that were not plainly read.
    `metadata` keys: title, document_type, organisation, year, quarter, effective_date, revision, supersedes, language.
    """

    sha256: str
    paths: tuple[str, ...]
    size: int
    outcome: FileOutcome
    pages: int = 0
    pages_by_outcome: Mapping[str, int] = field(default_factory=dict)
    page_notes: tuple[tuple[int, str, str], ...] = ()
    reason: str = ""  # why it is not fully read, in words for the admin
    next_step: str = ""  # what the admin can do about it
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    rules: tuple[ApprovalRule, ...] = ()
    chunks: int = 0
    seconds: float = 0.0
    sidecar: str = ""  # sha256 of the sidecar file it was read with

    @property
    def path(self) -> str:
        return self.paths[0]

    @property
    def title(self) -> str:
        found = self.metadata.get("title")
        return found.value if found else self.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


@dataclass(frozen=True, slots=True)
class Parent:
    """What the model reads: a larger stretch of one page around the small chunks that are searched."""

    id: str
    page: int
    start: int
    end: int
    text: str


BEFORE_PATH, BELOW = " | ", " > "  # in a prefix: between title and section path, and between the headings of the path


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is searched. It lies on one page; a table that spans pages gives each page its own pieces.

    `id` is the hash of the file's content hash and the span, so it survives a rename. `text` is shown and quoted;
    `prefix` ("Travel Policy | 4 Hotels > 4.2 Limits") stands before it in what BM25 sees; in what is embedded only the title
    and the innermost heading do, as a whole path drowns a short piece. `searched_as` replaces the text there where the two
    differ: a table is shown as markdown and searched as one sentence a row, a list item "(b)" is searched as the clause it
    is, "4.2.1(b)".
    """

    id: str
    file: str
    document: str
    page: int
    page_label: str
    kind: ChunkKind
    section: tuple[str, ...]
    parent: str
    start: int
    end: int
    text: str
    prefix: str = ""
    searched_as: str = ""

    @property
    def searched_text(self) -> str:
        return after_prefix(self.prefix, self.searched_as or self.text)

    @property
    def embedded_text(self) -> str:
        title, bar, path = self.prefix.rpartition(BEFORE_PATH)
        return after_prefix(title + bar + path.split(BELOW)[-1], self.searched_as or self.text)


def after_prefix(prefix: str, text: str) -> str:
    return f"{prefix}\n{text}" if prefix else text


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved chunk with what the model reads around it, why it was found and how well it scored."""

    chunk: Chunk
    text: str  # the parent's text
    score: float  # of the last stage that ranked it; comparable only within one result list
    found_by: tuple[str, ...]  # of "dense", "lexical", "reference"
    stage_scores: Mapping[str, float] = field(default_factory=dict)
    replaced_by: str = ""  # title of the document in the index that replaces this one, unless the older one was asked for


@dataclass(frozen=True, slots=True)
class Expansion:
    """An abbreviation that the glossary spelled out: `found` as typed, `term` and `definition` as in the glossary."""

    found: str
    term: str
    definition: str


@dataclass(frozen=True, slots=True)
class Filters:
    """Hard restrictions on the documents searched; an empty tuple restricts nothing. Values are alternatives."""

    organisation: tuple[str, ...] = ()
    year: tuple[str, ...] = ()
    quarter: tuple[str, ...] = ()
    document_type: tuple[str, ...] = ()
    file: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any((self.organisation, self.year, self.quarter, self.document_type, self.file))

    def as_dict(self) -> dict[str, list[str]]:
        names = ("organisation", "year", "quarter", "document_type", "file")
        return {name: list(values) for name in names if (values := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class Query:
    """A question on its way to the index."""

    question: str  # as typed
    standalone: str  # with what it leans on from earlier questions
    expanded: str  # with abbreviations spelled out: what is embedded and searched
    expansions: tuple[Expansion, ...] = ()
    filters: Filters = Filters()
    rewritten_by: str = ""  # "" (not a follow-up), "rule" or the model's name
    notice: str = ""  # what a user should know of how the question was understood

    @property
    def own_words(self) -> str:
        """What was asked, without the words that a follow-up borrows where it could only be joined with an earlier question."""
        return self.question if self.standalone.startswith(self.question) else self.standalone


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One stage of finding an answer, for "How I found this": a sentence, its milliseconds, and what it produced."""

    stage: str
    note: str
    milliseconds: float
    items: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a search found, best first, and how."""

    query: Query
    passages: tuple[Passage, ...]
    trace: tuple[TraceStep, ...]
    generation: str
    rules: tuple[FoundRule, ...] = ()  # approval rules whose band the question falls into
    near_rules: tuple[FoundRule, ...] = ()  # where none holds: those about what the question names
    rules_note: str = ""  # what these, or those that hold, don't say of it
    notices: tuple[str, ...] = ()  # sentences a user should read (a filter that matches nothing, a missing reranker)

    def milliseconds(self) -> dict[str, float]:
        return {step.stage: round(step.milliseconds, 3) for step in self.trace}


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker [n] of an answer, tied to a passage before the answer was written."""

    marker: int
    file: str
    document: str
    page: int
    page_label: str
    quote: str  # verbatim text of the passage: what is highlighted on the page
    chunk: str  # chunk id
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FigureCheck:
    """A figure of the answer (amount, date, percentage, clause number, quotation) looked up in the cited passages."""

    text: str
    kind: str
    proven: bool
    marker: int | None = None  # the citation whose passage holds it


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer. `complete` is false when it was stopped or cut; `notices` are sentences to show beside it."""

    text: str
    tier: Tier
    citations: tuple[Citation, ...]
    checks: tuple[FigureCheck, ...]
    model: str
    retrieval: Retrieval
    trace: tuple[TraceStep, ...] = ()
    notices: tuple[str, ...] = ()
    complete: bool = True
    invented_markers: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of a conversation and its answer (empty when only the question is known)."""

    question: str
    answer: str = ""


# What asking yields, in this order: Found once, Token any number of times, Finished once (rag/chat.py).


@dataclass(frozen=True, slots=True)
class Found:
    retrieval: Retrieval
    tier: Tier


@dataclass(frozen=True, slots=True)
class Token:
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    answer: Answer


Event = Found | Token | Finished
