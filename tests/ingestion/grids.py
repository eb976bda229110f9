"""Grids written as a reader sees them: "<" goes on from the cell on the left, "^" from the one above, "*" is strong."""

from ingestion.table_grid import Box, Cell, Grid


def grid_of(drawing: str) -> Grid:
    lines = [[text.strip() for text in line.strip().strip("|").split("|")] for line in drawing.strip().splitlines()]
    cells = []
    for row, line in enumerate(lines):
        for column, text in enumerate(line):
            if text in ("<", "^"):
                continue
            columns = 1
            while column + columns < len(line) and line[column + columns] == "<":
                columns += 1
            rows = 1
            while row + rows < len(lines) and lines[row + rows][column] == "^":
                rows += 1
            cells.append(Cell(row, column, rows, columns, text.strip("*").replace("\\n", "\n"), text.startswith("*")))
    return Grid(tuple(cells), len(lines), len(lines[0]), Box(0, 0, 100.0 * len(lines[0]), 20.0 * len(lines)))
