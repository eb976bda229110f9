"""A grey picture of a page and the words OCR read on it in, the tables on it out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingestion.ocr_cells import reread
from ingestion.ocr_image import Scan
from ingestion.ocr_words import OcrWord, scaled
from ingestion.table_grid import Box, GridMaker
from ingestion.table_picture import has_aligned_cells, picture_boxes, stands_without_lines
from ingestion.table_rows import is_table, read_rows
from ingestion.table_surroundings import Line, surroundings
from rag.domain import Table

if TYPE_CHECKING:
    from ingestion.ocr import OcrEngine

RULES = "|[]{}_‘’~"  # what Tesseract takes the remains of rules for


def read_tables(page: Scan, words: list[OcrWord], engine: "OcrEngine", *, until: float) -> tuple[list[Table], list[OcrWord]]:
    """The tables, their boxes in points, and the words of the page with those of reread cells put right."""
    points = 72 / page.dpi
    if not (page.has_rules or has_aligned_cells([word.box for word in scaled(words, points)])):
        return [], words
    tables = []
    for boxes in picture_boxes(page.picture, scale=1.0):
        better = reread(page, boxes, words, engine, until=until) if engine.misses_cells else words
        table = make_table([box.scaled(points) for box in boxes], scaled(better, points), ruled=page.has_rules)
        if table is not None:
            tables.append(table)
            words = better
    return sorted(tables, key=lambda table: table.bbox[1]), words


def make_table(boxes: Sequence[Box], words: Sequence[OcrWord], *, ruled: bool) -> Table | None:
    maker = GridMaker(words, centre=lambda word: word.box.centre, join=join_words)
    grid = maker.grid(boxes)
    content = read_rows(grid)
    if not is_table(content, min_rows=2, min_columns=2):
        return None
    if not ruled and not stands_without_lines(content, grid.box, [word.box for word in words]):
        return None
    outside = [word for word in words if not grid.box.holds(*word.box.centre)]
    around = surroundings(grid.box, lines_of(outside), table_text="\n".join(cell.text for cell in grid.cells))
    caption = " ".join(filter(None, (around.caption, content.title)))
    bbox = (around.box.x0, around.box.top, around.box.x1, around.box.bottom)
    return Table(content.header, content.rows, caption, around.units, around.footnotes, bbox)


def join_words(words: Sequence[OcrWord]) -> str:
    """The words of a cell, in lines, without what the rules around it were taken for."""
    lines: dict[int, list[str]] = {}
    for word in words:
        text = word.text.strip(RULES)
        if text:
            lines.setdefault(word.line, []).append(text)
    return "\n".join(" ".join(line) for line in lines.values())


def lines_of(words: Sequence[OcrWord]) -> list[Line]:
    lines: dict[int, Line] = {}
    for word in words:
        before = lines.get(word.line)
        lines[word.line] = (
            Line(f"{before.text} {word.text}", before.box.around(word.box)) if before else Line(word.text, word.box)
        )
    return list(lines.values())
