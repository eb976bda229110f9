"""The words of chunks in, a number for each in the order of the text out, so that no text is cut into words again to see it.

Kept on disk beside the postings, which know how often a word stands in a chunk but not where.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rag import stored
from rag.postings import ends, term_key
from rag.stored import Stored

HOLDS_DIGIT = 1


@dataclass(frozen=True, slots=True, eq=False)
class WordOrder:
    numbers: Any  # uint32, NumPy's or Stored: one a word, chunk after chunk
    starts: np.ndarray  # one more than chunks

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, row: int) -> np.ndarray:
        return self.numbers[int(self.starts[row]) : int(self.starts[row + 1])]

    def save(self, directory: Path) -> None:
        directory.mkdir(parents=True)
        stored.save(directory / "numbers.npy", np.asarray(self.numbers))
        np.save(directory / "starts.npy", self.starts, allow_pickle=False)

    @classmethod
    def load(cls, directory: Path) -> "WordOrder":
        return cls(stored.opened(directory / "numbers.npy"), np.load(directory / "starts.npy", allow_pickle=False))

    def changed(self, *, kept: np.ndarray, new: "WordOrder") -> "WordOrder":
        """The kept chunks followed by those of `new`."""
        numbers = self.numbers.mapped() if isinstance(self.numbers, Stored) else self.numbers
        sizes = np.diff(self.starts).astype(np.int64)
        staying = numbers if kept.all() else numbers[np.repeat(kept, sizes)]
        return WordOrder(
            np.concatenate([staying, new.numbers]),
            ends(np.concatenate([sizes[kept], np.diff(new.starts).astype(np.int64)])),
        )


class WordOrderBuilder:
    def __init__(self) -> None:
        self.numbers, self.sizes = array("I"), array("i")

    def add(self, words: Sequence[str]) -> None:
        self.numbers.extend(map(number_of, words))
        self.sizes.append(len(words))

    def finish(self) -> WordOrder:
        return WordOrder(np.frombuffer(self.numbers, np.uint32), ends(np.frombuffer(self.sizes, np.int32)))


@lru_cache(maxsize=1 << 17)
def number_of(word: str) -> int:
    """31 bits of the word's hash, and a last one that tells whether it holds a digit."""
    return (term_key(word) & 0xFFFFFFFE) | (HOLDS_DIGIT if any(map(str.isdigit, word)) else 0)


def numbers_of(words: Iterable[str]) -> np.ndarray:
    return np.array([number_of(word) for word in words], np.uint32)
