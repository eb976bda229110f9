import pytest

from rag.domain import Turn
from rag.followup import content_words, leans_on_earlier, stand_alone


@pytest.mark.parametrize(
    "question",
    [
        "Who approves?",
        "Why?",
        "How often?",
        "And the deadline?",
        "and in 2024?",
        "or for services?",
        "What about services?",
        "And what if it is 5?",
        "what else is needed",
        "Can they be used to pay salaries?",
        "How long is it valid?",
        "Who signs it?",
        "What documents do they need?",
        "What happens when it expires?",
        "Is that allowed?",
        "Does this apply to consultants?",
        "How much of that is for Option Period 2?",
        "What is the limit for those?",
        "How many were needed under the legacy program?",
        "Which apply to goods?",
        "How long would a bidder's offer then stay binding?",
        "What did the second one cost?",
        "What is the deadline?",
        "what's the penalty",
        "Any exceptions?",
    ],
)
def test_leans_on_the_question_before(question):
    assert leans_on_earlier(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is coinsurance?",
        "What is coinsurance and how does it work?",
        "I lost my card. Who do I tell about it?",
        "Has Microsoft reduced its debt since 2022?",
        "What is the training budget and how much of it is spent?",
        "What is the travel policy?",
        "Who approves purchases above 50,000?",
        "What does LOA stand for?",
        "How many quotes are needed for goods above 10,000?",
        "Which documents that suppliers submit must be notarised?",
        "Does the policy require that suppliers sign the code of conduct?",
        "If a supplier is late then what is charged?",
        "How long after the statement closing date is a travel account bill due?",
        "When is a bid bond needed?",
        "mileage",
    ],
)
def test_stands_alone(question):
    assert not leans_on_earlier(question)
    assert stand_alone(question, [Turn("Who owns the delegation matrix?")]) == question


def test_takes_the_content_words_of_the_question_it_leans_on():
    history = [
        Turn("How long is the warranty?"),
        Turn("What is a convenience check in the SmartPay program?", "A kind of cheque."),
    ]
    assert stand_alone("Can they be used to pay salaries?", history) == (
        "Can they be used to pay salaries? (convenience check SmartPay program)"
    )


def test_goes_back_to_the_last_question_that_stands_alone():
    history = [Turn("Who signs contracts above 100,000?"), Turn("And below?"), Turn("And for services?")]
    assert (
        stand_alone("How long does it take?", history)
        == "How long does it take? (signs contracts above 100,000 below services)"
    )


def test_words_already_in_the_question_are_not_repeated():
    assert (
        stand_alone("And for IT contracts?", [Turn("Who signs service contracts?")]) == "And for IT contracts? (signs service)"
    )


def test_a_first_question_is_left_as_it_is():
    assert stand_alone("And then?", []) == "And then?"


def test_content_words_leave_out_the_words_that_only_ask():
    assert content_words("What's the A/OPC's limit of $5,000 under FAR 13.003?") == [
        "A/OPC's",
        "limit",
        "5,000",
        "FAR",
        "13.003",
    ]
