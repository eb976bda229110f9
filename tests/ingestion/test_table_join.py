"""A table that goes on over the page keeps its header; another table that merely follows does not take it."""

from dataclasses import replace

import pytest

from ingestion.table_join import join_continuations
from rag.domain import Table

HEIGHT = 842.0
FIRST = Table(
    header=("Item", "Price"),
    rows=(("Pens", "10"), ("Ink", "30")),
    caption="Table 1: Prices",
    units="in USD",
    bbox=(70, 500, 400, 790),
)
NEXT = Table(header=("Item", "Price"), rows=(("Paper", "5"), ("Glue", "7")), bbox=(70, 60, 400, 200))
JOINED = replace(NEXT, header=FIRST.header, caption=FIRST.caption, units=FIRST.units, continues=True)


def second(first: Table, following: Table) -> Table:
    return join_continuations([[first], [following]], heights=[HEIGHT, HEIGHT])[1][0]


def test_a_repeated_header_is_the_same_table_whatever_its_case() -> None:
    assert second(FIRST, replace(NEXT, header=("ITEM", "price"))) == JOINED


def test_the_same_number_in_the_caption_is_the_same_table() -> None:
    assert second(FIRST, replace(NEXT, caption="Table 1 (continued)")) == JOINED


def test_a_table_without_header_takes_the_one_before() -> None:
    assert second(FIRST, replace(NEXT, header=("", ""))) == JOINED


def test_a_first_row_that_was_taken_for_the_header_becomes_a_row_again() -> None:
    assert second(FIRST, replace(NEXT, header=("Paper", "5"), rows=NEXT.rows[1:])) == JOINED


def test_a_repeated_header_among_the_rows_is_dropped() -> None:
    assert second(FIRST, replace(NEXT, header=("", ""), rows=(FIRST.header, *NEXT.rows))) == JOINED


@pytest.mark.parametrize(
    "other",
    [
        replace(NEXT, header=("Name", "Grade"), rows=(("Lim", "A"), ("Reyes", "B"))),
        replace(NEXT, header=("Item", "Price", "Date"), rows=(("Pens", "1", "2"),)),
        replace(NEXT, caption="Table 2: Prices of the year before"),
        replace(NEXT, bbox=(70, 500, 400, 700)),
        replace(NEXT, bbox=(70, 60, 250, 200)),
    ],
    ids=["another header", "another number of columns", "another number in the caption", "far down the page", "another width"],
)
def test_another_table_stays_as_it_is(other: Table) -> None:
    assert second(FIRST, other) == other


def test_a_table_in_the_middle_of_its_page_has_ended_there() -> None:
    assert second(replace(FIRST, bbox=(70, 100, 400, 300)), NEXT) == NEXT


def test_a_table_goes_on_over_three_pages_and_its_neighbours_stay() -> None:
    last = replace(NEXT, bbox=(70, 400, 300, 500))
    middle = replace(NEXT, bbox=(70, 60, 400, 790))
    pages = join_continuations([[FIRST], [middle], [NEXT, last], []], heights=[HEIGHT] * 4)
    assert [[table.continues for table in tables] for tables in pages] == [[False], [True], [True, False], []]
