"""A PDF page with a text layer in, its tables as rows with caption, units and footnotes out."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pdfplumber
import pypdfium2

from ingestion.table_characters import WORD_GAP, is_bold, join_characters
from ingestion.table_grid import Box, Grid, GridMaker
from ingestion.table_header import table_below, with_groups_above, with_names_above
from ingestion.table_join import EDGE, TOP
from ingestion.table_picture import has_aligned_cells, picture_boxes, stands_without_lines
from ingestion.table_rows import Content, is_table, read_rows
from ingestion.table_sides import missing_sides
from ingestion.table_surroundings import Line, lines_of, surroundings
from rag.domain import Table

RENDER_SCALE = 150 / 72  # img2table sees gaps between columns at this size as well as at 200 dpi, in half the time
THICKEST_LINE = 3.0  # points
LINE_GAP = 3.0  # letter heights; a wider space on a line separates columns of the page


def find_tables(
    pdf_path: Path | BytesIO,
    page_number: int,
    plumber_page: Any = None,
    *,
    min_rows: int = 2,
    min_columns: int = 2,
    goes_on: Table | None = None,
) -> list[Table]:
    """The tables of one page from top to bottom; `page_number` counts from 1. Opens the file where no page is given.

    Tables between drawn lines come first. Where text outside them still lines up in columns, a picture of the page is
    searched for tables without lines, which takes ten times as long. `goes_on` is a table that ended at the foot of the
    page before: what is left of it may be a single row, which is no table otherwise.
    """
    if plumber_page is None:
        with pdfplumber.open(pdf_path) as document:
            opened = document.pages[page_number - 1]
            return find_tables(pdf_path, page_number, opened, min_rows=min_rows, min_columns=min_columns, goes_on=goes_on)
    page = PlumberPage(plumber_page)
    found = [table for boxes in page.ruled_boxes for table in page.read(boxes, min_rows=min_rows, min_columns=min_columns)]
    words = page.words_outside([table.grid.box for table in found])
    if has_aligned_cells(words):
        ruled = [table.grid.box for table in found]
        for boxes in borderless_boxes(pdf_path, page_number, password=page.password):
            for table in page.read(boxes, min_rows=min_rows, min_columns=min_columns):
                apart = not any(table.grid.box.overlap(box) for box in ruled)
                if apart and stands_without_lines(table.content, table.grid.box, words):
                    found.append(table)
    found.sort(key=lambda table: (table.grid.box.top, table.grid.box.x0))
    finished = [page.finish(table, [other.grid.box for other in found if other is not table]) for table in found]
    last_row = page.last_row(goes_on) if goes_on else None
    return [last_row, *finished] if last_row else finished


@dataclass(frozen=True, slots=True)
class FoundTable:
    grid: Grid
    content: Content


class PlumberPage:
    """What pdfplumber knows of a page, with the points counted from the top left of the visible page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.left, self.top = page.cropbox[:2]
        self.password: str | None = page.pdf.password

    def box(self, found: Any) -> Box:
        x0, top, x1, bottom = (found["x0"], found["top"], found["x1"], found["bottom"]) if isinstance(found, dict) else found
        return Box(x0 - self.left, top - self.top, x1 - self.left, bottom - self.top)

    @cached_property
    def ruled_boxes(self) -> list[list[Box]]:
        """The cells of each table that pdfplumber finds between drawn lines.

        Spreadsheets paint white what has no lines, so that white areas join a table with all that stands around it: where
        a table with lines of its own holds most of the filled cells, it alone is taken.
        """
        found = self.boxes_between_edges(self.page)
        if not any(is_paper(rect) for rect in self.page.rects):
            return found
        drawn = self.boxes_between_edges(self.page.filter(lambda item: item["object_type"] != "rect" or is_drawn(item)))
        narrowed: list[list[Box]] = []
        for boxes in found:
            frame = frame_of(boxes)
            inside = [inner for inner in drawn if len(inner) >= 4 and frame.overlap(frame_of(inner)) > 0]
            held = sum(self.holds_text(box) for inner in inside for box in inner)
            narrowed += inside if 2 * held > sum(map(self.holds_text, boxes)) else [boxes]
        return narrowed

    def boxes_between_edges(self, page: Any) -> list[list[Box]]:
        down, across = missing_sides(page.edges)
        settings = {"explicit_vertical_lines": down, "explicit_horizontal_lines": across}
        return [[self.box(cell) for cell in table.cells] for table in page.find_tables(settings)]

    def holds_text(self, box: Box) -> bool:
        x, y = self.centres
        return bool(((x >= box.x0) & (x < box.x1) & (y >= box.top) & (y < box.bottom)).any())

    @cached_property
    def centres(self) -> np.ndarray:
        """Of the words: a row of x and one of y; spreadsheets have thousands of cells and of words on a page."""
        return np.array([word.box.centre for word in self.words], dtype=float).reshape(-1, 2).T

    @cached_property
    def maker(self) -> GridMaker[Any]:
        return GridMaker(self.page.chars, centre=lambda found: self.box(found).centre, join=join_characters, strong=is_bold)

    @cached_property
    def words(self) -> list[Line]:
        return [Line(word["text"], self.box(word)) for word in self.page.extract_words(x_tolerance_ratio=WORD_GAP)]

    def words_outside(self, boxes: Sequence[Box]) -> list[Box]:
        return [word.box for word in self.words if not any(box.holds(*word.box.centre) for box in boxes)]

    @cached_property
    def grounds(self) -> list[tuple[Box, Hashable]]:
        """The filled rectangles with their colours, white ones left out."""
        filled = [(self.box(rect), rect["non_stroking_color"]) for rect in self.page.rects if rect["fill"]]
        return [(box, colour) for box, colour in filled if isinstance(colour, tuple) and any(part != 1 for part in colour)]

    def ground(self, box: Box) -> Hashable:
        """The colour painted last behind the middle of a box."""
        return next((colour for painted, colour in reversed(self.grounds) if painted.holds(*box.centre)), None)

    def read(self, boxes: Sequence[Box], *, min_rows: int, min_columns: int) -> list[FoundTable]:
        """The cells with their text: nothing where they are no table after all, two where names and values stand on top."""
        if len(boxes) < min_rows * min_columns:
            return []
        grid = self.maker.grid(boxes, ground=self.ground)
        if below := table_below(grid):
            parts = [[box for box in boxes if box.top < below], [box for box in boxes if box.top >= below]]
            return [table for part in parts for table in self.read(part, min_rows=min_rows, min_columns=min_columns)]
        content = read_rows(grid)
        if not content.named and is_table(content, min_rows=min_rows, min_columns=min_columns):
            wider = with_names_above(grid, self.words)
            if wider is not None and (named := read_rows(wider)).named:
                grid, content = wider, named
        elif content.named and (grouped := with_groups_above(grid, self.words)):
            grid, content = grouped, read_rows(grouped)
        return [FoundTable(grid, content)] if is_table(content, min_rows=min_rows, min_columns=min_columns) else []

    def last_row(self, table: Table) -> Table | None:
        """The single row at the top of the page whose cells have the sides of the table's."""
        width = len(table.header)
        for boxes in self.ruled_boxes:
            grid = self.maker.grid(boxes)
            x0, _, x1, _ = table.bbox
            aligned = abs(grid.box.x0 - x0) <= EDGE and abs(grid.box.x1 - x1) <= EDGE
            if grid.rows == 1 and grid.columns == width and aligned and grid.box.top <= TOP * float(self.page.height):
                row = tuple(" ".join(cell.text.split()) for cell in grid.cells)
                box = (grid.box.x0, grid.box.top, grid.box.x1, grid.box.bottom)
                return Table(("",) * width, (row,), bbox=box) if len(row) == width and any(row) else None
        return None

    def finish(self, table: FoundTable, others: Sequence[Box]) -> Table:
        """Add what stands around the table and in no other one."""
        text = "\n".join(cell.text for cell in table.grid.cells)
        words = [word for word in self.words if not any(box.holds(*word.box.centre) for box in others)]
        around = surroundings(table.grid.box, lines_of(words, gap=LINE_GAP), table_text=text)
        content = table.content
        caption = " ".join(filter(None, (around.caption, content.title)))
        bbox = (around.box.x0, around.box.top, around.box.x1, around.box.bottom)
        return Table(content.header, content.rows, caption, around.units, around.footnotes, bbox)


def frame_of(boxes: Sequence[Box]) -> Box:
    return reduce(Box.around, boxes)


def is_paper(rect: Any) -> bool:
    """Whether a rectangle is an area filled with white and not outlined."""
    colour = rect["non_stroking_color"]
    white = isinstance(colour, tuple) and len(colour) in (1, 3) and all(part == 1 for part in colour)
    return white and rect["fill"] and not rect["stroke"]


def is_drawn(rect: Any) -> bool:
    """Whether a rectangle is outlined, or so thin that it is a line."""
    return bool(rect["stroke"]) or (min(rect["width"], rect["height"]) < THICKEST_LINE and not is_paper(rect))


def borderless_boxes(pdf_path: Path | BytesIO, page_number: int, *, password: str | None) -> list[list[Box]]:
    """The cells of each table that img2table finds on a picture of the page, with or without drawn lines."""
    with pypdfium2.PdfDocument(pdf_path, password=password) as document:
        page = document[page_number - 1]
        picture = page.render(scale=RENDER_SCALE).to_numpy()[:, :, :3]
    return picture_boxes(picture, scale=RENDER_SCALE)
