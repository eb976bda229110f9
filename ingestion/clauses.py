"""The pages of a document with their sections in; out, what is missing before each list item so that it can be cited.

People ask for "clause 4.2.1(b)", but a page prints "(b)" under "4.2.1": the full number stands nowhere in the text.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

# At the start of a line "(b)" or "b)", within one only "(b)" after a semicolon or colon.
ITEM = re.compile(
    r"(?:^[ \t]*(?=\(|[a-z]\)|[ivx]{2,5}\))|(?<=[;:] )(?=\()|(?<=[;:] or )(?=\()|(?<=[;:] and )(?=\())"
    r"(?P<bracket>\(?)(?P<label>[a-z]|[ivx]{2,5}|\d{1,2})\)(?=\s)",
    re.MULTILINE,
)
NUMBER = re.compile(
    r"(?:(?:section|article|clause|part|chapter|rule|regulation|para(?:graph)?)\s+)?(?P<number>(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})*)"
    r"(?=[\s.:–—-]|$)",
    re.IGNORECASE,
)
ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")


class Missing(NamedTuple):
    """`text` belongs before the list item that starts at `start`: "4.2.1" before "(b)", "4.2.1(" before "b)"."""

    start: int
    text: str


class Level(NamedTuple):
    kind: str  # "letter", "roman" or "number"
    label: str


def missing_numbers(pages: Sequence[tuple[str, Sequence[tuple[int, tuple[str, ...]]]]]) -> list[list[Missing]]:
    """For each page, given as its text and where on it which section path begins; a list may go on over pages."""
    found: list[list[Missing]] = []
    clause, levels = "", list[Level]()
    for text, sections in pages:
        on_page: list[Missing] = []
        for item in ITEM.finditer(text):
            path = next(path for start, path in reversed(sections) if start <= item.start())
            enclosing = clause_of(path)
            if enclosing != clause:
                clause, levels = enclosing, []
            levels = placed(levels, item["label"])
            if clause:
                whole = clause + "".join(f"({level.label})" for level in levels[:-1])
                on_page.append(Missing(item.start("bracket"), whole if item["bracket"] else f"{whole}("))
        found.append(on_page)
    return found


def clause_of(path: Sequence[str]) -> str:
    """The number of the innermost numbered heading."""
    numbers = (number["number"] for heading in reversed(path) if (number := NUMBER.match(heading)))
    return next(numbers, "")


def placed(levels: Sequence[Level], label: str) -> list[Level]:
    """The item with the items it lies in: "(ii)" goes on a list of its kind, or begins one inside the last item."""
    for depth, level in enumerate(levels):
        if label == after(level):
            return [*levels[:depth], Level(level.kind, label)]
    kind = kind_of(label)
    depth = next((depth for depth, level in enumerate(levels) if level.kind == kind), len(levels))
    return [*levels[:depth], Level(kind, label)]


def kind_of(label: str) -> str:
    if label.isdigit():
        return "number"
    return "roman" if label == "i" or (len(label) > 1 and label in ROMANS) else "letter"


def after(level: Level) -> str:
    """The label that goes on a list; "" after a label such as "(aa)", of which no list is known."""
    if level.kind == "number":
        return str(int(level.label) + 1)
    if level.kind == "roman":
        return ROMANS[(ROMANS.index(level.label) + 1) % len(ROMANS)]
    return chr(ord(level.label) + 1) if len(level.label) == 1 else ""


def as_cited(text: str, start: int, end: int, missing: Sequence[Missing]) -> str:
    """A stretch of a page with its list items written out."""
    parts, at = [], start
    for place, number in missing:
        if start <= place < end:
            parts += [text[at:place], number]
            at = place
    return "".join([*parts, text[at:end]])
