"""Progress and results of a run in, lines for a person at a terminal or for a log out."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ingestion.progress import Progress, ShowProgress
from ingestion.report import Status, SyncReport, needs_attention
from rag.coverage import coverage
from rag.domain import FileRecord
from rag.progress import IngestStatus

PHASES = {
    "scanning": "Looking for changed documents",
    "reading": "Reading",
    "embedding": "Embedding",
    "publishing": "Publishing",
    "idle": "Done",
}
BAR = 24


@contextmanager
def progress_line(*, quiet: bool) -> Iterator[ShowProgress | None]:
    """A bar that is redrawn on a terminal; elsewhere a line for every file that is begun; nothing where quiet."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        try:
            yield draw_bar
        finally:  # also before an error is told
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    else:
        yield FileLines()


def draw_bar(now: Progress) -> None:
    filled = round(now.share * BAR)
    line = f"{'█' * filled}{'░' * (BAR - filled)} {doing(now)}"
    if now.pages:
        line += f", page {now.page} of {now.pages}"
    width = shutil.get_terminal_size().columns - 1
    print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)


def doing(now: Progress | IngestStatus) -> str:
    """How far a run is; before it has looked through the folder there is nothing to count."""
    if not now.files_total:
        return PHASES[now.phase]
    return f"{now.files_done} of {now.files_total} files · {PHASES[now.phase]} {now.file}".rstrip()


class FileLines:
    def __init__(self) -> None:
        self.begun: set[str] = set()
        self.finished_before = 0  # by a run that was interrupted

    def __call__(self, now: Progress) -> None:
        if not self.begun:
            self.finished_before = now.files_done
        if now.file and now.file not in self.begun:
            self.begun.add(now.file)
            with suppress(BrokenPipeError):  # nobody reads them any more: no reason to end the run
                place = f"{self.finished_before + len(self.begun)} of {now.files_total}"
                print(f"{PHASES[now.phase]} {now.file} ({place})", file=sys.stderr, flush=True)


def show_report(report: SyncReport) -> None:
    attention = needs_attention(report.files)
    print_attention(attention)
    print_table([file for file in report.files if file.path in report.indexed and file not in attention])
    for notice in report.notices:
        print(f"Note: {notice}")
    counts = ("new", "changed", "renamed", "deleted", "unchanged")
    done = ", ".join(f"{count} {name}" for name in counts if (count := getattr(report, name)))
    print(f"{done or 'The folder holds no documents'} in {report.seconds:.1f} s. {coverage(report.files)}.")


def show_status(status: Status) -> None:
    attention = needs_attention(status.files)
    print_attention(attention)
    print_table([file for file in status.files if file not in attention])
    if status.run.running:
        print(f"{doing(status.run)} (process {status.run.pid})")
    elif status.run.last_error:
        print(f"Note: {status.run.last_error}")
    print(status.problem or f"{status.generation}: {coverage(status.files)}.")


def print_attention(files: Sequence[FileRecord]) -> None:
    if not files:
        return
    print("Needs attention")
    for file in files:
        print(f"  {file.path}  ({describe(file)})")
        for line in filter(None, (file.reason, file.next_step)):
            print(f"      {line}")
    print()


def print_table(files: Sequence[FileRecord]) -> None:
    if not files:
        return
    rows = [("Document", "Pages", "Outcome")]
    rows += [(", ".join(file.paths), f"{file.pages:,}", describe(file)) for file in sorted(files, key=lambda f: f.path)]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for path, pages, outcome in rows:
        print(f"{path:<{widths[0]}}  {pages:>{widths[1]}}  {outcome}".rstrip())
    print()


def describe(file: FileRecord) -> str:
    """ "read", "read, 2 pages by OCR", "partly read, 1 page failed"."""
    words = {"read": "read", "partly": "partly read", "failed": "not read"}
    kinds = (("ocr", "by OCR"), ("empty", "empty"), ("failed", "failed"))
    parts = [
        f"{count} page{'s' if count > 1 else ''} {label}" for kind, label in kinds if (count := file.pages_by_outcome.get(kind))
    ]
    return ", ".join([words[file.outcome], *parts])
