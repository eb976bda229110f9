"""Amounts are read alike however they are written."""

import pytest

from rag.amounts import find_amounts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("USD 50,000", [(50_000, "USD")]),
        ("50000", [(50_000, "")]),
        ("50k", [(50_000, "")]),
        ("$4 million", [(4_000_000, "USD")]),
        ("1.5m euros", [(1_500_000, "EUR")]),
        ("€ 50.000,00", [(50_000, "EUR")]),
        ("25 000 EUR", [(25_000, "EUR")]),
        ("Rs. 1,50,000 or ₹5 lakh", [(150_000, "INR"), (500_000, "INR")]),
        ("5,001-25,000 EUR", [(5_001, ""), (25_000, "EUR")]),
        ("$5k–$10k", [(5_000, "USD"), (10_000, "USD")]),
        ("13,946,873.82", [(13_946_873.82, "")]),
        ("no number", []),
    ],
)
def test_values_and_currencies(text, expected):
    assert [(amount.value, amount.currency) for amount in find_amounts(text)] == expected


@pytest.mark.parametrize(("text", "money"), [("$1", True), ("50,000", True), ("2k", True), ("12", False), ("2025", False), ("52.204", False)])
def test_money_is_told_from_other_numbers(text, money):
    assert [amount.grouped for amount in find_amounts(text)] == [money]
