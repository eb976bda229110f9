"""The first pages in; what a document says of itself out: its revision, its effective date and what it supersedes.

Documents mention the revisions and dates of others all the time, so these count only in the title block, in a running
header or footer, in a document control table, and in sentences about "this policy".
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from ingestion.document_type import KIND
from rag.domain import MetadataValue, Page

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
# The 1 of "Version 1 December 1998" is no day.
NO_VERSION = r"(?<!version )(?<!revision )(?<!edition )(?<!issue )(?<!rev )(?<!rev\. )(?<!ver )(?<!ver\. )(?<!v\.)"
DATE = (
    rf"(?:\d{{4}}-\d\d-\d\d|(?<!\d){NO_VERSION}\d{{1,2}}(?:st|nd|rd|th)?\.? {MONTH},? \d{{4}}"
    rf"|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
)
# What a document says of itself; what it says of others is told apart by what stands before.
KIND_WORD = (
    r"(?:policy|procedure|guideline|guide|manual|handbook|document|circular|regulation|directive|memorandum|agreement|contract|matrix"
    r"|standard|plan|revision|version|edition|issue)"
)
THIS = rf"\bthis (?:\w+ )?{KIND_WORD}(?: \([^)]*\))?"
ISO = r"\d{4}-\d\d-\d\d"
NUMBER = r"v?(?P<number>\d{1,2}(?:\.\d{1,3}){0,2}|[A-Z])"
REVISION = re.compile(
    rf"(?:(?:document )?|[A-Z][\w./-]*\d[\w./-]* )(?:revision|version|rev|ver|issue|edition|v(?=\.))\.?(?: no\.?| number)?"
    rf"\s*:?\s*{NUMBER}(?: \((?:19|20)\d\d\)|(?: of| dated)? (?:{ISO}|(?:{MONTH} )?(?:19|20)\d\d))?",
    re.IGNORECASE,
)
EFFECTIVE = re.compile(
    rf"(?:effective|in force|in effect|valid)(?: date)?(?: (?:as of|from|on|since))?\s*:?\s*({ISO})", re.IGNORECASE
)
TAKES_EFFECT = re.compile(
    rf"{THIS} (?:shall )?(?:takes? effect|(?:comes?|enters?) into (?:force|effect)|is effective|becomes? effective|applies"
    rf"|is valid)(?: with effect)?(?: (?:as of|from|on|since))? ({ISO})",
    re.IGNORECASE,
)
REPLACED = r"((?:[^.;|\n]|\.(?=\S))+)"
SUPERSEDES = re.compile(rf"(?:^|[.,;|•]\s*)(?:supersedes|replaces)(?: and replaces)?\s*:?\s+{REPLACED}", re.IGNORECASE)
SUPERSEDES_STATED = re.compile(
    rf"{THIS}(?:(?: \w+){{0,2}}|[^.]{{0,250}}\.\s+It)\s(?:supersedes|replaces)(?: and replaces)? {REPLACED}", re.IGNORECASE
)
NAMES_NOTHING = re.compile(r"(?:all|any|the) (?:other |earlier |prior |previous )", re.IGNORECASE)
OF_OTHERS = re.compile(r"(?:supersedes|replaces|amends|cancels|see|refer|based on|in line with|pursuant)\b", re.IGNORECASE)
PARTS = re.compile(r"[,;|•]|(?<!\brev)(?<!\bver)(?<!\bno)\.(?:\s+|$)|\s[–—-]\s|\t", re.IGNORECASE)
TITLE_BLOCK = 12  # lines


def said_of_itself(pages: Sequence[Page], title: str) -> Iterator[tuple[str, MetadataValue]]:
    """Values of "revision", "effective_date" and "supersedes", the surest first; a key may come again."""
    first = next((page for page in pages if page.text.strip()), None)
    for part in parts_of(title, title):
        yield from said_in(part, "title")
    if first is None:
        return
    for page in pages[: first.number + 2]:
        place = f"page {page.number}"
        for label, value in control_table(page):
            yield from said_in(f"{label}: {value}", place)
            if label.casefold().strip(":") in ("supersedes", "replaces"):
                yield from supersedes(value, place)
        lines = [*page.header.split("\n"), *page.footer.split("\n")]
        if page is first:
            lines = [*[line for line in page.text.split("\n") if line.strip()][:TITLE_BLOCK], *lines]
        for line in lines:
            for part in parts_of(line.strip(), title):
                yield from said_in(part, place)
            if superseded := SUPERSEDES.search(line.strip()):
                yield from supersedes(superseded[1], place)
        text = with_iso_dates(page.text)
        for line in re.findall(rf"^effective date[: ]+{ISO}$", text, re.IGNORECASE | re.MULTILINE):
            yield from said_in(line, place)
        if effective := TAKES_EFFECT.search(text):
            yield "effective_date", MetadataValue(effective[1], place)
        if superseded := SUPERSEDES_STATED.search(page.text):
            yield from supersedes(superseded[1], place)


def said_in(part: str, place: str) -> Iterator[tuple[str, MetadataValue]]:
    """What a part of a line that is nothing but a statement says."""
    dated = with_iso_dates(part)
    if effective := EFFECTIVE.fullmatch(dated):
        yield "effective_date", MetadataValue(effective[1], place)
    elif (revision := REVISION.fullmatch(dated)) and not revision["number"].islower():
        yield "revision", MetadataValue(revision["number"], place)


def supersedes(named: str, place: str) -> Iterator[tuple[str, MetadataValue]]:
    """Only what names a document: not "all earlier rules", "it in its entirety"."""
    named = re.sub(r",? in (?:its|their) entirety.*", "", named).strip(" ,")
    if (re.search(r"\d", named) or KIND.search(named)) and not NAMES_NOTHING.match(named) and 4 <= len(named) <= 150:
        yield "supersedes", MetadataValue(named, place)


def parts_of(line: str, title: str) -> Iterator[str]:
    """The statements a line consists of, up to the first part that may speak of another document.

    "LRWA-FIN-007, issue 6, effective 1 February 2025" has three. In "…apply the Procurement Policy, Revision 4" the first
    part is neither a number nor this document's title, so what follows is not this document's.
    """
    for part in PARTS.split(with_iso_dates(line)):
        part = part.strip()
        yield part
        if OF_OTHERS.match(part):
            return
        if not (is_label(part) or is_title(part, title)):
            return


def is_label(part: str) -> bool:
    """A number or a date, or a few words that name no document: "To all departments"."""
    if re.search(r"\d", part):
        return len(part.split()) <= 6 and not re.search(r"\b(?:of|to|by|in|with|under) (?:the|our)\b", part)
    return not part or (len(part.split()) <= 4 and part[0].isupper() and not KIND.search(part))


def is_title(part: str, title: str) -> bool:
    """The title itself, or the organisation and the title as running headers have them."""
    name = re.split(r"[,:(–—]|\s-\s|\b(?:rev(?:ision)?|version)\b", title, flags=re.IGNORECASE)[0].strip().casefold()
    return (
        len(name) > 3
        and part.casefold().endswith(name)
        and all(not word[0].islower() or len(word) <= 3 for word in re.findall(r"[^\W\d_]+", part))
    )


def control_table(page: Page) -> Iterator[tuple[str, str]]:
    """Label and value of a document control table: two columns, or several such pairs beside each other."""
    for table in page.tables:
        for row in (table.header, *table.rows):
            cells = [cell.strip() for cell in row]
            if len(cells) % 2 == 0:
                yield from zip(cells[::2], cells[1::2], strict=True)


def with_iso_dates(text: str) -> str:
    return re.sub(DATE, lambda match: iso_date(match[0]) or match[0], text, flags=re.IGNORECASE)


def iso_date(text: str) -> str:
    """2024-07-01 for "July 1, 2024" or "1 July 2024"; "" for a day that does not exist."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return text
    month = next(number for number, name in enumerate(MONTHS, 1) if name[:3] in text.lower())
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    try:
        return date(max(numbers), month, min(numbers)).isoformat()
    except ValueError:
        return ""
