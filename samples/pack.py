"""Which prose file becomes which PDF, and where it is written."""

from collections.abc import Iterator
from pathlib import Path

from samples.layout import set_pages
from samples.markup import Document, read
from samples.scan import scanned

HERE = Path(__file__).parent
PROJECT = HERE.parent
TARGETS = {"documents": PROJECT / "data", "notices": PROJECT / "evaluation" / "golden" / "bilingual"}


def documents() -> Iterator[tuple[Path, Document]]:
    """Every document of the pack with the path of its PDF."""
    for folder, target in TARGETS.items():
        for source in sorted((HERE / folder).glob("*.md")):
            document = read(source)
            yield target / document.settings.file, document


def pdf_of(document: Document) -> bytes:
    """The PDF of a document, as pictures of its pages if it is one that was scanned."""
    printed = set_pages(document)
    return scanned(printed, title=document.settings.title) if document.settings.scanned else printed


def write_all() -> list[Path]:
    """Writes every PDF of the pack and returns where."""
    written = []
    for path, document in documents():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pdf_of(document))
        written.append(path)
    return written
