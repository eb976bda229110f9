"""Any document in, its pages out: chat exports and files of ready chunks are read here, all else by the PDF reader."""

import time
from pathlib import Path

from ingestion import outcomes
from ingestion.language import language_of
from ingestion.metadata import KEYS, from_name, from_sidecar, read_sidecar
from ingestion.reading import Progress, ReadDocument, read_document, sha256_of
from ingestion.ready_chunks import ready_pages
from ingestion.whatsapp import read_chat
from rag.config import Config
from rag.domain import MetadataValue, Page
from rag.errors import ReadingError


def read_source(path: Path, config: Config, *, progress: Progress | None = None) -> ReadDocument:
    """The document with its outcome, whatever its kind; a bad file is described, never raised."""
    if path.suffix.lower() not in (".txt", ".jsonl"):
        return read_document(path, config, progress=progress)
    started = time.monotonic()
    digest = ""
    try:
        size = path.stat().st_size
        if size > config.documents.max_file_mb * 1_000_000:
            raise outcomes.too_large(size, config.documents.max_file_mb)
        digest = sha256_of(path)
        pages, found = read_text(path, config)
    except OSError as error:
        failure = outcomes.vanished(error)
    except ReadingError as error:
        failure = error
    else:
        outcome, reason, next_step = outcomes.outcome_of(pages)
        metadata = described(path, pages, found)
        return ReadDocument(digest, pages, outcome, reason, next_step, metadata, time.monotonic() - started, whole_pages=True)
    return ReadDocument(digest, (), "failed", failure.reason, failure.next_step, {}, time.monotonic() - started)


def read_text(path: Path, config: Config) -> tuple[tuple[Page, ...], dict[str, MetadataValue]]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadingError(f"It is not UTF-8 text ({error.reason} at byte {error.start:,}).", "Export it again.") from None
    return ready_pages(text) if path.suffix.lower() == ".jsonl" else read_chat(path, text, config.whatsapp)


def described(path: Path, pages: tuple[Page, ...], found: dict[str, MetadataValue]) -> dict[str, MetadataValue]:
    """As for a PDF: what the sidecar says, else the file name, else the text."""
    metadata = dict(from_sidecar(read_sidecar(path)))
    for key, value in (*from_name(path.stem), *found.items()):
        metadata.setdefault(key, value)
    metadata.setdefault("title", MetadataValue(path.stem, "file name"))
    if language := language_of(" ".join(page.text for page in pages[:20])):
        metadata.setdefault("language", MetadataValue(language, "text"))
    return {key: metadata[key] for key in (*KEYS, *(key for key in metadata if key not in KEYS)) if key in metadata}
