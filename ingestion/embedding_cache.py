"""Texts in, the vectors that were computed for them before out; one SQLite file that survives kills and is safe to delete."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np

ASKED_AT_ONCE = 500  # SQLite allows 999 parameters in its older builds
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS embeddings"
    " (fingerprint TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (fingerprint, digest)) WITHOUT ROWID"
)


class EmbeddingCache:
    """Vectors by embedder fingerprint and the SHA-256 of the text; the text itself is not stored."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    def get(self, fingerprint: str, texts: Sequence[str]) -> list[np.ndarray | None]:
        digests = [digest(text) for text in texts]
        found: dict[bytes, np.ndarray] = {}
        with self.connection() as connection:
            for at in range(0, len(digests), ASKED_AT_ONCE):
                asked = digests[at : at + ASKED_AT_ONCE]
                marks = ", ".join("?" * len(asked))
                rows = connection.execute(
                    f"SELECT digest, vector FROM embeddings WHERE fingerprint = ? AND digest IN ({marks})",
                    [fingerprint, *asked],
                )
                found.update((key, np.frombuffer(vector, np.float32)) for key, vector in rows)
        return [found.get(key) for key in digests]

    def put(self, fingerprint: str, texts: Sequence[str], vectors: np.ndarray) -> None:
        rows = [
            (fingerprint, digest(text), np.asarray(vector, np.float32).tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        with self.connection() as connection:
            connection.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)", rows)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """One transaction. A file that is no database any more is thrown away: it can be computed again."""
        try:
            connection = self.opened()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # busy, disk full, no rights: not the file's fault
                raise
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            connection = self.opened()
        try:
            with connection:
                yield connection
        finally:
            connection.close()

    def opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=30)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection


def digest(text: str) -> bytes:
    return sha256(text.encode()).digest()
