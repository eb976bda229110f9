"""The path of glossary.csv in; its glossary, read again whenever the file has changed, out."""

import logging
import threading
from pathlib import Path

from glossary.expand import Glossary
from rag.errors import GlossaryError
from rag.query import open_glossary

log = logging.getLogger(__name__)


class GlossaryFile:
    """Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.stamp: tuple[int, int, int] | None = None
        self.glossary: Glossary | None = None

    def current(self) -> Glossary:
        """One look at the file's date where nothing changed. Raises GlossaryError only while no glossary was ever read.

        A file with mistakes, half edited perhaps, leaves the glossary as it was; the Glossary page names the mistakes.
        """
        with self.lock:
            stamp = stamp_of(self.path)
            if self.glossary is None or stamp != self.stamp:
                try:
                    self.glossary = open_glossary(self.path)
                except GlossaryError as error:
                    if self.glossary is None:
                        raise
                    log.warning("The glossary stays as it was: %s", error)
                self.stamp = stamp
            return self.glossary


def stamp_of(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file is edited or replaced; None where it is not there."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
