"""Text in, the amounts of money (and other plain numbers) it names out: value, currency and place.

50,000 = 50000 = 50k = 50 thousand; 1.5m = 1.5 million; European 50.000,00 is read where both separators or a
two-digit decimal part make it certain. Currencies become ISO 4217 codes.
"""

import re
from dataclasses import dataclass

CURRENCIES = {
    "$": "USD",
    "us$": "USD",
    "usd": "USD",
    "dollar": "USD",
    "dollars": "USD",
    "€": "EUR",
    "eur": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "£": "GBP",
    "gbp": "GBP",
    "₹": "INR",
    "rs": "INR",
    "rs.": "INR",
    "inr": "INR",
    "php": "PHP",
    "₱": "PHP",
    "chf": "CHF",
    "¥": "JPY",
    "jpy": "JPY",
    "aud": "AUD",
    "cad": "CAD",
    "kes": "KES",
    "zar": "ZAR",
}
SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "billion": 1e9,
    "lakh": 1e5,
    "lakhs": 1e5,
    "crore": 1e7,
    "crores": 1e7,
}
MARK = "|".join(sorted((re.escape(mark) for mark in CURRENCIES), key=len, reverse=True))
AMOUNT = re.compile(
    rf"(?P<before>(?<![A-Za-z])(?:{MARK})\s?)?"
    r"(?<![\w.,/])(?P<number>\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:[ \u00a0,.']\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?)(?![\d/])"
    rf"(?:\s?(?P<scale>{'|'.join(sorted(SCALES, key=len, reverse=True))})(?![A-Za-z]))?"
    rf"(?P<after>\s?(?:{MARK})(?![A-Za-z]))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as written at text[start:end]; `currency` is "" where none is named."""

    value: float
    currency: str
    start: int
    end: int
    text: str
    grouped: bool  # written as money is: with a currency, a scale word or thousands separators


def find_amounts(text: str) -> list[Amount]:
    found = []
    for match in AMOUNT.finditer(text):
        number, scale = match["number"], (match["scale"] or "").lower()
        mark = (match["before"] or match["after"] or "").strip().lower()
        value = parse_number(number)
        if value is None:
            continue
        found.append(
            Amount(
                value=value * SCALES.get(scale, 1),
                currency=CURRENCIES.get(mark, ""),
                start=match.start(),
                end=match.end(),
                text=match.group().strip(),
                grouped=bool(mark or scale or re.search(r"\d[ \u00a0,']\d{3}(?!\d)|\.\d{3}[.,]", number)),
            )
        )
    return found


def parse_number(text: str) -> float | None:
    """The value of a number with either convention of separators; None where it can't be told."""
    compact = re.sub(r"[ \u00a0']", "", text)
    if "," in compact and "." in compact:
        decimal = max(compact.rfind(","), compact.rfind("."))
        whole, part = re.sub(r"[.,]", "", compact[:decimal]), compact[decimal + 1 :]
        return float(f"{whole}.{part}")
    separators = re.findall(r"[.,]", compact)
    if not separators:
        return float(compact)
    groups = re.split(r"[.,]", compact)
    if re.fullmatch(r"\d{1,2}(,\d{2})+,\d{3}", compact):  # 1,50,000: lakhs
        return float("".join(groups))
    if len(groups[-1]) == 3 and all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3:
        return float("".join(groups))
    return float(".".join(groups)) if len(groups) == 2 else None
