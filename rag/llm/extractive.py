"""A question and its passages in; the sentences and table rows that answer it best, quoted with markers, out: no model."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from rag.approvals import cited, marked
from rag.bands import find_bands
from rag.citations import Support, page_reference, place_of
from rag.domain import FoundRule, Passage, Query
from rag.embedding import Embedder
from rag.figures import figures
from rag.quotable import Quote, quotable, quotes_of, together, whole_clause
from rag.rows import is_total, labels_of
from rag.sentences import NEXT_PAGE
from rag.superlatives import extreme
from rag.tokens import words

NAME = "extractive"
QUOTES = 3  # at most
RELATIVE = 0.75  # a further quote needs this share of the best one's score
RELATIVE_ROW = 0.9  # so does a row beside a row: tables have many that are alike
RULES_QUOTED = 3  # a longer list of rules stands alone
COMPARED = 16  # sentences that are embedded, those with the best words first

NUMBER_ASKED = re.compile(r"how many|how often", re.I)
AMOUNT_ASKED = re.compile(
    r"how much|\b(?:limit|threshold|amount|value|cost|price|fee|budget|ceiling|maximum|minimum|rate|percentage)s?\b",
    re.I,
)
REFERENCE = re.compile(r"\b(?:[A-Z]{1,4}-)?\d+(?:\.\d+)*(?:\s?\([a-z0-9]{1,4}\))*")
CAPITALS = re.compile(r"(?<!\w)[A-Z]{2,}(?!\w)")
AROUND = 0.5  # weight of the question's words in headings and table headers, against those in the sentence
NAMED = 0.2  # on top, for those in a table's own header and caption
RANK = 0.3  # for the first passage, half of it for the second …
CLOSENESS = 0.4  # for the sentence whose embedding is closest to the question's
BORROWED = 0.8  # weight of the words that a follow-up takes from earlier questions, against its own
REPLACED = 0.4  # against a sentence of a document that another one replaces
FRAGMENT = 0.3  # against a line that is no sentence, a heading perhaps
LIST_ASKED = 0.15  # for a whole list whose heading has most of the question's words, against one whose items have them
LABEL_ASKED = 0.4  # for the table row whose label is in the question word for word
PART_ASKED = re.compile(
    r"\b(?:(?P<row>rows?|lines?|items?|entry|entries)|clauses?|sections?|paragraphs?|articles?|rules?)\s+\S*\d", re.I
)
ROW_PREFIX = re.compile(r"^\s*(?:[ivx]+|[a-z]|\d+(?:\.\d+)*)[.:)]\s+", re.I)
TOTAL_ASKED = re.compile(r"\b(?:totals?|overall|altogether|in all|sum|whole|combined)\b", re.I)
NEGATION = re.compile(
    r"\b(?:not|never|no|nobody|none|neither|cannot|can['’]t|mustn['’]t|prohibit\w*|forbid\w*|forbidden|exclu\w+|ineligib\w+|"
    r"disallow\w*|unallowable|banned|exempt\w*|except\w*)\b",
    re.I,
)
MEANING_ASKED = re.compile(r"\b(?:mean|means|stands? for|short for|abbreviation|acronym)\b", re.I)
DATE_ASKED = re.compile(r"\bwhen\b|\b(?:date|deadline|effective|due|expire|valid until)\b|\bwhich year\b", re.I)
PERIOD_ASKED = re.compile(
    r"how (?:long|soon|often|fast|quickly|many (?:days|weeks|months|years|hours))"
    r"|\b(?:duration|period|within|validity|notice)\b",
    re.I,
)
PERSON_ASKED = re.compile(
    r"\bwho(?:m|se)?\b|\bwhich (?:officer|committee|role|person|department|authority)\b|\b(?:approver|signatory)\b", re.I
)
PERSON_FOUND = re.compile(
    r"\b(?:officer|director|manager|committee|head|board|council|secretary|minister|president|chief|chair\w*|c[efot]o|"
    r"authority|department|unit|team|supervisor|administrator|buyer|requester|auditor|treasurer|controller)s?\b",
    re.I,
)


def answer(
    query: Query,
    passages: Sequence[Passage],
    *,
    rules: Sequence[FoundRule] = (),
    sure: bool = True,
    embedder: Embedder | None = None,
    support: list[Support] | None = None,
) -> Iterator[str]:
    """The answer in pieces: the approval rules that hold and where they stand, else the best quote and further ones as good.

    Nothing where nothing can be quoted. Where it is not `sure` that the passages answer, the text says that they are near.
    `support` is given what each statement rests on.
    """
    support = [] if support is None else support
    if stated := cited(rules, passages):
        yield from rule_lines(stated, passages, support)
        return
    if meaning := definition(query, passages):
        yield f"{meaning}\n\n"
    chosen = choose(query, passages, embedder=embedder)
    if meaning:
        chosen = [quote for quote in chosen if not quote.is_row][:1]
    if not chosen:
        return
    support += [each for quote in chosen for each in quote.support]
    lead, *others = chosen
    yield f"{'According to' if sure else 'The closest I found is in'} {source(lead)}: {lead.cited}"
    for number, quote in enumerate(others):
        opening = "\n\nAlso found:\n\n" if number == 0 else "\n"
        known = quote.marker == lead.marker and quote.table == lead.table
        yield f"{opening}- {'' if known else f'{source(quote)}: '}{quote.cited}"


def rule_lines(
    stated: Sequence[tuple[FoundRule, Sequence[int]]], passages: Sequence[Passage], support: list[Support]
) -> Iterator[str]:
    """The rules, under their subject where it is one; a few of them with the rows or sentences that state them."""
    subjects = {rule.subject for rule, _ in stated}
    categories = {rule.category for rule, _ in stated}
    if len(stated) > 1 and len(subjects) == 1:
        yield f"{stated[0][0].subject}:\n\n"
        stated_as = [f"{rule.category}: {rule.band}" if rule.category else f"{rule.band}, in general" for rule, _ in stated]
    elif len(stated) > 1 and len(categories) == 1 and "" not in categories:
        yield f"{stated[0][0].category}:\n\n"
        stated_as = [f"{rule.subject}: {rule.band}" for rule, _ in stated]
    else:
        stated_as = [str(rule) for rule, _ in stated]
    stated = [(rule, [*numbers, *stating_amounts(rule, numbers, passages)]) for rule, numbers in stated]
    found: dict[tuple[int, str], Quote] = {}
    for line, (rule, numbers) in zip(stated_as, stated, strict=True):
        for number in numbers:
            if quote := stating(rule, number, passages[number - 1]) or with_amounts(rule, number, passages[number - 1]):
                support.append(Support(number, line, quote.text))
                found.setdefault((number, quote.text), quote)
    lines = [f"{line} {marked(numbers)}" for line, (_, numbers) in zip(stated_as, stated, strict=True)]
    yield "\n".join(f"- {line}" for line in lines) if len(lines) > 1 else lines[0]
    if len(stated) > RULES_QUOTED or not found:
        return
    yield "\n\nThis stands in:\n"
    for quote in found.values():
        support += quote.support
        yield f"\n- {source(quote)}: {quote.cited}"


def stating_amounts(rule: FoundRule, numbers: Sequence[int], passages: Sequence[Passage]) -> list[int]:
    """The passage with the amounts of a rule that its own row only names ("band B"); none where they stand in the row."""
    amounts = [figure for figure in figures(rule.band) if figure.kind == "amount"]

    def holds(number: int) -> bool:
        stated = figures(passages[number - 1].text)
        return all(any(amount.stated_by(other) for other in stated) for amount in amounts)

    if any(holds(number) for number in numbers):
        return []
    others = (number for number in range(1, len(passages) + 1) if passages[number - 1].chunk.file == rule.file)
    return [number for number in others if holds(number)][:1]


def stating(rule: FoundRule, marker: int, passage: Passage) -> Quote | None:
    """The row or sentence of a passage that shares most words with what the rule was read from."""
    wanted = set(words(rule.quote))
    quotes = list(quotes_of(marker, passage))
    best = max(quotes, key=lambda quote: len(wanted & quote.terms) / (len(wanted | quote.terms) or 1), default=None)
    return best if best and len(wanted & best.terms) >= len(best.terms) / 2 else None


def with_amounts(rule: FoundRule, marker: int, passage: Passage) -> Quote | None:
    """The row or sentence of a passage that has the most amounts of a rule's band."""
    amounts = [figure for figure in figures(rule.band) if figure.kind == "amount"]

    def held(quote: Quote) -> int:
        stated = figures(quote.text)
        return sum(any(amount.stated_by(other) for other in stated) for amount in amounts)

    best = max(quotes_of(marker, passage), key=held, default=None)
    return best if best and held(best) else None


def definition(query: Query, passages: Sequence[Passage]) -> str:
    """What an abbreviation stands for, where that is asked, with the first passage that spells it out."""
    for each in query.expansions:
        asked = rf"^what(?:['’]s|\s+is|\s+are)\s+(?:an?\s+|the\s+)?{re.escape(each.found)}\s*\??$"
        if MEANING_ASKED.search(query.question) or re.match(asked, query.question.strip(), re.IGNORECASE):
            spelled = [n for n, passage in enumerate(passages, 1) if each.definition.casefold() in passage.text.casefold()]
            return f"{each.term} stands for {each.definition}." + (f" [{spelled[0]}]" if spelled else "")
    return ""


def source(quote: Quote) -> str:
    """Document, page and table: "Annual Budget, page 6 (printed 3), Table 5. Chemicals, USD thousand"."""
    chunk = quote.passage.chunk
    replaced = f", replaced by {quote.passage.replaced_by}" if quote.passage.replaced_by else ""
    table = f", {quote.table.rstrip(' :')}" if quote.table else ""
    place = page_reference(*place_of(quote.passage, quote.text.split(NEXT_PAGE)[0]))
    return f"{chunk.document}, page {place}{replaced}{table}"


def about(quote: Quote) -> str:
    """What is embedded of a quote: a row says little without its table's caption."""
    return f"{quote.table}: {quote.shown}" if quote.table else quote.shown


def choose(query: Query, passages: Sequence[Passage], *, embedder: Embedder | None = None) -> list[Quote]:
    """The quotes to give, best first; neighbours in one clause are one quote."""
    quotes = list(quotable(passages))
    if not quotes:
        return []
    asked = set(words(query.expanded))
    if (most := extreme(query.standalone, quotes)) is not None:
        return [most.asked_for(asked)]
    scores = rank(query, quotes, embedder=embedder)
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
    lead = whole_clause(chosen[0])
    others = [quote for quote in chosen[1:] if together(lead, quote) is not lead]
    return [quote.asked_for(asked) for quote in (lead, *others)]


def rank(query: Query, quotes: Sequence[Quote], *, embedder: Embedder | None) -> list[float]:
    """Words of the question covered, weighted by rarity among the quotes; the kind of answer asked for; closeness; rank."""
    asked = set(words(query.expanded))
    typed = set(words(" ".join((query.own_words, *(each.definition for each in query.expansions)))))
    frequency = Counter(term for quote in quotes for term in quote.terms)
    weight = {term: math.log(1 + len(quotes) / (0.5 + frequency[term])) for term in asked}
    weight = {term: value if term in typed else value * BORROWED for term, value in weight.items()}
    total = sum(weight.values()) or 1.0
    scores = []
    for quote in quotes:
        own = sum(weight[term] for term in asked & quote.terms)
        near = sum(weight[term] for term in (asked & quote.around) - quote.terms)
        named = sum(weight[term] for term in (asked & quote.named) - quote.terms)
        said = (own + AROUND * near + NAMED * named) / total
        if quote.head:  # a long list holds many words: it is asked for where its heading says what is asked
            head = sum(weight[term] for term in asked & quote.head)
            said += LIST_ASKED if head >= own / 2 else -LIST_ASKED
        scores.append(said + cue(query.standalone, quote, said) + RANK / quote.marker - doubt(quote))
    if embedder is not None:
        best = sorted(range(len(quotes)), key=lambda i: -scores[i])[:COMPARED]
        vectors = embedder.embed_documents([about(quotes[i]) for i in best])
        closeness = vectors @ embedder.embed_query(query.expanded)
        spread = (
            float(np.ptp(closeness)) or 1.0
        )  # cosine levels differ from model to model; their order within a question does not
        for i, value in zip(best, closeness, strict=True):
            scores[i] += CLOSENESS * float(value - closeness.min()) / spread
    return scores


def cue(question: str, quote: Quote, said: float) -> float:
    """A bonus for a quote with the kind of thing asked for, and for the table row that the question means."""
    kinds = {figure.kind for figure in figures(quote.text)}
    bonus = 0.6 * bool(quote.label and quote.label.lower() in references(question))
    if bonus and (kind := PART_ASKED.search(question)):
        bonus += 0.3 if quote.is_row == (kind["row"] is not None) else -0.3
    if PERIOD_ASKED.search(question):
        bonus += 0.2 if "period" in kinds else -0.1 if not kinds & {"number", "date"} else 0.0
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
    if NEGATION.search(question):
        bonus += 0.25 * bool(NEGATION.search(quote.shown))
    shouted = {name for name in CAPITALS.findall(question) if not words(name)}  # "IT" is no search word, but here a name
    bonus += 0.4 * any(re.search(rf"(?<!\w){name}(?!\w)", quote.text) for name in shouted)
    return bonus + row_cue(question, quote, said) if quote.is_row else bonus


def row_cue(question: str, quote: Quote, said: float) -> float:
    """A bonus for the row that is named by its label, whose band holds the amount asked about, or that has the total.

    `said` is the share of the question's words that the row has.
    """
    if is_total(quote.row):
        return 0.3 if TOTAL_ASKED.search(question) else -0.3
    bonus = 0.3 * any(in_band(figure.values, quote.text) for figure in figures(question) if figure.kind in ("amount", "number"))
    asked = set(re.findall(r"\w+", question.casefold())) | set(words(question))
    return bonus + LABEL_ASKED * said * max((share_asked(label, asked) ** 2 for label in labels_of(quote.row)), default=0.0)


def share_asked(label: str, asked: set[str]) -> float:
    """The share of a label's words that the question has: word for word where it has them so, or in another form."""
    found = re.findall(r"\w+", ROW_PREFIX.sub("", label).casefold())
    return sum(word in asked or bool(asked & set(words(word))) for word in found) / len(found) if found else 0.0


def doubt(quote: Quote) -> float:
    """What counts against a quote: its document is replaced by another one, it is no whole sentence."""
    return REPLACED * bool(quote.passage.replaced_by) + FRAGMENT * (not quote.whole)


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
