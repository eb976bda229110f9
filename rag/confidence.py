"""What a search found in; how likely the best pages answer the question, and the tier that follows from it, out."""

import math
import re
from collections.abc import Mapping, Sequence

from rag.config import Confidence
from rag.domain import Retrieval, Tier
from rag.filters import value_of
from rag.fusion import Scored
from rag.prepared import Prepared
from rag.scorer import Evidence
from rag.tokens import references, words

EVIDENCE = "evidence"  # the trace step whose one item holds the features below and the document type
DOCUMENT_TYPE = "document_type"
BELOW_HIGH = 0.99
FEATURES = ("lift", "words", "coverage", "names", "close_words", "agreement", "margin", "reference")


def evidence_of(judged: Sequence[Evidence], rankings: Mapping[str, Scored], prepared: Prepared) -> dict[str, object]:
    """The features of a result, for its trace, and the type of the document that the best page is of.

    No cosine stands alone: levels differ from model to model.
    """
    if not judged:
        return {**dict.fromkeys(FEATURES, 0.0), DOCUMENT_TYPE: ""}
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
        DOCUMENT_TYPE: value_of(prepared.snapshot.files[prepared.page_of.file_of(judged[0].page)], DOCUMENT_TYPE),
    }


def features(retrieval: Retrieval) -> dict[str, float]:
    """The named numbers, 0 to 1, that confidence is computed from; all 0 where nothing was found."""
    found = traced(retrieval)
    return {name: float(str(found.get(name, 0.0))) for name in FEATURES}


def document_type(retrieval: Retrieval) -> str:
    """Of the document with the best page; "" where that is not known."""
    return str(traced(retrieval).get(DOCUMENT_TYPE, ""))


def traced(retrieval: Retrieval) -> Mapping[str, object]:
    return next((step.items[0] for step in retrieval.trace if step.stage == EVIDENCE and step.items), {})


def thresholds_for(kind: str, settings: Confidence) -> tuple[float, float]:
    """(high, low): of a document type where it had enough golden questions of its own, else those of all."""
    return settings.high_by_type.get(kind, settings.high), settings.low_by_type.get(kind, settings.low)


def probability(found: Mapping[str, float], settings: Confidence) -> float:
    """The chance that the passages answer the question: logistic regression, fitted by `python -m evaluation calibrate`."""
    return 1 / (1 + math.exp(-(settings.intercept + sum(settings.weights.get(name, 0.0) * found[name] for name in FEATURES))))


def tier(retrieval: Retrieval, settings: Confidence) -> tuple[Tier, float]:
    """high and low from their thresholds, else none. An approval rule that holds is an answer found, with doubt
    where none names what is asked about; where rules are known and none holds, there is no answer.

    A question without a word to look for ("who are you?", "what is 2+2?") has no plain answer, and neither has one about
    names of which the best page has none. To an emoji there is none at all, though some page is always nearest.
    """
    question = retrieval.query.expanded
    if not retrieval.passages or not re.search(r"\w", question):
        return "none", 0.0
    found = features(retrieval)
    chance = probability(found, settings)
    high, low = thresholds_for(document_type(retrieval), settings)
    if not found["names"] or not (any(not word.isdigit() for word in words(question)) or references(question)):
        chance = min(chance, BELOW_HIGH * high)
    if retrieval.rules:
        chance = BELOW_HIGH * high if retrieval.rules_note else max(chance, high)
    elif retrieval.rules_note:
        chance = min(chance, BELOW_HIGH * low)
    return ("high" if chance >= high else "low" if chance >= low else "none"), chance
