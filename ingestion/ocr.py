"""A picture of a page in; its text, its tables, its words with boxes and a confidence out."""

import time
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from PIL import Image

from ingestion.ocr_image import prepare
from ingestion.ocr_tables import read_tables
from ingestion.ocr_words import OcrWord, are_sideways, page_confidence, page_text, scaled, turned, without_specks
from ingestion.table_grid import Box
from rag.config import Ocr
from rag.domain import Table
from rag.errors import ConfigError

UPSIDE_DOWN = 0.5  # confidence below which a page is also read upside down and in a mirror: upright pages reach 0.6 and more


class OcrEngine(Protocol):
    """Reads a grey picture; `block` says that it holds lines of one column rather than a page.

    `misses_cells` says that it passes over cells of tables, so that a second look at those is worth another call.
    """

    name: str
    misses_cells: bool

    def words(self, picture: np.ndarray, *, dpi: float, seconds: float, block: bool = False) -> list[OcrWord]: ...


@dataclass(frozen=True, slots=True)
class OcrResult:
    """What OCR read. Boxes are in points from the top left of the page after it was turned upright and levelled."""

    text: str  # without the tables
    confidence: float  # 0 to 1, by character
    tables: tuple[Table, ...]
    words: tuple[OcrWord, ...]
    rotation: int = 0  # degrees against the clock by which the page was turned
    skew: float = 0.0  # degrees taken out


def choose_engine(settings: Ocr) -> OcrEngine | None:
    """The engine that config.toml asks for; None where OCR is off, or where "auto" finds none on this machine."""
    if settings.engine == "none":
        return None
    if settings.engine == "rapidocr":
        from ingestion.ocr_rapidocr import RapidOcr

        return RapidOcr()
    if settings.engine == "textract":
        from ingestion.ocr_textract import Textract

        return Textract()
    from ingestion.ocr_tesseract import open_tesseract

    engine = open_tesseract(settings.languages)
    if engine is None and settings.engine == "tesseract":
        raise ConfigError(
            "config.toml, [ocr] engine: there is no Tesseract here. Run `make setup` to install its wheel, "
            'install tesseract-ocr on the machine, or set engine = "none".'
        )
    return engine


def read_page(
    image: Image.Image,
    engine: OcrEngine,
    settings: Ocr,
    *,
    dpi: float | None = None,
    seconds: float = 60.0,
    tables: bool = True,
    upright: bool = False,
) -> OcrResult:
    """Read a page that was rendered at `dpi` (the configured one if not given), whichever way up it lies.

    `seconds` is for the whole page: what is left of them after its text is read goes into a second look at table cells.
    `upright` says that it stands straight, as a picture on a page with text does: then one look shows whether it is text.
    """
    until = time.monotonic() + seconds
    page = prepare(image, dpi=dpi or settings.dpi, level=upright)
    words = engine.words(page.text, dpi=page.dpi, seconds=seconds)
    rotation = 0
    if upright and page_confidence(words) < UPSIDE_DOWN:
        return OcrResult("", page_confidence(words), (), ())
    for other, turn in ((page.turned(2), 180), (page.mirrored(), 0)):
        if page_confidence(words) < UPSIDE_DOWN and time.monotonic() < until:
            again = engine.words(other.text, dpi=page.dpi, seconds=until - time.monotonic())
            if page_confidence(again) > page_confidence(words):
                page, words, rotation = other, again, turn
    if are_sideways(words):  # Tesseract reads text that runs downwards without being told
        words = turned(words, width=page.text.shape[1])
        page = page.turned(1)
        rotation = (rotation + 90) % 360
    words = without_specks(words)
    found, words = read_tables(page, words, engine, until=until) if tables else ([], words)
    words = scaled(words, 72 / page.dpi)
    text, before = page_text(words, [Box(*table.bbox) for table in found])
    return OcrResult(
        text,
        page_confidence(words),
        tuple(replace(table, before=offset) for table, offset in zip(found, before, strict=True)),
        tuple(words),
        rotation,
        page.skew,
    )
