"""A grey picture of a page and the words OCR read on it in, the tables on it out; cells that were not read are read again."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from ingestion.ocr_words import OcrWord, page_confidence, scaled
from ingestion.table_grid import Box, GridMaker
from ingestion.table_picture import has_aligned_cells, picture_boxes
from ingestion.table_rows import is_table, read_rows
from ingestion.table_surroundings import Line, surroundings
from rag.domain import Table

if TYPE_CHECKING:
    from ingestion.ocr import OcrEngine

RULES = "|[]{}_‘’~"
MARGIN = 4  # pixels inside a cell's edge, where the rules stand
GAP = 24  # white pixels between cells that are read again
DOUBTFUL = 0.5  # cells read with less confidence are read again
FLATTEST_SIDEWAYS = 0.4  # height against width of the flattest cell in which text may run sideways
TALLEST = 8000  # pixels of a picture that cells are stacked on


def read_tables(
    picture: np.ndarray, words: list[OcrWord], engine: "OcrEngine", *, dpi: float, seconds: float
) -> tuple[list[Table], list[OcrWord]]:
    """The tables, their boxes in points, and the words of the page with those of reread cells put right."""
    scale = dpi / 72
    if not (has_rules(picture, dpi) or has_aligned_cells([word.box for word in scaled(words, 1 / scale)])):
        return [], words
    tables = []
    for boxes in picture_boxes(picture, scale=1.0):
        if engine.misses_cells:
            words = reread(picture, boxes, words, engine, dpi=dpi, seconds=seconds)
        table = make_table(
            [Box(*(edge / scale for edge in (b.x0, b.top, b.x1, b.bottom))) for b in boxes], scaled(words, 1 / scale)
        )
        if table is not None:
            tables.append(table)
    return sorted(tables, key=lambda table: table.bbox[1]), words


def make_table(boxes: Sequence[Box], words: Sequence[OcrWord]) -> Table | None:
    maker = GridMaker(words, centre=lambda word: word.box.centre, join=join_words)
    grid = maker.grid(boxes)
    content = read_rows(grid)
    if not is_table(content, min_rows=2, min_columns=2):
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


def has_rules(picture: np.ndarray, dpi: float) -> bool:
    """Whether at least three horizontal and two vertical rules of an inch or so are drawn on the page."""
    ink = cv2.threshold(picture, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)[1]
    length = int(0.8 * dpi)
    across = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    down = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((length // 3, 1), np.uint8))
    return cv2.connectedComponents(across)[0] - 1 >= 3 and cv2.connectedComponents(down)[0] - 1 >= 2


def reread(
    picture: np.ndarray, boxes: Sequence[Box], words: list[OcrWord], engine: "OcrEngine", *, dpi: float, seconds: float
) -> list[OcrWord]:
    """Read again the cells that have ink but no words, doubtful words, or words that run along the side of the page."""
    inside: dict[int, list[OcrWord]] = {}
    for word in words:
        at = next((at for at, box in enumerate(boxes) if box.holds(*word.box.centre)), None)
        if at is not None:
            inside.setdefault(at, []).append(word)
    pending = [at for at, box in enumerate(boxes) if is_doubtful(inside.get(at, [])) and has_ink(crop(picture, box))]
    replaced: dict[int, list[OcrWord]] = {}
    for turns in (0, 1, 3):
        for at, again in stack_and_read(picture, boxes, pending, engine, turns=turns, dpi=dpi, seconds=seconds).items():
            if certainty(again) > certainty(replaced.get(at, [])):
                replaced[at] = again
        pending = [
            at for at in pending if is_doubtful(replaced.get(at, [])) and boxes[at].height > FLATTEST_SIDEWAYS * boxes[at].width
        ]
    number = max((word.line for word in words), default=0) + 1
    for at, again in replaced.items():
        old = inside.get(at, [])
        if certainty(again) <= certainty(old):
            continue
        paragraph = old[0].paragraph if old else number
        again = [replace(word, line=number + word.line, paragraph=paragraph) for word in again]
        number = max(word.line for word in again) + 1
        gone = set(map(id, old))
        words = [word for word in words if id(word) not in gone] + again
    return words


def is_doubtful(words: Sequence[OcrWord]) -> bool:
    """No words, unsure ones, words along the side of the page, or the single characters that sideways text falls into."""
    if not words or page_confidence(words) < DOUBTFUL:
        return True
    return any(not word.upright and len(word.text) > 2 for word in words) or (len(words) > 2 and certainty(words) < DOUBTFUL)


def certainty(words: Sequence[OcrWord]) -> float:
    """The mean confidence by character, where a single character counts for nothing: text read sideways falls into those."""
    characters = sum(len(word.text) for word in words)
    return sum(len(word.text) * word.confidence for word in words if len(word.text) > 1) / characters if characters else 0.0


def crop(picture: np.ndarray, box: Box) -> np.ndarray:
    top, bottom = int(box.top) + MARGIN, int(box.bottom) - MARGIN
    left, right = int(box.x0) + MARGIN, int(box.x1) - MARGIN
    return picture[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]


def has_ink(cell: np.ndarray) -> bool:
    """Whether a cell holds more than dust: some dark pixels on a ground that is lighter."""
    if cell.size < 100:
        return False
    ground = float(np.median(cell))
    return float(np.mean(np.abs(cell.astype(np.int16) - ground) > 60)) > 0.004


def stack_and_read(
    picture: np.ndarray,
    boxes: Sequence[Box],
    which: Sequence[int],
    engine: "OcrEngine",
    *,
    turns: int,
    dpi: float,
    seconds: float,
) -> dict[int, list[OcrWord]]:
    """Read cells stacked on one picture, each turned by `turns` quarters against the clock; one call instead of hundreds."""
    read: dict[int, list[OcrWord]] = {}
    batch: list[tuple[int, np.ndarray]] = []
    height = GAP
    for position, at in enumerate(which):
        cell = np.rot90(crop(picture, boxes[at]), turns)
        batch.append((at, cell))
        height += cell.shape[0] + GAP
        following = crop(picture, boxes[which[position + 1]]) if position + 1 < len(which) else None
        if following is None or height + max(following.shape) > TALLEST:
            read.update(read_batch(batch, boxes, engine, height=height, dpi=dpi, seconds=seconds))
            batch, height = [], GAP
    return read


def read_batch(
    batch: Sequence[tuple[int, np.ndarray]],
    boxes: Sequence[Box],
    engine: "OcrEngine",
    *,
    height: int,
    dpi: float,
    seconds: float,
) -> dict[int, list[OcrWord]]:
    sheet = np.full((height, max(cell.shape[1] for _, cell in batch) + 2 * GAP), 255, np.uint8)
    spans = []
    top = GAP
    for at, cell in batch:
        sheet[top : top + cell.shape[0], GAP : GAP + cell.shape[1]] = cell
        spans.append((at, top - GAP / 2, top + cell.shape[0] + GAP / 2))
        top += cell.shape[0] + GAP
    read: dict[int, list[OcrWord]] = {}
    for word in engine.words(sheet, dpi=dpi, seconds=seconds, block=True):
        owner = next((at for at, start, end in spans if start <= word.box.centre[1] < end), None)
        if owner is not None:
            read.setdefault(owner, []).append(replace(word, box=boxes[owner]))
    return read
