"""A grid whose first row is data, and the words of the page, in; the grid with the column names that stand above it out."""

from collections.abc import Sequence

from ingestion.table_grid import Box, Cell, Grid
from ingestion.table_rows import is_value
from ingestion.table_surroundings import Line, lines_of

NAME_GAP = 1.0  # letter heights; a wider space separates the names of two columns
CLOSE, FAR = 1.0, 4.0  # letter heights between the names and the table; further away most columns must have a name
CENTRED = 0.15  # share of the columns' width by which a name over all of them may be off their middle
COVERED = 0.4  # share of a column's width that a name over several columns covers
MOST_LINES = 3


def with_names_above(grid: Grid, words: Sequence[Line]) -> Grid | None:
    """Take in the lines right above whose words stand over the columns one by one.

    Many statements are shaded from the first row of values on, so that the drawn lines leave out the years above them.
    """
    above = [word for word in words if grid.box.top - 60 < word.box.bottom <= grid.box.top + 2]
    pieces = lines_of([word for word in above if grid.box.x0 - 2 <= word.box.centre[0] <= grid.box.x1 + 2], gap=NAME_GAP)
    filled = [column for column in range(grid.columns) if any(cell.text and cell.column == column for cell in grid.cells)]
    rows: list[list[Cell]] = []
    edge, box = grid.box.top, grid.box
    while pieces and len(rows) < MOST_LINES:
        lowest = max(pieces, key=lambda piece: piece.box.bottom)
        line = [piece for piece in pieces if piece.box.bottom > lowest.box.top]
        pieces = [piece for piece in pieces if piece.box.bottom <= lowest.box.top]
        cells = name_cells(grid, filled, line)
        named = {cell.column + step for cell in cells for step in range(cell.columns)} & set(filled[1:])
        share = len(named) / max(len(filled) - 1, 1)
        closest = FAR if share > 0.7 and not rows else CLOSE
        if share < 0.5 or edge - lowest.box.bottom > closest * lowest.box.height:
            break
        rows.insert(0, cells)
        edge = min(piece.box.top for piece in line)
        for piece in line:
            box = box.around(piece.box)
    return grid.with_rows_above(rows, box) if rows else None


def with_groups_above(grid: Grid, words: Sequence[Line]) -> Grid | None:
    """Take in the line right above the names of the columns whose names stand over groups of them, the first left out."""
    filled = [column for column in range(grid.columns) if any(cell.text and cell.column == column for cell in grid.cells)]
    above = [word for word in words if grid.box.top - 40 < word.box.bottom <= grid.box.top + 2]
    pieces = lines_of([word for word in above if grid.box.x0 - 2 <= word.box.centre[0] <= grid.box.x1 + 2], gap=NAME_GAP)
    if len(filled) < 3 or not pieces:
        return None
    lowest = max(pieces, key=lambda piece: piece.box.bottom)
    line = sorted((piece for piece in pieces if piece.box.bottom > lowest.box.top), key=lambda piece: piece.box.x0)
    left, right = grid.span(filled[1])[0], grid.box.x1
    close = grid.box.top - lowest.box.bottom <= CLOSE * lowest.box.height
    if not close or line[0].box.x0 < left or any(is_value(piece.text) or piece.text.endswith(".") for piece in line):
        return None
    cells = group_cells(grid, filled[1:], line)
    if len(line) == 1 and abs(line[0].box.centre[0] - (left + right) / 2) > CENTRED * (right - left):
        return None
    box = grid.box
    for piece in line:
        box = box.around(piece.box)
    return grid.with_rows_above([cells], box) if cells else None


def group_cells(grid: Grid, columns: Sequence[int], line: Sequence[Line]) -> list[Cell]:
    """A cell for each name over the columns that lie nearer to it than to any other name."""
    owners = []
    for column in columns:
        middle = sum(grid.span(column)) / 2
        owners.append(min(range(len(line)), key=lambda at: max(line[at].box.x0 - middle, middle - line[at].box.x1, 0.0)))
    cells = []
    for at, piece in enumerate(line):
        covered = [column for column, owner in zip(columns, owners, strict=True) if owner == at]
        if not covered:
            return []
        cells.append(Cell(0, covered[0], columns=covered[-1] - covered[0] + 1, text=piece.text))
    return cells


def table_below(grid: Grid) -> float | None:
    """Where another table begins under a row of names ("Invoice date:", "Due date:") and the row of their values."""
    rows = [[cell for cell in grid.cells if cell.row == at and cell.text] for at in range(grid.rows)]
    if grid.rows < 5 or len(rows[0]) < 2 or not all(cell.text.endswith(":") for cell in rows[0]):
        return None
    for at in range(2, grid.rows - 1):
        names = [cell.text for cell in rows[at]]
        if len(names) > len(rows[0]) and not any(is_value(name) or ":" in name for name in names):
            return grid.tops[at]
    return None


def name_cells(grid: Grid, filled: Sequence[int], line: Sequence[Line]) -> list[Cell]:
    """A cell for each column that has a name on this line; a long name may stand over several columns."""
    cells: dict[int, Cell] = {}
    for piece in sorted(line, key=lambda piece: piece.box.x0):
        covered = [column for column in filled if shared(piece.box, grid.span(column)) >= COVERED]
        if not covered:
            covered = [max(filled, key=lambda column: shared(piece.box, grid.span(column)))]
        first, last = covered[0], covered[-1]
        before = cells.get(first)
        text = f"{before.text} {piece.text}" if before else piece.text
        cells[first] = Cell(0, first, columns=max(last - first + 1, before.columns if before else 1), text=text)
    return list(cells.values())


def shared(box: Box, span: tuple[float, float]) -> float:
    """The share of a column's width that a box covers."""
    return max(min(box.x1, span[1]) - max(box.x0, span[0]), 0.0) / max(span[1] - span[0], 1.0)
