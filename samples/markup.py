"""Reads one document's prose file: settings between +++ lines and a small markup go in, blocks ready for layout come out.

A line is one block:

    # 3 Thresholds          heading (# to ###)
    3.2.1 Text              numbered clause; the number hangs in the margin
    (a) Text                sub-clause; two spaces before it for the next level, (i)
    - Text                  bullet
    > Text                  boxed note
    @table ruled            a table follows: its style, then widths, right, units, caption as key=value
    | a | b |               a row of that table, the first one naming the columns; `* ` starts a footnote
    @toc  @break  @body     table of contents, page break, end of the preliminary pages

Anything else is a paragraph; **bold** and *italic* work everywhere.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Clause:
    """`depth` is 0 for 3.2.1, 1 for (a), 2 for (i); bullets are clauses numbered by a dot."""

    number: str
    text: str
    depth: int


@dataclass(frozen=True, slots=True)
class Note:
    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table to be drawn; its style is ruled (all lines), lined (horizontal lines), plain (none) or fields (and no header)."""

    style: str
    widths: tuple[float, ...] = ()  # percent of the text width; equal when not given
    right: tuple[int, ...] = ()  # 1-based columns set flush right
    units: str = ""
    caption: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Contents:
    """Where the table of contents stands."""


@dataclass(frozen=True, slots=True)
class Break:
    """A page break; the one that ends the preliminary pages restarts the printed numbers at 1."""

    ends_front: bool = False


Block = Heading | Paragraph | Clause | Note | Grid | Contents | Break


@dataclass(frozen=True, slots=True)
class Settings:
    """What stands between the +++ lines: where the PDF goes and how its pages are dressed."""

    file: str
    title: str
    header: str
    footer: str
    subtitle: str = ""
    language: str = "en-US"
    number: str = "Page {page} of {pages}"
    font: str = "Helvetica"
    size: float = 10.0
    columns: int = 1
    cover: dict[str, str] = field(default_factory=dict)  # lines of the cover page; none, no cover
    organisation: str = "Larkmere Regional Water Authority"
    emblem: bool = True  # the authority's drop of water before its name
    scanned: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    settings: Settings
    blocks: tuple[Block, ...]


MARKS: dict[str, Block] = {"@toc": Contents(), "@break": Break(), "@body": Break(ends_front=True)}
CLAUSE = re.compile(r"(?P<indent> *)(?P<number>[A-Z0-9]+(?:\.\d+)+|\([a-z]+\)|\(\d+\)|-) +(?P<text>.+)")


def read(path: Path) -> Document:
    """The document that one prose file describes."""
    _, settings, body = path.read_text(encoding="utf-8").split("+++\n", 2)
    return Document(settings=Settings(**tomllib.loads(settings)), blocks=tuple(parse(body)))


def parse(body: str) -> list[Block]:
    """The blocks of a document's body, in order."""
    blocks: list[Block] = []
    for line in body.splitlines():
        if not line.strip():
            continue
        grid = blocks[-1] if blocks and isinstance(blocks[-1], Grid) else None
        if line.startswith("#"):
            marks, text = line.split(" ", 1)
            blocks.append(Heading(level=len(marks), text=text))
        elif line.startswith("> "):
            blocks.append(Note(text=line[2:]))
        elif line.startswith("@table"):
            blocks.append(grid_of(line))
        elif line.startswith("@"):
            blocks.append(MARKS[line.strip()])
        elif grid and line.startswith("|"):
            grid.rows.append(tuple(cell.strip() for cell in line.strip().strip("|").split("|")))
        elif grid and line.startswith("* "):
            grid.footnotes.append(line[2:])
        elif found := CLAUSE.fullmatch(line):
            blocks.append(clause_of(indent=len(found["indent"]), number=found["number"], text=found["text"]))
        else:
            blocks.append(Paragraph(text=line))
    return blocks


def clause_of(*, indent: int, number: str, text: str) -> Clause:
    depth = indent // 2 + (1 if number[0] in "(-" else 0)
    return Clause(number="•" if number == "-" else number, text=text, depth=depth)


def grid_of(line: str) -> Grid:
    """`@table ruled widths=20,80 right=2 units="USD thousand" caption="Table 1. Spend"` as an empty table."""
    style, *_ = line.removeprefix("@table").split()
    options = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))
    numbers = {key: tuple(float(part) for part in options.get(key, "").split(",") if part) for key in ("widths", "right")}
    return Grid(
        style=style,
        widths=numbers["widths"],
        right=tuple(int(column) for column in numbers["right"]),
        units=options.get("units", "").strip('"'),
        caption=options.get("caption", "").strip('"'),
    )
