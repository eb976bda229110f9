"""status.json as other processes see it: a run that goes on, has ended, was killed, or left rubbish behind."""

import json
import os
import subprocess
import sys
import time

import pytest

from ingestion.progress import ProgressBoard
from rag.progress import IngestStatus, read_status


def write(folder, **values):
    (folder / "status.json").write_text(json.dumps({"phase": "reading", "pid": os.getpid(), "ts": time.time(), **values}))


def test_a_run_that_goes_on_is_shown(tmp_path):
    write(tmp_path, who="cli", file="a.pdf", page=3, pages=9, files_done=1, files_total=4)
    status = read_status(tmp_path)
    assert status.running
    assert (status.who, status.file, status.page, status.pages) == ("cli", "a.pdf", 3, 9)


def test_a_silent_run_counts_as_interrupted(tmp_path):
    write(tmp_path, ts=1000.0)
    assert read_status(tmp_path, now=1029.0).running
    silent = read_status(tmp_path, now=1031.0)
    assert not silent.running
    assert "interrupted" in silent.last_error


def test_a_dead_process_counts_as_interrupted(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    write(tmp_path, pid=ended.pid)
    assert not read_status(tmp_path).running


@pytest.mark.parametrize("content", ["", "{", "[]", '{"phase": "dancing"}', '{"pid": "x", "phase": "reading"}'])
def test_rubbish_is_idle(tmp_path, content):
    (tmp_path / "status.json").write_text(content)
    assert read_status(tmp_path) == IngestStatus()


def test_no_file_is_idle(tmp_path):
    assert read_status(tmp_path) == IngestStatus()


def test_a_run_shows_its_steps(tmp_path):
    shown = []
    with ProgressBoard(tmp_path, who="app", show=shown.append) as board:
        assert read_status(tmp_path).phase == "scanning"
        board.report(phase="reading", files_total=2)
        board.page_read("a.pdf", 1, 5)
        deadline = time.monotonic() + 20
        while read_status(tmp_path).file != "a.pdf":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        board.page_read("b.pdf", 2, 4)
    assert [(now.files_total, now.file, now.page, round(now.share, 2)) for now in shown[1:]] == [
        (2, "a.pdf", 1, 0.1),
        (2, "b.pdf", 2, 0.35),
    ]
    assert not read_status(tmp_path).running


def test_a_run_leaves_why_it_failed(tmp_path):
    with pytest.raises(OSError, match="disk full"), ProgressBoard(tmp_path, who="app", show=None):
        raise OSError("disk full")
    status = read_status(tmp_path)
    assert (status.running, status.who, status.last_error) == (False, "app", "disk full")
