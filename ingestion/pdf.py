"""A PDF in, the words of each page with their boxes out, those nobody can see kept apart.

PDFium is not thread-safe: one process uses it from one thread. Boxes are in points from the top left of the page as a
reader sees it, after /Rotate and within the crop box, unless the text itself runs sideways (`TextLayer.turned`).
"""

import ctypes
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from ingestion.drawings import MOST_OBJECTS, PageFrame, frame_of, image_boxes, objects_of, render, turn_box
from ingestion.layout import RIGHT_TO_LEFT, WORD_GAP_EMS, Box, Word

# PDFium puts U+FFFE for a hyphen at a line's end and joins the halves; here the halves stay two words of two lines.
# A Latin word is cut off from Hebrew or Arabic letters, which run the other way.
WORD = re.compile("[^\\s\ufffe\u0590-\u08ff]+\ufffe?|[^\\s\ufffe]+\ufffe?|\ufffe")
SHORTEST_GLUED = 4  # characters; shorter words are not searched for gaps
SUSPICIOUS_WHITE = 0.9  # fill colours as light as this may be invisible
TINY_POINTS = 1.0
MIRROR_LOOKS = 20  # words of a page whose letters are looked at


@dataclass(frozen=True, slots=True)
class TextLayer:
    """The words of one page in stream order. `aside` are words that run in another direction than most."""

    words: tuple[Word, ...]
    aside: tuple[Word, ...] = ()
    hidden: str = ""
    turned: int = 0  # degrees clockwise by which the text stands turned on the page as seen: 0, 90, 180 or 270
    mirrored: bool = False  # drawn as seen in a mirror; the boxes are those of the page held to the mirror


def open_pdf(path: Path, password: str | None = None) -> pypdfium2.PdfDocument:
    """Raises pypdfium2.PdfiumError; its `err_code` tells a missing password from damage."""
    return pypdfium2.PdfDocument(path, password=password)


def needs_password(error: pypdfium2.PdfiumError) -> bool:
    return getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD


def forbids_copying(document: pypdfium2.PdfDocument) -> bool:
    """Whether the author set the "no copying" mark, which a reader program honours of its own will."""
    return pdfium.FPDF_GetSecurityHandlerRevision(document) >= 0 and not pdfium.FPDF_GetDocPermissions(document) & 0x10


def information(document: pypdfium2.PdfDocument) -> dict[str, str]:
    found = {name: utf16_of(pdfium.FPDF_GetMetaText, document, name.encode() + b"\0") for name in document.METADATA_KEYS}
    return {name: value for name, value in found.items() if value}


def label_of(document: pypdfium2.PdfDocument, index: int) -> str:
    """The page label from the PDF's own numbering, "" where it has none."""
    return utf16_of(pdfium.FPDF_GetPageLabel, document, index)


def utf16_of(call: Callable[..., int], *arguments: Any) -> str:
    """What a call of PDFium writes into a buffer; pypdfium2's own decoding raises at half a surrogate pair."""
    size = call(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size)
    call(*arguments, buffer, size)
    return buffer.raw.decode("utf-16-le", errors="ignore").replace("\0", "").strip()


def fill_in_forms(page: pypdfium2.PdfPage) -> bool:
    """Draws what people typed into form fields and text boxes onto the page, so that it is read like other text."""
    typed = False
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), MOST_OBJECTS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        typed = pdfium.FPDFAnnot_GetSubtype(annotation) in (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if typed:
            break
    return typed and pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS


def turned_copy(document: pypdfium2.PdfDocument, index: int, turned: int) -> bytes:
    """A PDF of that page alone whose text, which stood turned clockwise by so many degrees, is upright."""
    copy = pypdfium2.PdfDocument.new()
    try:
        copy.import_pages(document, [index])
        page = copy[0]
        page.set_rotation((page.get_rotation() - turned) % 360)
        page.close()
        buffer = BytesIO()
        copy.save(buffer)
        return buffer.getvalue()
    finally:
        copy.close()


# Words


@dataclass(slots=True)
class RawWord:
    text: str
    start: int  # index of the first character on PDFium's text page
    box: Box
    direction: int | None  # degrees clockwise in which it runs as seen; None for one character, -1 for askew
    joined: bool
    line_start: bool


def text_layer(page: pypdfium2.PdfPage, whole_words: set[str] | None = None) -> TextLayer:
    """The words of a page; `whole_words` remembers over the pages which words need not be searched for gaps again."""
    frame = frame_of(page)
    text_page = page.get_textpage()
    try:
        shown, hidden = part_hidden(
            list(raw_words(text_page, frame, set() if whole_words is None else whole_words)), page, text_page, frame
        )
        shown = without_duplicates(shown)
        bold = bold_starts(shown, text_page)
        mirrored = is_mirrored(shown, text_page)
    finally:
        text_page.close()
    if mirrored:
        shown = [as_in_a_mirror(word, frame.size[0]) for word in shown]
    turned = main_direction(shown)
    words: list[Word] = []
    aside: list[Word] = []
    for word in shown:
        straight = word.direction in (turned, None)
        box = turn_box(word.box, -turned % 360, *frame.size)
        size = box[3] - box[1] if straight else min(box[3] - box[1], box[2] - box[0])
        (words if straight else aside).append(Word(word.text, *box, size, word.joined, word.start in bold))
    return TextLayer(tuple(words), tuple(aside), " ".join(word.text for word in hidden), turned, mirrored)


def raw_words(text_page: pypdfium2.PdfTextPage, frame: PageFrame, whole_words: set[str]) -> Iterator[RawWord]:
    text = characters_of(text_page)
    rect = pdfium.FS_RECTF()

    def box_at(index: int) -> Box:
        pdfium.FPDFText_GetLooseCharBox(text_page, index, rect)
        return frame.box(rect.left, rect.bottom, rect.right, rect.top)

    end = 0
    for match in WORD.finditer(text):
        start, stop = match.span()
        between = text[end:start]
        line_start = end == 0 or "\n" in between or text[end - 1] == "\ufffe"
        joined = bool(between) and not line_start
        end = stop
        word, box, direction = match.group(), box_at(start), None
        if stop - start > 1:
            last = box_at(stop - 1)
            direction = direction_of(box, last, word)
            box = union(box, last)
            if direction == 0 and stop - start >= SHORTEST_GLUED and word not in whole_words:
                edges = edges_of(text_page, start, stop, sideways=frame.rotation in (90, 270))
                cuts = overlooked_gaps(edges, WORD_GAP_EMS * (box[3] - box[1]))
                if RIGHT_TO_LEFT.match(word):
                    word = with_ligatures_in_order(word, edges)
                elif cuts:
                    for first, end_of_piece in itertools.pairwise((0, *cuts, stop - start)):
                        piece_box = union(box_at(start + first), box_at(start + end_of_piece - 1))
                        piece = word[first:end_of_piece].replace("\ufffe", "-")
                        yield RawWord(piece, start + first, piece_box, direction, joined, line_start)
                        joined, line_start = True, False
                    continue
                elif word.isalpha():
                    whole_words.add(word)
        yield RawWord(word.replace("\ufffe", "-"), start, box, direction, joined, line_start)


def edges_of(text_page: pypdfium2.PdfTextPage, start: int, stop: int, *, sideways: bool) -> list[tuple[float, float]]:
    """Where each character begins and ends along its line, in user space."""
    rect = pdfium.FS_RECTF()
    box_at = pdfium.FPDFText_GetLooseCharBox
    edges = []
    for index in range(start, stop):
        box_at(text_page, index, rect)
        edges.append((rect.bottom, rect.top) if sideways else (rect.left, rect.right))
    return edges


def overlooked_gaps(edges: Sequence[tuple[float, float]], least: float) -> list[int]:
    """Where PDFium overlooked a gap ("thepublic", or "00" of two table cells), unless the whole word is spaced out."""
    gaps = [max(other[0] - one[1], one[0] - other[1]) for one, other in itertools.pairwise(edges)]
    if max(gaps) <= least:
        return []
    widest = max(sorted(gaps)[len(gaps) // 2], 0) + least
    return [position for position, gap in enumerate(gaps, 1) if gap > widest]


def with_ligatures_in_order(word: str, edges: Sequence[tuple[float, float]]) -> str:
    """PDFium gives the two letters of the Arabic ligature lam-alef the wrong way round; they share a box."""
    letters = list(word)
    for position, (one, other) in enumerate(itertools.pairwise(edges)):
        if letters[position] in "اأإآ" and letters[position + 1] == "ل" and abs(one[0] - other[0]) < 0.1:
            letters[position : position + 2] = letters[position + 1], letters[position]
    return "".join(letters)


def union(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def characters_of(text_page: pypdfium2.PdfTextPage) -> str:
    """One character for each of PDFium's character indices."""
    count = text_page.count_chars()
    text = text_page.get_text_range()
    if len(text) == count:
        return text
    return "".join(chr(pdfium.FPDFText_GetUnicode(text_page, index) or 0xFFFD) for index in range(count))


def direction_of(first: Box, last: Box, text: str) -> int | None:
    """Which way the line runs, from the middle of the word's first character to that of its last."""
    across = (last[0] + last[2] - first[0] - first[2]) / 2
    down = (last[1] + last[3] - first[1] - first[3]) / 2
    if across == down == 0:
        return None
    if len(text) > 3 and 0.3 * abs(across) < abs(down) < 3 * abs(across):
        return -1
    if abs(across) >= abs(down):
        return 0 if across > 0 or RIGHT_TO_LEFT.match(text) else 180
    return 90 if down > 0 else 270


def main_direction(words: Sequence[RawWord]) -> int:
    counted: Counter[int] = Counter()
    for word in words:
        if word.direction is not None and word.direction >= 0:
            counted[word.direction] += len(word.text)
    return counted.most_common(1)[0][0] if counted else 0


def is_mirrored(words: Sequence[RawWord], text_page: pypdfium2.PdfTextPage) -> bool:
    """Whether most words are drawn as seen in a mirror, judged by some of them."""
    matrix = pdfium.FS_MATRIX()
    looked_at = words[:: max(1, len(words) // MIRROR_LOOKS)]
    mirrored = 0
    for word in looked_at:
        if pdfium.FPDFText_GetMatrix(text_page, word.start, matrix):
            mirrored += matrix.a * matrix.d < matrix.b * matrix.c
    return 2 * mirrored > len(looked_at)


def as_in_a_mirror(word: RawWord, width: float) -> RawWord:
    x0, top, x1, bottom = word.box
    direction = 180 - word.direction if word.direction in (0, 180) else word.direction
    return replace(word, box=(width - x1, top, width - x0, bottom), direction=direction)


def without_duplicates(words: Sequence[RawWord]) -> list[RawWord]:
    """Drops words drawn twice in nearly the same place to look bold or to cast a shadow."""
    seen: dict[str, list[tuple[float, float]]] = defaultdict(list)
    kept = []
    for word in words:
        x0, top, x1, bottom = word.box
        near = min(0.4 * (bottom - top), 0.5 * (x1 - x0))
        places = seen[word.text]
        if not (places and any(abs(x - x0) < near and abs(y - top) < near for x, y in places)):
            kept.append(word)
            places.append((x0, top))
    return kept


def bold_starts(words: Sequence[RawWord], text_page: pypdfium2.PdfTextPage) -> set[int]:
    """Start of the bold words among the first and last of each line: two looks a line are cheap and enough for headings."""
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    bold = set()
    for position, word in enumerate(words):
        if word.line_start or position + 1 == len(words) or words[position + 1].line_start:
            pdfium.FPDFText_GetFontInfo(text_page, word.start, name, len(name), flags)
            if re.search(b"bold|black|heavy", name.value.lower()):
                bold.add(word.start)
    return bold


# Hidden text


def part_hidden(
    words: Sequence[RawWord], page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, frame: PageFrame
) -> tuple[list[RawWord], list[RawWord]]:
    """The words as (seen, hidden): off the page, tiny, invisible with no scan under it, or as white as what lies under it."""
    width, height = frame.size
    shown, hidden = [], []
    invisible, white = set(), set()
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    for word in words:
        x0, top, x1, bottom = word.box
        middle_x, middle_y = (x0 + x1) / 2, (top + bottom) / 2
        if not (0 <= middle_x <= width and 0 <= middle_y <= height) or min(x1 - x0, bottom - top) < TINY_POINTS:
            hidden.append(word)
            continue
        shown.append(word)
        if pdfium.FPDFText_GetFillColor(text_page, word.start, red, green, blue, alpha):
            if alpha.value < 26 or drawn_invisibly(text_page, word.start):
                invisible.add(word.start)
            elif min(red.value, green.value, blue.value) >= 255 * SUSPICIOUS_WHITE:
                white.add(word.start)
    if invisible:
        scans = image_boxes(page)
        invisible = {word.start for word in shown if word.start in invisible and not covered(word.box, scans)}
    if white:
        kinds = (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_SHADING)
        painted = [box for _, box in objects_of(page, *kinds)]
        possible = [word for word in shown if word.start in white and covered(word.box, painted)]
        if possible:
            picture = render(page, dots_per_inch=72).convert("L")
            white -= {word.start for word in possible if stands_on_dark(word.box, picture, width)}
    unseen = invisible | white
    hidden += [word for word in shown if word.start in unseen]
    return [word for word in shown if word.start not in unseen], hidden


def drawn_invisibly(text_page: pypdfium2.PdfTextPage, index: int) -> bool:
    text_object = pdfium.FPDFText_GetTextObject(text_page, index)
    mode = pdfium.FPDFTextObj_GetTextRenderMode(text_object) if text_object else None
    return mode in (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)


def covered(box: Box, areas: Sequence[Box]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(x0 <= x <= x1 and top <= y <= bottom for x0, top, x1, bottom in areas)


def stands_on_dark(box: Box, picture: Image.Image, width: float) -> bool:
    """Whether the most frequent grey under a white word is dark enough to read it."""
    scale = picture.width / width
    area = [math.floor(box[0] * scale), math.floor(box[1] * scale), math.ceil(box[2] * scale), math.ceil(box[3] * scale)]
    counts = picture.crop((max(0, area[0]), max(0, area[1]), area[2], area[3])).histogram()
    return counts.index(max(counts)) < 220
