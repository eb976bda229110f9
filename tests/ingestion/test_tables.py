"""Tables drawn on PDF pages come back row by row, and prose is never taken for a table."""

from pathlib import Path

import pytest
from reportlab.platypus import Paragraph

from ingestion.table_join import join_continuations
from ingestion.tables import find_tables
from rag.domain import Table
from tests.ingestion.drawn_pages import BOLD_HEADER, GRID, HEIGHT, Drawing

LIMITS = [
    ("Category", "Limit", "Approver"),
    ("IT equipment", "USD 50,000", "Chief Financial Officer"),
    ("Vehicles", "USD 80,000", "Board"),
    ("Furniture", "USD 10,000", "Department Manager"),
]
SENTENCE = (
    "The contracting officer shall review the quotations of all suppliers before the award is made and shall keep a record"
)


@pytest.fixture
def drawing(tmp_path: Path) -> Drawing:
    return Drawing(tmp_path / "page.pdf")


def only_table(drawing: Drawing) -> Table:
    tables = find_tables(drawing.save(), 1)
    assert len(tables) == 1
    return tables[0]


def test_a_ruled_table_with_caption_units_and_footnote(drawing: Drawing) -> None:
    drawing.text(70, 60, SENTENCE[:80] + ".")
    drawing.text(70, 95, "Table 3: Limits of authority", bold=True)
    drawing.text(70, 109, "(amounts in thousands)")
    end = drawing.table(70, 124, [*LIMITS[:3], ("Furniture*", "USD 10,000", "Department Manager")], [140, 90, 150], GRID)
    drawing.text(70, end + 4, "* with the installation")
    drawing.text(70, end + 60, SENTENCE[:70] + ".")
    table = only_table(drawing)
    assert table.header == LIMITS[0]
    assert table.rows == (*LIMITS[1:3], ("Furniture*", "USD 10,000", "Department Manager"))
    assert table.caption == "Table 3: Limits of authority"
    assert table.units == "amounts in thousands"
    assert table.footnotes == ("* with the installation",)
    x0, top, x1, bottom = table.bbox
    assert (round(x0), round(x1)) == (70, 450)
    assert 90 < top < 105
    assert end < bottom < end + 20


def test_words_set_close_together_stay_apart(drawing: Drawing) -> None:
    rows = [("Reviewer of the bid", "No."), ("Head of the unit", "12"), ("Clerk of the desk", "7")]
    drawing.table(70, 80, rows, [90, 40], GRID, ("FONTSIZE", (0, 0), (-1, -1), 5))
    assert only_table(drawing).rows == tuple(rows[1:])


STATEMENT = [
    ("Programme", "2023", "2024", "2025"),
    ("Goods", "1,250.00", "1,310.50", "1,400.00"),
    ("Infrastructure projects", "20,400.75", "21,000.00", "22,950.10"),
    ("Consulting", "310.00", "305.20", "298.00"),
    ("Services", "75.10", "80.00", "82.40"),
    ("Total", "22,035.85", "22,695.70", "24,730.50"),
]


def write_statement(drawing: Drawing) -> None:
    for at, row in enumerate(STATEMENT):
        drawing.text(60, 100 + 16 * at, row[0])
        for column, text in enumerate(row[1:]):
            drawing.right(320 + 90 * column, 100 + 16 * at, text)


def test_a_borderless_table(drawing: Drawing) -> None:
    drawing.text(60, 60, "Statement of appropriations")
    write_statement(drawing)
    table = only_table(drawing)
    assert table.header == STATEMENT[0]
    assert table.rows == tuple(STATEMENT[1:])


def test_the_years_above_the_lines_of_a_table_name_its_columns(drawing: Drawing) -> None:
    drawing.right(300, 100, "2024")
    drawing.right(380, 100, "2023")
    rows = [("Net sales", "14,694", "14,544"), ("Cost", "(11,969)", "(11,724)"), ("Profit", "2,725", "2,820")]
    drawing.table(60, 114, rows, [180, 80, 80], GRID, ("ALIGN", (1, 0), (-1, -1), "RIGHT"))
    table = only_table(drawing)
    assert table.header == ("", "2024", "2023")
    assert table.rows == tuple(rows)


def test_a_table_in_lines_and_one_without_on_the_same_page(drawing: Drawing) -> None:
    write_statement(drawing)
    drawing.table(60, 400, LIMITS, [140, 90, 150], GRID)
    assert [table.header for table in find_tables(drawing.save(), 1)] == [STATEMENT[0], LIMITS[0]]


def test_a_raised_footnote_number_does_not_change_the_amount(drawing: Drawing) -> None:
    amount = Paragraph("50,000<super size=6>1</super>")
    end = drawing.table(60, 80, [("Grade", "Limit"), ("Manager", amount), ("Board", "80,000")], [120, 120], GRID)
    drawing.text(60, end + 4, "1 with the approval of the Board", size=8)
    table = only_table(drawing)
    assert table.rows == (("Manager", "50,000 (1)"), ("Board", "80,000"))
    assert table.footnotes == ("1 with the approval of the Board",)


def test_text_that_runs_up_the_side_of_a_cell_is_read(drawing: Drawing) -> None:
    rows = [("Unit", "Item", "Price"), ("", "Pens", "10"), ("", "Ink", "30")]
    drawing.table(60, 80, rows, [40, 100, 100], GRID, ("SPAN", (0, 1), (0, 2)))
    drawing.canvas.translate(83, HEIGHT - 130)
    drawing.canvas.rotate(90)
    drawing.canvas.drawString(0, 0, "Stores")
    assert only_table(drawing).rows == (("Stores", "Pens", "10"), ("Stores", "Ink", "30"))


def test_merged_cells_label_their_rows_and_columns(drawing: Drawing) -> None:
    drawing.table(
        60, 80,
        [("Office", "Budget", "", "Remarks"), ("", "2024", "2025", ""), ("North", "100", "120", "new"), ("", "300", "310", ""),
         ("South", "90", "95", "")],
        [100, 80, 80, 120],
        GRID, ("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (3, 1)), ("SPAN", (0, 2), (0, 3)),
    )  # fmt: skip
    table = only_table(drawing)
    assert table.header == ("Office", "Budget > 2024", "Budget > 2025", "Remarks")
    assert table.rows == (("North", "100", "120", "new"), ("North", "300", "310", ""), ("South", "90", "95", ""))


def test_currency_signs_in_cells_of_their_own(drawing: Drawing) -> None:
    rows = [("", "", "2024", "", "2023"), ("Net sales", "$", "14,694", "$", "14,544"), ("Cost", "", "(11,969)", "", "(11,724)"),
            ("Profit", "$", "2,725", "$", "2,820")]  # fmt: skip
    drawing.table(60, 80, rows, [150, 15, 70, 15, 70], GRID)
    table = only_table(drawing)
    assert table.header == ("", "2024", "2023")
    assert table.rows == (
        ("Net sales", "$ 14,694", "$ 14,544"),
        ("Cost", "(11,969)", "(11,724)"),
        ("Profit", "$ 2,725", "$ 2,820"),
    )


def test_a_header_in_bold_names_the_columns_of_an_all_text_table(drawing: Drawing) -> None:
    rows = [
        ("Role", "Duty"),
        ("Clerk", "files the request"),
        ("Manager", "approves the request"),
        ("Auditor", "reviews the file"),
    ]
    drawing.table(60, 80, rows, [100, 200], GRID, BOLD_HEADER)
    assert only_table(drawing).header == ("Role", "Duty")


def test_a_table_over_two_pages_keeps_its_header(drawing: Drawing) -> None:
    items = [(f"Item {number}", f"{number * 1000:,}.00", "Board" if number % 2 else "Manager") for number in range(1, 31)]
    drawing.table(70, HEIGHT - 60 - 18 * 16, [LIMITS[0], *items[:15]], [140, 90, 150], GRID)
    drawing.next_page()
    drawing.table(70, 60, [LIMITS[0], *items[15:]], [140, 90, 150], GRID)
    drawing.save()
    pages = join_continuations([find_tables(drawing.path, 1), find_tables(drawing.path, 2)], heights=[HEIGHT, HEIGHT])
    assert [table.continues for tables in pages for table in tables] == [False, True]
    assert [row for tables in pages for table in tables for row in table.rows] == items
    assert pages[1][0].header == LIMITS[0]


def test_a_table_that_is_open_on_all_sides(drawing: Drawing) -> None:
    rows = [("Sixth digit", "Account type"), ("0", "CBA"), ("1", "IBA"), ("2 - 4", "IBA")]
    drawing.table(60, 80, rows, [120, 120], ("INNERGRID", (0, 0), (-1, -1), 0.7, "black"), BOLD_HEADER)
    table = only_table(drawing)
    assert table.header == rows[0]
    assert table.rows == tuple(rows[1:])


def test_two_tables_on_a_page_come_from_top_to_bottom(drawing: Drawing) -> None:
    drawing.table(70, 400, [("Grade", "Limit"), ("A", "10"), ("B", "20")], [100, 100], GRID)
    drawing.table(70, 100, LIMITS, [140, 90, 150], GRID)
    first, second = find_tables(drawing.save(), 1)
    assert first.header == LIMITS[0]
    assert second.rows == (("A", "10"), ("B", "20"))


def test_prose_is_no_table(drawing: Drawing) -> None:
    for line in range(40):
        drawing.text(60, 60 + 14 * line, SENTENCE[: 85 + line % 9])
    assert find_tables(drawing.save(), 1) == []


def test_two_columns_of_prose_are_no_table(drawing: Drawing) -> None:
    for line in range(45):
        drawing.text(50, 60 + 13 * line, SENTENCE[: 44 + line % 5], size=9)
        drawing.text(310, 60 + 13 * line, SENTENCE[30 : 76 + line % 6], size=9)
    assert find_tables(drawing.save(), 1) == []


def test_three_columns_of_prose_are_no_table(drawing: Drawing) -> None:
    for line in range(45):
        for column in range(3):
            drawing.text(
                40 + 180 * column, 60 + 13 * line, SENTENCE[column * 12 : column * 12 + 32 + (line + column) % 4], size=8
            )
    assert find_tables(drawing.save(), 1) == []


def test_a_contents_list_and_a_numbered_list_are_no_tables(drawing: Drawing) -> None:
    for line in range(12):
        drawing.text(60, 60 + 16 * line, f"{line + 1}.")
        drawing.text(90, 60 + 16 * line, f"Chapter about the {SENTENCE[line : line + 30]}")
        drawing.right(520, 60 + 16 * line, str(3 * line + 1))
    for line in range(12):
        drawing.text(60, 320 + 16 * line, f"({'abcdefghijkl'[line]})")
        drawing.text(90, 320 + 16 * line, SENTENCE[: 60 + line])
    assert find_tables(drawing.save(), 1) == []


def test_a_frame_around_a_paragraph_is_no_table(drawing: Drawing) -> None:
    drawing.canvas.rect(50, HEIGHT - 200, 450, 140)
    for line in range(6):
        drawing.text(60, 70 + 14 * line, SENTENCE[:80])
    assert find_tables(drawing.save(), 1) == []


def test_each_total_of_an_open_table_has_its_own_label(drawing: Drawing) -> None:
    rows = [("Quantity", "Description", "Total"), ("1", "Service", "100.00")]
    end = drawing.table(60, 100, rows, [90, 200, 90], GRID, BOLD_HEADER)
    totals = [("SUBTOTAL", "100.00"), ("SALES TAX", "10.00"), ("PREVIOUS BALANCE", "500.00"), ("TOTAL DUE", "610.00")]
    drawing.table(350, end, [(value,) for _, value in totals], [90], GRID)
    for at, (label, _) in enumerate(totals):
        drawing.right(340, end + 4 + 18 * at, label, size=9)
    assert only_table(drawing).rows == (rows[1], *((label, "", value) for label, value in totals))


def test_white_areas_around_a_table_do_not_join_it_with_what_stands_there(drawing: Drawing) -> None:
    drawing.canvas.setFillColor("white")
    for x, top, width, height in ((60, 60, 400, 60), (60, 120, 60, 60), (60, 180, 400, 60)):
        drawing.canvas.rect(x, HEIGHT - top - height, width, height, stroke=0, fill=1)
    drawing.canvas.setFillColor("black")
    drawing.text(70, 70, "Plumbing and Heating")
    drawing.text(70, 84, "12 Hill Road")
    drawing.table(120, 121, LIMITS[:3], [120, 90, 130], GRID)
    drawing.text(70, 200, "Balance due")
    table = only_table(drawing)
    assert (table.header, table.rows) == (LIMITS[0], tuple(LIMITS[1:3]))


def test_the_one_row_of_a_form_stands_under_its_names(drawing: Drawing) -> None:
    names = ("Salesperson", "P.O. Number", "Shipped via", "Terms")
    end = drawing.table(60, 100, [names, ("", "PO-3333", "", "")], [100] * 4, GRID, BOLD_HEADER)
    drawing.table(60, end + 16, LIMITS, [140, 100, 160], GRID)
    form, limits = find_tables(drawing.save(), 1)
    assert (form.header, form.rows) == (names, (("", "PO-3333", "", ""),))
    assert limits.caption == ""


def test_names_and_values_above_a_table_are_no_part_of_it(drawing: Drawing) -> None:
    for at, (label, value) in enumerate(
        [("Invoice date:", "03/20/2023"), ("Due date:", "04/04/2023"), ("Reference:", "REF-1")]
    ):
        drawing.text(60 + 130 * at, 80, label)
        drawing.text(60 + 130 * at, 96, value)
    for row, cells in enumerate(
        [("Item", "Quantity", "Price", "Amount"), *[(f"Chair {n}", "2", "70.00", "140.00") for n in range(4)]]
    ):
        for column, text in enumerate(cells):
            drawing.text(60 + 130 * column, 120 + 18 * row, text)
    table = only_table(drawing)
    assert table.header == ("Item", "Quantity", "Price", "Amount")
    assert len(table.rows) == 4


def test_names_over_groups_of_columns_belong_to_a_table_without_lines(drawing: Drawing) -> None:
    drawing.text(250, 84, "Actual")
    drawing.text(400, 84, "Budget and forecast")
    write_statement(drawing)
    table = only_table(drawing)
    assert table.header == ("Programme", "Actual > 2023", "Budget and forecast > 2024", "Budget and forecast > 2025")
    assert table.rows == tuple(STATEMENT[1:])


def test_one_name_over_all_columns_and_a_caption_over_the_table(drawing: Drawing) -> None:
    drawing.text(330, 84, "Years ended 31 December")
    write_statement(drawing)
    drawing.next_page()
    drawing.text(60, 84, "Appropriations by programme")
    write_statement(drawing)
    path = drawing.save()
    (grouped,), (captioned,) = find_tables(path, 1), find_tables(path, 2)
    assert grouped.header[1:] == tuple(f"Years ended 31 December > {year}" for year in (2023, 2024, 2025))
    assert (captioned.header, captioned.caption) == (STATEMENT[0], "Appropriations by programme")


def test_units_among_the_titles_of_a_statement_go_with_the_table(drawing: Drawing) -> None:
    drawing.text(230, 40, "Consolidated Statement", bold=True)
    drawing.text(200, 56, "(in millions except per share amounts)")
    drawing.text(240, 72, "Budget office", bold=True)
    write_statement(drawing)
    assert only_table(drawing).units == "in millions except per share amounts"


def test_the_single_row_left_over_for_the_next_page_is_a_row_of_the_table(drawing: Drawing) -> None:
    drawing.table(70, 700, LIMITS[:3], [140, 90, 150], GRID)
    drawing.next_page()
    drawing.table(70, 60, LIMITS[3:], [140, 90, 150], GRID)
    drawing.text(70, 120, SENTENCE[:80] + ".")
    path = drawing.save()
    first = find_tables(path, 1)
    pages = join_continuations([first, find_tables(path, 2, goes_on=first[-1])], heights=[HEIGHT, HEIGHT])
    assert (pages[1][0].header, pages[1][0].rows, pages[1][0].continues) == (LIMITS[0], (LIMITS[3],), True)
    assert find_tables(path, 2) == []
