"""Text of a passage in; its sentences, list items and table rows out, each a verbatim slice that can be found on the page."""

import re

BOUNDARY = re.compile(r"[.!?][\"”’)\]]*\s+")
ABBREVIATION = re.compile(
    r"(?:\b(?:no|nos|art|arts|sec|sect|cl|para|paras|fig|app|vol|ch|ed|rev|ref|dr|mr|mrs|ms|prof|st|inc|ltd|co|corp|dept|approx|"
    r"est|max|min|incl|excl|etc|vs|viz|cf|e\.g|i\.e|a\.m|p\.m|u\.s|u\.n|u\.k)|\b[A-Z]|^\s*\(?[0-9]{1,3})\.$",
    re.IGNORECASE,
)
NEW_ITEM = re.compile(r"\s*(?:[-•▪◦‣*–]\s|\(?(?:[0-9]{1,3}|[a-z]|[ivx]{1,5})[.)]\s|\d+(?:\.\d+)+\.?\s|\|)")
SHORT_LINE = 60  # a line that ends before this without punctuation, followed by a capital, is taken for a heading


def sentences(text: str) -> list[str]:
    """Non-empty slices of `text` in order, without the white space around them."""
    found = []
    for block in blocks(text):
        start = 0
        for match in BOUNDARY.finditer(block):
            head = block[start : match.end()].rstrip()
            following = block[match.end() : match.end() + 1]
            if following.islower() or (match.group().startswith(".") and ABBREVIATION.search(head)):
                continue
            found.append(head)
            start = match.end()
        found.append(block[start:])
    return [piece.strip() for piece in found if piece.strip()]


def blocks(text: str) -> list[str]:
    """Paragraphs, list items, headings and table rows; lines that only wrap stay together."""
    found: list[str] = []
    start, previous, at = 0, "", 0
    for line in text.splitlines(keepends=True):
        if previous and begins_block(previous, line):
            found.append(text[start:at])
            start = at
        previous, at = line, at + len(line)
    return [*found, text[start:]]


def begins_block(previous: str, line: str) -> bool:
    before = previous.strip()
    if not before or not line.strip() or before.startswith("|") or NEW_ITEM.match(line):
        return True
    return len(before) < SHORT_LINE and before[-1] not in ".,;:-–(" and line.lstrip()[:1].isupper()


def is_table_row(piece: str) -> bool:
    return piece.startswith("|") and piece.endswith("|") and piece.count("|") >= 2


def cells(row: str) -> list[str]:
    """The cells of a markdown table row, escaped bars restored."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]


def is_rule(row: str) -> bool:
    """Whether a row is the line of dashes under a table's header."""
    return is_table_row(row) and all(re.fullmatch(r":?-+:?", cell) for cell in cells(row))
