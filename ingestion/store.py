"""Documents to keep and documents to add in, the next generation of the index out, live in one step or not at all."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from ingestion.segments import Segment, load_segment, plain_fields, save_segment, segment_path
from rag import dense, generation
from rag.config import Index
from rag.domain import Chunk, FileRecord, Parent
from rag.errors import IndexBusy, IndexDamaged, IndexFault, IndexMismatch, IndexMissing, NoEarlierIndex
from rag.generation import CHUNKS_FILE, COLUMNS_FILE, CURRENT, LEXICAL_DIRECTORY, PARENTS_FILE, Manifest
from rag.index import Columns, Snapshot, language_of, open_live
from rag.lexical import LexicalBuilder, LexicalIndex
from rag.texts import TextsWriter
from rag.word_order import WordOrderBuilder

__all__ = [
    "Segment",
    "load_segment",
    "open_base",
    "publish",
    "rollback",
    "save_segment",
    "segment_path",
    "verify",
    "writer_lock",
]

LOCK = "writer.lock"
PART = ".part"
NO_COLUMNS = Columns(*(np.zeros(0, np.int32) for _ in range(4)))


@contextmanager
def writer_lock(index_dir: Path, *, wait_seconds: float = 0.0) -> Iterator[None]:
    """Only one process may change an index; the lock falls with its process, however that ends. Raises IndexBusy."""
    index_dir.mkdir(parents=True, exist_ok=True)
    lock = FileLock(index_dir / LOCK, fallback_to_soft=False)
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise IndexBusy(f"Another process is changing {index_dir}. Wait until it is done, then run this again.") from None
    try:
        yield
    finally:
        lock.release()


def open_base(index_dir: Path, *, settings: Index) -> tuple[Snapshot | None, tuple[str, ...]]:
    """What the next generation can build on, every byte checked: the live one, else the newest sound one, else None.

    The sentences tell what is wrong with the live one; where there are any, publish even if no document changed.
    """
    try:
        return open_live(index_dir, nprobe=settings.nprobe, every_byte=True)
    except IndexMissing:
        return None, ()
    except (IndexDamaged, IndexMismatch) as error:
        return None, (str(error),)


def publish(
    index_dir: Path,
    *,
    keep: Mapping[str, FileRecord],
    add: Sequence[Segment],
    fingerprint: str,
    embedder_name: str,
    dimension: int,
    chunking: Mapping[str, Any],
    settings: Index,
    step: Callable[[str], None] = lambda name: None,
) -> str:
    """Make the kept documents (sha256 to what is now known of them) and the added ones live; returns the generation's name.

    No document may be in both. The caller holds the writer lock. `step` is told each stage before it begins. Whatever
    fails, the old generation stays live and nothing half-written is left. Raises IndexFault.
    """
    base, kept_from_work = sources(index_dir, keep, fingerprint=fingerprint, settings=settings)
    index_dir.mkdir(parents=True, exist_ok=True)
    name = f"gen-{1 + max(map(generation.number, generation.generations(index_dir)), default=0)}"
    about = Manifest(
        generation=name,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),  # no two generations share it
        embedder=embedder_name,
        fingerprint=fingerprint,
        dimension=dimension,
        chunking=chunking,
        chunks=0,
        parents=0,
        files=(),
        contents={},
    )
    part = index_dir / f"{name}{PART}"
    try:
        step("begin")
        remove_parts(index_dir)
        part.mkdir()
        manifest = write_contents(part, about, base, keep=keep, add=chain(kept_from_work, add), settings=settings, step=step)
        step("manifest")
        digest = generation.write_manifest(part, manifest)
        step("sync")
        generation.in_threads(sync, [part, *part.rglob("*")])
        step("rename")
        part.rename(index_dir / name)
        sync(index_dir)
        step("point")
        point_to(index_dir, name, digest)
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        if live_name(index_dir) != name:
            shutil.rmtree(index_dir / name, ignore_errors=True)
        if isinstance(error, OSError):
            raise IndexFault(
                f"The new index could not be written to {index_dir}: {error}. The one before it is still in use. Make room "
                "on the disk or correct the rights of the folder, then run `python -m ingestion sync`."
            ) from error
        raise
    step("collect")
    collect(index_dir, base=base.generation if base else "", keep_generations=settings.keep_generations)
    step("done")
    return name


def sources(
    index_dir: Path, keep: Mapping[str, FileRecord], *, fingerprint: str, settings: Index
) -> tuple[Snapshot | None, list[Segment]]:
    """Where the kept documents come from: a sound generation, and index/work for what a damaged one took with it."""
    if not keep:
        return None, []
    base, notices = open_base(index_dir, settings=settings)
    if base and base.manifest.fingerprint != fingerprint:
        raise IndexMismatch(
            f"{index_dir} was built with the embedding model {base.manifest.embedder} ({base.manifest.fingerprint}), the "
            f"configuration asks for {fingerprint}. Run `python -m ingestion rebuild`."
        )
    held = {record.sha256 for record in base.files} if base else set()
    segments = []
    for sha256, record in keep.items():
        if sha256 not in held:
            segment = load_segment(segment_path(index_dir, sha256))
            if segment is None:
                raise IndexDamaged(
                    f"{' '.join(notices)} {record.path} has to be read again. Run `python -m ingestion sync`.".strip()
                )
            segments.append(replace(segment, record=record))
    return base, segments


def write_contents(
    directory: Path,
    about: Manifest,
    base: Snapshot | None,
    *,
    keep: Mapping[str, FileRecord],
    add: Iterable[Segment],
    settings: Index,
    step: Callable[[str], None],
) -> Manifest:
    """Every file of a generation but its manifest, which is returned: the base's kept rows in their order, then the added.

    `add` is gone through once, so that it may load one document after the other.
    """
    step("texts")
    old = base.columns if base else NO_COLUMNS
    stays = np.array([record.sha256 in keep for record in base.files] if base else [], bool)
    kept, kept_parents = stays[old.file], stays[old.parent_file]
    records = [keep[record.sha256] for record in base.files if record.sha256 in keep] if base else []
    columns = [
        Columns(
            file=renumbered(stays)[old.file[kept]],
            page=old.page[kept],
            parent=renumbered(kept_parents)[old.parent[kept]],
            parent_file=renumbered(stays)[old.parent_file[kept_parents]],
        )
    ]
    parents = int(np.count_nonzero(kept_parents))
    vectors = [np.zeros((0, about.dimension), np.float32)]
    terms = LexicalBuilder()
    with TextsWriter(directory / CHUNKS_FILE) as chunk_texts, TextsWriter(directory / PARENTS_FILE) as parent_texts:
        if base:
            chunk_texts.copy(base.chunk_texts, kept)
            parent_texts.copy(base.parent_texts, kept_parents)
        for segment in add:
            record = segment.record
            chunk_texts.add(chunk_record(chunk, record.sha256) for chunk in segment.chunks)
            parent_texts.add(parent_record(parent, record.sha256) for parent in segment.parents)
            columns.append(columns_of(segment, file=len(records), first_parent=parents))
            vectors.append(checked_vectors(segment, about))
            for chunk in segment.chunks:
                terms.add(chunk.searched_text, language=language_of(record), shown=chunk.text)
            records.append(record)
            parents += len(segment.parents)
    if len({record.sha256 for record in records}) < len(records):
        raise ValueError("a document is to be kept and added at the same time")
    joined = Columns(*(np.concatenate([getattr(part, name) for part in columns]) for name in Columns.__slots__))
    joined.save(directory / COLUMNS_FILE)

    step("lexical")
    lexical = terms.finish()
    lexical = with_order(base).changed(kept=kept, new=lexical) if base else lexical
    lexical.save(directory / LEXICAL_DIRECTORY)

    step("dense")
    added = np.concatenate(vectors)
    index = base.dense.changed(kept=kept, added=added, settings=settings) if base else dense.build(added, settings=settings)
    index.save(directory)

    step("digests")
    return replace(
        about, chunks=len(joined.file), parents=parents, files=tuple(records), contents=generation.contents(directory)
    )


def with_order(base: Snapshot) -> LexicalIndex:
    """The base's lexical index; one of an older format gets the order of its words from the texts."""
    lexical = base.lexical
    if lexical.order is None:
        builder = WordOrderBuilder()
        for row in range(len(base)):
            builder.add(base.words_in(row))
        lexical.order = builder.finish()
    return lexical


def columns_of(segment: Segment, *, file: int, first_parent: int) -> Columns:
    places = {parent.id: first_parent + place for place, parent in enumerate(segment.parents)}
    return Columns(
        file=np.full(len(segment.chunks), file, np.int32),
        page=np.array([chunk.page for chunk in segment.chunks], np.int32),
        parent=np.array([places[chunk.parent] for chunk in segment.chunks], np.int32),
        parent_file=np.full(len(segment.parents), file, np.int32),
    )


def checked_vectors(segment: Segment, about: Manifest) -> np.ndarray:
    expected = (len(segment.chunks), about.dimension)
    if segment.vectors.shape != expected or not np.isfinite(segment.vectors).all():
        raise IndexFault(
            f"{segment.record.path}: its {segment.vectors.shape} embeddings are not {expected} finite numbers. "
            f"Delete the folder work in the index and run `python -m ingestion sync`."
        )
    return segment.vectors


def chunk_record(chunk: Chunk, sha256: str) -> dict[str, Any]:
    """What is stored of a chunk: path and title are left to the file's record."""
    return {"sha256": sha256, **{key: value for key, value in plain_fields(chunk).items() if key not in ("file", "document")}}


def parent_record(parent: Parent, sha256: str) -> dict[str, Any]:
    return {"sha256": sha256, **plain_fields(parent)}


def renumbered(kept: np.ndarray) -> np.ndarray:
    """Old place to new place, for those that stay."""
    return np.cumsum(kept, dtype=np.int32) - 1


def point_to(index_dir: Path, name: str, digest: str) -> None:
    """Make a finished generation the live one."""
    part = index_dir / f"{CURRENT}{PART}"
    with part.open("w", encoding="ascii") as stream:
        stream.write(f"{name} {digest}\n")
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(index_dir / CURRENT)
    sync(index_dir)


def sync(path: Path) -> None:
    """Have the disk confirm a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def live_name(index_dir: Path) -> str:
    """ "" where there is none."""
    try:
        return generation.named_by(generation.pointer(index_dir))[0]
    except IndexMissing:
        return ""


def collect(index_dir: Path, *, base: str, keep_generations: int) -> None:
    """Delete what is neither live nor among the sound generations before it; what was rolled back from goes too."""
    live = live_name(index_dir)
    before = generation.number(base) if base else generation.number(live) - 1
    kept = [live, *(n for n in reversed(generation.generations(index_dir)) if generation.number(n) <= before)]
    for name in set(generation.generations(index_dir)) - set(kept[:keep_generations]):
        shutil.rmtree(index_dir / name, ignore_errors=True)
    remove_parts(index_dir)


def remove_parts(index_dir: Path) -> None:
    for path in index_dir.glob(f"gen-*{PART}"):
        shutil.rmtree(path, ignore_errors=True)
    (index_dir / f"{CURRENT}{PART}").unlink(missing_ok=True)


def rollback(index_dir: Path) -> str:
    """Make the newest sound generation before the live one live; returns its name. Raises NoEarlierIndex, IndexMissing."""
    live = generation.named_by(generation.pointer(index_dir))[0]
    for name in reversed(generation.generations(index_dir)):
        if not live or generation.number(name) < generation.number(live):
            if problems_of(index_dir / name):
                continue
            digest = (index_dir / name / generation.MANIFEST_DIGEST).read_text(encoding="ascii").strip()
            point_to(index_dir, name, digest)
            return name
    raise NoEarlierIndex(
        f"There is nothing to go back to: {index_dir} holds no sound generation before {live or 'the live one'}. Run "
        "`python -m ingestion rebuild` to make the index anew."
    )


def verify(index_dir: Path) -> list[str]:
    """What is wrong with the index, a sentence each: every byte of every generation is read. Raises IndexMissing."""
    live = generation.named_by(generation.pointer(index_dir))
    problems = [] if live[0] else [f"{index_dir / CURRENT} is damaged. {generation.REPAIR}"]
    if live[0] and live[0] not in generation.generations(index_dir):
        problems.append(f"{index_dir / live[0]} is missing. {generation.REPAIR}")
    for name in generation.generations(index_dir):
        problems += problems_of(index_dir / name, digest=live[1] if name == live[0] else None)
    return problems


def problems_of(directory: Path, *, digest: str | None = None) -> list[str]:
    try:
        Snapshot.open(directory, nprobe=1, digest=digest, every_byte=True)
    except IndexFault as error:
        return [str(error)]
    return []
