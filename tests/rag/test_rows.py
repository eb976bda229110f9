"""How a table row reads, and with which units."""

import pytest

from rag.rows import holds_data, is_total, row_text, split_unit


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
        (["Category", "Spent"], ["Total", "11,280"], "Total – Spent: 11,280"),
        (["Invoice Date:", "Due Date:"], ["3 May 2025", "2 June 2025"], "Invoice Date: 3 May 2025; Due Date: 2 June 2025"),
    ],
)
def test_a_row_reads_as_what_it_is_about_and_its_filled_cells(header, row, text):
    assert row_text(header, row) == text


def test_the_row_above_that_names_others_is_said_before_them():
    said = row_text(["Item", "2022"], ["Interest income", "61"], section="Other income, net:")
    assert said == "Other income, net: Interest income – 2022: 61"


@pytest.mark.parametrize(
    ("header", "row", "unit", "text"),
    [
        (["Vendor", "USD thousand > Paid"], ["Corvane", "466"], "", "Corvane – Paid (USD thousand): 466"),
        # The unit stood above the last column and means the table, but no percentage and no count.
        (
            ["Category", "Actual", "USD thousand > Variance, %"],
            ["Fuel", "3,388", "+5.4"],
            "",
            "Fuel – Actual (USD thousand): 3,388; Variance, %: +5.4",
        ),
        (
            ["Method", "Number", "Value"],
            ["RFQ", "107", "2,514"],
            "EUR million",
            "RFQ – Number: 107; Value (EUR million): 2,514",
        ),
        (["Item", "2025"], ["Staff, full-time", "423"], "USD thousand", "Staff, full-time – 2025: 423"),
        (["Project", "2025"], ["Pumping station", "4,200"], "USD thousand", "Pumping station – 2025 (USD thousand): 4,200"),
        (["Transaction", "Band", "GM"], ["Waiver", "Above 20,000", "A"], "USD", "Waiver – Band (USD): Above 20,000; GM: A"),
        (["Transaction", "Band"], ["Advance", "Up to 15 percent"], "USD", "Advance – Band: Up to 15 percent"),
        (["Stage", "RFP"], ["Bidding period", "25"], "Working days", "Bidding period – RFP (Working days): 25"),
        (["Service", "Price (EUR)"], ["Cleaning", "40"], "USD", "Cleaning – Price (EUR): 40"),
        (["Group", "Full day"], ["Canada", "85"], "USD per day", "Canada – Full day (USD per day): 85"),
    ],
)
def test_every_figure_has_its_own_unit(header, row, unit, text):
    assert row_text(header, row, unit=unit) == text


@pytest.mark.parametrize(
    ("caption", "name", "unit"),
    [
        ("Table 5. Chemicals USD thousand", "Table 5. Chemicals", "USD thousand"),
        ("Table 1. Bands (USD)", "Table 1. Bands", "USD"),
        ("Table 2. Delegation by transaction Amounts in USD", "Table 2. Delegation by transaction", "USD"),
        ("Table 6. Contracts, USD thousand a year", "Table 6. Contracts", "USD thousand a year"),
        ("Procurement Plan FY 2013 (PhP)", "Procurement Plan FY 2013", "PhP"),
        ("Table 3. Scoring scale", "Table 3. Scoring scale", ""),
    ],
)
def test_the_unit_at_the_end_of_a_caption(caption, name, unit):
    assert split_unit(caption) == (name, unit)


def test_totals_and_rows_of_data():
    assert is_total(["", "Total", "67,980"])
    assert not is_total(["Totality Ltd.", "3"])
    assert holds_data(["Vaccines", "3 May 2025", "457,823.00"])
    assert not holds_data(["Category", "2025", "2026"])
    assert not holds_data(["Type", "Up to 50,000", "50,000 to 250,000"])
