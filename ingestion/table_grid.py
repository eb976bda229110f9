"""Boxes of cells in, a regular grid of cells with their spans and text out: the shape every table finder here agrees on."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Generic, TypeVar

Glyph = TypeVar("Glyph")
SNAP = 2.0  # points; edges closer than this are one edge
FEWEST_PARTS = 3  # lines; a name over two rows is often printed on two
SAME_PITCH = 0.15  # of a row's height: lines as far apart as the rows beside them belong to those rows
FEW = 0.34  # share of the cells that may stand on another colour than the rest and still stand out


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points from the top left of the page."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def centre(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.top + self.bottom) / 2

    def scaled(self, factor: float) -> "Box":
        return Box(self.x0 * factor, self.top * factor, self.x1 * factor, self.bottom * factor)

    def holds(self, x: float, y: float) -> bool:
        return self.x0 <= x < self.x1 and self.top <= y < self.bottom

    def overlap(self, other: "Box") -> float:
        """The area both share."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)

    def around(self, other: "Box") -> "Box":
        """The smallest box that holds both."""
        return Box(min(self.x0, other.x0), min(self.top, other.top), max(self.x1, other.x1), max(self.bottom, other.bottom))


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell at its upper left slot; `rows` and `columns` count the slots it covers."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1
    text: str = ""
    strong: bool = False  # set in bold, or on a ground of its own colour


@dataclass(frozen=True, slots=True)
class Grid:
    """Every slot of the grid belongs to exactly one cell, so no text inside the table can be lost."""

    cells: tuple[Cell, ...]
    rows: int
    columns: int
    box: Box
    lefts: tuple[float, ...] = ()  # where each column begins
    tops: tuple[float, ...] = ()  # where each row begins

    def span(self, column: int) -> tuple[float, float]:
        """From where to where a column goes."""
        return self.lefts[column], self.lefts[column + 1] if column + 1 < len(self.lefts) else self.box.x1

    def with_rows_above(self, rows: Sequence[Sequence[Cell]], box: Box) -> "Grid":
        """The grid with further rows on top; `box` holds their text."""
        above = [replace(cell, row=at) for at, row in enumerate(rows) for cell in row]
        taken = {(cell.row, cell.column + step) for cell in above for step in range(cell.columns)}
        free = [(row, column) for row in range(len(rows)) for column in range(self.columns)]
        empty = [Cell(row, column) for row, column in free if (row, column) not in taken]
        below = [replace(cell, row=cell.row + len(rows)) for cell in self.cells]
        cells = sorted([*above, *empty, *below], key=lambda cell: (cell.row, cell.column))
        return replace(self, cells=tuple(cells), rows=self.rows + len(rows), box=self.box.around(box))


class GridMaker(Generic[Glyph]):
    """Builds grids from cell boxes and whatever carries the text: characters of a PDF, or words that OCR read.

    `centre` says where a glyph lies, `join` turns the glyphs of one cell into text, `strong` whether they stand out.
    """

    def __init__(
        self,
        glyphs: Iterable[Glyph],
        *,
        centre: Callable[[Glyph], tuple[float, float]],
        join: Callable[[list[Glyph]], str],
        strong: Callable[[list[Glyph]], bool] = lambda glyphs: False,
    ) -> None:
        self.placed = [(*centre(glyph), glyph) for glyph in glyphs]
        self.centre = centre
        self.join = join
        self.strong = strong

    def grid(self, boxes: Sequence[Box], *, ground: Callable[[Box], Hashable] = lambda box: None) -> Grid:
        """`ground` tells the colour behind a box; cells on a colour that few others have stand out."""
        lefts = distinct_edges(box.x0 for box in boxes)
        tops = distinct_edges(box.top for box in boxes)
        frame = boxes[0]
        for box in boxes[1:]:
            frame = frame.around(box)
        owners = self.owners(boxes, lefts, tops)
        contents: dict[int, list[Glyph]] = {}
        for x, y, glyph in self.placed:
            if frame.holds(x, y):
                slot = (max(bisect_right(tops, y) - 1, 0), max(bisect_right(lefts, x) - 1, 0))
                contents.setdefault(owners[slot], []).append(glyph)
        grounds = [ground(box) for box in boxes]
        colours = Counter(grounds)
        shaded = [colour is not None and colours[colour] <= FEW * len(boxes) for colour in grounds]
        slots: dict[int, list[tuple[int, int]]] = {}
        for slot, owner in owners.items():
            slots.setdefault(owner, []).append(slot)
        cells: list[Cell] = []
        for owner, covered in slots.items():
            glyphs = contents.get(owner, [])
            row, column = min(covered)
            if parts := self.parts_by_row(glyphs, covered, tops):
                width = max(slot[1] for slot in covered) - column + 1
                cells += [
                    Cell(row + at, column, columns=width, text=self.join(part), strong=self.strong(part))
                    for at, part in enumerate(parts)
                ]
                continue
            cells.append(
                Cell(
                    row,
                    column,
                    rows=max(slot[0] for slot in covered) - row + 1,
                    columns=max(slot[1] for slot in covered) - column + 1,
                    text=self.join(glyphs) if glyphs else "",
                    strong=bool(glyphs) and (self.strong(glyphs) or (owner < len(boxes) and shaded[owner])),
                )
            )
        cells.sort(key=lambda cell: (cell.row, cell.column))
        return Grid(tuple(cells), len(tops), len(lefts), frame, tuple(lefts), tuple(tops))

    def parts_by_row(self, glyphs: list[Glyph], covered: list[tuple[int, int]], tops: list[float]) -> list[list[Glyph]]:
        """The glyphs row by row where a cell beside several rows holds a line for each, as the labels of totals do."""
        rows = sorted({row for row, _ in covered})
        if len(rows) < FEWEST_PARTS:
            return []
        parts: dict[int, list[Glyph]] = {row: [] for row in rows}
        heights: dict[int, list[float]] = {row: [] for row in rows}
        for glyph in glyphs:
            y = self.centre(glyph)[1]
            row = max(bisect_right(tops, y) - 1, 0)
            parts[row].append(glyph)
            heights[row].append(y)
        if not all(parts.values()) or any("\n" in self.join(part) for part in parts.values()):
            return []
        middles = [sum(heights[row]) / len(heights[row]) for row in rows]
        pitches = [
            (tops[below] - tops[above], middles[at + 1] - middles[at]) for at, (above, below) in enumerate(pairwise(rows))
        ]
        alike = all(abs(line - row) <= SAME_PITCH * row for row, line in pitches)
        return list(parts.values()) if alike else []

    def owners(self, boxes: Sequence[Box], lefts: list[float], tops: list[float]) -> dict[tuple[int, int], int]:
        """For each slot the box that covers it, the smallest first; a slot no box covers becomes a cell of its own."""
        owners: dict[tuple[int, int], int] = {}
        for index in sorted(range(len(boxes)), key=lambda at: boxes[at].width * boxes[at].height):
            box = boxes[index]
            rows = covered_slots(tops, box.top, box.bottom)
            columns = covered_slots(lefts, box.x0, box.x1)
            block = [(row, column) for row in rows for column in columns]
            if any(slot in owners for slot in block):
                block = [slot for slot in block if slot not in owners][:1]  # a box around others keeps one free slot
            owners.update(dict.fromkeys(block, index))
        free = len(boxes)
        for row in range(len(tops)):
            for column in range(len(lefts)):
                if (row, column) not in owners:
                    owners[row, column] = free
                    free += 1
        return owners


def distinct_edges(values: Iterable[float]) -> list[float]:
    """The values in order, those closer than SNAP to the one before left out."""
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > SNAP:
            edges.append(value)
    return edges


def covered_slots(edges: list[float], start: float, end: float) -> range:
    """The slots, each beginning at its edge, that a cell from `start` to `end` covers."""
    first = max(bisect_right(edges, start + SNAP) - 1, 0)
    last = max(bisect_right(edges, end - SNAP) - 1, first)
    return range(first, last + 1)
