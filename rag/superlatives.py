"""A question for the most or the least of something and the table rows found; the rows that have it, out."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rag.figures import figures
from rag.listed import DOWN, NUMBER, UP, number_asked
from rag.quotable import Quote
from rag.rows import CHANGE, OWN_UNIT, ROW_NUMBER, columns_of, is_total, value_of
from rag.tokens import words

MOST = r"most|largest|biggest|highest|greatest|maximum|top|longest|slowest|priciest|costliest|dearest"
LEAST = r"least|smallest|lowest|fewest|minimum|shortest|cheapest|fastest|quickest"
# "At least", "lowest price alone" and "most recent" ask for no comparison of rows.
SUPERLATIVE = re.compile(
    rf"\b(?<!at )(?:(?P<most>{MOST})|(?P<least>{LEAST}))\b(?!\s+(?:of all|likely|recent\w*|important\w*|often|frequent\w*))",
    re.IGNORECASE,
)
# "First quarter" and "last day" compare nothing; what ends first does.
HAPPENS = r"\b(?:ends?|expires?|starts?|begins?|is due|due|closes?|opens?|lapses?|runs? out)\s+"
EXTREME_DATE = re.compile(
    rf"(?:{HAPPENS}|\bthe )(?:(?P<least>earliest|soonest)|(?P<most>latest))\b|{HAPPENS}(?:(?P<first>first)|(?P<last>last))\b",
    re.IGNORECASE,
)
ASKED = re.compile(
    r"\b(?:which|what|who|whose|where)\b(?:\s+(?:of the|are the|is the|was the|were the|has the|had the))?\s*(?P<thing>\w+)?",
    re.IGNORECASE,
)
NUMBERS = re.compile(rf"\b(?:\d{{1,2}}|{NUMBER})\b", re.IGNORECASE)
CONDITION = re.compile(r"\b(?:minimum|maximum|limit|threshold)\b", re.IGNORECASE)
OF_TIME = re.compile(r"\b(?:longest|shortest|slowest|fastest|quickest)\b", re.IGNORECASE)
OF_MONEY = re.compile(
    r"\b(?:expensive|cheapest|priciest|costliest|cost\w*|spen\w+|paid|pay\w*|money|budget\w*|value)\b", re.IGNORECASE
)
TIME = re.compile(r"\b(?:days?|weeks?|months?|years?|hours?|minutes?|time|duration)\b", re.IGNORECASE)
SPENT = re.compile(r"\b(?:actual|paid|spen[dt]\w*|amount|value|cost|price|total|expenditure)\b", re.IGNORECASE)
FEWEST_ROWS = 3
FILLED = 0.7  # of a column's cells must be numbers


@dataclass(frozen=True, slots=True)
class Column:
    """The figures of one column, a row each; None where a cell holds none."""

    name: str
    values: tuple[float | None, ...]
    asked: int  # words of the question in its name


def extremes(question: str, quotes: Sequence[Quote]) -> list[Quote]:
    """The rows that answer, as many as are asked for; none where no table found has what is asked."""
    found = SUPERLATIVE.search(question) or EXTREME_DATE.search(question)
    thing = ASKED.search(NUMBERS.sub(" ", SUPERLATIVE.sub(" ", question)))
    if not found or not thing or CONDITION.search(found.group()):
        return []
    parts = found.groupdict()
    most = bool(parts["most"] or parts.get("last"))
    if OF_TIME.search(found.group()) and UP.search(question):  # "fastest growing"
        most = found.group().casefold() != "slowest"
    dates = found.re is EXTREME_DATE
    asked = set(words(SUPERLATIVE.sub(" ", question)))
    things = set(words(thing["thing"] or ""))
    best: tuple[float, list[Quote]] = 0.0, []
    for rows in tables(quotes):
        column = column_asked(question, rows, asked, read=date_of if dates else value_of)
        if column is None:
            continue
        header = set(words(" ".join(rows[0].header)))
        caption = set(words(rows[0].table))
        fit = 3 * bool(things & header) + len(asked & header) + len(asked & (rows[0].around - header)) - 0.2 * rows[0].marker
        if not (things & (header | caption) or (column.asked and asked & caption)):
            continue
        if not best[1] or fit > best[0]:
            named = ("latest", "earliest") if dates else ("highest", "lowest")
            best = fit, rows_of(most, column, rows, number=max(number_asked(question), 1), words=named)
    return best[1]


def tables(quotes: Sequence[Quote]) -> list[list[Quote]]:
    """The rows of each table, without its totals."""
    found: dict[tuple[int, str, tuple[str, ...]], list[Quote]] = {}
    for quote in quotes:
        if quote.is_row and not is_total(quote.row):
            found.setdefault((quote.marker, quote.table, quote.header), []).append(quote)
    return [rows for rows in found.values() if len(rows) >= FEWEST_ROWS]


def column_asked(
    question: str, rows: Sequence[Quote], asked: set[str], *, read: Callable[[str], float | None]
) -> Column | None:
    """The column of figures that is compared: the one the question names, else one of money spent and not a change of it."""
    names, _ = columns_of(rows[0].header, "")
    columns = []
    for index, name in enumerate(names):
        if ROW_NUMBER.match(name):
            continue
        values = tuple(read(row.row[index]) if index < len(row.row) else None for row in rows)
        if sum(value is not None for value in values) >= FILLED * len(values):
            columns.append(Column(name, values, len(asked & set(words(name))) + years_named(question, name)))

    changes = bool(UP.search(question) or DOWN.search(question))

    def fit(column: Column) -> tuple[bool, bool, int, bool, bool, float]:
        timed = bool(OF_TIME.search(question) and TIME.search(column.name))
        money = bool(timed or not (OF_MONEY.search(question) and OWN_UNIT.search(column.name)))
        settled = bool(CHANGE.search(column.name)) == changes and (money or changes)
        return (
            timed,
            changes and settled,
            column.asked,
            settled,
            bool(SPENT.search(column.name)),
            sum(v or 0.0 for v in column.values),
        )

    return max(columns, key=fit, default=None)


def years_named(question: str, name: str) -> int:
    """How many years and quarters of the question stand in a column's name: 2025 in "FY2025 budget"."""
    return sum(mark in name.casefold() for mark in re.findall(r"(?:19|20)\d\d|\bq[1-4]\b", question.casefold()))


def rows_of(most: bool, column: Column, rows: Sequence[Quote], *, number: int, words: tuple[str, str]) -> list[Quote]:
    """The rows with the most or the least in a column, in its order; one alone says what it was compared by."""
    held = [(value, row) for value, row in zip(column.values, rows, strict=True) if value is not None]
    ordered = [row for _, row in sorted(held, key=lambda pair: pair[0], reverse=most)]
    if number > 1:
        return ordered[:number]
    row = ordered[0]
    return [replace(row, shown=f"{row.shown} (the {words[0 if most else 1]} ‘{column.name}’ among the rows found)")]


def date_of(cell: str) -> float | None:
    """The day that a cell is, as a number that orders; None where it says more or none."""
    found = figures(cell)
    if len(found) != 1 or found[0].kind != "date" or len(found[0].text) < len(cell.strip()) - 2:
        return None
    days = [re.sub(r"\D", "", value) for value in found[0].values if re.match(r"\d{4}-\d\d-\d\d$", value)]
    return float(min(days)) if days else None
