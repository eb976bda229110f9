"""A page of a PDF in; its frame, the boxes of what it draws besides text, and its picture out."""

import ctypes
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from ingestion.layout import Box

LARGEST_PICTURE = 40_000_000  # pixels; a page is rendered smaller rather than above this
MOST_OBJECTS = 20_000  # page objects looked at; drawings may hold millions


@dataclass(frozen=True, slots=True)
class PageFrame:
    """From PDF user space to points from the top left of the page as seen."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @property
    def size(self) -> tuple[float, float]:
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.rotation in (90, 270) else (width, height)

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        upright = (left - self.left, self.top - top, right - self.left, self.top - bottom)
        if self.rotation == 0:
            return upright
        return turn_box(upright, self.rotation, self.right - self.left, self.top - self.bottom)


def turn_box(box: Box, degrees: int, width: float, height: float) -> Box:
    """The box after the page of that width and height was turned clockwise."""
    x0, top, x1, bottom = box
    if degrees == 90:
        return height - bottom, x0, height - top, x1
    if degrees == 180:
        return width - x1, height - bottom, width - x0, height - top
    if degrees == 270:
        return top, width - x1, bottom, width - x0
    return box


def frame_of(page: pypdfium2.PdfPage) -> PageFrame:
    left, bottom, right, top = page.get_bbox()
    return PageFrame(left, bottom, right, top, page.get_rotation())


def objects_of(page: pypdfium2.PdfPage, *kinds: int) -> Iterator[tuple[Any, Box]]:
    """The page's objects of those kinds with their boxes, up to MOST_OBJECTS; one inside a form counts as large as the form.

    pypdfium2's own `get_objects` makes a Python object of every letter run, which takes longer than reading the text.
    """
    frame = frame_of(page)
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))

    def box_of(item: Any) -> Box:
        pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top)
        return frame.box(left.value, bottom.value, right.value, top.value)

    seen = 0
    for index in range(pdfium.FPDFPage_CountObjects(page)):
        outer = pdfium.FPDFPage_GetObject(page, index)
        waiting = [(outer, 0)]
        while waiting:
            item, depth = waiting.pop()
            seen += 1
            if seen > MOST_OBJECTS:
                return
            kind = pdfium.FPDFPageObj_GetType(item)
            if kind in kinds:
                yield item, box_of(outer)
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < 4:
                count = min(pdfium.FPDFFormObj_CountObjects(item), MOST_OBJECTS)
                waiting += [(pdfium.FPDFFormObj_GetObject(item, inner), depth + 1) for inner in range(count)]


def draws_nothing(page: pypdfium2.PdfPage) -> bool:
    return pdfium.FPDFPage_CountObjects(page) == 0


def image_boxes(page: pypdfium2.PdfPage) -> list[Box]:
    return [box for _, box in objects_of(page, pdfium.FPDF_PAGEOBJ_IMAGE)]


def image_share(page: pypdfium2.PdfPage) -> float:
    """The part of the page, 0 to 1, that its largest image covers."""
    width, height = frame_of(page).size
    shares = [0.0]
    for x0, top, x1, bottom in image_boxes(page):
        shares.append(max(0, min(x1, width) - max(x0, 0)) * max(0, min(bottom, height) - max(top, 0)) / (width * height))
    return min(1.0, max(shares))


def has_grid(page: pypdfium2.PdfPage) -> bool:
    """Whether the page draws three lines or box edges across and three down, or one down through three rules of one width.

    Shapes as wide as the page are decoration.
    """
    width = frame_of(page).size[0]
    across: set[float] = set()
    down: set[float] = set()
    rules: dict[tuple[float, float], set[float]] = {}
    strokes: list[Box] = []
    for item, (x0, top, x1, bottom) in objects_of(page, pdfium.FPDF_PAGEOBJ_PATH):
        if x1 - x0 > 0.95 * width:
            continue
        if x1 - x0 > 15:
            across |= {top // 3} if bottom - top < 3 else {top // 3, bottom // 3}
            if bottom - top < 3:
                rules.setdefault((x0 // 3, x1 // 3), set()).add(top)
        if bottom - top > 6:
            down |= {x0 // 3} if x1 - x0 < 3 else {x0 // 3, x1 // 3}
            if x1 - x0 < 3:
                strokes.append((x0, top, x1, bottom))
        if min(x1 - x0, bottom - top) > 15 and has_inner_lines(item):
            return True
        if len(across) >= 3 and len(down) >= 3:
            return True
    return any(
        left * 3 < x0 < right * 3 and sum(top - 3 <= rule <= bottom + 3 for rule in tops) >= 3
        for (left, right), tops in rules.items()
        for x0, top, _, bottom in strokes
    )


def has_inner_lines(path: Any) -> bool:
    """Whether one path draws a whole grid: three straight lines across and three down."""
    count = pdfium.FPDFPath_CountSegments(path)
    if not 12 <= count <= 2000:
        return False
    x, y = ctypes.c_float(), ctypes.c_float()
    points = []
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        points.append((pdfium.FPDFPathSegment_GetType(segment), round(x.value, 1), round(y.value, 1)))
    drawn = [(one, other) for one, other in itertools.pairwise(points) if other[0] == pdfium.FPDF_SEGMENT_LINETO]
    across = {one[2] for one, other in drawn if one[2] == other[2]}
    down = {one[1] for one, other in drawn if one[1] == other[1]}
    return len(across) >= 3 and len(down) >= 3


def render(page: pypdfium2.PdfPage, *, dots_per_inch: int) -> Image.Image:
    """The page as a picture, at a lower resolution where it would be larger than LARGEST_PICTURE."""
    width, height = page.get_size()
    scale = dots_per_inch / 72
    scale = min(scale, math.sqrt(LARGEST_PICTURE / max(1.0, width * height)))
    return page.render(scale=scale).to_pil()
