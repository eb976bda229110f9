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
        approves("CFO", None, 10_000, "Payment outside the three-way match"),
        approves("BH", None, 75_000, "Payment of a matched invoice"),
        approves("CFO", None, None, "Contract variation within 15 percent in total"),
        approves("Board of Directors", None, None, "Contract variation above 15 percent in total"),
        approves("CFO", None, None, "Purchase Requisition (PR), not budgeted"),
        approves("BH", None, None, "Purchase Requisition (PR), budgeted"),
        approves("CFO", None, 10_000, "Disposal of assets, book value"),
        approves("Board of Directors", 10_000, None, "Disposal of assets, book value"),
        approves("BH", None, 50_000, "Budget transfer inside a department"),
        approves("CFO", None, 200_000, "Budget transfer between departments"),
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
        ("Who approves purchases?", []),
        ("How long is the standstill period?", []),
    ],
)
def test_the_band_of_the_amount_answers(graph, question, expected):
    assert [str(found_rule(*matched)) for matched in graph.match(question).rules] == expected


@pytest.mark.parametrize("question", ["List everything the CFO must sign", "What can the Chief Financial Officer approve?"])
def test_everything_of_one_role_however_it_is_named(graph, question):
    listed = [rule.category for _, rule in graph.match(question).rules]
    assert listed[:3] == ["", "Waiver of liquidated damages", "Termination of a contract"]
    assert len(listed) == 8


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who approves an unbudgeted purchase of 10,000?", ["CFO: Purchase Requisition (PR), not budgeted"]),
        ("Who approves a purchase of 10,000 that is not in the budget?", ["CFO: Purchase Requisition (PR), not budgeted"]),
        (
            "Who approves a purchase requisition of 10,000?",
            ["CFO: Purchase Requisition (PR), not budgeted", "BH: Purchase Requisition (PR), budgeted"],
        ),
        ("Who approves the disposal of assets worth 8,000?", ["CFO: Disposal of assets, book value"]),
        ("Who approves an asset purchase of 8,000?", ["CFO: "]),  # which disposes of nothing
        ("Who approves a payment outside the three-way match of 9,000?", ["CFO: Payment outside the three-way match"]),
        ("Who approves the payment of an unmatched invoice of 9,000?", ["CFO: Payment outside the three-way match"]),
        ("Who approves a vendor's invoice of 9,000?", ["BH: Payment of a matched invoice"]),
        ("Who approves a budget transfer of 40,000 between departments?", ["CFO: Budget transfer between departments"]),
        ("Who approves a vehicle for the finance department of 40,000?", ["CFO: "]),
        ("Who waives LDs of 15,000?", []),  # no category here explains the abbreviation
        # A percentage is a measure of its own, whatever the amount.
        (
            "Who approves a contract variation of 10 percent on a contract of 100,000?",
            ["CFO: Contract variation within 15 percent in total"],
        ),
        ("Who approves a contract variation of 20%?", ["Board of Directors: Contract variation above 15 percent in total"]),
        # As it reads, whatever its markup; in words; and all bands that lie on one side.
        ("Who **approves** a <b>purchase</b> of <i>30</i>,000?", ["CFO: "]),
        ("Who approves a purchase of half a million?", ["Board of Directors: "]),
        ("Who approves purchases above 100,000?", ["CFO: ", "Board of Directors: "]),
        ("Who approves purchases up to 100,000?", ["BH: ", "CFO: "]),
        ("Who approves 500 laptops?", []),
        ("Who approves ten thousand dollars?", ["CFO: "]),
    ],
)
def test_only_rules_about_what_is_named_answer(graph, question, expected):
    short = {"Chief Financial Officer": "CFO", "Budget Holder": "BH"}
    ruling = graph.match(question)
    assert [f"{short.get(rule.subject, rule.subject)}: {rule.category}" for _, rule in ruling.rules] == expected
    assert not ruling.note


@pytest.mark.parametrize(
    ("question", "near", "note"),
    [
        (
            "Who approves a payment outside the three-way match of 12,000?",
            1,
            "No rule on “Payment outside the three-way match” covers 12,000.",
        ),
        (
            "Who approves a budget transfer of 250,000?",
            2,
            "No rule on “Budget transfer inside a department” and “Budget transfer between departments” covers 250,000.",
        ),
        (
            "Who debars a vendor for 9 years?",
            1,
            "No rule on “Debarment of a vendor” covers 9 years.",
        ),
        (
            "Who approves a payment of 12,000 that fails the three-way match?",
            1,
            "No rule on “Payment outside the three-way match” covers 12,000.",
        ),
        ("Who approves a purchase of minus 500?", 3, "No rule covers a negative amount (minus 500)."),
        ("Who approves a purchase of -500?", 3, "No rule covers a negative amount (-500)."),
        ("Who approves a purchase of EUR 75,000?", 3, "The amounts of the rules are in USD: EUR 75,000 was not converted."),
        (
            "Who may waive liquidated damages of €15,000?",
            2,
            "The amounts of the rules on “Waiver of liquidated damages” are in USD: €15,000 was not converted.",
        ),
    ],
)
def test_where_none_holds_the_ruling_says_so_and_shows_what_is_stated(graph, question, near, note):
    ruling = graph.match(question)
    assert ruling.rules == ()
    assert (len(ruling.near), ruling.note) == (near, note)


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("Who approves a donation of 4,000?", "donation"),
        ("Who approves a salary increase of 4,000?", "salary increase"),
        ("Who approves a contract extension that costs 4,000?", "extension"),
        ("Who approves cancelling a contract of 4,000?", "cancelling"),
        ("Who approves a purchase of 4,000 without a tender?", "without a tender"),
        ("Who approves an unplanned purchase of 4,000?", "unplanned"),
    ],
)
def test_what_no_rule_names_is_told_beside_the_general_rule(graph, question, unknown):
    ruling = graph.match(question)
    assert [rule.subject for _, rule in ruling.rules] == ["Budget Holder"]
    assert ruling.note == f"No approval rule names “{unknown}”: what is given holds for purchases in general."


def test_what_comes_near_to_a_category_is_told_to_be_near_alone(graph):
    ruling = graph.match("Who approves the sale of assets worth 8,000?")
    assert [rule.category for _, rule in ruling.rules] == ["Disposal of assets, book value"]
    assert ruling.note == "No approval rule names “sale”: the nearest are given."


OTHER_KINDS = FileRecord(
    sha256="k",
    paths=("kinds.pdf",),
    size=1,
    outcome="read",
    rules=(
        approves("CFO", None, None, "Extension of time without cost"),
        approves("CFO", None, None, "Early release of retention money"),
        approves("CFO", None, 15_000, "Write-off of obsolete stock"),
        approves("CFO", None, 100_000, "Settlement of a supplier claim"),
        approves("CFO", None, None, "Advance payment up to 15 percent"),
        approves("CFO", None, None, "Termination of a contract"),
        approves("CFO", None, 200_000, "Budget transfer between departments"),
        approves("CFO", None, 20_000, "Waiver of liquidated damages (LD)"),
    ),
)


@pytest.mark.parametrize(
    ("question", "category", "unknown"),
    [
        ("Who approves a write-off of a bad debt of 5,000?", "Write-off of obsolete stock", "bad debt"),
        ("Who approves a settlement of an employee claim of 50,000?", "Settlement of a supplier claim", "employee"),
        ("Who approves the settlement of an employee claim?", "Settlement of a supplier claim", "employee"),
        ("Who approves a salary advance payment of 10 percent?", "Advance payment up to 15 percent", "salary"),
        ("Who approves the transfer of an employee between departments?", "Budget transfer between departments", "employee"),
    ],
)
def test_what_a_rule_on_another_thing_lacks_is_told_beside_it(question, category, unknown):
    ruling = ApprovalGraph([OTHER_KINDS]).match(question)
    assert [rule.category for _, rule in ruling.rules] == [category]
    assert ruling.note == f"No approval rule names “{unknown}”: the nearest are given."


@pytest.mark.parametrize(
    "question",
    [
        "Who approves an extension of time without cost?",
        "Who approves an early release of retention money?",
        "Who approves a write-off of obsolete stock of 3,000?",
        "Who approves early termination of a contract?",
        "Who waives LDs of 15,000?",
    ],
)
def test_what_a_rule_names_in_other_words_or_leaves_open_needs_no_note(question):
    ruling = ApprovalGraph([OTHER_KINDS]).match(question)
    assert len(ruling.rules) == 1
    assert not ruling.note


@pytest.mark.parametrize(
    "question", ["Who approves an extension of time with cost?", "Who approves a late release of retention money?"]
)
def test_the_opposite_of_what_a_rule_is_about_is_not_answered_by_it(question):
    assert not ApprovalGraph([OTHER_KINDS]).match(question).rules


def test_a_rule_in_percent_answers_an_amount_only_where_none_in_money_does():
    rules = (
        approves("CFO", None, 75_000, "Payment of a matched invoice"),
        ApprovalRule("approves", "Board", None, None, "USD", "Advance payment", 2, "row", "Up to 15 percent"),
    )
    graph = ApprovalGraph([FileRecord(sha256="p", paths=("p.pdf",), size=1, outcome="read", rules=rules)])
    assert [rule.subject for _, rule in graph.match("Who approves the payment of 50,000?").rules] == ["CFO"]
    assert [rule.subject for _, rule in graph.match("Who approves an advance payment of 50,000?").rules] == ["Board"]


def test_a_method_for_what_only_approvals_name_is_told_to_be_the_general_one(graph):
    ruling = graph.match("Which method applies to the disposal of an asset of 60,000?")
    assert [rule.subject for _, rule in ruling.rules] == ["Request for Quotation"]
    assert ruling.note.startswith("No rule on the method names “")
    assert not graph.match("Which method applies to a purchase of 60,000?").note


def test_each_sum_of_a_question_is_looked_up_by_itself(graph):
    both = graph.match("Who approves a purchase of 4,000 and who approves one of 100,000?")
    assert [rule.subject for _, rule in both.rules] == ["Budget Holder", "Chief Financial Officer"]
    one = graph.match("Who approves a purchase of 4,000 and a budget transfer of 250,000?")
    assert [rule.subject for _, rule in one.rules] == ["Budget Holder"]
    assert one.note.endswith("covers 250,000.")


def test_only_documents_asked_for_are_looked_at():
    graph = ApprovalGraph([MATRIX, CIRCULAR])
    matched = graph.match("Who approves a purchase of USD 4,000?", among={"circular.pdf"}).rules
    assert [rule.subject for _, rule in matched] == ["Head of Finance"]


def test_a_role_in_short_is_the_one_in_full():
    board = FileRecord(
        sha256="c",
        paths=("board.pdf",),
        size=1,
        outcome="read",
        rules=(approves("Board of Directors", 250_000, None), approves("Board", None, None, "Sale of land")),
    )
    assert [rule.category for _, rule in ApprovalGraph([board]).match("What must the Board approve?").rules] == [
        "",
        "Sale of land",
    ]


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
    matched = ApprovalGraph([policy]).match("What method applies at 240k?").rules
    assert [str(found_rule(*each)) for each in matched] == [
        "Invitation to Bid: above USD 75,000, requirement fully specified",
        "Request for Proposals: above USD 75,000, quality and approach matter",
        "Call-off: repeated needs",
    ]
    assert not conflicting(matched)


def test_overlapping_bands_of_two_documents_are_a_conflict():
    graph = ApprovalGraph([MATRIX, CIRCULAR])
    matched = graph.match("Who approves a purchase of USD 4,000?").rules
    assert [(file.path, rule.subject) for file, rule in matched] == [
        ("matrix.pdf", "Budget Holder"),
        ("circular.pdf", "Head of Finance"),
    ]
    assert conflicting(matched)
    assert not conflicting(matched[:1])


def test_documents_without_rules_answer_nothing():
    assert not ApprovalGraph([]).match("Who approves a 75,000 IT purchase?")


def test_a_rule_is_cited_by_the_passage_on_its_page():
    def on(file, page):
        chunk = Chunk("id", file, "Matrix", page, "", "table", (), "p", 0, 1, "text")
        return Passage(chunk=chunk, text="text", score=1.0, found_by=("dense",))

    matched = [found_rule(*each) for each in ApprovalGraph([MATRIX]).match("Who approves a purchase of USD 4,000?").rules]
    assert cited_lines(matched, [on("other.pdf", 2), on("matrix.pdf", 2)]) == ["Budget Holder: up to USD 5,000 [2]"]
    assert cited_lines(matched, [on("matrix.pdf", 9)]) == []
