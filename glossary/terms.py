"""glossary.csv in, a checked glossary out, and back again; every mistake of the file is named with its line."""

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

from glossary.expand import Glossary, Term

COLUMNS = ("abbreviation", "definition", "category", "notes")
HEADER = ",".join(COLUMNS)


class GlossaryFault(ValueError):
    """The file can't be used as it is; the text lists every problem with its line."""


def load(path: Path) -> Glossary:
    """The glossary of a CSV file with the header abbreviation,definition,category,notes. Raises GlossaryFault."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise GlossaryFault(f"{path} is not there: create it with the first line {HEADER}") from None
    except UnicodeDecodeError as error:
        raise GlossaryFault(f"{path} is not UTF-8 text (byte {error.start}): save it as CSV UTF-8.") from None
    terms, problems = parse(text)
    if problems:
        raise GlossaryFault(f"{path} has {len(problems)} mistake{'s' * (len(problems) > 1)}:\n" + "\n".join(problems))
    return Glossary(tuple(terms))


def parse(text: str) -> tuple[list[Term], list[str]]:
    """The terms of a CSV text and its problems, one sentence each, in the order of the lines."""
    reader = csv.reader(io.StringIO(text, newline=""))
    header = [name.strip().casefold() for name in next(reader, [])]
    if header != list(COLUMNS):
        return [], [f'Line 1: the header is "{",".join(header)}" but must be "{HEADER}".']
    terms: list[Term] = []
    problems: list[str] = []
    first_line: dict[str, int] = {}
    for cells in reader:
        line = reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(COLUMNS):
            problems.append(f"Line {line}: {len(cells)} cells instead of {len(COLUMNS)}; put a text with commas in quotes.")
            continue
        filled = [*cells, *[""] * (len(COLUMNS) - len(cells))]
        term = Term(*(" ".join(cell.split()) for cell in filled))
        key = term.abbreviation.casefold()
        if not term.abbreviation or not term.definition:
            problems.append(f"Line {line}: the {'definition' if term.abbreviation else 'abbreviation'} is empty.")
        elif key in first_line:
            problems.append(f'Line {line}: "{term.abbreviation}" is already defined in line {first_line[key]}; keep one.')
        elif key == term.definition.casefold():
            problems.append(f'Line {line}: "{term.abbreviation}" is defined by itself.')
        else:
            first_line[key] = line
            terms.append(term)
    return terms, problems


def save(path: Path, terms: Iterable[Term]) -> None:
    """Replaces the file in one step, so that a reader sees the old or the new glossary. Raises GlossaryFault."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((term.abbreviation, term.definition, term.category, term.notes) for term in terms)
    _, problems = parse(buffer.getvalue())
    if problems:
        raise GlossaryFault("The glossary was not saved:\n" + "\n".join(problems))
    write_atomically(path, buffer.getvalue())


def write_atomically(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
