"""PDF pages drawn for the tests of the table finder: what stands on them is written in the tests, in plain sight."""

from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, TableStyle
from reportlab.platypus import Table as DrawnTable

WIDTH, HEIGHT = A4
GRID = ("GRID", (0, 0), (-1, -1), 0.7, "black")
BOLD_HEADER = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")


class Drawing:
    """A PDF written top down; positions are in points from the top left, as in the tables found."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.canvas = Canvas(str(path), pagesize=A4)

    def text(self, x: float, top: float, text: str, *, size: float = 10, bold: bool = False) -> None:
        self.canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
        self.canvas.drawString(x, HEIGHT - top - size, text)

    def right(self, x: float, top: float, text: str, *, size: float = 10) -> None:
        self.canvas.setFont("Helvetica", size)
        self.canvas.drawRightString(x, HEIGHT - top - size, text)

    def table(
        self, x: float, top: float, rows: Sequence[Sequence[str | Paragraph]], widths: Sequence[float], *styles: tuple
    ) -> float:
        """Draws a table and returns where it ends."""
        drawn = DrawnTable([list(row) for row in rows], colWidths=list(widths))
        drawn.setStyle(TableStyle([("FONTSIZE", (0, 0), (-1, -1), 9), *styles]))
        _, height = drawn.wrapOn(self.canvas, WIDTH, HEIGHT)
        drawn.drawOn(self.canvas, x, HEIGHT - top - height)
        return top + height

    def next_page(self) -> None:
        self.canvas.showPage()

    def save(self) -> Path:
        self.canvas.save()
        return self.path
