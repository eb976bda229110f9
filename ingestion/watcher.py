"""A documents folder in, indexing runs out: one soon after something in it changed and has stopped changing, or the index went.

It only lists the folder; reading and embedding happen in a process of their own, so that this module is light and the
app stays quick. Polling is enough (6 ms for 2,000 files) and also works on network drives and in containers.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ingestion.discover import Stamp, list_documents
from rag.config import PROJECT, Config
from rag.errors import ProductError
from rag.generation import CURRENT

BUSY = 75  # EX_TEMPFAIL of sysexits.h: another writer is at work
DONE = (0, 1)  # all read; some files failed, which trying again won't change
STILL_SECONDS = 1.0  # a file unchanged for so long has been written to its end
RETRY_SECONDS = 30.0  # after a run that failed as a whole
SMALL_FILES, SMALL_BYTES = 5, 5_000_000  # so little is read at once; for more, answering questions goes first

log = logging.getLogger(__name__)

Run = Callable[[], int]


@dataclass(frozen=True, slots=True)
class WatcherState:
    """`error` is a sentence about the last run or the folder, empty when all is well."""

    doing: Literal["stopped", "watching", "indexing"] = "stopped"
    runs: int = 0
    error: str = ""


class Watcher:
    """Runs `run` for changes in the folder, in a thread of its own or in the caller's (`watch`); then calls `on_change`.

    `run` returns the exit code of `python -m ingestion sync`, which is also what it calls by default.
    """

    def __init__(self, config: Config, on_change: Callable[[], None] | None = None, *, run: Run | None = None) -> None:
        self.directory = config.documents.directory
        self.every = config.documents.watch_seconds
        self.pointer = config.documents.index / CURRENT
        self.on_change = on_change
        self.child = SyncProcess(config)
        self.run = run or self.child
        self.state = WatcherState()
        self.handled: dict[str, Stamp] | None = None  # what the last run saw; None: there was none yet
        self.had_index = False  # after the last run
        self.since: dict[str, tuple[Stamp | None, float]] = {}  # path -> stamp and when it was first seen like that
        self.not_before = 0.0
        self.stopping = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self) -> None:
        self.thread = threading.Thread(target=self.watch, name="documents watcher", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Ends a run that is going on: what it has finished is kept, and the next one goes on from there."""
        self.stopping.set()
        self.child.terminate()
        if self.thread:
            self.thread.join(timeout=10)

    def watch(self) -> None:
        """Looks again and again until stopped; no fault ends it."""
        self.state = replace(self.state, doing="watching")
        while not self.stopping.is_set():
            try:
                self.look(time.monotonic())
            except ProductError as error:
                self.failed(str(error))
            except Exception as error:
                log.exception("The watcher of %s failed; it goes on", self.directory)
                self.failed(str(error) or type(error).__name__)
            self.stopping.wait(self.every)
        self.state = replace(self.state, doing="stopped")

    def look(self, now: float) -> None:
        """One look at the folder, and a run if a change in it has settled."""
        try:
            listing = list_documents(self.directory)
        except ProductError as error:  # unmounted, perhaps: nothing is forgotten
            self.state = replace(self.state, error=str(error))
            return
        there = listing.noticed
        settled = self.settled_changes(there, now)
        nothing_yet = self.handled is None and not there  # an empty folder needs one run, for an index to be there
        index_gone = self.had_index and not self.pointer.exists()
        if now < self.not_before or not (settled or nothing_yet or index_gone):
            return
        self.state = replace(self.state, doing="indexing")
        self.child.gently = index_gone or not is_little([there[path] for path in settled if path in there])
        code = self.run()
        if code in DONE:
            self.remember(there, settled)
            self.had_index = self.pointer.exists()
            self.state = WatcherState("watching", self.state.runs + 1)
            if self.on_change:
                self.on_change()
        elif code == BUSY:
            self.state = replace(self.state, doing="watching", error="Another indexing run is at work; this one waits for it.")
        elif not self.stopping.is_set():
            self.failed(self.child.last_error or f"Indexing ended with code {code}.")

    def failed(self, error: str) -> None:
        self.state = replace(self.state, doing="watching", error=error)
        self.not_before = time.monotonic() + RETRY_SECONDS

    def settled_changes(self, there: Mapping[str, Stamp], now: float) -> set[str]:
        """Paths that differ from what the last run saw and have been the same for a while; a growing one waits alone."""
        handled = self.handled or {}
        settled = set()
        waiting: dict[str, tuple[Stamp | None, float]] = {}
        for path in there.keys() | handled.keys():
            stamp = there.get(path)
            if stamp == handled.get(path):
                continue
            last, since = self.since.get(path, (stamp, now))
            waiting[path] = (stamp, since if last == stamp else now)
            if now - waiting[path][1] >= STILL_SECONDS:
                settled.add(path)
        self.since = waiting
        return settled

    def remember(self, there: Mapping[str, Stamp], settled: set[str]) -> None:
        self.handled = dict(self.handled or {})
        for path in settled:
            if path in there:
                self.handled[path] = there[path]
            else:
                self.handled.pop(path, None)


def is_little(stamps: Sequence[Stamp]) -> bool:
    return len(stamps) <= SMALL_FILES and sum(size for size, _ in stamps) <= SMALL_BYTES


class SyncProcess:
    """`python -m ingestion sync` as a child of this process, `gently` or not; calling it returns the exit code."""

    def __init__(self, config: Config) -> None:
        documents = config.documents
        self.command = [
            *(sys.executable, "-m", "ingestion", "sync", "--json", "--started-by", "app"),
            *("--config", str(config.source), "--documents", str(documents.directory), "--index", str(documents.index)),
        ]
        self.gently = False
        self.process: subprocess.Popen[str] | None = None
        self.report: Mapping[str, Any] = {}
        self.last_error = ""

    def __call__(self) -> int:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")]))}
        command = [*self.command, "--gently"] if self.gently else self.command
        self.process = subprocess.Popen(
            command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        output, errors = self.process.communicate()
        code = self.process.returncode
        self.process = None
        self.last_error = "" if code in DONE else (errors.strip().splitlines() or [f"Indexing ended with code {code}."])[-1]
        if code in DONE:
            self.report = json.loads(output)
        elif code != BUSY:
            log.error("Indexing ended with code %s: %s", code, errors.strip())
        return code

    def terminate(self) -> None:
        if process := self.process:
            process.terminate()
