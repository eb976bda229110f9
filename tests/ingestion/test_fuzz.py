"""Damaged PDFs, the same ones in every run: each ends in a named outcome, within its limits, and leaves no process behind.

FUZZ=2000 in the environment makes the long version of it.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict

import psutil
import pytest

from ingestion import child
from ingestion.reading import ReadDocument, read_document
from rag.config import PROJECT
from tests.ingestion.mutants import KINDS, mutant
from tests.pdfs import HEIGHT, text_at, text_page, write_nested_forms, write_pdf

MUTANTS = int(os.environ.get("FUZZ", "40"))


@pytest.fixture
def limited(config):
    child.end_idle_children()
    yield config.with_values(
        ocr={"engine": "none"}, reading={"page_seconds": 3.0, "file_seconds": 20.0, "memory_mb": 400, "max_pages": 4}
    )
    child.end_idle_children()


def seeds(folder) -> Iterator[bytes]:
    """Plain text with unpacked streams, a ruled table, nested forms, and the sample documents."""

    def table(canvas):
        canvas.grid([72, 200, 300, 400], [600, 620, 640, 660])
        for row in range(3):
            for column, x in enumerate((76, 204, 304)):
                text_at(canvas, x, 646 - 20 * row, [f"cell {row}.{column}"])
        text_at(canvas, 72, HEIGHT - 60, ["4 Thresholds"], font="Helvetica-Bold", size=14)

    pages = (text_page("The limit is 5,000.", "It holds from May."), table)
    yield write_pdf(folder / "unpacked.pdf", *pages, pageCompression=0).read_bytes()
    yield write_pdf(folder / "packed.pdf", *pages).read_bytes()
    yield write_nested_forms(folder / "forms.pdf", depth=3, width=3).read_bytes()
    for sample in sorted((PROJECT / "data").rglob("*.pdf")):
        yield sample.read_bytes()


def complaint(document: ReadDocument, most_seconds: float) -> str:
    """What is wrong with how the document was described, "" where nothing is."""
    told = json.dumps([document.reason, document.next_step, *(page.reason for page in document.pages)])
    if document.outcome not in ("read", "partly", "failed"):
        return f"outcome {document.outcome}"
    if document.outcome != "read" and not (document.reason and document.next_step):
        return "no reason or no next step"
    if "Traceback" in told or 'File \\"' in told or "process ended" in told:
        return told
    if [page.number for page in document.pages] != list(range(1, len(document.pages) + 1)):
        return "pages are missing"
    if not all(page.reason for page in document.pages if page.outcome in ("failed", "empty")):
        return "a page without text and without a reason"
    if document.seconds > most_seconds:
        return f"{document.seconds:.0f} seconds"
    json.dumps([asdict(page) for page in document.pages], ensure_ascii=False).encode()  # the index keeps UTF-8
    return ""


@pytest.mark.crash
@pytest.mark.timeout(120 + 3 * MUTANTS)
def test_damaged_pdfs_end_in_a_named_outcome(tmp_path, limited):
    originals = list(seeds(tmp_path))
    child.end_idle_children()
    others = set(psutil.Process().children(recursive=True))  # those of earlier tests: the app and Chromium
    complaints, outcomes = {}, set()
    most_seconds = limited.reading.file_seconds + child.START_SECONDS
    for number in range(MUTANTS):
        path = tmp_path / "mutant.pdf"
        path.write_bytes(mutant(originals[number // len(KINDS) % len(originals)], number))
        document = read_document(path, limited)
        outcomes.add(document.outcome)
        if found := complaint(document, most_seconds):
            complaints[number] = found
        assert len(child.idle) <= 1
    assert complaints == {}
    assert outcomes == {"read", "partly", "failed"}

    started = set(psutil.Process().children(recursive=True)) - others
    assert started
    child.end_idle_children()
    assert not [process for process in started if process.is_running()], "a process that reads documents was left behind"
