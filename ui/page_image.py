"""A PDF page and a passage in; a JPEG of the page with the passage marked as with a highlighter pen out.

The passage is found in PDFium's own text and drawn at PDFium's own rectangles, so text and picture share one
coordinate system: the marks stay right on rotated and on cropped pages.
"""

import io
import os
import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image, ImageChops, ImageDraw

from rag.errors import ReadingError

PDFIUM_LOCK = threading.Lock()  # PDFium is not thread-safe: used at once it may return empty text instead of crashing
SCALE = 2.0
MAX_WIDTH = 1400  # Streamlit passes a picture on unchanged up to 1460 pixels, and re-encodes it on every rerun above that
MAX_HEIGHT = 2400
PASSAGE_COLOUR = (255, 240, 130)
FIGURE_COLOUR = (255, 190, 70)
MIN_BLOCK = 12  # letters in a row that must agree before a piece of a reordered passage is marked
MIN_COVERAGE = 0.4  # of the passage's letters; below, marking stray pieces would mislead more than marking nothing

Span = tuple[int, int]  # first and last character of the page text, both included


@dataclass(frozen=True, slots=True)
class PageImage:
    jpeg: bytes
    width: int
    height: int
    pages: int  # of the document
    passage_marks: int  # rectangles drawn; 0 when the passage has no text on this page (a scan) or isn't there
    figure_marks: int


@lru_cache(maxsize=64)
def page_image(path: Path, sha256: str, number: int, quote: str = "", figures: tuple[str, ...] = ()) -> PageImage:
    """Page `number` of the PDF at `path` with `quote` marked, and `figures` inside it marked more strongly.

    `sha256` is what makes the cache notice that the file at `path` was replaced. Raises ReadingError.
    """
    with PDFIUM_LOCK:
        document = open_document(path)
        try:
            if not 1 <= number <= len(document):
                raise ReadingError(f"{path.name} has {len(document)} pages, so there is no page {number}.")
            page = document[number - 1]
            passage, strong = marked_rectangles(page, quote, figures)
            width, height = page.get_size()
            scale = min(SCALE, MAX_WIDTH / max(width, 1), MAX_HEIGHT / max(height, 1))
            bitmap = page.render(scale=scale)
            to_pixels = bitmap.get_posconv(page).to_bitmap
            picture = bitmap.to_pil().convert("RGB")
            passage_boxes = [pixel_box(to_pixels, rectangle) for rectangle in passage]
            figure_boxes = [pixel_box(to_pixels, rectangle) for rectangle in strong]
            pages = len(document)
            page.close()
        except pdfium.PdfiumError as error:
            raise ReadingError(f"Page {number} of {path.name} can't be drawn ({error}).", "Open the PDF instead.") from error
        finally:
            document.close()
    picture = highlight(picture, passage_boxes, figure_boxes)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=88)
    return PageImage(buffer.getvalue(), picture.width, picture.height, pages, len(passage_boxes), len(figure_boxes))


def open_document(path: Path) -> pdfium.PdfDocument:
    if not path.is_file():
        raise ReadingError(f"{path.name} is no longer in the documents folder.", "Ask again: the index will have followed.")
    passwords = [word for word in os.environ.get("PDF_PASSWORDS", "").split(",") if word]
    for password in [None, *passwords]:
        try:
            return pdfium.PdfDocument(path, password=password)
        except pdfium.PdfiumError as error:
            problem = error
    raise ReadingError(
        f"{path.name} can't be opened ({problem}).", "Check the file, and PDF_PASSWORDS in .env if it is locked."
    )


def marked_rectangles(page: pdfium.PdfPage, quote: str, figures: tuple[str, ...]) -> tuple[list, list]:
    """The passage's and the figures' rectangles in page coordinates (left, bottom, right, top)."""
    text_page = page.get_textpage()
    # Character by character, because the text of a whole range leaves out some characters and the indices would shift.
    text = "".join(map(chr, (pdfium.raw.FPDFText_GetUnicode(text_page, i) for i in range(text_page.count_chars()))))
    spans = passage_spans(text, quote)
    passage = [rectangle for span in spans for rectangle in rectangles(text_page, span)]
    strong = [rectangle for span in figure_spans(text, spans, figures) for rectangle in rectangles(text_page, span)]
    text_page.close()
    return passage, strong


def rectangles(text_page: pdfium.PdfTextPage, span: Span) -> list[tuple[float, float, float, float]]:
    return [text_page.get_rect(i) for i in range(text_page.count_rects(span[0], span[1] - span[0] + 1))]


def fold(text: str) -> tuple[str, list[int]]:
    """Lower-case letters and digits of `text` alone, and for each the index in `text` it came from."""
    folded, origin = [], []
    for index, character in enumerate(text):
        for part in unicodedata.normalize("NFKD", character).lower():
            if part.isalnum():
                folded.append(part)
                origin.append(index)
    return "".join(folded), origin


def passage_spans(text: str, quote: str) -> list[Span]:
    """Where `quote` stands in `text`: in one piece, else the pieces of it that stand there in any order.

    Pieces are needed where the PDF holds the text in another order than it is read: table rows, two columns, rotated pages.
    """
    page_letters, origin = fold(text)
    quote_letters, _ = fold(quote)
    if not quote_letters:
        return []
    found = page_letters.find(quote_letters)
    if found >= 0:
        return [(origin[found], origin[found + len(quote_letters) - 1])]
    page_words, quote_words = folded_words(text), folded_words(quote)
    pieces: list[Span] = []
    covered = done = 0
    while done < len(quote_words):
        start, size = longest_run(page_words, quote_words[done:])
        letters = sum(len(word) for word, _ in quote_words[done : done + size])
        if letters >= MIN_BLOCK:
            pieces.append((page_words[start][1][0], page_words[start + size - 1][1][1]))
            covered += letters
        done += size if letters >= MIN_BLOCK else 1
    return pieces if covered >= MIN_COVERAGE * len(quote_letters) else []


def longest_run(page_words: list[tuple[str, Span]], wanted: list[tuple[str, Span]]) -> Span:
    """Where on the page the longest run of words stands that begins `wanted`, and how many words it has."""
    best = (0, 0)
    for start, (word, _) in enumerate(page_words):
        if word == wanted[0][0]:
            size = 1
            while size < min(len(wanted), len(page_words) - start) and page_words[start + size][0] == wanted[size][0]:
                size += 1
            best = max(best, (start, size), key=lambda run: run[1])
    return best


def folded_words(text: str) -> list[tuple[str, Span]]:
    words, start = [], 0
    for end in range(len(text) + 1):
        if end == len(text) or text[end].isspace() or text[end] == "|":
            if letters := fold(text[start:end])[0]:
                words.append((letters, (start, end - 1)))
            start = end + 1
    return words


def figure_spans(text: str, spans: list[Span], figures: tuple[str, ...]) -> list[Span]:
    """Where the figures stand inside the passage; "5" is not found inside "50" nor "75,000" inside "75,000.01"."""
    found = []
    letters, origin = fold(text)
    for figure in figures:
        wanted = fold(figure)[0]
        at = letters.find(wanted) if wanted else -1
        while at >= 0:
            first, last = origin[at], origin[at + len(wanted) - 1]
            inside = any(start <= first and last <= end for start, end in spans)
            goes_on = re.match(r"\w|[.,]\d", text[last + 1 : last + 3]) or re.search(
                r"\w$|\d[.,]$", text[max(first - 2, 0) : first]
            )
            if inside and not goes_on:
                found.append((first, last))
            at = letters.find(wanted, at + 1)
    return found


def pixel_box(to_pixels, rectangle: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    left, bottom, right, top = rectangle
    (x0, y0), (x1, y1) = to_pixels(left, top), to_pixels(right, bottom)
    return min(x0, x1) - 3, min(y0, y1) - 2, max(x0, x1) + 3, max(y0, y1) + 2


def highlight(picture: Image.Image, passage_boxes: list, figure_boxes: list) -> Image.Image:
    """Multiplied like a marker pen: the paper takes the colour, the print stays black."""
    if not passage_boxes:
        return picture
    marker = Image.new("RGB", picture.size, "white")
    pen = ImageDraw.Draw(marker)
    for box in passage_boxes:
        pen.rectangle(box, fill=PASSAGE_COLOUR)
    for box in figure_boxes:
        pen.rectangle(box, fill=FIGURE_COLOUR)
    return ImageChops.multiply(picture, marker)
