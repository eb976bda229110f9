"""The steps of a run in; the terminal's and the pages' view of it out: a callback, and status.json renewed twice a second."""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from rag.progress import INTERRUPTED, STATUS_FILE, IngestStatus, Phase

WRITE_EVERY = 0.5  # seconds
RENEW_EVERY = 5.0  # so that a long page or publication isn't taken for a dead run


@dataclass(frozen=True, slots=True)
class Progress:
    """One moment of a run; `page` of `pages` counts inside `file`, `share` is how much of all files has been read.

    `files_done` counts the files that were read, also those that wait for their batch of the embedder.
    """

    phase: Phase
    file: str = ""
    page: int = 0
    pages: int = 0
    files_done: int = 0
    files_total: int = 0
    share: float = 0.0


ShowProgress = Callable[[Progress], None]


class ProgressBoard:
    """Collects what the threads of a run report, passes it on, and writes it for other processes until the run ends."""

    def __init__(self, index_dir: Path, *, who: str, show: ShowProgress | None) -> None:
        self.path = index_dir / STATUS_FILE
        self.show = show
        self.now = Progress("scanning")
        self.status = IngestStatus(phase="scanning", who=who, pid=os.getpid())
        self.read: dict[str, float] = {}  # share of each file
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.writer = threading.Thread(target=self.keep_writing, name="status writer", daemon=True)

    def __enter__(self) -> "ProgressBoard":
        self.write(self.status)
        self.writer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.ended.set()
        self.writer.join()
        cause = INTERRUPTED if isinstance(error, KeyboardInterrupt) else str(error or "") or (kind.__name__ if kind else "")
        self.write(IngestStatus(who=self.status.who, pid=self.status.pid, last_error=cause))

    def report(self, **changes: Any) -> None:
        """The fields of Progress that changed."""
        with self.lock:
            self.tell(changes)

    def document_read(self) -> None:
        with self.lock:
            self.tell({"files_done": self.now.files_done + 1})

    def tell(self, changes: dict[str, Any]) -> None:
        now = replace(self.now, **changes)
        share = max(now.files_done, sum(list(self.read.values()))) / now.files_total if now.files_total else 0.0
        self.now = replace(now, share=max(now.share, min(share, 1.0)))
        if self.show:
            self.show(self.now)

    def page_read(self, file: str, page: int, pages: int) -> None:
        self.read[file] = page / pages if pages else 0.0
        self.report(phase="reading", file=file, page=page, pages=pages)

    def keep_writing(self) -> None:
        written, written_at = self.now, time.monotonic()
        while not self.ended.wait(WRITE_EVERY):
            now = self.now
            if now != written or time.monotonic() - written_at > RENEW_EVERY:
                self.write(replace(self.status, **asdict(now)))
                written, written_at = now, time.monotonic()

    def write(self, status: IngestStatus) -> None:
        """A full disk must not end a run for want of its status."""
        unfinished = self.path.with_suffix(f".{os.getpid()}.part")
        with contextlib.suppress(OSError):
            unfinished.write_text(json.dumps(asdict(replace(status, ts=time.time()))), encoding="utf-8")
            os.replace(unfinished, self.path)
