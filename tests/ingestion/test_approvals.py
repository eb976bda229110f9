"""Approval rules read from the kinds of table and sentence in which policies write them."""

import pytest

from ingestion.approvals import approval_rules
from rag.domain import Page, Table


def rules(*tables: Table, text: str = ""):
    found = approval_rules([Page(number=4, outcome="text", text=text, tables=tables)])
    return [(rule.relation, rule.subject, rule.low, rule.high, rule.currency, rule.category) for rule in found]


def test_rows_that_pair_a_band_with_an_approver_and_a_method():
    table = Table(
        header=("Category", "Value (USD)", "Method", "Approver"),
        rows=(
            ("IT equipment", "Up to 5,000", "Direct purchase", "Head of Department"),
            ("IT equipment", "5,000.01 to 50,000", "RFQ", "CFO"),
            ("IT equipment", "Above 50,000", "–", "Board"),
        ),
    )
    assert rules(table) == [
        ("method", "Direct purchase", None, 5_000, "USD", "IT equipment"),
        ("approves", "Head of Department", None, 5_000, "USD", "IT equipment"),
        ("method", "RFQ", 5_000, 50_000, "USD", "IT equipment"),
        ("approves", "CFO", 5_000, 50_000, "USD", "IT equipment"),
        ("approves", "Board", 50_000, None, "USD", "IT equipment"),
    ]


def test_a_matrix_of_marks_whose_bands_another_table_names_by_letter():
    bands = Table(header=("Band", "Total (EUR)"), rows=(("A", "Up to 1,000"), ("B", "1,000.01 to 9,000"), ("C", "Above 9,000")))
    matrix = Table(
        caption="Delegation of authority",
        header=("Transaction", "Band", "HoD", "CFO"),
        rows=(("Award", "A and B", "A", "I"), ("Award", "C", "R", "A")),
    )
    assert rules(bands, matrix) == [
        ("approves", "HoD", None, 9_000, "EUR", "Award"),
        ("approves", "CFO", 9_000, None, "EUR", "Award"),
    ]


def test_a_matrix_whose_cells_are_limits():
    table = Table(
        caption="Approval limits",
        units="USD",
        header=("Type", "Manager", "Director", "CEO"),
        rows=(("Services", "10,000", "50,000", "Unlimited"), ("Travel", "1,000", "5,000", "Unlimited")),
    )
    assert rules(table)[:3] == [
        ("approves", "Manager", None, 10_000, "USD", "Services"),
        ("approves", "Director", 10_000, 50_000, "USD", "Services"),
        ("approves", "CEO", 50_000, None, "USD", "Services"),
    ]


def test_a_cell_that_points_to_another_table_names_no_approver():
    table = Table(
        header=("Value (USD)", "Method", "Approved under"),
        rows=(("Up to 5,000", "Micro-purchase", "DoA, band A"), ("Above 5,000", "RFQ", "Head of Department")),
    )
    assert [(relation, subject) for relation, subject, *_ in rules(table)] == [
        ("method", "Micro-purchase"),
        ("method", "RFQ"),
        ("approves", "Head of Department"),
    ]


def test_a_budget_holds_no_rules():
    budget = Table(header=("Category", "2024", "2025"), rows=(("Chemicals", "10,000", "12,000"), ("Fuel", "4,000", "5,000")))
    prices = Table(header=("Item", "Value"), rows=(("Pump", "Up to 300"), ("Pipe", "Above 20")))
    assert rules(budget, prices) == []


def test_sentences():
    text = (
        "The Chief Procurement Officer may approve purchases up to USD 25,000. Contracts above USD 250,000 must be approved by "
        "the Board of Directors. Purchases between $5,000 and $25,000 require three written quotations. "
        "The Project Manager reports costs above $9,000 monthly; up to that amount the Buyer approves."
    )
    assert rules(text=text) == [
        ("approves", "Chief Procurement Officer", None, 25_000, "USD", ""),
        ("approves", "Board of Directors", 250_000, None, "USD", ""),
        ("method", "three written quotations", 4_999.99, 25_000, "USD", ""),
    ]


def test_tables_of_rates_and_card_limits_approve_nothing():
    per_diem = Table(
        caption="Per diem and lodging limits",
        units="USD per day",
        header=("Location", "M&IE full day", "Lodging limit"),
        rows=(("Canada", "85", "226"), ("Other countries", "98", "275")),
    )
    cards = Table(
        caption="Limits",
        header=("Profile", "Single purchase", "Month"),
        rows=(("Standard", "$2,500", "$10,000"), ("Buyer", "$5,000", "$40,000")),
    )
    monitoring = Table(
        header=("Project", "Is it early?", "Approved by", "Documents", "Budget period"),
        rows=(("Fuel", "No", "N/A", "26 February 2025", "5.99 to 2,022"), ("Guards", "Yes", "N/A", "N/A", "5.99 to 2,022")),
    )
    assert rules(per_diem, cards, monitoring) == []


def test_what_a_band_says_beside_its_amounts_is_its_condition():
    methods = Table(
        header=("Estimated value (USD)", "Method"),
        rows=(("Above 75,000, requirement fully specified", "ITB"), ("Any value, repeated needs", "Call-off")),
    )
    matrix = Table(
        caption="Delegation of authority",
        header=("Transaction", "Band", "CPO", "TC"),
        rows=(("Award", "Up to 75,000", "A", "I"), ("Debarment of a vendor", "1 to 5 years", "R", "A")),
    )
    found = approval_rules([Page(number=4, outcome="text", tables=(methods, matrix))])
    assert [(rule.subject, rule.low, rule.high, rule.condition) for rule in found] == [
        ("ITB", 75_000, None, "requirement fully specified"),
        ("Call-off", None, None, "repeated needs"),
        ("CPO", None, 75_000, ""),
        ("TC", None, None, "1 to 5 years"),
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The Contract Manager may waive liquidated damages of up to $5,000.",
            [("approves", "Contract Manager", None, 5_000, "USD", "waive liquidated damages")],
        ),
        (
            "Variations above EUR 10,000 must be approved by the Finance Director.",
            [("approves", "Finance Director", 10_000, None, "EUR", "Variations")],
        ),
        (
            "Contracting officers must obtain approval from the Head of the Contracting Activity for awards over $22 million.",
            [("approves", "Head of the Contracting Activity", 22_000_000, None, "USD", "")],
        ),
        (
            "Purchases above $10,000 need the approval of the contracting officer.",
            [("approves", "contracting officer", 10_000, None, "USD", "")],
        ),
        # A ladder of roles; the justification is no method of buying.
        (
            "8.1 Sole source. A purchase without competition requires a Sole Source Justification approved by the CPO up to "
            "$75,000, by the GM up to $250,000, and by the Board above.",
            [
                ("approves", "CPO", None, 75_000, "USD", "Sole source"),
                ("approves", "GM", 75_000, 250_000, "USD", "Sole source"),
                ("approves", "Board", 250_000, None, "USD", "Sole source"),
            ],
        ),
        (
            "The Head of Department may sanction works up to Rs. 30 lakh.",
            [("approves", "Head of Department", None, 3_000_000, "INR", "works")],
        ),
        (
            "Contracts above half a million dollars must be approved by the Board of Directors.",
            [("approves", "Board of Directors", 500_000, None, "USD", "")],
        ),
        ("The committee has three to five members named by the CPO.", []),
        ("The standard was approved by the American National Standards Institute in 4-1 votes.", []),
    ],
)
def test_sentences_of_roles_that_may_act_up_to_an_amount(sentence, expected):
    assert rules(text=sentence) == expected


def test_amounts_are_counted_in_what_the_caption_the_units_or_a_header_says():
    bands = Table(
        caption="Delegation of financial powers (Rs. in lakh)",
        header=("Value", "Approving authority"),
        rows=(("Up to 5", "Head of Office"), ("5 to 25", "Head of Department"), ("Above 25", "Secretary")),
    )
    limits = Table(
        caption="Delegation of powers",
        units="USD thousand",
        header=("Phase", "Powers of the Manager", "Powers of the Director", "Board"),
        rows=(("Phase 2 works", "2.5", "1,000", "Full powers"), ("Travel", "15", "500", "Unlimited")),
    )
    assert rules(bands, limits) == [
        ("approves", "Head of Office", None, 500_000, "INR", ""),
        ("approves", "Head of Department", 499_999.99, 2_500_000, "INR", ""),
        ("approves", "Secretary", 2_500_000, None, "INR", ""),
        ("approves", "Manager", None, 2_500, "USD", "Phase 2 works"),
        ("approves", "Director", 2_500, 1_000_000, "USD", "Phase 2 works"),
        ("approves", "Board", 1_000_000, None, "USD", "Phase 2 works"),
        ("approves", "Manager", None, 15_000, "USD", "Travel"),
        ("approves", "Director", 15_000, 500_000, "USD", "Travel"),
        ("approves", "Board", 500_000, None, "USD", "Travel"),
    ]


def test_file_numbers_are_no_band():
    exhibits = Table(
        header=("Exhibit", "Form", "SEC File No."),
        rows=(("Merger agreement", "8-K", "000-15175"), ("Indenture", "S-3", "333-209764")),
    )
    assert rules(exhibits) == []
