"""The RapidOCR adapter: a grey picture in, words with boxes and confidences out; needs the optional package rapidocr."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from ingestion.ocr_words import OcrWord
from ingestion.table_grid import Box
from rag.errors import MissingPackage

# ONNX Runtime reports usage from Linux unless this is set before its first import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


class RapidOcr:
    """The models that ship in the wheel: Latin and Chinese letters, ten times slower than Tesseract, better on hard tables."""

    name = "rapidocr"
    misses_cells = False

    def __init__(self) -> None:
        if not find_spec("rapidocr"):
            raise MissingPackage("rapidocr", 'config.toml, [ocr] engine = "rapidocr"')
        from rapidocr import RapidOCR

        self.engine = RapidOCR(params={"Global.log_level": "error"})

    def words(self, picture: np.ndarray, *, dpi: float, seconds: float, block: bool = False) -> list[OcrWord]:
        found = self.engine(np.repeat(picture[:, :, None], 3, axis=2))
        if found.boxes is None:
            return []
        lines = []
        for text, score, corners in zip(found.txts, found.scores, found.boxes, strict=True):
            x0, top = corners.min(axis=0).tolist()
            x1, bottom = corners.max(axis=0).tolist()
            lines.append((text, float(score), Box(x0, top, x1, bottom)))
        return list(words_of_lines(lines))


def words_of_lines(lines: list[tuple[str, float, Box]]) -> Iterator[OcrWord]:
    """RapidOCR boxes pieces of lines: put those of one height on one line, and give each word its share of the width."""
    number, paragraph = -1, -1
    before: Box | None = None
    for text, confidence, box in sorted(lines, key=lambda line: (line[2].centre[1], line[2].x0)):
        if before is None or box.centre[1] > before.bottom:
            number += 1
            if before is None or box.top - before.bottom > 0.8 * box.height:
                paragraph += 1
            before = box
        at, length = 0, max(len(text), 1)
        for word in text.split():
            at = text.index(word, at)
            left, right = box.x0 + box.width * at / length, box.x0 + box.width * (at + len(word)) / length
            yield OcrWord(word, confidence, Box(left, box.top, right, box.bottom), number, paragraph)
            at += len(word)
