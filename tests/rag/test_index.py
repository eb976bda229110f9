import itertools
import json
import os
import shutil
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from ingestion.store import live_name, rollback, with_order
from rag import generation, stored
from rag.domain import Parent
from rag.errors import IndexDamaged, IndexMismatch, IndexMissing
from rag.index import IndexReader
from tests.published import FINGERPRINT, SETTINGS, document, publish_documents, renamed, vector

POLICY = document("policies/policy.pdf", "purchases above 50,000 need three quotations", "suppliers are registered first")
TRAVEL = document("travel.pdf", "flights are booked through the agency", "see clause 4.2.1(b)", "hotel rates are capped")
UNREADABLE = replace(
    document("locked.pdf"), record=replace(document("locked.pdf").record, outcome="failed", reason="encrypted")
)


def reader_of(index_dir, fingerprint=FINGERPRINT) -> IndexReader:
    return IndexReader(index_dir, fingerprint=fingerprint, settings=SETTINGS)


def flip(path, place: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(data)


def test_a_snapshot_answers_for_every_row(tmp_path):
    publish_documents(tmp_path, [POLICY, UNREADABLE, TRAVEL])
    snapshot = reader_of(tmp_path).snapshot()
    assert snapshot.generation == "gen-1"
    assert snapshot.files == (POLICY.record, UNREADABLE.record, TRAVEL.record)
    assert [snapshot.chunk(row) for row in range(len(snapshot))] == [*POLICY.chunks, *TRAVEL.chunks]
    assert snapshot.parent(3) == Parent(TRAVEL.chunks[1].parent, 2, 0, 19, "Around: see clause 4.2.1(b)")
    assert snapshot.columns.file.tolist() == [0, 0, 2, 2, 2]
    assert snapshot.columns.page.tolist() == [1, 2, 1, 2, 3]
    assert snapshot.columns.parent.tolist() == [0, 1, 2, 3, 4]
    assert [snapshot.rows_of(file).tolist() for file in range(3)] == [[0, 1], [], [2, 3, 4]]
    assert (snapshot.manifest.embedder, snapshot.manifest.chunking) == ("Model A", {"search_size": 400})


def test_words_references_and_vectors_find_the_same_row(tmp_path):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    snapshot = reader_of(tmp_path).snapshot()
    assert snapshot.lexical.search("clause 4.2.1(b)", num_results=1).rows.tolist() == [3]
    assert snapshot.lexical.references("clause 4.2.1(b)", num_results=5).rows.tolist() == [3]
    assert snapshot.dense.search(vector("see clause 4.2.1(b)"), num_results=1).rows.tolist() == [3]


def test_a_rename_is_seen_in_every_chunk_without_a_text_being_written_again(tmp_path):
    publish_documents(tmp_path, [POLICY])
    before = (tmp_path / "gen-1" / "chunked_docs.pkl").read_bytes()
    publish_documents(tmp_path, [], keep=[renamed(POLICY.record, "archive/policy 2024.pdf")])
    chunk = reader_of(tmp_path).snapshot().chunk(0)
    assert (chunk.file, chunk.document) == ("archive/policy 2024.pdf", "archive/policy 2024")
    assert (tmp_path / "gen-2" / "chunked_docs.pkl").read_bytes() == before


def test_the_order_of_words_outlasts_a_publishing_that_adds_nothing_and_comes_back_where_it_was_not_kept(tmp_path):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    before = [reader_of(tmp_path).snapshot().order_of(row).tolist() for row in (2, 3, 4)]
    publish_documents(tmp_path, [], keep=[TRAVEL.record])
    snapshot = reader_of(tmp_path).snapshot()
    assert snapshot.lexical.order is not None
    assert [snapshot.order_of(row).tolist() for row in range(3)] == before
    snapshot.lexical.order = None  # as in an index of an older format
    assert [snapshot.order_of(row).tolist() for row in range(3)] == before
    assert [with_order(snapshot).order.of(row).tolist() for row in range(3)] == before


def test_no_index_says_what_to_run(tmp_path):
    with pytest.raises(IndexMissing, match="python -m ingestion sync"):
        reader_of(tmp_path / "nowhere").snapshot()


def test_refresh_swaps_the_snapshot_only_when_current_changed(tmp_path):
    publish_documents(tmp_path, [POLICY])
    reader = reader_of(tmp_path)
    held = reader.snapshot()
    assert not reader.refresh()
    publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record])
    assert reader.snapshot() is held  # a question keeps what it began with
    assert reader.refresh()
    assert len(reader.snapshot()) == 5
    assert not reader.refresh()


def test_a_snapshot_outlives_its_generations_folder(tmp_path):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    held = reader_of(tmp_path).snapshot()
    shutil.rmtree(tmp_path / "gen-1")
    assert held.chunk(1).text == "suppliers are registered first"
    assert held.lexical.search("suppliers registered", num_results=1).rows.tolist() == [1]
    assert held.dense.search(POLICY.vectors[1], num_results=1).rows.tolist() == [1]


def test_while_a_run_builds_the_index_anew_nobody_is_told_to_start_one(tmp_path):
    publish_documents(tmp_path, [POLICY])
    reader = reader_of(tmp_path)
    made_on = reader.snapshot().manifest.made_on
    (tmp_path / "CURRENT").unlink()
    reader.refresh()
    assert "Run `python -m ingestion sync`" in reader.notices[0]
    (tmp_path / "status.json").write_text(json.dumps({"phase": "reading", "pid": os.getpid(), "ts": time.time()}))
    assert reader.notices == (f"The index is being built anew. Until then answers come from that of {made_on}.",)
    with pytest.raises(IndexMissing, match="it is being built now"):
        reader_of(tmp_path).snapshot()


def test_another_embedding_model_is_refused_and_both_are_named(tmp_path):
    publish_documents(tmp_path, [POLICY])
    with pytest.raises(IndexMismatch, match=r"Model A \(model-a:1\).*model-b:7.*python -m ingestion rebuild"):
        reader_of(tmp_path, "model-b:7").snapshot()
    assert len(reader_of(tmp_path, None).snapshot()) == 2


def test_the_old_index_serves_on_while_another_model_takes_over(tmp_path):
    publish_documents(tmp_path, [POLICY])
    reader = reader_of(tmp_path)
    reader.snapshot()
    publish_documents(tmp_path, [POLICY], fingerprint="model-b:7", embedder_name="Model B")
    assert not reader.refresh()
    assert reader.snapshot().generation == "gen-1"
    assert "Model B" in reader.notices[0]


def test_another_index_format_is_refused(tmp_path):
    publish_documents(tmp_path, [POLICY])
    manifest = replace(generation.read_manifest(tmp_path / "gen-1"), schema=99)
    digest = generation.write_manifest(tmp_path / "gen-1", manifest)
    (tmp_path / "CURRENT").write_text(f"gen-1 {digest}\n")
    with pytest.raises(IndexMismatch, match="index format 99"):
        reader_of(tmp_path).snapshot()


@pytest.fixture(scope="module")
def two_generations(tmp_path_factory):
    index_dir = tmp_path_factory.mktemp("two") / "index"
    publish_documents(index_dir, [POLICY])
    publish_documents(index_dir, [TRAVEL], keep=[POLICY.record])
    return index_dir


FILES = [
    "manifest.json", "manifest.sha256", "vectors.faiss", "chunked_docs.pkl", "chunked_docs.npz", "parents.pkl", "parents.npz",
    "columns.npz", "bm25/about.json",
    *(f"bm25/{field}/{array}.npy" for field, array in itertools.product(
        ("words", "phrases", "references"), ("terms", "starts", "rows", "counts", "lengths", "sample"))),
    "bm25/order/numbers.npy", "bm25/order/starts.npy",
]  # fmt: skip


def test_the_list_of_files_is_complete(two_generations):
    live = two_generations / "gen-2"
    assert sorted(FILES) == sorted(path.relative_to(live).as_posix() for path in live.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_anywhere_is_noticed_and_the_generation_before_serves(two_generations, tmp_path, name):
    index_dir = tmp_path / "index"
    shutil.copytree(two_generations, index_dir)
    whole = (index_dir / "gen-2" / name).read_bytes()
    random = np.random.default_rng(len(name))
    for place in {0, len(whole) - 1, *random.integers(0, len(whole), 6).tolist()}:
        flip(index_dir / "gen-2" / name, place, int(random.integers(0, 8)))
        reader = reader_of(index_dir)
        assert reader.snapshot().generation == "gen-1"
        assert name.removesuffix(".sha256").removesuffix(".json") in reader.notices[0]
        assert "python -m ingestion sync" in reader.notices[0]
        (index_dir / "gen-2" / name).write_bytes(whole)
    assert reader_of(index_dir).snapshot().generation == "gen-2"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["missing", "cut", "empty"])
def test_a_missing_or_cut_file_is_noticed_too(two_generations, tmp_path, name, damage):
    index_dir = tmp_path / "index"
    shutil.copytree(two_generations, index_dir)
    path = index_dir / "gen-2" / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1] if damage == "cut" else b"")
    reader = reader_of(index_dir)
    assert reader.snapshot().generation == "gen-1"
    assert reader.notices


def test_every_bit_of_current_counts(two_generations, tmp_path):
    index_dir = tmp_path / "index"
    shutil.copytree(two_generations, index_dir)
    whole = (index_dir / "CURRENT").read_bytes()
    for place in range(len(whole)):
        flip(index_dir / "CURRENT", place)
        reader = reader_of(index_dir)
        reader.snapshot()
        assert reader.notices, f"byte {place}"
        (index_dir / "CURRENT").write_bytes(whole)


def test_damage_without_a_sound_generation_before_is_an_error_that_names_the_file(tmp_path):
    publish_documents(tmp_path, [POLICY])
    flip(tmp_path / "gen-1" / "vectors.faiss", 100)
    with pytest.raises(IndexDamaged, match=r"gen-1/vectors\.faiss fails its sha256.*python -m ingestion sync"):
        reader_of(tmp_path).snapshot()


def test_a_damaged_new_generation_leaves_the_loaded_one_in_service(two_generations, tmp_path):
    index_dir = tmp_path / "index"
    shutil.copytree(two_generations, index_dir)
    rollback(index_dir)
    reader = reader_of(index_dir)
    assert reader.snapshot().generation == "gen-1"
    publish_documents(index_dir, [TRAVEL], keep=[POLICY.record])
    flip(index_dir / live_name(index_dir) / "columns.npz", 50)
    reader.refresh()
    assert len(reader.snapshot()) == 2
    assert "columns.npz" in reader.notices[0]


TEXTS = [f"clause {n}.1 of matter{n}" for n in range(60)]
LARGE = [
    "vectors.npy", "bm25/order/numbers.npy",
    *(f"bm25/{field}/{array}.npy" for field, array in itertools.product(
        ("words", "phrases"), ("terms", "starts", "rows", "counts"))),
]  # fmt: skip


@pytest.fixture
def large(monkeypatch):
    """Every array counts as large, and has many blocks."""
    monkeypatch.setattr(stored, "BLOCK", 128)
    monkeypatch.setattr(stored, "CHECKED_BY_BLOCK_ABOVE", 0)
    monkeypatch.setattr(stored, "IN_MEMORY_UP_TO", 0)
    monkeypatch.setattr(generation, "CHECKED_BY_BLOCK_ABOVE", 0)


def publish_large(index_dir):
    settings = replace(SETTINGS, exact_up_to=10, half_up_to=20)
    publish_documents(index_dir, [TRAVEL], settings=settings)
    publish_documents(index_dir, [document("long.pdf", *TEXTS)], keep=[TRAVEL.record], settings=settings)


@pytest.mark.parametrize("name", LARGE)
def test_a_flipped_bit_in_a_large_array_is_noticed_when_it_is_read_and_never_served(tmp_path, large, name):
    publish_large(tmp_path)
    path = tmp_path / "gen-2" / name
    flip(path, path.stat().st_size - 1)
    reader = reader_of(tmp_path)
    snapshot = reader.snapshot()
    assert snapshot.generation == "gen-2"  # opened without being read through
    with pytest.raises(IndexDamaged, match=r"python -m ingestion sync"):
        read_everything(snapshot)
    assert snapshot.damaged
    assert reader.snapshot().generation == "gen-1"
    read_everything(reader.snapshot())


@pytest.mark.parametrize("name", LARGE)
def test_damaged_digests_of_blocks_are_noticed_when_the_index_is_opened(tmp_path, large, name):
    publish_large(tmp_path)
    flip((tmp_path / "gen-2" / name).with_suffix(".blocks"), 20)
    assert reader_of(tmp_path).snapshot().generation == "gen-1"


def read_everything(snapshot):
    for text in [*TEXTS, *(chunk.searched_text for chunk in TRAVEL.chunks)]:
        snapshot.lexical.search(text, num_results=3)
        snapshot.dense.search(vector(text), num_results=3)
    for row in range(len(snapshot)):
        snapshot.order_of(row)


def test_a_text_found_damaged_while_reading_sends_the_next_question_to_the_generation_before(two_generations, tmp_path):
    index_dir = tmp_path / "index"
    shutil.copytree(two_generations, index_dir)
    reader = reader_of(index_dir)
    snapshot = reader.snapshot()
    flip(index_dir / "gen-2" / "chunked_docs.pkl", int(snapshot.chunk_texts.offsets[3]) + 20)
    with pytest.raises(IndexDamaged):
        snapshot.chunk(3)
    assert reader.snapshot().generation == "gen-1"
    assert "chunked_docs.pkl" in reader.notices[0]


def test_a_damaged_text_without_anything_better_goes_on_serving_the_sound_ones(tmp_path):
    publish_documents(tmp_path, [POLICY])
    reader = reader_of(tmp_path)
    snapshot = reader.snapshot()
    flip(tmp_path / "gen-1" / "chunked_docs.pkl", int(snapshot.chunk_texts.offsets[1]) + 20)
    with pytest.raises(IndexDamaged):
        snapshot.chunk(1)
    assert reader.snapshot().chunk(0) == POLICY.chunks[0]
    assert "chunked_docs.pkl" in reader.notices[0]
    assert reader.snapshot() is snapshot


def test_readers_see_whole_generations_while_others_are_published_and_cleared_away(tmp_path):
    settings = replace(SETTINGS, keep_generations=1)
    publish_documents(tmp_path, [POLICY], settings=settings)
    done, faults = threading.Event(), []

    def read() -> None:
        while not done.is_set():
            try:
                snapshot = reader_of(tmp_path).snapshot()
                sizes = {len(snapshot), len(snapshot.dense), len(snapshot.lexical), len(snapshot.columns.file)}
                assert sizes in ({2}, {5})
                assert snapshot.chunk(len(snapshot) - 1).text
            except BaseException as fault:
                faults.append(fault)
                return

    readers = [threading.Thread(target=read) for _ in range(3)]
    for thread in readers:
        thread.start()
    for turn in range(12):
        both = turn % 2 == 0
        publish_documents(tmp_path, [TRAVEL] if both else [], keep=[POLICY.record], settings=settings)
    done.set()
    for thread in readers:
        thread.join()
    assert not faults


def test_an_index_that_went_is_told_with_its_date_in_words(tmp_path, monkeypatch):
    publish_documents(tmp_path, [POLICY])
    reader = reader_of(tmp_path)
    monkeypatch.setattr(reader.snapshot(), "manifest", replace(reader.snapshot().manifest, created="2025-03-05T14:05:09+00:00"))
    (tmp_path / "CURRENT").unlink()
    assert not reader.refresh()
    assert "Until then answers come from the index of 5 March 2025, 14:05 UTC." in reader.notices[0]
