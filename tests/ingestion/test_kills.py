"""Runs killed at random moments: the live index is always a whole old or a whole new one, and the next run goes on.

KILLS=200 in the environment makes the long version of it.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from ingestion.pipeline import status, sync
from rag.config import PROJECT, Config
from rag.index import Snapshot
from tests.fakes import LengthEmbedder
from tests.ingestion.folder import write_pdf

KILLS = int(os.environ.get("KILLS", "10"))


def live_texts(config: Config) -> dict[str, list[str]]:
    """Every chunk of every file of the live generation, all of whose bytes are checked; {} where there is none yet."""
    found = status(config)
    if not found.generation:
        assert "There is no index" in found.problem
        return {}
    snapshot = Snapshot.open(config.documents.index / found.generation, nprobe=1, every_byte=True)
    texts: dict[str, list[str]] = {record.path: [] for record in snapshot.files}
    for row in range(len(snapshot)):
        texts[snapshot.chunk(row).file].append(snapshot.chunk(row).text)
    return texts


def change_folder(folder: Path, turn: int) -> dict[str, list[str]]:
    """Adds a document, changes one, renames one, removes one; returns what an index of it must hold."""
    write_pdf(folder / f"added {turn}.pdf", f"Document of turn {turn}.", seconds=turn)
    write_pdf(folder / "changed.pdf", f"Revision {turn}.", seconds=turn)
    write_pdf(folder / f"name {turn}.pdf", "Renamed in every turn.")
    (folder / f"name {turn - 1}.pdf").unlink(missing_ok=True)
    (folder / f"added {turn - 3}.pdf").unlink(missing_ok=True)
    return {
        **{f"added {n}.pdf": [f"Document of turn {n}."] for n in range(max(0, turn - 2), turn + 1)},
        "changed.pdf": [f"Revision {turn}."],
        f"name {turn}.pdf": ["Renamed in every turn."],
    }


def start(config: Config) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-m", "tests.ingestion.sync_once", config.documents.directory, config.documents.index]
    return subprocess.Popen(arguments, cwd=PROJECT, stderr=subprocess.PIPE)


@pytest.mark.crash
@pytest.mark.timeout(60 + 20 * KILLS)
def test_killed_runs_leave_a_whole_index_and_the_next_one_completes_it(config):
    folder = config.documents.directory
    before, expected = {}, change_folder(folder, 0)
    started = time.monotonic()
    assert start(config).wait() == 0
    seconds = time.monotonic() - started
    before = live_texts(config)
    assert before == expected

    chance = random.Random(KILLS)
    orphans: list[psutil.Process] = []
    for turn in range(1, KILLS + 1):
        expected = change_folder(folder, turn)
        process = start(config)
        time.sleep(chance.uniform(0, seconds))
        orphans += psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.communicate()
        found = live_texts(config)
        assert found in (before, expected), f"kill {turn}"
        before = found

    sync(config, embedder=LengthEmbedder())
    assert live_texts(config) == expected
    assert not list(config.documents.index.glob("*.part"))
    _, alive = psutil.wait_procs(orphans, timeout=30)
    assert not alive, "a process that reads documents outlived the run that started it"
