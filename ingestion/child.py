"""A document path in, its pages out one by one as a child process reads them; what hangs or crashes it costs one page."""

import atexit
import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ingestion import outcomes
from rag.config import PROJECT, Config
from rag.errors import ReadingError

PASSED_ON = (
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "TESSDATA_PREFIX",
)  # fmt: skip
MOST_JOBS = 100  # a child is replaced after so many files
LONGEST_MESSAGE = 64 * 1024 * 1024
START_SECONDS = 30.0  # for Python to start and the libraries to load, on top of the time to open the file


@dataclass(frozen=True, slots=True)
class Opened:
    pages: int
    information: dict[str, str]
    notice: str


class ChildEnded(Exception):
    """The child crashed, or was stopped because it took too long."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Exhausted(ChildEnded):
    """The child has no memory left for a page."""


class Child:
    """One worker process. Its environment holds no secrets, for what it reads may be hostile."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.key = key_of(config)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ingestion.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=PROJECT,
            env=environment_for(config),
            start_new_session=True,  # so that a Tesseract it started ends with it
        )
        self.jobs = 0
        self.started = False
        self.buffer = bytearray()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.stdout, selectors.EVENT_READ)

    @property
    def stdout(self) -> Any:
        assert self.process.stdout is not None
        return self.process.stdout

    def start(self, job: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(job).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise ChildEnded(self.ending()) from None
        self.jobs += 1

    def receive(self, *, until: float, late: str) -> dict[str, Any]:
        """The next message; raises ChildEnded with `late` at the time `until` (of time.monotonic)."""
        searched = 0
        while (end := self.buffer.find(b"\n", searched)) < 0:
            searched = len(self.buffer)
            if not self.selector.select(max(0.0, until - time.monotonic())):
                self.kill()
                raise ChildEnded(late)
            data = os.read(self.stdout.fileno(), 1 << 20)
            if not data:
                raise ChildEnded(self.ending())
            if searched > LONGEST_MESSAGE:
                self.kill()
                raise ChildEnded(outcomes.TOO_MUCH_TEXT)
            self.buffer += data
        self.started = True
        line = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        return json.loads(line)

    def ending(self) -> str:
        try:
            code = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        self.kill()
        return outcomes.crashed(code, self.config.reading.memory_mb)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.selector.close()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def environment_for(config: Config) -> dict[str, str]:
    cloud = config.ocr.engine == "textract"
    kept = {name: value for name, value in os.environ.items() if name in PASSED_ON or (cloud and name.startswith("AWS_"))}
    return kept | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1", "ORT_DISABLE_TELEMETRY": "1"}


def key_of(config: Config) -> tuple[Any, ...]:
    return (config.reading, config.tables, config.ocr)


# Starting Python and the libraries takes as long as reading some fifty pages, so a child is kept for the next file.

idle: list[Child] = []
idle_lock = threading.Lock()


@contextlib.contextmanager
def child_for(config: Config) -> Iterator[Child]:
    """A child that is kept when the work with it ended well, and killed otherwise."""
    with idle_lock:
        fitting = [child for child in idle if child.key == key_of(config) and child.process.poll() is None]
        for child in fitting[:1]:
            idle.remove(child)
    child = fitting[0] if fitting else Child(config)
    sound = False
    try:
        yield child
        sound = True
    except ReadingError:  # the file is bad, the child is not
        sound = True
        raise
    finally:
        if sound and child.jobs < MOST_JOBS and child.process.poll() is None:
            with idle_lock:
                idle.append(child)
        else:
            child.kill()


@atexit.register
def end_idle_children() -> None:
    with idle_lock:
        while idle:
            idle.pop().kill()


def read_in_child(path: Path, config: Config, *, passwords: list[str]) -> Iterator[Opened | dict[str, Any]]:
    """Opened, then one message a page in order; raises ReadingError where the file can't be opened.

    A page that hangs or crashes the child is reported as failed and reading goes on with the next in a new child; where
    it was looking for tables, the page is first tried again without.
    """
    reading = config.reading
    deadline = time.monotonic() + reading.file_seconds
    first, tables, pages, used = 1, True, 0, False
    while True:
        looking_for_tables = False
        read_before = 0  # pages that this child read of this file
        try:
            with child_for(config) as child:
                used = child.jobs > 0
                child.start(job_of(path, config, passwords, first, tables))
                while True:
                    page_ends = time.monotonic() + reading.page_seconds + (0 if child.started else START_SECONDS)
                    message = child.receive(until=min(page_ends, deadline), late=outcomes.page_too_slow(reading.page_seconds))
                    if "failed" in message:
                        raise ReadingError(message["failed"]["reason"], message["failed"]["next_step"])
                    if "exhausted" in message:
                        raise Exhausted(outcomes.NEEDS_MEMORY)
                    if "done" in message:
                        return
                    if "opened" in message and not pages:
                        opened = Opened(**message["opened"])
                        pages = opened.pages
                        yield opened
                    elif "stage" in message:
                        looking_for_tables = True
                    elif "page" in message:
                        yield message["page"]
                        first, tables, looking_for_tables = first + 1, True, False
                        read_before += 1
        except ChildEnded as ended:
            if not pages and used and time.monotonic() < deadline:
                continue  # the fault may be of the file that this child read before
            if not pages:
                raise ReadingError(
                    f"It could not be opened: {ended.reason}.", "Open it in a PDF reader and save it again, or remove it."
                ) from None
            if isinstance(ended, Exhausted) and (used or read_before) and time.monotonic() < deadline:
                continue  # a new child has more
            last = min(pages, reading.max_pages)
            if time.monotonic() >= deadline:
                for number in range(first, last + 1):
                    yield {"number": number, "outcome": "failed", "reason": outcomes.file_too_slow(reading.file_seconds)}
                return
            if looking_for_tables:
                tables = False
                continue
            if first <= last:
                yield {"number": first, "outcome": "failed", "reason": ended.reason}
            first, tables = first + 1, True
            if first > last:
                return


def job_of(path: Path, config: Config, passwords: list[str], first: int, tables: bool) -> dict[str, Any]:
    settings = {name: asdict(getattr(config, name)) for name in ("reading", "tables", "ocr")}
    return {
        "path": str(path.resolve()),
        "settings": settings,
        "passwords": passwords,
        "first": first,
        "tables": tables,
    }
