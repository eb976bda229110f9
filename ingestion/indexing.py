"""Files to read in, each as a finished segment out: its record, chunks, parents and vectors."""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ingestion.approvals import approval_rules
from ingestion.chunking import chunk_document
from ingestion.discover import FoundFile, current_stamp
from ingestion.embedding_cache import EmbeddingCache
from ingestion.progress import ProgressBoard
from ingestion.read_ahead import read_ahead
from ingestion.reading import ReadDocument
from ingestion.store import Segment
from rag.config import Config
from rag.domain import FileRecord
from rag.embedding import Embedder
from rag.errors import ProductError

LOG = logging.getLogger(__name__)
EMBEDDED_TOGETHER = 256  # chunks: small files share the embedder's batches
SAVED_WITHIN = 2.0  # seconds that a document waits for others: what is not embedded yet, a killed run reads again


@dataclass(frozen=True, slots=True)
class Job:
    """A document to read: `file` is its first path, `paths` are all."""

    file: FoundFile
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Tools:
    config: Config
    embedder: Embedder
    cache: EmbeddingCache
    board: ProgressBoard


def segments(jobs: Sequence[Job], tools: Tools, *, postponed: list[str]) -> Iterator[Segment]:
    """Each document read, chunked and embedded, in the order they are ready.

    One that changed while it was read yields nothing; its path is added to `postponed`.
    """
    waiting: list[Segment] = []
    since = 0.0  # when the first of them was read
    with closing(read_ahead(tools.config, [job.file.path for job in jobs], tools.board.page_read)) as documents:
        for read in documents:
            if read is None:  # nothing more is ready, so that waiting would make no fuller batch
                yield from embedded(waiting, tools)
                waiting = []
                continue
            place, document = read
            job = jobs[place]
            tools.board.document_read()
            if has_changed(job.file, document, tools.config):
                postponed.append(job.file.path)
                continue
            since = since if waiting else time.monotonic()
            waiting.append(chunked_or_failed(job, document, tools))
            late = time.monotonic() - since > SAVED_WITHIN
            if late or sum(len(segment.chunks) for segment in waiting) >= EMBEDDED_TOGETHER:
                yield from embedded(waiting, tools)
                waiting = []
        yield from embedded(waiting, tools)


def has_changed(file: FoundFile, document: ReadDocument, config: Config) -> bool:
    stamp = current_stamp(config.documents.directory / file.path)
    return stamp != (file.size, file.mtime_ns) or document.sha256 not in ("", file.sha256)


def chunked_or_failed(job: Job, document: ReadDocument, tools: Tools) -> Segment:
    """One document that trips the program up is a line in the report, not the end of the run."""
    try:
        return chunked(job, document, tools)
    except ProductError:
        raise  # the embedder failed, which the next document would not survive either
    except Exception as error:
        LOG.exception("%s could not be cut into chunks", job.file.path)
        reason = f"The program failed on what it read here ({type(error).__name__}: {error})."
        step = "The other documents are not affected. Report this with the traceback in the log."
        failed = replace(document, outcome="failed", reason=reason, next_step=step, pages=())
        return Segment(record_of(job, failed), (), (), np.zeros((0, tools.embedder.dimension), np.float32))


def chunked(job: Job, document: ReadDocument, tools: Tools) -> Segment:
    """The document with its chunks, and no vectors yet."""
    record = record_of(job, document)
    chunks, parents = chunk_document(
        document,
        file=record.path,
        title=record.title,
        settings=tools.config.chunking,
        count_tokens=tools.embedder.count_tokens,
        max_tokens=tools.embedder.max_tokens,
        embed=partial(embed, tools=tools),
    )
    return Segment(replace(record, chunks=len(chunks)), chunks, parents, np.zeros((0, tools.embedder.dimension), np.float32))


def record_of(job: Job, document: ReadDocument) -> FileRecord:
    return FileRecord(
        sha256=job.file.sha256,
        paths=job.paths,
        size=job.file.size,
        outcome=document.outcome,
        pages=len(document.pages),
        pages_by_outcome=dict(Counter(page.outcome for page in document.pages)),
        page_notes=tuple((page.number, page.outcome, page.reason) for page in document.pages if page.reason),
        reason=document.reason,
        next_step=document.next_step,
        metadata=dict(document.metadata),
        rules=approval_rules(document.pages),
        seconds=round(document.seconds, 3),
        sidecar=job.file.sidecar,
    )


def embedded(segments: list[Segment], tools: Tools) -> Iterator[Segment]:
    if not segments:
        return
    texts = [chunk.embedded_text for segment in segments for chunk in segment.chunks]
    vectors = embed(texts, tools)
    at = 0
    for segment in segments:
        yield replace(segment, vectors=vectors[at : at + len(segment.chunks)])
        at += len(segment.chunks)


def embed(texts: list[str], tools: Tools) -> np.ndarray:
    """A row for each text; what was embedded before costs nothing, and what is embedded now is kept as it comes."""
    vectors = np.zeros((len(texts), tools.embedder.dimension), np.float32)
    fingerprint = tools.embedder.fingerprint
    missing: dict[str, list[int]] = {}
    for row, vector in enumerate(tools.cache.get(fingerprint, texts)):
        if vector is None:
            missing.setdefault(texts[row], []).append(row)
        else:
            vectors[row] = vector
    if missing:
        tools.board.report(phase="embedding")
    new = list(missing)
    for at in range(0, len(new), EMBEDDED_TOGETHER):
        some = new[at : at + EMBEDDED_TOGETHER]
        found = tools.embedder.embed_documents(some)
        tools.cache.put(fingerprint, some, found)
        for text, vector in zip(some, found, strict=True):
            vectors[missing[text]] = vector
    return vectors
