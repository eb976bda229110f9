"""What a search found in; how likely the best pages answer the question, and the tier that follows from it, out."""

import math
from collections.abc import Mapping, Sequence

from rag.config import Confidence
from rag.domain import Retrieval, Tier
from rag.fusion import Scored
from rag.prepared import Prepared
from rag.scorer import Evidence

EVIDENCE = "evidence"  # the trace step whose one item holds the features below
FEATURES = ("lift", "words", "coverage", "names", "close_words", "agreement", "margin", "reference")


def evidence_of(judged: Sequence[Evidence], rankings: Mapping[str, Scored], prepared: Prepared) -> dict[str, float]:
    """The features of a result, for its trace. No cosine stands alone: levels differ from model to model."""
    if not judged:
        return dict.fromkeys(FEATURES, 0.0)
    best = judged[0].features
    tops = [{prepared.page_of(row) for row, _ in rankings.get(name, ())[:20]} for name in ("dense", "lexical")]
    referred = {prepared.page_of(row) for row, _ in rankings.get("reference", ())}
    second = judged[1].score if len(judged) > 1 else 0.0
    return {
        "lift": min(max(best["lift"] / 8, 0.0), 1.0),
        "words": min(best["words"] * 2, 1.0),
        "coverage": best["coverage"],
        "names": best["names"],
        "close_words": best["close_words"],
        "agreement": len(tops[0] & tops[1]) / max(len(tops[0] | tops[1]), 1),
        "margin": min(max((judged[0].score - second) / max(abs(judged[0].score), 1e-6), 0.0), 1.0),
        "reference": float(judged[0].page in referred),
    }


def features(retrieval: Retrieval) -> dict[str, float]:
    """The named numbers, 0 to 1, that confidence is computed from; all 0 where nothing was found."""
    found: Mapping[str, object] = next((s.items[0] for s in retrieval.trace if s.stage == EVIDENCE and s.items), {})
    return {name: float(str(found.get(name, 0.0))) for name in FEATURES}


def probability(found: Mapping[str, float], settings: Confidence) -> float:
    """The chance that the passages answer the question: logistic regression, fitted by `python -m evaluation calibrate`."""
    return 1 / (1 + math.exp(-(settings.intercept + sum(settings.weights.get(name, 0.0) * found[name] for name in FEATURES))))


def tier(retrieval: Retrieval, settings: Confidence) -> tuple[Tier, float]:
    """high from settings.high, low from settings.low, else none. An approval rule that holds is an answer found."""
    if not retrieval.passages:
        return "none", 0.0
    chance = probability(features(retrieval), settings)
    if retrieval.rules:
        chance = max(chance, settings.high)
    return ("high" if chance >= settings.high else "low" if chance >= settings.low else "none"), chance
