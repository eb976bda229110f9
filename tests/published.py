"""Small documents written by hand and an index published from them; a text's vector is drawn from its own hash."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ingestion.segments import Segment
from ingestion.store import publish
from rag.config import Index
from rag.domain import Chunk, FileRecord, MetadataValue, Parent

DIMENSION = 16
SETTINGS = Index(keep_generations=2, exact_up_to=50_000, half_up_to=300_000, nprobe=64)
FINGERPRINT = "model-a:1"


def document(path: str, *texts: str, title: str = "", language: str = "english") -> Segment:
    """One chunk a text, each on a page and under a parent of its own."""
    sha256 = hashlib.sha256("\n".join([path, *texts]).encode()).hexdigest()
    title = title or path.removesuffix(".pdf")
    parents = [Parent(f"{sha256[:8]}-parent-{n}", n, 0, len(text), f"Around: {text}") for n, text in enumerate(texts, 1)]
    chunks = [
        Chunk(
            f"{sha256[:8]}-{n}", path, title, n, str(n), "text", ("1 Scope",), parents[n - 1].id, 0, len(text), text, "Prefix"
        )
        for n, text in enumerate(texts, 1)
    ]
    metadata = {"title": MetadataValue(title, "file name"), "language": MetadataValue(language, "page 1")}
    record = FileRecord(
        sha256,
        (path,),
        1000,
        "read",
        pages=len(texts),
        page_notes=((1, "ocr", "a scan"),),
        metadata=metadata,
        chunks=len(texts),
    )
    vectors = np.array([vector(text) for text in texts], np.float32).reshape(len(texts), DIMENSION)
    return Segment(record, chunks, parents, vectors)


def vector(text: str) -> np.ndarray:
    """A unit vector of its own for every text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    drawn = np.random.default_rng(seed).standard_normal(DIMENSION)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def renamed(record: FileRecord, path: str) -> FileRecord:
    metadata = {**record.metadata, "title": MetadataValue(path.removesuffix(".pdf"), "file name")}
    return replace(record, paths=(path,), metadata=metadata)


def publish_documents(
    index_dir: Path, add: Sequence[Segment], *, keep: Iterable[FileRecord] = (), settings: Index = SETTINGS, **changed
) -> str:
    about = {"fingerprint": FINGERPRINT, "embedder_name": "Model A", "dimension": DIMENSION, "chunking": {"search_size": 400}}
    kept = {record.sha256: record for record in keep}
    return publish(index_dir, keep=kept, add=add, settings=settings, **{**about, **changed})
