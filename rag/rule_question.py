"""A question in; what it asks approval rules for: who or which method, for what sum, share or time, in which revision, out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from rag.bands import CENT, Band, Measure, find_bands, is_year, measured, value_of
from rag.figures import Figure

Relation = Literal["approves", "method", "requires"]

WHO_APPROVES = re.compile(
    r"\b(?:who|whose|whom|which (?:role|officer|manager|level|authority|committee|person|position)|what (?:level|authority))\b"
    r".*\b(?:approv|sign|authori[sz]|award|release|ratif|sanction)"
    r"|\bcompetent authority|\bapproval (?:authority|level|is needed|is required)|\bneeds? (?:the )?approval|\bapprover\b",
    re.IGNORECASE,
)
CAN_APPROVE = re.compile(
    r"^\W*(?:can|may|could|is|are|does|do|has|have|must|should)\b.*\b(?:approv|sign|authori[sz]|award|releas|ratif|sanction)",
    re.IGNORECASE,
)
WHICH_METHOD = re.compile(
    r"\b(?:which|what)\b.*\b(?:method|procedure|process|route|modality)\b"
    r"|\bhow (?:do|should|must|can|is|are)\b.*\b(?:buy|bought|procur|purchas)"
    r"|\bhow many (?:quotes|quotations|bids)\b",
    re.IGNORECASE,
)
LIST_ALL = re.compile(
    r"\b(?:list|everything|all|what|which)\b.*\b(?:can|may|must|does|has to|have to|could|should|is)\b"
    r".*\b(?:approve|sign|authori[sz]e|award|sanction)",
    re.IGNORECASE,
)
WHO = re.compile(
    r"\b(?:who|whose|whom|(?:which|what) (?:role|officer|manager|level|authority|committee|person|position|body)|approver|"
    r"signatory|decides?)\b",
    re.IGNORECASE,
)
HOW_MUCH = re.compile(
    r"\b(?:how much|(?:what|which) (?:is|are|amounts?|values?|limits?)|up to (?:what|which)|limits?)\b"
    r".*\b(?:approv|sign|authori|award|waive|releas|settl|commit|spend|may|can|limit)",
    re.IGNORECASE,
)
REVISION = re.compile(r"\b(?:rev(?:ision)?|version|edition|v)\b\.?\s*(?:no\.?\s*|number\s*)?(\d+(?:\.\d+)*)", re.IGNORECASE)
MARKUP = re.compile(r"</?[a-z][^<>]*>|<!--.*?-->|[*`~]+|(?<!\w)_+|_+(?!\w)|^\s*#+\s|^\s*>\s*(?=[a-z])", re.IGNORECASE)
JOINT = re.compile(r"\b(?:and|or)\b|;", re.IGNORECASE)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
NEGATIVE = re.compile(
    r"(?:\b(?:minus|negative)\s|(?<![\w)])(?<!\d\s)[-−–])\s?(?:[A-Z]{3}\s?|[$€£₹¥]\s?)?\d[\d.,]*(?:\s?[a-z]+illion|k\b)?",
    re.IGNORECASE,
)
# "500 laptops" and "12 new chairs" are counted; "30,000 works" and "75,000 contracts" are worth that.
COUNTED = re.compile(
    r"\s(?:new |more |additional |used )?(?!goods|services|works|supplies|purchases|contracts|orders|commitments|expenses)"
    r"[a-z]{2,}(?<!s)s\b"
)
SMALLEST_AMOUNT = 100  # a smaller number without a currency is a count, not money


@dataclass(frozen=True, slots=True)
class RuleQuestion:
    """`bands` holds what a rule's own band of that measure must meet; `said` how the question puts it."""

    bands: Mapping[Measure, Band]
    said: Mapping[Measure, str]
    currency: str = ""  # ISO 4217, "" where the question names none
    negative: str = ""  # a sum below nothing, which is no amount that anyone approves

    @property
    def amount(self) -> Band | None:
        return self.bands.get("amount")


def relation_asked(question: str) -> Relation | None:
    if WHICH_METHOD.search(question):
        return "method"
    return "approves" if WHO_APPROVES.search(question) else None


def without_markup(question: str) -> str:
    """ "Who **approves** <b>30,000</b>?" as it reads; what is nothing but markup as it is."""
    plain = " ".join(MARKUP.sub("", LINK.sub(r"\1", question)).split())
    return plain if re.search(r"\w", plain) else question


def revision_asked(question: str) -> str:
    found = REVISION.search(question)
    return found[1] if found else ""


def measures_asked(question: str) -> RuleQuestion:
    """The first sum, percentage and period of a question: "above 75,000" is all that lies above."""
    bands: dict[Measure, Band] = {}
    said: dict[Measure, str] = {}
    negative = NEGATIVE.search(question)
    plain = f"{question[: negative.start()]} {question[negative.end() :]}" if negative else question
    plain = REVISION.sub(" ", plain)
    for measure in get_args(Measure):
        found = [figure for figure in measured(plain, measure) if measure != "amount" or is_sum(figure, plain)]
        if not found:
            continue
        first = found[0]
        ranges = [band for band in find_bands(plain, measure) if measure != "amount" or band.start == first.start]
        value = value_of(first)
        bands[measure] = ranges[0] if ranges else Band(value - CENT / 2, value, first.unit if measure == "amount" else "")
        said[measure] = in_words(bands[measure], measure) if ranges else first.text
    currency = bands["amount"].currency if "amount" in bands else ""
    return RuleQuestion(bands, said, currency, " ".join(negative.group().split()) if negative else "")


def parts_with_sums(question: str) -> list[str]:
    """The question in parts where each asks for a sum of its own: "Who approves a purchase of 500 and a loan of 900?"."""
    relation = relation_asked(question)
    bands = find_bands(question)
    joints = [match for match in JOINT.finditer(question) if not any(b.start <= match.start() < b.end for b in bands)]
    edges = [0, *(place for match in joints for place in match.span()), len(question)]
    parts = [question[start:end].strip(" ,") for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if relation is None or len(parts) < 2 or not all(measures_asked(part).amount for part in parts):
        return [question]
    lead = "Which method applies to" if relation == "method" else "Who approves"
    return [part if relation_asked(part) else f"{lead} {part}" for part in parts]


def is_sum(figure: Figure, question: str) -> bool:
    """Whether a number of a question is money: it names its currency or scale, or is large and counts nothing."""
    if figure.kind == "amount":
        return True
    after = question[figure.start + len(figure.text) :]
    return value_of(figure) >= SMALLEST_AMOUNT and not is_year(figure) and not COUNTED.match(after)


def in_words(band: Band, measure: Measure = "amount") -> str:
    """ "above USD 5,000 up to USD 25,000", "up to 15 percent"; periods as their days."""
    before = f"{band.currency} " if band.currency else ""
    after = {"amount": "", "percentage": " percent", "period": " days"}[measure]
    low = f"above {before}{money(band.low)}{after}" if band.low is not None else ""
    high = f"up to {before}{money(band.high)}{after}" if band.high is not None else ""
    return " ".join(part for part in (low, high) if part)


def money(value: float) -> str:
    rounded = round(value) if abs(value - round(value)) <= 0.011 else value
    return f"{rounded:,.0f}" if float(rounded).is_integer() else f"{rounded:,.2f}"
