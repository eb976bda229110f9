"""A question's vector in, the chunks with the nearest vectors out; FAISS, exact while that is fast enough.

Up to `exact_up_to` rows the vectors are kept and compared in 32-bit floats, up to `half_up_to` in 16-bit floats, above
that by IVF with 8-bit scalar quantisation (at a million rows 1.8 ms a question against 141 ms; recall@50 0.98).
The IVF codes are too coarse to rank by and to train another index from, so its vectors lie beside it in 16-bit floats.
"""

import errno
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import faiss
import numpy as np

from rag import stored
from rag.config import Index
from rag.ranking import Ranking, best
from rag.stored import Stored

Kind = Literal["exact", "half", "ivf"]
NAMES: dict[Kind, str] = {"exact": "Flat", "half": "SQfp16"}
INDEX_FILE, VECTORS_FILE = "vectors.faiss", "vectors.npy"
TRAINING_ROWS_A_LIST = 50  # FAISS warns below 39
TRAINING_ROUNDS = 10
ADDED_AT_ONCE = 65536
PROCESSORS = os.cpu_count() or 1
searching = threading.local()  # OpenMP keeps its number of threads for each of ours
SHORTLIST = 200  # of an IVF's results so many are compared again by their 16-bit floats


class DenseIndex:
    def __init__(self, index: Any, *, nprobe: int, half_vectors: Any = None) -> None:
        self.index = index
        self.nprobe = nprobe
        self.half_vectors = half_vectors  # of an IVF only: NumPy's or Stored
        # FAISS is not asked again for what it knows: each call lets go of the interpreter lock, and another may take it.
        self.total: int = index.ntotal
        self.dimension: int = index.d
        self.kind: Kind = "exact"
        if isinstance(index, faiss.IndexIVF):
            self.kind = "ivf"
        elif isinstance(index, faiss.IndexScalarQuantizer):
            self.kind = "half"
        self.lists: int = index.nlist if self.kind == "ivf" else 1
        self.unfiltered = self.parameters(None, nprobe=min(nprobe, self.lists))

    def __len__(self) -> int:
        return self.total

    @property
    def damaged(self) -> bool:
        return isinstance(self.half_vectors, Stored) and self.half_vectors.damaged

    def search(self, vector: np.ndarray, *, num_results: int, allowed: np.ndarray | None = None) -> Ranking:
        """The rows with the highest inner product; `num_results` of them if that many are allowed."""
        possible = self.total if allowed is None else int(np.count_nonzero(allowed))
        wanted = min(num_results, possible)
        if wanted == 0:
            return Ranking(np.zeros(0, np.int64), np.zeros(0, np.float32))
        search_in_one_thread()
        query = np.ascontiguousarray(vector, np.float32).reshape(1, -1)
        # Under a narrow filter the near lists may hold too few allowed rows: look into more of them, at worst into all.
        nprobe = min(self.lists, math.ceil(self.nprobe * self.total / possible))
        selector = None if allowed is None else selecting(allowed)
        parameters = self.unfiltered if selector is None else self.parameters(selector, nprobe=nprobe)
        if self.kind != "ivf":
            rows, scores = found(*self.index.search(query, wanted, params=parameters))
            return best(rows, scores, num_results=wanted)
        shortlist = min(max(wanted, SHORTLIST), possible)
        rows, _ = found(*self.index.search(query, shortlist, params=parameters))
        if len(rows) < shortlist and nprobe < self.lists:
            rows, _ = found(*self.index.search(query, shortlist, params=self.parameters(selector, nprobe=self.lists)))
        return best(rows, self.vectors_of(rows) @ query[0], num_results=wanted)

    def parameters(self, selector: Any, *, nprobe: int) -> Any:
        if self.kind == "ivf":
            return faiss.SearchParametersIVF(sel=selector, nprobe=nprobe)  # type: ignore[call-arg]
        return faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]

    def vectors_of(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of some rows in 32-bit floats, without a copy of all."""
        if not len(rows):
            return np.zeros((0, self.dimension), np.float32)
        if self.half_vectors is None:
            return self.index.reconstruct_batch(np.ascontiguousarray(rows, np.int64))
        half = self.half_vectors.take(rows) if isinstance(self.half_vectors, Stored) else self.half_vectors[rows]
        return half.astype(np.float32)

    def vectors(self) -> np.ndarray:
        """Every vector as it is kept: float32 rows of an exact index, else float16."""
        if self.half_vectors is not None:
            return self.half_vectors.mapped() if isinstance(self.half_vectors, Stored) else self.half_vectors
        codes = faiss.vector_to_array(self.index.codes)
        return codes.view(np.float32 if self.kind == "exact" else np.float16).reshape(len(self), self.dimension)

    def changed(self, *, kept: np.ndarray, added: np.ndarray, settings: Index) -> "DenseIndex":
        """The index of the kept rows followed by the added ones; vectors keep the precision they have."""
        staying = int(np.count_nonzero(kept))
        total = staying + len(added)
        kind = kind_for(total, settings)
        vectors = np.empty((total, self.dimension), np.float32 if kind == "exact" else np.float16)
        vectors[:staying] = self.vectors() if staying == len(kept) else self.vectors()[kept]
        vectors[staying:] = added
        if kind == self.kind == "ivf" and still_fits(self.index, total):
            index = carried_over(self.index, kept)
            with openmp_threads(PROCESSORS):
                fill(index, vectors[index.ntotal :])
            return DenseIndex(index, nprobe=settings.nprobe, half_vectors=vectors)
        return build(vectors, settings=settings)

    def save(self, directory: Path) -> None:
        with operating_system_errors(directory / INDEX_FILE):
            faiss.write_index(self.index, str(directory / INDEX_FILE))
        if self.half_vectors is not None:
            stored.save(directory / VECTORS_FILE, self.half_vectors)

    @classmethod
    def load(cls, directory: Path, *, nprobe: int) -> "DenseIndex":
        """Mapped, so opening reads next to nothing and processes share the memory. Raises OSError."""
        with operating_system_errors(directory / INDEX_FILE):
            index: Any = faiss.read_index(str(directory / INDEX_FILE), faiss.IO_FLAG_MMAP_IFC)
        beside = directory / VECTORS_FILE
        half = Stored(beside) if beside.exists() else None
        return cls(index, nprobe=nprobe, half_vectors=half)


def build(vectors: np.ndarray, *, settings: Index) -> DenseIndex:
    """The index of unit vectors, of the kind that their number asks for."""
    total, dimension = vectors.shape
    kind = kind_for(total, settings)
    if kind != "ivf":
        index: Any = faiss.index_factory(dimension, NAMES[kind], faiss.METRIC_INNER_PRODUCT)
        fill(index, vectors)
        return DenseIndex(index, nprobe=settings.nprobe)
    vectors = vectors.astype(np.float16, copy=False)
    lists = lists_for(total)
    index = faiss.index_factory(dimension, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.cp.niter = TRAINING_ROUNDS
    sample = np.sort(np.random.default_rng(0).permutation(total)[: lists * TRAINING_ROWS_A_LIST])
    with openmp_threads(PROCESSORS):
        index.train(vectors[sample].astype(np.float32))
        fill(index, vectors)
    return DenseIndex(index, nprobe=settings.nprobe, half_vectors=vectors)


def fill(index: Any, vectors: np.ndarray) -> None:
    for at in range(0, len(vectors), ADDED_AT_ONCE):
        index.add(np.ascontiguousarray(vectors[at : at + ADDED_AT_ONCE], np.float32))


def carried_over(index: Any, kept: np.ndarray) -> Any:
    """An IVF of the rows that stay, with their lists and codes as they are and their new numbers.

    Copied list by list, because `faiss.clone_index` crashes on an IVF whose file is mapped.
    """
    quantizer: Any = faiss.clone_index(index.quantizer)
    copy: Any = faiss.IndexIVFScalarQuantizer(quantizer, index.d, index.nlist, faiss.ScalarQuantizer.QT_8bit, index.metric_type)
    copy.own_fields = True
    quantizer.this.disown()
    copy.by_residual, copy.sq, copy.is_trained = index.by_residual, index.sq, True
    places = np.cumsum(kept) - 1
    for number in range(index.nlist):
        size = index.invlists.list_size(number)
        if size:
            ids = faiss.rev_swig_ptr(index.invlists.get_ids(number), size)
            codes = faiss.rev_swig_ptr(index.invlists.get_codes(number), size * index.code_size).reshape(size, -1)
            stay = kept[ids]
            ids, codes = places[ids[stay]], np.ascontiguousarray(codes[stay])
            copy.invlists.add_entries(number, len(ids), faiss.swig_ptr(ids), faiss.swig_ptr(codes))
    copy.ntotal = int(np.count_nonzero(kept))
    return copy


def kind_for(total: int, settings: Index) -> Kind:
    if total <= settings.exact_up_to:
        return "exact"
    return "half" if total <= settings.half_up_to else "ivf"


def lists_for(total: int) -> int:
    """FAISS advises 4 to 16 times the root of the number of rows; a power of two near the lower end."""
    return 2 ** round(math.log2(4 * math.sqrt(total)))


def still_fits(index: Any, total: int) -> bool:
    """Whether the number of lists is within a factor of two of what a new index would get."""
    return index.nlist / 2 <= lists_for(total) <= index.nlist * 2


def selecting(rows: np.ndarray) -> Any:
    """FAISS's filter for the rows that are true."""
    return faiss.IDSelectorBitmap(np.packbits(rows, bitorder="little"))  # type: ignore[call-arg, arg-type]


@contextmanager
def operating_system_errors(path: Path) -> Iterator[None]:
    """FAISS tells of a full disk or a missing file by RuntimeError."""
    try:
        yield
    except RuntimeError as error:
        raise OSError(errno.EIO, str(error), str(path)) from error


def search_in_one_thread() -> None:
    """Two are slower (42 ms against 17 ms at 100,000 rows), and other questions need the rest."""
    if not getattr(searching, "in_one_thread", False):
        faiss.omp_set_num_threads(1)
        searching.in_one_thread = True


@contextmanager
def openmp_threads(number: int) -> Iterator[None]:
    """OpenMP keeps the number for each of our threads, so it has to be set in the one that calls FAISS."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(number)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def found(scores: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of FAISS's answer to one query, and their scores; it fills up with row -1 where it found fewer."""
    real = rows[0] >= 0
    return rows[0][real], scores[0][real]
