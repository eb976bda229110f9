"""What a scan found and the live generation in; out comes the plan of a run: what stays, what is read, what goes, and why."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from ingestion.discover import Changes, FoundFile, Scan, compare
from ingestion.metadata import after_rename
from rag.config import Config
from rag.domain import FileRecord, MetadataValue
from rag.embedding import Embedder
from rag.errors import IndexFault
from rag.generation import Manifest

READER_VERSION = 2  # raise it when files that were not fully read are worth another try
CHUNKER_VERSION = 2  # raise it when all documents are read, cut or embedded otherwise than before
NO_OCR = "no OCR engine"  # in the reason of pages that had to be left
UNREADABLE = "unreadable "  # before the path of what could not be opened, in place of a hash


@dataclass(frozen=True)
class Plan:
    """Documents are named by their content's hash.

    `keep` is what stays of the live generation, with its paths of now; `replaced_by` names for some of these the content
    that is to take their place: they stay until all of it is ready. `unreadable` stands for what could not be looked at.
    """

    changes: Changes
    keep: Mapping[str, FileRecord]
    replaced_by: Mapping[str, frozenset[str]]
    to_read: Mapping[str, FoundFile]
    unreadable: Mapping[str, FileRecord]
    anew: bool  # nothing of the live generation can be kept; it serves until all is done
    notices: tuple[str, ...]


def make_plan(
    config: Config, embedder: Embedder, found: Scan, live: Manifest | None, *, rebuild: bool, confirmed: bool
) -> Plan:
    known = {record.sha256: record for record in live.files if not record.sha256.startswith(UNREADABLE)} if live else {}
    why_anew = difference(live, config, embedder) if live and not rebuild else ""
    anew = rebuild or live is None or bool(why_anew)
    changes = compare(found, known, retry=worth_retrying(live, config), confirm_mass_removal=confirmed)
    notices = [*([why_anew] if why_anew else []), *folder_notices(found)]
    if changes.refused:
        notices.append(removal_notice(changes, known))
    if anew and changes.refused:
        raise IndexFault(f"{removal_notice(changes, known)} The index was not built anew.")
    if anew:
        changes, known = compare(found, {}), {}
    keep = {sha256: replace(known[sha256], paths=paths) for sha256, paths in changes.kept.items()}
    for sha256 in changes.renamed:
        name = PurePosixPath(keep[sha256].path).name
        keep[sha256] = replace(keep[sha256], metadata=after_rename(keep[sha256].metadata, name))
    replaced_by: dict[str, frozenset[str]] = {}
    for old, record in known.items():
        successors = {new: [path for path in record.paths if path in paths] for new, paths in changes.changed.items()}
        if old not in keep and any(successors.values()):
            keep[old] = replace(record, paths=tuple(path for paths in successors.values() for path in paths))
            replaced_by[old] = frozenset(new for new, paths in successors.items() if paths)
    first = {file.path: file for file in found.files}
    return Plan(
        changes=changes,
        keep=keep,
        replaced_by=replaced_by,
        to_read={sha256: first[paths[0]] for sha256, paths in changes.to_read.items()},
        unreadable=unreadable_records(found, keep),
        anew=anew,
        notices=tuple(notices),
    )


def difference(live: Manifest, config: Config, embedder: Embedder) -> str:
    """Why the live generation can't be added to, as a sentence; "" if it can."""
    if live.fingerprint != embedder.fingerprint:
        return f"The index was made with {live.embedder}, the embedder is now {embedder.name}: all is indexed anew."
    if any(live.chunking.get(name) != value for name, value in chunk_settings(config).items()):
        return (
            "The index was made with other [chunking] or [whatsapp] settings than config.toml has, "
            "or by an earlier version: all is indexed anew."
        )
    return ""


def chunk_settings(config: Config) -> dict[str, Any]:
    """What decides how documents are cut into chunks, and what they say of people."""
    return {"version": CHUNKER_VERSION, **asdict(config.chunking), "whatsapp": asdict(config.whatsapp)}


def reading_conditions(config: Config) -> str:
    """Changes when files that were not fully read are worth another try."""
    settings = [asdict(config.reading), asdict(config.tables), asdict(config.ocr), config.documents.max_file_mb]
    passwords = os.environ.get("PDF_PASSWORDS", "")
    return hashlib.sha256(json.dumps([READER_VERSION, *settings, passwords]).encode()).hexdigest()[:8]


def worth_retrying(live: Manifest | None, config: Config) -> set[str]:
    """Files that were not fully read, if they would be read under other conditions now."""
    if live is None:
        return set()
    partial = [record for record in live.files if record.outcome != "read"]
    if live.chunking.get("read_under") != reading_conditions(config):
        return {record.sha256 for record in partial}
    without_ocr = {record.sha256 for record in partial if NO_OCR in record.reason}
    return without_ocr if without_ocr and ocr_is_there(config) else set()


def ocr_is_there(config: Config) -> bool:
    from ingestion.ocr import choose_engine  # it loads picture libraries, which are hardly ever needed here

    return choose_engine(config.ocr) is not None


def unreadable_records(found: Scan, keep: Mapping[str, FileRecord]) -> dict[str, FileRecord]:
    """Files and folders that could not be looked at, as documents that failed; not those whose content is still served."""
    served = {path for record in keep.values() for path in record.paths}
    records = [
        FileRecord(
            sha256=f"{UNREADABLE}{place.path}",
            paths=(place.path or "/",),
            size=0,
            outcome="failed",
            reason=place.reason,
            next_step=place.next_step,
            metadata={"title": MetadataValue(place.path or "/", "file name")},
        )
        for place in found.unreadable
        if place.path not in served
    ]
    return {record.sha256: record for record in records}


def folder_notices(found: Scan) -> list[str]:
    notices = [f"{path} is still being written; the next run reads it." for path in found.unsettled]
    kinds = Counter(PurePosixPath(path).suffix.lower() or "no ending" for path in found.other_kinds)
    if kinds:
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        notices.append(f"Files of kinds that are not read were left out: {listed}.")
    return notices


def removal_notice(changes: Changes, known: Mapping[str, FileRecord]) -> str:
    return (
        f"{len(changes.refused)} of {len(known)} indexed documents are gone from the folder. They stay in the index, in case "
        "it is not mounted or was emptied by mistake. If they are meant to go: `python -m ingestion sync --confirm-removals`."
    )
