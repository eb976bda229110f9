"""A question in, the chunks whose words, phrases or literal references it shares out, scored by Okapi BM25.

The scores are those of `rank_bm25.BM25Okapi` (https://github.com/dorianbrown/rank_bm25, Trotman et al. 2014), kept as
sparse columns instead of a dictionary a document: the same ranking some hundreds of times faster at 100,000 chunks.
Words and phrases are counted apart, each with its own lengths and document frequencies.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from rag import postings, tokens
from rag.cache import LeastRecentlyUsed
from rag.postings import Builder, Postings
from rag.ranking import Ranking, best
from rag.stored import Stored
from rag.word_order import WordOrder, WordOrderBuilder

K1, B, EPSILON = 1.5, 0.75, 0.25  # rank_bm25's defaults
FIELDS = ("words", "phrases", "references")
OPENS = "^"  # before a reference that opens a line: the clause begins there
OPENING, WIDER = 2.0, 0.25  # weights of a clause's beginning and of the clause around a found item, against a mention
NUMBERED_PART = re.compile(r"(?:sec|cla|art|par|cha|rul) \d+")
RECENT = 32  # terms of the last questions: a question is ranked, then its pages are judged by the same terms
ABOUT, ORDER = "about.json", "order"
NOTHING = Ranking(np.zeros(0, np.int64), np.zeros(0, np.float32))


class Okapi:
    """BM25 over one kind of term."""

    def __init__(self, field: Postings, *, average_idf: float) -> None:
        self.field = field
        self.average_idf = average_idf
        self.num_rows = len(field)
        self.average_length = float(field.lengths.mean(dtype=np.float64)) if self.num_rows else 0.0
        relative = field.lengths / self.average_length if self.average_length else np.zeros(self.num_rows)
        self.length_norms = (K1 * (1 - B + B * relative)).astype(np.float32)
        self.recent: LeastRecentlyUsed[tuple[np.ndarray, np.ndarray]] = LeastRecentlyUsed(holds=RECENT)

    def idf(self, rows_holding: int) -> float:
        """Never negative for a term more than half of the rows hold: rank_bm25 gives it a quarter of the average instead."""
        idf = math.log(self.num_rows - rows_holding + 0.5) - math.log(rows_holding + 0.5)
        return idf if idf >= 0 else EPSILON * self.average_idf

    def holding(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        """The rows that hold a term, ascending, and how often; those of the last few terms are kept at hand."""
        found = self.recent.get(term)
        if found is None:
            at = self.field.find(term)
            found = np.asarray(self.field.rows[at]), np.asarray(self.field.counts[at])
            self.recent.put(term, found)
        return found

    def scores(self, terms: Iterable[str]) -> np.ndarray | None:
        """One score a row; None when no row holds any of the terms. A term that is asked twice counts twice."""
        rows, counts, weights = [], [], []
        for term, times in Counter(terms).items():
            holding, often = self.holding(term)
            if len(holding):
                rows.append(holding)
                counts.append(often)
                weights.append(times * self.idf(len(holding)))
        if not rows:
            return None
        frequency = np.concatenate(counts).astype(np.float32)
        matrix = postings.columns(rows, frequency, num_rows=self.num_rows)
        matrix.data = frequency * np.float32(K1 + 1) / (frequency + self.length_norms.take(matrix.indices))
        return matrix @ np.array(weights, np.float32)


class LexicalIndex:
    def __init__(
        self,
        fields: Mapping[str, Postings],
        order: WordOrder | None,
        *,
        languages: Sequence[str],
        average_idfs: Mapping[str, float],
    ) -> None:
        self.fields = fields
        self.order = order  # None in an index written before it was kept
        self.languages = tuple(languages)
        self.average_idfs = average_idfs  # they need a look at every term, so they are not computed again when it is opened
        self.asked: LeastRecentlyUsed[tuple[list[str], list[str]]] = LeastRecentlyUsed(holds=RECENT)
        self.words = Okapi(fields["words"], average_idf=average_idfs["words"])
        self.phrases = Okapi(fields["phrases"], average_idf=average_idfs["phrases"])

    def __len__(self) -> int:
        return self.words.num_rows

    @property
    def damaged(self) -> bool:
        """Whether a block turned out not to be what was written."""
        arrays = [getattr(field, name) for field in self.fields.values() for name in postings.ARRAYS]
        arrays += [self.order.numbers] if self.order is not None else []
        return any(array.damaged for array in arrays if isinstance(array, Stored))

    def search(self, text: str, *, num_results: int, allowed: np.ndarray | None = None, phrase_weight: float = 1.5) -> Ranking:
        """The rows that share words with the text; a row that shares none, or only words without weight, is left out."""
        words, phrases = self.query_terms(text)
        scores = self.words.scores(words)
        if scores is None:
            return NOTHING
        if phrase_weight and (shared := self.phrases.scores(phrases)) is not None:
            scores = scores + np.float32(phrase_weight) * shared
        return positive(scores, allowed=allowed, num_results=num_results)

    def references(self, text: str, *, num_results: int, allowed: np.ndarray | None = None) -> Ranking:
        """The rows that hold a literal reference of the text (a clause number, a code, an amount); a rare one weighs more.

        A row where the clause itself begins comes before one that mentions it, and where "4.2.1(b)" is found, the rest of
        "4.2.1" counts little.
        """
        field = self.fields["references"]
        rows: list[np.ndarray] = []
        weights: list[float] = []
        wider = ""  # the clause whose item was found
        for term in tokens.references(text):
            share = WIDER if term == wider else 1.0
            # "section 5" is spelled out where it is mentioned and begins with a bare 5
            opening = term.split()[-1] if NUMBERED_PART.fullmatch(term) else term
            for stored, factor in ((term, 1.0), (f"{OPENS}{opening}", OPENING)):
                if (at := field.find(stored)).stop:
                    rows.append(field.rows[at])
                    weights.append(share * factor * math.log1p(len(self) / len(rows[-1])))
                    wider = term.partition("(")[0] if "(" in term else wider
        if not rows:
            return NOTHING
        matrix = postings.columns(rows, np.ones(sum(map(len, rows)), np.float32), num_rows=len(self))
        return positive(matrix @ np.array(weights, np.float32), allowed=allowed, num_results=num_results)

    def query_terms(self, text: str) -> tuple[list[str], list[str]]:
        """The text's words and phrases as each language of the index would have stored them.

        Only stop words of the language that the question is written in are left out: "die" asked in English counts.
        """
        found = self.asked.get(text)
        if found is None:
            found = self.terms_asked_for(text)
            self.asked.put(text, found)
        return found

    def terms_asked_for(self, text: str) -> tuple[list[str], list[str]]:
        asked_in = tokens.likely_languages(text, self.languages) or ["english"]
        stops = frozenset[str]().union(*(tokens.stop_words(language) for language in asked_in))
        words: Counter[str] = Counter()
        phrases: Counter[str] = Counter()
        for language in self.languages or ("english",):
            found = tokens.words(text, language, stops=stops | tokens.stop_words(language))
            words |= Counter(found)
            phrases |= Counter(tokens.phrases(found))
        return list(words.elements()), list(phrases.elements())

    def save(self, directory: Path) -> None:
        for name, field in self.fields.items():
            field.save(directory / name)
        if self.order is not None:
            self.order.save(directory / ORDER)
        about = {"languages": self.languages, "average_idfs": self.average_idfs}
        (directory / ABOUT).write_text(json.dumps(about), encoding="utf-8")

    @classmethod
    def load(cls, directory: Path) -> "LexicalIndex":
        about = json.loads((directory / ABOUT).read_text(encoding="utf-8"))
        order = WordOrder.load(directory / ORDER) if (directory / ORDER).is_dir() else None
        return cls({name: Postings.load(directory / name) for name in FIELDS}, order, **about)

    def changed(self, *, kept: np.ndarray, new: "LexicalIndex") -> "LexicalIndex":
        """The index of the kept rows followed by those of `new`, equal to one built from all their texts."""
        fields = {name: postings.merge(self.fields[name], kept=kept, new=new.fields[name]) for name in FIELDS}
        order = self.order.changed(kept=kept, new=new.order) if self.order is not None and new.order is not None else None
        return from_fields(fields, order, {*self.languages, *new.languages})


class LexicalBuilder:
    """Takes one row's text after the other."""

    def __init__(self) -> None:
        self.words, self.phrases, self.references = Builder(), Builder(), Builder()
        self.order = WordOrderBuilder()
        self.languages: set[str] = set()

    def add(self, text: str, *, language: str = "english", shown: str = "") -> None:
        """`text` is what is searched, `shown` what a reader sees of it, where that is another: its order of words is kept."""
        found = tokens.words(text, language)
        self.order.add(tokens.words(shown, language) if shown not in ("", text) else found)
        self.words.add(found)
        self.phrases.add(tokens.phrases(found))
        body = tokens.without_contents(text)
        self.references.add([*tokens.references(body), *(OPENS + opening for opening in tokens.openings(body))])
        self.languages.add(tokens.language_name(language))

    def finish(self) -> LexicalIndex:
        return from_fields({name: getattr(self, name).finish() for name in FIELDS}, self.order.finish(), self.languages)


def from_fields(fields: Mapping[str, Postings], order: WordOrder | None, languages: Iterable[str]) -> LexicalIndex:
    averages = {name: average_idf(fields[name]) for name in ("words", "phrases")}
    return LexicalIndex(fields, order, languages=sorted(languages), average_idfs=averages)


def average_idf(field: Postings) -> float:
    if not len(field.terms):
        return 0.0
    terms_holding = np.bincount(np.diff(field.starts))  # how many terms stand in 0, 1, 2, … rows
    rows_holding = np.flatnonzero(terms_holding)
    idfs = np.log(len(field) - rows_holding + 0.5) - np.log(rows_holding + 0.5)
    return float(idfs @ terms_holding[rows_holding] / len(field.terms))


def positive(scores: np.ndarray, *, allowed: np.ndarray | None, num_results: int) -> Ranking:
    """The best rows among those with a score above zero (and allowed)."""
    if allowed is not None:
        scores = np.where(allowed, scores, np.float32(0))
    rows = np.flatnonzero(scores > 0)
    return best(rows, scores[rows], num_results=num_results)
