"""Text of a passage in; its sentences, list items and table rows out, each a verbatim slice that can be found on the page."""

import re

BOUNDARY = re.compile(r"[.!?][\"”’)\]]*\s+")
ABBREVIATION = re.compile(
    r"(?:\b(?:no|nos|art|arts|sec|sect|cl|para|paras|fig|app|vol|ch|ed|rev|ref|dr|mr|mrs|ms|prof|st|inc|ltd|co|corp|dept|approx|rs|"
    r"(?:table|figure|annex|appendix)\s\w{1,3}|est|max|min|incl|excl|etc|vs|viz|cf|e\.g|i\.e|a\.m|p\.m|u\.s|u\.n|u\.k)|\b[A-Z]|^\s*\(?[0-9]{1,3})\.$",
    re.IGNORECASE,
)
NEW_ITEM = re.compile(r"\s*(?:[-•●▪◦‣*–]\s|\(?(?:[0-9]{1,3}|[a-z]|[ivx]{1,5})[.)]\s|\d+(?:\.\d+)+\.?\s+[^a-z]|\||\*\*)")
HEADING = re.compile(r"\s*\d{1,2}\.?\s+[A-Z][^.!?;:]{2,60}\s*$")  # "7 Securities, contracts and payment"
RUN_IN = re.compile(r"\s*\d+(?:\.\d+)+\.?\s+(?:\S+\s){0,5}\S+\.")  # "6.4 Abnormally low bids." and the clause goes on
LIST_ITEM = re.compile(r"\s*(?:[-•●▪◦‣*–]\s|\(?[a-z0-9]{1,4}[.)]\s)")
BULLET = re.compile(r"^[-•●▪◦‣*–]\s+")
NEXT_PAGE = "\n\f"  # before what a page's last list goes on with on the next page
LEFT_OUT = "…"  # stands on a line of its own between the stretches of a page that were found
SHORT_LINE = 60  # a line that ends before this without punctuation is a heading or the end of a paragraph


def sentences(text: str) -> list[str]:
    """Non-empty slices of `text` in order, without the white space around them."""
    return [piece for block in blocks(text) for piece in sentences_of(block)]


def sentences_of(block: str) -> list[str]:
    """The sentences of one paragraph, list item or row."""
    found = []
    start = 0
    for match in BOUNDARY.finditer(block):
        head = block[start : match.end()].rstrip()
        following = block[match.end() : match.end() + 1]
        if following.islower() or (match.group().startswith(".") and ABBREVIATION.search(head)):
            continue
        if following and len(head) < SHORT_LINE and RUN_IN.fullmatch(head):
            continue
        found.append(head)
        start = match.end()
    found.append(block[start:])
    return [piece.strip() for piece in found if piece.strip() not in ("", LEFT_OUT)]


def blocks(text: str) -> list[str]:
    """Paragraphs, list items, headings and table rows; lines that only wrap stay together, also over a blank line."""
    found: list[str] = []
    start, before, gap, at = 0, "", False, 0
    for line in text.splitlines(keepends=True):
        if not line.strip():
            gap = True
        else:
            if before and begins_block(before, line, gap=gap):
                found.append(text[start:at])
                start = at
            before, gap = line.strip(), False
        at += len(line)
    return [*found, text[start:]]


def begins_block(before: str, line: str, *, gap: bool) -> bool:
    if before.startswith("|") or before.endswith("**") or NEW_ITEM.match(line) or LEFT_OUT in (before, line.strip()):
        return True
    if before[-1] in ".!?:;" and HEADING.match(line):
        return True
    if len(before) >= SHORT_LINE:
        return gap and before[-1] in ".!?:;"
    return gap or (before[-1] not in ".,;:-–(" and line.lstrip()[:1].isupper())


def is_table_row(piece: str) -> bool:
    return piece.startswith("|") and piece.endswith("|") and piece.count("|") >= 2


def cells(row: str) -> list[str]:
    """The cells of a markdown table row, escaped bars restored."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]


def is_rule(row: str) -> bool:
    """Whether a row is the line of dashes under a table's header."""
    return is_table_row(row) and all(re.fullmatch(r":?-+:?", cell) for cell in cells(row))


def flattened(text: str) -> str:
    """Letters and digits only, in lower case: what stays the same when a line is wrapped or a quotation mark changes."""
    return " ".join(re.findall(r"\w+", re.sub(r"(?<=\w)[-\u00ad]\n(?=\w)", "", text).casefold()))
