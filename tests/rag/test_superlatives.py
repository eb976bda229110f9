"""Questions for the most or least of something, answered from the tables found."""

import pytest

from rag.quotable import quotable
from rag.superlatives import extremes
from tests.rag.fakes import passage

SPEND = passage(
    "**Table 1. Operating spend by category, second quarter USD thousand**\n\n"
    "| Category | Budget | Actual | Variance | Variance, % |\n| --- | --- | --- | --- | --- |\n"
    "| Electricity | 3,215 | 3,388 | +173 | +5.4 |\n| Professional services | 805 | 731 | −74 | −9.2 |\n"
    "| Maintenance | 2,560 | 2,842 | +282 | +11.0 |\n| Total | 6,580 | 6,961 | +381 | +5.8 |"
)
PAYMENT = passage(
    "**Table 5. Invoices by department**\n\n| Department | Invoices | Average days |\n| --- | --- | --- |\n"
    "| Engineering | 311 | 26 |\n| Customer Services | 274 | 19 |\n| Distribution | 1,532 | 29 |",
    page=3,
)

CONTRACTS = passage(
    "**Table 6. Contracts that end soon**\n\n| Contract | Ends | Value |\n| --- | --- | --- |\n"
    "| Fleet maintenance | 31 Oct 2025 | 395 |\n| Chlorine | 30 Sep 2025 | 3,480 |\n| Guards | 31 Jan 2026 | 522 |",
    page=4,
)


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Which category had the largest spend in the second quarter?", "Electricity"),
        ("In which category did we spend the least?", "Professional services"),
        ("Which category had the highest variance?", "Maintenance"),
        ("What is the lowest variance of a category?", "Professional services"),
        ("Which department pays its invoices fastest?", "Customer Services"),
        ("Which department takes longest to pay?", "Distribution"),
        ("Which department has the most invoices?", "Distribution"),
        ("Which contract ends first?", "Chlorine"),
        ("Which contract has the latest end?", "Guards"),
        ("Which contract has the highest value?", "Chlorine"),
        ("Which category has the fastest growing spend?", "Maintenance"),
    ],
)
def test_the_row_with_the_most_or_the_least_of_the_column_asked_for(question, row):
    (found,) = extremes(question, list(quotable([SPEND, PAYMENT, CONTRACTS])))
    assert found.row[0] == row


def test_the_answer_says_what_it_compared():
    (found,) = extremes("Which department has the most invoices?", list(quotable([SPEND, PAYMENT])))
    assert found.shown == "Distribution – Invoices: 1,532; Average days: 29 (the highest ‘Invoices’ among the rows found)"


@pytest.mark.parametrize(
    "question",
    [
        "How many invoices did Engineering have?",
        "What is the maximum bid security?",  # a limit, not a comparison
        "Which quotes must be asked for at least three vendors?",
        "What is the meal allowance on the first and last day?",
        "Which ship is the longest?",  # of which no table tells
    ],
)
def test_other_questions_compare_nothing(question):
    assert extremes(question, list(quotable([SPEND, PAYMENT]))) == []


def test_as_many_rows_as_are_asked_for_in_their_order():
    found = extremes("What are the two largest categories by actual spend?", list(quotable([SPEND])))
    assert [row.row[0] for row in found] == ["Electricity", "Maintenance"]
