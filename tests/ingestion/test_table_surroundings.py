"""Captions, units and footnotes are told from the prose around a table."""

import pytest

from ingestion.table_grid import Box
from ingestion.table_surroundings import Line, found_units, lines_of, surroundings

TABLE = Box(70, 200, 500, 400)


def line(text: str, top: float, *, x0: float = 70) -> Line:
    return Line(text, Box(x0, top, x0 + 5 * len(text), top + 12))


def around(*lines: Line, table_text: str = "Goods 50,000"):
    return surroundings(TABLE, lines, table_text=table_text)


def test_a_numbered_caption_of_two_lines_with_units_below_it() -> None:
    found = around(
        line("The limits are as follows.", 120),
        line("Table 4: Limits of authority by grade and category of", 150),
        line("goods and services", 164),
        line("(in thousands of US dollars)", 180),
    )
    assert found.caption == "Table 4: Limits of authority by grade and category of goods and services"
    assert found.units == "in thousands of US dollars"
    assert found.box.top == 150


def test_a_heading_right_above_is_a_caption() -> None:
    assert around(line("Key dates", 182)).caption == "Key dates"


@pytest.mark.parametrize(
    "above",
    [
        line("The following limits apply to all purchases of the office.", 184),
        line("and the limits of the manager", 184),
        line("Key dates", 120),
        line("Key dates", 184, x0=700),
    ],
    ids=["a sentence", "the end of a sentence", "far above", "in another column"],
)
def test_what_is_no_caption(above: Line) -> None:
    found = around(above)
    assert found.caption == ""
    assert found.box == TABLE


def test_words_side_by_side_are_no_caption() -> None:
    assert around(line("Plan", 184, x0=200), line("Non-Plan", 184, x0=350)).caption == ""


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("(Dollars in millions, except per share data)", "Dollars in millions, except per share data"),
        ("Estimated Budget (PhP)", "PhP"),
        ("(In crores of Rupees)", "In crores of Rupees"),
        ("($ in millions)", "$ in millions"),
        ("all amounts in USD thousands", "all amounts in USD thousands"),
        ("Budget by programme, USD thousand", "USD thousand"),
        ("(Millions)", "Millions"),
        ("The supplier is in good standing", ""),
        ("Item (new)", ""),
    ],
)
def test_units_are_found(text: str, units: str) -> None:
    assert found_units(text) == units


def test_footnotes_need_their_mark_in_the_table() -> None:
    below = [line("* leased vehicles included", 404), line("and their fuel", 417), line("1. Purpose of this policy", 432)]
    assert around(*below, table_text="Vehicles* 80,000").footnotes == ("* leased vehicles included and their fuel",)
    assert around(*below, table_text="Vehicles 80,000").footnotes == ()
    assert around(line("(1) with approval", 404), table_text="Vehicles (1) 80,000").footnotes == ("(1) with approval",)
    assert around(line("Source: Finance Department", 404)).footnotes == ("Source: Finance Department",)


def test_words_become_pieces_of_lines() -> None:
    words = [line("Net", 100, x0=70), line("sales", 100, x0=90), line("2024", 101, x0=300), line("Cost", 120, x0=70)]
    assert [piece.text for piece in lines_of(words, gap=1.0)] == ["Net sales", "2024", "Cost"]


def test_the_end_of_an_address_is_no_caption() -> None:
    address = (line("Ann Lee", 156), line("12 Hill Road,", 169), line("Springfield, 94131", 182))
    assert around(*address).caption == ""
    assert around(line("Ann Lee", 140), address[2]).caption == "Springfield, 94131"
