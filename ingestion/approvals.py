"""The pages of a document in, its approval rules out: who approves, which method applies, what is required in an amount band.

Three kinds of table are understood: rows that pair a band with an approver, method or requirement; matrices whose
columns are roles and whose cells say A (approves); matrices whose cells are each role's limit. Sentences are read by
approval_sentences.py.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ingestion.approval_sentences import ABOUT_AUTHORITY, LONGEST_SUBJECT, is_amount, is_role, rules_of_text
from rag.amounts import CURRENCIES, MARK, SCALES
from rag.bands import Band, beside_band, cell_band, is_money, value_of
from rag.domain import ApprovalRule, Page, Table
from rag.figures import figures

Relation = Literal["approves", "method", "requires"]
RELATIONS: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    (
        "approves",
        re.compile(r"\b(?:approv\w*|authori[sz]\w*|authority|signator\w*|signed by|sign-off|delegate\w*)\b", re.IGNORECASE),
    ),
    ("method", re.compile(r"\b(?:methods?|procedures?|process|mode|route|modality|modalities)\b", re.IGNORECASE)),
    (
        "requires",
        re.compile(r"\b(?:documents?|documentation|requirements?|required|minimum|quotations?|bids|forms?)\b", re.IGNORECASE),
    ),
)
BAND_HEADER = re.compile(
    r"\b(?:amounts?|values?|thresholds?|bands?|limits?|commitments?|ranges?|ceilings?)\b|\$|€|£", re.IGNORECASE
)
NO_BAND_HEADER = re.compile(r"\b(?:nos?|numbers?|ref|references?|codes?|ids?)\b\.?\s*$", re.IGNORECASE)  # "File No.": 000-15175
# "(Rs. in lakh)", "USD thousand", "US$ million", "EUR '000": what each number of the cells is counted in.
SCALED = re.compile(
    rf"(?:\bin\s+|(?:{MARK})\s*(?:in\s+)?)"
    rf"(?:(?P<scale>{'|'.join(scale for scale in SCALES if len(scale) > 2)})\b|['’]?000s?\b)",
    re.IGNORECASE,
)
CURRENCY = re.compile(rf"(?<!\w)(?:{MARK})(?!\w)", re.IGNORECASE)
BARE_NUMBER = re.compile(r"\d[\d.,]*(?<![.,])")
BOUNDS = re.compile(
    rf"\b(?:up ?to|and|above|below|over|under|more|less|than|not|no|exceeding|to|from|between|beyond|max(?:imum)?|at most|"
    rf"at least|including)\b|{MARK}|\d|[\W_]",
    re.IGNORECASE,
)
POWERS_OF = re.compile(r"^(?:\w+ )?(?:powers?|limits?|authority) (?:of|for) (?:the )?(?=\w)", re.IGNORECASE)
LETTERS = re.compile(r"([A-Z])(?:\s*(?:to|–|-)\s*([A-Z])|\s*(?:and|,|&)\s*([A-Z]))?")
MATRIX_MARK = re.compile(r"^(?:[ARCIX✓✔•]|[ARCI](?:\s?/\s?[ARCI])*|yes|no|n/?a|-|–|—|)$", re.IGNORECASE)
APPROVES_MARK = re.compile(r"^(?:A(?:\s?/\s?[RCI])*|[X✓✔•]|yes)$", re.IGNORECASE)
NO_SUBJECT = re.compile(r"(?:n\.?/?a\.?|none|nil|not applicable|tbd|tba|yes|no|[\W\d_]*)\.?", re.IGNORECASE)
POINTS_ELSEWHERE = re.compile(
    r"\bbands?\b|\bsee\b|\bas per\b|\baccording to\b|\bmatrix\b|\bby value\b", re.IGNORECASE
)  # "DoA, bands D to F"
MOST = 0.7  # of a column's filled cells


@dataclass(frozen=True, slots=True)
class Columns:
    """What each column of a table is for, by index."""

    bands: int
    relations: dict[int, Relation]
    marks: tuple[int, ...]
    category: int | None


def approval_rules(pages: Sequence[Page]) -> tuple[ApprovalRule, ...]:
    """Every rule once, in the order of the pages."""
    letters = band_letters(table for page in pages for table in page.tables)
    found: list[ApprovalRule] = []
    for page in pages:
        for table in page.tables:
            found += rules_of_table(table, page.number, letters)
        found += rules_of_text(page.text, page.number)
    return tuple(dict.fromkeys(found))


def band_letters(tables: Iterable[Table]) -> dict[str, Band]:
    """Bands that a table names by one letter ("B | 5,000.01 to 25,000"), for the tables that use the letter."""
    letters: dict[str, Band] = {}
    for table in tables:
        if len(table.header) < 2 or "band" not in table.header[0].lower():
            continue
        currency = currency_of(table)
        for row in table.rows:
            band = next((band for cell in row[1:] if (band := cell_band(cell))), None)
            if re.fullmatch("[A-Z]", row[0].strip()) and band:
                letters.setdefault(row[0].strip(), replace(band, currency=band.currency or currency))
    return letters


def rules_of_table(table: Table, page: int, letters: dict[str, Band]) -> Iterator[ApprovalRule]:
    full = in_full_amounts(table)
    columns = read_columns(full, letters)
    if columns is None:
        yield from rules_of_limits(full, page, table)
        return
    currency = currency_of(table)
    for row, amounts in zip(table.rows, full.rows, strict=True):
        cell = amounts[columns.bands]
        band = lettered_band(cell, letters)
        condition = "" if LETTERS.fullmatch(cell.strip()) else beside_band(cell)
        if band is None:
            if not columns.marks:
                continue
            band, condition = Band(None, None), cell.strip(" -–—")  # "up to 6 months": what holds there is no amount
        category = row[columns.category] if columns.category is not None else ""

        for index, relation in columns.relations.items():
            if is_subject(row[index]) and not (relation == "approves" and POINTS_ELSEWHERE.search(row[index])):
                yield rule(relation, row[index], band, currency, category, page, table, row, condition)
        for index in columns.marks:
            if APPROVES_MARK.match(row[index].strip()):
                yield rule("approves", table.header[index], band, currency, category, page, table, row, condition)


def read_columns(table: Table, letters: dict[str, Band]) -> Columns | None:
    """The roles of the columns, or None where the table has no column of bands beside one that says what applies."""
    width = len(table.header)
    filled = [[row[index].strip() for row in table.rows if row[index].strip()] for index in range(width)]
    bands = [
        index
        for index in range(width)
        if filled[index]
        and not NO_BAND_HEADER.search(table.header[index])
        and share(filled[index], lambda cell: lettered_band(cell, letters) is not None) >= 0.5
    ]
    if not bands:
        return None
    named = [index for index in bands if BAND_HEADER.search(table.header[index])]
    band = max(named or bands, key=lambda index: sum(lettered_band(cell, {}) is not None for cell in filled[index]))
    marks = tuple(
        index
        for index in range(width)
        if index != band
        and is_role(table.header[index])
        and filled[index]
        and all(MATRIX_MARK.match(cell) for cell in filled[index])
    )
    relations: dict[int, Relation] = {}
    for index in range(width):
        if index in bands or index in marks:
            continue
        for relation, pattern in RELATIONS:
            if pattern.search(table.header[index]) and filled[index]:
                relations[index] = relation
                break
    if not relations and not (len(marks) >= 2 and ABOUT_AUTHORITY.search(f"{table.caption} {' '.join(table.header)}")):
        return None
    texts = [i for i in range(width) if i not in {*bands, *relations, *marks} and share(filled[i], is_wordy) >= MOST]
    return Columns(bands=band, relations=relations, marks=marks, category=texts[0] if texts else None)


def in_full_amounts(table: Table) -> Table:
    """The table with the scale that its units, caption or a column's header name behind each number of cells of amounts."""
    whole = scale_named(table.units) or scale_named(table.caption)
    scales = [scale_named(header) or whole for header in table.header]
    if not any(scales):
        return table
    rows = tuple(
        tuple(
            BARE_NUMBER.sub(rf"\g<0> {scale}", cell) if scale and not BOUNDS.sub("", cell) else cell
            for cell, scale in zip(row, scales, strict=True)
        )
        for row in table.rows
    )
    return replace(table, rows=rows)


def scale_named(text: str) -> str:
    found = SCALED.search(text)
    return (found["scale"] or "thousand") if found else ""


def rules_of_limits(table: Table, page: int, written: Table) -> Iterator[ApprovalRule]:
    """A matrix of limits: each role's column says up to which amount it approves what the row names, as `written`."""
    if not ABOUT_AUTHORITY.search(f"{table.caption} {' '.join(table.header)}"):
        return
    roles = [
        index
        for index in range(1, len(table.header))
        if is_role(table.header[index])
        and share([row[index].strip() for row in table.rows if row[index].strip()], lambda cell: limit_of(cell) is not None)
        >= MOST
    ]
    if len(roles) < 2:
        return
    currency = currency_of(table)
    for row, quoted in zip(table.rows, written.rows, strict=True):
        below: float | None = None
        limits = [(limit, index) for index in roles if (limit := limit_of(row[index])) and limit.high != 0]
        for limit, index in sorted(limits, key=lambda pair: pair[0].high if pair[0].high is not None else float("inf")):
            band = Band(below, limit.high, limit.currency)
            yield rule("approves", table.header[index], band, currency, row[0], page, table, quoted)
            below = limit.high


def limit_of(cell: str) -> Band | None:
    """The limit that a cell states: "50,000", "up to 50,000" or "unlimited"."""
    band = cell_band(cell)
    if band is not None:
        return band if band.low is None else None
    found = figures(cell)
    if len(found) == 1 and is_money(found[0]) and len(found[0].text) >= len(cell.strip()) - 5:
        return Band(None, value_of(found[0]), found[0].unit)
    return None


def lettered_band(cell: str, letters: dict[str, Band]) -> Band | None:
    """The band of a cell, also where it names bands by their letters ("B", "B to F", "D and E")."""
    if letters and (match := LETTERS.fullmatch(cell.strip())):
        first, last = letters.get(match[1]), letters.get(match[2] or match[3] or match[1])
        if first and last:
            return Band(first.low, last.high, first.currency or last.currency)
    band = cell_band(cell)
    return band if band is not None and is_amount(band) else None


def is_subject(cell: str) -> bool:
    """Whether a cell names an approver, a method or a requirement, and is no date, code or "N/A"."""
    text = cell.strip(" -–—")
    if NO_SUBJECT.fullmatch(text) or len(text) > LONGEST_SUBJECT or text.endswith("?"):
        return False
    return not any(figure.kind == "date" for figure in figures(text))


def rule(
    relation: Relation,
    subject: str,
    band: Band,
    currency: str,
    category: str,
    page: int,
    table: Table,
    row: Sequence[str],
    condition: str = "",
) -> ApprovalRule:
    quote = " | ".join(
        f"{head}: {cell}" if head else cell for head, cell in zip(table.header, row, strict=True) if cell.strip()
    )
    named = band.currency or currency
    return ApprovalRule(
        relation, POWERS_OF.sub("", subject.strip()), band.low, band.high, named, category.strip(), page, quote, condition
    )


def currency_of(table: Table) -> str:
    """The currency that units, caption or header name, for cells that name none."""
    for text in (table.units, table.caption, *table.header):
        if named := CURRENCY.search(text):
            return CURRENCIES[named.group().casefold()]
    return ""


def share(cells: Sequence[str], test) -> float:
    return sum(map(bool, map(test, cells))) / len(cells) if cells else 0.0


def is_wordy(cell: str) -> bool:
    return sum(character.isalpha() for character in cell) >= 3
