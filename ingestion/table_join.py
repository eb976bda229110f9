"""The tables of consecutive pages in; the same tables out, those that go on from the page before with its header."""

from collections.abc import Sequence
from dataclasses import replace

from ingestion.table_rows import is_value
from ingestion.table_surroundings import NUMBERED
from rag.domain import Table

EDGE = 12.0  # points that the sides of a table may move from page to page
TOP = 0.30  # a continuation begins in this share of the page from its top
BOTTOM = 0.60  # and what it continues ends below this share


def join_continuations(pages: Sequence[Sequence[Table]], *, heights: Sequence[float]) -> list[tuple[Table, ...]]:
    """Mark the first table of a page as continuing the last one of the page before, and give it that one's header.

    `heights` are the heights of the pages in points.
    """
    joined: list[tuple[Table, ...]] = []
    for at, tables in enumerate(pages):
        tables = tuple(tables)
        if at and tables and joined[-1]:
            continued = continue_table(joined[-1][-1], tables[0], above=heights[at - 1], height=heights[at])
            if continued is not None:
                tables = (continued, *tables[1:])
        joined.append(tables)
    return joined


def continue_table(last: Table, first: Table, *, above: float, height: float) -> Table | None:
    """`first` as the continuation of `last`, or None where it is another table."""
    if len(last.header) != len(first.header) or last.bbox[3] < BOTTOM * above or first.bbox[1] > TOP * height:
        return None
    if abs(last.bbox[0] - first.bbox[0]) > EDGE or abs(last.bbox[2] - first.bbox[2]) > EDGE:
        return None
    if NUMBERED.match(first.caption) and not same_number(first.caption, last.caption):
        return None
    if same_names(last.header, first.header):
        rows = first.rows
    elif not any(first.header):
        rows = first.rows
        if rows and same_names(last.header, rows[0]):
            rows = rows[1:]
    elif is_row_like(first.header, last):
        rows = (first.header, *first.rows)  # its first row was taken for a header
    else:
        return None
    caption = first.caption if first.caption and not last.caption else last.caption
    return replace(first, header=last.header, rows=rows, caption=caption, units=last.units or first.units, continues=True)


def same_number(caption: str, before: str) -> bool:
    """Whether both captions have one number: "Table 4: Limits" and "Table 4 (continued)"."""
    number, number_before = NUMBERED.match(caption), NUMBERED.match(before)
    return bool(number and number_before and number[0].lower() == number_before[0].lower())


def same_names(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two rows name the columns alike, whatever the case and the spaces."""
    plain = [["".join(name.lower().split()) for name in names] for names in (one, other)]
    return any(plain[0]) and plain[0] == plain[1]


def is_row_like(names: Sequence[str], table: Table) -> bool:
    """Whether a supposed header has values, or no text, just where the rows of the table have them."""
    values = [[is_value(row[at]) for row in table.rows if row[at]] for at in range(len(names))]
    typed = [at for at, column in enumerate(values) if column and sum(column) > len(column) / 2]
    if typed:
        return all(is_value(names[at]) or not names[at] for at in typed) and any(names[at] for at in typed)
    longest = max((len(name) for name in table.header), default=0)
    return any(len(name) > max(longest, 40) for name in names)
