"""A PDF page with a text layer in, its tables as rows with caption, units and footnotes out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pdfplumber
import pypdfium2
from pdfplumber.utils.text import extract_text

from ingestion.table_grid import Box, Grid, GridMaker
from ingestion.table_picture import has_aligned_cells, picture_boxes
from ingestion.table_rows import Content, is_table, read_rows
from ingestion.table_surroundings import Line, surroundings
from rag.domain import Table

# pdfplumber's fixed x_tolerance glues the words of some files together; a share of the letter size does not.
WORD_GAP = 0.15
BOLD = ("bold", "black", "heavy", "semibold", "demi")
RENDER_SCALE = 150 / 72  # img2table sees gaps between columns at this size as well as at 200 dpi, in half the time


def find_tables(
    pdf_path: Path, page_number: int, plumber_page: Any = None, *, min_rows: int = 2, min_columns: int = 2
) -> list[Table]:
    """The tables of one page from top to bottom; `page_number` counts from 1. Opens the file where no page is given."""
    if plumber_page is None:
        with pdfplumber.open(pdf_path) as document:
            return find_tables(
                pdf_path, page_number, document.pages[page_number - 1], min_rows=min_rows, min_columns=min_columns
            )
    page = PlumberPage(plumber_page)
    found = page.sane(page.ruled_boxes(), min_rows=min_rows, min_columns=min_columns)
    if not found and page.looks_tabular():
        found = page.sane(borderless_boxes(pdf_path, page_number), min_rows=min_rows, min_columns=min_columns)
    return page.tables(found)


class PlumberPage:
    """What pdfplumber knows of a page, with the points counted from the top left of the visible page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        left, top, right, bottom = page.cropbox
        self.left, self.top = left, top
        self.width, self.height = right - left, bottom - top

    def box(self, found: Sequence[float] | dict[str, Any]) -> Box:
        x0, top, x1, bottom = (found["x0"], found["top"], found["x1"], found["bottom"]) if isinstance(found, dict) else found
        return Box(x0 - self.left, top - self.top, x1 - self.left, bottom - self.top)

    def ruled_boxes(self) -> list[list[Box]]:
        """The cells of each table that pdfplumber finds between drawn lines."""
        return [[self.box(cell) for cell in table.cells] for table in self.page.find_tables()]

    def lines(self) -> list[Line]:
        words = self.page.extract_text_lines(x_tolerance_ratio=WORD_GAP, return_chars=False, strip=True)
        return [Line(line["text"], self.box(line)) for line in words]

    def looks_tabular(self) -> bool:
        """Whether enough lines break into cells at the same places; prose, also in two columns, does not."""
        words = [self.box(word) for word in self.page.extract_words(x_tolerance_ratio=WORD_GAP)]
        return has_aligned_cells(words)

    def sane(self, tables: list[list[Box]], *, min_rows: int, min_columns: int) -> list[tuple[Grid, Content]]:
        """The found tables that hold up as tables once their text is read."""
        maker = GridMaker(self.page.chars, centre=self.centre, join=join_characters, strong=is_bold)
        kept = []
        for boxes in tables:
            if len(boxes) < min_rows * min_columns:
                continue
            grid = maker.grid(boxes)
            content = read_rows(grid)
            if is_table(grid, content, min_rows=min_rows, min_columns=min_columns):
                kept.append((grid, content))
        return kept

    def centre(self, character: dict[str, Any]) -> tuple[float, float]:
        return self.box(character).centre

    def tables(self, found: list[tuple[Grid, Content]]) -> list[Table]:
        if not found:
            return []
        lines = self.lines()
        tables = []
        for grid, content in sorted(found, key=lambda pair: (pair[0].box.top, pair[0].box.x0)):
            text = "\n".join(cell.text for cell in grid.cells)
            around = surroundings(grid.box, lines, table_text=text)
            caption = " ".join(filter(None, (around.caption, content.title)))
            bbox = (around.box.x0, around.box.top, around.box.x1, around.box.bottom)
            tables.append(Table(content.header, content.rows, caption, around.units, around.footnotes, bbox))
        return tables


def borderless_boxes(pdf_path: Path, page_number: int) -> list[list[Box]]:
    """The cells of each table that img2table finds on a picture of the page, with or without drawn lines."""
    with pypdfium2.PdfDocument(pdf_path) as document:
        page = document[page_number - 1]
        picture = np.ascontiguousarray(page.render(scale=RENDER_SCALE).to_numpy()[:, :, :3])
    return picture_boxes(picture, scale=RENDER_SCALE)


def join_characters(characters: list[dict[str, Any]]) -> str:
    return extract_text(characters, x_tolerance_ratio=WORD_GAP)


def is_bold(characters: list[dict[str, Any]]) -> bool:
    bold = sum(any(name in character["fontname"].lower() for name in BOLD) for character in characters)
    return bold > len(characters) / 2
