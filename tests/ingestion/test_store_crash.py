"""A writer killed at any moment leaves the index of before or the index of after, and the next run works."""

import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from ingestion.store import live_name, verify, writer_lock
from rag.config import PROJECT
from rag.index import IndexReader
from tests.published import FINGERPRINT, SETTINGS, document, publish_documents

pytestmark = pytest.mark.crash
RANDOM_KILLS = 6
STEPS = ("begin", "texts", "lexical", "dense", "digests", "manifest", "sync", "rename", "point", "collect", "done")
OLD = document("old.pdf", "the old text", "another old text")
NEW = document("new.pdf", *(f"clause {n}.1 about subject{n}" for n in range(300)))
WRITER = """
    import os, signal, sys
    from pathlib import Path
    from ingestion.store import writer_lock
    from tests.published import document, publish_documents
    old = document("old.pdf", "the old text", "another old text")
    new = document("new.pdf", *(f"clause {n}.1 about subject{n}" for n in range(300)))
    index_dir, fatal = Path(sys.argv[1]), sys.argv[2]
    def step(name):
        if name == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
    with writer_lock(index_dir):
        print("started", flush=True)
        publish_documents(index_dir, [new], keep=[old.record], step=step)
        print("done", flush=True)
"""


def start_writer(index_dir: Path, *, fatal_step: str = "") -> subprocess.Popen:
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(index_dir), fatal_step]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)


def paths_served(index_dir: Path) -> list[str]:
    reader = IndexReader(index_dir, fingerprint=FINGERPRINT, settings=SETTINGS)
    snapshot = reader.snapshot()
    assert reader.notices == ()
    assert [snapshot.chunk(row).file for row in (0, len(snapshot) - 1)]
    return [record.path for record in snapshot.files]


def finish_the_work(index_dir: Path) -> None:
    """The next run gets the lock, publishes and leaves nothing of the killed one behind."""
    with writer_lock(index_dir):
        publish_documents(index_dir, [NEW], keep=[OLD.record])
    assert paths_served(index_dir) == ["old.pdf", "new.pdf"]
    assert verify(index_dir) == []
    assert not list(index_dir.glob("*.part"))
    assert len(list(index_dir.glob("gen-*"))) <= SETTINGS.keep_generations


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_a_step(tmp_path, step):
    publish_documents(tmp_path, [OLD])
    with start_writer(tmp_path, fatal_step=step) as writer:
        output = writer.communicate()[0]
    assert writer.returncode == -signal.SIGKILL
    assert "done" not in output
    old, new = ["old.pdf"], ["old.pdf", "new.pdf"]
    assert paths_served(tmp_path) == (new if step in ("collect", "done") else old)
    if step in ("collect", "done"):
        assert live_name(tmp_path) == "gen-2"
    else:
        finish_the_work(tmp_path)


def test_killed_at_random_moments(tmp_path):
    publish_documents(tmp_path, [OLD])
    chance = random.Random(4)
    for _ in range(RANDOM_KILLS):
        publish_documents(tmp_path, [OLD])
        with start_writer(tmp_path) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "started\n"
            time.sleep(chance.uniform(0, 0.25))
            writer.kill()
        assert paths_served(tmp_path) in (["old.pdf"], ["old.pdf", "new.pdf"])
    publish_documents(tmp_path, [OLD])
    finish_the_work(tmp_path)
