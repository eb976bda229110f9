"""Cells of a scanned table that OCR passed over, doubts or read sideways, in; what a second look at them gives out."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ingestion.ocr_image import Scan
from ingestion.ocr_words import OcrWord, page_confidence
from ingestion.table_grid import Box
from rag.errors import ReadingError

if TYPE_CHECKING:
    from ingestion.ocr import OcrEngine

MARGIN = 4  # pixels inside a cell's edge, where the rules stand
GAP = 24  # white pixels between cells that are read again
DOUBTFUL = 0.5  # cells read with less confidence are read again
FLATTEST_SIDEWAYS = 0.4  # height against width of the flattest cell in which text may run sideways
TALLEST = 8000  # pixels of a picture that cells are stacked on
SHORTEST = 1.0  # seconds left below which no second look is begun


def reread(page: Scan, boxes: Sequence[Box], words: list[OcrWord], engine: "OcrEngine", *, until: float) -> list[OcrWord]:
    """Read again the cells that have ink but no words, doubtful words, or words that run along the side of the page."""
    inside: dict[int, list[OcrWord]] = {}
    for word in words:
        at = next((at for at, box in enumerate(boxes) if box.holds(*word.box.centre)), None)
        if at is not None:
            inside.setdefault(at, []).append(word)
    pending = [at for at, box in enumerate(boxes) if is_doubtful(inside.get(at, [])) and has_ink(crop(page.text, box))]
    replaced: dict[int, list[OcrWord]] = {}
    for turns in (0, 1, 3):
        for at, again in stack_and_read(page, boxes, pending, engine, turns=turns, until=until).items():
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
    page: Scan, boxes: Sequence[Box], which: Sequence[int], engine: "OcrEngine", *, turns: int, until: float
) -> dict[int, list[OcrWord]]:
    """Read cells stacked on pictures, each turned by `turns` quarters against the clock: one call instead of hundreds."""
    read: dict[int, list[OcrWord]] = {}
    batch: dict[int, np.ndarray] = {}
    for at in which:
        cell = np.rot90(crop(page.text, boxes[at]), turns)
        if batch and sum(held.shape[0] + GAP for held in batch.values()) + cell.shape[0] > TALLEST:
            read |= read_stack(batch, boxes, engine, dpi=page.dpi, until=until)
            batch = {}
        batch[at] = cell
    return read | read_stack(batch, boxes, engine, dpi=page.dpi, until=until) if batch else read


def read_stack(
    cells: Mapping[int, np.ndarray], boxes: Sequence[Box], engine: "OcrEngine", *, dpi: float, until: float
) -> dict[int, list[OcrWord]]:
    """The words of each cell with the cell as their box; nothing where no time is left, for the page's text is there."""
    seconds = until - time.monotonic()
    if seconds < SHORTEST:
        return {}
    height = GAP + sum(cell.shape[0] + GAP for cell in cells.values())
    sheet = np.full((height, max(cell.shape[1] for cell in cells.values()) + 2 * GAP), 255, np.uint8)
    rows: list[int] = []  # which cell each row of pixels belongs to
    for at, cell in cells.items():
        top = len(rows) + GAP
        sheet[top : top + cell.shape[0], GAP : GAP + cell.shape[1]] = cell
        rows += [at] * (cell.shape[0] + GAP)
    rows += [rows[-1]] * GAP
    read: dict[int, list[OcrWord]] = {}
    try:
        words = engine.words(sheet, dpi=dpi, seconds=seconds, block=True)
    except ReadingError:
        return {}
    for word in words:
        at = rows[min(max(int(word.box.centre[1] - GAP / 2), 0), len(rows) - 1)]
        read.setdefault(at, []).append(replace(word, box=boxes[at]))
    return read
