import pytest

from rag.citations import Support, cite, markers, page_reference, place_of
from rag.sentences import NEXT_PAGE
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
        ("The CFO signs 【2†table】.", "The CFO signs [1].", [1], 0),
        ("No source at all.", "No source at all.", [], 0),
    ],
)
def test_markers_are_numbered_as_they_come_and_invented_ones_dropped_and_counted(text, shown, cited, invented):
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


def test_each_statement_has_its_own_marker_and_quote():
    text = "Above 10,000 the CFO approves [2]. Up to 10,000 the buyer approves [2]. A tender is needed [1], by the CFO [2]."
    result = cite(text, BOTH)
    assert result.text == (
        "Above 10,000 the CFO approves [1]. Up to 10,000 the buyer approves [2]. A tender is needed [3], by the CFO [1]."
    )
    assert [(c.marker, c.document, c.quote) for c in result.citations] == [
        (1, "Delegation", "| above 10,000 | CFO |"),
        (2, "Delegation", "| up to 10,000 | Buyer |"),
        (3, "Procurement Policy", "Purchases above EUR 50,000 require an open tender."),
    ]
    assert result.passages == (TABLE, TABLE, TENDER)


def test_neighbouring_sentences_that_support_one_statement_are_quoted_together():
    [citation] = cite("A tender is required above EUR 50,000. Bids are valid for ninety days [1].", BOTH).citations
    assert citation.quote == "Purchases above EUR 50,000 require an open tender. Bids stay valid for ninety days."


def test_a_statement_whose_support_is_known_quotes_just_that():
    support = (Support(2, "CFO: any amount", "| above 10,000 | CFO |"),)
    [citation] = cite("- Delegation, up to 10,000 the Buyer, CFO: any amount [2]", BOTH, support=support).citations
    assert citation.quote == "| above 10,000 | CFO |"


def test_a_quote_that_stands_on_the_next_page_is_cited_there():
    found = passage(f"8.2 It is accepted only where:{NEXT_PAGE}(a) one supplier exists; or", page=7, label="4")
    assert place_of(found, "8.2 It is accepted only where:") == (7, "4")
    assert place_of(found, "(a) one supplier exists; or") == (8, "5")


def test_the_quote_may_come_from_the_text_around_the_found_piece():
    found = passage("Late bids are returned.", around="Bids stay valid for ninety days. Late bids are returned.")
    [citation] = cite("Validity is ninety days for all bids [1].", [found]).citations
    assert citation.quote == "Bids stay valid for ninety days."


def test_a_text_that_only_points_to_pages_quotes_what_was_found_there():
    [citation] = cite("- Procurement Policy, page 4 [1]", BOTH, states=False).citations
    assert citation.quote == TENDER.chunk.text


def test_every_quote_stands_in_the_passage_word_for_word():
    result = cite("Nothing alike [2]. Something else entirely [1].", BOTH)
    for citation, cited in zip(result.citations, result.passages, strict=True):
        assert citation.quote in cited.text


@pytest.mark.parametrize(("page", "label", "text"), [(5, "2", "5 (printed 2)"), (5, "5", "5"), (5, "", "5")])
def test_a_page_is_named_by_its_number_and_by_what_is_printed_where_that_differs(page, label, text):
    assert page_reference(page, label) == text
