import pytest

from ingestion.clauses import as_cited, missing_numbers

TOP = [(0, ("4 Delivery", "4.2.1"))]


def cited(text, sections=TOP):
    return as_cited(text, 0, len(text), missing_numbers([(text, sections)])[0])


@pytest.mark.parametrize(
    ("text", "written_out"),
    [
        ("as follows:\n(a) for goods;\n(b) for works.", "as follows:\n4.2.1(a) for goods;\n4.2.1(b) for works."),
        ("a) for goods\nb) for works", "4.2.1(a) for goods\n4.2.1(b) for works"),
        ("as follows: (a) for goods; or (b) for works", "as follows: 4.2.1(a) for goods; or 4.2.1(b) for works"),
        ("(a) one\n(i) two\n(ii) three\n(b) four", "4.2.1(a) one\n4.2.1(a)(i) two\n4.2.1(a)(ii) three\n4.2.1(b) four"),
        ("(h) one\n(i) two\n(j) three", "4.2.1(h) one\n4.2.1(i) two\n4.2.1(j) three"),
        ("(1) one\n(a) two\n(2) three", "4.2.1(1) one\n4.2.1(1)(a) two\n4.2.1(2) three"),
        ("(a) one\n(xxx) two\n(b) three", "4.2.1(a) one\n4.2.1(xxx) two\n4.2.1(b) three"),
        ("under paragraph (b) of it, up to three (3) bids", "under paragraph (b) of it, up to three (3) bids"),
    ],
)
def test_list_items_are_written_as_they_are_cited(text, written_out):
    assert cited(text) == written_out


def test_the_clause_is_that_of_the_innermost_numbered_heading():
    text = "(a) one\n8.3 Waivers\n(a) two"
    sections = [(0, ("8 Exceptions", "8.2")), (8, ("8 Exceptions", "8.3 Waivers"))]
    assert cited(text, sections) == "8.2(a) one\n8.3 Waivers\n8.3(a) two"
    assert cited("(a) one", [(0, ("Article 12 Disputes",))]) == "12(a) one"
    assert cited("(a) one", [(0, ("Exceptions",))]) == "(a) one"


def test_a_list_goes_on_over_the_page():
    pages = [("(a) one\n(i) two", TOP), ("(ii) three\n(b) four", TOP)]
    second = missing_numbers(pages)[1]
    assert as_cited(pages[1][0], 0, 22, second) == "4.2.1(a)(ii) three\n4.2.1(b) four"


def test_a_stretch_of_a_page_has_only_its_own_items():
    text = "(a) one\n(b) two\n(c) three"
    assert as_cited(text, 8, 16, missing_numbers([(text, TOP)])[0]) == "4.2.1(b) two\n"
