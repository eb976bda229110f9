"""What of a passage can be quoted, and how it reads."""

import pytest

from rag.quotable import quotable, row_text, together
from tests.rag.fakes import passage


def shown(text: str, **values) -> list[str]:
    return [quote.shown for quote in quotable([passage(text, **values)])]


@pytest.mark.parametrize(
    ("header", "row", "text"),
    [
        (
            ["Document", "Validity"],
            ["Tax clearance certificate", "12 months"],
            "Tax clearance certificate – Validity: 12 months",
        ),
        (["No.", "Transaction", "HoD", "GM"], ["4.4", "Letter of Authority", "–", "A"], "4.4 Letter of Authority – GM: A"),
        (["Value", "Approver"], ["up to 10,000", "Buyer"], "Value: up to 10,000; Approver: Buyer"),
        (["Band", "Approver", "Note"], ["C", "Head of Finance", "-"], "Band: C; Approver: Head of Finance"),
        (["Vendor", "USD thousand > Paid"], ["Corvane Chemicals", "466"], "Corvane Chemicals – Paid (USD thousand): 466"),
    ],
)
def test_a_row_reads_as_what_it_is_about_and_its_filled_cells(header, row, text):
    assert row_text(header, row) == text


def test_a_table_without_a_header_takes_its_first_full_row_and_its_caption():
    table = "|  |  |\n| --- | --- |\n| Table 2. Revenue |  |\n| Source of revenue | 2025 |\n| Connection fees of 2025 | 3,250 |"
    (quote,) = quotable([passage(table)])
    assert (quote.shown, quote.table) == ("Connection fees of 2025 – 2025: 3,250", "Table 2. Revenue")


def test_headings_and_lines_of_contents_are_no_quotes():
    text = "Methods of procurement today\n\n4.2 Liquidated damages of all kinds … 3\n\nThe value decides the method."
    assert shown(text, section=("Methods of procurement today",)) == ["“The value decides the method.”"]


def test_a_sentence_that_refers_back_comes_with_the_one_before():
    assert shown("The committee reviews every award. It consists of five members.")[1] == (
        "“The committee reviews every award. It consists of five members.”"
    )


def test_a_question_comes_with_its_answer():
    assert shown("Can I pay a supplier by card? Yes, without surcharge it is allowed.")[0] == (
        "“Can I pay a supplier by card? Yes, without surcharge it is allowed.”"
    )


def test_an_opening_comes_with_its_items_and_an_item_with_its_opening():
    text = "The contractor pays damages as follows:\n(a) for goods, 0.5 percent a week;\n(b) for works, 0.1 percent a day."
    first, _, last = shown(text)
    assert first == f"“{' '.join(text.split())}”"
    assert last == "“The contractor pays damages as follows: … (b) for works, 0.1 percent a day.”"


def test_neighbours_in_one_clause_are_one_quote_and_those_of_two_clauses_are_not():
    text = "5.1 All guests of a meal and its purpose are named in writing. The limit is 55 dollars.\n5.2 Gifts are never paid."
    named, limit, gifts = quotable([passage(text)])
    joined = together(limit, named)
    assert joined is not None
    assert joined.shown == "“5.1 All guests of a meal and its purpose are named in writing. The limit is 55 dollars.”"
    assert together(limit, gifts) is None
