"""Terms of chunks in, their compressed sparse columns out: which rows hold a term and how often, kept on disk.

A term is known by the first eight bytes of its BLAKE2b hash, so that a vocabulary of fifty million phrases is a sorted
array that needs no parsing (two of them meet by chance once in 15,000 such indexes). The other arrays are those of a
SciPy CSC matrix: `starts[t]:starts[t + 1]` is the stretch of `rows` and `counts` that belongs to term t.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from rag import stored
from rag.stored import Stored

MOST = np.iinfo(np.uint16).max  # a term is not counted beyond this in one row
SAMPLED = 512  # every so many terms one is kept in memory, so that finding a term reads one block of the vocabulary
ARRAYS = ("terms", "starts", "rows", "counts", "lengths", "sample")


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Each array is NumPy's or, but `lengths` and `sample`, a Stored one."""

    terms: Any  # uint64, ascending
    starts: Any  # uint32 or int64, one more than terms
    rows: Any  # int32
    counts: Any  # uint16
    lengths: np.ndarray  # int32: terms in each row, repetitions included
    sample: np.ndarray  # every 512th of the terms

    def __len__(self) -> int:
        return len(self.lengths)

    def find(self, term: str) -> slice:
        """Where the term's rows and counts stand; an empty slice when no row holds it."""
        key = np.uint64(term_key(term))
        first = max(0, int(self.sample.searchsorted(key, side="right")) - 1) * SAMPLED
        block = self.terms[first : first + SAMPLED]
        at = int(block.searchsorted(key))
        if at == len(block) or block[at] != key:
            return slice(0, 0)
        start, stop = self.starts[first + at : first + at + 2].tolist()
        return slice(start, stop)

    def mapped(self) -> "Postings":
        """The same with NumPy arrays only, for work on all of them."""
        arrays = (getattr(self, name) for name in ARRAYS)
        return Postings(*(array.mapped() if isinstance(array, Stored) else array for array in arrays))

    def save(self, directory: Path) -> None:
        directory.mkdir(parents=True)
        for name in ARRAYS:
            stored.save(directory / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, directory: Path) -> "Postings":
        terms, starts, rows, counts = (stored.opened(directory / f"{name}.npy") for name in ARRAYS[:4])
        lengths, sample = (np.load(directory / f"{name}.npy", allow_pickle=False) for name in ARRAYS[4:])
        return cls(terms, starts, rows, counts, lengths, sample)


def term_key(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")


class Builder:
    """Takes the terms of one row after the other and keeps twelve bytes of each."""

    def __init__(self) -> None:
        self.keys, self.counts = array("Q"), array("H")
        self.sizes, self.lengths = array("i"), array("i")

    def add(self, terms: Sequence[str]) -> None:
        counted = Counter(terms)
        self.keys.extend(map(term_key, counted))
        self.counts.extend(min(times, MOST) for times in counted.values())
        self.sizes.append(len(counted))
        self.lengths.append(len(terms))

    def finish(self) -> Postings:
        rows = np.repeat(np.arange(len(self.sizes), dtype=np.int32), self.sizes)
        terms, places = np.unique(np.frombuffer(self.keys, np.uint64), return_inverse=True)
        order = np.argsort(places, kind="stable")  # by term, and by row within a term
        counts = np.frombuffer(self.counts, np.uint16)
        return Postings(
            terms,
            ends(np.bincount(places, minlength=len(terms))),
            rows[order],
            counts[order],
            np.array(self.lengths, np.int32),
            terms[::SAMPLED],
        )


def ends(sizes: np.ndarray) -> np.ndarray:
    """Where each of these neighbouring stretches starts, and where the last one ends; in 32 bits while they suffice."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts.astype(width_for(starts[-1]), copy=False)


def width_for(most: int) -> type[np.unsignedinteger | np.signedinteger]:
    """The narrowest of the two types of `Postings.starts` that holds a number."""
    return np.uint32 if most <= np.iinfo(np.uint32).max else np.int64


def sizes_of(starts: np.ndarray) -> np.ndarray:
    return np.diff(starts).astype(np.int64)


def merge(old: Postings, *, kept: np.ndarray, new: Postings) -> Postings:
    """The kept rows of `old`, moved together in their order, then the rows of `new`; no text is looked at again."""
    old = old.mapped()
    terms, starts, rows, counts = old.terms, old.starts, old.rows, old.counts
    if not kept.all():
        stay = kept[rows]
        starts = np.concatenate([[0], np.cumsum(stay)])[old.starts]
        rows, counts = (np.cumsum(kept, dtype=np.int32) - 1)[rows[stay]], counts[stay]
        held = np.diff(starts) > 0
        terms, starts = terms[held], starts[np.append(held, True)]
    at = np.searchsorted(terms, new.terms)
    known = np.zeros(len(at), bool)
    known[at < len(terms)] = terms[at[at < len(terms)]] == new.terms[at < len(terms)]
    behind = np.repeat(
        starts[at + known].astype(np.int64), sizes_of(new.starts)
    )  # a new row stands behind the old rows of its term
    vocabulary = np.insert(terms, at[~known], new.terms[~known])
    places = at + np.cumsum(~known) - ~known  # of the new index's terms in the vocabulary of both
    rows_before = np.zeros(len(vocabulary) + 1, width_for(len(rows) + len(new.rows)))  # of the new ones, before each term
    rows_before[places + 1] = sizes_of(new.starts)
    np.cumsum(rows_before, out=rows_before)
    rows_before += np.insert(starts, at[~known], starts[at[~known]]).astype(rows_before.dtype, copy=False)
    return Postings(
        vocabulary,
        rows_before,
        np.insert(rows, behind, new.rows + np.int32(np.count_nonzero(kept))),
        np.insert(counts, behind, new.counts),
        np.concatenate([old.lengths[kept], new.lengths]),
        vocabulary[::SAMPLED],
    )


def columns(rows: Sequence[np.ndarray], values: np.ndarray, *, num_rows: int) -> csc_array:
    """A sparse matrix with a column for each array of rows, `values` being theirs in turn; to be multiplied by weights."""
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int32)  # as wide as the rows, or SciPy copies those into 64 bits
    return csc_array((values, np.concatenate(rows), starts), shape=(num_rows, len(rows)))
