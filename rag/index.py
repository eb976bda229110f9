"""The index directory in, a consistent snapshot of one generation out: vectors, BM25, columns, and texts read lazily."""

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rag import generation, tokens
from rag.config import Index
from rag.dense import DenseIndex
from rag.domain import Chunk, FileRecord, Parent
from rag.errors import IndexDamaged, IndexFault, IndexMismatch
from rag.generation import Manifest
from rag.lexical import LexicalIndex
from rag.progress import read_status
from rag.texts import Texts
from rag.word_order import numbers_of


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """One entry a chunk row, but `parent_file`, which has one a parent row. Rows of a file stand together."""

    file: np.ndarray  # place in Snapshot.files
    page: np.ndarray
    parent: np.ndarray  # parent row
    parent_file: np.ndarray

    def save(self, path: Path) -> None:
        np.savez(path, **{f"{name}s": getattr(self, name) for name in self.__slots__})  # "file" is taken by savez

    @classmethod
    def load(cls, path: Path) -> "Columns":
        with np.load(path, allow_pickle=False) as arrays:
            return cls(*(arrays[f"{name}s"] for name in cls.__slots__))


class Snapshot:
    """One generation; nothing in it ever changes, so it may be read from any number of threads."""

    def __init__(
        self, manifest: Manifest, dense: DenseIndex, lexical: LexicalIndex, columns: Columns, chunks: Texts, parents: Texts
    ) -> None:
        self.manifest = manifest
        self.dense = dense
        self.lexical = lexical
        self.columns = columns
        self.chunk_texts = chunks
        self.parent_texts = parents
        self.first_rows = np.searchsorted(columns.file, np.arange(len(manifest.files) + 1, dtype=columns.file.dtype)).tolist()

    @property
    def generation(self) -> str:
        return self.manifest.generation

    @property
    def files(self) -> tuple[FileRecord, ...]:
        return self.manifest.files

    @property
    def damaged(self) -> bool:
        """Whether something turned out not to be what was written; what is large is checked piece by piece as it is read."""
        return any(part.damaged for part in (self.chunk_texts, self.parent_texts, self.lexical, self.dense))

    def __len__(self) -> int:
        return self.manifest.chunks

    def __bool__(self) -> bool:
        """An index of nothing is an index all the same."""
        return True

    def chunk(self, row: int) -> Chunk:
        """Path and title come from the file's record, so that a rename or a corrected title rewrites no text."""
        file = self.files[self.columns.file[row]]
        return chunk_of(self.chunk_texts[row], file=file.path, document=file.title)

    def words_in(self, row: int) -> list[str]:
        """The words of a chunk's text in their order, as its language cuts them."""
        return tokens.words(self.chunk_texts[row]["text"], language_of(self.files[self.columns.file[row]]))

    def order_of(self, row: int) -> np.ndarray:
        """The numbers of those words (see `rag.word_order`), without reading the text where the index keeps them."""
        return self.lexical.order.of(row) if self.lexical.order is not None else numbers_of(self.words_in(row))

    def parent(self, row: int) -> Parent:
        return parent_of(self.parent_texts[row])

    def rows_of(self, file: int) -> np.ndarray:
        """The chunk rows of the file at this place in `files`."""
        return np.arange(self.first_rows[file], self.first_rows[file + 1])

    @classmethod
    def open(cls, directory: Path, *, nprobe: int, digest: str | None = None, every_byte: bool = False) -> "Snapshot":
        """Raises IndexDamaged naming the file, or IndexMismatch for another format."""
        manifest = generation.read_manifest(directory, digest=digest)
        if found := generation.damages(directory, manifest, every_byte=every_byte):
            raise IndexDamaged(f"{'; '.join(found)}. {generation.REPAIR}")
        try:
            snapshot = cls(
                manifest,
                DenseIndex.load(directory, nprobe=nprobe),
                LexicalIndex.load(directory / generation.LEXICAL_DIRECTORY),
                Columns.load(directory / generation.COLUMNS_FILE),
                Texts.load(directory / generation.CHUNKS_FILE),
                Texts.load(directory / generation.PARENTS_FILE),
            )
        except OSError as error:  # cleared away since it was checked
            raise IndexDamaged(generation.unreadable(error)) from None
        sizes = {len(snapshot.dense), len(snapshot.lexical), len(snapshot.columns.file), len(snapshot.chunk_texts)}
        if sizes != {manifest.chunks} or len(snapshot.parent_texts) != manifest.parents:
            raise IndexDamaged(f"The parts of {directory} count different numbers of chunks. {generation.REPAIR}")
        return snapshot


def language_of(record: FileRecord) -> str:
    found = record.metadata.get("language")
    return found.value if found else "english"


def chunk_of(record: dict[str, Any], *, file: str, document: str) -> Chunk:
    fields = {key: value for key, value in record.items() if key not in ("sha256", "section")}
    return Chunk(file=file, document=document, section=tuple(record["section"]), **fields)


def parent_of(record: dict[str, Any]) -> Parent:
    return Parent(**{key: value for key, value in record.items() if key != "sha256"})


def open_live(index_dir: Path, *, nprobe: int, every_byte: bool = False) -> tuple[Snapshot, tuple[str, ...]]:
    """The live generation, or the newest sound one before it and a sentence that says so. Raises IndexFault."""
    line = generation.pointer(index_dir)
    name, digest = generation.named_by(line)
    try:
        if not name:
            raise IndexDamaged(f"{index_dir / generation.CURRENT} is damaged. {generation.REPAIR}")
        return Snapshot.open(index_dir / name, nprobe=nprobe, digest=digest, every_byte=every_byte), ()
    except IndexDamaged as error:
        if generation.pointer(index_dir) != line:  # published meanwhile, and what we were opening was cleared away
            return open_live(index_dir, nprobe=nprobe, every_byte=every_byte)
        for earlier in reversed(generation.generations(index_dir)):
            if name and generation.number(earlier) >= generation.number(name):
                continue
            try:
                snapshot = Snapshot.open(index_dir / earlier, nprobe=nprobe, every_byte=every_byte)
            except IndexFault:
                continue
            return snapshot, (f"{error} Until then answers come from the index of {snapshot.manifest.made_on}.",)
        raise


class IndexReader:
    """Hands out the live snapshot; `refresh` replaces it as a whole, so a question that holds one keeps it to its end."""

    def __init__(self, index_dir: Path, *, fingerprint: str | None, settings: Index) -> None:
        self.index_dir = index_dir
        self.fingerprint = fingerprint  # of the embedder that embeds the questions; None where nothing is embedded
        self.settings = settings
        self.faults: tuple[str, ...] = ()  # of the live index, while an older one is served
        self.loaded: Snapshot | None = None
        self.seen: tuple[int, int] | None = None
        self.given_up: Snapshot | None = None  # damaged, and nothing sound to put in its place
        self.loading = threading.Lock()

    def snapshot(self) -> Snapshot:
        """The live snapshot, opened on first use. Raises IndexMissing, IndexDamaged, IndexMismatch."""
        if self.loaded is None or self.must_be_replaced(self.loaded):
            self.refresh()
        assert self.loaded is not None
        return self.loaded

    def refresh(self) -> bool:
        """Open what CURRENT names if it changed; true when another snapshot is served from now on.

        What is served already stays in service when the new one can't be opened, and `notices` says why.
        """
        with self.loading:
            seen, before = self.stamp(), self.loaded
            suspicious = before is not None and self.must_be_replaced(before)
            if before is not None and seen == self.seen and not suspicious:
                return False
            try:
                snapshot, faults = open_live(self.index_dir, nprobe=self.settings.nprobe, every_byte=suspicious)
                self.refuse_other_model(snapshot)
            except IndexFault as error:
                if before is None:
                    raise
                snapshot, faults = before, (f"{error} Until then answers come from the index of {before.manifest.made_on}.",)
                if suspicious:
                    self.given_up = before
            self.loaded, self.faults, self.seen = snapshot, faults, seen
            return before is None or snapshot.manifest.created != before.manifest.created

    @property
    def notices(self) -> tuple[str, ...]:
        """What is wrong with the live index and what to do; while a run that mends it is at work there is nothing to do."""
        if not self.faults or self.loaded is None or not read_status(self.index_dir).running:
            return self.faults
        return (f"The index is being built anew. Until then answers come from that of {self.loaded.manifest.made_on}.",)

    def must_be_replaced(self, snapshot: Snapshot) -> bool:
        return snapshot.damaged and snapshot is not self.given_up

    def stamp(self) -> tuple[int, int] | None:
        """Changes whenever CURRENT is replaced."""
        try:
            status = os.stat(self.index_dir / generation.CURRENT)
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def refuse_other_model(self, snapshot: Snapshot) -> None:
        manifest = snapshot.manifest
        if self.fingerprint is not None and manifest.fingerprint != self.fingerprint:
            raise IndexMismatch(
                f"{self.index_dir} was built with the embedding model {manifest.embedder} ({manifest.fingerprint}), the "
                f"configuration asks for {self.fingerprint}. Run `python -m ingestion rebuild`, or name the old model in "
                "config.toml [embedding]."
            )
