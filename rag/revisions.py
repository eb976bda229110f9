"""What is known of the documents in; which document another one of them replaces, and the order that prefers the newer, out."""

import re
from collections.abc import Mapping, Sequence

from rag.domain import FileRecord, Filters, Passage
from rag.filters import value_of, years_in


def superseded(files: Sequence[FileRecord]) -> dict[int, int]:
    """The place in `files` of each replaced document, to the place of the one that replaces it.

    A document replaces another when it says so ("supersedes: Procurement Policy, revision 1"), or when both bear the
    same title and type and the one's effective date, revision or year comes after the other's.
    """
    newer_of: dict[int, int] = {}
    revised: dict[str, list[int]] = {}
    for place, file in enumerate(files):
        if value_of(file, "revision"):
            revised.setdefault(plain_title(file), []).append(place)
    for place, file in enumerate(files):
        # What states nothing can only replace a revision of its title: not every pair of thousands of files can be compared.
        others = range(len(files)) if value_of(file, "supersedes") else revised.get(plain_title(file), ())
        for other in others:
            if other == place or not replaces(file, files[other]):
                continue
            current = newer_of.get(other)
            if current is None or age(files[current]) < age(file):
                newer_of[other] = place
    return newer_of


def replaces(file: FileRecord, other: FileRecord) -> bool:
    stated = value_of(file, "supersedes")
    if age(file) < age(other):
        return False
    same_name = bool(plain_title(file)) and plain_title(file) == plain_title(other)
    if stated and (names(stated, other) or (same_name and marked(stated, other))):
        return True
    same_type = value_of(file, "document_type") == value_of(other, "document_type") != ""
    owners = {value_of(each, "organisation") for each in (file, other)} - {""}
    dated = value_of(file, "revision") and value_of(other, "revision")
    return bool(same_name and same_type and len(owners) < 2 and dated and age(file) > age(other))


def names(statement: str, file: FileRecord) -> bool:
    """Whether a "supersedes" statement means this document: by its file name, or its title with revision or year."""
    stated = " ".join(re.findall(r"\w+", statement.casefold()))
    stem = " ".join(re.findall(r"\w+", file.path.rsplit("/", 1)[-1].rsplit(".", 1)[0].casefold()))
    if stem and stem in stated:
        return True
    return bool(plain_title(file)) and plain_title(file) in stated and marked(statement, file)


def marked(statement: str, file: FileRecord) -> bool:
    """Whether a statement holds the revision or year of this document: "Revision 3 of 15 March 2023"."""
    marks = [*re.findall(r"\d+(?:\.\d+)*", value_of(file, "revision")), *years_in(value_of(file, "year"))]
    return any(re.search(rf"\b{re.escape(mark)}\b", statement) for mark in marks)


def plain_title(file: FileRecord) -> str:
    """The title without years and revision marks: what two revisions share."""
    title = re.sub(
        r"\b(?:rev(?:ision)?|version|v|issue|edition)\b\.?\s*\d+(?:\.\d+)*|\b(?:19|20)\d\d\b", " ", file.title.casefold()
    )
    return " ".join(re.findall(r"[^\W\d_]+", title))


def age(file: FileRecord) -> tuple[str, list[int]]:
    """Orders revisions: the effective date or the year first, then the revision number."""
    date = value_of(file, "effective_date") or next(iter(years_in(value_of(file, "year"))), "")
    return date, [int(number) for number in re.findall(r"\d+", value_of(file, "revision"))]


def asks_for(question: str, file: FileRecord, filters: Filters) -> bool:
    """Whether a question wants this very revision: it names its year or revision, or a filter does."""
    if filters.year or filters.file:
        return True
    if set(years_in(value_of(file, "year"))) & set(years_in(question)):
        return True
    revision = value_of(file, "revision")
    if revision and re.search(rf"\b(?:rev(?:ision)?|version|v)\.?\s*{re.escape(revision)}\b", question, re.IGNORECASE):
        return True
    return re.search(r"\b(?:previous|earlier|old|older|former|superseded|prior)\b", question, re.IGNORECASE) is not None


def newer_first(places: Sequence[int], newer_of: Mapping[int, int]) -> list[int]:
    """The order of hits, as indices: one of a replaced document comes after the first hit of its replacement.

    `places` are the hits' places in the files, best hit first. Where the newer one was not found, nothing moves.
    """
    found = set(places)
    waiting: dict[int, list[int]] = {}
    order: list[int] = []
    seen: set[int] = set()

    def take(hit: int) -> None:
        order.append(hit)
        if places[hit] not in seen:
            seen.add(places[hit])
            for held_back in waiting.pop(places[hit], []):
                take(held_back)

    for hit, place in enumerate(places):
        newer = newer_of.get(place)
        if newer in found and newer not in seen:
            waiting.setdefault(newer, []).append(hit)
        else:
            take(hit)
    for held_back in waiting.values():  # documents that claim to replace each other
        order.extend(held_back)
    return order


def replaced_notices(passages: Sequence[Passage]) -> list[str]:
    """A sentence for each document among the passages that another one replaces."""
    replaced = {passage.chunk.file: passage for passage in passages if passage.replaced_by}
    return [f"“{each.replaced_by}” replaces “{each.chunk.document}” ({file})." for file, each in replaced.items()]
