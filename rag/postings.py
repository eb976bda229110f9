"""Terms of chunks in, their compressed sparse columns out: which rows hold a term and how often, on disk and mapped back.

A term is known by the first eight bytes of its BLAKE2b hash, so that a vocabulary of fifty million phrases is a sorted
array that needs no parsing (two of them meet by chance once in 15,000 such indexes). The other arrays are those of a
SciPy CSC matrix: `starts[t]:starts[t + 1]` is the stretch of `rows` and `counts` that belongs to term t.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from scipy.sparse import csc_array

ARRAYS = ("terms", "starts", "rows", "counts", "lengths")


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    terms: np.ndarray  # uint64, ascending
    starts: np.ndarray  # int64, one more than terms
    rows: np.ndarray  # int32
    counts: np.ndarray  # uint16
    lengths: np.ndarray  # int32: terms in each row, repetitions included

    def __len__(self) -> int:
        return len(self.lengths)

    def find(self, term: str) -> slice:
        """Where the term's rows and counts stand; an empty slice when no row holds it."""
        key = np.uint64(term_key(term))
        at = int(np.searchsorted(self.terms, key))
        if at == len(self.terms) or self.terms[at] != key:
            return slice(0, 0)
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def save(self, directory: Path) -> None:
        directory.mkdir(parents=True)
        for name in ARRAYS:
            np.save(directory / f"{name}.npy", getattr(self, name), allow_pickle=False)

    @classmethod
    def load(cls, directory: Path) -> "Postings":
        """Mapped, not read: pages come in as queries touch them."""
        return cls(*(np.load(directory / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ARRAYS))


def term_key(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")


def build(rows_terms: Iterable[Sequence[str]]) -> Postings:
    """The postings of rows 0, 1, 2, … from the terms of each."""
    keys: dict[str, int] = {}
    columns: list[int] = []
    counts: list[int] = []
    sizes: list[int] = []
    lengths: list[int] = []
    for terms in rows_terms:
        counted = Counter(terms)
        for term in counted:
            key = keys.get(term)
            if key is None:
                key = keys[term] = term_key(term)
            columns.append(key)
        counts.extend(counted.values())
        sizes.append(len(counted))
        lengths.append(len(terms))
    rows = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    vocabulary, places = np.unique(np.array(columns, np.uint64), return_inverse=True)
    order = np.argsort(places, kind="stable")  # by term, rows ascending within it
    starts = np.zeros(len(vocabulary) + 1, np.int64)
    np.cumsum(np.bincount(places, minlength=len(vocabulary)), out=starts[1:])
    counted_once = np.minimum(np.array(counts, np.int64), np.iinfo(np.uint16).max).astype(np.uint16)
    return Postings(vocabulary, starts, rows[order], counted_once[order], np.array(lengths, np.int32))


def merge(old: Postings, *, kept: np.ndarray, new: Postings) -> Postings:
    """The kept rows of `old`, moved together in their order, then the rows of `new`; no text is looked at again."""
    new_places = np.cumsum(kept, dtype=np.int32) - 1
    if kept.all():
        rows, counts, starts, terms = old.rows, old.counts, np.asarray(old.starts), np.asarray(old.terms)
    else:
        stay = kept[old.rows]
        before = np.zeros(len(stay) + 1, np.int64)
        np.cumsum(stay, out=before[1:])
        starts = before[old.starts]
        used = np.diff(starts) > 0
        rows, counts, terms = new_places[old.rows[stay]], old.counts[stay], old.terms[used]
        starts = np.append(starts[:-1][used], starts[-1])
    shift = np.int32(np.count_nonzero(kept))
    vocabulary = np.union1d(terms, new.terms)
    old_at, new_at = np.searchsorted(vocabulary, terms), np.searchsorted(vocabulary, new.terms)
    sizes = np.zeros(len(vocabulary), np.int64)
    sizes[old_at] += np.diff(starts)
    sizes[new_at] += np.diff(new.starts)
    merged_starts = np.zeros(len(vocabulary) + 1, np.int64)
    np.cumsum(sizes, out=merged_starts[1:])
    # A new row stands behind the old rows of its term: its place is where the term ends less what follows it there.
    old_ends = np.zeros(len(vocabulary), np.int64)
    old_ends[old_at] = np.diff(starts)
    ends = np.cumsum(old_ends)
    at = np.repeat(ends[new_at], np.diff(new.starts))
    return Postings(
        vocabulary,
        merged_starts,
        np.insert(rows, at, new.rows + shift),
        np.insert(counts, at, new.counts),
        np.concatenate([old.lengths[kept], new.lengths]),
    )


def columns(parts: Sequence[tuple[np.ndarray, np.ndarray]], *, num_rows: int) -> csc_array:
    """A sparse matrix whose columns are the given (rows, values), for products with a weight a column."""
    starts = np.cumsum([0, *(len(rows) for rows, _ in parts)])
    rows = np.concatenate([rows for rows, _ in parts])
    values = np.concatenate([values for _, values in parts])
    return csc_array((values, rows, starts), shape=(num_rows, len(parts)))
