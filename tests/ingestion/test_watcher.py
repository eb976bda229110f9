"""What the watcher does when files come, grow, change and go; the clock is the test's, the runs are real where marked."""

import shutil
import time

import pytest

from ingestion.pipeline import status, sync
from ingestion.watcher import BUSY, RETRY_SECONDS, SyncProcess, Watcher
from tests.fakes import LengthEmbedder
from tests.ingestion.folder import write_pdf


class Runs:
    """Stands for the indexing run: counts the calls and returns the exit codes it is given, then 0."""

    def __init__(self) -> None:
        self.count = 0
        self.codes: list[int] = []

    def __call__(self) -> int:
        self.count += 1
        return self.codes.pop(0) if self.codes else 0


@pytest.fixture
def folder(config):
    config.documents.directory.mkdir()
    return config.documents.directory


@pytest.fixture
def runs():
    return Runs()


@pytest.fixture
def watcher(config, folder, runs):
    """One that has taken note of the empty folder."""
    watcher = Watcher(config, run=runs)
    watcher.look(0.0)
    assert runs.count == 1
    return watcher


def test_a_new_file_is_taken_once_it_has_been_still_for_a_second(watcher, folder, runs):
    (folder / "a.pdf").write_text("whole")
    watcher.look(10.0)
    watcher.look(10.5)
    assert runs.count == 1
    watcher.look(11.0)
    assert runs.count == 2
    watcher.look(12.0)
    assert runs.count == 2


def test_a_growing_file_waits_without_holding_up_the_others(watcher, folder, runs):
    (folder / "still.pdf").write_text("whole")
    growing = folder / "growing.pdf"
    for second in range(5):
        growing.write_text("more " * (second + 1))
        watcher.look(10.0 + second)
    assert runs.count == 2, "for the still one"
    watcher.look(15.0)
    assert runs.count == 3, "for the one that has stopped growing"


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "a.pdf").write_text("other"),
        lambda folder: (folder / "a.pdf").rename(folder / "b.pdf"),
        lambda folder: (folder / "a.pdf").unlink(),
        lambda folder: (folder / "a.pdf.toml").write_text('year = "2024"'),
        lambda folder: (folder / "plan.docx").write_text("PK"),
    ],
    ids=["replaced", "renamed", "removed", "sidecar", "of a kind that is not read"],
)
def test_changes_are_followed(watcher, folder, runs, change):
    (folder / "a.pdf").write_text("whole")
    watcher.look(10.0)
    watcher.look(11.0)
    change(folder)
    watcher.look(12.0)
    watcher.look(13.0)
    watcher.look(14.0)
    assert runs.count == 3


def test_what_is_not_a_document_is_no_change(watcher, folder, runs):
    for name in ("upload.pdf.part", ".hidden.pdf", "settings.ini"):
        (folder / name).write_text("x")
    watcher.look(10.0)
    watcher.look(20.0)
    assert runs.count == 1


@pytest.mark.parametrize(
    ("sizes", "gently"),
    [([100], False), ([3_000_000], False), ([6_000_000], True), ([100] * 6, True)],
    ids=["small", "of some pages", "large", "many"],
)
def test_little_is_read_at_once_and_much_gently(watcher, folder, sizes, gently):
    for number, size in enumerate(sizes):
        (folder / f"{number}.pdf").write_bytes(b"x" * size)
    watcher.look(10.0)
    watcher.look(11.0)
    assert watcher.child.gently is gently


def test_busy_is_tried_again_at_the_next_look(watcher, folder, runs):
    runs.codes = [BUSY, BUSY]
    (folder / "a.pdf").write_text("whole")
    for second in range(10, 16):
        watcher.look(float(second))
    assert runs.count == 1 + 3
    assert watcher.state.error == ""


def test_a_run_that_failed_as_a_whole_is_tried_again_later(watcher, folder, runs):
    runs.codes = [2]
    (folder / "a.pdf").write_text("whole")
    watcher.look(10.0)
    watcher.look(11.0)
    assert "code 2" in watcher.state.error
    later = time.monotonic() + RETRY_SECONDS
    watcher.look(later - 5)
    assert runs.count == 2
    watcher.look(later + 1)
    assert (runs.count, watcher.state.error) == (3, "")


def test_an_unmounted_folder_is_reported_and_comes_back(watcher, folder, runs):
    folder.rename(folder.with_name("elsewhere"))
    watcher.look(10.0)
    watcher.look(20.0)
    assert "is not there" in watcher.state.error
    folder.with_name("elsewhere").rename(folder)
    (folder / "a.pdf").write_text("whole")
    watcher.look(30.0)
    watcher.look(31.0)
    assert (runs.count, watcher.state.error) == (2, "")


def test_no_fault_ends_the_thread(config, folder):
    calls = []

    def run() -> int:
        calls.append(1)
        raise RuntimeError("out of luck")

    watcher = Watcher(config.with_values(documents={"watch_seconds": 0.01}), run=run)
    watcher.start()
    wait_until(lambda: watcher.state.error == "out of luck")
    assert watcher.thread.is_alive()
    watcher.stop()
    assert watcher.state.doing == "stopped"


def test_added_replaced_and_removed_documents_reach_the_index(config, folder):
    embedder, changes = LengthEmbedder(), []

    def run() -> int:
        sync(config, embedder=embedder)
        return 0

    watcher = Watcher(config, lambda: changes.append([file.path for file in status(config).files]), run=run)
    clock = iter(range(0, 1000, 2))

    def two_looks():
        watcher.look(next(clock))
        watcher.look(next(clock))

    write_pdf(folder / "a.pdf", "The limit is 50,000.")
    two_looks()
    write_pdf(folder / "b.pdf", "Late bids are rejected.", seconds=1)
    two_looks()
    (folder / "a.pdf").unlink()
    two_looks()
    assert changes == [["a.pdf"], ["a.pdf", "b.pdf"], ["b.pdf"]]


def test_a_deleted_index_is_built_again_though_no_document_changed(config, folder):
    runs, embedder = [], LengthEmbedder()

    def run() -> int:
        runs.append(sync(config, embedder=embedder))
        return 0

    watcher = Watcher(config, run=run)
    write_pdf(folder / "a.pdf", "The limit is 50,000.")
    for now in (0.0, 2.0, 4.0):
        watcher.look(now)
    shutil.rmtree(config.documents.index)
    for now in (6.0, 8.0):
        watcher.look(now)
    assert [report.new for report in runs] == [1, 1]
    assert [file.path for file in status(config).files] == ["a.pdf"]


@pytest.mark.model
def test_the_app_indexes_in_a_process_of_its_own(config, folder):
    write_pdf(folder / "a.pdf", "The limit is 50,000.")
    watcher = Watcher(config.with_values(documents={"watch_seconds": 0.1}))
    watcher.start()
    wait_until(lambda: watcher.state.runs == 1 or watcher.state.error)
    watcher.stop()
    assert watcher.state.error == ""
    assert watcher.child.report["new"] == 1
    assert [file.path for file in status(config).files] == ["a.pdf"]


@pytest.mark.model
def test_what_a_failed_process_said_is_kept(config):
    process = SyncProcess(config)  # its documents folder is not there
    assert process() == 2
    assert "is not there" in process.last_error


def wait_until(holds, *, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
