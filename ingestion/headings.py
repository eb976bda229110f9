"""The lines of all pages in, the headings and numbered clauses among them out, with levels that hold over the pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.layout import Line

LONGEST_HEADING = 120  # characters
LARGER = 1.08  # times the body's font size
NUMBER = re.compile(
    r"(?P<number>(?:section|article|annex|appendix|schedule|part|chapter|clause|attachment|exhibit)\s+[A-Z0-9][\w.-]{0,10}"
    r"|[A-Z]?\d{1,2}(?:\.\d{1,3}){1,4}\.?|[A-Z]\.\d{1,3}(?:\.\d{1,3}){0,4}\.?|\d{1,2}\.?|[A-Z]\.|[IVX]{1,5}\.)"
    r"(?=[\s:.–—-]|$)[\s:.–—-]*(?P<title>.*)",
    re.IGNORECASE | re.DOTALL,
)
WORDY = re.compile(r"(?:section|article|annex|appendix|schedule|part|chapter|clause|attachment|exhibit)\b", re.IGNORECASE)
CONTENTS_ENTRY = re.compile(r"(?:…|\.{3,}|\s\d{1,4}$|\s[ivxlc]{1,6}$)")
SENTENCE = re.compile(r"[.;:,]$|[.!?]\s+\S")
SMALL_WORDS = frozenset(
    ("a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "per", "the", "to", "with")
)


@dataclass(frozen=True, slots=True)
class FoundHeading:
    """`first` and `last` are the positions of its lines on the page."""

    first: int
    last: int
    level: int
    text: str
    clause: bool = False  # a numbered paragraph, whose first line goes on in the next


@dataclass(frozen=True, slots=True)
class Candidate:
    page: int
    first: int
    last: int
    text: str
    number: str
    size: float
    bold: bool
    clause: bool = False  # a numbered paragraph: its number alone names the section


def find_headings(pages: Sequence[Sequence[Line]], body_size: float) -> list[list[FoundHeading]]:
    """The headings of each page, top to bottom."""
    candidates = [found for page, lines in enumerate(pages) for found in candidates_on(page, lines, body_size)]
    sizes = sorted({round(c.size) for c in candidates if not c.number and c.size > LARGER * body_size}, reverse=True)
    top_number = min((depth_of(c.number) for c in candidates if c.number), default=1)
    base = len([size for size in sizes if size > max(numbered_sizes(candidates), default=0)])
    headings: list[list[FoundHeading]] = [[] for _ in pages]
    for c in candidates:
        if c.number:
            level = base + depth_of(c.number) - top_number + 1
        elif c.size > LARGER * body_size:
            level = 1 + sum(size > round(c.size) for size in sizes)
        else:
            level = len(sizes) + 1
        headings[c.page].append(FoundHeading(c.first, c.last, level, c.number if c.clause else c.text, c.clause))
    return headings


def numbered_sizes(candidates: Sequence[Candidate]) -> list[int]:
    return [round(c.size) for c in candidates if c.number]


def depth_of(number: str) -> int:
    """4 → 1, 4.2 → 2, C.7.2.4 → 4, "Section 5" → 1."""
    if WORDY.match(number):
        number = number.split()[-1]
    return len([part for part in number.strip(".").split(".") if part])


def candidates_on(page: int, lines: Sequence[Line], body_size: float) -> list[Candidate]:
    found = []
    position = 0
    while position < len(lines):
        candidate = candidate_at(page, lines, position, body_size)
        if candidate:
            found.append(candidate)
        position = candidate.last + 1 if candidate else position + 1
    return found


def candidate_at(page: int, lines: Sequence[Line], position: int, body_size: float) -> Candidate | None:
    line = lines[position]
    if (
        line.table is not None
        or line.aside
        or line.pictured
        or line.cells > 2
        or CONTENTS_ENTRY.search(line.text)
        or not line.size
    ):
        return None
    stands_out = line.bold or line.size > LARGER * body_size
    numbered = NUMBER.match(line.text)
    number = numbered.group("number") if numbered else ""
    title = numbered.group("title").strip() if numbered else line.text
    if numbered and not plausible(number, title):
        numbered, number, title = None, "", line.text
    if numbered and depth_of(number) > 1 and not WORDY.match(number) and is_sentence(lines, position, title):
        return Candidate(page, position, position, line.text, number.rstrip("."), line.size, line.bold, clause=True)
    if line.cells > 1 and not numbered:
        return None
    last = last_line(lines, position) if stands_out else position
    text = " ".join(lines[at].text for at in range(position, last + 1))
    if len(text) > LONGEST_HEADING or sum(c.isalpha() for c in text) < 3:
        return None
    words = title.split()
    capitals = title.isupper() and len(title) > 3 and stands_alone(lines, position)
    if number:
        strong = stands_out or capitals or depth_of(number) > 1 or WORDY.match(number)
        if strong and (not title or title[:1].isupper()) and not is_sentence(lines, position, title):
            return Candidate(page, position, last, text, number.rstrip("."), line.size, line.bold)
        return None
    if not stands_out and not (capitals and len(words) <= 12):
        return None
    if SENTENCE.search(text.rstrip(":")) or not (text[:1].isupper() or text[:1].isdigit() or not text[:1].isascii()):
        return None
    if line.size <= LARGER * body_size and not capitals and not in_title_case(words):
        return None
    return Candidate(page, position, last, text.rstrip(": "), "", line.size, line.bold)


def plausible(number: str, title: str) -> bool:
    """Not a date, an amount or a year: every part is small, and words follow."""
    if WORDY.match(number):
        return number[-1].isalnum() and (number.split()[-1][0].isdigit() or number.split()[-1].isupper())
    parts = number.strip(".").split(".")
    if any(part.isdigit() and (int(part) > 199 or part.startswith("00")) for part in parts):
        return False
    return number[0].isupper() or (number[0].isdigit() and sum(c.isalpha() for c in title) >= 3 and title[:1].isupper())


def is_sentence(lines: Sequence[Line], position: int, title: str) -> bool:
    """Whether the numbered line begins a paragraph rather than being a title."""
    if SENTENCE.search(title) and not title.endswith(":"):
        return True
    if lines[position].bold or title.isupper():
        return False
    following = lines[position + 1] if position + 1 < len(lines) else None
    goes_on = following is not None and following.block == lines[position].block and following.text[:1].islower()
    return len(title) > 60 or goes_on or (len(title.split()) > 4 and not in_title_case(title.split()))


def in_title_case(words: Sequence[str]) -> bool:
    """Most words that are not small begin with a capital; up to three words need only the first."""
    telling = [word for word in words if word.lower() not in SMALL_WORDS and word[:1].isalpha()]
    if not telling:
        return False
    return len(words) <= 3 or sum(word[0].isupper() for word in telling) >= 0.7 * len(telling)


def stands_alone(lines: Sequence[Line], position: int) -> bool:
    """Whether no line of capitals stands before or after it; a letterhead or a form in capitals has no headings."""
    neighbours = [lines[at].text for at in (position - 1, position + 1) if 0 <= at < len(lines)]
    return not any(text.isupper() for text in neighbours)


def last_line(lines: Sequence[Line], position: int) -> int:
    """A long heading goes on over lines of the same kind."""
    last = position
    while last + 1 < len(lines) and last - position < 2:
        one, other = lines[last], lines[last + 1]
        same = other.block == one.block and other.bold == one.bold and abs(other.size - one.size) < 0.5 and other.cells == 1
        close = other.table is None and other.bottom - one.bottom < 1.6 * max(one.size, 1)
        if not (same and close) or NUMBER.match(other.text) or SENTENCE.search(one.text):
            break
        last += 1
    return last
