"""Paths of documents in, the documents as read out in the order they are ready; several are read at the same time."""

import contextlib
import queue
import threading
from collections.abc import Callable, Generator, Sequence

from ingestion.reading import ReadDocument
from ingestion.text_sources import read_source
from rag.config import Config

IDLE_SECONDS = 0.5


class Stopped(Exception):
    """The run has ended; the reading of a document that is going on ends at its next page."""


def read_ahead(
    config: Config, paths: Sequence[str], tell: Callable[[str, int, int], None]
) -> Generator[tuple[int, ReadDocument] | None, None, None]:
    """Yields (place in `paths`, document), and None when none was ready for half a second, which is time for other work.

    `tell` is called with path, page and pages from other threads.

    PDFs are parsed in processes of their own, so threads that wait for them are enough. They hold no more than
    two documents each, and don't outlive the program when it is interrupted.
    """
    waiting: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
    ready: queue.Queue[tuple[int, ReadDocument | BaseException]] = queue.Queue(maxsize=config.reading.workers)
    stopping = threading.Event()
    for item in enumerate(paths):
        waiting.put(item)

    def hand_over(place: int, outcome: ReadDocument | BaseException) -> None:
        while not stopping.is_set():
            with contextlib.suppress(queue.Full):
                ready.put((place, outcome), timeout=0.5)
                return

    def read_next() -> None:
        while not stopping.is_set():
            try:
                place, path = waiting.get_nowait()
            except queue.Empty:
                return

            def page_read(page: int, pages: int, path: str = path) -> None:
                if stopping.is_set():
                    raise Stopped
                tell(path, page, pages)

            try:
                hand_over(place, read_source(config.documents.directory / path, config, progress=page_read))
            except Stopped:
                return
            except BaseException as error:
                hand_over(place, error)

    for number in range(min(config.reading.workers, len(paths))):
        threading.Thread(target=read_next, name=f"reader {number + 1}", daemon=True).start()
    try:
        missing = len(paths)
        while missing:
            try:
                place, outcome = ready.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                yield None
                continue
            if isinstance(outcome, BaseException):
                raise outcome
            missing -= 1
            yield place, outcome
    finally:
        stopping.set()
