"""Synthetic chunks are the same for the same seed and look like text: a few frequent words, many rare ones."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.synthetic import CHUNKS_A_FILE, SyntheticCorpus, word


def test_files_repeat_and_add_up_to_the_size():
    sizes = [len(file.chunks) for file in SyntheticCorpus(450).files()]
    assert sizes == [CHUNKS_A_FILE, CHUNKS_A_FILE, 50]
    once, again = SyntheticCorpus(450).file(1), SyntheticCorpus(450).file(1)
    assert [chunk.text for chunk in once.chunks] == [chunk.text for chunk in again.chunks]
    assert np.array_equal(once.vectors, again.vectors)
    assert np.linalg.norm(once.vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_word_frequencies_fall_as_zipf_says():
    counts = Counter(w for file in SyntheticCorpus(400).files() for chunk in file.chunks for w in chunk.text.split())
    (_, first), (_, second) = counts.most_common(2)
    assert 1.7 < first / second < 2.6
    assert sum(count == 1 for count in counts.values()) > len(counts) / 3


def test_words_are_all_different():
    assert len({word(number) for number in range(60_000)}) == 60_000


def test_every_chunk_points_to_a_parent_of_its_file():
    file = SyntheticCorpus(200).file(0)
    assert {chunk.parent for chunk in file.chunks} == {parent.id for parent in file.parents}
