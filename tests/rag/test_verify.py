import pytest

from rag.verify import check_figures
from tests.rag.fakes import passage

POLICY = passage(
    "Purchases above EUR 50,000 require an open tender. Bids stay valid for ninety (90) days after 3 May 2025. "
    "The retention is 5% under clause 4.2.1 (b). Three quotations are needed.",
    section=("4 Tendering", "4.2 Thresholds"),
)
TRAVEL = passage("The per diem is USD 120.", document="Travel Policy", page=9)
PASSAGES = (POLICY, TRAVEL)


def checked(text: str) -> list[tuple[str, bool, int | None]]:
    return [(check.text, check.proven, check.marker) for check in check_figures(text, PASSAGES)]


@pytest.mark.parametrize(
    ("answer", "checks"),
    [
        ("Above €50k a tender is needed [1].", [("€50k", True, 1)]),
        ("Above EUR 60,000 a tender is needed [1].", [("EUR 60,000", False, None)]),
        ("Above USD 50,000 a tender is needed [1].", [("USD 50,000", False, None)]),
        ("Bids are valid for 90 days [1].", [("90 days", True, 1)]),
        ("It starts on 3rd May 2025 [1].", [("3rd May 2025", True, 1)]),
        ("It starts in May 2025 [1].", [("May 2025", True, 1)]),
        ("See clause 4.2.1(b) [1].", [("clause 4.2.1(b)", True, 1)]),
        ("See section 4.2 [1].", [("section 4.2", True, 1)]),
        ("See section 4.3 [1].", [("section 4.3", False, None)]),
        ("Keep 5 per cent [1] and 6% [1].", [("5 per cent", True, 1), ("6%", False, None)]),
        ("You need 3 quotations [1].", [("3", True, 1)]),
        ("It says “require an open  tender” [1].", [("require an open  tender", True, 1)]),
        ("It says “require a closed tender” [1].", [("require a closed tender", False, None)]),
        ("It says “Purchases above … an open tender” [1].", [("Purchases above … an open tender", True, 1)]),
        ("The per diem is USD 120 [1][2].", [("USD 120", True, 2)]),
        ("The per diem is USD 120 [1]. More there [2].", [("USD 120", False, None)]),
        ("The per diem is USD 120. More there [2].", [("USD 120", True, 2)]),
        ("The per diem is USD 120.", [("USD 120", False, None)]),
        ("See page 12 [1].", []),
        ("1. First [1]\n2. Second [1]", []),
        ("Nothing to check [1].", []),
    ],
)
def test_each_figure_is_looked_up_in_the_cited_passages(answer, checks):
    assert checked(answer) == checks


def test_a_figure_that_is_wrong_once_is_flagged_though_it_is_right_elsewhere():
    assert checked("Above EUR 50,000 [1]. The per diem is EUR 50,000 [2].") == [("EUR 50,000", False, None)]


def test_a_marker_after_the_full_stop_belongs_to_the_sentence_before():
    assert checked("Above EUR 50,000 a tender is needed. [1] Travel is paid. [2]") == [("EUR 50,000", True, 1)]


def test_titles_pages_and_tables_state_nothing_that_could_be_checked():
    found = passage("The limit is $25.", document="Circular 2025-03: Gifts, Revision 4", section=("4 Gifts and meals",), page=5)
    text = (
        "According to Circular 2025-03: Gifts, Revision 4, page 5 (printed 2), Table 3, the limit is $25 [1]. "
        "Revision 4 says so under 4 Gifts and meals [1]."
    )
    assert [check.text for check in check_figures(text, [found])] == ["$25"]


def test_a_quotation_of_two_sentences_is_one():
    found = passage("6.4 Low bids. Where a bid is 25 percent lower, ask why.")
    checks = check_figures("It says “6.4 Low bids. Where a bid is 25 percent lower, ask why.” [1]", [found])
    assert [(check.kind, check.proven) for check in checks] == [("quotation", True)]
