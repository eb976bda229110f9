"""A question and its passages in; the sentences and table rows that answer it best, quoted with markers, out: no model."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rag.bands import find_bands
from rag.domain import Chunk, Passage, Query
from rag.embedding import Embedder
from rag.figures import figures
from rag.sentences import cells, is_rule, is_table_row, sentences
from rag.tokens import words

NAME = "extractive"
QUOTES = 4  # at most, from at most
SOURCES = 3  # passages
RELATIVE = 0.6  # a further quote needs this share of the best one's score
LONGEST = 420  # characters of a quote
COMPARED = 16  # sentences that are embedded, those with the best words first

NUMBER_ASKED = re.compile(r"how many|how often", re.I)
AMOUNT_ASKED = re.compile(
    r"how much|\b(?:limit|threshold|amount|value|cost|price|fee|budget|ceiling|maximum|minimum|rate|percentage)s?\b",
    re.I,
)
REFERENCE = re.compile(r"\b(?:[A-Z]{1,4}-)?\d+(?:\.\d+)*(?:\s?\([a-z0-9]{1,4}\))*")
CLAUSE_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)+)\.?\s")
ITEM_LETTER = re.compile(r"\s*\([a-z0-9]{1,4}\)(?=\s)")
AROUND = 0.5  # weight of the question's words in headings and table headers, against those in the sentence
RANK = 0.15  # for the first passage, half of it for the second …
CLOSENESS = 0.4  # for the sentence whose embedding is closest to the question's
BORROWED = 0.5  # weight of the words that a follow-up takes from earlier questions, against its own
DATE_ASKED = re.compile(r"\bwhen\b|\b(?:date|deadline|effective|due|expire|valid until)\b|\bwhich year\b", re.I)
PERIOD_ASKED = re.compile(
    r"how (?:long|soon|often|many (?:days|weeks|months|years|hours))|\b(?:duration|period|within|validity|notice)\b", re.I
)
PERSON_ASKED = re.compile(
    r"\bwho(?:m|se)?\b|\bwhich (?:officer|committee|role|person|department|authority)\b|\b(?:approver|signatory)\b", re.I
)
PERSON_FOUND = re.compile(
    r"\b(?:officer|director|manager|committee|head|board|council|secretary|minister|president|chief|chair\w*|c[efot]o|"
    r"authority|department|unit|team|supervisor|administrator|buyer|requester|auditor|treasurer|controller)s?\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence or table row of passage `marker`; `shown` is how it is written in the answer."""

    marker: int
    passage: Passage
    shown: str
    is_row: bool
    terms: frozenset[str]
    around: frozenset[str]  # words of its headings and, of a table row, of the header
    text: str
    label: str  # the clause number or row number that it stands under: "8.2(c)"


def answer(
    query: Query, passages: Sequence[Passage], *, rules: Sequence[str] = (), embedder: Embedder | None = None
) -> Iterator[str]:
    """The answer in pieces: approval rules that hold, a lead sentence with the best quote, then further ones.

    Nothing where nothing can be quoted.
    """
    if rules:
        yield "\n".join(f"- {rule}" for rule in rules) if len(rules) > 1 else rules[0]
        yield "\n\n"
    chosen = choose(query, passages, embedder=embedder)
    if not chosen:
        return
    lead, *others = chosen
    yield f"According to {place(lead.passage.chunk)}: {lead.shown} [{lead.marker}]"
    for number, quote in enumerate(others):
        opening = "\n\nAlso found:\n\n" if number == 0 else "\n"
        yield f"{opening}- {quote.shown} ({place(quote.passage.chunk)}) [{quote.marker}]"


def place(chunk: Chunk) -> str:
    return f"{chunk.document}, page {chunk.page_label or chunk.page}"


def choose(query: Query, passages: Sequence[Passage], *, embedder: Embedder | None = None) -> list[Quote]:
    """The quotes to give, best first."""
    quotes = list(candidates(passages))
    if not quotes:
        return []
    scores = rank(query, quotes, embedder=embedder)
    order = sorted(range(len(quotes)), key=lambda i: (-scores[i], i))
    chosen: list[int] = []
    for i in order:
        if scores[i] < RELATIVE * scores[order[0]] or len(chosen) == QUOTES:
            break
        sources = {quotes[c].marker for c in chosen} | {quotes[i].marker}
        if len(sources) <= SOURCES and all(unlike(quotes[i], quotes[c]) for c in chosen):
            chosen.append(i)
    return [quotes[i] for i in chosen]


def candidates(passages: Sequence[Passage]) -> Iterator[Quote]:
    """Every sentence and table row once; headings and fragments say too little to be quoted."""
    seen: set[str] = set()
    for marker, passage in enumerate(passages, 1):
        header: list[str] = []
        caption: list[str] = []
        clause = ""
        headings = frozenset(words(" ".join((passage.chunk.document, *passage.chunk.section))))
        for piece in sentences(passage.text):
            if is_table_row(piece):
                if not header or is_rule(piece):
                    header = header or cells(piece)
                    continue
                label = cells(piece)[0]
                shown, around = row_text(header, cells(piece)), headings | frozenset(words(" ".join((*caption, *header))))
            elif piece.startswith("**"):  # a table's caption, as the chunker writes it
                caption, header = [piece], []
                continue
            else:
                caption, header = [], []
                clause = match[1] if (match := CLAUSE_NUMBER.match(piece)) else clause
                letter = match[0].strip() if (match := ITEM_LETTER.match(piece)) else ""
                label = clause + letter
                shown, around = f"“{cut(piece)}”", headings
            flat = " ".join(piece.split())
            if flat in seen or len(flat.split()) < 4:
                continue
            seen.add(flat)
            yield Quote(marker, passage, shown, is_table_row(piece), frozenset(words(piece)), around, piece, label)


def row_text(header: Sequence[str], row: Sequence[str]) -> str:
    """A table row as "Column: value; Column: value"."""
    pairs = zip([*header, *[""] * len(row)], row, strict=False)
    return "; ".join(f"{name}: {value}" if name else value for name, value in pairs if value)


def cut(piece: str) -> str:
    flat = " ".join(piece.split()).replace("“", "‘").replace("”", "’")
    return flat if len(flat) <= LONGEST else flat[:LONGEST].rsplit(" ", 1)[0] + " …"


def rank(query: Query, quotes: Sequence[Quote], *, embedder: Embedder | None) -> list[float]:
    """Words of the question covered, weighted by rarity among the quotes; the kind of answer asked for; closeness; rank."""
    asked, typed = set(words(query.expanded)), set(words(query.question))
    frequency = Counter(term for quote in quotes for term in quote.terms)
    weight = {term: math.log(1 + len(quotes) / (0.5 + frequency[term])) for term in asked}
    weight = {term: value if term in typed else value * BORROWED for term, value in weight.items()}
    total = sum(weight.values()) or 1.0
    scores = []
    for quote in quotes:
        own = sum(weight[term] for term in asked & quote.terms)
        near = sum(weight[term] for term in (asked & quote.around) - quote.terms)
        scores.append((own + AROUND * near) / total + cue(query.standalone, quote) + RANK / quote.marker)
    if embedder is not None:
        best = sorted(range(len(quotes)), key=lambda i: -scores[i])[:COMPARED]
        vectors = embedder.embed_documents([quotes[i].shown for i in best])
        closeness = vectors @ embedder.embed_query(query.expanded)
        spread = (
            float(np.ptp(closeness)) or 1.0
        )  # cosine levels differ from model to model; their order within a question does not
        for i, value in zip(best, closeness, strict=True):
            scores[i] += CLOSENESS * float(value - closeness.min()) / spread
    return scores


def cue(question: str, quote: Quote) -> float:
    """A bonus for a quote with the kind of thing asked for, and for the table row whose band holds the amount asked about."""
    kinds = {figure.kind for figure in figures(quote.text)}
    bonus = 0.6 * bool(quote.label and quote.label.lower() in references(question))
    if PERIOD_ASKED.search(question):
        bonus += 0.2 * ("period" in kinds)
    elif NUMBER_ASKED.search(question):
        bonus += 0.2 * ("number" in kinds)
    elif AMOUNT_ASKED.search(question):
        bonus += 0.2 * bool(kinds & {"amount", "percentage"}) + 0.1 * (
            not kinds & {"amount", "percentage"} and "number" in kinds
        )
    if DATE_ASKED.search(question):
        bonus += 0.2 * ("date" in kinds)
    if PERSON_ASKED.search(question):
        bonus += 0.15 * bool(PERSON_FOUND.search(quote.text))
    if quote.is_row:
        bonus += 0.3 * any(
            in_band(figure.values, quote.text) for figure in figures(question) if figure.kind in ("amount", "number")
        )
    return bonus


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
