import re
from dataclasses import replace

import numpy as np
import pytest

from rag.chosen import QUOTES
from rag.citations import Support, cite
from rag.domain import Expansion, FoundRule
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
    assert 1 <= len(re.findall(r"\[\d\]", text)) <= QUOTES


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


CFO = FoundRule(
    "delegation.pdf", 2, "Finance Director", "above EUR 100,000", "", "Value: above 100,000 | Approver: Finance Director"
)


def test_approval_rules_are_followed_by_the_row_that_states_them_and_nothing_else():
    assert answer("Who approves 250,000?", rules=(CFO,)) == (
        "Finance Director: above EUR 100,000 [2]\n\nThis stands in:\n\n"
        "- Delegation of Authority, page 2: Value: above 100,000; Approver: Finance Director [2]"
    )


def test_many_rules_of_one_subject_are_a_list():
    rules = [replace(CFO, band=f"up to EUR {n},000", category=name) for n, name in enumerate(("", "Goods", "Works", "IT"), 1)]
    assert answer("What may the Finance Director approve?", rules=rules) == (
        "Finance Director:\n\n- up to EUR 1,000, in general [2]\n- Goods: up to EUR 2,000 [2]\n"
        "- Works: up to EUR 3,000 [2]\n- IT: up to EUR 4,000 [2]"
    )


def test_rules_whose_page_was_not_given_are_left_to_the_passages():
    assert "tender" in answer("Above which amount is a tender required?", (POLICY,), rules=(CFO,))


@pytest.mark.parametrize("question", ["What does LOA mean?", "What is an LOA?"])
def test_an_abbreviation_that_is_asked_for_is_spelled_out_first(question):
    found = passage("A Letter of Authority lets work start before the contract is signed.")
    asked = query(question, expansions=(Expansion("LOA", "LOA", "Letter of Authority"),))
    text = "".join(extractive.answer(asked, (found,)))
    assert text.startswith("LOA stands for Letter of Authority. [1]\n\nAccording to")


def test_a_replaced_document_is_quoted_only_where_the_one_in_force_says_nothing():
    old = replace(passage("Gifts worth up to $50 may be accepted.", document="Rules 2020"), replaced_by="Rules 2024")
    new = passage("Gifts worth up to $25 may be accepted.", document="Rules 2024")
    text = answer("Which gifts may be accepted?", (old, new))
    assert "$25" in text
    assert "$50" not in text
    assert answer("Which gifts may be accepted?", (old,)).startswith("According to Rules 2020, page 4, replaced by Rules 2024:")


def test_an_unsure_answer_says_that_it_is_near():
    assert answer("Who books travel?", sure=False).startswith("The closest I found is in Travel Policy, page 9: ")


def test_a_page_is_named_as_on_its_chip():
    found = passage("Travel must be booked by the travel desk.", page=5, label="iii")
    assert answer("Who books travel?", (found,)).startswith("According to Procurement Policy, page 5 (printed iii): ")


RATES = passage(
    "**Table 1. Lodging limits USD per day**\n\n| Location | Full day | Lodging limit, November |\n| --- | --- | --- |\n"
    "| III: All other places in the country | 68 | 132 |\n| V: Other countries | 98 | 275 |\n| Total | 166 | 407 |",
    document="Travel Policy",
)
DELEGATION = passage(
    "| No. | Transaction | Band | GM |\n| --- | --- | --- | --- |\n| 3.1 | Direct award | Up to 5,000 | I |\n"
    "| 3.2 | Direct award | Above 5,000 | A |\n\n3.2 Authority may be delegated one level down.",
    document="Delegation of Authority",
    page=2,
)


@pytest.mark.parametrize(
    ("question", "passages", "lead"),
    [
        # The row that is named by its label, not one that shares words with it.
        ("What is the lodging limit in November for other countries?", (RATES,), "V: Other countries – "),
        ("What is the total lodging limit?", (RATES,), "Total – "),
        ("What does row 3.2 of the delegation say?", (DELEGATION,), "3.2 Direct award – "),
        ("What does clause 3.2 of the delegation say?", (DELEGATION,), "“3.2 Authority may"),
    ],
)
def test_the_row_or_clause_that_is_meant(question, passages, lead):
    assert answer(question, passages).split("\n")[0].split(": ", 1)[1].startswith(lead)


PROHIBITED = passage(
    "A card may be used for small purchases of tools. Cards are handed over by the bank.\n\nWhat may not be bought\n\n"
    "• Cash advances and gift cards.\n\n• Alcohol and tobacco."
)


def test_what_may_not_be_done_is_said_with_its_not():
    whole = "“What may not be bought • Cash advances and gift cards. • Alcohol and tobacco.”"
    assert answer("What may not be bought with a card?", (PROHIBITED,)).split(": ", 1)[1].startswith(whole)
    assert re.search("“What may not be bought.*Alcohol and tobacco.”", answer("May I buy alcohol?", (PROHIBITED,)))


def test_the_lead_is_the_whole_numbered_paragraph():
    found = passage("2.5 Tender Committee. It reviews every award above $75,000. Three members form a quorum.")
    assert "Three members form a quorum.”" in answer("What does the tender committee review?", (found,)).split("\n")[0]


def test_what_each_statement_rests_on_is_handed_over():
    support: list[Support] = []
    text = answer("Who approves a purchase of 75k?", support=support)
    cited = cite(text, PASSAGES, support=support)
    assert cited.citations[0].quote == "| 10,001 – 100,000 | Head of Procurement |"


def test_rules_of_one_page_are_cited_by_their_own_rows():
    rules = (
        replace(CFO, subject="Buyer", band="up to EUR 10,000", quote="Value: up to 10,000 | Approver: Buyer"),
        CFO,
    )
    support: list[Support] = []
    text = answer("Who approves what?", rules=rules, support=support)
    cited = cite(text, PASSAGES, support=support)
    assert cited.text.startswith("- Buyer: up to EUR 10,000 [1]\n- Finance Director: above EUR 100,000 [2]")
    assert [c.quote for c in cited.citations] == ["| up to 10,000 | Buyer |", "| above 100,000 | Finance Director |"]


def test_a_rule_whose_row_only_names_its_band_is_cited_by_the_amounts_too():
    bands = passage("| Band | Total |\n| --- | --- |\n| B | 5,000 to 25,000 |", file="delegation.pdf", page=1)
    matrix = passage("| Transaction | Band | HoD |\n| --- | --- | --- |\n| Award | B | A |", file="delegation.pdf", page=2)
    row = "Transaction: Award | Band: B | HoD: A"
    rule = FoundRule("delegation.pdf", 2, "HoD", "above EUR 5,000 up to EUR 25,000", "Award", row)
    support: list[Support] = []
    text = answer("Who awards 9,000?", (matrix, bands), rules=(rule,), support=support)
    cited = cite(text, (matrix, bands), support=support)
    assert [c.quote for c in cited.citations] == ["| Award | B | A |", "| B | 5,000 to 25,000 |"]
    assert all(check.proven for check in check_figures(cited.text, cited.passages))


def test_a_list_is_given_whole_and_an_empty_cell_is_said_to_be_empty():
    found = passage(
        "**Table 6. Projects by year**\n\n| Project | 2025 | 2027 |\n| --- | --- | --- |\n"
        "| Pumping station | 4,200 | 1,900 |\n| Control system | 2,400 | – |\n"
        "| Fleet renewal | 780 | 720 |\n| Total | 7,380 | 2,620 |"
    )
    assert answer("Which projects are there?", (found,)).split("Table 6. Projects by year:\n\n")[1].count("\n- ") == 2
    text = answer("How much is planned for the control system in 2027?", (found,))
    assert text.endswith("Control system – 2025: 2,400; 2027: no value [1]")


def test_what_the_quote_lacks_is_handed_over_and_the_opening_is_careful():
    lacks: list[str] = []
    assert answer("Why must travel be booked by the travel desk?", (TRAVEL,), lacks=lacks).startswith("The closest I found")
    assert lacks == ["a reason"]


def test_a_history_of_changes_is_no_answer_where_the_rule_itself_is_found():
    history = passage("Tighter limits on gifts and on variations of contracts.", section=("Policy", "Revision history"), page=2)
    rule = passage("Gifts worth up to $25 a year may be accepted.", page=8)
    assert "$25" in answer("What is the limit for gifts?", (history, rule)).split("\n")[0]
