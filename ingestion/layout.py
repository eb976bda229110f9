"""Words with their boxes in, lines in reading order out: columns are found by their gutter, tables stay where they stand.

Coordinates are points from the top left corner of the page as a reader sees it. "Stream order" is the order in which
the PDF draws its text: usually right, so it decides wherever geometry leaves a choice.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median

from ingestion.label_columns import LabelBlock, LabelColumn, with_label_columns

MIN_COLUMN_LINES = 3
MIN_PROSE_CHARACTERS = 16  # average line length of a text column; table cells and labels are shorter
GUTTER_EMS = 0.6  # narrowest white band between two columns, in font sizes
SAME_LINE_OVERLAP = 0.5  # of the lower of two boxes
WORD_GAP_EMS = 0.15  # words drawn by separate commands are apart from this gap on
MIN_SPACED_LETTERS = 6
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")  # Hebrew and Arabic
SEGMENT_GAP_EMS = 1.2  # a wider gap separates table cells or columns


Box = tuple[float, float, float, float]  # x0, top, x1, bottom


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float  # height of the font's box, about 1.1 to 1.3 times the font size
    joined: bool = False  # the PDF puts a space, no line break, between this word and the one before
    bold: bool = False  # looked up for the first and the last word of a line only
    pictured: bool = False  # read by OCR from a picture on the page


@dataclass(frozen=True, slots=True)
class Segment:
    """Words drawn after one another on one baseline without a wide gap; `table` marks the place of a table instead."""

    words: tuple[Word, ...]
    x0: float
    top: float
    x1: float
    bottom: float
    order: float  # position in the stream
    table: int | None = None

    @property
    def size(self) -> float:
        return median(word.size for word in self.words) if self.words else 0.0

    @property
    def characters(self) -> int:
        return sum(len(word.text) for word in self.words) + len(self.words) - 1


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a column. `block` counts the stretches of one column; `cells` is above 1 where wide gaps divide the line."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    block: int = 0
    cells: int = 1
    bold: bool = False
    aside: bool = False  # runs in another direction than the body, like a stamp or a note in the margin
    pictured: bool = False  # stands in a picture: a logo is no heading
    table: int | None = None  # this line stands for the page's table of that position


def lines_in_reading_order(words: Sequence[Word], tables: Sequence[Box] = ()) -> list[Line]:
    """Lines top to bottom, column by column; one line stands in for each table box."""
    segments = segments_of(words)
    segments += [Segment((), x0, top, x1, bottom, -1, table) for table, (x0, top, x1, bottom) in enumerate(tables)]
    lines: list[Line] = []
    numbers = itertools.count()
    for part in blocks_of(segments):
        block = next(numbers)
        for row in with_label_columns(list(rows_of(part))):
            if isinstance(row, LabelBlock):
                lines += [line for column in row.columns for line in labelled_lines(column, next(numbers))]
                block = next(numbers)
            else:
                lines.append(line_of(row, block))
    return lines


def labelled_lines(column: LabelColumn, block: int) -> list[Line]:
    """The label with the first line under it, and the other lines."""
    label, *values = (line_of([segment], block) for segment in (column.label, *column.lines))
    if not values:
        return [label]
    x1, bottom = max(label.x1, values[0].x1), values[0].bottom
    return [replace(label, text=f"{label.text} {values[0].text}", x1=x1, bottom=bottom), *values[1:]]


def segments_of(words: Sequence[Word]) -> list[Segment]:
    groups: list[list[Word]] = []
    for word in words:
        if groups and continues_segment(groups[-1][-1], word):
            groups[-1].append(word)
        else:
            groups.append([word])
    return [segment_of(group, order) for order, group in enumerate(groups)]


def segment_of(words: Sequence[Word], order: float) -> Segment:
    x0, top = min(word.x0 for word in words), min(word.top for word in words)
    x1, bottom = max(word.x1 for word in words), max(word.bottom for word in words)
    return Segment(tuple(words), x0, top, x1, bottom, order)


def continues_segment(before: Word, word: Word) -> bool:
    em = min(before.size, word.size)
    gap = word.x0 - before.x1 if word.x0 >= before.x0 else before.x0 - word.x1  # right-to-left text runs backwards
    return on_one_line(before, word) and -em <= gap <= SEGMENT_GAP_EMS * em


def on_one_line(one: Word | Segment, other: Word | Segment) -> bool:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap > SAME_LINE_OVERLAP * min(one.bottom - one.top, other.bottom - other.top)


# Columns: a recursive cut along gutters. https://en.wikipedia.org/wiki/Recursive_X-Y_cut (Nagy, Seth 1984), with the
# addition that a white band counts as a gutter only between two stretches of prose; a table has white bands too.


def blocks_of(segments: list[Segment]) -> Iterator[list[Segment]]:
    """The segments as stretches to be read one after the other, each a single column."""
    best: list[list[Segment]] | None = None
    best_height = 0.0
    for gutter in gutters_of(segments):
        parts, height = cut([piece for s in segments for piece in split_at(s, gutter)], gutter)
        if height > best_height:
            best, best_height = parts, height
    if best is None:
        if segments:
            yield segments
        return
    for part in best:
        yield from blocks_of(part)


def gutters_of(segments: Sequence[Segment]) -> Iterator[float]:
    """Middles of the vertical white bands that few words cross; the spaces of prose do not line up."""
    if len(segments) < 2 * MIN_COLUMN_LINES:
        return
    left, right = int(min(s.x0 for s in segments)), int(max(s.x1 for s in segments)) + 1
    steps = [0] * (right - left + 2)
    boxes: Iterator[Word | Segment] = (box for s in segments for box in (s.words or (s,)))
    for box in boxes:
        steps[int(box.x0) - left] += 1
        steps[int(box.x1) - left + 1] -= 1
    counts = list(itertools.accumulate(steps))[: right - left]
    width = max(1, round(GUTTER_EMS * median(s.size for s in segments if s.words)))
    sums = list(itertools.accumulate(counts, initial=0))
    windows = [(sums[place + width] - sums[place]) / width for place in range(len(counts) - width + 1)]
    for few, band in groupby(enumerate(windows), key=lambda window: window[1] <= max(1, len(segments) // 5)):
        if few:
            places = list(band)
            lowest = min(count for _, count in places)
            for level, run in groupby(places, key=lambda window: window[1]):
                stretch = [place for place, _ in run]
                if level == lowest and stretch[0] > 0:
                    yield left + (stretch[0] + stretch[-1] + width) / 2


def split_at(segment: Segment, gutter: float) -> Iterator[Segment]:
    """The segment in two where one of its word gaps is the gutter."""
    if segment.x0 < gutter < segment.x1:
        for position, (before, word) in enumerate(pairwise(segment.words), 1):
            if before.x1 <= gutter <= word.x0 and word.x0 - before.x1 >= GUTTER_EMS * min(before.size, word.size):
                yield segment_of(segment.words[:position], segment.order)
                yield segment_of(segment.words[position:], segment.order + 0.5)
                return
    yield segment


def cut(segments: Sequence[Segment], gutter: float) -> tuple[list[list[Segment]], float]:
    """The segments cut at a gutter, top to bottom, and the height over which it divides columns."""
    crossing = sorted((s for s in segments if s.x0 < gutter < s.x1), key=lambda s: s.top)
    rest = sorted((s for s in segments if not s.x0 < gutter < s.x1), key=lambda s: s.top)
    parts: list[list[Segment]] = []
    flow: list[Segment] = []
    height = 0.0
    for band, crosser in bands_between(rest, crossing):
        left = [s for s in band if s.x1 <= gutter]
        right = [s for s in band if s.x0 >= gutter]
        stretches = stretches_of(left, right)
        if stretches:
            parts += [flow] if flow else []
            parts += stretches
            flow = []
            height += max(s.bottom for s in band) - min(s.top for s in band)
        else:
            flow += band
        flow += [crosser] if crosser else []
    parts += [flow] if flow else []
    return parts, height


def bands_between(rest: Sequence[Segment], crossing: Sequence[Segment]) -> Iterator[tuple[list[Segment], Segment | None]]:
    position = 0
    for crosser in crossing:
        band = []
        while position < len(rest) and middle(rest[position]) < middle(crosser):
            band.append(rest[position])
            position += 1
        yield band, crosser
    yield list(rest[position:]), None


def middle(segment: Segment) -> float:
    return (segment.top + segment.bottom) / 2 if segment.table is None else segment.top


def stretches_of(left: list[Segment], right: list[Segment]) -> list[list[Segment]]:
    """Two neighbouring stretches in the order they are read, or nothing where they are cells of table rows."""
    if min(len(left), len(right)) < MIN_COLUMN_LINES or not has_words(left) or not has_words(right):
        return []
    sides = [list(rows_of(left)), list(rows_of(right))]
    lines = min(len(rows) for rows in sides)
    if lines < MIN_COLUMN_LINES:
        return []
    on_left = {id(s) for s in left}
    in_stream = sorted((s for s in left + right if s.words), key=lambda s: s.order)
    runs = [list(run) for _, run in groupby(in_stream, key=lambda s: id(s) in on_left)]
    if looks_like_prose(left) and looks_like_prose(right):
        # Line by line is how a bad writer interleaves two columns; every few lines is how the cells of a table are drawn.
        cell_by_cell = max(3, lines / 8) < len(runs) < 1.5 * lines and len(in_stream) == len(left) + len(right)
        return runs if cell_by_cell else [left, right]
    return [left, right] if len(runs) == 2 and not rows_aligned(*sides) else []


def looks_like_prose(segments: Sequence[Segment]) -> bool:
    """Whether most lines fill the column; the right-hand side may itself hold several columns of about one width."""
    widths = sorted(s.x1 - s.x0 for s in segments if s.table is None)
    full = widths[9 * (len(widths) - 1) // 10]
    filled = sum(width >= 0.6 * full for width in widths)
    characters = sum(s.characters for s in segments) / len(widths)
    return characters >= MIN_PROSE_CHARACTERS and 2 * filled >= len(widths)


def has_words(segments: Sequence[Segment]) -> bool:
    text = "".join(word.text for segment in segments for word in segment.words)
    return sum(character.isalpha() for character in text) > 0.6 * len(text)


def rows_aligned(left: Sequence[Sequence[Segment]], right: Sequence[Sequence[Segment]]) -> bool:
    """Whether most lines of the shorter side share a baseline with one of the other, as the cells of a table do."""
    shorter, longer = sorted((left, right), key=len)
    bottoms = [row[0].bottom for row in longer]
    shared = sum(any(abs(row[0].bottom - bottom) < 1.5 for bottom in bottoms) for row in shorter)
    return shared > 0.7 * len(shorter)


# Lines


def rows_of(segments: Sequence[Segment]) -> Iterator[list[Segment]]:
    """Segments of one column grouped into lines, top to bottom, each from left to right."""
    row: list[Segment] = []
    for segment in sorted(segments, key=lambda s: (middle(s), s.x0)):
        if row and (segment.table is not None or row[0].table is not None or not on_one_line(row[0], segment)):
            yield sorted(row, key=lambda s: s.x0)
            row = []
        row.append(segment)
    if row:
        yield sorted(row, key=lambda s: s.x0)


def line_of(row: Sequence[Segment], block: int) -> Line:
    x0, top = min(s.x0 for s in row), min(s.top for s in row)
    x1, bottom = max(s.x1 for s in row), max(s.bottom for s in row)
    if row[0].table is not None:
        return Line("", x0, top, x1, bottom, 0.0, block, table=row[0].table)
    words = close_up([word for segment in (reversed(row) if right_to_left(row) else row) for word in segment.words])
    text = words[0].text
    cells = 1
    for before, word in pairwise(words):
        gap = max(word.x0 - before.x1, before.x0 - word.x1)
        cells += gap > SEGMENT_GAP_EMS * min(before.size, word.size)
        text += (" " if word.joined or gap > WORD_GAP_EMS * min(before.size, word.size) else "") + word.text
    bold = words[0].bold and words[-1].bold
    pictured = all(word.pictured for word in words)
    return Line(text, x0, top, x1, bottom, median(word.size for word in words), block, cells, bold=bold, pictured=pictured)


def close_up(words: list[Word]) -> list[Word]:
    """Letters set apart for emphasis ("p r o v i d e d  b y") as words; the gaps between the words are wider."""
    closed: list[Word] = []
    for single, run in groupby(words, key=lambda word: len(word.text) == 1 and word.text.isalpha()):
        letters = list(run)
        gaps = [other.x0 - one.x1 for one, other in pairwise(letters)]
        if not single or len(letters) < MIN_SPACED_LETTERS or not 0 < median(gaps) < SEGMENT_GAP_EMS / 2 * letters[0].size:
            closed += letters
            continue
        word = letters[0]
        for letter, gap in zip(letters[1:], gaps, strict=True):
            if gap > 1.4 * median(gaps):
                closed.append(word)
                word = letter
            else:
                top, bottom = min(word.top, letter.top), max(word.bottom, letter.bottom)
                word = replace(word, text=word.text + letter.text, top=top, x1=letter.x1, bottom=bottom)
        closed.append(word)
    return closed


def right_to_left(row: Sequence[Segment]) -> bool:
    text = "".join(word.text for segment in row for word in segment.words)
    return 2 * len(RIGHT_TO_LEFT.findall(text)) > sum(c.isalpha() for c in text) if RIGHT_TO_LEFT.search(text) else False
