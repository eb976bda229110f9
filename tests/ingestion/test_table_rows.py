"""Which row names the columns, which cells belong together, and what is no table at all."""

import pytest

from ingestion.table_rows import broken_number, cell_text, is_section, is_table, is_value, read_rows
from tests.ingestion.grids import grid_of


def read(drawing: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    content = read_rows(grid_of(drawing))
    return content.header, list(content.rows)


def test_the_first_row_is_the_header_when_values_stand_below_it() -> None:
    header, rows = read(
        """
        | Category     | Limit  |
        | IT equipment | 50,000 |
        | Vehicles     | 80,000 |
        """
    )
    assert header == ("Category", "Limit")
    assert rows == [("IT equipment", "50,000"), ("Vehicles", "80,000")]


def test_a_table_that_begins_with_data_has_no_header() -> None:
    header, rows = read(
        """
        | IT equipment | 50,000 |
        | Vehicles     | 80,000 |
        | Furniture    | 10,000 |
        """
    )
    assert header == ("", "")
    assert rows[0] == ("IT equipment", "50,000")


def test_two_columns_of_words_have_a_header_only_where_it_stands_out() -> None:
    plain = "| Supplier | Acme |\n| Contact | Ms Lim |\n| Country | Chile |"
    assert read(plain)[0] == ("", "")
    assert read(plain.replace("Supplier", "*Supplier").replace("Acme", "*Acme"))[0] == ("Supplier", "Acme")


def test_a_header_of_two_rows_is_joined_group_over_column() -> None:
    header, rows = read(
        """
        | Item | Budget | <    | Remarks |
        | ^    | 2024   | 2025 | ^       |
        | Pens | 100    | 120  | urgent  |
        | Ink  | 300    | 310  |         |
        """
    )
    assert header == ("Item", "Budget > 2024", "Budget > 2025", "Remarks")
    assert rows == [("Pens", "100", "120", "urgent"), ("Ink", "300", "310", "")]


def test_a_cell_over_several_rows_labels_each_of_them() -> None:
    _, rows = read(
        """
        | Office | Item | Price |
        | North  | Pens | 10    |
        | ^      | Ink  | 30    |
        | South  | Pens | 11    |
        """
    )
    assert rows == [("North", "Pens", "10"), ("North", "Ink", "30"), ("South", "Pens", "11")]


def test_a_row_over_the_whole_width_on_top_is_the_title() -> None:
    content = read_rows(grid_of("| Table 3: Limits | < |\n| Grade | Limit |\n| A | 10 |\n| B | 20 |"))
    assert content.title == "Table 3: Limits"
    assert content.header == ("Grade", "Limit")


def test_a_row_over_the_whole_width_further_down_names_a_section() -> None:
    _, rows = read("| Item | 2024 | 2025 |\n| Goods | < | < |\n| Pens | 1 | 2 |\n| Works | < | < |\n| Road | 3 | 4 |")
    assert rows[0] == ("Goods", "", "")
    assert [is_section(row) for row in rows] == [True, False, True, False]


def test_a_currency_sign_in_a_cell_of_its_own_goes_to_its_value() -> None:
    header, rows = read(
        """
        |            |   | 2023   |   | 2022   |
        | Net sales  | $ | 14,694 | $ | 14,544 |
        | Tax        |   | (193   | ) | (300)  |
        | Net income | $ | 1,058  | $ | 815    |
        """
    )
    assert header == ("", "2023", "2022")
    assert rows == [("Net sales", "$ 14,694", "$ 14,544"), ("Tax", "(193)", "(300)"), ("Net income", "$ 1,058", "$ 815")]


def test_a_currency_sign_left_behind_in_the_column_before_goes_to_its_value() -> None:
    _, rows = read("| For the year | 2023 | 2022 |\n| Net sales | $ 14,694 $ | 14,544 |\n| Cost | 9 | 8 |")
    assert rows[0] == ("Net sales", "$ 14,694", "$ 14,544")


def test_a_year_above_the_column_of_the_sign_names_the_column_of_the_values() -> None:
    header, rows = read("|  | 2018 | | 2017 | |\n| Cash | | 2,853 | | 3,053 |\n| Debt | | 1,211 | | 1,853 |")
    assert header == ("", "2018", "2017")
    assert rows == [("Cash", "2,853", "3,053"), ("Debt", "1,211", "1,853")]


def test_columns_that_are_never_filled_together_stay_apart_when_both_have_names() -> None:
    header, rows = read("| Entry | Debit | Credit |\n| Rent | 100 | |\n| Sale | | 250 |")
    assert header == ("Entry", "Debit", "Credit")
    assert rows == [("Rent", "100", ""), ("Sale", "", "250")]


def test_a_row_that_holds_several_rows_is_parted() -> None:
    _, rows = read(
        "| Layers | Language | Score | Time |\n| 6 | OTSL\\nHTML | 0.965\\n0.969 | 2.73\\n5.39 |\n| 4 | both | 0.9 | 2.0 |"
    )
    assert rows == [("6", "OTSL", "0.965", "2.73"), ("6", "HTML", "0.969", "5.39"), ("4", "both", "0.9", "2.0")]


def test_empty_rows_and_columns_are_left_out() -> None:
    header, rows = read("| Item | | Price |\n| | | |\n| Pens | | 10 |\n| Ink | | 30 |")
    assert header == ("Item", "Price")
    assert rows == [("Pens", "10"), ("Ink", "30")]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("Regional\nDirector", "Regional Director"),
        ("procure-\nment", "procurement"),
        ("Notice/\nAward", "Notice/Award"),
        ("Non-\nCSE", "Non-CSE"),
        ("650,654,630.\n78", "650,654,630.78"),
        ("13,900,00\n0.00", "13,900,000.00"),
        ("1,200\n3,400", "1,200 3,400"),
        ("NTE\n$5,198,193.60", "NTE $5,198,193.60"),
    ],
)
def test_what_the_width_of_a_column_broke_is_joined(cell: str, text: str) -> None:
    assert cell_text(cell) == text


def test_two_whole_numbers_are_no_broken_one() -> None:
    assert broken_number("95,072,30", "4.03")
    assert not broken_number("95,072,304.03", "12")
    assert not broken_number("50,000", "100,000")


@pytest.mark.parametrize("text", ["50,000", "$ 1,058", "(193)", "PhP 95,072,304.03", "12%", "6/9/16", "13 Dec 2013", "-"])
def test_values_are_told_from_names(text: str) -> None:
    assert is_value(text) == (text != "-")


@pytest.mark.parametrize("text", ["Limit", "Tier 4", "CLIN 0001", "46 Days", "1. Goods", ""])
def test_names_are_told_from_values(text: str) -> None:
    assert not is_value(text)


@pytest.mark.parametrize(
    "drawing",
    [
        "| only | one row |",
        "| a frame around one text |\n| and another |\n| and a third |",
        "| a | | |\n| | b | |\n| | | c |",
    ],
    ids=["one row", "one column", "scattered cells"],
)
def test_frames_and_charts_are_no_tables(drawing: str) -> None:
    assert not is_table(read_rows(grid_of(drawing)), min_rows=2, min_columns=2)


def test_a_checklist_with_empty_boxes_is_a_table() -> None:
    drawing = "| *Requirement | *Yes | *No |\n| Quotations attached | | |\n| Budget certified | | |\n| Signed | | |"
    assert is_table(read_rows(grid_of(drawing)), min_rows=2, min_columns=2)


def test_units_alone_in_a_row_above_the_names_are_no_header() -> None:
    drawing = """
        | (In millions)       |          |          |
        | Year ended June 30, | 2023     | 2022     |
        | Revenue:            |          |          |
        | Product             | $ 64,699 | $ 72,732 |
        | Service             | 147,216  | 125,538  |
        """
    content = read_rows(grid_of(drawing))
    assert (content.title, content.header) == ("(In millions)", ("Year ended June 30,", "2023", "2022"))


def test_sentences_cut_by_boxes_around_links_are_no_table() -> None:
    drawing = """
        | In February 2022 the Board approved a $ | 5.0 | billion share repurchase programme, which replaced another |
        | authorised earlier. There is no date      | for | governing the period over which shares may be bought   |
        """
    assert not is_table(read_rows(grid_of(drawing)), min_rows=2, min_columns=2)
