"""Words like "above 5,000 and up to 25,000" in, a band of amounts out; of percentages or periods where these are asked for."""

import re
from dataclasses import dataclass
from typing import Literal

from rag.amounts import MARK
from rag.figures import Figure, figures

Measure = Literal["amount", "percentage", "period"]

SMALLEST_BEFORE_A_YEAR = 1000  # less than this, joined to a year, numbers a document
CENT = 0.01
UNBOUNDED = re.compile(
    r"\b(?:all|any(?: amount| value)?|unlimited|no limit|without limit|full (?:authority|powers?))\b", re.IGNORECASE
)
UPPER = re.compile(
    r"(?:up ?to|not (?:exceeding|more than|over|above)|no more than|at most|maximum(?: of)?|max\.?|≤|<=|<|below|under|less than"
    r"|within|until)"
    r"(?: and including| an amount of| a value of)?\s*$",
    re.IGNORECASE,
)
EXCLUSIVE_UPPER = re.compile(r"(?:below|under|less than|(?<!≤)<)\s*$", re.IGNORECASE)
LOWER = re.compile(
    r"(?<!not )(?:above|over|more than|exceeding|exceeds?|greater than|in excess of|>|≥|>=|from|at least|starting at|beyond)"
    r"\s*$",
    re.IGNORECASE,
)
INCLUSIVE_LOWER = re.compile(r"(?:≥|>=|from|at least|starting at)\s*$", re.IGNORECASE)
UPPER_AFTER = re.compile(r"^\s*(?:\w{3}\s)?(?:and|or) (?:below|less|under)\b", re.IGNORECASE)
LOWER_AFTER = re.compile(r"^\s*(?:\w{3}\s)?(?:\+|(?:and|or) (?:above|more|over|greater|higher)\b)", re.IGNORECASE)
CURRENCY_ALONE = re.compile(rf"(?:{MARK})", re.IGNORECASE)
JOINT = re.compile(
    r"^,?\s*(?:[-–—]|to|and|through|(?:and |but )?(?:up ?to|not (?:exceeding|more than|over)|below|under|less than))"
    r"\s*(?:and including\s*)?$",
    re.IGNORECASE,
)
# "10 to 15 percent", "1 to 5 years": the unit of the second is that of the first, too.
UNIT_ONCE = re.compile(
    r"(?<![\w.,])(\d[\d.,]*)(\s*(?:[-–—]|to|and|or)\s*\d[\d.,]*[\s-]?(%|per ?cent\b|(?:day|week|month|year)s?\b))",
    re.IGNORECASE,
)
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365, "hour": 1 / 24, "minute": 1 / 1440}


@dataclass(frozen=True, slots=True)
class Band:
    """Amounts above `low` up to and including `high`; None leaves a side open. It stands at text[start:end]."""

    low: float | None
    high: float | None
    currency: str = ""
    start: int = 0
    end: int = 0

    def holds(self, amount: float) -> bool:
        return (self.low is None or amount > self.low) and (self.high is None or amount <= self.high)

    def meets(self, other: "Band") -> bool:
        """Whether there is an amount in both."""
        lows = [band.low for band in (self, other) if band.low is not None]
        highs = [band.high for band in (self, other) if band.high is not None]
        return not lows or not highs or max(lows) < min(highs)


def find_bands(text: str, measure: Measure = "amount") -> list[Band]:
    """Every band of a text, in its order, of periods in days; a bare figure with no word beside it is none."""
    found: list[Band] = []
    text = text if measure == "amount" else UNIT_ONCE.sub(r"\1 \3\2", text)
    amounts = measured(text, measure)
    at = 0
    while at < len(amounts):
        first = amounts[at]
        value, unit = value_of(first), first.unit if measure == "amount" else ""
        before, after = text[: first.start], text[first.start + len(first.text) :]
        second = amounts[at + 1] if at + 1 < len(amounts) else None
        between = text[first.start + len(first.text) : second.start] if second else ""
        end = first.start + len(first.text)
        rising = second is not None and value < value_of(second) and not is_dated(first, second)
        if second and rising and JOINT.match(between) and not UPPER.search(before):
            low = value if LOWER.search(before) and not INCLUSIVE_LOWER.search(before) else value - CENT
            end = second.start + len(second.text)
            unit = unit or (second.unit if measure == "amount" else "")
            found.append(Band(low, value_of(second), unit, first.start, end))
            at += 2
            continue
        if LOWER.search(before) or LOWER_AFTER.match(after):
            inclusive = INCLUSIVE_LOWER.search(before) or LOWER_AFTER.match(after)
            found.append(Band(value - CENT if inclusive else value, None, unit, first.start, end))
        elif UPPER.search(before) or UPPER_AFTER.match(after):
            found.append(Band(None, value - CENT if EXCLUSIVE_UPPER.search(before) else value, unit, first.start, end))
        at += 1
    return found


def cell_band(text: str) -> Band | None:
    """The band that a table's cell states; "All" and "Unlimited" are the open one. None where it states none."""
    bands = find_bands(text)
    if len(bands) == 1:
        return bands[0]
    return Band(None, None) if not bands and UNBOUNDED.match(text.strip()) and not figures(text) else None


def beside_band(text: str) -> str:
    """What a cell with one band says beside it: "if urgent" of "Above 75,000, if urgent"."""
    band = next(iter(find_bands(text)), None)
    if band is None:
        rest = UNBOUNDED.sub("", text, count=1)
    else:
        before = text[: band.start]
        before = LOWER.sub("", UPPER.sub("", before))
        after = text[band.end :]
        rest = f"{before} {LOWER_AFTER.sub('', UPPER_AFTER.sub('', after))}"
    rest = " ".join(rest.split()).strip(" ,;:()–—-")
    return rest if re.search(r"[^\W\d_]{3}", rest) and not CURRENCY_ALONE.fullmatch(rest) else ""


def is_dated(first: Figure, second: Figure) -> bool:
    """Whether two numbers are years, or a number and a year: "Resolution No. 06-2022"."""
    return is_year(second) and not first.unit and (is_year(first) or value_of(first) < SMALLEST_BEFORE_A_YEAR)


def is_year(figure: Figure) -> bool:
    return not figure.unit and re.fullmatch(r"(?:19|20)\d\d", figure.text) is not None


def is_money(figure: Figure) -> bool:
    return figure.kind == "amount" or (figure.kind == "number" and figure.text[:1].isdigit())


def measured(text: str, measure: Measure) -> list[Figure]:
    """The figures of a text that bands of such a measure are made of."""
    return [figure for figure in figures(text) if (is_money(figure) if measure == "amount" else figure.kind == measure)]


def value_of(figure: Figure) -> float:
    """The larger reading where a number can be read in two ways: money in bands is rarely a fraction. Of a period its days."""
    return max(float(value) for value in figure.values) * (DAYS[figure.unit] if figure.kind == "period" else 1)
