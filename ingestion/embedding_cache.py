"""Texts in, the vectors that were computed for them before out; one SQLite file that survives kills and is safe to delete."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import numpy as np

from rag.errors import IndexFault

T = TypeVar("T")
CHECKSUM_BYTES = 4
ASKED_AT_ONCE = 500  # SQLite allows 999 parameters in its older builds
MOST_VECTORS = 200_000  # some 400 MB; of more, those that were not asked for longest go
DAY = 86_400  # seconds
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vectors (fingerprint TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL,"
    " day INTEGER NOT NULL, PRIMARY KEY (fingerprint, digest)) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS vectors_by_day ON vectors (day)",
    "DROP TABLE IF EXISTS embeddings",  # of a version that did not keep the day
)


class EmbeddingCache:
    """Vectors by embedder fingerprint and the SHA-256 of the text, each with a checksum; the text itself is not stored."""

    def __init__(self, path: Path, *, most: int = MOST_VECTORS) -> None:
        self.path = path
        self.most = most
        path.parent.mkdir(parents=True, exist_ok=True)

    def get(self, fingerprint: str, texts: Sequence[str]) -> list[np.ndarray | None]:
        """A vector for each text, None for those that are not there. Raises IndexFault."""
        digests = [digest(text) for text in texts]
        day = today()

        def look_up(connection: sqlite3.Connection) -> dict[bytes, np.ndarray | None]:
            found: dict[bytes, np.ndarray | None] = {}
            for at in range(0, len(digests), ASKED_AT_ONCE):
                asked = digests[at : at + ASKED_AT_ONCE]
                marks = ", ".join("?" * len(asked))
                where = f"WHERE fingerprint = ? AND digest IN ({marks})"
                query = f"SELECT digest, vector FROM vectors {where}"
                found.update((key, unsealed(blob)) for key, blob in connection.execute(query, [fingerprint, *asked]))
                connection.execute(f"UPDATE vectors SET day = ? {where} AND day <> ?", [day, fingerprint, *asked, day])
            return found

        found = self.in_transaction(look_up)
        return [found.get(key) for key in digests]

    def put(self, fingerprint: str, texts: Sequence[str], vectors: np.ndarray) -> None:
        """Raises IndexFault."""
        day = today()
        rows = [(fingerprint, digest(text), sealed(vector), day) for text, vector in zip(texts, vectors, strict=True)]

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
            (held,) = connection.execute("SELECT COUNT(*) FROM vectors INDEXED BY vectors_by_day").fetchone()
            if held > self.most:
                oldest = "SELECT fingerprint, digest FROM vectors ORDER BY day LIMIT ?"
                connection.execute(f"DELETE FROM vectors WHERE (fingerprint, digest) IN ({oldest})", [held - self.most])

        self.in_transaction(insert)

    def in_transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """A file that is no database any more is thrown away and begun again: everything in it can be computed."""
        try:
            try:
                return self.attempt(work)
            except sqlite3.OperationalError:  # busy, no room, no rights: not the file's fault
                raise
            except sqlite3.DatabaseError:
                for suffix in ("", "-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
                return self.attempt(work)
        except (sqlite3.Error, OSError) as error:
            raise IndexFault(
                f"The cache of embeddings {self.path} can't be used: {error}. Make room on the disk, correct its rights or "
                "delete it, then run `python -m ingestion sync`."
            ) from error

    def attempt(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self.opened()
        try:
            with connection:
                return work(connection)
        finally:
            connection.close()

    def opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=30)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            for statement in SCHEMA:
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection


def sealed(vector: np.ndarray) -> bytes:
    data = np.asarray(vector, np.float32).tobytes()
    return data + crc32(data).to_bytes(CHECKSUM_BYTES)


def unsealed(blob: bytes) -> np.ndarray | None:
    """None when a bit of it has changed, which SQLite itself would not notice."""
    data, checksum = blob[:-CHECKSUM_BYTES], blob[-CHECKSUM_BYTES:]
    return np.frombuffer(data, np.float32) if crc32(data).to_bytes(CHECKSUM_BYTES) == checksum else None


def today() -> int:
    return int(time.time() // DAY)


def digest(text: str) -> bytes:
    return sha256(text.encode()).digest()
