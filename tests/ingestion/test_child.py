import os
import signal
import time
from dataclasses import replace

import pytest

from ingestion import child, worker
from ingestion.outcomes import NEEDS_MEMORY
from ingestion.reading import read_document
from tests.pdfs import text_page, write_flate_bomb, write_huge_picture, write_nested_forms, write_pdf

pytestmark = pytest.mark.crash


@pytest.fixture
def limited(config):
    child.end_idle_children()
    yield config.with_values(
        ocr={"engine": "none"}, tables={"enabled": False}, reading={"page_seconds": 4.0, "memory_mb": 300, "file_seconds": 60.0}
    )
    child.end_idle_children()


def memory_of(process):
    """Peak resident memory in megabytes."""
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))


@pytest.mark.parametrize(
    ("write", "bad", "good"),
    [(write_nested_forms, [2], ["before", "after"]), (write_flate_bomb, [1], ["after"]), (write_huge_picture, [1], ["after"])],
    ids=["nested forms", "compression bomb", "400 megapixels"],
)
def test_a_hostile_page_costs_only_itself(tmp_path, limited, write, bad, good):
    document = read_document(write(tmp_path / "hostile.pdf"), limited)
    assert document.outcome == "partly"
    assert [page.number for page in document.pages if page.outcome == "failed"] == bad
    reasons = [page.reason for page in document.pages if page.outcome == "failed"]
    assert all(any(why in reason for why in ("page_seconds", "memory", "no OCR engine")) for reason in reasons)
    assert [page.text for page in document.pages if page.outcome == "text"] == good
    assert document.next_step


def test_the_next_file_is_read_by_the_same_child(tmp_path, limited):
    read_document(write_pdf(tmp_path / "one.pdf", text_page("one")), limited)
    (kept,) = child.idle
    assert read_document(write_pdf(tmp_path / "two.pdf", text_page("two")), limited).pages[0].text == "two"
    assert child.idle == [kept]


def test_a_bad_file_leaves_the_child_alive(tmp_path, limited):
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    assert read_document(tmp_path / "bad.pdf", limited).outcome == "failed"
    assert [kept.process.poll() for kept in child.idle] == [None]


def test_a_child_that_was_killed_between_two_files_is_replaced(tmp_path, limited):
    path = write_pdf(tmp_path / "one.pdf", text_page("one"))
    read_document(path, limited)
    os.kill(child.idle[0].process.pid, signal.SIGKILL)
    child.idle[0].process.wait()
    assert read_document(path, limited).pages[0].text == "one"


def test_a_file_does_not_pay_for_the_one_its_child_read_before(tmp_path, limited, monkeypatch):
    path = write_pdf(tmp_path / "one.pdf", text_page("one"))
    read_document(path, limited)
    (kept,) = child.idle
    kept.process.kill()
    kept.process.wait()
    monkeypatch.setattr(kept.process, "poll", lambda: None)  # it dies right after it was found alive
    assert read_document(path, limited).pages[0].text == "one"


def test_a_child_that_crashes_on_closing_the_file_costs_no_page(tmp_path, limited, monkeypatch):
    class CrashesOnClosing(child.Child):
        def receive(self, **limits):
            message = super().receive(**limits)
            if "done" in message:
                raise child.ChildEnded("it crashed")
            return message

    monkeypatch.setattr(child, "Child", CrashesOnClosing)
    document = read_document(write_pdf(tmp_path / "two.pdf", text_page("one"), text_page("two")), limited)
    assert (document.outcome, [page.text for page in document.pages]) == ("read", ["one", "two"])
    assert not child.idle


@pytest.mark.parametrize(
    ("least_free", "outcomes"),
    [("a new child", ["text", "text", "text"]), ("none", ["text", "failed", "text"])],
)
def test_a_page_for_which_no_memory_is_left_is_read_by_a_new_child(tmp_path, limited, monkeypatch, least_free, outcomes):
    class Exhausted(child.Child):
        pages_sent = 0

        def receive(self, **limits):
            message = super().receive(**limits)
            if message.get("page", {}).get("number") == 2 and (least_free == "none" or self.pages_sent):
                return {"exhausted": True}
            self.pages_sent += "page" in message
            return message

    monkeypatch.setattr(child, "Child", Exhausted)
    path = write_pdf(tmp_path / "three.pdf", text_page("one"), text_page("two"), text_page("three"))
    document = read_document(path, limited)
    assert [page.outcome for page in document.pages] == outcomes
    assert {page.reason for page in document.pages} == ({NEEDS_MEMORY, ""} if "failed" in outcomes else {""})


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("alloc.cpp:73: (-4:Insufficient memory) in 'OutOfMemoryError'")])
def test_want_of_memory_is_no_damage(error):
    class Hungry:
        def read(self, number, **how):
            raise error

    with pytest.raises(worker.OutOfMemory):
        worker.read_page(Hungry(), 1, True, None)


def test_memory_stays_bounded_over_many_pages(tmp_path, limited):
    path = write_pdf(
        tmp_path / "long.pdf", *(text_page(*(f"line {n} of page {number}" for n in range(40))) for number in range(200))
    )
    document = read_document(path, limited)
    assert len(document.pages) == 200
    assert memory_of(child.idle[0].process) < 150


def test_a_file_over_its_time_keeps_the_pages_read_until_then(tmp_path, limited):
    config = replace(limited, reading=replace(limited.reading, page_seconds=60.0, file_seconds=3.0, memory_mb=4000))
    started = time.monotonic()
    document = read_document(write_nested_forms(tmp_path / "slow.pdf"), config)
    assert time.monotonic() - started < 30
    assert document.pages[0].text == "before"
    assert [page.reason for page in document.pages[1:]] == [
        "not read: the file took longer than file_seconds = 3 in config.toml"
    ] * 2


def test_no_secret_reaches_the_child(limited, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")
    monkeypatch.setenv("PDF_PASSWORDS", "canary")
    assert "canary" not in child.environment_for(limited).values()
