"""Questions about who approves what, answered from the rules of two small documents."""

import pytest

from rag.approvals import ApprovalGraph, cited_lines, conflicting, found_rule
from rag.domain import ApprovalRule, Chunk, FileRecord, Passage


def approves(subject, low, high, category="", currency="USD"):
    return ApprovalRule("approves", subject, low, high, currency, category, 2, f"{category} {subject}")


MATRIX = FileRecord(
    sha256="a",
    paths=("matrix.pdf",),
    size=1,
    outcome="read",
    rules=(
        approves("Budget Holder (BH)", None, 5_000),
        approves("Chief Financial Officer (CFO)", 5_000, 250_000),
        approves("Board of Directors", 250_000, None),
        approves("CFO", None, 20_000, "Waiver of liquidated damages"),
        approves("Board of Directors", 20_000, None, "Waiver of liquidated damages"),
        approves("CFO", None, None, "Termination of a contract"),
        ApprovalRule("approves", "Tender Committee", None, None, "USD", "Debarment of a vendor", 2, "row", "1 to 5 years"),
        ApprovalRule("method", "Request for Quotation", 5_000, 75_000, "USD", "", 3, "row"),
        ApprovalRule("method", "Invitation to Bid", 75_000, None, "USD", "", 3, "row"),
    ),
)
CIRCULAR = FileRecord(
    sha256="b", paths=("circular.pdf",), size=1, outcome="read", rules=(approves("Head of Finance", None, 10_000),)
)


@pytest.fixture
def graph():
    return ApprovalGraph([MATRIX])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who approves a 75,000 IT purchase?", ["Chief Financial Officer: above USD 5,000 up to USD 250,000"]),
        ("Who has to sign off a contract of $1.2 million?", ["Board of Directors: above USD 250,000"]),
        ("Who approves purchases above 250,000?", ["Board of Directors: above USD 250,000"]),
        (
            "Who approves a waiver of liquidated damages of 15k?",
            ["Chief Financial Officer: up to USD 20,000 (Waiver of liquidated damages)"],
        ),
        ("What method applies at 240k?", ["Invitation to Bid: above USD 75,000"]),
        ("How should I buy laptops for USD 30,000?", ["Request for Quotation: above USD 5,000 up to USD 75,000"]),
        # Any verb of acting, in whatever form, where a rule's category says what is done.
        (
            "Who may waive liquidated damages of 35,000?",
            ["Board of Directors: above USD 20,000 (Waiver of liquidated damages)"],
        ),
        (
            "Who can waive liquidated damages?",
            [
                "Chief Financial Officer: up to USD 20,000 (Waiver of liquidated damages)",
                "Board of Directors: above USD 20,000 (Waiver of liquidated damages)",
            ],
        ),
        ("Who may terminate a contract of 35,000?", ["Chief Financial Officer: any amount (Termination of a contract)"]),
        ("Who terminates a contract?", ["Chief Financial Officer: any amount (Termination of a contract)"]),
        ("Who debars a vendor?", ["Tender Committee: 1 to 5 years (Debarment of a vendor)"]),
        ("Who pays for liquidated damages to property caused by vendors on site?", []),
        (
            "Up to what amount may the CFO waive liquidated damages?",
            ["Chief Financial Officer: up to USD 20,000 (Waiver of liquidated damages)"],
        ),
        ("Can the CFO approve a purchase of 300,000?", ["Board of Directors: above USD 250,000"]),
        ("Can we buy flowers for 300,000?", []),
        ("Who approves EUR 75,000?", []),
        ("Who approves purchases?", []),
        ("How long is the standstill period?", []),
    ],
)
def test_the_band_of_the_amount_answers(graph, question, expected):
    assert [str(found_rule(*matched)) for matched in graph.match(question)] == expected


@pytest.mark.parametrize("question", ["List everything the CFO must sign", "What can the Chief Financial Officer approve?"])
def test_everything_of_one_role_however_it_is_named(graph, question):
    assert [rule.category for _, rule in graph.match(question)] == [
        "",
        "Waiver of liquidated damages",
        "Termination of a contract",
    ]


def test_a_role_in_short_is_the_one_in_full():
    board = FileRecord(
        sha256="c",
        paths=("board.pdf",),
        size=1,
        outcome="read",
        rules=(approves("Board of Directors", 250_000, None), approves("Board", None, None, "Sale of land")),
    )
    assert [rule.category for _, rule in ApprovalGraph([board]).match("What must the Board approve?")] == ["", "Sale of land"]


def test_methods_with_conditions_of_their_own_stand_side_by_side_without_conflict():
    rules = [
        ApprovalRule("method", method, low, None, "USD", "", 3, "row", condition)
        for method, low, condition in (
            ("Invitation to Bid", 75_000, "requirement fully specified"),
            ("Request for Proposals", 75_000, "quality and approach matter"),
            ("Call-off", None, "repeated needs"),
        )
    ]
    policy = FileRecord(sha256="d", paths=("policy.pdf",), size=1, outcome="read", rules=tuple(rules))
    matched = ApprovalGraph([policy]).match("What method applies at 240k?")
    assert [str(found_rule(*each)) for each in matched] == [
        "Invitation to Bid: above USD 75,000, requirement fully specified",
        "Request for Proposals: above USD 75,000, quality and approach matter",
        "Call-off: repeated needs",
    ]
    assert not conflicting(matched)


def test_overlapping_bands_of_two_documents_are_a_conflict():
    graph = ApprovalGraph([MATRIX, CIRCULAR])
    matched = graph.match("Who approves a purchase of USD 4,000?")
    assert [(file.path, rule.subject) for file, rule in matched] == [
        ("matrix.pdf", "Budget Holder"),
        ("circular.pdf", "Head of Finance"),
    ]
    assert conflicting(matched)
    assert not conflicting(matched[:1])


def test_documents_without_rules_answer_nothing():
    assert ApprovalGraph([]).match("Who approves a 75,000 IT purchase?") == []


def test_a_rule_is_cited_by_the_passage_on_its_page():
    def on(file, page):
        chunk = Chunk("id", file, "Matrix", page, "", "table", (), "p", 0, 1, "text")
        return Passage(chunk=chunk, text="text", score=1.0, found_by=("dense",))

    matched = [found_rule(*each) for each in ApprovalGraph([MATRIX]).match("Who approves a purchase of USD 4,000?")]
    assert cited_lines(matched, [on("other.pdf", 2), on("matrix.pdf", 2)]) == ["Budget Holder: up to USD 5,000 [2]"]
    assert cited_lines(matched, [on("matrix.pdf", 9)]) == []
