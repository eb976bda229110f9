"""Passages in; what can be quoted of them out: sentences and table rows, each with enough around it to be understood."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.bands import find_bands
from rag.domain import Passage
from rag.sentences import LEFT_OUT, cells, is_rule, is_table_row, sentences
from rag.tokens import words

LONGEST = 420  # characters of a quote
FEWEST_WORDS = 4  # a heading or fragment says too little

CLAUSE_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)+)\.?\s")
ITEM_LETTER = re.compile(r"\s*\([a-z0-9]{1,4}\)(?=\s)")
ITEM = re.compile(r"\s*(?:[-•▪◦‣*–]\s|\(?[a-z0-9]{1,4}[.)]\s)")
BULLET = re.compile(r"^[-•▪◦‣*–]\s+")
REFERS_BACK = re.compile(
    r"(?:It|They|He|She|There|Then|However|Otherwise"
    r"|(?:This|These|Those|Such) (?:is|are|was|were|may|must|can|shall|will|do|does|has|have|also|apply|applies))\b"
)
CONTENTS_LINE = re.compile(r"(?:…|\.{3,})\s*\w{1,5}$")
NO_VALUE = re.compile(r"[\s–—−‐-]*$")
CAPTION = re.compile(r"table\b", re.IGNORECASE)
ROW_NUMBER = re.compile(r"(?:no|nr|rank|row|ref|item|#)\.?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence or table row of passage `marker`; `shown` is how it is written in the answer."""

    marker: int
    passage: Passage
    shown: str
    is_row: bool
    terms: frozenset[str]
    around: frozenset[str]  # words of its headings and, of a table row, of its header and caption
    text: str
    label: str  # the clause number or row number that it stands under: "8.2(c)"
    whole: bool = True  # false for a line without an end, a heading perhaps, and for a question without an answer
    first: int = 0  # the sentences of the passage, by their number, that `shown` holds
    last: int = 0
    table: str = ""  # caption of the table that a row stands in


def quotable(passages: Sequence[Passage]) -> Iterator[Quote]:
    """Every sentence and table row once; headings, lines of a table of contents and fragments say too little."""
    seen: set[str] = set()
    for marker, passage in enumerate(passages, 1):
        for quote in quotes_of(marker, passage):
            flat = " ".join(quote.text.split())
            if flat not in seen and len(flat.split()) >= FEWEST_WORDS:
                seen.add(flat)
                yield quote


def quotes_of(marker: int, passage: Passage) -> Iterator[Quote]:
    headings = {flattened(heading) for heading in (passage.chunk.document, *passage.chunk.section)}
    near = frozenset(words(" ".join((passage.chunk.document, *passage.chunk.section))))
    header: list[str] = []
    caption: list[str] = []
    clause, opening = "", ""
    pieces = Pieces(passage.text)
    for place, piece in enumerate(pieces.all):
        if is_table_row(piece):
            row = cells(piece)
            filled = [cell for cell in row if not NO_VALUE.match(cell)]
            if is_rule(piece):
                continue
            if len(filled) < 2:  # a caption, unit or note in a row of its own
                if any(header) and filled and CAPTION.match(filled[0]):
                    caption, header = [], []
                caption += [] if any(header) else filled
            elif not any(header):
                header = row
            else:
                around = near | frozenset(words(" ".join((*caption, *header))))
                terms = frozenset(words(piece))
                yield Quote(
                    marker, passage, row_text(header, row), True, terms, around, piece, row[0], table=", ".join(caption)
                )
            continue
        if piece.startswith("**"):  # a table's caption, as the chunker writes it
            caption, header = [piece.replace("**", "")], []
            continue
        caption, header = [], []
        clause = match[1] if (match := CLAUSE_NUMBER.match(piece)) else clause
        letter = match[0].strip() if (match := ITEM_LETTER.match(piece)) else ""
        opening = "" if not ITEM.match(piece) else opening
        first, last = pieces.understood(place)
        if flattened(piece) not in headings and not CONTENTS_LINE.search(piece):
            shown = pieces.between(first, last)
            if opening and place != first + 1:
                shown = f"{opening} … {BULLET.sub('', shown)}"
            counted = shown if piece.endswith("?") else piece
            stated = shown if piece.endswith((":", "?")) else piece
            ended = piece[-1] in ".!:;”\"'" or pieces.is_answered(place)
            terms = frozenset(words(counted))
            label, whole = clause + letter, ended or bool(opening)
            yield Quote(marker, passage, quoted(shown), False, terms, near, stated, label, whole, first, last)
        opening = piece if piece.endswith(":") else opening


class Pieces:
    """The sentences and rows of a text, and which of them belong together."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.all = sentences(text)
        self.starts: list[int] = []
        at = 0
        for piece in self.all:
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
        while piece.endswith(":") and self.touches(last + 1) and ITEM.match(self.all[last + 1]):
            if len(self.between(first, last + 1)) > LONGEST:
                break
            last += 1
        return first, last

    def is_answered(self, place: int) -> bool:
        """Whether a sentence is a question that the next one answers, as in a list of frequent questions."""
        return self.all[place].endswith("?") and self.touches(place + 1) and not self.all[place + 1].endswith("?")

    def follows(self, place: int) -> bool:
        """Whether a sentence goes on from the one before it, in the same clause."""
        return self.touches(place) and not CLAUSE_NUMBER.match(self.all[place]) and not ITEM.match(self.all[place])

    def touches(self, place: int) -> bool:
        """Whether nothing was left out before a sentence, and neither it nor the one before is a table row."""
        if not 0 < place < len(self.all):
            return False
        before, piece = self.all[place - 1], self.all[place]
        gap = self.text[self.starts[place - 1] + len(before) : self.starts[place]]
        return LEFT_OUT not in gap and not any(is_table_row(each) or each.startswith("**") for each in (before, piece))


def together(one: Quote, other: Quote) -> Quote | None:
    """One quote of two that overlap or are neighbours in the same clause; None where they are neither, or too long together."""
    if one.marker != other.marker or one.is_row or other.is_row:
        return None
    pieces = Pieces(one.passage.text)
    before, after = sorted((one, other), key=lambda quote: quote.first)
    if after.first > before.last and not (after.first == before.last + 1 and pieces.follows(after.first)):
        return None
    first, last = before.first, max(before.last, after.last)
    shown = pieces.between(first, last)
    if len(shown) > LONGEST or (before.shown.count("…") and after.first > before.last):
        return None
    return Quote(
        one.marker, one.passage, quoted(shown), False, one.terms | other.terms, one.around, shown, one.label, True, first, last
    )


def row_text(header: Sequence[str], row: Sequence[str]) -> str:
    """A table row as "Tax clearance certificate – Validity: 12 months; Who needs it: Everyone", without empty cells."""
    pairs = [
        (plain_name(name), value)
        for name, value in zip([*header, *[""] * len(row)], row, strict=False)
        if not NO_VALUE.match(value)
    ]
    about = ""
    if len(pairs) > 2 and ROW_NUMBER.match(pairs[0][0]) and names_something(pairs[1][1]):
        about = f"{pairs[0][1]} {pairs[1][1]}"
        pairs = pairs[2:]
    elif len(pairs) > 1 and names_something(pairs[0][1]):
        about = pairs[0][1]
        pairs = pairs[1:]
    values = "; ".join(f"{name}: {value}" if name else value for name, value in pairs)
    return f"{about} – {values}" if about else values


def names_something(cell: str) -> bool:
    """Whether a cell says of itself what the row is about: a name, not a code or an amount."""
    return cell[:1].isalpha() and len(cell) > 6 and not find_bands(cell)


def plain_name(header: str) -> str:
    """ "USD thousand > Paid" is "Paid (USD thousand)"."""
    *groups, name = header.split(" > ")
    return f"{name} ({', '.join(groups)})" if groups else name


def quoted(text: str) -> str:
    flat = BULLET.sub("", " ".join(text.replace("|", " ").split())).replace("“", "‘").replace("”", "’")
    return f"“{flat if len(flat) <= LONGEST else flat[:LONGEST].rsplit(' ', 1)[0] + ' …'}”"


def flattened(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
