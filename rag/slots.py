"""A question in; the parts of it that a follow-up may put something else in the place of, each with its kind, out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rag.bands import find_bands
from rag.figures import MONTHS, figures
from rag.filters import CODE, ORDINALS
from rag.rule_question import REVISION

Kind = Literal[
    "code", "revision", "date", "percentage", "period", "clause", "quarter", "month", "year", "amount",
    "document", "role", "category", "abbreviation",
]  # fmt: skip

# Before an amount: on which side of it, or what joins it to the rest of the question. It is replaced with the amount.
SIDE = re.compile(
    r"(?:\b(?:above|over|more than|exceeding|greater than|higher than|larger than|in excess of|beyond|below|under|less than|"
    r"lower than|smaller than|up to|not exceeding|no more than|at most|at least|from|between|of|worth|for|at)\s+)+$",
    re.IGNORECASE,
)
SIDE_AFTER = re.compile(r"\s?(?:\+|(?:and|or) (?:above|below|more|less|over|under)\b)", re.IGNORECASE)
NO_MODIFIER = (
    r"(?!(?:the|an?|of|for|in|on|to|by|is|are|was|were|any|each|this|that|what|which|who|whom|when|where|why|how|and|or|does|do|"
    r"did|can|could|may|must|shall|should|has|have|had|with|about|under|from|as|if|it|its|their|our|my|your|say|says|pay|pays)\b)"
)
MODIFIERS = rf"(?:{NO_MODIFIER}[\w&'’-]+\s+){{0,3}}"
DOCUMENTS = (
    r"policy|policies|guidelines?|guides?|manuals?|handbooks?|circulars?|memos?|memorandum|reports?|plans?|budgets?|matrix|"
    r"regulations?|directives?|agreements?|standard terms|invoices?|booklets?|playbooks?|charters?"
)
ROLES = (
    r"officers?|managers?|directors?|board|committees?|council|secretary|minister|supervisors?|administrators?|buyers?|"
    r"cardholders?|treasurer|controllers?|auditors?|president|chair(?:man|woman|person)?|executives?|requesters?|employees?|"
    r"contractors?|vendors?|suppliers?|bidders?|visitors?|interns?"
)
CATEGORIES = (
    r"goods|services?|works|consult(?:ants?|ing|ancy)(?: services)?|supplies|equipment|vehicles?|software|hardware|"
    r"construction|maintenance|leases?|rentals?|insurance|licen[cs]es|furniture|stationery|fuel|chemicals|catering|medicines?"
)
TIMES: tuple[tuple[Kind, str], ...] = (
    ("quarter", rf"\b(?:Q[1-4]|[1-4]Q)(?=\b|FY|\d{{4}})|\b(?:{'|'.join(ORDINALS)})\s+quarter\b|\bquarter [1-4]\b"),
    ("month", rf"\b(?:{'|'.join(month for month in MONTHS if month != 'may')}|(?<=in )may)\b"),
    ("year", r"(?:\b(?:FY|fiscal year|financial year)[\s'’-]?)?(?<![\w.,-])(?:19|20)\d\d(?:[-–/]\d\d(?:\d\d)?)?(?![\w,]|\.\d)"),
    ("year", r"(?:\b|(?<=Q\d))FY[\s'’-]?(?:20)?\d\d\b"),
)  # fmt: skip
THINGS: tuple[tuple[Kind, str], ...] = (
    ("document", rf"\b{MODIFIERS}(?:{DOCUMENTS})\b"),
    ("role", rf"\b(?:(?:head|director|manager) of (?:the )?\w+|{MODIFIERS}(?:{ROLES}))\b|(?-i:\bC[A-Z]{{1,2}}O\b)"),
    ("category", rf"\b(?:IT |consulting |professional |capital )?(?:{CATEGORIES})\b"),
    ("abbreviation", r"(?-i:(?<!\w)[A-Z][A-Z&/]*[A-Z]s?(?!\w))"),
)
DEFINITE = re.compile(r"\d{4}-\d\d-\d\d|--\d\d-\d\d")  # a date with its day; a month and a year are slots of their own


@dataclass(frozen=True, slots=True)
class Slot:
    """It stands at text[start:end]."""

    kind: Kind
    start: int
    end: int
    text: str


def slots(text: str) -> list[Slot]:
    """In the order of the text; what one kind claims ("the travel policy") is not read as another ("travel")."""
    found = [Slot("code", match.start(), match.end(), match.group()) for match in CODE.finditer(text)]
    found += matches((("revision", REVISION.pattern),), blotted(text, found))
    rest = blotted(text, found)
    found += [
        Slot(figure.kind, figure.start, figure.start + len(figure.text), figure.text)
        for figure in figures(rest)
        if figure.kind in ("percentage", "period", "clause") or (figure.kind == "date" and has_day(figure.values))
    ]
    found += matches(TIMES, blotted(text, found))
    found += amounts(blotted(text, found))
    found += matches(THINGS, blotted(text, found))
    return sorted(found, key=lambda slot: slot.start)


def has_day(values: Iterable[str]) -> bool:
    return any(DEFINITE.fullmatch(value) for value in values)


def matches(patterns: Iterable[tuple[Kind, str]], text: str) -> list[Slot]:
    found: list[Slot] = []
    for kind, pattern in patterns:
        for match in re.finditer(pattern, blotted(text, found), re.IGNORECASE):
            found.append(Slot(kind, match.start(), match.end(), match.group()))
    return found


def amounts(text: str) -> list[Slot]:
    """Each amount or band with the words before it that say on which side of it: "of 75,000", "above 5,000 and up to 9,000"."""
    spans = [(band.start, band.end) for band in find_bands(text)]
    for figure in figures(text):
        start, end = figure.start, figure.start + len(figure.text)
        is_number = figure.kind == "amount" or (figure.kind == "number" and any(map(str.isdigit, figure.text)))
        if is_number and not any(first <= start < last for first, last in spans):
            spans.append((start, end))
    found = []
    for start, end in sorted(spans):
        if side := SIDE.search(text[:start]):
            start = side.start()
        if after := SIDE_AFTER.match(text, end):
            end = after.end()
        found.append(Slot("amount", start, end, text[start:end]))
    return found


def blotted(text: str, found: Iterable[Slot]) -> str:
    """The text with those parts blotted out, and every other character in its place."""
    for slot in found:
        text = text[: slot.start] + "\0" * (slot.end - slot.start) + text[slot.end :]
    return text
