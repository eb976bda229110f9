"""The evaluation's figures against values a reader can compute by hand."""

import math

import pytest

from evaluation.golden import GoldenQuestion, Place
from evaluation.metrics import RankedPage, ndcg_at, percentile, score_question, summarise, summarise_by_kind

PLACE = Place(file="policies/policy.pdf", pages=(4, 5), evidence="three written quotations are required")
ALSO = Place(file="guide.pdf", pages=(2,))
QUESTION = GoldenQuestion(id="q1", question="How many quotations?", kind="lookup", places=(PLACE, ALSO))
NOBODY_KNOWS = GoldenQuestion(id="q2", question="Who won?", kind="unanswerable")


def page(file: str, number: int, text: str = "") -> RankedPage:
    return RankedPage(file=file, page=number, text=text)


def test_the_first_page_that_answers_sets_the_rank():
    found = [page("policy.pdf", 3), page("other.pdf", 4), page("policy.pdf", 5), page("guide.pdf", 2)]
    scored = score_question(QUESTION, found)
    assert scored.page_rank == 3
    assert scored.file_rank == 1
    assert [scored.hit(k) for k in (1, 3, 5)] == [False, True, True]
    assert scored.reciprocal_rank == pytest.approx(1 / 3)


def test_evidence_needs_four_fifths_of_its_words_in_the_right_file():
    assert score_question(QUESTION, [page("policy.pdf", 9, "Three WRITTEN quotations are needed")]).evidence_found
    assert not score_question(QUESTION, [page("policy.pdf", 9, "three quotations needed")]).evidence_found
    assert not score_question(QUESTION, [page("other.pdf", 4, PLACE.evidence)]).evidence_found


def test_ndcg_discounts_by_the_logarithm_of_the_rank():
    assert ndcg_at([False, True], relevant=1, k=10) == pytest.approx(1 / math.log2(3))
    assert ndcg_at([True, False, True], relevant=2, k=10) == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))
    assert ndcg_at([False] * 10 + [True], relevant=1, k=10) == 0.0


def test_summary_separates_answerable_from_unanswerable_questions():
    figures = summarise(
        [
            score_question(QUESTION, [page("policy.pdf", 4)], tier="high", cited=[page("policy.pdf", 4)]),
            score_question(QUESTION, [page("x.pdf", 1), page("policy.pdf", 4)], tier="none", cited=[]),
            score_question(NOBODY_KNOWS, [page("policy.pdf", 4)], tier="none"),
            score_question(NOBODY_KNOWS, [page("policy.pdf", 4)], tier="high"),
        ]
    )
    assert figures["hit@1"] == 0.5
    assert figures["hit@3"] == 1.0
    assert figures["mrr"] == 0.75
    assert figures["false_refusals"] == 0.5
    assert figures["cited_right"] == 0.5
    assert figures["refusal_accuracy"] == 0.5
    assert figures["false_answers"] == 0.5


def test_every_kind_gets_a_row_and_all_of_them_one_more():
    rows = summarise_by_kind([score_question(QUESTION, []), score_question(NOBODY_KNOWS, [], tier="low")])
    assert list(rows) == ["lookup", "unanswerable", "all"]
    assert rows["all"]["questions"] == 2


def test_percentile_is_the_nearest_rank():
    assert percentile([30, 10, 20, 40], 0.5) == 20
    assert percentile([30, 10, 20, 40], 0.95) == 40
    assert percentile([], 0.5) == 0.0
