import threading
from dataclasses import replace

import faiss
import numpy as np
import pytest

from rag.config import Index
from rag.dense import DenseIndex, build, openmp_threads

SETTINGS = Index(keep_generations=2, exact_up_to=1000, half_up_to=2000, nprobe=16)
SMALL_IVF = replace(SETTINGS, exact_up_to=10, half_up_to=20)


def unit_vectors(number: int, *, dimension: int = 32, seed: int = 0) -> np.ndarray:
    """In forty loose groups, as texts are."""
    random = np.random.default_rng(seed)
    middles = np.random.default_rng(99).standard_normal((40, dimension))
    vectors = middles[random.integers(0, 40, number)] + 0.7 * random.standard_normal((number, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def exact(vectors: np.ndarray, query: np.ndarray, number: int) -> list[int]:
    return np.argsort(-(vectors @ query), kind="stable")[:number].tolist()


def recall(index: DenseIndex, vectors: np.ndarray, *, number: int = 50) -> float:
    queries = unit_vectors(40, seed=7)
    shares = [len({*exact(vectors, q, number)} & {*index.search(q, num_results=number).rows.tolist()}) for q in queries]
    return sum(shares) / number / len(queries)


@pytest.mark.parametrize(("number", "kind"), [(1000, "exact"), (1001, "half"), (2000, "half"), (2001, "ivf")])
def test_the_kind_of_index_follows_the_number_of_rows(number, kind):
    assert build(unit_vectors(number, dimension=8), settings=SETTINGS).kind == kind


def test_an_exact_index_gives_the_inner_products_best_first():
    vectors = unit_vectors(300)
    ranking = build(vectors, settings=SETTINGS).search(vectors[5], num_results=10)
    assert ranking.rows.tolist() == exact(vectors, vectors[5], 10)
    np.testing.assert_allclose(ranking.scores, (vectors @ vectors[5])[ranking.rows], atol=1e-6)


def test_half_precision_finds_nearly_all_and_ivf_almost_as_many():
    vectors = unit_vectors(6000)
    assert recall(build(vectors, settings=replace(SETTINGS, half_up_to=6000)), vectors) >= 0.99
    assert recall(build(vectors, settings=replace(SETTINGS, nprobe=64)), vectors) >= 0.98


@pytest.mark.parametrize("settings", [SETTINGS, replace(SETTINGS, exact_up_to=10), SMALL_IVF], ids=["exact", "half", "ivf"])
@pytest.mark.parametrize("number_allowed", [1, 7, 60, 700])
def test_a_filter_still_gives_as_many_results_as_were_asked_for(settings, number_allowed):
    vectors = unit_vectors(3000 if settings is SMALL_IVF else 900)
    allowed = np.zeros(len(vectors), bool)
    allowed[np.random.default_rng(1).choice(len(vectors), number_allowed, replace=False)] = True
    ranking = build(vectors, settings=settings).search(vectors[0], num_results=50, allowed=allowed)
    assert len(ranking) == min(50, number_allowed)
    assert allowed[ranking.rows].all()
    if number_allowed <= 60:  # so narrow a filter is searched whole
        best = np.flatnonzero(allowed)[np.argsort(-(vectors @ vectors[0])[allowed])][:50]
        assert len({*best.tolist()} & {*ranking.rows.tolist()}) >= 0.98 * len(best)


def test_an_empty_index_and_an_empty_filter_give_nothing():
    vectors = unit_vectors(5)
    assert len(build(vectors[:0], settings=SETTINGS).search(vectors[0], num_results=3)) == 0
    assert len(build(vectors, settings=SETTINGS).search(vectors[0], num_results=3, allowed=np.zeros(5, bool))) == 0


@pytest.mark.parametrize("exact_up_to", [1000, 10], ids=["exact", "half"])
def test_rows_taken_away_and_added_equal_an_index_built_anew(exact_up_to):
    settings, old, new = replace(SETTINGS, exact_up_to=exact_up_to), unit_vectors(200), unit_vectors(50, seed=3)
    kept = np.arange(200) % 3 > 0
    changed = build(old, settings=settings).changed(kept=kept, added=new, settings=settings)
    anew = build(np.concatenate([old[kept], new]), settings=settings)
    np.testing.assert_array_equal(changed.vectors(), anew.vectors())
    assert changed.search(new[0], num_results=9).rows.tolist() == anew.search(new[0], num_results=9).rows.tolist()


def test_an_ivf_carries_its_lists_over_and_loses_no_precision_doing_so(tmp_path):
    settings, old, new = replace(SETTINGS, nprobe=64), unit_vectors(6000), unit_vectors(300, seed=3)
    build(old, settings=settings).save(tmp_path)
    kept = np.arange(6000) % 10 > 0
    changed = DenseIndex.load(tmp_path, nprobe=64).changed(kept=kept, added=new, settings=settings)
    now = np.concatenate([old[kept], new])
    assert len(changed) == len(now)
    assert recall(changed, now) >= 0.98
    np.testing.assert_array_equal(changed.vectors(), now.astype(np.float16))
    shrunk = changed.changed(kept=np.arange(len(now)) < 1500, added=new[:0], settings=settings)
    assert shrunk.kind == "half"
    np.testing.assert_array_equal(shrunk.vectors(), now[:1500].astype(np.float16))


@pytest.mark.parametrize("settings", [SETTINGS, replace(SETTINGS, exact_up_to=10), SMALL_IVF], ids=["exact", "half", "ivf"])
def test_a_saved_index_is_read_back(tmp_path, settings):
    vectors = unit_vectors(900 if settings is not SMALL_IVF else 3000)
    index = build(vectors, settings=settings)
    index.save(tmp_path)
    loaded = DenseIndex.load(tmp_path, nprobe=settings.nprobe)
    assert loaded.kind == index.kind
    np.testing.assert_array_equal(loaded.vectors(), index.vectors())
    assert loaded.search(vectors[3], num_results=20).rows.tolist() == index.search(vectors[3], num_results=20).rows.tolist()


def test_openmp_threads_are_set_in_the_calling_thread_and_put_back():
    seen = []

    def search() -> None:
        before = faiss.omp_get_max_threads()
        with openmp_threads(1):
            seen.append(faiss.omp_get_max_threads())
        seen.append(faiss.omp_get_max_threads() == before)

    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    assert seen == [1, True]
