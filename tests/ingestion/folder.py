"""A documents folder of small PDFs, written as the tests need them."""

import os
from pathlib import Path

from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas


def write_pdf(path: Path, *pages: str, seconds: int = 0) -> Path:
    """One line of text a page; last changed `seconds` after a moment long ago, so that no run waits for it to settle."""
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas = Canvas(str(path), pagesize=A5, invariant=True)
    for page in pages:
        canvas.drawString(60, 400, page)
        canvas.showPage()
    canvas.save()
    return settle(path, seconds=seconds)


def settle(path: Path, *, seconds: int = 0) -> Path:
    os.utime(path, (1_700_000_000, 1_700_000_000 + seconds))
    return path
