"""What a search found in; how likely the best pages answer the question, and the tier that follows from it, out."""

import math
from collections.abc import Mapping

from rag.config import Confidence
from rag.domain import Retrieval, Tier

EVIDENCE = "evidence"  # the trace step whose one item holds the features below
FEATURES = ("cosine_lift", "coverage", "agreement", "margin", "reference")
# Fitted by `python -m evaluation calibrate`; each feature lies between 0 and 1.
INTERCEPT = -4.0
WEIGHTS = {"cosine_lift": 3.0, "coverage": 4.0, "agreement": 0.5, "margin": 0.5, "reference": 1.0}


def features(retrieval: Retrieval) -> dict[str, float]:
    """The named numbers, 0 to 1, that confidence is computed from; all 0 where nothing was found."""
    found: Mapping[str, object] = next((s.items[0] for s in retrieval.trace if s.stage == EVIDENCE and s.items), {})
    return {name: float(str(found.get(name, 0.0))) for name in FEATURES}


def probability(found: Mapping[str, float]) -> float:
    """The chance that the passages answer the question, by logistic regression over the features."""
    return 1 / (1 + math.exp(-(INTERCEPT + sum(weight * found[name] for name, weight in WEIGHTS.items()))))


def tier(retrieval: Retrieval, settings: Confidence) -> tuple[Tier, float]:
    """high from settings.high, low from settings.low, else none."""
    if not retrieval.passages:
        return "none", 0.0
    chance = probability(features(retrieval))
    return ("high" if chance >= settings.high else "low" if chance >= settings.low else "none"), chance
