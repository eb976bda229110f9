import re

import numpy as np
import pytest

from rag.llm import extractive
from rag.verify import check_figures
from tests.rag.fakes import passage, query

POLICY = passage(
    "3.2 Thresholds\nPurchases above EUR 50,000 require an open tender. Bids stay valid for ninety (90) days from the closing "
    "date. The Head of Procurement approves exceptions. This revision takes effect on 1 March 2025."
)
MATRIX = passage(
    "| Value | Approver |\n| --- | --- |\n| up to 10,000 | Buyer |\n| 10,001 – 100,000 | Head of Procurement |\n"
    "| above 100,000 | Finance Director |",
    document="Delegation of Authority",
    file="delegation.pdf",
    page=2,
    section=("Approval limits",),
)
TRAVEL = passage("Travel must be booked by the travel desk.", document="Travel Policy", file="travel.pdf", page=9)
PASSAGES = (POLICY, MATRIX, TRAVEL)


def answer(question: str, passages=PASSAGES, **options) -> str:
    return "".join(extractive.answer(query(question), passages, **options))


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("How long do bids stay valid?", "“Bids stay valid for ninety (90) days from the closing date.” [1]"),
        ("Above which amount is an open tender required?", "“Purchases above EUR 50,000 require an open tender.” [1]"),
        ("When does the revision take effect?", "“This revision takes effect on 1 March 2025.” [1]"),
        ("Who approves a purchase of 75k?", "Value: 10,001 – 100,000; Approver: Head of Procurement [2]"),
        ("Who is the approver for a value of 250,000?", "Value: above 100,000; Approver: Finance Director [2]"),
        ("Who books travel?", "“Travel must be booked by the travel desk.” [3]"),
    ],
)
def test_the_answer_leads_with_what_was_asked_for(question, lead):
    assert answer(question).split("\n")[0].endswith(f": {lead}")


def test_the_lead_names_document_and_page():
    assert answer("Who books travel?").startswith("According to Travel Policy, page 9: ")


def test_quotes_are_few():
    passages = tuple(passage(f"The limit of category {letter} is EUR {letter},000 a year.") for letter in "123456789")
    text = answer("What is the limit a year?", passages)
    assert 1 <= len(re.findall(r"\[\d\]", text)) <= extractive.QUOTES


def test_the_same_sentence_in_two_passages_is_quoted_once():
    assert answer("Who books travel?", (TRAVEL, TRAVEL)).count("travel desk") == 1


def test_every_quotation_is_proven_by_its_passage():
    for question in ("How long do bids stay valid?", "Who approves exceptions?", "When does the revision take effect?"):
        checks = check_figures(answer(question), PASSAGES)
        assert checks
        assert all(check.proven for check in checks)


def test_a_very_long_sentence_is_cut_at_a_word():
    long = "The supplier shall deliver " + "goods " * 200 + "on time."
    text = answer("What shall the supplier deliver?", (passage(long),))
    assert " …” [1]" in text
    assert len(text) < 600


def test_nothing_to_quote_gives_nothing():
    assert answer("What?", ()) == ""
    assert answer("What?", (passage("3.2 Scope"),)) == ""


def test_an_embedder_breaks_ties_between_sentences_with_the_same_words():
    class Prefers:
        """Puts texts with "Monday" where every question is."""

        def embed_documents(self, texts, *, progress=None):
            return np.array([[1.0, 0.0] if "Monday" in text else [0.0, 1.0] for text in texts], np.float32)

        def embed_query(self, text):
            return np.array([1.0, 0.0], np.float32)

    found = passage("The office opens at nine on Friday. The office opens at nine on Monday.")
    assert "Friday" in answer("At which hour is the office open?", (found,)).split("\n")[0]
    assert "Monday" in answer("At which hour is the office open?", (found,), embedder=Prefers()).split("\n")[0]
