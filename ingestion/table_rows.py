"""A grid of cells in; one header row, whole body rows and a title out: what a person would copy from the table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingestion.table_grid import Grid

CURRENCY = re.compile(r"(?:[$€£¥₱₹₦₩]|(?:US|C|A|HK|NT|S|R)\$|PhP|Php|PHP|USD|EUR|GBP|INR|Rs\.?|P)")
MONEY = r"(?:[$€£¥₱₹]|PhP|Php|PHP|USD|EUR|GBP|Rs\.?|P)?"
NUMBER = re.compile(rf"[(\[+\-–—−]?\s*{MONEY}\s*[(\-–−]?\d[\d,. ]*\s*[)\]%]*[*†‡]?(?:\s?\(\w{{1,2}}\))?", re.ASCII)
YEAR = re.compile(r"(?:FY|CY)?\s*(?:19|20)\d\d(?:\s*[-–/]\s*(?:19|20)?\d\d)?[*†‡]?")
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[- ][A-Z][a-z]{2,8}[-, ]+\d{2,4}|[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}")
PAIR = re.compile(r"[^:]{2,40}:\s+\S")  # "Invoice date: 11/15/2019"
RUNS_ON = re.compile(r"(?:[a-z]|[.,;)] ).{24,}", re.DOTALL)  # long, and begun within a sentence
NOTHING = frozenset({"-", "–", "—", "−", "...", "…", ".", "n/a", "N/A", "NA", "nil", "Nil"})
LONGEST_CELL = 1500  # characters; in two columns a longer one is text set beside a margin
LEAST_FILLED = 0.25  # share of cells with text
HIGHEST_HEADER = 6  # rows
LONGEST_TITLE = 200  # characters
LEAST_NAMES = 3  # over a single row
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
    """The recipe: rows of slots, symbols joined to their values, empty lines out, columns, title, header, text."""
    lines = [join_symbols(line) for raw in slot_lines(grid) for line in split_crammed(raw)]
    lines = without_empty_columns([line for line in lines if any(slot.text and not slot.down for slot in line)])
    title, lines = split_title(merge_columns(lines))
    count = header_count(lines)
    header = join_header(lines[:count]) if count else ("",) * (len(lines[0]) if lines else 0)
    return Content(header, tuple(tuple(slot.text for slot in line) for line in lines[count:]), title, count > 0)


def slot_lines(grid: Grid) -> list[list[Slot]]:
    """Rows of slots; a cell's text stands in its first slot of each row it covers, so a label counts for all its rows."""
    lines = [[Slot(columns=0)] * grid.columns for _ in range(grid.rows)]
    for cell in grid.cells:
        for row in range(cell.row, cell.row + cell.rows):
            lines[row][cell.column] = Slot(cell.text, cell.columns, cell.strong, down=row > cell.row)
    return lines


def split_crammed(line: list[Slot]) -> list[list[Slot]]:
    """Part a row that holds several rows without a line between them: two cells or more list as many values each.

    A cell with a single line then counts for all of them.
    """
    pieces = [list(filter(None, map(str.strip, slot.text.splitlines()))) for slot in line]
    counts = [len(texts) for texts in pieces if len(texts) > 1 and all(map(is_value, texts))]
    if len(counts) < 2 or {len(texts) for texts in pieces if len(texts) > 1} != set(counts[:1]):
        return [[replace(slot, text=cell_text(slot.text)) for slot in line]]
    return [
        [
            replace(slot, text=texts[at if len(texts) > 1 else 0] if texts else "")
            for slot, texts in zip(line, pieces, strict=True)
        ]
        for at in range(counts[0])
    ]


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
    joined = re.sub(r"(?:\s?[.…]){4,}", " ", joined).strip()  # dots that lead the eye to the next column
    return re.sub(r"(?<=\d) (?=\))|(?<=\() (?=\d)", "", joined)


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


def is_period(text: str) -> bool:
    """A year or a date: it may stand in the body, but also over the columns of a statement."""
    return bool(YEAR.fullmatch(text) or DATE.fullmatch(text))


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
            if left is not None and re.search(r"[\d)]$", line[left].text):
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
    while len(lines) > 2 and is_title(lines) and all(len(slot.text) <= LONGEST_TITLE for slot in lines[0]):
        titles.append(next(slot.text for slot in lines[0] if slot.text))
        lines = lines[1:]
    return " ".join(titles), lines


def is_title(lines: Sequence[Sequence[Slot]]) -> bool:
    """One cell over the whole width, or a caption or "(in millions)" alone above the names of columns that hold values."""
    first, names = lines[0], [slot.text for slot in lines[1] if slot.text]
    alone = bool(first[0].text) and not any(slot.text for slot in first[1:])
    over_names = len(names) >= len(first) - 1 and not any(map(is_amount, names))
    values = any(is_amount(slot.text) for line in lines[2:5] for slot in line[1:])
    return spans_all(first) or (alone and len(first) > 2 and over_names and values)


def spans_all(line: Sequence[Slot]) -> bool:
    filled = [slot for slot in line if slot.text]
    return len(filled) == 1 and len(line) > 1 and filled[0].columns >= len(line)


def header_count(lines: list[list[Slot]]) -> int:
    """How many rows name the columns: 0 where the first row is already a row like the others."""
    count = min(1, len(lines) - 1)
    while 0 < count < min(len(lines) - 1, HIGHEST_HEADER) and goes_on(lines[:count], lines[count]):
        count += 1
    return count if count > 0 and names_columns(lines[:count], lines[count:]) else 0


def goes_on(head: list[list[Slot]], below: Sequence[Slot]) -> bool:
    """Whether the row below still belongs to the header.

    It does where it says more under a cell that spans columns, beside one that goes down, or in bold like the rows above;
    and where the label column is named only now, at the foot of the header.
    """
    fresh = [slot for slot in below if slot.text and not slot.down]
    if not fresh or (below[0].text and not any(slot.text for slot in below[1:])):
        return False
    if any(is_value(slot.text) and not is_period(slot.text) for slot in fresh):
        return False
    above = head[-1]
    label_pending = not any(line[0].text for line in head)
    spanning = any(slot.text and slot.columns > 1 for slot in above)
    if label_pending or (spanning and (below[0].down or not below[0].text)):
        return True
    beside = any(slot.down for slot in below) and all(slot.strong for slot in fresh)
    fills_gaps = any(slot.text and not upper.text and upper.columns for slot, upper in zip(below, above, strict=True))
    return beside or (fills_gaps and all(slot.strong for slot in fresh))


def names_columns(head: list[list[Slot]], body: list[list[Slot]]) -> bool:
    texts = [slot.text for line in head for slot in line if slot.text and not slot.down]
    if not texts or max(map(len, texts)) > 2 * LONGEST_NAME or sum(map(len, texts)) > LONGEST_NAME * len(texts):
        return False
    if any(is_value(text) and not is_period(text) for text in texts):
        return False
    named = {at for line in head for at, slot in enumerate(line) if slot.text}
    if named == {0}:
        return False
    columns = [[line[at].text for line in body if line[at].text] for at in range(len(head[0]))]
    amounts = {at for at, column in enumerate(columns) if sum(map(is_amount, column)) > len(column) / 2}
    if any(map(is_period, texts)):
        return bool(amounts)  # years or dates over the columns of a statement
    stands_out = all(slot.strong for line in head for slot in line if slot.text)
    plain = sum(1 for line in body if any(slot.text and not slot.strong for slot in line))
    if stands_out and plain > len(body) / 2:
        return True
    values = {at for at, column in enumerate(columns) if len(column) >= 2 and sum(map(is_value, column)) > len(column) / 2}
    if values & named:
        return True
    pairs = any(PAIR.match(text) or text.endswith(":") for text in texts)  # a name with its value names no column
    return len(columns) >= 3 and len(named) >= len(columns) - 1 and not pairs


def is_amount(text: str) -> bool:
    return (is_value(text) and not is_period(text)) or text in NOTHING


def merge_columns(lines: list[list[Slot]]) -> list[list[Slot]]:
    """Join neighbouring columns that are one to the reader: never both filled in a row, header rows included.

    Statements printed from a spreadsheet have a column each for "$", the value and the closing bracket, and the year
    stands above one of them. From right to left, so that such a year goes to its values and not to the row labels.
    """
    for at in reversed(range(len(lines[0]) - 1 if lines else 0)):
        if not any(line[at].text and line[at + 1].text for line in lines):
            lines = [joined_at(line, at) for line in lines]
    return lines


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


def is_contents_list(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the last column holds page numbers that only grow, as in a list of contents."""
    numbers = [re.fullmatch(r"[.\s…]*(?:Page )?(\d{1,4})", row[-1]) for row in rows if row[-1]]
    pages = [int(found[1]) for found in numbers if found]
    return len(pages) >= 4 and len(pages) >= 0.8 * len(rows) and pages == sorted(pages)


def is_prose(rows: Sequence[Sequence[str]]) -> bool:
    """Whether most rows are lines of sentences that run on from cell to cell; boxes around links cut them so."""
    running = [any(RUNS_ON.match(text) for text in row) for row in rows]
    return 2 * sum(running) >= len(rows)


def is_table(content: Content, *, min_rows: int, min_columns: int) -> bool:
    """Whether it is a table rather than a frame, a form, a chart, a list of contents or a page laid out in boxes."""
    rows = [content.header, *content.rows] if content.named else list(content.rows)
    width = len(content.header)
    if len(rows) < min_rows or width < min_columns:
        return False
    if not content.named and (is_contents_list(content.rows) or is_prose(content.rows)):
        return False
    if width == 2 and any(len(text) > LONGEST_CELL for row in rows for text in row):
        return False
    if content.named and all(content.header):
        if len(content.rows) >= 2 and all(row[0] for row in content.rows):
            return True  # also a checklist, whose boxes are still empty
        if len(content.rows) == 1 and width >= LEAST_NAMES and any(content.rows[0]):
            return True  # also the one row of a form, most of which is still empty
    filled = [sum(1 for text in row if text) for row in rows]
    several = sum(1 for count in filled if count >= 2)
    enough = max(min_rows, len(rows) / (4 if content.named else 2))  # a form has many rows that are one text
    return several >= enough and sum(filled) >= LEAST_FILLED * len(rows) * width
