"""A query and its passages in; the approval rules in force that answer it, and the passages with their pages first, out."""

import re
from collections.abc import Collection, Sequence

from rag.approvals import Matched, Ruling, conflicting, found_rule
from rag.domain import FileRecord, Filters, Passage, Query
from rag.filters import matching, value_of
from rag.fusion import Fused
from rag.passages import passage_of
from rag.prepared import Prepared
from rag.revisions import asks_for, plain_title
from rag.rule_question import revision_asked
from rag.tokens import words
from rag.trace import TRACED, Trace

MOST_PAGES = 3  # that rules bring to the front; a role's whole list may stand on more
TITLES = 5  # named at most
RULE = "rule"
EARLIER = re.compile(
    r"\b(?:previous|earlier|old|older|former|superseded|prior) (?:\w+ )?(?:rules?|revision|version|policy|edition|matrix)\b",
    re.IGNORECASE,
)


def matching_rules(query: Query, prepared: Prepared, trace: Trace, notices: list[str]) -> Ruling:
    """The approval rules that answer the question; where they contradict each other or fit in part the user is told."""
    ruling = ruling_in_force(query.standalone, query.filters, prepared)
    if ruling:
        items = [
            {"file": file.path, "page": rule.page, "rule": str(found_rule(file, rule))}
            for file, rule in (ruling.rules or ruling.near)[:TRACED]
        ]
        trace.add("rules", ruling.note or f"Approval rules that hold for this question: {len(ruling.rules)}.", items=items)
    if ruling.rules and ruling.note:
        notices.append(ruling.note)
    if conflicting(ruling.rules):
        notices.append("More than one rule holds for this question: compare them before you rely on one.")
    return ruling


def stated_in_force(question: str, prepared: Prepared) -> str:
    """What the approval rules say to a question, a line each; "" where they say nothing."""
    return "\n".join(str(found_rule(*matched)) for matched in ruling_in_force(question, Filters(), prepared).rules)


def ruling_in_force(question: str, filters: Filters, prepared: Prepared) -> Ruling:
    """By the documents that the filters leave and no newer one replaces; of an earlier revision where that is asked for."""
    files = prepared.snapshot.files
    left = matching(filters, files)
    old = replacements(question, filters, prepared)
    current = {file.path for place, file in enumerate(files) if left[place] and place not in old}
    ruling = prepared.approvals.match(question, among=current)
    wanted = revisions_wanted(question, prepared)
    if wanted is None:
        return ruling
    of_revision = prepared.approvals.match(question, among={file.path for file in wanted})
    if of_revision or not ruling:
        return of_revision
    return Ruling(note=not_of_revision(question, wanted, files))


def revisions_wanted(question: str, prepared: Prepared) -> list[FileRecord] | None:
    """The documents of the revision that a question names, the replaced ones where it asks for those; None where neither."""
    files = prepared.snapshot.files
    if revision := revision_asked(question):
        return [file for file in titled(question, files) if value_of(file, "revision") == revision]
    if EARLIER.search(question) and prepared.superseded:
        return [files[old] for old in prepared.superseded]
    return None


def titled(question: str, files: Sequence[FileRecord]) -> list[FileRecord]:
    """The documents with a revision whose title the question has in full; all of them where it has none."""
    revised = [file for file in files if value_of(file, "revision")]
    asked = set(question.casefold().replace("?", " ").split())
    return [file for file in revised if len(title := set(plain_title(file).split())) >= 2 and title <= asked] or revised


def not_of_revision(question: str, wanted: Collection[FileRecord], files: Sequence[FileRecord]) -> str:
    if wanted:
        return f"{listed(wanted)} {'state' if len(wanted) > 1 else 'states'} no approval rule for this."
    there = "; ".join(
        f"“{file.title}” is of revision {value_of(file, 'revision')}" for file in titled(question, files)[:TITLES]
    )
    return f"No indexed document is of revision {revision_asked(question)}" + (f": {there}." if there else ".")


def listed(files: Collection[FileRecord]) -> str:
    return ", ".join(f"“{file.title}”" for file in list(files)[:TITLES])


def replacements(question: str, filters: Filters, prepared: Prepared) -> dict[int, int]:
    """Which document replaces which, by their places in the files; without those that the question asks for."""
    files = prepared.snapshot.files
    return {old: new for old, new in prepared.superseded.items() if not asks_for(question, files[old], filters)}


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
