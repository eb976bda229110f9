"""A file in, its pages, metadata and outcome out; a bad file is described, never raised."""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingestion import outcomes
from ingestion.child import Opened, read_in_child
from ingestion.cleanup import (
    body_size,
    clean_characters,
    clean_lines,
    flowing_text,
    printed_number,
    running_lines,
    vocabulary_of,
    without_running,
)
from ingestion.headings import FoundHeading, find_headings
from ingestion.layout import Line
from ingestion.metadata import Sidecar, find_metadata, read_sidecar
from ingestion.raw_page import RawPage
from ingestion.table_join import join_continuations
from rag.config import Config
from rag.domain import FileOutcome, Heading, MetadataValue, Page, Table
from rag.errors import ReadingError

Progress = Callable[[int, int], None]  # pages read, pages in all


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as read. `sha256` is "" where the file could not even be opened."""

    sha256: str
    pages: tuple[Page, ...]
    outcome: FileOutcome
    reason: str = ""
    next_step: str = ""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    seconds: float = 0.0
    whole_pages: bool = False  # each page is one parent as it stands: a window of a chat, a ready chunk


def read_document(path: Path, config: Config, *, progress: Progress | None = None) -> ReadDocument:
    """The document with its outcome, reason and next step; every page of it is accounted for."""
    started = time.monotonic()
    digest = ""
    try:
        before = path.stat()
        if before.st_size > config.documents.max_file_mb * 1_000_000:
            raise outcomes.too_large(before.st_size, config.documents.max_file_mb)
        digest = sha256_of(path)
        sidecar = read_sidecar(path)
        opened, raw = read_pages(path, config, passwords_for(sidecar), progress)
        after = path.stat()
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise outcomes.changed()
        pages, opening_lines = finish(raw)
        if outcomes.rights_management_page([page.text for page in pages]):
            raise outcomes.rights_managed()
    except OSError as error:
        return failed(digest, outcomes.vanished(error), started)
    except ReadingError as error:
        return failed(digest, error, started)
    metadata = find_metadata(path.name, pages, opening_lines, opened.information, sidecar)
    outcome, reason, next_step = outcomes.outcome_of(pages)
    reason = " ".join(filter(None, (reason, opened.notice, sidecar.problem)))
    return ReadDocument(digest, pages, outcome, reason, next_step, metadata, time.monotonic() - started)


def failed(digest: str, error: ReadingError, started: float) -> ReadDocument:
    return ReadDocument(digest, (), "failed", error.reason, error.next_step, {}, time.monotonic() - started)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def passwords_for(sidecar: Sidecar) -> list[str]:
    """The sidecar's password first, then those of PDF_PASSWORDS, which are separated by commas."""
    known = os.environ.get("PDF_PASSWORDS", "").split(",")
    return [password for password in (sidecar.password, *(entry.strip() for entry in known)) if password]


def read_pages(path: Path, config: Config, passwords: list[str], progress: Progress | None) -> tuple[Opened, list[RawPage]]:
    """All pages; those beyond max_pages as failed."""
    opened = Opened(0, {}, "")
    raw: list[RawPage] = []
    for item in read_in_child(path, config, passwords=passwords):
        if isinstance(item, Opened):
            opened = item
        else:
            raw.append(RawPage.from_message(item))
        if progress:
            progress(len(raw), opened.pages)
    not_read = outcomes.NOT_READ.format(limit=config.reading.max_pages)
    raw += [RawPage(number, "failed", not_read) for number in range(len(raw) + 1, opened.pages + 1)]
    return opened, raw


# From raw pages to clean ones: what needs to see all pages


def finish(raw: Sequence[RawPage]) -> tuple[tuple[Page, ...], list[Line]]:
    """The finished pages, and the lines of the first page with text, for its title."""
    lines = [clean_lines(page.lines) for page in raw]
    heights = [page.height for page in raw]
    running = running_lines(lines, heights)
    parted = [without_running(*given) for given in zip(lines, running, heights, strict=True)]
    bodies = [body for body, _, _ in parted]
    headings = find_headings(bodies, body_size(bodies))
    vocabulary = vocabulary_of(bodies)
    tables = join_continuations([page.tables for page in raw], heights=heights)
    pages = tuple(
        finish_page(page, body, header, footer, found, vocabulary, page_tables)
        for page, (body, header, footer), found, page_tables in zip(raw, parted, headings, tables, strict=True)
    )
    return pages, next((body for body in bodies if any(line.text for line in body)), [])


def finish_page(
    raw: RawPage,
    lines: list[Line],
    header: str,
    footer: str,
    headings: Sequence[FoundHeading],
    vocabulary: Counter[str],
    tables: Sequence[Table],
) -> Page:
    label = raw.label or printed_number(header, footer)
    if raw.outcome == "ocr":
        text, tables = clean_around_tables(raw.text, tables)
        return Page(
            raw.number,
            "ocr",
            text,
            label,
            raw.reason,
            raw.confidence,
            hidden_text=clean_characters(raw.hidden),
            tables=tuple(tables),
        )
    titles = [heading for heading in headings if not heading.clause]
    apart = {position for heading in titles for position in range(heading.first, heading.last + 1)}
    clean = flowing_text(lines, vocabulary, apart)
    places = {line.table: start for line, start in zip(lines, clean.starts, strict=True) if line.table is not None}
    return Page(
        number=raw.number,
        outcome=raw.outcome,
        text=clean.text,
        label=label,
        reason=raw.reason,
        header=header,
        footer=footer,
        hidden_text=clean_characters(raw.hidden),
        tables=tuple(replace(table, before=places[position]) for position, table in enumerate(tables)),
        headings=tuple(Heading(clean.starts[heading.first], heading.level, heading.text) for heading in headings),
    )


def clean_around_tables(text: str, tables: Sequence[Table]) -> tuple[str, list[Table]]:
    """OCR text with clean characters, and the tables with their places in it."""
    clean, position, placed = "", 0, []
    for table in sorted(tables, key=lambda table: table.before):
        clean += clean_text(text[position : table.before])
        position = table.before
        placed.append(replace(table, before=len(clean)))
    return clean + clean_text(text[position:]), placed


def clean_text(text: str) -> str:
    """Clean lines, with the line breaks and the white space at both ends kept."""
    return "\n".join(clean_characters(line) for line in text.split("\n"))
