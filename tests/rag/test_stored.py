import numpy as np
import pytest

from rag import stored
from rag.errors import IndexDamaged
from rag.stored import BLOCK, Stored, blocks_beside, save

NUMBERS = np.arange(6000, dtype=np.int64)  # three blocks
TABLE = (np.arange(24000) % 2000).astype(np.float16).reshape(-1, 12)  # three blocks, and rows that lie in two of them


@pytest.fixture
def large(monkeypatch):
    """Every array counts as large."""
    monkeypatch.setattr(stored, "CHECKED_BY_BLOCK_ABOVE", 0)


def saved(path, array):
    save(path, array)
    return Stored(path)


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def test_a_small_array_has_no_digests_of_blocks(tmp_path):
    array = saved(tmp_path / "numbers.npy", NUMBERS)
    assert not blocks_beside(tmp_path / "numbers.npy").exists()
    assert (len(array), array[2:5].tolist(), array[5999:7000].tolist()) == (6000, [2, 3, 4], [5999])


def test_stretches_and_rows_are_those_that_were_written(tmp_path, large):
    array = saved(tmp_path / "numbers.npy", NUMBERS)
    assert array[1990:2100].tolist() == list(range(1990, 2100))
    assert array[3:3].tolist() == []
    table = saved(tmp_path / "table.npy", TABLE)
    np.testing.assert_array_equal(table.take(np.array([682, 0, 1365])), TABLE[[682, 0, 1365]])
    np.testing.assert_array_equal(table[10:12], TABLE[10:12])
    assert len(saved(tmp_path / "empty.npy", NUMBERS[:0])[0:5]) == 0


@pytest.mark.parametrize("place", [130, BLOCK - 1, BLOCK, 2 * BLOCK + 7, NUMBERS.nbytes + 127])
def test_a_flipped_bit_is_never_read_and_marks_the_array(tmp_path, large, place):
    path = tmp_path / "numbers.npy"
    save(path, NUMBERS)
    flip(path, place)
    served, noticed = [], 0
    for number in range(0, 6000, 100):
        try:
            array = Stored(path)
            served += array[number : number + 100].tolist()
        except IndexDamaged as error:
            noticed += 1
            told = str(error)
    assert noticed
    assert "numbers.npy" in told
    assert "python -m ingestion sync" in told
    assert set(served) < set(range(6000))


def test_a_flipped_bit_under_single_rows_is_never_read(tmp_path, large):
    path = tmp_path / "table.npy"
    save(path, TABLE)
    array = Stored(path)
    flip(path, path.stat().st_size - 1)
    np.testing.assert_array_equal(array.take(np.array([3, 4])), TABLE[[3, 4]])
    assert not array.damaged
    with pytest.raises(IndexDamaged):
        array.take(np.array([3, 1999]))
    assert array.damaged


def test_a_damaged_header_or_digest_is_noticed_when_the_array_is_opened_or_read(tmp_path, large):
    path = tmp_path / "numbers.npy"
    save(path, NUMBERS)
    flip(path, 20)
    with pytest.raises(IndexDamaged):
        Stored(path)
    flip(path, 20)
    flip(blocks_beside(path), 17)
    with pytest.raises(IndexDamaged):
        Stored(path)[3000:3001]
