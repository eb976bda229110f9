"""A picture of a page in; the same page grey, of bounded size, with full contrast and its lines level out."""

from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np
from PIL import Image

from rag.errors import ReadingError

MAX_PIXELS = 40_000_000  # read by OCR: A3 at 400 dpi; larger pictures are scaled down
MAX_SOURCE_PIXELS = 180_000_000  # decoded at all; more would need gigabytes before it can be scaled down
RULE_ACROSS, RULE_DOWN = 0.8, 0.35  # inches; the shortest lines that are rules of a table and no strokes of letters
FEWEST_CROSSINGS = 4  # of rules where there may be a table
MAX_SKEW = 5.0  # degrees
SKEW_PIXELS = 900  # longer side of the picture on which the skew is measured
DARKEST_GROUND = 40  # grey level; what lies on a darker ground is white on black, which Tesseract reads as it is
PALE_SHARE = 0.3  # percent of a page that its print covers at least
PALE = 150  # grey level; print that is nowhere darker is pale
FAINTEST = 8  # grey levels by which print differs from its ground at least
SMALLEST_SKEW = 0.15  # degrees; less does not hurt and turning blurs


@dataclass(frozen=True, slots=True)
class Scan:
    """A grey picture of a page made ready to be read: `picture` as it was drawn, `text` without its rules."""

    picture: np.ndarray
    text: np.ndarray
    dpi: float  # after it was scaled down
    skew: float  # degrees that were taken out
    has_rules: bool  # enough rules for a table

    def turned(self, quarters: int) -> "Scan":
        """Turned against the clock."""
        turn = partial(np.rot90, k=quarters)
        return replace(self, picture=np.ascontiguousarray(turn(self.picture)), text=np.ascontiguousarray(turn(self.text)))

    def mirrored(self) -> "Scan":
        return replace(self, picture=np.ascontiguousarray(self.picture[:, ::-1]), text=np.ascontiguousarray(self.text[:, ::-1]))


def prepare(image: Image.Image, *, dpi: float, level: bool = False) -> Scan:
    """`level` says that its lines are level already."""
    grey, factor = shrink(image)
    picture = darken(whiten(np.asarray(grey)))
    angle = 0.0 if level else skew(picture)
    if angle:
        picture = rotate(picture, angle, ground=255)
    across, down = drawn_rules(picture, dpi=dpi * factor)
    return Scan(picture, without_rules(picture, across, down), dpi * factor, angle, crossings(across, down) >= FEWEST_CROSSINGS)


def whiten(picture: np.ndarray) -> np.ndarray:
    """The picture divided by its ground, so that shaded cells, stains and shadows turn white and the text stays.

    The ground is the brightest grey nearby, smoothed. Tesseract passes over text on dark grey otherwise.
    """
    height, width = picture.shape
    small = cv2.resize(picture, (max(width // 4, 1), max(height // 4, 1)), interpolation=cv2.INTER_AREA)
    ground = cv2.medianBlur(cv2.dilate(small, np.ones((7, 7), np.uint8)), 21)
    ground = np.maximum(cv2.resize(ground, (width, height), interpolation=cv2.INTER_LINEAR), DARKEST_GROUND)
    return cv2.divide(picture, ground, scale=255)


def darken(picture: np.ndarray) -> np.ndarray:
    """Pale print on a white ground made black; the noise of the ground, which would turn grey with it, stays white."""
    smooth = cv2.GaussianBlur(picture, (0, 0), 1.0)
    ground, ink = (float(level) for level in np.percentile(smooth[::3, ::3], (50, PALE_SHARE)))
    if ink < PALE or ground - ink < FAINTEST:
        return picture
    white = ink + (ground - ink) * 0.7
    return np.clip((smooth.astype(np.float32) - ink) * (255 / (white - ink)), 0, 255).astype(np.uint8)


def bounded_scale(width: float, height: float, dpi: float) -> float:
    """Pixels a point at which to render a page of this size in points: `dpi`, or less where that is too many pixels."""
    wanted = dpi / 72
    return min(wanted, (MAX_PIXELS / max(width * height, 1.0)) ** 0.5)


def shrink(image: Image.Image) -> tuple[Image.Image, float]:
    """The picture in grey with at most MAX_PIXELS; a JPEG is decoded at the smaller size right away."""
    width, height = image.size
    factor = min(1.0, (MAX_PIXELS / (width * height)) ** 0.5)
    size = (max(round(width * factor), 1), max(round(height * factor), 1))
    if factor < 1:
        image.draft("L", size)
        if image.width * image.height > MAX_SOURCE_PIXELS:
            raise ReadingError(
                f"The picture has {width} x {height} pixels, more than can be read.",
                f"Save it with at most {MAX_SOURCE_PIXELS // 1_000_000} million pixels.",
            )
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        ground = Image.new("RGBA", image.size, "white")
        ground.alpha_composite(image.convert("RGBA"))
        image = ground
    grey = image.convert("L")
    if grey.size != size:
        grey = grey.resize(size, Image.Resampling.BOX, reducing_gap=2.0)
    return grey, factor


def drawn_rules(picture: np.ndarray, *, dpi: float) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the horizontal and the vertical rules: ink in a straight line longer than any letter is."""
    ink = cv2.threshold(picture, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)[1]
    across = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, int(RULE_ACROSS * dpi)), np.uint8))
    down = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((int(RULE_DOWN * dpi), 1), np.uint8))
    return across, down


def without_rules(picture: np.ndarray, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Tesseract loses whole columns of a ruled page: without the lines the sure words of one rose from 449 to 621."""
    cleaned = picture.copy()
    cleaned[cv2.dilate(across | down, np.ones((5, 5), np.uint8)) > 0] = 255
    return cleaned


def crossings(across: np.ndarray, down: np.ndarray) -> int:
    """At how many places rules meet."""
    square = np.ones((7, 7), np.uint8)
    return int(cv2.connectedComponents(cv2.bitwise_and(cv2.dilate(across, square), cv2.dilate(down, square)))[0]) - 1


def skew(picture: np.ndarray) -> float:
    """The angle in degrees by which the lines of text, or the rules, rise; 0 where there is no clear answer.

    At the right angle the sums over rows of pixels jump most from row to row (Postl 1986); for a page that lies on its
    side the sums over columns do.
    """
    share = SKEW_PIXELS / max(picture.shape)
    small = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA) if share < 1 else picture
    _, ink = cv2.threshold(small, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    if not 0.001 < np.count_nonzero(ink) / ink.size < 0.5:
        return 0.0
    coarse = best_angle(ink, np.arange(-MAX_SKEW, MAX_SKEW + 0.01, 0.5))
    angle = best_angle(ink, coarse + np.arange(-0.4, 0.41, 0.1))
    clear = sharpness(ink, angle) > 1.05 * sharpness(ink, 0.0)
    return float(angle) if clear and SMALLEST_SKEW <= abs(angle) < MAX_SKEW else 0.0


def best_angle(ink: np.ndarray, angles: np.ndarray) -> float:
    return float(max(angles, key=lambda angle: (sharpness(ink, float(angle)), -abs(angle))))


def sharpness(ink: np.ndarray, angle: float) -> float:
    turned = rotate(ink, angle, ground=0, quality=cv2.INTER_LINEAR).astype(np.float32)
    return max(float(np.square(np.diff(turned.sum(axis=axis))).sum()) for axis in (0, 1))


def rotate(picture: np.ndarray, angle: float, *, ground: int, quality: int = cv2.INTER_CUBIC) -> np.ndarray:
    """The picture turned about its centre, of the same size; `angle` in degrees against the clock."""
    height, width = picture.shape
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    return cv2.warpAffine(picture, matrix, (width, height), flags=quality, borderValue=ground)
