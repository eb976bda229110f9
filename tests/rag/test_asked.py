"""What a question asks for, and what a quote lacks of it."""

import pytest

from rag.asked import Asked, holds_name
from rag.domain import Expansion, Filters
from rag.quotable import quotable
from tests.rag.fakes import passage, query


def lacking(question: str, text: str, *, document: str = "Annual Budget 2025", **values) -> list[str]:
    (quote,) = quotable([passage(text, document=document)])
    return Asked(query(question, **values)).lacking(quote)


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("Why was the pump repaired?", "The pump was repaired in April by the vendor.", ["a reason"]),
        ("Why was the pump repaired?", "The pump was repaired because its bearing failed.", []),
        ("Who is the Finance Director?", "The Finance Director approves every budget transfer.", ["a person's name"]),
        ("What is the name of the Finance Director?", "Signed: J. Doe-Smith, Finance Director", []),
        ("Who approves a transfer?", "The Finance Director approves every budget transfer.", []),
        ("When was the budget adopted?", "The budget was adopted by the Board.", ["a date or time"]),
        ("When was the budget adopted?", "The budget was adopted on 12 December 2024.", []),
        ("When is the report due?", "The report is due before the next meeting.", []),
        ("How many members has the committee?", "The committee has several members.", ["a number"]),
        ("How many members has the committee?", "The committee has three members.", []),
        ("How long are files kept?", "Files are kept in the archive of the department.", ["how long or how often"]),
        ("How long are files kept?", "Files are kept for ten years.", []),
        ("What is the gift limit?", "Tighter limits apply to gifts.", ["an amount"]),
        ("What is the gift limit?", "Gifts up to $25 may be accepted.", []),
        ("What is the gift limit?", "4 1 February 2025 Tighter limits on gifts.", ["an amount"]),
        ("What is the budget for 2026?", "Figures for 2026 and 2027 are plans.", ["an amount"]),
        ("What is the procedure for changing the budget?", "The Board decides on every transfer.", []),
        ("What is the personnel budget for 2026?", "Personnel is budgeted at 40,115.", ["2026"]),
        ("What is the personnel budget for FY2025?", "Personnel is budgeted at 40,115.", []),  # the document's own year
        ("What was spent in the third quarter?", "In Q2 we spent 402 thousand.", ["Q3"]),
        ("What was spent in Q2?", "We spent 402 thousand in the second quarter.", []),
        ("What does Revision 3 say about gifts?", "Gifts up to $25 may be accepted.", ["Revision 3"]),
        ("What is not reimbursed?", "Meals are reimbursed with a receipt.", ["what is not so"]),
        ("What is not reimbursed?", "Not reimbursed are films and fines.", []),
        ("What must be sent no later than Monday?", "Reports must be sent by Monday.", []),
        ("What are the exceptions to the rule?", "The Director may allow a shorter period.", []),
        ("Which values does the company have?", "We value honesty and trust.", []),
        ("What is the value of Option 2?", "Option Two is worth $3,130.", []),  # a bare number is no name
        ("What did Meridell win?", "A contract for pipes was awarded.", ["Meridell"]),
        ("What does the IT section buy?", "The fleet section buys all of its vehicles.", ["IT"]),
        ("What does the IT section buy?", "The IT section buys all computers.", []),
    ],
)
def test_what_a_quote_lacks(question, text, missing):
    assert lacking(question, text) == missing


def test_what_the_question_restricts_itself_to_needs_no_saying():
    assert lacking("What was the limit in 2023?", "The limit is $50.", filters=Filters(year=("2023",))) == []


@pytest.mark.parametrize(
    ("question", "document", "missing"),
    [
        ("Which contracts ended in 2024?", "Standard Contract Terms", ["2024"]),
        ("How many contracts ended in 2024?", "Spend Report", []),
        ("Which contracts end by the 2024 terms?", "Standard Contract Terms", []),
    ],
)
def test_the_year_of_an_edition_is_not_when_a_thing_happened(question, document, missing):
    filters = Filters(year=("2024",))
    assert lacking(question, "Two contracts end at completion.", document=document, filters=filters) == missing


def test_leave_for_a_thing_is_answered_by_what_rules_on_that_thing():
    texts = ("Purchases may be made with a card.", "Never buy gift cards with it.", "Gift cards come in two sizes.")
    general, ruling, described = quotable([passage(" ".join(texts))])
    asked = Asked(query("Are gift cards allowed on the P-Card?"))
    assert asked.liking(ruling, []) > asked.liking(described, []) > asked.liking(general, [])
    assert "whether that holds for gift cards" in asked.lacking(general)
    assert "whether that holds for gift cards" in asked.lacking(described)
    assert "whether that holds for gift cards" not in asked.lacking(ruling)


def test_what_is_excluded_is_what_the_question_names_before_the_word():
    texts = ("It does not change who approves.", "Purchases of fuel are excluded.", "Fuel may not be bought.")
    other, excluded, bought = quotable([passage(" ".join(texts))])
    asked = Asked(query("Under the rules of the new circular of March, which purchases are excluded from cards?"))
    assert min(asked.liking(excluded, []), asked.liking(bought, [])) > asked.liking(other, [])
    assert "what is not so" in asked.lacking(other)
    assert "what is not so" not in asked.lacking(bought)


def test_a_name_may_stand_spelled_out():
    spelled = (Expansion("SRF", "SRF", "State Revolving Fund"),)
    assert lacking("What does the SRF pay?", "The State Revolving Fund pays 30 percent.", expansions=spelled) == []
    assert lacking("What does the SRF pay?", "The state pays 30 percent of it.", expansions=spelled) == ["SRF"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("M. Okafor-Lindqvist, Chief Financial Officer (CFO)", True),
        ("Jane Doe, Director of Finance", True),
        ("The General Manager: Jane Doe", True),
        ("approved by Dr. Doe", True),
        ("BH Budget Holder, HoD Head of Department", False),
        ("the rules of the U.S. Department of State", False),
        ("A. General provisions", False),
        ("The General Manager, the General Counsel", False),
    ],
)
def test_persons_are_named_by_initials_a_title_or_beside_a_position(text, named):
    assert holds_name(text) == named


def test_a_quote_that_denies_the_same_is_liked_best():
    texts = ("Films are not reimbursed.", "Meals are reimbursed where they are not free.", "Meals are reimbursed.")
    asked = Asked(query("Which costs are not reimbursed?"))
    liked = [asked.liking(quote, []) for quote in quotable([passage(" ".join(texts))])]
    assert liked == sorted(liked, reverse=True)
    assert liked[0] > liked[-1]


def test_who_may_not_is_answered_by_whom_something_is_denied():
    texts = ("It does not change the limits.", "Consultants are not eligible.")
    other, meant = quotable([passage(" ".join(texts))])
    asked = Asked(query("Who may not get a card?"))
    assert asked.liking(meant, []) > asked.liking(other, [])
