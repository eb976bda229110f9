"""Passages in; what can be quoted of them out: sentences and table rows, each with enough around it to be understood."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from rag.citations import Support
from rag.domain import Passage
from rag.rows import NO_VALUE, columns_asked, holds_data, row_text, split_unit
from rag.sentences import BULLET, LEFT_OUT, LIST_ITEM, NEXT_PAGE, blocks, cells, flattened, is_rule, is_table_row, sentences_of
from rag.tokens import words

LONGEST = 420  # characters of a quote
LONGEST_LIST = 900  # of an introduction with its items
LONGEST_HEADING = 90
FEWEST_WORDS = 4  # a heading or fragment says too little

CLAUSE_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)+)\.?\s")
ITEM_LETTER = re.compile(r"\s*\([a-z0-9]{1,4}\)(?=\s)")
REFERS_BACK = re.compile(
    r"(?:It|They|He|She|There|Then|However|Otherwise"
    r"|(?:This|These|Those|Such) (?:is|are|was|were|may|must|can|shall|will|do|does|has|have|also|apply|applies))\b"
)
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
    introduced_by: "Quote | None" = None  # the line on the page before that a list item goes on from

    def asked_for(self, wanted: Collection[str]) -> "Quote":
        """A very wide row with the cells alone that a question speaks of; anything else as it is."""
        if not self.is_row or len(self.shown) <= LONGEST:
            return self
        kept = columns_asked(self.header, self.row, wanted)
        shown = row_text([self.header[at] for at in kept], [self.row[at] for at in kept], unit=self.unit)
        return replace(self, shown=unmarked(f"{shown} …" if shown else f"{self.shown[:LONGEST].rsplit(' ', 1)[0]} …"))

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
                around=near,
                head=frozenset(words(opening or piece)) if heads and last > first else frozenset(),
                text=governing.verbatim(first, last, opening),
                label=clause + letter,
                whole=ended or heads or bool(opening or introduction),
                first=first,
                last=last,
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

    def __init__(self, pieces: "Pieces", heading: str, title: str) -> None:
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
        if self.header:
            return True
        self.header = [""] * len(row) if holds_data(row) else row
        return holds_data(row)

    def quote(self, marker: int, passage: Passage, near: frozenset[str], piece: str) -> Quote:
        row = cells(piece)
        caption, unit = split_unit(", ".join(self.caption))
        named = frozenset(words(" ".join((*self.caption, self.unit, *self.header, self.section))))
        unit = self.unit or unit
        shown = row_text(self.header, row, unit=unit, section=self.section)
        return Quote(
            marker=marker,
            passage=passage,
            shown=unmarked(shown),
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
        )


class Pieces:
    """The sentences and rows of a text, and which of them belong together."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.all: list[str] = []
        self.block: list[int] = []  # of each sentence: which paragraph, list item or row it stands in
        self.starts: list[int] = []
        at = 0
        for number, block in enumerate(blocks(text)):
            for piece in sentences_of(block):
                self.all.append(piece)
                self.block.append(number)
                self.starts.append(text.index(piece, at))
                at = self.starts[-1] + len(piece)

    def between(self, first: int, last: int) -> str:
        return self.text[self.starts[first] : self.starts[last] + len(self.all[last])]

    def understood(self, place: int) -> tuple[int, int]:
        """The sentences to quote so that one is understood: with the one it refers to, the answer or the items that follow."""
        first = last = place
        piece = self.all[place]
        if REFERS_BACK.match(piece) and self.follows(place):
            first -= 1
        if self.is_answered(place):
            last += 1
        if piece.endswith(":") and self.touches(place + 1) and not LIST_ITEM.match(self.all[place + 1]):
            last += 1
        while self.introduces(place) and self.goes_on(last):
            if len(self.between(first, last + 1)) > LONGEST_LIST:
                break
            last += 1
        return first, last

    def introduces(self, place: int) -> bool:
        """Whether a sentence says nothing without what follows: it ends in a colon, or is the heading of a list."""
        piece = self.all[place]
        if piece.endswith(":"):
            return True
        begins_list = self.touches(place + 1) and BULLET.match(self.all[place + 1])
        return self.is_heading(place) and not LIST_ITEM.match(piece) and bool(begins_list)

    def goes_on(self, last: int) -> bool:
        """Whether the list that reaches to a sentence goes on with the next one."""
        return self.touches(last + 1) and self.is_item(last + 1)

    def is_item(self, place: int) -> bool:
        """Whether a sentence is a list item, or goes on in the same line of one."""
        if LIST_ITEM.match(self.all[place]):
            return True
        gap = self.text[self.starts[place - 1] + len(self.all[place - 1]) : self.starts[place]] if place else ""
        return place > 0 and self.block[place] == self.block[place - 1] and "\n" not in gap and self.is_item(place - 1)

    def in_list(self, place: int) -> bool:
        """Whether a sentence may stand among the items of a list: it is one, or follows on one without a new paragraph."""
        return bool(LIST_ITEM.match(self.all[place])) or (place > 0 and self.block[place] == self.block[place - 1])

    def end_of_list(self, place: int) -> int:
        """The last sentence of the list that begins at `place`, as far as can be quoted together."""
        last = place
        while self.goes_on(last) and len(self.between(place, last + 1)) <= LONGEST_LIST:
            last += 1
        return last

    def is_heading(self, place: int) -> bool:
        """Whether a line stands alone, is short and unfinished, as a heading is."""
        piece, start = self.all[place], self.starts[place]
        alone = self.text[max(start - 1, 0) : start] in ("", "\n") and self.text[start + len(piece) :].startswith("\n")
        return alone and piece[-1] not in ".!?;,”\"'" and len(piece) <= LONGEST_HEADING and not BULLET.match(piece)

    def is_answered(self, place: int) -> bool:
        """Whether a sentence is a question that the next one answers, as in a list of frequent questions."""
        return self.all[place].endswith("?") and self.touches(place + 1) and not self.all[place + 1].endswith("?")

    def follows(self, place: int) -> bool:
        """Whether a sentence goes on from the one before it, in the same clause."""
        return self.touches(place) and not CLAUSE_NUMBER.match(self.all[place]) and not LIST_ITEM.match(self.all[place])

    def touches(self, place: int) -> bool:
        """Whether nothing was left out before a sentence, and neither it nor the one before is a table row."""
        if not 0 < place < len(self.all):
            return False
        before, piece = self.all[place - 1], self.all[place]
        gap = self.text[self.starts[place - 1] + len(before) : self.starts[place]]
        return LEFT_OUT not in gap and not any(is_table_row(each) or each.startswith("**") for each in (before, piece))


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
