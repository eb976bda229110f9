"""What of a passage can be quoted, and how it reads."""

from rag.quotable import quotable, together
from rag.sentences import NEXT_PAGE
from tests.rag.fakes import passage


def shown(text: str, **values) -> list[str]:
    return [quote.shown for quote in quotable([passage(text, **values)])]


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


CARDS = """Small tools and office supplies are bought by card.
What may not be bought
• Cash advances and gift cards.
• Alcohol and tobacco.
The bank blocks these purchases."""


def test_list_items_carry_the_heading_that_they_stand_under():
    whole, gifts, alcohol = [quote for quote in quotable([passage(CARDS)]) if "What" in quote.shown]
    assert whole.shown == "“What may not be bought • Cash advances and gift cards. • Alcohol and tobacco.”"
    assert gifts.shown == "“What may not be bought: … Cash advances and gift cards.”"
    assert gifts.text == "What may not be bought\n• Cash advances and gift cards."
    assert alcohol.shown == "“What may not be bought: … Alcohol and tobacco.”"


def test_a_list_that_was_cut_off_from_its_heading_is_quoted_with_the_section():
    found = passage("• Cash advances and gift cards.\n• Alcohol and tobacco.", section=("Cards", "What may not be bought"))
    assert next(quote.shown for quote in quotable([found])) == (
        "“What may not be bought: … Cash advances and gift cards. • Alcohol and tobacco.”"
    )


def test_the_name_of_a_document_at_the_top_of_its_page_governs_no_list():
    found = passage("Procurement Policy\n\nAll staff buy by card.\n• Cards are issued by the bank.")
    assert shown(found.text)[-1] == "“Cards are issued by the bank.”"


def test_an_introduction_without_its_items_is_not_quoted():
    assert shown("A sole source is accepted only where:") == []
    assert shown("All purchases are documented. A sole source is accepted only where:") == ["“All purchases are documented.”"]


def test_a_list_over_two_pages_is_quoted_whole_and_each_part_cited_on_its_page():
    found = passage(
        f"8.2 A sole source is accepted only where:{NEXT_PAGE}(a) a single supplier exists; or\n(b) bids failed twice."
    )
    whole, _, last = quotable([found])
    assert whole.shown == "“8.2 A sole source is accepted only where: (a) a single supplier exists; or (b) bids failed twice.”"
    assert [each.quote for each in whole.support] == [
        "8.2 A sole source is accepted only where:",
        "(a) a single supplier exists; or\n(b) bids failed twice.",
    ]
    assert last.text == "(b) bids failed twice."


def test_items_at_the_top_of_a_page_come_with_the_line_that_ends_the_page_before():
    before = passage("8.2 A sole source is accepted only where:", page=7)
    after = passage("(a) a single supplier holds the patent.\n(b) competition was tried twice.", page=8)
    (item, _) = quotable([after, before])
    assert item.cited == "“8.2 A sole source is accepted only where:” [2] “(a) a single supplier holds the patent.” [1]"


def test_rows_under_a_row_that_names_them_say_so_and_have_the_unit_of_the_caption():
    table = (
        "**Table 1. Spend by category, second quarter** (USD thousand)\n\n"
        "| Category | Actual | Change, % |\n| --- | --- | --- |\n| Works |  |  |\n| Water mains | 2,310 | +4.2 |"
    )
    (quote,) = quotable([passage(table)])
    assert quote.shown == "Works: Water mains – Actual (USD thousand): 2,310; Change, %: +4.2"
    assert quote.table == "Table 1. Spend by category, second quarter"


def test_a_table_without_a_header_names_no_column_after_its_data():
    table = "| Vaccines | 3 May 2025 | 457,823.00 |\n| --- | --- | --- |\n| Medicines | 4 May 2025 | 185,544.00 |"
    assert [quote.shown for quote in quotable([passage(table)])] == [
        "Vaccines – 3 May 2025; 457,823.00",
        "Medicines – 4 May 2025; 185,544.00",
    ]


def test_a_wide_row_is_shown_with_the_columns_asked_for():
    names = [f"Stage {letter} of the procurement activity" for letter in "ABCDEFGHIJKL"]
    header, row = ["Project", *names, "Budget (PhP)"], ["Janitorial services", *["3rd week of March"] * 12, "826,725.35"]
    table = f"| {' | '.join(header)} |\n|{' --- |' * 14}\n| {' | '.join(row)} |"
    (quote,) = quotable([passage(table)])
    assert quote.asked_for({"budget"}).shown == "Janitorial services – Budget (PhP): 826,725.35 …"


def test_a_number_in_brackets_is_not_taken_for_a_marker():
    assert shown("The method is that of the standard [3] and no other.") == [
        "“The method is that of the standard (3) and no other.”"
    ]


INVOICE = """| Salesperson | Order | Shipped via |
| --- | --- | --- |
|  | PO-3333 | Ground freight |

| Quantity | Description | Unit price | Total |
| --- | --- | --- | --- |
| 1 | Pump housing | 95 | $95.00 |
| Subtotal |  |  | $95.00 |
|  |  | Balance due | $610.00 |"""


def test_the_totals_of_an_invoice_are_called_by_their_own_names_alone():
    assert shown(INVOICE) == [
        "Order: PO-3333; Shipped via: Ground freight",
        "Quantity: 1; Description: Pump housing; Unit price: 95; Total: $95.00",
        "Subtotal: $95.00",
        "Balance due: $610.00",
    ]


def test_a_total_keeps_the_currency_of_its_column_and_a_row_its_columns():
    table = "| Item | Count | Amount (USD) |\n| --- | --- | --- |\n| Pump | 2 | 900 |\n|  | Freight | 40 |\n| Total |  | 940 |"
    assert shown(table) == ["Pump – Count: 2; Amount (USD): 900", "Freight (USD): 40", "Total – Amount (USD): 940"]


def test_a_name_and_its_amount_are_no_names_of_columns():
    table = "|  |  |\n| --- | --- |\n| Subtotal | $100.00 |\n| Sales tax | 3% |\n| Amount due now | $103.00 |"
    assert shown(table) == ["Subtotal – $100.00", "Sales tax – 3%", "Amount due now – $103.00"]
