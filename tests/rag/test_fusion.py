import pytest

from rag.fusion import Fused, min_max, normalised_score_fusion, reciprocal_rank_fusion

# Three chunks: dense ranks 1, 2, 3; lexical finds 3 and 1.
DENSE = [(1, 0.9), (2, 0.8), (3, 0.4)]
LEXICAL = [(3, 12.0), (1, 6.0)]


def test_reciprocal_ranks_start_at_one():
    fused = reciprocal_rank_fusion({"dense": DENSE, "lexical": LEXICAL}, rrf_k=60, weights={})
    assert [(item.id, item.score, item.found_by) for item in fused] == [
        (1, pytest.approx(1 / 61 + 1 / 62), ("dense", "lexical")),
        (3, pytest.approx(1 / 63 + 1 / 61), ("dense", "lexical")),
        (2, pytest.approx(1 / 62), ("dense",)),
    ]


def test_normalised_scores_keep_the_distances():
    fused = normalised_score_fusion({"dense": DENSE, "lexical": LEXICAL}, weights={"lexical": 2.0})
    # dense gives 1, 0.8, 0; lexical gives 3 twice 1 and 1 twice 0.
    assert [(item.id, pytest.approx(item.score)) for item in fused] == [(3, 2.0), (1, 1.0), (2, 0.8)]


def test_a_tie_goes_to_what_more_rankings_found_then_to_the_lower_id():
    rankings = {"a": [(7, 1.0)], "b": [(5, 1.0)], "c": [(9, 2.0), (2, 2.0)], "d": [(9, 0.0), (4, 1.0)]}
    fused = normalised_score_fusion(rankings, weights={})
    assert [item.id for item in fused] == [9, 2, 4, 5, 7]
    assert fused[0].found_by == ("c", "d")


def test_a_ranking_without_weight_and_an_empty_one_change_nothing():
    rankings = {"dense": DENSE, "lexical": [], "router": [(8, 1.0)]}
    fused = reciprocal_rank_fusion(rankings, rrf_k=60, weights={"router": 0.0})
    assert fused[0] == Fused(1, 1 / 61, ("dense",))
    assert len(fused) == 3
    assert reciprocal_rank_fusion({}, rrf_k=60, weights={}) == []


def test_equal_scores_are_all_the_best():
    assert min_max([3.0, 3.0]) == [1.0, 1.0]
    assert min_max([]) == []
