"""Words like "above 5,000 and up to 25,000" in, an amount band out."""

import re
from dataclasses import dataclass

from rag.amounts import MARK
from rag.figures import Figure, figures

SMALLEST_BEFORE_A_YEAR = 1000  # less than this, joined to a year, numbers a document
CENT = 0.01
UNBOUNDED = re.compile(r"\b(?:all|any(?: amount| value)?|unlimited|no limit|without limit|full authority)\b", re.IGNORECASE)
UPPER = re.compile(
    r"(?:up to|not (?:exceeding|more than|over|above)|no more than|at most|maximum(?: of)?|max\.?|≤|<=|<|below|under|less than"
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
    r"^,?\s*(?:[-–—]|to|and|through|(?:and |but )?(?:up to|not (?:exceeding|more than|over)|below|under|less than))"
    r"\s*(?:and including\s*)?$",
    re.IGNORECASE,
)


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


def find_bands(text: str) -> list[Band]:
    """Every amount band of a text, in its order; a bare amount with no word beside it is none."""
    found: list[Band] = []
    amounts = [figure for figure in figures(text) if is_money(figure)]
    at = 0
    while at < len(amounts):
        first = amounts[at]
        value, unit = value_of(first), first.unit
        before, after = text[: first.start], text[first.start + len(first.text) :]
        second = amounts[at + 1] if at + 1 < len(amounts) else None
        between = text[first.start + len(first.text) : second.start] if second else ""
        end = first.start + len(first.text)
        rising = second is not None and value < value_of(second) and not is_dated(first, second)
        if second and rising and JOINT.match(between) and not UPPER.search(before):
            low = value if LOWER.search(before) and not INCLUSIVE_LOWER.search(before) else value - CENT
            end = second.start + len(second.text)
            found.append(Band(low, value_of(second), unit or second.unit, first.start, end))
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


def value_of(figure: Figure) -> float:
    """The larger reading where a number can be read in two ways: money in bands is rarely a fraction."""
    return max(float(value) for value in figure.values)
