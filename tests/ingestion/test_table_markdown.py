"""Every piece of a table can be read on its own, and no piece loses or splits a row."""

from hypothesis import given
from hypothesis import strategies as st

from ingestion.table_markdown import TablePiece, render_markdown, row_sentences, value_columns
from rag.domain import Table

LIMITS = Table(
    header=("Category", "Limit", "Approver"),
    rows=(("IT equipment", "USD 50,000", "CFO"), ("Vehicles", "USD 80,000*", "Board"), ("Furniture", "USD 10,000", "Manager")),
    caption="Table 3: Limits",
    units="in US dollars",
    footnotes=("* leased vehicles included", "Source: Finance"),
)


def test_a_small_table_is_one_piece_with_caption_units_header_and_footnotes() -> None:
    assert render_markdown(LIMITS, max_characters=1000) == [
        TablePiece(
            "**Table 3: Limits** (in US dollars)\n\n"
            "| Category | Limit | Approver |\n"
            "| --- | --- | --- |\n"
            "| IT equipment | USD 50,000 | CFO |\n"
            "| Vehicles | USD 80,000* | Board |\n"
            "| Furniture | USD 10,000 | Manager |\n\n"
            "* leased vehicles included\n"
            "Source: Finance",
            0,
            3,
        )
    ]


def test_each_piece_repeats_the_header_and_carries_the_footnotes_of_its_rows() -> None:
    first, second, third = render_markdown(LIMITS, max_characters=120)
    assert all("| Category | Limit | Approver |\n| --- |" in piece.text for piece in (first, second, third))
    assert [(piece.first, piece.end) for piece in (first, second, third)] == [(0, 1), (1, 2), (2, 3)]
    assert "leased" not in first.text
    assert second.text.endswith("| Vehicles | USD 80,000* | Board |\n\n* leased vehicles included")
    assert third.text.endswith("| Furniture | USD 10,000 | Manager |\n\nSource: Finance")


def test_bars_and_line_ends_in_cells_do_not_break_the_table() -> None:
    piece = render_markdown(Table(("A|B", "C"), (("x\ny", "a\\|b"),)), max_characters=100)[0]
    assert piece.text == "| A\\|B | C |\n| --- | --- |\n| x y | a\\\\\\|b |"


def test_a_table_without_rows_is_its_header() -> None:
    assert [piece.text for piece in render_markdown(Table(("A", "B"), ()), max_characters=10)] == ["| A | B |\n| --- | --- |"]


cells = st.text(alphabet="ab |\n", max_size=12)
tables = st.integers(2, 4).flatmap(
    lambda width: st.builds(
        Table,
        header=st.tuples(*[cells] * width),
        rows=st.lists(st.tuples(*[cells] * width), min_size=1, max_size=8).map(tuple),
        caption=cells,
    )
)


@given(tables, st.integers(1, 200))
def test_the_pieces_hold_every_row_once_and_in_order(table: Table, size: int) -> None:
    pieces = render_markdown(table, max_characters=size)
    assert [at for piece in pieces for at in range(piece.first, piece.end)] == list(range(len(table.rows)))
    for piece in pieces:
        lines = piece.text.split("\n")[-(piece.end - piece.first) :]
        assert (
            lines
            == render_markdown(Table(table.header, table.rows[piece.first : piece.end]), max_characters=10**6)[0].text.split(
                "\n"
            )[2:]
        )
        assert len(piece.text) <= size or piece.end - piece.first == 1


def test_a_row_is_a_sentence_with_the_names_of_its_columns() -> None:
    assert row_sentences(LIMITS)[0] == "Category: IT equipment | Limit: USD 50,000 | Approver: CFO"


def test_empty_cells_and_columns_without_a_name_leave_no_trace() -> None:
    assert row_sentences(Table(("", "2024"), (("Pens", "100"), ("Ink", "")))) == ["Pens | 2024: 100", "Ink"]


def test_a_section_row_stands_before_the_rows_it_names() -> None:
    table = Table(("Item", "Price"), (("Goods", ""), ("Pens", "10"), ("Works", ""), ("Road", "900"), ("Closing remark", "")))
    assert row_sentences(table) == ["Goods | Item: Pens | Price: 10", "Works | Item: Road | Price: 900", "Item: Closing remark"]


def test_a_total_is_called_by_its_name_and_not_by_the_column_its_name_stands_in() -> None:
    header = ("Quantity", "Description", "Total")
    table = Table(header, (("1", "Service", "USD 100"), ("TOTAL DUE", "", "USD 610")))
    assert row_sentences(table) == ["Quantity: 1 | Description: Service | Total: USD 100", "TOTAL DUE: USD 610"]
    last = Table(header, table.rows[1:])
    assert row_sentences(last, values=value_columns(table)) == ["TOTAL DUE: USD 610"]


def test_names_and_values_without_a_header_are_pairs() -> None:
    rows = (("Sales tax", "3%"), ("Name:", "First Last"), ("Sold to", "Wingtip Toys"))
    assert row_sentences(Table(("", ""), rows)) == ["Sales tax: 3%", "Name: First Last", "Sold to | Wingtip Toys"]
