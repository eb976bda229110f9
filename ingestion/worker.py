"""The process that touches a document: jobs as JSON lines in, pages as JSON lines out, within limits it can't lift.

Run by child.py as `python -m ingestion.worker`. JSON, not pickle: what comes out of a process that read a hostile
file must not be able to run anything in the process that reads it.
"""

import json
import os
import re
import resource
import sys
from pathlib import Path
from typing import Any

import pypdfium2

from ingestion import outcomes, pdf
from ingestion.pages import IMAGE_FILES, ImageSource, PageReader, PdfSource, Settings, Source
from ingestion.raw_page import RawPage
from rag.config import Ocr, Reading, Tables
from rag.errors import ProductError, ReadingError

MEMORY_LACKING = re.compile(r"insufficient memory|out of memory|cannot allocate memory|bad_alloc", re.IGNORECASE)


class OutOfMemory(Exception):
    """A page needs more memory than is left in this process."""


def main() -> None:
    # What libraries print must not get between the lines of the protocol.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(**message: Any) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    reader: PageReader | None = None
    for line in sys.stdin:
        job = json.loads(line)
        if reader is None:
            given = job["settings"]
            reader = PageReader(Settings(Reading(**given["reading"]), Tables(**given["tables"]), Ocr(**given["ocr"])))
            limit_memory(reader.settings.reading.memory_mb)
        reading = reader.settings.reading
        limit_seconds(reading.page_seconds)
        try:
            source = open_source(Path(job["path"]), job["passwords"], reader)
        except ReadingError as error:
            send(failed={"reason": error.reason, "next_step": error.next_step})
            continue
        try:
            send(opened={"pages": source.pages, "information": source.information, "notice": source.notice})
            for number in range(job["first"], min(source.pages, reading.max_pages) + 1):
                limit_seconds(reading.page_seconds)
                send(page=read_page(source, number, job["tables"], lambda: send(stage="tables")).as_message())
        except OutOfMemory:  # what libraries hold on to would fail the pages after it too: the parent starts another process
            send(exhausted=True)
            return
        finally:
            source.close()
        send(done=True)


def read_page(source: Source, number: int, tables: bool, before_tables: Any) -> RawPage:
    """The page, whatever happens short of the process's end; raises OutOfMemory."""
    try:
        return source.read(number, tables=tables, before_tables=before_tables)
    except ReadingError as error:
        return RawPage(number, "failed", error.reason.rstrip("."))
    except MemoryError:
        raise OutOfMemory from None
    except ProductError as error:
        return RawPage(number, "failed", str(error).rstrip("."))
    except Exception as error:  # whatever a library raises on a damaged page, the other pages are still to be read
        if MEMORY_LACKING.search(str(error)):
            raise OutOfMemory from None
        return RawPage(number, "failed", f"it is damaged ({type(error).__name__}: {str(error)[:200]})")


def open_source(path: Path, passwords: list[str], reader: PageReader) -> Source:
    """Raises ReadingError with the named outcome."""
    picture = path.suffix.lower() in IMAGE_FILES
    try:
        return ImageSource(path, reader) if picture else open_pdf(path, passwords, reader)
    except ReadingError:
        raise
    except MemoryError:
        raise outcomes.needs_memory(reader.settings.reading.memory_mb) from None
    except Exception as error:  # libraries raise what they like on a damaged file; the process is to outlive it
        if isinstance(error, OSError) and error.errno is not None:
            raise outcomes.vanished(error) from None
        raise (outcomes.bad_picture(error) if picture else outcomes.damaged(error)) from None


def open_pdf(path: Path, passwords: list[str], reader: PageReader) -> PdfSource:
    for password in (None, *passwords):
        try:
            source = PdfSource(path, password, reader)
        except pypdfium2.PdfiumError as error:
            if outcomes.has_no_pages(path):  # PDFium refuses these too, and names the error of the file before
                raise outcomes.no_pages() from None
            if not pdf.needs_password(error):
                raise outcomes.unreadable(path) from None
        else:
            if source.pages == 0:
                source.close()
                raise outcomes.no_pages()
            return source
    raise outcomes.encrypted(path, tried=len(passwords))


def limit_memory(megabytes: int) -> None:
    """Adds so much to the address space in use now. Where there is no /proc (macOS), only the parent's wall limit holds."""
    try:
        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except FileNotFoundError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (in_use + megabytes * 1024 * 1024,) * 2)


def limit_seconds(seconds: float) -> None:
    """Grants so much more processor time; the kernel ends a process that the parent's clock would miss."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, hard))


if __name__ == "__main__":
    main()
