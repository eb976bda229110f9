"""Which documents' approval rules answer: those in force, or of the revision that the question names."""

from types import SimpleNamespace

import pytest

from rag.approvals import ApprovalGraph
from rag.domain import ApprovalRule, FileRecord, Filters, MetadataValue
from rag.prepared import Prepared
from rag.ruled import ruling_in_force, stated_in_force


def document(path, title, revision, *rules):
    metadata = {"title": MetadataValue(title, "page 1"), "revision": MetadataValue(revision, "page 1")}
    stated = tuple(
        ApprovalRule("approves", subject, low, high, "USD", category, 1, f"{category} {subject}")
        for subject, low, high, category in rules
    )
    return FileRecord(path, (path,), 1, "read", metadata=metadata, rules=stated)


FILES = (
    document("old.pdf", "Procurement Policy", "3", ("Manager", None, 50_000, "Sole source")),
    document(
        "new.pdf", "Procurement Policy", "4", ("Buyer", None, 75_000, "Sole source"), ("Board", 75_000, None, "Sole source")
    ),
    document("matrix.pdf", "Delegation Matrix", "6", ("Head", None, 25_000, ""), ("Director", 25_000, None, "")),
)


@pytest.fixture
def prepared():
    return Prepared(
        snapshot=SimpleNamespace(files=FILES),
        known=None,
        page_of=None,
        spread=None,
        superseded={0: 1},
        approvals=ApprovalGraph(FILES),
    )


@pytest.mark.parametrize(
    ("question", "subjects", "note"),
    [
        ("Who approves a sole source purchase of 40,000?", ["Buyer"], ""),
        ("Who approves a sole source purchase of 40,000 under Revision 3?", ["Manager"], ""),
        ("Who approves a sole source purchase of 40,000 under rev. 4?", ["Buyer"], ""),
        ("Who approves a sole source purchase of 40,000 under the previous policy?", ["Manager"], ""),
        ("Who approves a sole source purchase of 60,000 under Revision 3?", [], "No rule on “Sole source” covers 60,000."),
        ("Who approves a purchase of 40,000?", ["Director"], ""),
        (
            "Who approves a purchase of 40,000 under Revision 3?",
            [],
            "“Procurement Policy” states no approval rule for this.",
        ),
        (
            "Who approves a purchase of 40,000 under revision 4 of the Delegation Matrix?",
            [],
            "No indexed document is of revision 4: “Delegation Matrix” is of revision 6.",
        ),
        ("What colour is revision 9?", [], ""),
    ],
)
def test_a_named_revision_limits_the_rules_to_its_document(prepared, question, subjects, note):
    ruling = ruling_in_force(question, Filters(), prepared)
    assert ([rule.subject for _, rule in ruling.rules], ruling.note) == (subjects, note)


def test_a_filter_limits_the_rules_too(prepared):
    ruling = ruling_in_force("Who approves a purchase of 40,000?", Filters(file=("new.pdf",)), prepared)
    assert not ruling


def test_what_the_rules_state_to_an_earlier_question(prepared):
    assert stated_in_force("Who approves a purchase of 40,000?", prepared) == "Director: above USD 25,000"
    assert stated_in_force("What is the standstill period?", prepared) == ""
