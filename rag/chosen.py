"""A question and its passages in; the sentences and table rows that answer it best, and what they lack of an answer, out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rag.asked import NAME_WANTED, Asked, holds_name
from rag.bands import find_bands
from rag.concepts import Concepts
from rag.domain import Passage, Query
from rag.embedding import Embedder
from rag.figures import figures
from rag.listed import MOST_ROWS, asks_for_several, number_asked, rows_meant, things_asked
from rag.quotable import Quote, beside, quotable, together, whole_clause
from rag.rows import is_total, labels_of
from rag.superlatives import extremes
from rag.tokens import words

QUOTES = 3  # at most
RELATIVE = 0.75  # a further quote needs this share of the best one's score
RELATIVE_ROW = 0.9  # so does a row beside a row: tables have many that are alike
COMPARED = 16  # sentences that are embedded, those with the best words first

REFERENCE = re.compile(r"\b(?:[A-Z]{1,4}-)?\d+(?:\.\d+)*(?:\s?\([a-z0-9]{1,4}\))*")
CAPITALS = re.compile(r"(?<!\w)[A-Z]{2,}(?!\w)")
RANK = 0.3  # for the first passage, half of it for the second …
CLOSENESS = 0.4  # for the sentence whose embedding is closest to the question's
REPLACED = 0.4  # against a sentence of a document that another one replaces
FRAGMENT = 0.3  # against a line that is no sentence, a heading perhaps
OF_CHANGES = 0.5  # against an entry of a table of contents or of a history of changes, where no change is asked for
CHANGES = re.compile(
    r"\b(?:(?:revision|version|document|change)s? (?:history|control|log|record)|(?:principal|summary of|main) changes"
    r"|(?:table of )?contents|list of (?:tables|figures))\b",
    re.IGNORECASE,
)
CHANGES_ASKED = re.compile(r"\b(?:chang\w+|revisions?|versions?|amend\w+|histor\w+|differ\w*|compar\w+|new)\b", re.IGNORECASE)
ELSEWHERE = re.compile(
    r"\b(?:following|above|below|attached) (?:table|list)|\b(?:table|list|listed) (?:below|above)\b", re.IGNORECASE
)
LIST_ASKED = 0.15  # for a whole list whose heading has most of the question's words, against one whose items have them
TABLE_ASKED = 0.25  # for the rows of a table of what a question asks several of
LABEL_ASKED = 0.4  # for the table row whose label is in the question word for word
PART_ASKED = re.compile(
    r"\b(?:(?P<row>rows?|lines?|items?|entry|entries)|clauses?|sections?|paragraphs?|articles?|rules?)\s+\S*\d", re.I
)
ROW_PREFIX = re.compile(r"^\s*(?:[ivx]+|[a-z]|\d+(?:\.\d+)*)[.:)]\s+", re.I)
TOTAL_ASKED = re.compile(r"\b(?:totals?|overall|altogether|in all|sum|whole|combined)\b", re.I)


def about(quote: Quote) -> str:
    """What is embedded of a quote: a row says little without its table's caption."""
    return f"{quote.table}: {quote.shown}" if quote.table else quote.shown


@dataclass(frozen=True, slots=True)
class Chosen:
    """The leads answer together, the others stand beside them; `lacks` says what the question wants and no lead holds."""

    leads: list[Quote]
    others: list[Quote] = field(default_factory=list)
    lacks: tuple[str, ...] = ()

    @property
    def all(self) -> list[Quote]:
        return [*self.leads, *self.others]


def choose(query: Query, passages: Sequence[Passage], *, embedder: Embedder | None = None) -> Chosen:
    """The quotes to give, best first; neighbours in one clause are one quote."""
    quotes = list(quotable(passages))
    if not quotes:
        return Chosen([])
    asked = Asked(query)
    wanted = set(words(query.expanded))
    if most := extremes(asked.question, quotes):
        missing = [f"more than {len(most)}"] if len(most) < number_asked(asked.question) else []
        return Chosen([quote.asked_for(wanted) for quote in most], lacks=(*missing, *lacking_in_all(asked, most)))
    best, *others = best_quotes(asked, quotes, embedder=embedder)
    if best.is_row and asks_for_several(query.standalone):
        listed = rows_meant(asked, best, quotes)
        leads = listed.rows[:MOST_ROWS] or (best,)
        kept = [quote for quote in others if quote.table != best.table or not quote.is_row]
        cut = [f"{len(listed.rows) - MOST_ROWS} more rows of this table"] if len(listed.rows) > MOST_ROWS else []
        lacks = [*([listed.unmet] if listed.unmet else cut), *lacking_in_all(asked, leads)]
    else:
        leads, kept = (whole_clause(best),), [quote for quote in others if together(whole_clause(best), quote) is None]
        lacks = asked.lacking(leads[0], beside(leads[0]))
        if asks_for_several(query.standalone) and ELSEWHERE.search(leads[0].shown):
            lacks.append("the list itself")
    return Chosen([quote.asked_for(wanted) for quote in leads], [quote.asked_for(wanted) for quote in kept], tuple(lacks))


def lacking_in_all(asked: Asked, leads: Sequence[Quote]) -> list[str]:
    """What none of several quotes holds."""
    lacks = [asked.lacking(quote) for quote in leads]
    return [missing for missing in lacks[0] if all(missing in each for each in lacks)]


def best_quotes(asked: Asked, quotes: Sequence[Quote], *, embedder: Embedder | None) -> list[Quote]:
    """The best quote and those nearly as good that say something else."""
    scores = rank(asked, quotes, embedder=embedder)
    order = sorted(range(len(quotes)), key=lambda i: (-scores[i], i))
    chosen: list[Quote] = []
    for i in order[:COMPARED]:
        quote = quotes[i]
        if scores[i] < RELATIVE * scores[order[0]]:
            break
        if chosen and chosen[0].is_row and quote.is_row and scores[i] < RELATIVE_ROW * scores[order[0]]:
            continue
        if chosen and quote.passage.replaced_by and not chosen[0].passage.replaced_by:
            continue
        joined = next(((n, both) for n, other in enumerate(chosen) if (both := together(other, quote))), None)
        if joined:
            chosen[joined[0]] = joined[1]
        elif len(chosen) < QUOTES and all(unlike(quote, other) for other in chosen):
            chosen.append(quote)
    return chosen


def rank(asked: Asked, quotes: Sequence[Quote], *, embedder: Embedder | None) -> list[float]:
    """How much of the question a quote has; the kind of answer asked for; closeness; rank of the passage."""
    concepts = Concepts(asked.query, quotes)
    scores = []
    for quote in quotes:
        said = concepts.said_by(quote)
        score = said + cue(asked, quote, said) + RANK / quote.marker - doubt(asked, quote)
        if quote.head:  # a long list holds many words: it is asked for where its heading says what is asked
            score += LIST_ASKED if concepts.share(quote.head) >= concepts.share(quote.terms) / 2 else -LIST_ASKED
        scores.append(score)
    if embedder is not None:
        best = sorted(range(len(quotes)), key=lambda i: -scores[i])[:COMPARED]
        vectors = embedder.embed_documents([about(quotes[i]) for i in best])
        closeness = vectors @ embedder.embed_query(asked.query.expanded)
        # Cosine levels differ from model to model; their order within a question does not.
        spread = float(np.ptp(closeness)) or 1.0
        for i, value in zip(best, closeness, strict=True):
            scores[i] += CLOSENESS * float(value - closeness.min()) / spread
    return scores


def cue(asked: Asked, quote: Quote, said: float) -> float:
    """A bonus for a quote that holds what the question asks for, and for the clause or table row that it means."""
    question, found = asked.question, figures(quote.text)
    bonus = 0.6 * bool(quote.label and quote.label.lower() in references(question))
    if bonus and (kind := PART_ASKED.search(question)):
        bonus += 0.3 if quote.is_row == (kind["row"] is not None) else -0.3
    bonus += asked.liking(quote, found)
    shouted = {name for name in CAPITALS.findall(question) if not words(name)}  # "IT" is no search word, but here a name
    bonus += 0.4 * any(re.search(rf"(?<!\w){name}(?!\w)", quote.text) for name in shouted)
    return bonus + row_cue(asked, quote, said) if quote.is_row else bonus


def row_cue(asked: Asked, quote: Quote, said: float) -> float:
    """A bonus for the row that is named by its label, whose band holds the amount asked about, or that has the total.

    `said` is the share of the question's words that the row has.
    """
    question = asked.question
    if is_total(quote.row):
        return 0.3 if TOTAL_ASKED.search(question) else -0.3
    bonus = TABLE_ASKED * bool(things_asked(asked.query.standalone) & quote.named)
    amounts = [figure for figure in figures(question) if figure.kind in ("amount", "number")]
    bonus += 0.3 * any(in_band(figure.values, quote.text) for figure in amounts)
    wanted = set(re.findall(r"\w+", question.casefold())) | set(words(question))
    return bonus + LABEL_ASKED * said * max((share_asked(label, wanted) ** 2 for label in labels_of(quote.row)), default=0.0)


def share_asked(label: str, asked: set[str]) -> float:
    """The share of a label's words that the question has: word for word where it has them so, or in another form."""
    found = re.findall(r"\w+", ROW_PREFIX.sub("", label).casefold())
    return sum(word in asked or bool(asked & set(words(word))) for word in found) / len(found) if found else 0.0


def doubt(asked: Asked, quote: Quote) -> float:
    """What counts against a quote: its document is replaced by another one, it is no whole sentence, it only lists changes."""
    broken = not quote.whole and not (NAME_WANTED in asked.kinds and holds_name(quote.text))
    section = quote.passage.chunk.section
    heading = quote.heading or (section[-1] if section else "")
    of_changes = CHANGES.search(heading) and not CHANGES_ASKED.search(asked.question)
    return REPLACED * bool(quote.passage.replaced_by) + FRAGMENT * broken + OF_CHANGES * bool(of_changes)


def references(question: str) -> set[str]:
    """The clause and row numbers that a question names: "8.2(c)", "7.4", "c-104"."""
    return {re.sub(r"\s", "", match.group()).lower() for match in REFERENCE.finditer(question)}


def in_band(asked: frozenset[str], row: str) -> bool:
    """Whether a row's "50,001 – 100,000" or "up to 50,000" holds an amount of the question."""
    return any(band.holds(float(value)) for band in find_bands(row) for value in asked)


def unlike(one: Quote, other: Quote) -> bool:
    """Whether two quotes differ enough to give both."""
    together = one.terms | other.terms
    return not together or len(one.terms & other.terms) / len(together) < 0.75
