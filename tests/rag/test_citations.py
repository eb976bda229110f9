import pytest

from rag.citations import cite, markers, page_reference
from tests.rag.fakes import passage

TENDER = passage("Purchases above EUR 50,000 require an open tender. Bids stay valid for ninety days. Late bids are returned.")
TABLE = passage(
    "| Value | Approver |\n| --- | --- |\n| up to 10,000 | Buyer |\n| above 10,000 | CFO |", document="Delegation", page=2
)
BOTH = (TENDER, TABLE)


@pytest.mark.parametrize(
    ("text", "numbers"), [("A [1]. B [2, 3] and [1][4].", [1, 2, 3, 1, 4]), ("【1†source】", [1]), ("see [a] and [12.5]", [])]
)
def test_markers_are_read_in_every_way_models_write_them(text, numbers):
    assert markers(text) == numbers


@pytest.mark.parametrize(
    ("text", "shown", "cited", "invented"),
    [
        ("A tender is needed [1].", "A tender is needed [1].", [1], 0),
        ("A tender [1, 2].", "A tender [1][2].", [1, 2], 0),
        ("A tender [7].", "A tender.", [], 1),
        ("A tender [1][7] above 5.", "A tender [1] above 5.", [1], 1),
        ("The CFO signs 【2†table】.", "The CFO signs [2].", [2], 0),
        ("No source at all.", "No source at all.", [], 0),
    ],
)
def test_invented_markers_are_dropped_and_counted(text, shown, cited, invented):
    result = cite(text, BOTH)
    assert (result.text, [c.marker for c in result.citations], result.invented) == (shown, cited, invented)


def test_the_quote_is_the_sentence_that_supports_the_statement():
    [citation] = cite("Offers remain valid for ninety days [1].", BOTH).citations
    assert citation.quote == "Bids stay valid for ninety days."
    assert (citation.file, citation.page, citation.document) == ("policy.pdf", 4, "Procurement Policy")


def test_the_quote_of_a_table_is_the_row():
    [citation] = cite("Above 10,000 the CFO approves [2].", BOTH).citations
    assert citation.quote == "| above 10,000 | CFO |"


def test_the_header_of_a_table_is_never_the_evidence():
    [citation] = cite("The approver of a value [2].", BOTH).citations
    assert citation.quote != "| Value | Approver |"


def test_neighbouring_sentences_that_support_two_statements_are_quoted_together():
    [citation] = cite("A tender is required above EUR 50,000 [1]. Bids are valid for ninety days [1].", BOTH).citations
    assert citation.quote == "Purchases above EUR 50,000 require an open tender. Bids stay valid for ninety days."


def test_of_statements_far_apart_the_first_is_quoted():
    [citation] = cite("Up to 10,000 the buyer approves [2]. Above 10,000 the CFO approves [2].", BOTH).citations
    assert citation.quote == "| up to 10,000 | Buyer |"
    apart = passage("Bids stay valid for ninety days.\n…\nLate bids are returned.")
    [citation] = cite("Late bids are returned [1]. Bids are valid for ninety days [1].", [apart]).citations
    assert citation.quote == "Late bids are returned."


def test_the_quote_may_come_from_the_text_around_the_found_piece():
    found = passage("Late bids are returned.", around="Bids stay valid for ninety days. Late bids are returned.")
    [citation] = cite("Validity is ninety days for all bids [1].", [found]).citations
    assert citation.quote == "Bids stay valid for ninety days."


def test_a_text_that_only_points_to_pages_quotes_what_was_found_there():
    [citation] = cite("- Procurement Policy, page 4 [1]", BOTH, states=False).citations
    assert citation.quote == TENDER.chunk.text


def test_every_quote_stands_in_the_passage_word_for_word():
    for citation in cite("Nothing alike [1]. Something else entirely [2].", BOTH).citations:
        assert citation.quote in BOTH[citation.marker - 1].text


@pytest.mark.parametrize(("page", "label", "text"), [(5, "2", "5 (printed 2)"), (5, "5", "5"), (5, "", "5")])
def test_a_page_is_named_by_its_number_and_by_what_is_printed_where_that_differs(page, label, text):
    assert page_reference(page, label) == text
