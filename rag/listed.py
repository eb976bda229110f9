"""A question for several things and the row that answers it best in; all rows of that table that the question means, out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.asked import Asked
from rag.figures import NUMBER_WORDS
from rag.quotable import Quote
from rag.rows import CHANGE, empty_columns, is_total, value_of
from rag.tokens import words

MOST_ROWS = 15
NUMBER = "|".join(NUMBER_WORDS)
COUNTED = re.compile(
    rf"\b(?P<number>\d{{1,2}}|{NUMBER})\s+(?:(?:most|least)\s+\w+|\w+est)\s+\w+s\b|\btop\s+(?P<top>\d{{1,2}}|{NUMBER})\b",
    re.IGNORECASE,
)
# "Which vendors", "what capital projects", "who are", "list", "all contracts"; not "which document describes the …".
SEVERAL = re.compile(
    r"^\W*(?:please\s+)?(?:list|name|enumerate|show|give)\b|\b(?:list|all)\s+(?:of\s+)?(?:the\s+)?(?:[\w-]+\s+)?[\w-]+s\b"
    r"|\bwho\s+(?:are|were)\b"
    r"|\b(?:which|what)\s+(?:(?:of\s+)?(?:the|our|your)\s+)?"
    r"(?:(?!(?:is|are|was|were|do|does|did|has|have|may|must|can|the|an?|of|to|in|for|on|by|at|from|with|when|if)\b)[\w-]+\s+){0,3}?"
    r"(?!(?:is|was|does|has|happens|applies|follows|means|needs|makes|takes|requires|comes|goes|counts|causes|explains|stands)\b)"
    r"[\w-]+(?<!s)s\b(?!\s+(?:the|an?|no|any|its|their|this|each)\b)",
    re.IGNORECASE,
)
COMMAND = re.compile(r"^\W*(?:please\s+)?(?:list|name|enumerate|show|give)\b", re.IGNORECASE)
UP = re.compile(
    r"\b(?:increas\w+|ris(?:e|es|ing)|rose|grow\w*|grew|over budget|above budget|exceed\w*|overr[ua]ns?|overspen\w+|higher)\b",
    re.I,
)
DOWN = re.compile(
    r"\b(?:decreas\w+|fall\w*|fell|declin\w+|drop\w*|shr[aiu]nk\w*|reduc\w+|cut|under budget|below budget|underspen\w+|"
    r"lower)\b",
    re.I,
)
COMPARED = re.compile(
    r"\b(?:more|less|fewer|higher|lower|greater|larger) than\b|\b(?:over|above|below|under|exceeding|at least|at most)"
    r"\s+\S{0,4}\d",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Listed:
    """The rows that a question means, in the order of the table; `unmet` says what could not be told of them."""

    rows: tuple[Quote, ...]
    unmet: str = ""


def asks_for_several(question: str) -> bool:
    return bool(SEVERAL.search(question) or COUNTED.search(question))


def things_asked(question: str) -> set[str]:
    """The words for what a question wants several of: "capit" and "project" of "Which capital projects are planned?"."""
    found = COUNTED.search(question) or SEVERAL.search(question)
    return set(words(found.group())) if found else set()


def number_asked(question: str) -> int:
    """How many things a question wants: 10 of "the ten largest"; 0 where it names no number."""
    found = COUNTED.search(question)
    number = (found["number"] or found["top"]) if found else ""
    return int(number) if number.isdigit() else NUMBER_WORDS.get(number.casefold(), 0)


def rows_meant(asked: Asked, lead: Quote, quotes: Sequence[Quote]) -> Listed:
    """The rows of the lead's table that the question's own words tell from others, or what it denies of them, or the
    direction it asks for; else all."""
    question = COMMAND.sub("", asked.question)
    table = [
        q for q in quotes if (q.marker, q.table, q.header) == (lead.marker, lead.table, lead.header) and not is_total(q.row)
    ]
    wanted = set(words(question))
    above = set(words(" ".join((lead.table, *lead.header))))
    if denying := [
        row
        for row in table
        if asked.denied_by(row) or (asked.denied is not None and empty_columns(row.header, row.row, wanted))
    ]:
        return Listed(tuple(denying))
    for conditions in (wanted - above - lead.around, wanted - above):
        held = [len(conditions & row.terms) for row in table]
        if conditions and 2 * max(held, default=0) > len(conditions) and min(held) < max(held):
            return Listed(tuple(row for row, number in zip(table, held, strict=True) if number == max(held)))
    if COMPARED.search(question):
        return Listed((lead,), "which of the rows of this table meet the condition")
    if direction := (DOWN.search(question) and -1) or (UP.search(question) and 1):
        return in_direction(direction, lead, table)
    page = above | lead.around | set(words(lead.passage.text))
    unmet = wanted - page
    return Listed(tuple(table), "which of these rows are meant, if any" if 2 * len(unmet) >= len(wanted) else "")


def in_direction(direction: int, lead: Quote, table: Sequence[Quote]) -> Listed:
    """The rows whose change has the sign asked for."""
    changes = [at for at, name in enumerate(lead.header) if CHANGE.search(name)]
    for at in changes:
        values = [value_of(row.row[at]) if at < len(row.row) else None for row in table]
        if any(value is not None and value < 0 for value in values) or direction > 0:
            return Listed(tuple(row for row, value in zip(table, values, strict=True) if value and value * direction > 0))
    return Listed((lead,), "which of the rows of this table rise or fall")
