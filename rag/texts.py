"""Dictionaries of builtins in, a stream of pickles on disk, single ones read back lazily and each checked by its digest.

The stream is what `chunked_docs.pkl` is: one pickle after another, so that a tool can load them in turn. Ours are read
by an unpickler that refuses every class, so a foreign file can't run code here. Beside it, `<name>.npz` holds where each
record starts and the first 16 bytes of its SHA-256.
"""

import io
import os
import pickle
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rag.errors import IndexDamaged
from rag.stored import DIGEST_BYTES, REPAIR

COPIED_AT_ONCE = 1 << 22
PROTOCOL = 4


class BuiltinsOnly(pickle.Unpickler):
    """Loads None, numbers, strings, bytes, tuples, lists, dictionaries and sets; nothing else can be named in a pickle."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"refers to {module}.{name}, and no class or function is ever loaded from an index")


def load_builtins(data: bytes) -> Any:
    """The object of one pickle. Raises pickle.UnpicklingError for anything that is not made of builtins."""
    try:
        return BuiltinsOnly(io.BytesIO(data)).load()
    except pickle.UnpicklingError:
        raise
    except Exception as error:  # a damaged pickle raises nearly anything: EOFError, KeyError, MemoryError, …
        raise pickle.UnpicklingError(f"is not a pickle: {type(error).__name__}: {error}") from error


class Texts:
    """The records of one stream. Reading is safe from any number of threads."""

    def __init__(self, path: Path, offsets: np.ndarray, digests: np.ndarray) -> None:
        self.path = path
        self.offsets = offsets  # int64, one more than records
        self.digests = digests
        self.damaged = False  # a record failed its digest: the generation had better not be used any longer
        self.descriptor = os.open(path, os.O_RDONLY)

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)

    def __len__(self) -> int:
        return len(self.digests)

    def __getitem__(self, row: int) -> dict[str, Any]:
        """Raises IndexDamaged when the record is not the one that was written."""
        start, end = int(self.offsets[row]), int(self.offsets[row + 1])
        data = os.pread(self.descriptor, end - start, start)
        if sha256(data).digest()[:DIGEST_BYTES] != self.digests[row].tobytes():
            self.damaged = True
            raise IndexDamaged(f"{self.path} is damaged at byte {start:,}. {REPAIR}")
        try:
            return load_builtins(data)
        except pickle.UnpicklingError as error:
            self.damaged = True
            raise IndexDamaged(f"{self.path} at byte {start:,} {error}. Run `python -m ingestion rebuild`.") from error

    @classmethod
    def load(cls, path: Path) -> "Texts":
        with np.load(beside(path), allow_pickle=False) as arrays:
            return cls(path, arrays["offsets"], arrays["digests"])


class TextsWriter:
    """Writes a stream: new records, or those of an older stream as they are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stream: BinaryIO = path.open("xb")
        self.sizes: list[np.ndarray] = []
        self.digests: list[np.ndarray] = []

    def add(self, records: Iterable[dict[str, Any]]) -> None:
        pickles = [pickle.dumps(record, PROTOCOL) for record in records]
        self.stream.write(b"".join(pickles))
        self.sizes.append(np.array([len(data) for data in pickles], np.int64))
        digests = b"".join(sha256(data).digest()[:DIGEST_BYTES] for data in pickles)
        self.digests.append(np.frombuffer(digests, np.uint8).reshape(-1, DIGEST_BYTES))

    def copy(self, texts: Texts, kept: np.ndarray) -> None:
        """The kept records of another stream, bytes and digests as they are."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], kept, [False]])))
        for start, stop in edges.reshape(-1, 2):  # stretches of neighbours
            at, end = int(texts.offsets[start]), int(texts.offsets[stop])
            while at < end:
                data = os.pread(texts.descriptor, min(end - at, COPIED_AT_ONCE), at)
                if not data:
                    raise IndexDamaged(f"{texts.path} ends at byte {at:,}, before its last record. {REPAIR}")
                self.stream.write(data)
                at += len(data)
        self.sizes.append(np.diff(texts.offsets)[kept])
        self.digests.append(texts.digests[kept])

    def __enter__(self) -> "TextsWriter":
        return self

    def __exit__(self, *error: object) -> None:
        self.stream.close()
        sizes = np.concatenate([np.zeros(1, np.int64), *self.sizes])
        digests = np.concatenate([np.zeros((0, DIGEST_BYTES), np.uint8), *self.digests])
        np.savez(beside(self.path), offsets=np.cumsum(sizes), digests=digests)


def beside(path: Path) -> Path:
    return path.with_suffix(".npz")
