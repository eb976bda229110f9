"""Passages in; what can be quoted of them out: sentences and table rows, each with enough around it to be understood."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from rag.citations import Support, page_reference, place_of
from rag.domain import Passage
from rag.figures import figures
from rag.pieces import CLAUSE_NUMBER, LONGEST_LIST, Pieces
from rag.rows import (
    NAMES_A_CURRENCY,
    NO_VALUE,
    cell_text,
    columns_asked,
    empty_columns,
    holds_data,
    names_something,
    row_text,
    split_unit,
    unit_of_cell,
)
from rag.sentences import BULLET, LIST_ITEM, NEXT_PAGE, cells, flattened, is_rule, is_table_row
from rag.tokens import words

YEAR = re.compile(r"(?:FY|CY)?\s?(?:19|20)\d\d(?:\s?[-–/]\s?\d{2,4})?")
LONGEST = 420  # characters of a quote
FEWEST_WORDS = 4  # a heading or fragment says too little

ITEM_LETTER = re.compile(r"\s*\([a-z0-9]{1,4}\)(?=\s)")
CONTENTS_LINE = re.compile(r"(?:…|\.{3,})\s*\w{1,5}$")
CAPTION = re.compile(r"table\b", re.IGNORECASE)
TITLED = re.compile(r"\*\*(?P<caption>.*?)\*\*\s*(?:\((?P<unit>.*)\))?\s*$", re.DOTALL)  # as the chunker writes it
BRACKETED = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")  # a document's own reference is no marker of ours


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence, a list or a table row of passage `marker`; `shown` is how it is written in the answer."""

    marker: int
    passage: Passage
    shown: str
    is_row: bool
    terms: frozenset[str]
    around: frozenset[str]  # words of its headings and, of a table row, of its header and caption
    text: str  # verbatim: what is highlighted on the page
    label: str  # the clause number or row number that it stands under: "8.2(c)"
    whole: bool = True  # false for a line without an end, a heading perhaps, and for a question without an answer
    first: int = 0  # the sentences of the passage, by their number, that `shown` holds
    last: int = 0
    table: str = ""  # caption of the table that a row stands in
    unit: str = ""  # of that table
    header: tuple[str, ...] = ()
    row: tuple[str, ...] = ()
    head: frozenset[str] = frozenset()  # words of the line that introduces a list, where the whole list is quoted
    named: frozenset[str] = frozenset()  # words of a row's header and caption alone
    heading: str = ""  # the one it stands under
    introduced_by: "Quote | None" = None  # the line on the page before that a list item goes on from

    def asked_for(self, wanted: Collection[str]) -> "Quote":
        """A row with what a question finds empty in it, and a very wide one with the cells alone that it speaks of."""
        if not self.is_row:
            return self
        shown = self.shown
        if len(shown) > LONGEST:
            kept = columns_asked(self.header, self.row, wanted)
            shown = row_text([self.header[at] for at in kept], [self.row[at] for at in kept], unit=self.unit)
            shown = f"{shown} …" if shown else f"{self.shown[:LONGEST].rsplit(' ', 1)[0]} …"
        empty = [f"; {name}: no value" for name in empty_columns(self.header, self.row, wanted)]
        return replace(self, shown=unmarked("".join((shown, *empty))))

    @property
    def source(self) -> str:
        """Document, page and table: "Annual Budget, page 6 (printed 3), Table 5. Chemicals, USD thousand"."""
        replaced = f", replaced by {self.passage.replaced_by}" if self.passage.replaced_by else ""
        table = f", {self.table.rstrip(' :')}" if self.table else ""
        page = page_reference(*place_of(self.passage, self.text.split(NEXT_PAGE)[0]))
        return f"{self.passage.chunk.document}, page {page}{replaced}{table}"

    @property
    def cited(self) -> str:
        """What the answer writes, each part with the marker of the passage it stands in."""
        before = f"{self.introduced_by.shown} [{self.introduced_by.marker}] " if self.introduced_by else ""
        return f"{before}{self.shown} [{self.marker}]"

    @property
    def support(self) -> list[Support]:
        before = self.introduced_by.support if self.introduced_by else []
        return [*before, *(Support(self.marker, self.shown, part) for part in self.text.split(NEXT_PAGE))]


def quotable(passages: Sequence[Passage]) -> Iterator[Quote]:
    """Every sentence and table row once; headings, lines of a table of contents and fragments say too little."""
    seen: set[str] = set()
    for marker, passage in enumerate(passages, 1):
        introduction = introduction_of(passage, passages)
        for quote in quotes_of(marker, passage, introduction):
            if quote.shown not in seen and len(quote.text.split()) >= FEWEST_WORDS:
                seen.add(quote.shown)
                yield quote


def introduction_of(passage: Passage, passages: Sequence[Passage]) -> Quote | None:
    """The line "… only where:" that ends the page before, where a passage begins in the middle of the list it introduces."""
    if not LIST_ITEM.match(passage.text):
        return None
    place = (passage.chunk.file, passage.chunk.page - 1)
    for marker, before in enumerate(passages, 1):
        if (before.chunk.file, before.chunk.page) == place and before.text.rstrip().endswith(":"):
            piece = Pieces(before.text).all[-1]
            return Quote(marker, before, quoted(piece), False, frozenset(words(piece)), frozenset(), piece, "")
    return None


def quotes_of(marker: int, passage: Passage, introduction: Quote | None = None) -> Iterator[Quote]:
    """`introduction` is the line of another passage that the items at the beginning belong to."""
    near = frozenset(words(" ".join((passage.chunk.document, *passage.chunk.section))))
    headings = {flattened(heading) for heading in (passage.chunk.document, *passage.chunk.section)}
    table = Sheet()
    clause = ""
    pieces = Pieces(passage.text)
    governing = Governing(pieces, heading_of(passage) if introduction is None else "", passage.chunk.document)
    for place, piece in enumerate(pieces.all):
        if is_table_row(piece) or piece.startswith("**"):
            if table.header and pieces.heads_table(place):
                table = Sheet()  # it follows the other one without a word between them
            if table.take(piece):
                yield table.quote(marker, passage, near, piece)
            continue
        table = Sheet()
        if piece.count("|") > 2:  # what is left of a row that was cut
            continue
        clause = match[1] if (match := CLAUSE_NUMBER.match(piece)) else clause
        letter = match[0].strip() if (match := ITEM_LETTER.match(piece)) else ""
        introduction = introduction if pieces.in_list(place) else None
        for first, last, opening in governing.of(place):
            heads = pieces.introduces(place) or bool(opening and last > first)
            if (flattened(piece) in headings and not heads) or CONTENTS_LINE.search(piece):
                continue
            shown = pieces.between(first, last)
            if heads and pieces.goes_on(last):
                shown = f"{shown} …"
            if opening:
                shown = f"{opening}{'' if opening.endswith((':', '?')) else ':'} … {BULLET.sub('', shown)}"
            ended = piece[-1] in ".!:;”\"'" or pieces.is_answered(place)
            yield Quote(
                marker=marker,
                passage=passage,
                shown=quoted(shown, LONGEST_LIST if heads else LONGEST),
                is_row=False,
                terms=frozenset(words(shown if heads or opening or piece.endswith("?") else piece)),
                around=near | frozenset(words(governing.heading)),
                head=frozenset(words(opening or piece)) if heads and last > first else frozenset(),
                text=governing.verbatim(first, last, opening),
                label=clause + letter,
                whole=ended or heads or bool(opening or introduction),
                first=first,
                last=last,
                heading=governing.heading,
                introduced_by=introduction,
            )


def heading_of(passage: Passage) -> str:
    """The heading under which a passage begins; it may have been cut off from its text."""
    chunk = passage.chunk
    begins = passage.text.lstrip()[:40] == chunk.text.lstrip()[:40]
    heading = chunk.section[-1] if chunk.section and begins else ""
    return heading if flattened(heading) != flattened(chunk.document) else ""


class Governing:
    """What must be said with each sentence of a text: the line that introduces a list, the heading that a list stands under."""

    def __init__(self, pieces: Pieces, heading: str, title: str) -> None:
        self.pieces = pieces
        self.heading = heading
        self.title = flattened(title)  # of the document: printed on every page, it governs no list
        self.opening = ""
        self.opened: int | None = None  # the place of `opening`, where it stands in this text

    def of(self, place: int) -> Iterator[tuple[int, int, str]]:
        """The sentences to quote together for the one at `place`, and the line that goes before them; nothing where it says
        nothing by itself. Places are asked for in their order."""
        pieces = self.pieces
        first, last = pieces.understood(place)
        if not pieces.in_list(place):
            self.opening, self.opened = "", None
        if pieces.introduces(place):
            self.opening, self.opened = pieces.all[place], place
            if last > place:  # else its items stand elsewhere
                yield first, last, ""
            return
        if pieces.is_heading(place) and flattened(pieces.all[place]) != self.title:
            self.heading = pieces.all[place]
        begins = BULLET.match(pieces.all[place]) and not self.opening
        if begins and self.heading:
            self.opening = self.heading
            if (end := pieces.end_of_list(place)) > last:
                yield place, end, self.opening
        yield first, last, self.opening if pieces.is_item(place) else ""

    def verbatim(self, first: int, last: int, opening: str) -> str:
        """What is highlighted: from the introduction on, where that is short."""
        if opening and self.opened is not None:
            within = self.pieces.between(self.opened, last)
            if len(within) <= LONGEST and NEXT_PAGE not in within:
                return within
        return self.pieces.between(first, last)


class Sheet:
    """A table as it is read row by row: first its caption and header, then the rows that can be quoted."""

    def __init__(self) -> None:
        self.begin([], "")

    def begin(self, caption: list[str], unit: str) -> None:
        self.caption = caption
        self.unit = unit
        self.header: list[str] = []
        self.section = ""
        self.holds_values: dict[int, bool] = {}  # of each column, whether its first entry is a figure

    def take(self, piece: str) -> bool:
        """Whether a line of the table is a row to quote; captions, headers and rows that name others are remembered."""
        if titled := TITLED.match(piece):
            self.begin([titled["caption"]], titled["unit"] or "")
            return False
        if is_rule(piece) or not is_table_row(piece):
            return False
        row = cells(piece)
        filled = [cell for cell in row if not NO_VALUE.match(cell)]
        if len(filled) < 2:  # a caption, unit, note or section in a row of its own
            if self.header and filled and CAPTION.match(filled[0]):
                self.begin([], "")
            if self.header:
                self.section = filled[0] if filled and not NO_VALUE.match(row[0]) else ""
            else:
                self.caption += filled
            return False
        is_row = bool(self.header) or holds_data(row) or is_named_figure(filled)
        if is_row:
            for at, cell in enumerate(row):
                if not NO_VALUE.match(cell):
                    self.holds_values.setdefault(at, is_figure(cell))
        self.header = self.header or ([""] * len(row) if is_row else row)
        return is_row

    def shown(self, row: list[str], unit: str) -> str:
        """The row for a reader; a name further down in a column of figures is what the figure beside it is called.

        "Balance due" below the quantities of an invoice has nothing to do with them, nor its amount with the sums of items.
        """
        filled = [at for at, cell in enumerate(row) if not NO_VALUE.match(cell)]
        if len(filled) == 2 and len(row) > 2 and self.holds_values[filled[0]]:
            name, value = (row[at] for at in filled)
            if names_something(name) and is_figure(value):
                column = self.header[filled[1]] if filled[1] < len(self.header) else ""
                named = NAMES_A_CURRENCY.search(column)
                own = cell_text(name.rstrip(" :"), value, named.group() if named else unit_of_cell(column, name, value, unit))
                return f"{self.section.rstrip(' :')}: {own}" if self.section else own
        return row_text(self.header, row, unit=unit, section=self.section)

    def quote(self, marker: int, passage: Passage, near: frozenset[str], piece: str) -> Quote:
        row = cells(piece)
        caption, unit = split_unit(", ".join(self.caption))
        named = frozenset(words(" ".join((*self.caption, self.unit, *self.header, self.section))))
        unit = self.unit or unit
        return Quote(
            marker=marker,
            passage=passage,
            shown=unmarked(self.shown(row, unit)),
            is_row=True,
            terms=frozenset(words(piece)),
            around=near | named,
            text=piece,
            label=row[0],
            table=caption,
            unit=unit,
            header=(*self.header, *[""] * (len(row) - len(self.header))),
            row=tuple(row),
            named=named,
            heading=caption,
        )


def beside(quote: Quote) -> str:
    """The sentences right before and after a quote, which may say of when and of what it is."""
    if quote.is_row:
        return ""
    pieces = Pieces(quote.passage.text)
    return pieces.between(max(quote.first - 1, 0), min(quote.last + 1, len(pieces.all) - 1))


def whole_clause(quote: Quote) -> Quote:
    """The numbered paragraph that a sentence stands in, where it is short: what else it says belongs to the answer."""
    if quote.is_row or quote.head or quote.introduced_by or "…" in quote.shown:
        return quote
    pieces = Pieces(quote.passage.text)
    places = [place for place, block in enumerate(pieces.block) if block == pieces.block[quote.first]]
    first, last = min(places), max(*places, quote.last)
    shown = pieces.between(first, last)
    if not CLAUSE_NUMBER.match(shown) or len(shown) > LONGEST:
        return quote
    return replace(quote, shown=quoted(shown), text=shown, first=first, last=last)


def together(one: Quote, other: Quote) -> Quote | None:
    """One quote of two that overlap or are neighbours in the same clause; None where they are neither, or too long together."""
    if one.marker != other.marker or one.is_row or other.is_row:
        return None
    pieces = Pieces(one.passage.text)
    before, after = sorted((one, other), key=lambda quote: (quote.first, -quote.last))
    if after.last <= before.last:
        return before
    if after.first > before.last and not (after.first == before.last + 1 and pieces.follows(after.first)):
        return None
    first, last = before.first, max(before.last, after.last)
    shown = pieces.between(first, last)
    longest = max(LONGEST, *(len(quote.text) for quote in (one, other)))
    if len(shown) > longest or (before.shown.count("…") and after.first > before.last):
        return None
    if one.introduced_by or other.introduced_by:
        return None
    return replace(
        one, shown=quoted(shown, longest), terms=one.terms | other.terms, text=shown, whole=True, first=first, last=last
    )


def quoted(text: str, longest: int = LONGEST) -> str:
    flat = BULLET.sub("", " ".join(text.replace("|", " ").split())).replace("“", "‘").replace("”", "’")
    return f"“{unmarked(flat if len(flat) <= longest else flat[:longest].rsplit(' ', 1)[0] + ' …')}”"


def unmarked(text: str) -> str:
    """Without numbers in square brackets, which would be read as markers of the answer."""
    return BRACKETED.sub(r"(\1)", text)


def is_figure(cell: str) -> bool:
    return bool(figures(cell)) and not names_something(cell)


def is_named_figure(filled: Sequence[str]) -> bool:
    """ "Subtotal" and "$100.00": a row, also where a header should be; a year may name a column."""
    return len(filled) == 2 and names_something(filled[0]) and is_figure(filled[1]) and not YEAR.fullmatch(filled[1])
