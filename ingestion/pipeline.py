"""The documents folder in, an index that holds exactly what lies in it out: the one door to indexing."""

import json
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ingestion.discover import load_remembered, require_folder, save_remembered, scan
from ingestion.embedding_cache import EmbeddingCache
from ingestion.indexing import Job, Tools, segments
from ingestion.plan import Plan, chunk_settings, make_plan, reading_conditions
from ingestion.progress import ProgressBoard, ShowProgress
from ingestion.report import Status, SyncReport
from ingestion.store import Segment, load_segment, open_base, publish, save_segment, segment_path, writer_lock
from rag import generation
from rag.config import Config
from rag.domain import FileRecord
from rag.embedding import Embedder, open_embedder
from rag.errors import IndexFault, IndexMismatch
from rag.generation import Manifest
from rag.progress import read_status

PUBLISH_SECONDS = 120.0  # in a long run, what is finished becomes answerable so often
PUBLISH_CHUNKS = 20_000  # or when so many chunks wait


def sync(
    config: Config,
    *,
    embedder: Embedder | None = None,
    progress: ShowProgress | None = None,
    rebuild: bool = False,
    confirm_mass_removal: bool = False,
    wait_seconds: float = 0.0,
    started_by: str = "cli",
) -> SyncReport:
    """Brings the index up to date with the folder; a bad file is a line in the report. Raises ProductError.

    A run that is killed leaves the live index as it was; the next one goes on after the last finished file.
    """
    started = time.monotonic()
    index_dir = config.documents.index
    require_folder(config.documents.directory)  # before anything is written
    with (
        write_faults(index_dir),
        writer_lock(index_dir, wait_seconds=wait_seconds),
        ProgressBoard(index_dir, who=started_by, show=progress) as board,
    ):
        memory = index_dir / "cache" / "seen.json"
        found = scan(config.documents.directory, load_remembered(memory))
        save_remembered(memory, found.files)
        live, damages = live_manifest(config)
        tools = Tools(
            config, embedder or open_embedder(config), EmbeddingCache(index_dir / "cache" / "embeddings.sqlite"), board
        )
        plan = make_plan(config, tools.embedder, found, live, rebuild=rebuild, confirmed=confirm_mass_removal)
        run = Run(plan, tools, live)

        run.take_up_finished_work()
        board.report(phase="reading", files_total=len(plan.to_read), files_done=len(run.done))
        run.read_and_embed()
        if damages or plan.anew or run.goal() != run.live:
            run.publish()
        return run.report(notices=(*damages, *plan.notices), seconds=time.monotonic() - started)


@contextmanager
def write_faults(index_dir: Path) -> Iterator[None]:
    """A full disk or a folder without rights is told in words; faults of the documents are caught where they are read."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise IndexFault(
            f"{index_dir} can't be written: {error}. The index is as it was. Make room on the disk or correct the rights of "
            "the folder, then run `python -m ingestion sync`."
        ) from error


def live_manifest(config: Config) -> tuple[Manifest | None, tuple[str, ...]]:
    """The manifest of the generation to build on, and what is wrong with the live one, which publishing repairs."""
    try:
        base, damages = open_base(config.documents.index, settings=config.index)
    except IndexMismatch as error:  # of an older or newer format
        return None, (str(error),)
    return (base.manifest if base else None), damages


class Run:
    """What has been done of a plan: `kept` is live or will stay so, `finished` waits in index/work to go live and join it."""

    def __init__(self, plan: Plan, tools: Tools, live: Manifest | None) -> None:
        self.plan = plan
        self.tools = tools
        self.index_dir = tools.config.documents.index
        self.generation = live.generation if live else ""
        self.before = {record.sha256: record for record in live.files} if live else {}
        self.live = self.before
        self.kept = dict(plan.keep)
        self.finished: dict[str, FileRecord] = {}
        self.done: set[str] = set()
        self.postponed: list[str] = []
        self.published_at = time.monotonic()

    def jobs(self) -> list[Job]:
        paths = self.plan.changes.to_read
        return [Job(file, paths[sha256]) for sha256, file in self.plan.to_read.items() if sha256 not in self.done]

    def goal(self) -> dict[str, FileRecord]:
        """What the live generation should hold, as far as it is ready."""
        return {**self.kept, **self.finished, **self.plan.unreadable}

    def take_up_finished_work(self) -> None:
        """What an interrupted run finished under the same settings needs not be read again."""
        config = self.tools.config
        made_with = json.dumps([self.tools.embedder.fingerprint, chunk_settings(config), reading_conditions(config)])
        label = self.index_dir / "work" / "made-with.json"
        if not label.is_file() or label.read_text(encoding="utf-8") != made_with:
            shutil.rmtree(label.parent, ignore_errors=True)
            label.parent.mkdir(parents=True)
            label.write_text(made_with, encoding="utf-8")
        for job in self.jobs():
            segment = load_segment(segment_path(self.index_dir, job.file.sha256))
            if segment and segment.record.sidecar == job.file.sidecar:
                self.mark_finished(replace(segment.record, paths=job.paths))

    def read_and_embed(self) -> None:
        """A function of its own, so that the last document, which may be a large one, is gone when the index is written."""
        for segment in segments(self.jobs(), self.tools, postponed=self.postponed):
            self.finish(segment)
            self.tools.board.report(phase="reading")
            if self.jobs() and self.should_publish_early():
                self.publish()

    def finish(self, segment: Segment) -> None:
        save_segment(segment_path(self.index_dir, segment.record.sha256), segment)
        self.mark_finished(segment.record)

    def mark_finished(self, record: FileRecord) -> None:
        self.finished[record.sha256] = record
        self.done.add(record.sha256)
        self.kept.pop(record.sha256, None)
        for old, successors in self.plan.replaced_by.items():
            if successors <= self.done:
                self.kept.pop(old, None)

    def should_publish_early(self) -> bool:
        waiting = sum(record.chunks for record in self.finished.values())
        late = time.monotonic() - self.published_at > PUBLISH_SECONDS
        return not (self.plan.anew and self.before) and (waiting > PUBLISH_CHUNKS or (waiting > 0 and late))

    def publish(self) -> None:
        """One new generation with all that is kept and finished."""
        config, embedder = self.tools.config, self.tools.embedder
        self.tools.board.report(phase="publishing", file="", page=0, pages=0)
        goal = self.goal()
        self.generation = publish(
            self.index_dir,
            keep=self.kept,
            add=FinishedWork(self.index_dir, [*self.finished.values(), *self.plan.unreadable.values()], embedder.dimension),
            fingerprint=embedder.fingerprint,
            embedder_name=embedder.name,
            dimension=embedder.dimension,
            chunking={**chunk_settings(config), "read_under": reading_conditions(config)},
            settings=config.index,
        )
        for sha256 in self.finished:
            segment_path(self.index_dir, sha256).unlink(missing_ok=True)
        self.kept |= self.finished
        self.finished = {}
        self.live, self.published_at = goal, time.monotonic()

    def report(self, *, notices: Sequence[str], seconds: float) -> SyncReport:
        changes = self.plan.changes
        files = tuple(sorted(self.live.values(), key=lambda record: record.path))
        there = {path for record in files for path in record.paths}
        postponed = [f"{path} changed while it was read; the next run reads it again." for path in self.postponed]
        return SyncReport(
            new=len(self.done & changes.new.keys()),
            changed=len(self.done & (changes.changed.keys() | changes.again.keys())),
            renamed=len(changes.renamed),
            deleted=len(changes.deleted),
            unchanged=len(changes.kept.keys() - set(changes.renamed) - changes.again.keys()),
            failed=sum(record.outcome == "failed" for record in files),
            files=files,
            indexed=tuple(record.path for record in files if record.sha256 in self.done),
            removed=tuple(sorted({path for record in self.before.values() for path in record.paths} - there)),
            refused_removals=tuple(path for sha256 in changes.refused for path in self.kept[sha256].paths),
            notices=(*notices, *postponed),
            generation=self.generation,
            seconds=round(seconds, 3),
        )


class FinishedWork(Sequence[Segment]):
    """The documents to add, loaded one at a time: building a large index anew needs not hold them all."""

    def __init__(self, index_dir: Path, records: Sequence[FileRecord], dimension: int) -> None:
        self.index_dir = index_dir
        self.records = records
        self.dimension = dimension

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, place: Any) -> Any:
        record = self.records[place]
        if not record.chunks:
            return Segment(record, [], [], np.zeros((0, self.dimension), np.float32))
        segment = load_segment(segment_path(self.index_dir, record.sha256))
        if segment is None:
            raise IndexFault(f"What was read of {record.path} is gone from {self.index_dir}. Run `python -m ingestion sync`.")
        return replace(segment, record=record)


def status(config: Config) -> Status:
    """What is indexed and what a run is doing; takes no lock and needs no index."""
    index_dir = config.documents.index
    run = read_status(index_dir)
    try:
        name, digest = generation.named_by(generation.pointer(index_dir))
        manifest = generation.read_manifest(index_dir / name, digest=digest)
    except IndexFault as error:
        return Status("", (), run, str(error))
    return Status(manifest.generation, manifest.files, run)
