"""A question and its passages in; the sentences and table rows that answer it best, quoted with markers, out: no model."""

import re
from collections.abc import Iterator, Sequence

from rag.approvals import cited
from rag.chosen import Chosen, choose
from rag.citations import Support
from rag.domain import FoundRule, Passage, Query
from rag.embedding import Embedder
from rag.llm.quoted_rules import rule_lines

NAME = "extractive"
NEW_LINE, NEW_ITEM, ALSO_FOUND = "\n\n- ", "\n- ", "\n\nAlso found:\n\n- "
MEANING_ASKED = re.compile(r"\b(?:mean|means|stands? for|short for|abbreviation|acronym)\b", re.I)


def answer(
    query: Query,
    passages: Sequence[Passage],
    *,
    rules: Sequence[FoundRule] = (),
    sure: bool = True,
    embedder: Embedder | None = None,
    support: list[Support] | None = None,
    lacks: list[str] | None = None,
) -> Iterator[str]:
    """The answer in pieces: the approval rules that hold and where they stand, else the best quotes and further ones as good.

    Nothing where nothing can be quoted. Where it is not `sure` that the passages answer, the text says that they are near.
    `support` is given what each statement rests on, `lacks` what the question wants and the quotes don't hold.
    """
    support = [] if support is None else support
    if stated := cited(rules, passages):
        yield from rule_lines(stated, passages, support)
        return
    if meaning := definition(query, passages):
        yield f"{meaning}\n\n"
    chosen = choose(query, passages, embedder=embedder)
    if meaning:
        chosen = Chosen([quote for quote in chosen.all if not quote.is_row][:1])
    if not chosen.leads:
        return
    support += [each for quote in chosen.all for each in quote.support]
    if lacks is not None:
        lacks += chosen.lacks
    lead, *several = chosen.leads
    opening = "According to" if sure and not chosen.lacks else "The closest I found is in"
    yield f"{opening} {lead.source}:{NEW_LINE if several else ' '}{lead.cited}"
    yield from (f"\n- {quote.cited}" for quote in several)
    for number, quote in enumerate(chosen.others):
        known = quote.marker == lead.marker and quote.table == lead.table
        yield f"{ALSO_FOUND if number == 0 else NEW_ITEM}{'' if known else f'{quote.source}: '}{quote.cited}"


def definition(query: Query, passages: Sequence[Passage]) -> str:
    """What an abbreviation stands for, where that is asked, with the first passage that spells it out."""
    for each in query.expansions:
        asked = rf"^what(?:['’]s|\s+is|\s+are)\s+(?:an?\s+|the\s+)?{re.escape(each.found)}\s*\??$"
        if MEANING_ASKED.search(query.question) or re.match(asked, query.question.strip(), re.IGNORECASE):
            spelled = [n for n, passage in enumerate(passages, 1) if each.definition.casefold() in passage.text.casefold()]
            return f"{each.term} stands for {each.definition}." + (f" [{spelled[0]}]" if spelled else "")
    return ""
