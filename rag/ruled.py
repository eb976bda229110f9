"""Passages and the approval rules that answer the question in; the same passages with the rules' pages first out."""

import dataclasses
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
    front: dict[tuple[str, int], Passage] = {}
    for file, rule in matched:
        place = (file.path, rule.page)
        if place not in front and len(front) < MOST_PAGES and (found := known.get(place) or read(place, rule.quote, prepared)):
            front[place] = dataclasses.replace(found, found_by=(*(by for by in found.found_by if by != RULE), RULE))
    return [*front.values(), *(passage for place, passage in known.items() if place not in front)]


def read(place: tuple[str, int], quote: str, prepared: Prepared) -> Passage | None:
    """The passage of a page whose piece shares most words with the rule's row or sentence."""
    snapshot = prepared.snapshot
    path, page = place
    file = next((number for number, record in enumerate(snapshot.files) if path in record.paths), None)
    if file is None:
        return None
    rows = [int(row) for row in snapshot.rows_of(file) if snapshot.columns.page[row] == page]
    if not rows:
        return None
    wanted = set(words(quote))
    best = max(rows, key=lambda row: len(wanted & set(words(snapshot.chunk(row).text))))
    return passage_of(Fused(best, 0.0, (RULE,)), (best,), snapshot)
