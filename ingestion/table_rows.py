"""A grid of cells in; one header row, whole body rows and a title out: what a person would copy from the table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingestion.table_grid import Grid

CURRENCY = re.compile(r"(?:[$€£¥₱₹₦₩]|(?:US|C|A|HK|NT|S|R)\$|PhP|Php|PHP|USD|EUR|GBP|INR|Rs\.?|P)")
NUMBER = re.compile(
    r"[(\[+\-–—−]?\s*(?:[$€£¥₱₹]|PhP|Php|PHP|USD|EUR|GBP|Rs\.?|P)?\s*[(\-–−]?\d[\d,. ]*\s*[)\]%]*[*†‡]?", re.ASCII
)
YEAR = re.compile(r"(?:FY|CY)?\s*(?:19|20)\d\d(?:\s*[-–/]\s*(?:19|20)?\d\d)?[*†‡]?")
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[- ][A-Z][a-z]{2,8}[-, ]+\d{2,4}|[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}")
NOTHING = frozenset({"-", "–", "—", "−", "...", "…", ".", "n/a", "N/A", "NA", "nil", "Nil"})
LONGEST_NAME = 90  # characters; what is longer describes something rather than names a column


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a row: its text, and how many columns the cell goes on to the right (0 where another cell covers it)."""

    text: str = ""
    columns: int = 1
    strong: bool = False
    down: bool = False  # its cell began in a row above


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a table: `title` stood in a cell over its whole width; `named` says that the header row is certain."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    named: bool = False


def read_rows(grid: Grid) -> Content:
    """The recipe: rows of slots, stray symbols joined to their values, empty lines out, title, header, columns, text."""
    lines = [join_symbols(line) for line in slot_lines(grid)]
    lines = without_empty_columns([line for line in lines if any(slot.text and not slot.down for slot in line)])
    title, lines = split_title(lines)
    count = header_count(lines)
    head, body = lines[:count], lines[count:]
    head, body = merge_columns(head, body)
    width = len((head or body or [[]])[0])
    header = join_header(head) if head else ("",) * width
    return Content(header, tuple(tuple(slot.text for slot in line) for line in body), title, bool(head))


def slot_lines(grid: Grid) -> list[list[Slot]]:
    """Rows of slots; a cell's text stands in its first slot of each row it covers, so a label counts for all its rows."""
    lines = [[Slot(columns=0)] * grid.columns for _ in range(grid.rows)]
    for cell in grid.cells:
        text = cell_text(cell.text)
        for row in range(cell.row, cell.row + cell.rows):
            lines[row][cell.column] = Slot(text, cell.columns, cell.strong, down=row > cell.row)
    return lines


def cell_text(text: str) -> str:
    """One line: a word or an amount that the width of the column broke is joined again."""
    pieces = [" ".join(line.split()) for line in text.splitlines()]
    joined = ""
    for piece in filter(None, pieces):
        if not joined:
            joined = piece
        elif broken_number(joined, piece):
            joined += piece
        elif re.search(r"[a-z]-$", joined) and piece[0].islower():
            joined = joined[:-1] + piece
        elif joined.endswith(("-", "/")) and len(joined) > 1 and not joined[-2].isspace():
            joined += piece
        else:
            joined += " " + piece
    return joined


def broken_number(before: str, after: str) -> bool:
    """Whether the line end cut an amount in two: "13,900,000." + "00", "13,900," + "000.00", "95,072,30" + "4.03"."""
    first, second = before.rsplit(" ", 1)[-1], after.split(" ", 1)[0]
    if not (re.search(r"\d[\d,.]*$", first) and re.match(r"[\d,.]*\d", second)):
        return False
    whole = re.fullmatch(r"\D*\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?\D*", first + second)
    return bool(whole) and not re.fullmatch(r"\D*\d{1,3}(?:,\d{3})*(?:\.\d\d)?", first)


def is_value(text: str) -> bool:
    """An amount, a percentage, a count or a date: what stands in the body of a table rather than in its header."""
    return bool(NUMBER.fullmatch(text) or DATE.fullmatch(text))


def is_year(text: str) -> bool:
    return bool(YEAR.fullmatch(text))


def join_symbols(line: list[Slot]) -> list[Slot]:
    """Put a currency sign that has a cell of its own before the value right of it, and ")" or "%" behind the one left."""
    line = list(line)
    for at, slot in enumerate(line):
        found = re.fullmatch(rf"(?:(.*\d[)%]*)\s+)?({CURRENCY.pattern})", slot.text)
        right = next((to for to in range(at + 1, len(line)) if line[to].text), None)
        if found and right is not None and (NUMBER.match(line[right].text) or line[right].text in NOTHING):
            line[right] = replace(line[right], text=f"{found[2]} {line[right].text}")
            line[at] = replace(slot, text=found[1] or "")
        elif slot.text in {")", "%", ")%"}:
            left = next((to for to in range(at - 1, -1, -1) if line[to].text), None)
            if left is not None and re.search(r"\d$", line[left].text):
                line[left] = replace(line[left], text=line[left].text + slot.text)
                line[at] = replace(slot, text="")
    return line


def without_empty_columns(lines: list[list[Slot]]) -> list[list[Slot]]:
    kept = [column for column in range(len(lines[0]) if lines else 0) if any(line[column].text for line in lines)]
    result = []
    for line in lines:
        ends = {at: at + slot.columns for at, slot in enumerate(line)}
        result.append(
            [replace(line[at], columns=sum(1 for k in kept if at <= k < ends[at]) if line[at].columns else 0) for at in kept]
        )
    return result


def split_title(lines: list[list[Slot]]) -> tuple[str, list[list[Slot]]]:
    """Rows above the header that are one cell over the whole width are the title."""
    titles: list[str] = []
    while len(lines) > 2 and spans_all(lines[0]):
        titles.append(next(slot.text for slot in lines[0] if slot.text))
        lines = lines[1:]
    return " ".join(titles), lines


def spans_all(line: Sequence[Slot]) -> bool:
    filled = [slot for slot in line if slot.text]
    return len(filled) == 1 and len(line) > 1 and filled[0].columns >= len(line)


def header_count(lines: list[list[Slot]]) -> int:
    """How many rows name the columns: 0 where the first row is already a row like the others."""
    if len(lines) < 2:
        return 0
    count = 1
    while count < len(lines) - 1 and count < 4 and goes_on(lines[count - 1], lines[count]):
        count += 1
    head, body = lines[:count], lines[count:]
    return count if names_columns(head, body) else 0


def goes_on(above: Sequence[Slot], below: Sequence[Slot]) -> bool:
    """Whether the row below still belongs to the header: under a cell that spans columns, or beside one that goes down."""
    if spans_all(below):
        return False
    names = [slot.text for slot in below if slot.text and not slot.down]
    if not names or any(is_value(text) and not is_year(text) for text in names):
        return False
    spanning = any(slot.text and slot.columns > 1 for slot in above)
    down = sum(slot.down for slot in below)
    fresh = sum(1 for slot in below if slot.text and not slot.down)
    beside = down >= 1 and all(slot.down or slot.strong for slot in below if slot.text) and fresh >= 1
    unfinished = all(slot.strong for slot in below if slot.text) and any(
        slot.text and not upper.text and upper.columns for slot, upper in zip(below, above, strict=True)
    )
    return (spanning and not below[0].text) or (spanning and below[0].down) or beside or unfinished


def names_columns(head: list[list[Slot]], body: list[list[Slot]]) -> bool:
    texts = [slot.text for line in head for slot in line if slot.text and not slot.down]
    if not texts or any(len(text) > LONGEST_NAME for text in texts):
        return False
    values = [text for text in texts if is_value(text)]
    if any(not is_year(text) for text in values):
        return False
    if len(values) > 1 or (values and len(texts) > len(values)):
        return True  # years over the columns of a statement
    stands_out = all(slot.strong for line in head for slot in line if slot.text)
    plain = sum(1 for line in body if any(slot.text and not slot.strong for slot in line))
    if stands_out and plain > len(body) / 2:
        return True
    width = len(head[0])
    named = {at for line in head for at, slot in enumerate(line) if slot.text}
    columns = [[line[at].text for line in body if line[at].text] for at in range(width)]
    contrast = any(
        at in named and len(column) >= 2 and sum(map(is_value, column)) > len(column) / 2 for at, column in enumerate(columns)
    )
    if contrast:
        return True
    return width >= 3 and len(named) >= width - 1 and not any(text.endswith(":") for text in texts)


def merge_columns(head: list[list[Slot]], body: list[list[Slot]]) -> tuple[list[list[Slot]], list[list[Slot]]]:
    """Join neighbouring columns that are one to the reader: never both filled in a row, and not both named.

    Statements printed from a spreadsheet have a column each for "$", the value and the closing bracket, and the year
    stands above one of them. From right to left, so that such a year goes to its values and not to the row labels.
    """
    for at in reversed(range(len(body[0]) - 1 if body else 0)):
        if not any(line[at].text and line[at + 1].text for line in [*head, *body]):
            head = [joined_at(line, at) for line in head]
            body = [joined_at(line, at) for line in body]
    return head, body


def joined_at(line: list[Slot], at: int) -> list[Slot]:
    left, right = line[at], line[at + 1]
    columns = max(left.columns - 1, 1) if left.text or not right.text else right.columns
    texts = list(dict.fromkeys(filter(None, (left.text, right.text))))
    merged = Slot(" ".join(texts), columns, left.strong or right.strong, left.down or right.down)
    before = [
        replace(slot, columns=slot.columns - 1) if slot.columns > 1 and start + slot.columns > at + 1 else slot
        for start, slot in enumerate(line[:at])
    ]
    return [*before, merged, *line[at + 2 :]]


def join_header(head: list[list[Slot]]) -> tuple[str, ...]:
    """Names from top to bottom, "Group > Column"; the name of a cell that spans columns counts for each of them."""
    names: list[list[str]] = [[] for _ in head[0]]
    for line in head:
        for at, slot in enumerate(line):
            if not slot.text:
                continue
            for column in range(at, min(at + max(slot.columns, 1), len(names))):
                if slot.text not in names[column]:
                    names[column].append(slot.text)
    return tuple(" > ".join(parts) for parts in names)


def is_section(row: Sequence[str]) -> bool:
    """A row whose only text is its first cell is a heading for the rows after it."""
    return len(row) > 1 and bool(row[0]) and not any(row[1:])


def filled_share(grid: Grid) -> float:
    """The share of cells that hold text."""
    return sum(1 for cell in grid.cells if cell.text.strip()) / len(grid.cells) if grid.cells else 0.0


def is_table(grid: Grid, content: Content, *, min_rows: int, min_columns: int) -> bool:
    """Whether the grid is a table rather than a frame, a chart or a page laid out in boxes."""
    rows = [content.header, *content.rows] if content.named else list(content.rows)
    if len(rows) < min_rows or len(content.header) < min_columns:
        return False
    several = sum(1 for row in rows if sum(1 for text in row if text) >= 2)
    if several < min_rows or several < len(rows) / 4:
        return False
    return filled_share(grid) >= 0.15
