"""A table's caption, header and one of its rows in; the row as a person reads it, every figure with its own unit, out."""

import re
from collections.abc import Collection, Sequence

from rag.amounts import MARK, SCALES
from rag.bands import find_bands
from rag.figures import figures
from rag.tokens import words

NO_VALUE = re.compile(r"[\s–—−‐-]*$")
ROW_NUMBER = re.compile(r"(?:no|nr|rank|row|ref|item|#)\.?$", re.IGNORECASE)
TOTAL = re.compile(r"(?:grand |sub-?)?totals?\b", re.IGNORECASE)
DIGITS_OF_A_NAME = 4  # a column may be named "Above 1,000", hardly by a longer number
NAME_BESIDE_NUMBER = 2  # a row's number and its name take two of its cells; there must be more

SCALE = "|".join([*(name for name in SCALES if len(name) > 1), "thousands", "millions", "billions", "'000", "000s?"])
MONEY = (
    rf"(?:(?:all )?(?:amounts?|figures|values)\s+(?:are\s+)?(?:stated |shown |given )?in\s+)?"
    rf"(?P<unit>(?:{MARK}|us dollars?)(?:,?\s(?:in\s)?(?:{SCALE}))?|(?:{SCALE})(?:s? of)?\s(?:{MARK}|us dollars?))"
    r"(?P<per>\s(?:per|a|an|each)\s\w+)?"
)
UNIT = re.compile(rf"{MONEY}$", re.IGNORECASE)
UNIT_AT_END = re.compile(rf"(?:^|[\s,;:–—-]+|\s*\()(?<!\w){MONEY}\)?$", re.IGNORECASE)
NAMES_A_CURRENCY = re.compile(rf"(?<!\w)(?:{MARK})(?!\w)|[$€£₹]", re.IGNORECASE)
# What is counted or measured otherwise is no money, whatever the unit of the table.
OWN_UNIT = re.compile(
    r"%|#|\b(?:per ?cent\w*|pct|share|ratio|number|count|no\.|nr|qty|quantit\w+|rank|score|points?|"
    r"days|weeks|months|years|hours|date|fte|staff|headcount|persons?|people|population|units?(?! price| cost))(?!\w)",
    re.IGNORECASE,
)
CHANGE = re.compile(r"%|\b(?:per ?cent|variance|change|difference|share|growth|increase)\b", re.IGNORECASE)
NUMBER = re.compile(r"[-+−–]?\s?(?:[A-Z]{0,3}[$€£₹]|[A-Z]{3})?\s?\d[\d,.'’\u00a0\u202f ]*\s?(?:%|[a-z]{1,8})?")
AROUND_A_FIGURE = re.compile(
    r"\b(?:up to|above|over|below|under|from|to|and|or|more|less|than|not|exceeding|plus|between|max(?:imum)?|min(?:imum)?|"
    r"at least|at most|including)\b",
    re.IGNORECASE,
)


def split_unit(caption: str) -> tuple[str, str]:
    """ "Table 5. Chemicals USD thousand" is "Table 5. Chemicals" in "USD thousand"; a caption without a unit stays whole."""
    found = UNIT_AT_END.search(caption)
    if not found:
        return caption, ""
    return caption[: found.start()].rstrip(" ,;:–—-("), (found["unit"] + (found["per"] or "")).strip()


def columns_of(header: Sequence[str], unit: str) -> tuple[list[str], str]:
    """The names of the columns without a unit that stands above them, and the unit of the table: "USD thousand > Paid"."""
    names = []
    for name in header:
        groups = [group.strip() for group in name.split(" > ")]
        for group in groups[:-1]:
            if found := UNIT.fullmatch(group):
                unit = unit or found["unit"] + (found["per"] or "")
        own = [group for group in groups[:-1] if not UNIT.fullmatch(group)]
        names.append((f"{groups[-1]} ({', '.join(own)})" if own else groups[-1]).rstrip(" :"))
    return names, unit


def unit_of_cell(name: str, label: str, cell: str, unit: str) -> str:
    """The table's unit where this cell is measured in it: not a percentage, a count, a date or a figure with its own unit."""
    if not unit or OWN_UNIT.search(name) or OWN_UNIT.search(label) or NAMES_A_CURRENCY.search(name):
        return ""
    found = figures(cell)
    plain = all(figure.kind == "number" or (figure.kind == "amount" and not figure.unit) for figure in found)
    if not found or not plain or re.search(r"[^\W\d_]{2}", AROUND_A_FIGURE.sub("", cell)):
        return ""
    return unit


def row_text(header: Sequence[str], row: Sequence[str], *, unit: str = "", section: str = "") -> str:
    """A table row as "Tax clearance certificate – Validity: 12 months; Who needs it: Everyone", without empty cells.

    `section` is the row above that names this one and others.
    """
    columns, unit = columns_of(header, unit)
    pairs = [(name, value) for name, value in zip([*columns, *[""] * len(row)], row, strict=False) if not NO_VALUE.match(value)]
    about = ""
    if len(pairs) > NAME_BESIDE_NUMBER and ROW_NUMBER.match(pairs[0][0]) and names_something(pairs[1][1]):
        about = f"{pairs[0][1]} {pairs[1][1]}"
        pairs = pairs[2:]
    elif len(pairs) > 1 and names_something(pairs[0][1]):
        about = pairs[0][1]
        pairs = pairs[1:]
    values = "; ".join(cell_text(name, value, unit_of_cell(name, about, value, unit)) for name, value in pairs)
    whole = f"{about} – {values}" if about else values
    return f"{section.rstrip(' :')}: {whole}" if section else whole


def columns_asked(header: Sequence[str], row: Sequence[str], wanted: Collection[str]) -> list[int]:
    """Of a wide row the places worth showing: its label, the columns that a question speaks of, else those of money."""
    names, _ = columns_of(header, "")
    asked = [at for at, name in enumerate(names) if set(words(name)) & set(wanted)]
    money = [at for at, name in enumerate(header) if NAMES_A_CURRENCY.search(name) or TOTAL.match(name)]
    labels = labels_of(row)
    return [at for at, cell in enumerate(row) if cell in labels or at in (asked or money)]


def empty_columns(header: Sequence[str], row: Sequence[str], wanted: Collection[str]) -> list[str]:
    """The columns that a question names and in which a row has nothing."""
    names, _ = columns_of(header, "")
    cells = zip(names, row, strict=False)
    return [name for name, cell in cells if NO_VALUE.match(cell) and (told := set(words(name))) and told <= set(wanted)]


def cell_text(name: str, value: str, unit: str) -> str:
    if not name:
        return f"{value} ({unit})" if unit else value
    return f"{name} ({unit}): {value}" if unit else f"{name}: {value}"


def labels_of(row: Sequence[str]) -> list[str]:
    """The cells that may name a row: its first two that are words, for the first may only number it."""
    return [cell for cell in row[:2] if names_something(cell)]


def holds_data(row: Sequence[str]) -> bool:
    """Whether a row in a header's place is none: it holds amounts or dates. Years name columns."""
    found = [figure for cell in row if not find_bands(cell) for figure in figures(cell)]
    data = [f for f in found if f.kind == "date" or len(re.sub(r"\D", "", f.text)) > DIGITS_OF_A_NAME]
    return len(data) > 1


def is_total(row: Sequence[str]) -> bool:
    """Whether a row sums up the others: "Total" stands in its first or second cell."""
    return any(TOTAL.match(cell) for cell in row[:2])


def value_of(cell: str) -> float | None:
    """The figure that a cell is, with its sign; None where it says more or none."""
    if NO_VALUE.match(cell) or not NUMBER.fullmatch(cell.strip()):
        return None
    found = [figure for figure in figures(cell) if figure.kind not in ("date", "clause")]
    if len(found) != 1:
        return None
    value = max(float(each) for each in found[0].values)
    return -value if re.match(r"\s*[-−–]", cell) else value


def names_something(cell: str) -> bool:
    """Whether a cell says of itself what the row is about: a name, not a code or an amount."""
    return cell[:1].isalpha() and sum(character.isalpha() for character in cell) > 2 and not find_bands(cell)
