"""The directory of an index: which generations there are, which is live, what a generation holds, and whether it is whole.

    index/CURRENT                    "gen-7 <sha256 of its manifest>"; replaced in one step
    index/gen-7/manifest.json        this file's own digest stands in manifest.sha256
               /vectors.faiss        (and vectors.npy above `half_up_to` chunks)
               /bm25/{words,phrases,references,order}/*.npy, bm25/about.json
               /chunked_docs.pkl     with chunked_docs.npz: the chunks' texts, one by one
               /parents.pkl          with parents.npz
               /columns.npz

Beside a large .npy the digests of its blocks lie in .blocks. A generation is written once, under the name gen-7.part, and
never changed after it got its own name.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rag.domain import ApprovalRule, FileRecord, MetadataValue
from rag.errors import IndexDamaged, IndexMismatch, IndexMissing
from rag.progress import read_status
from rag.records import from_plain, to_plain
from rag.stored import CHECKED_BY_BLOCK_ABOVE, REPAIR, blocks_beside

SCHEMA = 1
CURRENT, MANIFEST, MANIFEST_DIGEST = "CURRENT", "manifest.json", "manifest.sha256"
CHUNKS_FILE, PARENTS_FILE, COLUMNS_FILE, LEXICAL_DIRECTORY = "chunked_docs.pkl", "parents.pkl", "columns.npz", "bm25"
NAME = re.compile(r"gen-(\d+)")
TEXTS = (CHUNKS_FILE, PARENTS_FILE)  # each record has a digest of its own, checked on every read


@dataclass(frozen=True, slots=True)
class Content:
    """One file of a generation."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    generation: str
    created: str  # ISO 8601, UTC, to the microsecond: with the name it tells any two generations apart
    embedder: str
    fingerprint: str
    dimension: int
    chunking: Mapping[str, Any]
    chunks: int
    parents: int
    files: tuple[FileRecord, ...]
    contents: Mapping[str, Content]
    schema: int = SCHEMA

    @property
    def made_on(self) -> str:
        """For people: "5 March 2025, 14:05 UTC"."""
        moment = datetime.fromisoformat(self.created).astimezone(UTC)
        return f"{moment.day} {moment:%B %Y, %H:%M} UTC"


def generations(index_dir: Path) -> list[str]:
    """The finished generations, oldest first."""
    found = [entry.name for entry in index_dir.iterdir() if NAME.fullmatch(entry.name)] if index_dir.is_dir() else []
    return sorted(found, key=number)


def number(name: str) -> int:
    return int(name.removeprefix("gen-"))


def pointer(index_dir: Path) -> bytes:
    """What CURRENT holds. Raises IndexMissing, and IndexDamaged where it can't be read."""
    try:
        return (index_dir / CURRENT).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if read_status(index_dir).running:
            raise IndexMissing(f"There is no index in {index_dir} yet: it is being built now.") from None
        raise IndexMissing(f"There is no index in {index_dir} yet. Run `python -m ingestion sync`.") from None
    except OSError as error:
        raise IndexDamaged(unreadable(error)) from None


def named_by(line: bytes) -> tuple[str, str]:
    """The live generation's name and its manifest's digest; two empty strings when CURRENT is garbled."""
    match = re.fullmatch(rb"(gen-\d+) ([0-9a-f]{64})\n", line)
    return (match[1].decode(), match[2].decode()) if match else ("", "")


def read_manifest(directory: Path, *, digest: str | None = None) -> Manifest:
    """The manifest, checked against `digest` or else the one beside it. Raises IndexDamaged, IndexMismatch."""
    path = directory / MANIFEST
    try:
        data = path.read_bytes()
        beside = (directory / MANIFEST_DIGEST).read_bytes()
    except OSError as error:
        raise IndexDamaged(unreadable(error)) from None
    found = hashlib.sha256(data).hexdigest()
    if beside != f"{found}\n".encode() or digest not in (None, found):
        raise IndexDamaged(f"{path} fails its sha256. {REPAIR}")
    plain = json.loads(data)
    if plain["schema"] != SCHEMA:
        raise IndexMismatch(
            f"{directory} has index format {plain['schema']}, this version reads {SCHEMA}. Run `python -m ingestion rebuild`."
        )
    plain["files"] = tuple(map(file_record, plain["files"]))
    plain["contents"] = {name: Content(**content) for name, content in plain["contents"].items()}
    return Manifest(**plain)


def unreadable(error: OSError) -> str:
    return f"{error.filename} can't be read ({error.strerror}). {REPAIR}"


def write_manifest(directory: Path, manifest: Manifest) -> str:
    """Returns the manifest's digest."""
    data = json.dumps(to_plain(manifest), ensure_ascii=False).encode()  # indented, it would take ten times as long
    digest = hashlib.sha256(data).hexdigest()
    (directory / MANIFEST).write_bytes(data)
    (directory / MANIFEST_DIGEST).write_text(f"{digest}\n", encoding="ascii")
    return digest


def file_record(plain: dict[str, Any]) -> FileRecord:
    """A FileRecord from the dictionary that `to_plain` makes of it; by hand, because `from_plain` takes ten times as long."""
    return FileRecord(
        **{
            **plain,
            "paths": tuple(plain["paths"]),
            "page_notes": tuple((page, outcome, reason) for page, outcome, reason in plain["page_notes"]),
            "metadata": {key: MetadataValue(**value) for key, value in plain["metadata"].items()},
            "rules": tuple(from_plain(ApprovalRule, rule) for rule in plain.get("rules", ())),
        }
    )


def contents(directory: Path) -> dict[str, Content]:
    """Size and digest of every file of a generation but the manifest and its digest."""
    names = sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_file() and path.name not in (MANIFEST, MANIFEST_DIGEST)
    )
    return dict(zip(names, in_threads(content, [directory / name for name in names]), strict=True))


def damages(directory: Path, manifest: Manifest, *, every_byte: bool) -> list[str]:
    """Which files of a generation are not as they were written; without `every_byte` large ones go by their size.

    Those are not read through to open an index: their records or blocks are checked as they are read.
    """

    def damage(name: str) -> str:
        path, expected = directory / name, manifest.contents[name]
        try:
            size = path.stat().st_size
            if size != expected.size:
                return f"{path} has {size:,} bytes instead of {expected.size:,}"
            blocks = blocks_beside(Path(name)).as_posix()
            checked_later = name in TEXTS or (name != blocks and blocks in manifest.contents)
            if not every_byte and checked_later and size > CHECKED_BY_BLOCK_ABOVE:
                return ""
            return "" if content(path).sha256 == expected.sha256 else f"{path} fails its sha256"
        except OSError as error:
            return f"{path} can't be read ({error.strerror})"

    return [found for found in in_threads(damage, list(manifest.contents)) if found]


def content(path: Path) -> Content:
    with path.open("rb") as stream:
        return Content(os.fstat(stream.fileno()).st_size, hashlib.file_digest(stream, "sha256").hexdigest())


def in_threads(function: Any, items: Iterable[Any]) -> list[Any]:
    """Hashing and fsync release the interpreter lock."""
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        return list(pool.map(function, items))
