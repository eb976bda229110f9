"""The lines of text around a table in; its caption, its units and its footnotes out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.table_grid import Box

NUMBERED = re.compile(
    r"(?i:Table|Schedule|Exhibit|Annex|Appendix|Attachment|Chart|Form)\s+(?:\d+(?:[.\-]\d+)*|[IVX]+\b|[A-Z]\b)"
)
UNITS = re.compile(
    r"\(?(?:\ball\s+)?(?:(?:amounts?|figures|values?|dollars|pesos|euros?|rupees|prices?|[$€£₱₹])\s+)?(?:are\s+)?"
    r"(?:stated\s+|expressed\s+|shown\s+)?\bin\s+"
    r"(?:(?:US\s?\$|USD|U\.S\.\s+dollars|EUR|euros?|GBP|INR|PhP|PHP|pesos|Rs\.?|₹|€|£|\$)\s*)?(?:in\s+)?"
    r"(?:thousands?|millions?|billions?|crores?|lakhs?|000s?|%|per\s?cent)\b[^()]{0,60}\)?"
    r"|\((?:US\s?\$|USD|EUR|GBP|INR|PhP|PHP|Rs\.?|₱|₹|€|£|\$|%)(?:\s*['’]?000s?|\s+\w+)?\)"
    r"|(?:₹|Rs\.?)\s+in\s+(?:crores?|lakhs?)"
    r"|\(?\b(?:US\s?\$|USD|EUR|GBP|INR|PhP|PHP|Rs\.?|CHF|JPY|CNY)\s*['’]?(?:thousands?|millions?|billions?|crores?|lakhs?|000s?)\b\)?"
    r"|[€£₱₹$]\s*['’]?(?:thousands?|millions?|billions?|crores?|lakhs?|000s?)\b"
    r"|\((?:thousands|millions|billions)\b[^()]{0,60}\)",
    re.IGNORECASE,
)
MARK = re.compile(r"(?P<mark>\*{1,3}|†|‡|§|[¹²³⁴⁵⁶⁷⁸⁹]|\(?(?:\d{1,2}|[a-h])[).]|\d(?=\s)|[a-h](?=\s+[A-Z]))\s*\S")
NOTE = re.compile(r"(?:Notes?|Sources?|Legend|Remarks?)\s*:", re.IGNORECASE)
LONGEST_CAPTION = 150  # characters
TITLE_LINES = 4  # above a statement
TITLE_GAP = 3.0  # heights of a line between them and down to the statement


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    box: Box


def lines_of(words: Sequence[Line], *, gap: float) -> list[Line]:
    """Words joined into pieces of lines; a space wider than `gap` letter heights begins a new piece."""
    lines: list[list[Line]] = []
    for word in sorted(words, key=lambda word: word.box.centre[1]):
        if lines and lines[-1][0].box.top <= word.box.centre[1] < lines[-1][0].box.bottom:
            lines[-1].append(word)
        else:
            lines.append([word])
    pieces: list[Line] = []
    for line in lines:
        end: float | None = None
        for word in sorted(line, key=lambda word: word.box.x0):
            if end is not None and word.box.x0 - end < gap * word.box.height:
                pieces[-1] = Line(f"{pieces[-1].text} {word.text}", pieces[-1].box.around(word.box))
            else:
                pieces.append(word)
            end = word.box.x1
    return pieces


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`box` is the table with the lines that belong to it, which the body text then leaves out."""

    caption: str
    units: str
    footnotes: tuple[str, ...]
    box: Box


def surroundings(box: Box, lines: Sequence[Line], *, table_text: str) -> Surroundings:
    whole = box
    caption: list[str] = []
    units = found_units(table_text[:400])
    above = lines_above(box, lines)
    numbered = next((at for at, line in enumerate(above) if NUMBERED.match(line.text)), None)
    for at, line in enumerate(above):
        found = UNITS.search(line.text)
        if found and len(found[0]) >= 0.6 * len(line.text):
            units = units or found[0].strip("() ")
        elif (numbered is not None and at <= numbered) or (
            not caption and is_caption(line.text) and not ends_block(line, box, lines)
        ):
            caption.insert(0, line.text)
            units = units or found_units(line.text)
        else:
            break
        whole = whole.around(line.box)
        if at == numbered:
            break
    units = units or units_further_up(whole, lines)
    footnotes, whole = footnotes_below(box, lines, whole, table_text)
    return Surroundings(" ".join(caption), units, footnotes, whole)


def units_further_up(box: Box, lines: Sequence[Line]) -> str:
    """The units in the titles of a statement, which often stand well apart from it; the lines stay where they are."""
    above = sorted(
        (line for line in lines if line.box.bottom <= box.top + 2 and beside(line.box, box)), key=lambda at: -at.box.top
    )
    edge = box.top
    for line in above[:TITLE_LINES]:
        if edge - line.box.bottom > TITLE_GAP * line.box.height or line.text.rstrip().endswith((".", ";")):
            break
        if units := found_units(line.text):
            return units
        edge = line.box.top
    return ""


def found_units(text: str) -> str:
    found = UNITS.search(text)
    return found[0].strip("() ") if found else ""


def lines_above(box: Box, lines: Sequence[Line]) -> list[Line]:
    """The three lines right above the table, the nearest first, as long as the gap stays small and each stands alone."""
    above = [line for line in lines if line.box.bottom <= box.top + 2 and beside(line.box, box)]
    near: list[Line] = []
    edge = box.top
    for line in sorted(above, key=lambda line: -line.box.top)[:3]:
        alone = sum(other.box.top < line.box.centre[1] < other.box.bottom for other in above) == 1
        if not alone or edge - line.box.bottom > 1.6 * line.box.height:
            break
        near.append(line)
        edge = line.box.top
    return near


def ends_block(line: Line, table: Box, lines: Sequence[Line]) -> bool:
    """Whether the line goes with two lines above it, set closer to them than to the table: the end of an address or a list."""
    edge, block = line.box, [line]
    for other in sorted((other for other in lines if other.box.bottom <= line.box.top + 2), key=lambda at: -at.box.bottom)[:2]:
        aligned = abs(other.box.x0 - line.box.x0) <= 2 and abs(other.box.height - line.box.height) <= 1
        if not aligned or edge.top - other.box.bottom >= min(table.top - line.box.bottom, 0.8 * line.box.height):
            break
        edge = other.box
        block.append(other)
    return len(block) == 3


def is_caption(text: str) -> bool:
    """A short line that begins like a title and does not end like a sentence."""
    short = 3 <= len(text) <= LONGEST_CAPTION and len(text.split()) <= 14
    return short and text[0].isupper() and not text.rstrip().endswith((".", ";", ","))


def footnotes_below(box: Box, lines: Sequence[Line], whole: Box, table_text: str) -> tuple[tuple[str, ...], Box]:
    """Lines below that begin with a mark the table carries, or with "Note:" or "Source:", and what they go on with."""
    notes: list[str] = []
    edge = box.bottom
    below = sorted(
        (line for line in lines if line.box.top >= box.bottom - 2 and beside(line.box, box)), key=lambda at: at.box.top
    )
    for line in below[:12]:
        gap = line.box.top - edge
        if gap > (2.2 if not notes else 0.9) * line.box.height:
            break
        mark = MARK.match(line.text)
        if NOTE.match(line.text) or (mark and carries(table_text, mark["mark"])):
            notes.append(line.text)
        elif notes and not mark:
            notes[-1] += " " + line.text
        else:
            break
        whole = whole.around(line.box)
        edge = line.box.bottom
    return tuple(notes), whole


def carries(text: str, mark: str) -> bool:
    """Whether a footnote mark stands in the text: on its own, in brackets or at the end of a word or value."""
    plain = mark.strip("().")
    if plain.isalnum():
        return bool(
            re.search(rf"\({plain}\)|(?<=[A-Za-z]){plain}\b(?<!\b{plain})" if plain.isdigit() else rf"\({plain}\)", text)
        )
    return plain in text


def beside(line: Box, table: Box) -> bool:
    """Whether a line stands over or under the table rather than in another column of the page."""
    shared = min(line.x1, table.x1) - max(line.x0, table.x0)
    return shared >= 0.5 * min(line.width, table.width)
