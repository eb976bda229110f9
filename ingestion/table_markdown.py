"""A table in; GitHub markdown in pieces that each stand alone, and one searchable sentence a row out."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from ingestion.table_rows import LONGEST_NAME, is_section, is_value
from ingestion.table_surroundings import MARK, carries
from rag.domain import Table


@dataclass(frozen=True, slots=True)
class TablePiece:
    """Part of a table as markdown with its caption, units and header; it holds the rows `first` to `end`, half open."""

    text: str
    first: int
    end: int


def render_markdown(table: Table, *, max_characters: int) -> list[TablePiece]:
    """The table in pieces of at most `max_characters`; a row is never split, so a single longer row exceeds them."""
    top = opening(table)
    pieces: list[TablePiece] = []
    first = 0
    lines: list[str] = []
    for at, row in enumerate(table.rows):
        line = markdown_row(row)
        if lines and len(piece_text(table, top, first, [*lines, line])) > max_characters:
            pieces.append(TablePiece(piece_text(table, top, first, lines), first, at))
            first, lines = at, []
        lines.append(line)
    if lines or not pieces:
        pieces.append(TablePiece(piece_text(table, top, first, lines), first, len(table.rows)))
    return pieces


def opening(table: Table) -> str:
    """Caption, units and header: what every piece begins with."""
    caption = f"**{escape(table.caption)}**" if table.caption else ""
    units = f"({escape(table.units)})" if table.units and table.units not in table.caption else ""
    above = " ".join(filter(None, (caption, units)))
    header = f"{markdown_row(table.header)}\n{'|' + ' --- |' * len(table.header)}"
    return f"{above}\n\n{header}" if above else header


def piece_text(table: Table, top: str, first: int, lines: list[str]) -> str:
    rows = "\n".join(lines)
    notes = footnotes_of(table, rows, last=first + len(lines) == len(table.rows))
    return "\n".join([top, *lines]) + ("\n\n" + "\n".join(notes) if notes else "")


def footnotes_of(table: Table, rows: str, *, last: bool) -> list[str]:
    """The footnotes whose mark stands in these rows or in the header; those without a mark go with the last piece."""
    text = "\n".join([rows, *table.header, table.caption])
    everywhere = "\n".join([*(" ".join(row) for row in table.rows), *table.header, table.caption])
    kept = []
    for note in table.footnotes:
        found = MARK.match(note)
        marked = found is not None and carries(everywhere, found["mark"])
        if (found is not None and carries(text, found["mark"])) if marked else last:
            kept.append(escape(note))
    return kept


def markdown_row(cells: tuple[str, ...]) -> str:
    return "|" + "".join(f" {escape(cell)} |" for cell in cells)


def escape(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text).replace("\\", "\\\\").replace("|", "\\|")


def row_sentences(table: Table, *, values: Collection[int] | None = None) -> list[str]:
    """Each row as "Category: IT equipment | Limit: USD 50,000 | Approver: CFO", for searching.

    A row that only has its first cell names the rows after it and stands before them; it has no sentence of its own
    unless no row follows. A name that stands in a column of values, or in a table whose columns have no names, is what
    its value is called: "Total due: USD 610". `values` are those columns where the rows are only part of the table.
    """
    found: list[str] = []
    section = ""
    values = value_columns(table) if values is None else values
    for at, row in enumerate(table.rows):
        following = table.rows[at + 1] if at + 1 < len(table.rows) else None
        named = [f"{name}: {cell}" if name else cell for name, cell in zip(table.header, row, strict=True) if cell]
        filled = [column for column, cell in enumerate(row) if cell]
        if len(filled) == 2 and (filled[0] in values or not any(table.header)) and is_pair(row[filled[0]], row[filled[1]]):
            named = [f"{row[filled[0]].rstrip(': ')}: {row[filled[1]]}"]
        if is_section(row):
            section = row[0]
            if following is None or is_section(following):
                found.append(" | ".join(named))
        else:
            found.append(" | ".join([section, *named] if section else named))
    return found


def value_columns(table: Table) -> set[int]:
    """The columns whose first entry is a value: further down, the names of totals may stand in them."""
    firsts = {at: next((row[at] for row in table.rows if row[at]), "") for at in range(len(table.header))}
    return {at for at, first in firsts.items() if is_value(first)}


def is_pair(name: str, value: str) -> bool:
    """Whether two cells are a name and what it names: "Total due" and "USD 610", "Name:" and "First Last"."""
    return len(name) <= LONGEST_NAME and not is_value(name) and (is_value(value) or name.endswith(":"))
