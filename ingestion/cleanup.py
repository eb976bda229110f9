"""Lines in reading order in, clean text of a page out: hyphens, ligatures and paragraphs repaired, nothing else invented."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from ingestion.layout import RIGHT_TO_LEFT, Line

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
# The Symbol and Wingdings fonts draw bullets from the private-use area.
BULLETS = {chr(0xF000 + code): "•" for code in (0x6C, 0x6E, 0x76, 0x9F, 0xA7, 0xA8, 0xB7, 0xD8, 0xE0, 0xFC, 0x71, 0x75)}
SPACES = dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\t\v\f", " ")
NOTHING = dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")  # soft hyphen, zero-width space, word joiner, byte-order mark
CHARACTERS = str.maketrans({**LIGATURES, **BULLETS, **SPACES, **NOTHING})
ARABIC_FORMS = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]+")
MEANINGLESS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff\ud800-\udfff\ufffe\uffff\U000f0000-\U0010ffff]")
LONGEST_WORD = 60  # characters looked at before a hyphen
LEADER = re.compile(r"(?:[.·…_] ?){5,}")
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")

LIST_ITEM = re.compile(
    r"(?:[•●○■□▪▫◦➢➤✓✔❖–—*‣·-]|\(?[a-zA-Z]{1}[.)]|\(?[ivxlcIVXLC]{1,6}[.)]|\(?\d{1,3}[.)]|\d{1,2}(?:\.\d{1,3}){1,4}\.?)\s+\S"
)
NUMBERED = re.compile(r"(?:section|article|annex|appendix|schedule|part|chapter|clause)\s+[\dIVXA-Z]+\b", re.IGNORECASE)
# "Customer ID: CID-12345": lines of names and values are no paragraph, however wide they are.
PAIR = re.compile(r"(?=\S)[^:.;,()]{1,40}:\s+\S(?!.*[.;]\s)")
SENTENCE_END = re.compile(r"[.!?:;。！？؟]['\"”’)\]]*$")

MARGIN = 0.13  # of the page height: running headers and footers stand within it
MAX_MARGIN_LINES = 4
PAGE_NUMBER = re.compile(
    r"(?:page|p\.|pag\.|seite|página)?\s*[-–—|\[(]?\s*(\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,2}-\d{1,4})\s*[-–—|\])]?\s*(?:(?:of|/|von|de)\s*\d{1,4})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CleanText:
    """The text of a page and the offset in it at which each line starts; a table's line gives where the table stood."""

    text: str
    starts: tuple[int, ...]


def clean_characters(text: str) -> str:
    """One line with ligatures and odd spaces made plain and invisible characters taken out."""
    if not text.isascii():
        text = text.translate(CHARACTERS)
        text = ARABIC_FORMS.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
        text = unicodedata.normalize("NFC", text)
    text = MEANINGLESS.sub("", text.replace("\t", " "))
    return re.sub(r" {2,}", " ", LEADER.sub(" … ", text)).strip()


def clean_lines(lines: Sequence[Line]) -> list[Line]:
    cleaned = (replace(line, text=clean_characters(line.text)) for line in lines)
    return [line for line in cleaned if line.text or line.table is not None]


def vocabulary_of(pages: Iterable[Sequence[Line]]) -> Counter[str]:
    """The words of a document that stand whole within a line, for deciding about hyphens at line ends."""
    words: Counter[str] = Counter()
    for lines in pages:
        for line in lines:
            words.update(word.lower() for word in WORD.findall(line.text)[:-1])
    return words


# Paragraphs


def flowing_text(lines: Sequence[Line], vocabulary: Counter[str] | None = None, apart: Collection[int] = ()) -> CleanText:
    """Lines joined into paragraphs; list items, table rows and the lines in `apart` (headings) keep lines of their own."""
    text = ""
    starts: list[int] = []
    measures = measures_of(lines)
    before: int | None = None
    for position, line in enumerate(lines):
        if line.table is not None:
            starts.append(len(text))
            continue
        if before is not None:
            after_table = any(between.table is not None for between in lines[before + 1 : position])
            separator = "\n\n" if after_table else separator_of(lines, before, position, measures, apart)
            text = join(text, separator, line.text, vocabulary or Counter())
        else:
            text = line.text
        starts.append(len(text) - len(line.text))
        before = position
    return CleanText(text, tuple(starts))


def join(text: str, separator: str, line: str, vocabulary: Counter[str]) -> str:
    """The line put behind the text; at a line break within a paragraph the hyphen of a divided word goes."""
    if separator != " ":
        return text + separator + line
    head = re.search(r"([^\W\d_]+)-$", text[-LONGEST_WORD:]) if text.endswith("-") else None
    tail = re.match(r"[^\W\d_]+", line)
    if head and tail and tail.group()[0].islower():
        return text[:-1] + line if divides(head.group(1).lower(), tail.group().lower(), vocabulary) else text + line
    if text.endswith(("-", "/")) and not text.endswith((" -", " /")):
        return text + line  # "2018-" "23-51", "https://" "www."
    return text + line if is_cjk(text[-1]) and is_cjk(line[0]) else text + " " + line


def divides(head: str, tail: str, vocabulary: Counter[str]) -> bool:
    """Whether a hyphen at a line's end only divides the word, judged by how the document writes it elsewhere."""
    whole, compound = vocabulary[head + tail], vocabulary[f"{head}-{tail}"]
    if whole or compound:
        return whole >= compound
    return not (vocabulary[head] and vocabulary[tail] and len(head) > 2)


def is_cjk(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af" or "\uf900" <= character <= "\uffef"


@dataclass(frozen=True, slots=True)
class Measure:
    """Of one column: its edges, and the usual distance from one line to the next by font size."""

    left: float
    right: float
    pitch: dict[int, float] = field(default_factory=dict)


def measures_of(lines: Sequence[Line]) -> dict[int, Measure]:
    measures = {}
    for block in {line.block for line in lines}:
        column = [line for line in lines if line.block == block and line.table is None]
        if column:
            pitches: dict[int, list[float]] = {}
            for one, other in pairwise(column):
                if 0.5 * other.size < other.bottom - one.bottom < 3 * other.size and abs(one.size - other.size) < 1:
                    pitches.setdefault(round(other.size), []).append(other.bottom - one.bottom)
            pitch = {size: sorted(found)[len(found) // 3] for size, found in pitches.items() if len(found) > 2}
            measures[block] = Measure(min(line.x0 for line in column), max(line.x1 for line in column), pitch)
    return measures


def separator_of(
    lines: Sequence[Line], before: int, position: int, measures: dict[int, Measure], apart: Collection[int]
) -> str:
    """What stands between two lines: a space within a paragraph, a line break, or an empty line."""
    one, other = lines[before], lines[position]
    if before in apart or position in apart:
        return "\n" if before in apart and position in apart and one.block == other.block else "\n\n"
    if one.aside or other.aside:
        return "\n\n"
    ended = bool(SENTENCE_END.search(one.text))
    if one.block != other.block:
        goes_on = not ended and other.text[:1].islower() and abs(one.size - other.size) < 1 and one.cells == other.cells == 1
        return " " if goes_on else "\n\n"
    measure = measures[one.block]
    usual = measure.pitch.get(round(other.size), 1.3 * other.size)
    if other.bottom - one.bottom > 1.35 * usual + 1 or abs(one.size - other.size) > 0.15 * max(one.size, other.size):
        return "\n\n"
    if (
        cells_of(one) > 1
        or other.cells > 1
        or LIST_ITEM.match(other.text)
        or NUMBERED.match(other.text)
        or one.bold != other.bold
    ):
        return "\n"
    if PAIR.match(one.text) and PAIR.match(other.text):
        return "\n"
    indent, missing = other.x0 - one.x0, measure.right - one.x1
    if is_right_to_left(other.text):
        indent, missing = one.x1 - other.x1, one.x0 - measure.left
    short = missing > 0.2 * (measure.right - measure.left)
    if short and (ended or not other.text[:1].islower()):
        return "\n"
    return "\n" if ended and indent > 0.8 * other.size and not LIST_ITEM.match(one.text) else " "


def cells_of(line: Line) -> int:
    """How many cells a line looks like; the gap behind the number of a list item or clause is none."""
    return line.cells - 1 if line.cells == 2 and LIST_ITEM.match(line.text) else line.cells


def is_right_to_left(text: str) -> bool:
    return 2 * len(RIGHT_TO_LEFT.findall(text)) > sum(c.isalpha() for c in text) if RIGHT_TO_LEFT.search(text) else False


# Running headers and footers


def running_lines(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> list[set[int]]:
    """For each page the positions of the lines that repeat in its margins over the pages, and of bare page numbers."""
    margins = [margin_lines(lines, height) for lines, height in zip(pages, heights, strict=True)]
    seen: Counter[tuple[str, int]] = Counter()
    for lines, margin in zip(pages, margins, strict=True):
        seen.update({key for position in margin for key in keys_of(lines[position])})
    needed = 2 if len(pages) < 4 else 3
    found = []
    for lines, margin in zip(pages, margins, strict=True):
        found.append(
            {
                position
                for position in margin
                if PAGE_NUMBER.fullmatch(lines[position].text) or any(seen[key] >= needed for key in keys_of(lines[position]))
            }
        )
    return [running - in_paragraphs(lines, running) for lines, running in zip(pages, found, strict=True)]


def in_paragraphs(lines: Sequence[Line], running: Collection[int]) -> set[int]:
    """Those of the running lines that are part of a paragraph of the body, which a page may repeat like its header."""
    kept: set[int] = set()
    pairs = list(pairwise(range(len(lines))))
    for one, other in (*pairs, *reversed(pairs)):
        inside = [at for at in (one, other) if at in running and at not in kept]
        if len(inside) == 1 and runs_on(lines[one], lines[other]):
            kept.update(inside)
    return kept


def runs_on(one: Line, other: Line) -> bool:
    """Whether the second line goes on with the sentence of the first, close under it in the same print and column."""
    sentence = one.text.count(" ") >= 5 and other.text.count(" ") >= 1 and not SENTENCE_END.search(one.text)
    alike = one.block == other.block and one.cells == other.cells == 1 and abs(one.size - other.size) < 0.5
    close = 0 < other.bottom - one.bottom < 1.6 * one.size and abs(one.x0 - other.x0) < one.size
    return sentence and alike and close and one.bold == other.bold and one.x1 - one.x0 > 0.8 * (other.x1 - other.x0)


def margin_lines(lines: Sequence[Line], height: float) -> list[int]:
    """Positions of the outermost lines at the top and at the bottom, and of text running sideways."""
    placed = sorted((position for position, line in enumerate(lines) if line.table is None), key=lambda at: lines[at].top)
    top = [at for at in placed if lines[at].bottom <= MARGIN * height and not lines[at].aside][:MAX_MARGIN_LINES]
    bottom = [at for at in placed if lines[at].top >= (1 - MARGIN) * height and not lines[at].aside][-MAX_MARGIN_LINES:]
    return sorted({*top, *bottom, *(at for at in placed if lines[at].aside)})


def keys_of(line: Line) -> list[tuple[str, int]]:
    """What a running line has in common over the pages: its text with numbers masked, at about one height."""
    masked = re.sub(r"\d+", "#", line.text.lower())
    if not line.aside and sum(c.isalpha() for c in masked) < 3 and not PAGE_NUMBER.fullmatch(line.text):
        return []
    return [(masked, int(line.top / 8 + shift)) for shift in (0, 0.5)] if not line.aside else [(masked, -1)]


def without_running(lines: Sequence[Line], running: Collection[int], height: float) -> tuple[list[Line], str, str]:
    """The body lines, the header's text and the footer's. A page with nothing else keeps its running lines."""
    if all(at in running or line.aside for at, line in enumerate(lines)):
        running = {at for at in running if PAGE_NUMBER.fullmatch(lines[at].text)}
    body = [line for position, line in enumerate(lines) if position not in running]
    header = [lines[at].text for at in sorted(running) if lines[at].top < height / 2]
    footer = [lines[at].text for at in sorted(running) if lines[at].top >= height / 2]
    return body, "\n".join(header), "\n".join(footer)


def printed_number(header: str, footer: str) -> str:
    """The page number that a header or footer prints, "" where there is none or more than one candidate."""
    for text in (*footer.split("\n"), *header.split("\n")):
        found = PAGE_NUMBER.fullmatch(text.strip())
        if found:
            return found.group(1)
    return ""


def body_size(pages: Iterable[Sequence[Line]]) -> float:
    """The font size in which most of the text is set."""
    sizes = [line.size for lines in pages for line in lines if line.table is None for _ in range(1 + len(line.text) // 20)]
    return median(sizes) if sizes else 0.0
