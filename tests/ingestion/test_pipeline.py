"""Runs over a folder of small PDFs: what the index holds afterwards, what was embedded for it, and what people are told."""

import resource
import time

import numpy as np
import pytest

from ingestion import indexing, pipeline, read_ahead
from ingestion.pipeline import status, sync
from ingestion.progress import Progress
from ingestion.store import writer_lock
from ingestion.text_sources import read_source
from rag.errors import ConfigError, IndexBusy, IndexFault
from rag.index import Snapshot
from rag.progress import INTERRUPTED
from tests.fakes import LengthEmbedder
from tests.ingestion.folder import settle, write_pdf


@pytest.fixture
def folder(config):
    return config.documents.directory


@pytest.fixture
def embedder():
    return LengthEmbedder()


def texts(config) -> dict[str, str]:
    """The searchable text of every file by path."""
    name = status(config).generation
    snapshot = Snapshot.open(config.documents.index / name, nprobe=1, every_byte=True)
    found: dict[str, str] = {record.path: "" for record in snapshot.files}
    for row in range(len(snapshot)):
        chunk = snapshot.chunk(row)
        found[chunk.file] += chunk.text
    return found


def counts(report):
    return {
        name: count
        for name in ("new", "changed", "renamed", "deleted", "unchanged", "failed")
        if (count := getattr(report, name))
    }


def test_new_documents_become_searchable_and_are_not_read_twice(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "Three quotations are required.", "Late bids are rejected.")
    write_pdf(folder / "hr" / "travel.pdf", "Economy class below six hours.")
    first = sync(config, embedder=embedder)
    assert counts(first) == {"new": 2}
    assert [(file.path, file.outcome, file.pages, file.pages_by_outcome) for file in first.files] == [
        ("hr/travel.pdf", "read", 1, {"text": 1}),
        ("policy.pdf", "read", 2, {"text": 2}),
    ]
    assert texts(config) == {
        "policy.pdf": "Three quotations are required.Late bids are rejected.",
        "hr/travel.pdf": "Economy class below six hours.",
    }
    embedder.embedded.clear()
    second = sync(config, embedder=embedder)
    assert counts(second) == {"unchanged": 2}
    assert (second.generation, second.indexed, embedder.embedded) == (first.generation, (), [])


def test_a_changed_document_replaces_its_old_content(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    sync(config, embedder=embedder)
    write_pdf(folder / "policy.pdf", "The limit is 75,000.", seconds=1)
    assert counts(sync(config, embedder=embedder)) == {"changed": 1}
    assert texts(config) == {"policy.pdf": "The limit is 75,000."}


def test_chats_and_ready_chunks_are_documents_and_other_text_is_not(config, folder, embedder):
    folder.mkdir()
    (folder / "chat.txt").write_text("31/12/24, 09:00 - Ann: The offer is 40,000.\n31/12/24, 09:05 - Bob: Too much.\n")
    (folder / "chunks.jsonl").write_text('{"id": "c1", "text": "Net sales rose.", "metadata": {"page": 12}}\nrubbish\n')
    (folder / "notes.txt").write_text("Ask Ann about the offer.")
    (folder / "log.jsonl").write_text('{"event": "started"}\n')
    for path in folder.iterdir():
        settle(path)
    report = sync(config, embedder=embedder)
    assert [(file.path, file.outcome, file.pages) for file in report.files] == [
        ("chat.txt", "read", 1),
        ("chunks.jsonl", "partly", 2),
        ("notes.txt", "failed", 0),
    ]
    assert report.notices == ("Files of kinds that are not read were left out: 1 .jsonl.",)
    assert texts(config) == {
        "chat.txt": "2024-12-31 09:00 Ann: The offer is 40,000.\n2024-12-31 09:05 Bob: Too much.",
        "chunks.jsonl": "Net sales rose.",
        "notes.txt": "",
    }
    hidden = config.with_values(whatsapp={"senders": "pseudonymised"})
    sync(hidden, embedder=embedder)
    assert "Ann" not in texts(config)["chat.txt"]


def test_a_renamed_document_costs_no_embedding_and_is_cited_by_its_new_name(config, folder, embedder):
    old = write_pdf(folder / "old.pdf", "The limit is 50,000.")
    sync(config, embedder=embedder)
    embedder.embedded.clear()
    (folder / "2024").mkdir()
    old.rename(folder / "2024" / "new.pdf")
    report = sync(config, embedder=embedder)
    assert counts(report) == {"renamed": 1}
    assert (report.removed, report.indexed, embedder.embedded) == (("old.pdf",), (), [])
    assert texts(config) == {"2024/new.pdf": "The limit is 50,000."}


def test_a_new_name_brings_its_metadata(config, folder, embedder):
    old = write_pdf(folder / "Rules 2023.pdf", "The limit is 50,000.")
    sync(config, embedder=embedder)
    old.rename(folder / "Spend report Q2 2025.pdf")
    record = sync(config, embedder=embedder).files[0]
    assert {key: record.metadata[key].value for key in ("title", "year", "quarter")} == {
        "title": "Spend report Q2 2025",
        "year": "2025",
        "quarter": "Q2",
    }


def test_a_deleted_document_is_gone_from_the_index(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    write_pdf(folder / "secret.pdf", "Canary in the mine.")
    sync(config, embedder=embedder)
    (folder / "secret.pdf").unlink()
    report = sync(config, embedder=embedder)
    assert (counts(report), report.removed) == ({"deleted": 1, "unchanged": 1}, ("secret.pdf",))
    assert texts(config) == {"policy.pdf": "The limit is 50,000."}


def test_the_same_content_twice_is_one_document(config, folder, embedder):
    write_pdf(folder / "a.pdf", "The limit is 50,000.")
    write_pdf(folder / "copy" / "b.pdf", "The limit is 50,000.")
    report = sync(config, embedder=embedder)
    assert [file.paths for file in report.files] == [("a.pdf", "copy/b.pdf")]
    assert len(embedder.embedded) == 1
    (folder / "a.pdf").unlink()
    report = sync(config, embedder=embedder)
    assert [file.paths for file in report.files] == [("copy/b.pdf",)]
    assert report.removed == ("a.pdf",)
    assert len(embedder.embedded) == 1


def test_a_bad_file_is_a_line_in_the_report_and_not_read_again_until_the_reader_is_another(config, folder, embedder):
    write_pdf(folder / "good.pdf", "The limit is 50,000.")
    (folder / "bad.pdf").write_text("<html>Sign in</html>")
    settle(folder / "bad.pdf")
    report = sync(config, embedder=embedder)
    assert counts(report) == {"new": 2, "failed": 1}
    bad = report.files[0]
    assert (bad.path, bad.outcome, bad.chunks) == ("bad.pdf", "failed", 0)
    assert "web page" in bad.reason
    assert bad.next_step
    assert sync(config, embedder=embedder).indexed == ()
    patient = config.with_values(reading={"page_seconds": config.reading.page_seconds + 1})
    assert sync(patient, embedder=embedder).indexed == ("bad.pdf",)


def test_a_document_that_trips_the_program_up_is_a_line_in_the_report(config, folder, embedder, monkeypatch):
    def chunk_document(document, *, file, **options):
        if file == "odd.pdf":
            raise TypeError("an odd list")
        return chunk(document, file=file, **options)

    chunk = indexing.chunk_document
    monkeypatch.setattr(indexing, "chunk_document", chunk_document)
    write_pdf(folder / "odd.pdf", "Anything.")
    write_pdf(folder / "policy.pdf", "Three quotations are required.")
    report = sync(config, embedder=embedder)
    failed = {record.path: record.reason for record in report.files if record.outcome == "failed"}
    assert failed == {"odd.pdf": "The program failed on what it read here (TypeError: an odd list)."}
    assert "Three quotations" in texts(config)["policy.pdf"]


def test_what_can_not_be_opened_is_listed_with_what_to_do(config, folder, embedder):
    write_pdf(folder / "good.pdf", "The limit is 50,000.")
    (folder / "lost.pdf").symlink_to(folder / "nowhere.pdf")
    report = sync(config, embedder=embedder)
    assert [(file.path, file.outcome, file.next_step) for file in report.files] == [
        ("good.pdf", "read", ""),
        ("lost.pdf", "failed", "Remove or mend it."),
    ]
    assert sync(config, embedder=embedder).generation == report.generation
    (folder / "lost.pdf").unlink()
    assert counts(sync(config, embedder=embedder)) == {"unchanged": 1}


def test_an_edited_sidecar_corrects_the_metadata(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    assert "organisation" not in sync(config, embedder=embedder).files[0].metadata
    (folder / "policy.pdf.toml").write_text('organisation = "Northwind"')
    report = sync(config, embedder=embedder)
    assert counts(report) == {"changed": 1}
    assert report.files[0].metadata["organisation"].value == "Northwind"
    assert sync(config, embedder=embedder).generation == report.generation


def test_an_emptied_folder_is_not_forgotten_without_confirmation(config, folder, embedder):
    for number in range(10):
        write_pdf(folder / f"{number}.pdf", f"Clause {number}")
    sync(config, embedder=embedder)
    for path in folder.iterdir():
        path.unlink()
    report = sync(config, embedder=embedder)
    assert len(report.refused_removals) == len(texts(config)) == 10
    assert "10 of 10 indexed documents are gone" in report.notices[0]
    with pytest.raises(IndexFault, match="not built anew"):
        sync(config, embedder=embedder, rebuild=True)
    assert counts(sync(config, embedder=embedder, confirm_mass_removal=True)) == {"deleted": 10}
    assert texts(config) == {}


def test_a_missing_folder_leaves_the_index_alone(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    sync(config, embedder=embedder)
    folder.rename(folder.with_name("unmounted"))
    with pytest.raises(ConfigError, match="is not there"):
        sync(config, embedder=embedder)
    assert texts(config) == {"policy.pdf": "The limit is 50,000."}


def test_an_interrupted_run_goes_on_after_the_last_finished_document(config, folder, embedder, monkeypatch):
    monkeypatch.setattr(indexing, "EMBEDDED_TOGETHER", 1)
    one_at_a_time = config.with_values(reading={"workers": 1})
    for name in ("first", "second", "third"):
        write_pdf(folder / f"{name}.pdf", f"The {name} document.")

    def stop_at_the_third(now: Progress) -> None:
        if now.files_done == 3:  # it is read, and the two before it are finished
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync(one_at_a_time, embedder=embedder, progress=stop_at_the_third)
    assert status(config).problem
    assert status(config).run.last_error == INTERRUPTED

    read_now: set[str] = set()
    report = sync(one_at_a_time, embedder=embedder, progress=lambda now: read_now.add(now.file))
    assert read_now == {"", "third.pdf"}
    assert counts(report) == {"new": 3}
    assert len(embedder.embedded) == 3
    assert texts(config) == {f"{name}.pdf": f"The {name} document." for name in ("first", "second", "third")}


def test_what_was_read_is_kept_while_a_long_document_is_read(config, folder, embedder, monkeypatch):
    long_one = folder / "z long.pdf"
    for path in (folder / "a.pdf", folder / "b.pdf", long_one):
        write_pdf(path, f"The document {path.stem}.")
    counted = set()

    def kept() -> int:
        return len(list((config.documents.index / "work").glob("*.segment")))

    def killed_in_the_long_one(path, *arguments, **options):
        if path != long_one:
            return read_source(path, *arguments, **options)
        deadline = time.monotonic() + 30
        while kept() < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(read_ahead, "read_source", killed_in_the_long_one)
        with pytest.raises(KeyboardInterrupt):
            sync(config, embedder=embedder, progress=lambda now: counted.add(now.files_done))
    assert kept() == 2
    assert counted == {0, 1, 2}, "the files that were read, whether or not they are embedded"

    read_now: set[str] = set()
    sync(config, embedder=embedder, progress=lambda now: read_now.add(now.file))
    assert read_now == {"", long_one.name}


@pytest.mark.parametrize(("seconds", "batches"), [(60.0, 1), (-1.0, 3)])
def test_small_documents_share_a_batch_unless_one_has_waited_long(config, folder, embedder, monkeypatch, seconds, batches):
    monkeypatch.setattr(indexing, "SAVED_WITHIN", seconds)
    monkeypatch.setattr(read_ahead, "IDLE_SECONDS", 60.0)
    embedded = []
    monkeypatch.setattr(embedder, "embed_documents", lambda texts: embedded.append(texts) or np.ones((len(texts), 16)))
    for name in "abc":
        write_pdf(folder / f"{name}.pdf", f"The document {name}.")
    sync(config, embedder=embedder)
    assert len(embedded) == batches


def test_a_document_replaced_while_it_is_read_keeps_its_old_content_until_the_next_run(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    sync(config, embedder=embedder)
    write_pdf(folder / "policy.pdf", "The limit is 60,000.", seconds=1)

    def replace_it(now: Progress) -> None:
        if now.page:
            write_pdf(folder / "policy.pdf", "The limit is 75,000.", seconds=2)

    report = sync(config, embedder=embedder, progress=replace_it)
    assert report.notices == ("policy.pdf changed while it was read; the next run reads it again.",)
    assert texts(config) == {"policy.pdf": "The limit is 50,000."}
    assert counts(sync(config, embedder=embedder)) == {"changed": 1}
    assert texts(config) == {"policy.pdf": "The limit is 75,000."}


def test_another_embedder_or_chunk_size_builds_the_index_anew_while_the_old_one_serves(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    old = sync(config, embedder=embedder).generation
    seen_during_the_run = set()
    other = LengthEmbedder(fingerprint="word-lengths:2")
    report = sync(config, embedder=other, progress=lambda now: seen_during_the_run.add(status(config).generation))
    assert seen_during_the_run == {old}
    assert "all is indexed anew" in report.notices[0]
    assert (counts(report), len(other.embedded)) == ({"new": 1}, 1)

    smaller = config.with_values(chunking={"search_size": 200})
    report = sync(smaller, embedder=other)
    assert "[chunking]" in report.notices[0]
    assert sync(smaller, embedder=other).notices == ()


def test_a_rebuild_reads_everything_but_embeds_only_new_texts(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    first = sync(config, embedder=embedder)
    report = sync(config, embedder=embedder, rebuild=True)
    assert report.indexed == ("policy.pdf",)
    assert report.generation != first.generation
    assert len(embedder.embedded) == 1


def test_a_long_run_makes_what_is_finished_answerable_early(config, folder, embedder, monkeypatch):
    monkeypatch.setattr(indexing, "EMBEDDED_TOGETHER", 1)
    monkeypatch.setattr(pipeline, "PUBLISH_SECONDS", 0.0)
    write_pdf(folder / "a.pdf", "The limit is 50,000.")
    write_pdf(folder / "b.pdf", "Late bids are rejected.")
    live_after = []
    sync(config, embedder=embedder, progress=lambda now: live_after.append((now.files_done, len(status(config).files))))
    assert (2, 1) in live_after, "the first was live before the second was finished"
    assert len(texts(config)) == 2


def test_a_full_disk_leaves_the_index_as_it_was(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    sync(config, embedder=embedder)
    write_pdf(folder / "more.pdf", "Late bids are rejected.")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))  # bytes a file may have
    try:
        with pytest.raises(IndexFault, match="Make room on the disk"):
            sync(config, embedder=embedder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert texts(config) == {"policy.pdf": "The limit is 50,000."}
    assert not list(config.documents.index.rglob("*.part"))
    assert counts(sync(config, embedder=embedder)) == {"new": 1, "unchanged": 1}


def test_a_second_writer_is_told_to_wait(config, folder, embedder):
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    with writer_lock(config.documents.index), pytest.raises(IndexBusy):
        sync(config, embedder=embedder)


def test_status_needs_neither_index_nor_lock(config, folder, embedder):
    assert "no index" in status(config).problem
    write_pdf(folder / "policy.pdf", "The limit is 50,000.")
    sync(config, embedder=embedder)
    with writer_lock(config.documents.index):
        found = status(config)
    assert ([file.path for file in found.files], found.problem, found.run.phase) == (["policy.pdf"], "", "idle")
