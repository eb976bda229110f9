"""One page of a PDF or one frame of an image file in, a RawPage out; runs in the child process (worker.py)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

from PIL import Image, ImageOps

from ingestion import drawings, outcomes, pdf
from ingestion.layout import Box, Line, Word, lines_in_reading_order
from ingestion.legibility import unusable_because
from ingestion.raw_page import RawPage
from ingestion.table_join import BOTTOM
from rag.config import Ocr, Reading, Tables
from rag.domain import Table

IMAGE_FILES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
SCAN_SHARE = 0.5  # a page covered by one image to this part and with little text is a scan with a stamp on it
LITTLE_TEXT = 200  # characters
PICTURE_SHARE = (0.03, 0.9)  # of the page: a picture of this size with no text on it may be a pasted table
MOST_PICTURES = 4  # read on one page
FLAT_SHARE = 0.5  # of the pixels of a table or chart have one of a few brightnesses; a photograph has all of them
PICTURE_CONFIDENCE = 0.7  # text that OCR sees in a photograph is mostly imagined
FAINTEST_PRINT = 12  # of 256 brightnesses that print differs from its ground by
TABULAR_LINES = 4  # as many lines with three cells or more may be a table without drawn lines


class Source(Protocol):
    """An open document of any kind: its pages are read by number, from 1."""

    pages: int
    information: dict[str, str]
    notice: str  # something the admin should know although the file could be read

    def read(self, number: int, *, tables: bool, before_tables: Callable[[], None]) -> RawPage: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """The tables of config.toml that reading a page needs."""

    reading: Reading
    tables: Tables
    ocr: Ocr


class PageReader:
    """Reads pictures by OCR, opening the engine when the first page needs it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def engine(self) -> Any:
        """None where there is no engine. OCR's libraries take a second to load, so they wait until they are needed."""
        if self.settings.ocr.engine == "none":
            return None
        if not hasattr(self, "opened"):
            from ingestion.ocr import choose_engine

            self.opened = choose_engine(self.settings.ocr)
        return self.opened

    def read(self, number: int, picture: Image.Image, why: str, **place: Any) -> RawPage:
        """The page by OCR; `why` says what is wrong with its text layer."""
        if is_blank(picture):
            return RawPage(number, "empty", "nothing is printed on it", **place)
        engine = self.engine()
        if engine is None:
            return RawPage(number, "failed", f"{why}, and there is no OCR engine", **place)
        from ingestion.ocr import read_page

        settings = self.settings
        result = read_page(
            picture, engine, settings.ocr, seconds=0.8 * settings.reading.page_seconds, tables=settings.tables.enabled
        )
        if not result.text.strip() and not result.tables:
            return RawPage(number, "empty", f"{why}, and OCR found no text in its picture", **place)
        doubt = "" if result.confidence >= settings.ocr.min_confidence else "; OCR is not sure of what it read"
        return RawPage(
            number, "ocr", why + doubt, text=result.text, confidence=result.confidence, tables=result.tables, **place
        )

    def read_picture(self, picture: Image.Image, place: Box) -> tuple[list[Word], list[Table]]:
        """The words and tables of a picture that lies on a page with text, where they stand on the page."""
        settings = self.settings
        engine = self.engine()
        if engine is None or not has_flat_ground(picture):
            return [], []
        from ingestion.ocr import read_page

        seconds = 0.3 * settings.reading.page_seconds
        result = read_page(picture, engine, settings.ocr, seconds=seconds, tables=settings.tables.enabled, upright=True)
        if result.confidence < PICTURE_CONFIDENCE or len(result.words) < 3 or result.rotation:
            return [], []
        left, top = place[:2]
        words = [
            Word(
                word.text, left + box.x0, top + box.top, left + box.x1, top + box.bottom, box.height, joined=True, pictured=True
            )
            for word in result.words
            for box in (word.box,)
        ]
        tables = [
            replace(table, bbox=(left + x0, top + y0, left + x1, top + y1))
            for table in result.tables
            for x0, y0, x1, y1 in (table.bbox,)
        ]
        return words, tables


def has_flat_ground(picture: Image.Image) -> bool:
    """Whether few brightnesses make up much of the picture, as in a table or chart, but it is not blank."""
    small = picture.convert("L")
    small.thumbnail((300, 300))
    counts = small.histogram()
    shares = [sum(counts[grey : grey + 4]) / sum(counts) for grey in range(0, 256, 4)]
    return sum(share for share in shares if share >= 0.05) >= FLAT_SHARE and max(shares) < 0.995


def is_blank(picture: Image.Image) -> bool:
    """Whether the picture has nearly the same brightness everywhere; in a much smaller copy pale print would vanish."""
    grey = picture.convert("L")
    counts = (grey.reduce(3) if min(grey.size) > 600 else grey).histogram()
    used = [brightness for brightness, count in enumerate(counts) if count]
    return used[-1] - used[0] < FAINTEST_PRINT


class PdfSource:
    """A PDF, read page by page; raises what open_pdf raises."""

    def __init__(self, path: Path, password: str | None, reader: PageReader) -> None:
        self.path, self.password, self.reader = path, password, reader
        self.document = pdf.open_pdf(path, password)
        self.pages = len(self.document)
        self.information = pdf.information(self.document)
        restricted = password is None and pdf.forbids_copying(self.document)
        self.notice = "Its author set the mark that forbids copying; its text can be read and was read." if restricted else ""
        self.plumber: Any = None
        self.whole_words: set[str] = set()
        self.open_table: tuple[int, Table] | None = None  # the page and the table at its foot, which may go on

    def close(self) -> None:
        if self.plumber is not None:
            self.plumber.close()
        self.document.close()

    def read(self, number: int, *, tables: bool, before_tables: Callable[[], None]) -> RawPage:
        page = self.document[number - 1]
        try:
            if pdf.fill_in_forms(page):
                page.close()
                page = self.document[number - 1]
            return self.read_open_page(page, number, tables, before_tables)
        finally:
            page.close()

    def read_open_page(self, page: Any, number: int, tables: bool, before_tables: Callable[[], None]) -> RawPage:
        layer = pdf.text_layer(page, self.whole_words)
        width, height = drawings.frame_of(page).size
        place: dict[str, Any] = {"label": pdf.label_of(self.document, number - 1), "width": width, "height": height}
        text = " ".join(word.text for word in layer.words)
        why = unusable_because(text)
        if not why and len(text) < LITTLE_TEXT and not layer.aside:
            share = drawings.image_share(page)
            if not text:
                why = "it has no text layer"
            elif share >= SCAN_SHARE:
                why = "most of it is a picture"
        if why:
            picture = drawings.render(page, dots_per_inch=self.reader.settings.ocr.dpi)
            read = self.reader.read(number, picture, why, hidden=layer.hidden, **place)
            if read.outcome == "empty" and not layer.hidden and drawings.draws_nothing(page) and self.is_destroyed(number):
                return RawPage(number, "failed", outcomes.DESTROYED, **place)
            if not text or unusable_because(text) or (read.outcome == "ocr" and len(read.text) > 1.5 * len(text)):
                return read
        if layer.turned in (90, 270):
            place |= {"width": height, "height": width}
        found: list[Table] = []
        trouble = "" if tables else "its tables were not looked for, because that took too long or needed too much memory"
        goes_on = self.open_table[1] if self.open_table and self.open_table[0] == number - 1 else None
        self.open_table = None
        if tables and not layer.mirrored and (goes_on or self.may_hold_tables(page, layer.words)):
            before_tables()
            try:
                found = self.tables_on(number, goes_on) if not layer.turned else self.tables_sideways(number, layer.turned)
            except Exception as error:  # pdfplumber fails on files that PDFium reads; the text is there all the same
                trouble = f"its tables could not be read ({type(error).__name__})"
        words = list(layer.words)
        pictured = 0
        for picture, box in self.pictures_on(page, layer) if not (layer.turned or layer.mirrored) else ():
            seen, drawn = self.reader.read_picture(picture, box)
            pictured += bool(seen or drawn)
            words += seen
            found += drawn
        if pictured:
            trouble = "; ".join(filter(None, (trouble, f"{pictured} of its pictures were read by OCR")))
        found.sort(key=lambda table: (table.bbox[1], table.bbox[0]))
        if found and not layer.turned and found[-1].bbox[3] > BOTTOM * height:
            self.open_table = number, found[-1]
        lines = arrange(words, layer.aside, found)
        return RawPage(number, "text", trouble, lines=tuple(lines), hidden=layer.hidden, tables=tuple(found), **place)

    def pictures_on(self, page: Any, layer: pdf.TextLayer) -> Iterator[tuple[Image.Image, Box]]:
        """Pictures large enough to hold text of their own, with no text layer over them."""
        frame = drawings.frame_of(page)
        width, height = frame.size
        boxes = [clipped(box, width, height) for box in drawings.image_boxes(page)]
        smallest, largest = (share * width * height for share in PICTURE_SHARE)
        fitting = [box for box in dict.fromkeys(boxes) if smallest <= (box[2] - box[0]) * (box[3] - box[1]) <= largest]
        fitting = [box for box in fitting if not any(lies_in(word, box) for word in (*layer.words, *layer.aside))]
        if fitting and self.reader.engine() is not None:
            picture = drawings.render(page, dots_per_inch=self.reader.settings.ocr.dpi)
            scale = picture.width / width
            for box in fitting[:MOST_PICTURES]:
                x0, top, x1, bottom = (round(edge * scale) for edge in box)
                yield picture.crop((x0, top, x1, bottom)), box

    def may_hold_tables(self, page: Any, words: Sequence[Word]) -> bool:
        """A cheap look, since finding tables takes some fifty times as long as reading the text."""
        if not self.reader.settings.tables.enabled:
            return False
        return sum(line.cells >= 3 for line in lines_in_reading_order(words)) >= TABULAR_LINES or drawings.has_grid(page)

    def tables_on(self, number: int, goes_on: Table | None) -> list[Table]:
        from ingestion.tables import find_tables

        settings = self.reader.settings.tables
        with closing(self.plumber_page(number)) as page:
            return find_tables(
                self.path,
                number,
                page,
                min_rows=settings.min_rows,
                min_columns=settings.min_columns,
                goes_on=goes_on,
            )

    def tables_sideways(self, number: int, turned: int) -> list[Table]:
        """The tables of a page whose text runs sideways, read from a copy of the page that was turned upright."""
        import pdfplumber

        from ingestion.tables import find_tables

        settings = self.reader.settings.tables
        upright = BytesIO(pdf.turned_copy(self.document, number - 1, turned))
        with pdfplumber.open(upright) as copy:
            return find_tables(upright, 1, copy.pages[0], min_rows=settings.min_rows, min_columns=settings.min_columns)

    def is_destroyed(self, number: int) -> bool:
        """Whether the page is blank only because its content is damaged; a file that pdfplumber can't open says nothing."""
        from ingestion.content_stream import is_destroyed

        try:
            with closing(self.plumber_page(number)) as page:
                return is_destroyed(page)
        except Exception:  # whatever it raises on a damaged file, PDFium has read the file and the page stays "empty"
            return False

    def plumber_page(self, number: int) -> Any:
        import pdfplumber

        if self.plumber is None:
            self.plumber = pdfplumber.open(self.path, password=self.password)
        return self.plumber.pages[number - 1]


def arrange(words: Sequence[Word], aside: Sequence[Word], tables: Sequence[Table]) -> list[Line]:
    """Lines in reading order without the words of tables; a line stands for each table, text running sideways comes last."""
    boxes = [table.bbox for table in tables]
    body = [word for word in words if not any(lies_in(word, box) for box in boxes)]
    lines = lines_in_reading_order(body, boxes)
    last = max((line.block for line in lines), default=0)
    if aside:
        text = " ".join(word.text for word in aside if not any(lies_in(word, box) for box in boxes))
        x0, top = min(word.x0 for word in aside), min(word.top for word in aside)
        x1, bottom = max(word.x1 for word in aside), max(word.bottom for word in aside)
        lines.append(Line(text, x0, top, x1, bottom, aside[0].size, last + 1, aside=True))
    return lines


def clipped(box: Box, width: float, height: float) -> Box:
    return max(0.0, box[0]), max(0.0, box[1]), min(width, box[2]), min(height, box[3])


def lies_in(word: Word, box: Box) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1


class ImageSource:
    """An image file; each frame of a TIFF is a page."""

    def __init__(self, path: Path, reader: PageReader) -> None:
        self.reader = reader
        self.information: dict[str, str] = {}
        self.notice = ""
        self.image = Image.open(path)
        self.pages = getattr(self.image, "n_frames", 1)

    def close(self) -> None:
        self.image.close()

    def read(self, number: int, *, tables: bool, before_tables: Callable[[], None]) -> RawPage:
        self.image.seek(number - 1)
        width, height = self.image.size
        dots = float(self.image.info.get("dpi", (0, 0))[0])  # a TIFF gives fractions
        scale = 72 / dots if dots > 50 else 1.0
        picture = ImageOps.exif_transpose(self.image.copy())
        return self.reader.read(number, picture, "it is a picture", width=width * scale, height=height * scale)
