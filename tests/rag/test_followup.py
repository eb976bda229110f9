import pytest

from rag.followup import content_words, leans_on_earlier, words_that_matter


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
        "Which firm did the work?",
        "How much is planned for the year after?",
        "Tell me more.",
        "And how long does the contractor have to deliver?",
        "Et pour les services ?",
        "Und darüber?",
        "¿Y de servicios?",
        "Warum?",
        "А для услуг?",
        "और सेवाओं के लिए?",
        "وماذا عن الخدمات؟",
        "那服务呢？",
        "それはいつ必要ですか？",
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
        "And who is responsible for approving the annual procurement plan?",
        "So how many quotes are needed for goods above 10,000?",
        "Was the 2024 budget lower than in the year before?",
        "Wie hoch ist die Vertragsstrafe für verspätete Lieferungen?",
        "¿Quién aprueba las compras de servicios?",
        "采购门槛是多少？",
        "購入の承認者は誰ですか？",
        "खरीद को कौन मंज़ूरी देता है?",
    ],
)
def test_stands_alone(question):
    assert not leans_on_earlier(question)


def test_content_words_leave_out_the_words_that_only_ask():
    assert content_words("What's the A/OPC's limit of $5,000 under FAR 13.003?") == [
        "A/OPC's",
        "limit",
        "5,000",
        "FAR",
        "13.003",
    ]


def test_the_words_that_matter_leave_out_the_stop_words_of_their_language():
    assert words_that_matter("Quel est le délai pour les appels d'offres ?") == ["Quel", "délai", "appels", "d'offres"]
    assert words_that_matter("खरीद की सीमा") == ["खरीद", "की", "सीमा"]  # a language without a list keeps its words whole


def test_capitals_among_small_letters_tell_an_abbreviation_from_a_pronoun():
    assert content_words("How much is the IT budget?") == ["IT", "budget"]
    assert content_words("Does the US tax apply to WHO staff?") == ["US", "tax", "apply", "WHO", "staff"]
    assert content_words("HOW MUCH IS IT?") == []
    assert not leans_on_earlier("How much does the IT section spend?")
    assert leans_on_earlier("How much does it spend?")
