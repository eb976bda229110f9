"""A picture of a page, or the boxes of its words, in; where a table seems to be, and the boxes of its cells, out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from img2table.tables.extractor import TableExtractor

from ingestion.table_grid import Box
from ingestion.table_rows import Content, is_value


def picture_boxes(picture: np.ndarray, *, scale: float) -> list[list[Box]]:
    """The cells of each table on a picture with `scale` pixels a point, with or without drawn lines."""
    colours = picture if picture.ndim == 3 else np.repeat(picture[:, :, None], 3, axis=2)
    found = TableExtractor(img=np.ascontiguousarray(colours)).extract_tables(borderless_tables=True)
    return [
        [Box(cell.x1 / scale, cell.y1 / scale, cell.x2 / scale, cell.y2 / scale) for cell in distinct_cells(table)]
        for table in found
    ]


def distinct_cells(table: Any) -> list[Any]:
    """A merged cell is listed by img2table once for every slot it covers."""
    return list({(cell.x1, cell.y1, cell.x2, cell.y2): cell for row in table.rows for cell in row.cells}.values())


def has_aligned_cells(words: Sequence[Box], *, lines_needed: int = 4) -> bool:
    """Whether at least `lines_needed` lines have three or more cells that line up with those of other lines.

    A cell is a run of words with gaps under one and a half letter heights; cells line up at their left or right edge.
    """
    rows: list[list[Box]] = []
    for word in sorted(words, key=lambda box: (round(box.bottom), box.x0)):
        if rows and abs(rows[-1][-1].bottom - word.bottom) <= 2 and word.x0 >= rows[-1][-1].x1 - 1:
            last = rows[-1][-1]
            if word.x0 - last.x1 < 1.2 * max(last.height, word.height):
                rows[-1][-1] = last.around(word)
            else:
                rows[-1].append(word)
        else:
            rows.append([word])
    cells = [row for row in rows if len(row) >= 3]
    edges: dict[tuple[str, int], int] = {}
    for row in cells:
        for side, value in {("l", round(box.x0 / 4)) for box in row} | {("r", round(box.x1 / 4)) for box in row}:
            edges[side, value] = edges.get((side, value), 0) + 1
    lined_up = [
        row
        for row in cells
        if sum(max(edges["l", round(box.x0 / 4)], edges["r", round(box.x1 / 4)]) >= lines_needed for box in row) >= 3
    ]
    return len(lined_up) >= lines_needed


def stands_without_lines(content: Content, box: Box, words: Sequence[Box]) -> bool:
    """Whether a table without lines is beyond doubt: its cells line up, or the second of its two columns holds values."""
    columns = [[is_value(row[at]) for row in content.rows if row[at]] for at in range(len(content.header))]
    if len(columns) == 2:
        return sum(columns[1]) > len(columns[1]) / 2
    if not content.named and not any(2 * sum(values) > len(values) for values in columns):
        return False  # addresses and other blocks of text side by side
    return has_aligned_cells([word for word in words if box.holds(*word.centre)], lines_needed=3)
