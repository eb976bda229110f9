import pytest

from rag.domain import FileRecord, Filters, MetadataValue
from rag.revisions import asks_for, newer_first, superseded


def record(path, **metadata):
    return FileRecord(
        path, (path,), 1, "read", metadata={key: MetadataValue(value, "page 1") for key, value in metadata.items()}
    )


OLD = record("policy_v1.pdf", title="Procurement Policy 2022", document_type="policy", revision="1", year="2022")
NEW = record("policy_v2.pdf", title="Procurement Policy", document_type="policy", revision="2", effective_date="2024-01-01")
OTHER = record("travel.pdf", title="Travel Policy", document_type="policy", revision="3")


def test_a_later_revision_of_the_same_title_replaces_the_earlier():
    assert superseded([OLD, NEW, OTHER]) == {0: 1}


def test_a_document_replaces_what_it_says_it_does():
    circular = record("c7.pdf", title="Circular 7", supersedes="Circular 3 of 2021", year="2023")
    replaced = record("c3.pdf", title="Circular", year="2021")
    assert superseded([replaced, circular, OTHER]) == {0: 1}


def test_a_vague_statement_replaces_nothing():
    vague = record("log.pdf", title="Modification Log", supersedes="it in its entirety", year="2024")
    assert superseded([OLD, vague]) == {}


def test_the_newest_of_three_replaces_both():
    middle = record("policy_v1b.pdf", title="Procurement Policy", document_type="policy", revision="1.5", year="2023")
    assert superseded([OLD, middle, NEW]) == {0: 2, 1: 2}


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is the bid limit?", False),
        ("What was the bid limit in 2022?", True),
        ("What did revision 1 say?", True),
        ("What did the previous policy say?", True),
        ("What does revision 2 say?", False),
    ],
)
def test_the_old_one_is_wanted_when_the_question_names_it(question, asked):
    assert asks_for(question, OLD, Filters()) is asked


def test_a_filter_on_the_year_wants_what_it_names():
    assert asks_for("What is the bid limit?", OLD, Filters(year=("2022",)))


def test_an_old_hit_comes_right_after_the_first_hit_of_its_replacement():
    # Files by place: 0 is replaced by 1; 2 is another document.
    assert newer_first([0, 2, 0, 1, 1], {0: 1}) == [1, 3, 0, 2, 4]


def test_nothing_moves_where_the_newer_one_was_not_found():
    assert newer_first([0, 2, 0], {0: 1}) == [0, 1, 2]


def test_a_chain_of_replacements_loses_no_hit():
    assert newer_first([0, 1, 2], {0: 1, 1: 2}) == [2, 1, 0]


def test_documents_that_claim_to_replace_each_other_lose_no_hit():
    assert newer_first([0, 1, 0], {0: 1, 1: 0}) == [0, 2, 1]


def test_a_statement_that_names_only_the_revision_means_the_same_title():
    old = record("p3.pdf", title="Procurement Policy, Revision 3", revision="3", effective_date="2023-03-15")
    new = record(
        "p4.pdf", title="Procurement Policy – Revision 4", revision="4", effective_date="2025-02-01",
        supersedes="Revision 3 of 15 March 2023", organisation="Water Authority",
    )  # fmt: skip
    assert superseded([old, new, OTHER]) == {0: 1}
