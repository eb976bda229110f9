"""Passages and the approval rules that answer the question in; the same passages with the rules' pages first out."""

from collections.abc import Sequence

from rag.approvals import Matched
from rag.domain import Passage
from rag.fusion import Fused
from rag.passages import passage_of
from rag.prepared import Prepared
from rag.tokens import words

MOST_PAGES = 3  # that rules bring to the front; a role's whole list may stand on more
RULE = "rule"


def current(matched: Sequence[Matched], prepared: Prepared) -> list[Matched]:
    """Without the rules of documents that a newer one in the index replaces."""
    replaced = {prepared.snapshot.files[old].path for old in prepared.superseded}
    return [(file, rule) for file, rule in matched if file.path not in replaced]


def rules_first(passages: Sequence[Passage], matched: Sequence[Matched], prepared: Prepared) -> list[Passage]:
    """The page of each rule once, in the order of the rules, then the passages of other pages."""
    known = {(passage.chunk.file, passage.chunk.page): passage for passage in passages}
    quotes: dict[tuple[str, int], list[str]] = {}
    for file, rule in matched:
        place = (file.path, rule.page)
        if place in quotes or len(quotes) < MOST_PAGES:
            quotes.setdefault(place, []).append(rule.quote)
    front = {place: found for place, stated in quotes.items() if (found := read(place, stated, known.get(place), prepared))}
    return [*front.values(), *(passage for place, passage in known.items() if place not in front)]


def read(place: tuple[str, int], quotes: Sequence[str], known: Passage | None, prepared: Prepared) -> Passage | None:
    """The passage of a page with all the pieces that state its rules, so that each can be checked there."""
    snapshot = prepared.snapshot
    path, page = place
    file = next((number for number, record in enumerate(snapshot.files) if path in record.paths), None)
    rows = [int(row) for row in snapshot.rows_of(file) if snapshot.columns.page[row] == page] if file is not None else []
    if not rows:
        return known
    found = {row: set(words(snapshot.chunk(row).text)) for row in rows}
    stating = [max(rows, key=lambda row: len(wanted & found[row])) for wanted in (set(words(quote)) for quote in quotes)]
    best = list(dict.fromkeys(stating))
    if known is None:
        return passage_of(Fused(best[0], 0.0, (RULE,)), best, snapshot)
    found_by = (*(by for by in known.found_by if by != RULE), RULE)
    return passage_of(Fused(best[0], known.score, found_by), best, snapshot, features=known.stage_scores)
