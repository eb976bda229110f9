"""Ranked pages and golden places in, hit@k, MRR, nDCG and refusal rates out; pure functions.

A page counts as found when file name and physical page match any place that answers the question. Definitions follow
Manning, Raghavan, Schütze, Introduction to Information Retrieval, chapter 8 (https://nlp.stanford.edu/IR-book/); nDCG
uses binary gains and the logarithm to base 2 (Järvelin and Kekäläinen 2002, https://doi.org/10.1145/582415.582418).
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from evaluation.golden import GoldenQuestion, Place

EVIDENCE_SHARE = 0.8  # of the evidence's distinct words that must stand in a hit's text


@dataclass(frozen=True, slots=True)
class RankedPage:
    """One hit of a result list: a page and the text shown for it."""

    file: str
    page: int
    text: str


@dataclass(frozen=True, slots=True)
class Scored:
    """How one question fared. Ranks start at 1; None means not in the list."""

    question: GoldenQuestion
    page_rank: int | None
    file_rank: int | None
    evidence_found: bool
    ndcg: float
    tier: str = ""
    cited_right: bool | None = None  # a citation stands on a place that answers; None if nothing was asked of a model

    @property
    def reciprocal_rank(self) -> float:
        return 1 / self.page_rank if self.page_rank else 0.0

    def hit(self, k: int) -> bool:
        return self.page_rank is not None and self.page_rank <= k


def fold(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


def same_file(one: str, other: str) -> bool:
    return PurePosixPath(one).name == PurePosixPath(other).name


def answers(page: RankedPage, place: Place) -> bool:
    return same_file(page.file, place.file) and page.page in place.pages


def holds_evidence(page: RankedPage, place: Place) -> bool:
    wanted = set(fold(place.evidence).split())
    if not wanted or not same_file(page.file, place.file):
        return False
    return len(wanted & set(fold(page.text).split())) >= EVIDENCE_SHARE * len(wanted)


def first_rank(flags: Iterable[bool]) -> int | None:
    return next((rank for rank, flag in enumerate(flags, 1) if flag), None)


def ndcg_at(flags: Sequence[bool], *, relevant: int, k: int) -> float:
    """Binary nDCG@k: `flags` says for each rank whether it is relevant, `relevant` how many relevant pages there are."""
    gained = sum(1 / math.log2(rank + 1) for rank, flag in enumerate(flags[:k], 1) if flag)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(relevant, k) + 1))
    return gained / ideal if ideal else 0.0


def score_question(
    question: GoldenQuestion,
    pages: Sequence[RankedPage],
    *,
    tier: str = "",
    cited: Sequence[RankedPage] | None = None,
) -> Scored:
    relevant = [any(answers(page, place) for place in question.places) for page in pages]
    distinct = {(PurePosixPath(place.file).name, place.pages) for place in question.places}
    return Scored(
        question=question,
        page_rank=first_rank(relevant),
        file_rank=first_rank(any(same_file(page.file, place.file) for place in question.places) for page in pages),
        evidence_found=any(holds_evidence(page, place) for page in pages for place in question.places),
        ndcg=ndcg_at(relevant, relevant=len(distinct), k=10),
        tier=tier,
        cited_right=None if cited is None else any(answers(page, place) for page in cited for place in question.places),
    )


def mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def summarise(scored: Sequence[Scored]) -> dict[str, float]:
    """The figures of a set of questions. Page figures are over the answerable ones.

    refusal_accuracy: unanswerable questions answered with "not in the documents" (tier none). false_answers:
    unanswerable questions answered plainly (tier high). false_refusals: answerable ones refused (tier none).
    """
    answerable = [s for s in scored if s.question.answerable]
    unanswerable = [s for s in scored if not s.question.answerable]
    figures: dict[str, float] = {"questions": len(scored)}
    if answerable:
        figures |= {f"hit@{k}": mean(s.hit(k) for s in answerable) for k in (1, 3, 5)}
        figures |= {
            "mrr": mean(s.reciprocal_rank for s in answerable),
            "ndcg@10": mean(s.ndcg for s in answerable),
            "evidence": mean(s.evidence_found for s in answerable),
            "file@1": mean(s.file_rank == 1 for s in answerable),
        }
        if answerable[0].tier:
            figures["false_refusals"] = mean(s.tier == "none" for s in answerable)
        cited = [s.cited_right for s in answerable if s.cited_right is not None]
        if cited:
            figures["cited_right"] = mean(cited)
    if unanswerable and unanswerable[0].tier:
        figures["refusal_accuracy"] = mean(s.tier == "none" for s in unanswerable)
        figures["false_answers"] = mean(s.tier == "high" for s in unanswerable)
    return {name: round(value, 4) for name, value in figures.items()}


def summarise_by_kind(scored: Sequence[Scored]) -> dict[str, dict[str, float]]:
    kinds = sorted({s.question.kind for s in scored})
    return {kind: summarise([s for s in scored if s.question.kind == kind]) for kind in kinds} | {"all": summarise(scored)}


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile of `values`, `share` from 0 to 1."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0
