import pytest

from glossary.expand import Glossary, Term
from glossary.learn import Proposal, accept, definitions_in, dismiss, learn, read_dismissed
from glossary.terms import load, save


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("signed by a Letter of Authority (LOA) holder", [("LOA", "Letter of Authority")]),
        ("the LOA (Letter of Authority) holder", [("LOA", "Letter of Authority")]),
        ("two continuous learning points (CLPs)", [("CLP", "continuous learning points")]),
        (
            "the Agency/Organization Program Coordinator (A/OPC) decides",
            [("A/OPC", "Agency/Organization Program Coordinator")],
        ),
        ("Quality Assurance\nSurveillance Plan (QASP)", [("QASP", "Quality Assurance Surveillance Plan")]),
        ("Approved Budget for the Contract (ABC)", [("ABC", "Approved Budget for the Contract")]),
        ("| Acronym | Definition |\n| --- | --- |\n| LOA | Letter of Authority |", [("LOA", "Letter of Authority")]),
        (
            "TDO: Transaction Dispute Officer\nSOO – Statement of Objectives",
            [("TDO", "Transaction Dispute Officer"), ("SOO", "Statement of Objectives")],
        ),
    ],
)
def test_finds_definitions(text, found):
    assert definitions_in(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "the supplier (see Annex)",
        "as of March (2023)",
        "Contoso (USA) Limited",
        "the threshold for goods (PHP)",
        "| PO-1234 | Pens Only |\n| PR | Printer | 4 |",
        "an order (PO) was",  # the first letter must begin a word
        "",
    ],
)
def test_leaves_other_brackets_alone(text):
    assert definitions_in(text) == []


def test_counts_rival_definitions_side_by_side_and_leaves_out_known_terms():
    texts = [
        "Purchase Requisition (PR)",
        "purchase requisition (PR) and Public Relations (PR)",
        "Letter of Authority (LOA)",
        "Purchase Requisition (PR)",
    ]
    assert learn(texts, known=Glossary((Term("LOA", "Letter of Authority"),))) == [
        Proposal("PR", "Purchase Requisition", 3),
        Proposal("PR", "Public Relations", 1),
    ]


def test_an_accepted_proposal_stands_in_the_file(tmp_path):
    path = tmp_path / "glossary.csv"
    save(path, (Term("LOA", "Letter of Authority"),))
    glossary = accept(path, Proposal("PR", "Purchase Requisition", 3))
    assert load(path) == glossary
    assert [term.abbreviation for term in glossary.terms] == ["LOA", "PR"]


def test_a_dismissed_proposal_is_remembered(tmp_path):
    path = tmp_path / "dismissed.json"
    assert read_dismissed(path) == set()
    dismiss(path, Proposal("PR", "Public Relations", 1))
    dismiss(path, Proposal("TO", "Task Order", 1))
    assert read_dismissed(path) == {("PR", "Public Relations"), ("TO", "Task Order")}
