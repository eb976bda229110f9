import os
import pickle
import pickletools

import numpy as np
import pytest

from rag.errors import IndexDamaged
from rag.texts import Texts, TextsWriter, load_builtins

RECORDS = [{"text": f"text {n} €", "page": n, "section": ("A", "B"), "confidence": None} for n in range(20)]


def written(path, records=RECORDS):
    with TextsWriter(path) as writer:
        writer.add(records)
    return Texts.load(path)


def test_records_come_back_one_by_one(tmp_path):
    texts = written(tmp_path / "chunked_docs.pkl")
    assert len(texts) == 20
    assert [texts[row] for row in (19, 0, 7)] == [RECORDS[19], RECORDS[0], RECORDS[7]]


def test_the_stream_is_pickles_one_after_the_other_that_name_nothing(tmp_path):
    written(tmp_path / "chunked_docs.pkl")
    with (tmp_path / "chunked_docs.pkl").open("rb") as stream:
        assert [pickle.load(stream) for _ in RECORDS] == RECORDS
    named = {"GLOBAL", "STACK_GLOBAL", "INST", "REDUCE", "BUILD", "NEWOBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4", "PERSID"}
    first = pickle.dumps(RECORDS[0], 4)
    assert not named & {operation.name for operation, _, _ in pickletools.genops(first)}


def test_kept_records_of_another_stream_are_copied_as_they_are(tmp_path):
    old = written(tmp_path / "old.pkl")
    kept = np.array([row % 3 > 0 for row in range(20)])
    with TextsWriter(tmp_path / "new.pkl") as writer:
        writer.copy(old, kept)
        writer.add([{"text": "added"}])
    new = Texts.load(tmp_path / "new.pkl")
    assert [new[row] for row in range(len(new))] == [r for r, stays in zip(RECORDS, kept, strict=True) if stays] + [
        {"text": "added"}
    ]


class Hostile:
    def __reduce__(self):
        return os.mkdir, (Hostile.place,)


@pytest.mark.parametrize("wrap", [lambda it: it, lambda it: {"text": it}, lambda it: [(it,)]])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_names_a_function_is_refused_before_it_runs(tmp_path, wrap, protocol):
    Hostile.place = str(tmp_path / "ran")
    with pytest.raises(pickle.UnpicklingError, match="no class or function is ever loaded"):
        load_builtins(pickle.dumps(wrap(Hostile()), protocol))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("harmless", [np.zeros(3), ValueError("x"), range(3), complex(1, 2)])
def test_even_harmless_classes_are_refused(harmless):
    with pytest.raises(pickle.UnpicklingError, match="no class or function"):
        load_builtins(pickle.dumps(harmless))


@pytest.mark.parametrize("data", [b"", b"garbage", b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f.", b"h\x05.", b"P1\n."])
def test_what_is_no_pickle_is_refused_in_one_way(data):
    with pytest.raises(pickle.UnpicklingError):
        load_builtins(data)


def test_a_flipped_bit_is_found_when_the_record_is_read(tmp_path):
    path = tmp_path / "chunked_docs.pkl"
    texts = written(path)
    place = int(texts.offsets[7]) + 30
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    assert texts[6] == RECORDS[6]
    with pytest.raises(IndexDamaged, match=r"chunked_docs\.pkl is damaged at byte"):
        texts[7]
    assert texts.damaged
