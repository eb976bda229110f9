"""Several rankings of the same things in, one ranking out, with which of them found each thing; pure arithmetic."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Scored = Sequence[tuple[int, float]]  # (id, score), best first, each id once


@dataclass(frozen=True, slots=True)
class Fused:
    id: int
    score: float
    found_by: tuple[str, ...]  # names of the rankings that hold it, in the order they were given


def reciprocal_rank_fusion(rankings: Mapping[str, Scored], *, rrf_k: int, weights: Mapping[str, float]) -> list[Fused]:
    """Each ranking gives weight / (rrf_k + rank); ranks start at 1, so with k = 60 a first place is worth 1/61.

    Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
    SIGIR 2009 (https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf): only ranks count, so scores of different
    scales can be fused; the constant keeps one ranking's first places from outvoting the agreement of several.
    """
    return fuse(rankings, weights, lambda scored: [1 / (rrf_k + rank) for rank in range(1, len(scored) + 1)])


def normalised_score_fusion(rankings: Mapping[str, Scored], *, weights: Mapping[str, float]) -> list[Fused]:
    """Each ranking gives weight times its score scaled to 0 (its worst) to 1 (its best).

    Min-max scaling, called CombSUM after Fox and Shaw, "Combination of Multiple Searches", TREC-2 1994
    (https://trec.nist.gov/pubs/trec2/papers/txt/23.txt). It keeps how far ahead a first place was.
    """
    return fuse(rankings, weights, lambda scored: min_max([score for _, score in scored]))


def fuse(rankings: Mapping[str, Scored], weights: Mapping[str, float], worth: Callable[[Scored], list[float]]) -> list[Fused]:
    """Adds up what each ranking gives; ties go to what more rankings found, then to the lower id, so order never wavers."""
    totals: dict[int, float] = {}
    found_by: dict[int, list[str]] = {}
    for name, scored in rankings.items():
        weight = weights.get(name, 1.0)
        if weight <= 0:
            continue
        for (id_, _), value in zip(scored, worth(scored), strict=True):
            totals[id_] = totals.get(id_, 0.0) + weight * value
            found_by.setdefault(id_, []).append(name)
    order = sorted((-total, -len(found_by[id_]), id_) for id_, total in totals.items())
    return [Fused(id_, -total, tuple(found_by[id_])) for total, _, id_ in order]


def min_max(scores: Sequence[float]) -> list[float]:
    """Scores scaled to 0..1; where all are equal each is 1, because each is the best."""
    if not scores:
        return []
    lowest, highest = min(scores), max(scores)
    if highest == lowest:
        return [1.0] * len(scores)
    return [(score - lowest) / (highest - lowest) for score in scores]
