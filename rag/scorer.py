"""Candidate pages and a question in; how well each page answers it, from features that can be read, out.

This is the built-in scorer, used where FlashRank's model can't be had. It needs no model: a weighted sum of what the
index already knows of a page. What makes it better than the fused order is that word scores count as a share of what
the question could reach at all: the best of many bad word matches must not weigh as much as the nearest vector
(min-max scaling gives both 1), which is what buries the answers of questions put in everyday words.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from glossary.learn import definitions_in, singular
from rag.followup import content_words
from rag.index import Snapshot
from rag.lexical import K1, B
from rag.prepared import Prepared
from rag.word_order import HOLDS_DIGIT, number_of

# Weights chosen on half of the questions of two golden sets and scored on the other half; the optimum is flat, so they are
# rounded means of the best. "nearness": cosine, scaled to 0..1 over the candidates; "lift": cosine in standard
# deviations above the corpus; "figure" and "definition": 1 where the page gives what the question asks for; the rest are
# shares of the question's words.
WEIGHTS = {
    "nearness": 0.2,
    "lift": 0.16,
    "words": 1.0,
    "page_words": 1.0,
    "coverage": 0.25,
    "close_words": 0.4,
    "figure": 0.25,
    "definition": 0.5,
    "reference": 0.6,
}
FEW_WORDS = 0.2  # of what a question's words could reach at all: where no page does, the question is in other words than theirs
LIFT_WHERE_FEW = 0.2  # added to the weight of "lift" where no page has any word: MRR of paraphrases 0.76 to 0.82
READ_A_PAGE = 2  # pieces of each page whose words are looked at in their order
CLOSE = 24  # words within which the question's words stand close together
# Questions whose answer is a figure: "how much", "within how many days", "what is the limit".
ASKS_FOR_FIGURE = re.compile(
    r"\bhow (?:much|many|long|soon|often|quickly|fast|large|old)\b|\bwhen\b|\bwhat (?:date|year|amount|percentage|number)\b|"
    r"\b(?:amount|limit|price|cost|value|total|percentage|percent|rate|number|threshold|date|budget|fee|period|deadline|maximum|"
    r"minimum|ceiling|ratio|margin|growth)\b",
    re.IGNORECASE,
)


ASKS_FOR_MEANING = re.compile(
    r"\bstands? for\b|\bmeans?\b|\bmeaning\b|\bshort for\b|\bdefin|\bwhat(?: i|['’])s an? [A-Z]", re.IGNORECASE
)
# "What is FACES at the agency?", "What are IBA and CBA?"; but not "What is the CAF rate?", which asks for something of it.
ASKS_FOR_ABBREVIATION = re.compile(
    r"\b[Ww]hat(?:['’]s| is| are)\s+(?P<names>[A-Z][A-Z&/.-]*[A-Z]s?(?:\s*(?:,|and|or|&)\s*[A-Z][A-Z&/.-]*[A-Z]s?)*)"
    r"(?=\s*(?:[?.,]|$)|\s+(?:at|by|for|in|on|to|under|within)\b)"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A candidate page as it was judged: `rows` are its best pieces, best first."""

    page: int
    place: int  # in the order given
    rows: tuple[int, ...]
    score: float
    features: Mapping[str, float]


class WordCounts:
    """How often each word of a question stands in some rows, read from the postings without touching a text."""

    def __init__(self, snapshot: Snapshot, text: str, rows: np.ndarray) -> None:
        okapi = snapshot.lexical.words
        times = Counter(snapshot.lexical.query_terms(text)[0])
        self.weights: dict[str, float] = {}
        columns = []
        for term, asked in times.items():
            holding, counts = okapi.holding(term)
            self.weights[term] = asked * max(okapi.idf(len(holding)), 0.0)
            columns.append(counts_at(holding, counts, rows))
        self.counts = np.array(columns, np.float32).reshape(len(times), len(rows))  # a row a term
        self.idfs = np.array(list(self.weights.values()), np.float32)
        self.lengths = okapi.field.lengths[rows].astype(np.float32)
        self.average_length = okapi.average_length or 1.0
        # What a text holding every word many times would score: unknown words count, so a strange question stays low.
        self.reachable = max((K1 + 1) * float(self.idfs.sum()), 1e-6)

    def share(self, counts: np.ndarray, lengths: np.ndarray, average: float) -> np.ndarray:
        """BM25 of each column of `counts` as a share of what is reachable."""
        norms = K1 * (1 - B + B * lengths / max(average, 1e-6))
        return self.idfs @ (counts * (K1 + 1) / (counts + norms)) / self.reachable

    def coverage(self, counts: np.ndarray, terms: Collection[str] | None = None) -> np.ndarray:
        """The weight of the question's words (or of some of them) that stand in each column, of all; 1 where there are none."""
        idfs = self.idfs if terms is None else self.idfs * np.array([term in terms for term in self.weights], np.float32)
        total = float(idfs.sum())
        return idfs @ (counts > 0) / total if total else np.ones(counts.shape[1], np.float32)


def counts_at(holding: np.ndarray, counts: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A term's counts in `rows`; `holding` are the rows that hold it, ascending."""
    if not len(holding):
        return np.zeros(len(rows), np.float32)
    at = np.minimum(np.searchsorted(holding, rows.astype(holding.dtype)), len(holding) - 1)  # other types would be copied
    return np.where(holding[at] == rows, counts[at], 0).astype(np.float32)


def judge(question: str, text: str, vector: np.ndarray, pages: Sequence[int], prepared: Prepared) -> list[Evidence]:
    """Every page with its features and its best pieces, in the order of their scores; equal ones stay in the given order.

    `text` is what was searched for, `question` what was asked.
    """
    if not pages:
        return []
    snapshot, page_of = prepared.snapshot, prepared.page_of
    rows_of = [page_of.rows(page) for page in pages]
    sizes = np.array([len(each) for each in rows_of])
    starts = np.cumsum(sizes) - sizes
    rows = np.concatenate(rows_of)
    words = WordCounts(snapshot, text, rows)
    cosines = snapshot.dense.vectors_of(rows) @ vector
    mean, deviation = prepared.spread.of(vector)
    shares = words.share(words.counts, words.lengths, words.average_length)
    referred = reference_shares(snapshot, question, rows)
    piece_scores = WEIGHTS["lift"] * (cosines - mean) / deviation + WEIGHTS["words"] * shares
    piece_scores = piece_scores + WEIGHTS["reference"] * referred
    by_score = np.lexsort((-piece_scores, np.repeat(np.arange(len(pages)), sizes)))  # the pieces of a page stay together
    best_rows = [rows[by_score[start : start + min(READ_A_PAGE, size)]] for start, size in zip(starts, sizes, strict=True)]
    page_counts = np.add.reduceat(words.counts, starts, axis=1) if len(words.idfs) else np.zeros((0, len(pages)), np.float32)
    page_lengths = np.add.reduceat(words.lengths, starts)
    best_cosines = np.maximum.reduceat(cosines, starts)
    lowest, highest = best_cosines.min(), best_cosines.max()
    names = set(snapshot.lexical.query_terms(" ".join(names_in(question)))[0])
    meant = abbreviations_asked_for(question)
    asks_for_figure = ASKS_FOR_FIGURE.search(question) is not None
    weights = {number_of(term): weight for term, weight in words.weights.items()}
    close = [max((closest(snapshot.order_of(row), weights) for row in best.tolist()), key=itemgetter(0)) for best in best_rows]
    defined = [bool(meant) and any(defines(snapshot.chunk(row).text, meant) for row in each.tolist()) for each in rows_of]
    columns = {
        "nearness": (best_cosines - lowest) / (highest - lowest) if highest > lowest else np.ones(len(pages)),
        "lift": (best_cosines - mean) / deviation,
        "words": np.maximum.reduceat(shares, starts),
        "page_words": words.share(page_counts, page_lengths, page_of.average_length),
        "coverage": words.coverage(page_counts),
        "names": words.coverage(page_counts, names),
        "close_words": np.array([weight for weight, _ in close]),
        "figure": np.array([figure * asks_for_figure for _, figure in close]),
        "reference": np.maximum.reduceat(referred, starts),
        "definition": np.array(defined, np.float32),
    }
    scores = np.array(list(WEIGHTS.values())) @ np.stack([columns[name] for name in WEIGHTS])
    features = [dict(zip(columns, values, strict=True)) for values in np.stack(list(columns.values()), axis=1).tolist()]
    judged = [
        Evidence(page, place, tuple(best.tolist()), float(score), features[place])
        for place, (page, best, score) in enumerate(zip(pages, best_rows, scores, strict=True))
    ]
    return sorted(judged, key=lambda evidence: -evidence.score)


def nearer_first(judged: Sequence[Evidence]) -> list[Evidence]:
    """The pages by their scores, in which the vectors weigh more the fewer of the question's words any page holds."""
    if not judged or any(each.features["reference"] for each in judged):
        return list(judged)
    missing = max(0.0, 1 - max(each.features["words"] for each in judged) / FEW_WORDS)
    lifted = [replace(each, score=each.score + LIFT_WHERE_FEW * missing * each.features["lift"]) for each in judged]
    return sorted(lifted, key=lambda each: -each.score)


def reference_shares(snapshot: Snapshot, question: str, rows: np.ndarray) -> np.ndarray:
    """How well each row holds the literal references of a question, as a share of what the best row holds."""
    found = snapshot.lexical.references(question, num_results=len(snapshot))
    if not len(found):
        return np.zeros(len(rows), np.float32)
    scores = np.zeros(len(snapshot), np.float32)
    scores[found.rows] = found.scores
    return scores[rows] / max(float(scores[rows].max()), 1e-6)


def names_in(question: str) -> list[str]:
    """Names, abbreviations and numbers of a question: what a page must speak of to answer it."""
    words = content_words(question)
    first = words[0] if words and question.lstrip().startswith(words[0]) else ""
    return [word for word in words if any(map(str.isdigit, word)) or (any(map(str.isupper, word)) and word != first)]


def abbreviations_asked_for(question: str) -> set[str]:
    """The abbreviations whose meaning a question asks for: "What does SOO stand for?", "What is a TDO?"."""
    if bare := ASKS_FOR_ABBREVIATION.search(question):
        question = bare["names"]
    elif not ASKS_FOR_MEANING.search(question):
        return set()
    return {singular(word) for word in re.findall(r"[A-Z][\w/&.-]*[A-Z]s?\b", question)}


def defines(text: str, abbreviations: set[str]) -> bool:
    """Whether a text spells one of the abbreviations out."""
    return any(name in text for name in abbreviations) and any(name in abbreviations for name, _ in definitions_in(text))


def closest(numbers: np.ndarray, weights: Mapping[int, float]) -> tuple[float, float]:
    """The greatest weight of the question's words within `CLOSE` words of a text, of all; and 1 if a figure stands there.

    Words are given by their numbers (see `rag.word_order`). A figure that the question itself names is no answer.
    """
    total = sum(weights.values())
    terms = numbers.tolist()
    places = [place for place, term in enumerate(terms) if term in weights]
    best, where = 0.0, (0, 0)
    for first, start in enumerate(places):
        seen = {terms[place] for place in places[first:] if place - start <= CLOSE}
        weight = sum(weights[term] for term in seen)
        if weight > best:
            best, where = weight, (max(0, start - CLOSE // 3), start + CLOSE + CLOSE // 3)
    figures = any(term not in weights and term & HOLDS_DIGIT for term in terms[slice(*where)])
    return (best / total if total else 0.0), float(figures)
