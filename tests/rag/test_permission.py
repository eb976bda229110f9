"""What a question asks leave for, and which texts rule on it."""

import pytest

from rag.permission import rules_on, speaks_of, thing_asked
from rag.tokens import words


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Are gift cards allowed on the P-Card?", "gift cards"),
        ("Can I buy alcohol with the card?", "alcohol"),
        ("May I pay travel with the purchasing card?", "travel"),
        ("Am I allowed to fly business class on long trips?", "business class"),
        ("Can software be bought with the card?", "software"),
        ("A salesman gave me wine. May I keep it?", ""),  # what "it" is stands elsewhere
        ("Can you tell me the limit?", ""),
        ("Who may approve a purchase?", ""),
    ],
)
def test_the_thing_that_leave_is_asked_for(question, thing):
    assert thing_asked(question) == thing


@pytest.mark.parametrize(
    ("thing", "text", "spoken_of"),
    [
        ("gift cards", "A purchase may be made with a card.", False),
        ("gift cards", "Vouchers and gift cards may not be bought.", True),
        ("a business class ticket", "Business class is not reimbursed.", True),
    ],
)
def test_a_text_speaks_of_a_thing_by_more_than_half_of_its_words(thing, text, spoken_of):
    assert speaks_of(thing, frozenset(words(text))) is spoken_of


def test_permissions_and_prohibitions_rule_and_descriptions_do_not():
    assert rules_on("Alcohol is prohibited.")
    assert rules_on("Travel may be paid in advance.")
    assert not rules_on("The company sells alcohol.")
