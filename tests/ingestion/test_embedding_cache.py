import signal
import subprocess
import sys
import textwrap
from zlib import crc32

import numpy as np
import pytest

from ingestion.embedding_cache import EmbeddingCache
from rag.config import PROJECT
from rag.errors import IndexFault

VECTORS = np.eye(3, 4, dtype=np.float32)


def test_vectors_come_back_in_the_order_of_the_texts(tmp_path):
    cache = EmbeddingCache(tmp_path / "cache" / "embeddings.sqlite")
    cache.put("model-a", ["one", "two", "three"], VECTORS)
    found = cache.get("model-a", ["three", "unknown", "one", "three"])
    assert [None if vector is None else vector.tolist() for vector in found] == [
        VECTORS[2].tolist(),
        None,
        VECTORS[0].tolist(),
        VECTORS[2].tolist(),
    ]


def test_another_model_finds_nothing(tmp_path):
    cache = EmbeddingCache(tmp_path / "embeddings.sqlite")
    cache.put("model-a", ["one"], VECTORS[:1])
    assert cache.get("model-b", ["one"]) == [None]


def test_more_texts_than_sqlite_takes_parameters(tmp_path):
    texts = [f"text {n}" for n in range(1201)]
    cache = EmbeddingCache(tmp_path / "embeddings.sqlite")
    cache.put("model-a", texts, np.arange(1201 * 2, dtype=np.float32).reshape(1201, 2))
    assert [vector[0] for vector in cache.get("model-a", texts)] == list(range(0, 2402, 2))


def test_no_text_is_stored(tmp_path):
    EmbeddingCache(tmp_path / "embeddings.sqlite").put("model-a", ["confidential"], VECTORS[:1])
    assert all(b"confidential" not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"this is not a database" * 100, b""])
def test_a_file_that_is_no_database_is_begun_again(tmp_path, content):
    path = tmp_path / "embeddings.sqlite"
    path.write_bytes(content)
    cache = EmbeddingCache(path)
    assert cache.get("model-a", ["one"]) == [None]
    cache.put("model-a", ["one"], VECTORS[:1])
    assert cache.get("model-a", ["one"])[0].tolist() == [1, 0, 0, 0]


def test_a_garbled_page_costs_the_cache_and_nothing_else(tmp_path):
    path = tmp_path / "embeddings.sqlite"
    cache = EmbeddingCache(path)
    texts = [f"text {n}" for n in range(500)]
    cache.put("model-a", texts, np.ones((500, 64), np.float32))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    assert cache.get("model-a", texts) == [None] * 500


def test_a_flipped_bit_costs_one_vector(tmp_path):
    path = tmp_path / "embeddings.sqlite"
    cache = EmbeddingCache(path)
    cache.put("model-a", ["one", "two"], VECTORS[:2])
    data = path.read_bytes()
    place = data.index(VECTORS[0].tobytes() + crc32(VECTORS[0].tobytes()).to_bytes(4))
    path.write_bytes(data[: place + 2] + bytes([data[place + 2] ^ 1]) + data[place + 3 :])
    first, second = cache.get("model-a", ["one", "two"])
    assert first is None
    assert second.tolist() == [0, 1, 0, 0]


def test_a_cache_that_can_not_be_opened_says_what_to_do(tmp_path):
    (tmp_path / "embeddings.sqlite").mkdir()
    with pytest.raises(IndexFault, match=r"embeddings\.sqlite can't be used.*python -m ingestion sync"):
        EmbeddingCache(tmp_path / "embeddings.sqlite").get("model-a", ["one"])


@pytest.mark.crash
def test_what_was_put_survives_a_kill_and_the_cache_goes_on(tmp_path):
    path = tmp_path / "embeddings.sqlite"
    program = textwrap.dedent(f"""
        import numpy as np
        from pathlib import Path
        from ingestion.embedding_cache import EmbeddingCache
        cache = EmbeddingCache(Path({str(path)!r}))
        for number in range(100_000):
            cache.put("model-a", [str(number)], np.full((1, 256), number, np.float32))
            print(number, flush=True)
    """)
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", program], cwd=PROJECT, stdout=subprocess.PIPE, text=True) as writer:
            for line in writer.stdout:
                if int(line) >= 20:
                    writer.send_signal(signal.SIGKILL)
                    break
            told = int(line)
        assert [vector[0] for vector in EmbeddingCache(path).get("model-a", list(map(str, range(told + 1))))] == list(
            range(told + 1)
        )


def test_of_too_many_vectors_those_asked_for_longest_ago_go(tmp_path, monkeypatch):
    cache = EmbeddingCache(tmp_path / "cache.sqlite", most=3)
    for day, text in enumerate("abc"):
        monkeypatch.setattr("ingestion.embedding_cache.today", lambda day=day: day)
        cache.put("model", [text], np.ones((1, 2), np.float32))
    monkeypatch.setattr("ingestion.embedding_cache.today", lambda: 3)
    cache.get("model", ["a"])
    cache.put("model", ["d"], np.ones((1, 2), np.float32))
    assert [found is not None for found in cache.get("model", ["a", "b", "c", "d"])] == [True, False, True, True]
