"""What a run did and what the index holds, in numbers and records; the command line and the pages print it."""

from collections.abc import Sequence
from dataclasses import dataclass

from rag.domain import FileRecord
from rag.progress import IngestStatus


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The counts are of documents, that is, of contents; `files` is everything the index knows after the run.

    `indexed` are the paths that the run read, `removed` those that went. `refused_removals` are gone from the folder but
    stay searchable until the removal is confirmed.
    """

    new: int = 0
    changed: int = 0
    renamed: int = 0
    deleted: int = 0
    unchanged: int = 0
    failed: int = 0
    files: tuple[FileRecord, ...] = ()
    indexed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    refused_removals: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    generation: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Status:
    """The live generation and what a run is doing at the moment; `problem` says why there is no index to serve."""

    generation: str
    files: tuple[FileRecord, ...]
    run: IngestStatus
    problem: str = ""


def needs_attention(files: Sequence[FileRecord]) -> list[FileRecord]:
    return [file for file in files if file.outcome != "read"]
