import errno
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.segments import load_segment, save_segment, segment_path
from ingestion.store import live_name, open_base, rollback, verify, writer_lock
from rag.config import PROJECT
from rag.domain import Chunk
from rag.errors import IndexBusy, IndexDamaged, IndexFault, IndexMismatch, IndexMissing
from rag.index import IndexReader, Snapshot
from tests.published import FINGERPRINT, SETTINGS, document, publish_documents, renamed, vector

POLICY = document("policy.pdf", "purchases above 50,000 need three quotations", "suppliers are registered first")
TRAVEL = document("travel.pdf", "flights are booked through the agency", "see clause 4.2.1(b)")
BUDGET = document("budget.pdf", "the budget for equipment is 1.2 million", language="english")
STEPS = ("begin", "texts", "lexical", "dense", "digests", "manifest", "sync", "rename", "point")


def snapshot_of(index_dir: Path) -> Snapshot:
    return IndexReader(index_dir, fingerprint=FINGERPRINT, settings=SETTINGS).snapshot()


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def everything(snapshot: Snapshot) -> list[tuple[Chunk, str, list[float]]]:
    """Every chunk with its parent's text and its vector, whatever row it stands in."""
    rows = range(len(snapshot))
    parents = [snapshot.parent(int(snapshot.columns.parent[row])).text for row in rows]
    vectors = snapshot.dense.vectors().tolist()
    return sorted(zip(map(snapshot.chunk, rows), parents, vectors, strict=True), key=lambda entry: entry[0].id)


def answers(snapshot: Snapshot, question: str) -> dict[str, dict[str, float]]:
    """What each kind of search finds: chunk id to score."""
    rankings = {
        "dense": snapshot.dense.search(vector(question), num_results=len(snapshot)),
        "lexical": snapshot.lexical.search(question, num_results=len(snapshot)),
        "references": snapshot.lexical.references(question, num_results=len(snapshot)),
    }
    return {
        kind: {snapshot.chunk(int(row)).id: round(float(score), 4) for row, score in zip(found.rows, found.scores, strict=True)}
        for kind, found in rankings.items()
    }


def test_a_deleted_document_is_gone_from_everything(tmp_path):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    publish_documents(tmp_path, [], keep=[TRAVEL.record])
    snapshot = snapshot_of(tmp_path)
    assert [record.path for record in snapshot.files] == ["travel.pdf"]
    assert all("quotations" not in chunk.text for chunk, _, _ in everything(snapshot))
    assert answers(snapshot, "quotations for 50,000") == {
        "dense": answers(snapshot, "quotations for 50,000")["dense"],
        "lexical": {},
        "references": {},
    }
    live = tmp_path / live_name(tmp_path)
    assert not [path for path in live.rglob("*") if path.is_file() and b"quotations" in path.read_bytes()]


WORDS = ["tender", "supplier", "contract", "4.2.1", "HR-204", "50,000", "approval"]
PAPERS = [
    document(f"{name}.pdf", *(f"{name} {WORDS[(n + m) % 7]} {WORDS[(n * m) % 7]}" for m in range(n % 4)))
    for n, name in enumerate(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"])
]


@given(st.lists(st.lists(st.sampled_from(["out", "in", "renamed"]), min_size=6, max_size=6), min_size=1, max_size=4))
@settings(max_examples=12, deadline=None)
def test_any_sequence_of_changes_ends_in_the_index_built_from_scratch(tmp_path_factory, states):
    step_by_step, scratch = tmp_path_factory.mktemp("steps"), tmp_path_factory.mktemp("scratch")
    held: set[str] = set()
    for turn in states:
        wanted = {
            paper.record.sha256: replace(paper, record=renamed(paper.record, f"moved/{paper.record.path}"))
            if state == "renamed"
            else paper
            for paper, state in zip(PAPERS, turn, strict=True)
            if state != "out"
        }
        kept = [paper.record for sha256, paper in wanted.items() if sha256 in held]
        publish_documents(step_by_step, [paper for sha256, paper in wanted.items() if sha256 not in held], keep=kept)
        held = set(wanted)
    publish_documents(scratch, list(wanted.values()))
    one, other = snapshot_of(step_by_step), snapshot_of(scratch)
    assert everything(one) == everything(other)
    assert {record.sha256: record for record in one.files} == {record.sha256: record for record in other.files}
    for question in ("tender approval 4.2.1", "alpha HR-204", "supplier contract for 50k"):
        assert answers(one, question) == answers(other, question)
    assert verify(step_by_step) == []


def test_the_records_on_disk_name_no_path(tmp_path):
    publish_documents(tmp_path, [document("secret-folder/policy.pdf", "text")])
    assert b"secret-folder" not in (tmp_path / "gen-1" / "chunked_docs.pkl").read_bytes()


def test_generations_are_kept_as_configured(tmp_path):
    for turn in range(4):
        publish_documents(tmp_path, [document("a.pdf", f"text {turn}")])
    assert sorted(path.name for path in tmp_path.glob("gen-*")) == ["gen-3", "gen-4"]
    publish_documents(tmp_path, [POLICY], settings=replace(SETTINGS, keep_generations=1))
    assert sorted(path.name for path in tmp_path.glob("gen-*")) == ["gen-5"]


def test_rollback_makes_the_generation_before_live_and_the_next_one_builds_on_it(tmp_path):
    publish_documents(tmp_path, [POLICY])
    publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record])
    assert rollback(tmp_path) == "gen-1"
    assert [record.path for record in snapshot_of(tmp_path).files] == ["policy.pdf"]
    assert publish_documents(tmp_path, [BUDGET], keep=[POLICY.record]) == "gen-3"
    assert [record.path for record in snapshot_of(tmp_path).files] == ["policy.pdf", "budget.pdf"]
    assert sorted(path.name for path in tmp_path.glob("gen-*")) == ["gen-1", "gen-3"]


def test_rollback_without_anything_before_is_an_error(tmp_path):
    with pytest.raises(IndexMissing):
        rollback(tmp_path)
    publish_documents(tmp_path, [POLICY])
    with pytest.raises(IndexFault, match="no sound generation before gen-1"):
        rollback(tmp_path)
    assert live_name(tmp_path) == "gen-1"


def test_rollback_passes_over_a_damaged_generation(tmp_path):
    wide = replace(SETTINGS, keep_generations=3)
    for turn in range(3):
        publish_documents(tmp_path, [document("a.pdf", f"text {turn}")], settings=wide)
    flip(tmp_path / "gen-2" / "columns.npz", 40)
    assert rollback(tmp_path) == "gen-1"


def test_verify_reads_every_byte_of_every_generation(tmp_path):
    publish_documents(tmp_path, [POLICY])
    publish_documents(tmp_path, [TRAVEL])
    assert verify(tmp_path) == []
    flip(tmp_path / "gen-1" / "parents.pkl", 20)
    (tmp_path / "gen-2" / "bm25" / "words" / "rows.npy").unlink()
    first, second = verify(tmp_path)
    assert "gen-1/parents.pkl fails its sha256" in first
    assert "gen-2/bm25/words/rows.npy can't be read" in second


def test_a_damaged_live_generation_is_never_built_on(tmp_path):
    publish_documents(tmp_path, [POLICY])
    publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record])
    flip(tmp_path / "gen-2" / "chunked_docs.pkl", 30)
    base, damages = open_base(tmp_path, settings=SETTINGS)
    assert base is not None
    assert base.generation == "gen-1"
    assert "chunked_docs.pkl" in damages[0]
    with pytest.raises(IndexDamaged, match=r"travel\.pdf has to be read again"):
        publish_documents(tmp_path, [], keep=[POLICY.record, TRAVEL.record])
    assert publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record]) == "gen-3"
    assert sorted(path.name for path in tmp_path.glob("gen-*")) == ["gen-1", "gen-3"]
    assert verify(tmp_path) == []


def test_what_a_damaged_generation_took_with_it_comes_back_from_work(tmp_path):
    publish_documents(tmp_path, [POLICY])
    publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record])
    flip(tmp_path / "gen-2" / "vectors.faiss", 90)
    save_segment(segment_path(tmp_path, TRAVEL.record.sha256), TRAVEL)
    publish_documents(tmp_path, [], keep=[POLICY.record, renamed(TRAVEL.record, "trips.pdf")])
    assert [record.path for record in snapshot_of(tmp_path).files] == ["policy.pdf", "trips.pdf"]


def test_vectors_of_different_models_never_meet(tmp_path):
    publish_documents(tmp_path, [POLICY])
    with pytest.raises(IndexMismatch, match=r"Model A \(model-a:1\).*model-b:7.*rebuild"):
        publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record], fingerprint="model-b:7")
    assert live_name(tmp_path) == "gen-1"


def test_embeddings_that_are_no_numbers_are_refused(tmp_path):
    for broken in (TRAVEL.vectors * np.nan, TRAVEL.vectors[:1], TRAVEL.vectors[:, :3]):
        with pytest.raises(IndexFault, match=r"travel\.pdf"):
            publish_documents(tmp_path, [replace(TRAVEL, vectors=broken)])
    assert os.listdir(tmp_path) == []


def test_a_document_kept_and_added_at_once_is_a_mistake_of_the_caller(tmp_path):
    publish_documents(tmp_path, [POLICY])
    with pytest.raises(ValueError, match="kept and added"):
        publish_documents(tmp_path, [POLICY], keep=[POLICY.record])
    assert verify(tmp_path) == []


def test_an_index_of_nothing_can_be_published_and_asked(tmp_path):
    publish_documents(tmp_path, [])
    assert answers(snapshot_of(tmp_path), "anything") == {"dense": {}, "lexical": {}, "references": {}}
    publish_documents(tmp_path, [POLICY])
    assert len(snapshot_of(tmp_path)) == 2


def test_documents_without_a_chunk_are_kept_like_others(tmp_path):
    locked = document("locked.pdf")
    publish_documents(tmp_path, [locked])
    publish_documents(tmp_path, [], keep=[locked.record])
    publish_documents(tmp_path, [POLICY], keep=[locked.record])
    assert [record.path for record in snapshot_of(tmp_path).files] == ["locked.pdf", "policy.pdf"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EIO, "Input/output error")])
def test_a_failing_disk_leaves_the_old_index_live_and_nothing_half_written(tmp_path, step, fault):
    publish_documents(tmp_path, [POLICY])
    before = sorted(os.listdir(tmp_path))

    def fail(name: str) -> None:
        if name == step:
            raise fault

    with pytest.raises(IndexFault, match=f"{fault.strerror}.*still in use.*python -m ingestion sync"):
        publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record], step=fail)
    assert sorted(os.listdir(tmp_path)) == before
    assert verify(tmp_path) == []
    assert len(snapshot_of(tmp_path)) == 2


@pytest.mark.parametrize("step", STEPS)
def test_an_interrupted_run_cleans_up_and_passes_the_interruption_on(tmp_path, step):
    publish_documents(tmp_path, [POLICY])

    def interrupt(name: str) -> None:
        if name == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record], step=interrupt)
    assert sorted(os.listdir(tmp_path)) == ["CURRENT", "gen-1"]


@pytest.mark.parametrize("largest_file", [200, 3_000, 60_000])
def test_files_that_can_not_grow_any_further(tmp_path, largest_file):
    """The operating system refuses the write itself, inside NumPy, FAISS or ours; in a process of its own."""
    publish_documents(tmp_path, [POLICY])
    many = "\n".join(f"clause {n}.1 word{n}" for n in range(2000))
    program = textwrap.dedent(f"""
        import resource, signal
        from pathlib import Path
        from rag.errors import IndexFault
        from tests.published import document, publish_documents
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        paper = document("many.pdf", *Path({str(tmp_path / "many.txt")!r}).read_text().splitlines())
        resource.setrlimit(resource.RLIMIT_FSIZE, ({largest_file}, {largest_file}))
        try:
            publish_documents(Path({str(tmp_path)!r}), [paper])
        except IndexFault as fault:
            print(fault)
    """)
    (tmp_path / "many.txt").write_text(many)
    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert "still in use" in done.stdout
    assert sorted(os.listdir(tmp_path)) == ["CURRENT", "gen-1", "many.txt"]
    assert len(snapshot_of(tmp_path)) == 2


def test_a_second_writer_is_told_that_the_index_is_busy(tmp_path):
    program = (
        "import sys, time; from pathlib import Path; from ingestion.store import writer_lock\n"
        f"with writer_lock(Path({str(tmp_path)!r})): print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(IndexBusy, match="Another process"), writer_lock(tmp_path):
            pass
        other.kill()
    with writer_lock(tmp_path, wait_seconds=5):  # the lock falls with its process
        pass


def test_the_lock_also_holds_between_threads_of_one_process(tmp_path):
    with writer_lock(tmp_path), pytest.raises(IndexBusy), writer_lock(tmp_path):
        pass
    with writer_lock(tmp_path):
        pass


def test_a_segment_comes_back_as_it_was_saved(tmp_path):
    path = segment_path(tmp_path, POLICY.record.sha256)
    save_segment(path, POLICY)
    loaded = load_segment(path)
    assert (loaded.record, loaded.chunks, loaded.parents) == (POLICY.record, POLICY.chunks, POLICY.parents)
    np.testing.assert_array_equal(loaded.vectors, POLICY.vectors)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_torn_segment_counts_as_none(tmp_path):
    path = tmp_path / "one.segment"
    save_segment(path, POLICY)
    whole = path.read_bytes()
    for size in (0, 1, 31, 32, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert load_segment(path) is None
    for place in (0, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole)
        flip(path, place)
        assert load_segment(path) is None
    assert load_segment(tmp_path / "absent.segment") is None
