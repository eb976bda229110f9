"""A question and what can be quoted in; how much of what the question speaks of a quote has, out."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag.asked import singular
from rag.domain import Query
from rag.quotable import Quote
from rag.tokens import words
from rag.wording import said_for

AROUND = 0.5  # of the question's words in headings and table headers, against those in the sentence
NAMED = 0.2  # on top, for those in a table's own header and caption
BORROWED = 0.8  # weight of the words that a follow-up takes from earlier questions, against its own
OTHER_WORD = 0.8  # for what offices write instead of the question's word


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of the question, or what else stands for it: "ITB" or "Invitation to Bid", "keep" or "kept"."""

    weight: float
    alternatives: tuple[tuple[frozenset[str], float], ...]  # words that stand for it together, and how well they do

    def covered_by(self, terms: frozenset[str]) -> float:
        return max(value * len(part & terms) / len(part) for part, value in self.alternatives)


class Concepts:
    """What a question speaks of, weighted by how rare it is among the quotes."""

    def __init__(self, query: Query, quotes: Sequence[Quote]) -> None:
        frequency = Counter(term for quote in quotes for term in quote.terms)

        def rarity(alternatives: Iterable[tuple[frozenset[str], float]]) -> float:
            held = max(frequency[term] for part, _ in alternatives for term in part)
            return math.log(1 + len(quotes) / (0.5 + held))

        spelled: dict[str, frozenset[str]] = {}
        for each in query.expansions:
            spelled |= dict.fromkeys(words(singular(each.found)), frozenset(words(each.definition)))
        defined = frozenset().union(*spelled.values()) if spelled else frozenset[str]()
        own = set(words(singular(query.own_words)))
        self.all: list[Concept] = []
        for term in dict.fromkeys(words(singular(query.expanded))):
            if term in defined and term not in own:
                continue
            meant = [(frozenset({term}), 1.0), *((part, 1.0) for part in [spelled.get(term)] if part)]
            meant += [(frozenset(words(name)), OTHER_WORD) for name in said_for(term) if words(name)]
            weight = rarity(meant) * (1.0 if term in own else BORROWED)
            self.all.append(Concept(weight, tuple(meant)))
        self.total = sum(concept.weight for concept in self.all) or 1.0

    def share(self, terms: frozenset[str]) -> float:
        return sum(concept.weight * concept.covered_by(terms) for concept in self.all) / self.total

    def said_by(self, quote: Quote) -> float:
        """The share that a quote says itself, and a part of what is said around it."""
        own = self.share(quote.terms)
        near = self.share(quote.terms | quote.around) - own
        named = self.share(quote.terms | quote.named) - own
        return own + AROUND * near + NAMED * named
