"""A text in; its dates, clause numbers, percentages, amounts, periods and other numbers out, in forms that compare."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from rag.amounts import CURRENCIES, FRACTIONS, MARK, SCALES

Kind = Literal["date", "clause", "percentage", "amount", "period", "number"]


@dataclass(frozen=True, slots=True)
class Figure:
    """`values` are the readings of what was written ("03/04/2025" has two); `unit` is a currency code, "day" … or ""."""

    text: str
    kind: Kind
    start: int
    values: frozenset[str]
    unit: str = ""

    def stated_by(self, other: "Figure") -> bool:
        """Whether `other` says the same: 50k is 50,000; EUR 5 is not USD 5; 3 May 2025 states May 2025 too."""
        if self.kind == "date" or other.kind == "date":
            return self.kind == other.kind and any(covers(mine, theirs) for mine in self.values for theirs in other.values)
        if (self.kind == "clause") != (other.kind == "clause") or (self.kind == "percentage") != (other.kind == "percentage"):
            return False
        return bool(self.values & other.values) and (self.unit == other.unit or not self.unit or not other.unit)


def covers(asked: str, found: str) -> bool:
    """Dates as "2025-05-03", "2025-05" or "--05-03" (no year)."""
    return found == asked or found.startswith(f"{asked}-") or (asked.startswith("--") and found.endswith(asked[1:]))


MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH = rf"(?P<month>{'|'.join(rf'{name[:3]}(?:{name[3:]})?' if len(name) > 3 else name for name in MONTHS)}|sept)\.?"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
YEAR = r"(?P<year>(?:19|20)\d\d)"
DATES = (
    rf"\b{YEAR}-(?P<monthnumber>\d\d)-(?P<day>\d\d)\b",
    rf"\b{DAY}\s+(?:of\s+)?{MONTH},?\s+{YEAR}\b",
    rf"\b{MONTH}\s+{DAY},?\s+{YEAR}\b",
    rf"\b(?P<first>\d{{1,2}})[./-](?P<second>\d{{1,2}})[./-]{YEAR}\b",
    rf"\b{MONTH},?\s+{YEAR}\b",
    rf"\b{DAY}\s+(?:of\s+)?(?!(?-i:may)\b){MONTH}(?!\w)",  # "$25 may be accepted" names no day
    rf"\b{MONTH}\s+{DAY}\b(?![.,]\d)",
)
SECTION_WORD = (
    r"(?:clauses?|sections?|articles?|arts?\.|sub-?clauses?|paragraphs?|paras?\.?|annex|appendix|schedule|rules?|chapters?|§+)"
)
LEVELS = r"\d{1,3}(?:\.\d{1,3}){0,5}(?:\s?\((?:[a-z]{1,4}|\d{1,2})\))*"
CLAUSES = (
    rf"(?<!\w){SECTION_WORD}\s*(?P<clause>{LEVELS})(?![\d,]*\d)",
    r"(?<![\d.,$€£])(?P<clause>\d{1,3}(?:\.\d{1,3}){2,5}(?:\s?\((?:[a-z]{1,4}|\d{1,2})\))*)(?![\d,]*\d)",
    r"(?<![\d.,$€£])(?P<clause>\d{1,3}(?:\.\d{1,3}){1,5}(?:\s?\((?:[a-z]{1,4}|\d{1,2})\))+)",
)
NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100,
}  # fmt: skip
SPELLED = rf"(?P<spelled>\b(?:{'|'.join(NUMBER_WORDS)})(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?\b)"
DIGITS = r"(?P<digits>\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?)"
SCALE_WORD = "|".join(sorted(SCALES, key=len, reverse=True))
SCALE = rf"(?:\s?(?P<scale>{SCALE_WORD})(?![a-zA-Z]))?"
COUNT = "|".join(NUMBER_WORDS)
FRACTION = "|".join(sorted(FRACTIONS, key=len, reverse=True))
# "half a million", "ten thousand dollars", "two hundred and fifty thousand", "one and a half lakh"
WORDED = (
    rf"\b(?:(?:(?:an?|one|eine|une?)\s)?(?P<fraction>{FRACTION})(?:\sof)?(?:\sa|\sone)?"
    rf"|(?P<counted>(?:an?|{COUNT})(?:(?:[-\s]|\sand\s)(?:{COUNT}))*)(?P<and_half>\sand\sa\shalf)?)"
    rf"[-\s](?P<scale>{'|'.join(word for word in SCALE_WORD.split('|') if len(word) > 2)})(?!\w)"
    rf"(?:\s(?P<currency>{MARK})(?!\w))?"
)
AMOUNTS = (
    rf"(?<!\w)(?P<currency>{MARK})\s?{DIGITS}{SCALE}",
    rf"(?<![\w.]){DIGITS}{SCALE}\s?(?P<currency>{MARK})(?!\w)",
    rf"(?<![\w.]){DIGITS}\s?(?P<scale>{SCALE_WORD})(?![a-zA-Z])",
    WORDED,
)
PERCENTAGES = (rf"(?<![\w.])(?:{DIGITS}|{SPELLED})(?:\s?\(\d+\))?\s?(?:%|per\s?cent\b|percent\b|pct\b)",)
PERIODS = (
    rf"(?<![\w.])(?:{DIGITS}|{SPELLED})(?:\s?\(\d+\))?[-\s](?:(?:calendar|business|working|consecutive|full)\s)?"
    r"(?P<period>day|week|month|year|hour|minute)s?\b",
)
NUMBERS = (rf"(?<![\w.\[])(?<![a-zA-Z]-){DIGITS}(?![\w\]]|\.\d)", SPELLED)

PATTERNS_OF_KIND: dict[Kind, tuple[str, ...]] = {
    "date": DATES, "percentage": PERCENTAGES, "amount": AMOUNTS, "clause": CLAUSES, "period": PERIODS, "number": NUMBERS,
}  # fmt: skip
PATTERNS = [(kind, re.compile(p, re.IGNORECASE)) for kind, patterns in PATTERNS_OF_KIND.items() for p in patterns]


def figures(text: str) -> list[Figure]:
    """In the order of the text; what one kind claims ("3 May 2025") is not read again as another (3, 2025)."""
    found: list[Figure] = []
    rest = text
    for kind, pattern in PATTERNS:
        for match in pattern.finditer(rest):
            values = frozenset(readings(kind, match.groupdict()))
            if values:
                unit = unit_of(match.groupdict())
                found.append(Figure(match.group().strip(), kind, match.start(), values, unit))
        rest = pattern.sub(lambda match: "\x00" * len(match.group()), rest)
    return sorted(found, key=lambda figure: figure.start)


def readings(kind: Kind, parts: dict[str, str | None]) -> Iterator[str]:
    if kind == "date":
        yield from dates(parts)
    elif kind == "clause":
        yield re.sub(r"\s", "", parts["clause"] or "").lower()
    elif spelled := parts.get("spelled"):
        yield str(counted(spelled))
    elif parts.get("fraction") or parts.get("counted"):
        fraction = parts.get("fraction")
        number = FRACTIONS[fraction.lower()] if fraction else counted(parts["counted"] or "") + 0.5 * bool(parts["and_half"])
        yield plain(Decimal(number) * Decimal(SCALES[(parts["scale"] or "").lower()]))
    else:
        scale = SCALES[scale.lower()] if (scale := parts.get("scale")) else 1
        yield from (plain(number * Decimal(scale)) for number in numbers(parts["digits"] or ""))


def counted(words: str) -> int:
    """ "Two hundred and fifty" as 250, "a" as 1."""
    total = 0
    for word in re.split(r"[-\s]+", words.lower()):
        number = NUMBER_WORDS.get(word, int(word in ("a", "an")))
        total = max(total, 1) * number if word == "hundred" else total + number
    return total


def dates(parts: dict[str, str | None]) -> Iterator[str]:
    year = parts.get("year")
    if parts.get("first"):
        first, second = int(parts["first"] or 0), int(parts["second"] or 0)
        for day, month in {(first, second), (second, first)}:
            if 1 <= month <= 12 and 1 <= day <= 31:
                yield f"{year}-{month:02d}-{day:02d}"
        return
    name = parts.get("month")
    month = number_of_month(name) if name else int(parts["monthnumber"] or 0)
    day = int(parts.get("day") or 0)
    if not 1 <= month <= 12 or day > 31:
        return
    yield f"{year or '-'}-{month:02d}" + (f"-{day:02d}" if day else "")


def number_of_month(name: str) -> int:
    return next(number for number, full in enumerate(MONTHS, 1) if full[:3] == name[:3].lower())


def numbers(digits: str) -> set[Decimal]:
    """What a written number can mean: "50.000" is fifty thousand in one country and fifty in another; "50,000" is one thing."""
    if re.fullmatch(r"\d{1,2}(?:,\d{2})+,\d{3}", digits):  # 1,50,000: lakhs
        return {Decimal(digits.replace(",", ""))}
    plain_digits = re.sub(r"['’\u00a0\u202f ]", "", digits)
    ways = {(",", "."), (".", ",")} if re.search(r"[.,]", plain_digits) else {(",", ".")}
    values = set()
    for group, point in ways:
        decimals = r"\d{1,2}" if point == "," else r"\d+"
        grouped = (
            rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(point)}{decimals})?|\d+(?:{re.escape(point)}{decimals})?"
        )
        if re.fullmatch(grouped, plain_digits):
            values.add(Decimal(plain_digits.replace(group, "").replace(point, ".")))
    return values


def plain(number: Decimal) -> str:
    """50000.00 as "50000", 7.50 as "7.5"."""
    return format(number.normalize(), "f")


def unit_of(parts: dict[str, str | None]) -> str:
    if currency := parts.get("currency"):
        return CURRENCIES[currency.lower()]
    return (parts.get("period") or "").lower()
