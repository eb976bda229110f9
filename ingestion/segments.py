"""Everything about one document in, one file in index/work out, so that a killed run goes on after its last finished file."""

import hashlib
import os
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from rag.domain import Chunk, FileRecord, Parent
from rag.generation import file_record
from rag.records import to_plain
from rag.texts import load_builtins

DIGEST_BYTES = hashlib.sha256().digest_size


@dataclass(frozen=True, eq=False)
class Segment:
    """One document: its record, what is searched, what the model reads, and a float32 row for every chunk."""

    record: FileRecord
    chunks: Sequence[Chunk]
    parents: Sequence[Parent]
    vectors: np.ndarray


def segment_path(index_dir: Path, sha256: str) -> Path:
    return index_dir / "work" / f"{sha256}.segment"


def save_segment(path: Path, segment: Segment) -> None:
    """Written beside and moved into place, so the file is whole or absent; its digest closes it."""
    vectors = np.ascontiguousarray(segment.vectors, np.float32)
    plain = {
        "record": to_plain(segment.record),
        "chunks": [plain_fields(chunk) for chunk in segment.chunks],
        "parents": [plain_fields(parent) for parent in segment.parents],
        "shape": vectors.shape,
        "vectors": vectors.tobytes(),
    }
    data = pickle.dumps(plain, 4)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as stream:
            stream.write(data)
            stream.write(hashlib.sha256(data).digest())
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def load_segment(path: Path) -> Segment | None:
    """What was saved; None where nothing was, or where the file is not as it was written."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    if hashlib.sha256(data[:-DIGEST_BYTES]).digest() != data[-DIGEST_BYTES:]:
        return None
    plain = load_builtins(data[:-DIGEST_BYTES])
    return Segment(
        record=file_record(plain["record"]),
        chunks=[Chunk(**chunk) for chunk in plain["chunks"]],
        parents=[Parent(**parent) for parent in plain["parents"]],
        vectors=np.frombuffer(plain["vectors"], np.float32).reshape(plain["shape"]),
    )


def plain_fields(noun: Any) -> dict[str, Any]:
    """The fields of a Chunk or a Parent; they hold nothing but strings, numbers and tuples of strings."""
    return {field.name: getattr(noun, field.name) for field in fields(noun)}
