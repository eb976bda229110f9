"""A NumPy array in a .npy file in, stretches and single rows of it out; a large one is checked block by block as it is read.

Small files are checked whole when the index is opened. Reading gigabytes through would make opening slow, so beside a
large array lie the digests of its blocks, and a block is checked the first time that any of it is read.
"""

import mmap
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import IndexDamaged

BLOCK = 1 << 14  # bytes
DIGEST_BYTES = 16
CHECKED_BY_BLOCK_ABOVE = 128 << 20  # bytes; what is smaller takes less than a tenth of a second to open
IN_MEMORY_UP_TO = 4 << 20  # bytes
GIVEN_BACK_AFTER = 2000  # rows; how much the kernel maps around each, it decides: at most the whole file
REPAIR = "Run `python -m ingestion sync` to repair the index."


class Stored:
    """Reading is safe from any number of threads.

    Stretches are read, not mapped: the kernel maps 64 kB around each place touched, and after some hundred questions to a
    million chunks a gigabyte of vocabulary counted as ours. Rows here and there are gathered from a mapping, which is
    given back now and then.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = False  # a block failed its digest: the generation had better not be used any longer
        self.descriptor = os.open(path, os.O_RDONLY)
        digests = blocks_beside(path)
        self.digests = digests.read_bytes() if digests.exists() else b""
        self.unread = bytearray(b"\1") * (len(self.digests) // DIGEST_BYTES)  # a one for each block that was not checked yet
        self.check(0, 1)  # before anything is made of the header
        whole = self.mapped()
        self.offset = whole.offset
        self.mapping = mmap.mmap(self.descriptor, 0, access=mmap.ACCESS_READ)
        self.array = np.ndarray(whole.shape, whole.dtype, self.mapping, self.offset)
        self.taken = 0  # rows, since the mapping was given back
        self.row_bytes = self.array[:1].nbytes if len(self.array) else 1
        self.row_shape = self.array.shape[1:]

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, stretch: slice) -> np.ndarray:
        """Raises IndexDamaged when a block is not the one that was written."""
        first, last, _ = stretch.indices(len(self.array))
        start, stop = self.offset + first * self.row_bytes, self.offset + last * self.row_bytes
        self.check(start, stop)
        read = np.frombuffer(os.pread(self.descriptor, max(stop - start, 0), start), self.array.dtype)
        return read.reshape(-1, *self.row_shape) if self.row_shape else read

    def take(self, rows: np.ndarray) -> np.ndarray:
        """A copy of some rows. Raises IndexDamaged."""
        if 1 in self.unread:
            starts = self.offset + rows * self.row_bytes
            touched = np.concatenate([starts, starts + self.row_bytes - 1]) // BLOCK
            for number in np.unique(touched[np.frombuffer(self.unread, bool)[touched]]).tolist():
                self.check(number * BLOCK, number * BLOCK + 1)
        taken = np.asarray(self.array[rows])
        self.taken += len(rows)
        if self.taken > GIVEN_BACK_AFTER:
            self.taken = 0
            self.mapping.madvise(mmap.MADV_DONTNEED)
        return taken

    def check(self, start: int, stop: int) -> None:
        """Compares the blocks of a stretch of bytes with their digests where that has not been done yet."""
        first, last = start // BLOCK, -(-stop // BLOCK)
        number = first - 1
        while (number := self.unread.find(1, number + 1, last)) >= 0:
            data = os.pread(self.descriptor, BLOCK, number * BLOCK)
            if sha256(data).digest()[:DIGEST_BYTES] != self.digests[number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES]:
                self.damaged = True
                raise IndexDamaged(f"{self.path} is damaged at byte {number * BLOCK:,}. {REPAIR}")
            self.unread[number] = 0

    def mapped(self) -> np.memmap:
        """The whole array, unchecked: for work on all of an index of which every byte was checked before."""
        return np.load(self.path, mmap_mode="r", allow_pickle=False)


def opened(path: Path) -> Any:
    """The array itself where it is small, else a Stored one."""
    return np.load(path, allow_pickle=False) if path.stat().st_size <= IN_MEMORY_UP_TO else Stored(path)


def save(path: Path, array: np.ndarray) -> None:
    """Writes the array and, where it is large, the digests of its blocks beside it."""
    np.save(path, array, allow_pickle=False)
    if path.stat().st_size > CHECKED_BY_BLOCK_ABOVE:
        with path.open("rb") as stream:
            digests = [sha256(block).digest()[:DIGEST_BYTES] for block in iter(lambda: stream.read(BLOCK), b"")]
        blocks_beside(path).write_bytes(b"".join(digests))


def blocks_beside(path: Path) -> Path:
    return path.with_suffix(".blocks")
