import numpy as np
import pytest

from rag.embedding.ollama import OllamaEmbedder
from rag.errors import EmbeddingError
from tests.ollama_server import OllamaServer


@pytest.fixture
def server(monkeypatch):
    with OllamaServer() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


def test_texts_go_in_batches_and_come_back_in_order(config, server):
    embedder = OllamaEmbedder(config.with_values(embedding={"batch": 2}))
    server.requests.clear()
    seen: list[tuple[int, int]] = []
    vectors = embedder.embed_documents(["a", "bb", "ccc"], progress=lambda done, of: seen.append((done, of)))
    assert [len(request["input"]) for request in server.requests] == [2, 1]
    assert seen == [(2, 3), (3, 3)]
    assert vectors.dtype == np.float32
    prefix = len("search_document: ")
    assert vectors.argmax(axis=1).tolist() == [prefix + 1, prefix + 2, prefix + 3]
    assert np.linalg.norm(vectors, axis=1).tolist() == [1.0, 1.0, 1.0]


def test_the_model_gets_the_prefixes_it_was_trained_with(config, server):
    embedder = OllamaEmbedder(config)
    embedder.embed_query("how long?")
    assert server.requests[-1]["input"] == ["search_query: how long?"]


def test_size_longest_text_and_digest_come_from_the_server(config, server):
    embedder = OllamaEmbedder(config)
    assert (embedder.dimension, embedder.max_tokens) == (64, 2048)
    assert embedder.fingerprint == "ollama:nomic-embed-text:0123456789abcdef:64"


def test_a_model_that_was_not_pulled_is_named_with_the_command(config, server):
    server.models.clear()
    with pytest.raises(EmbeddingError, match="Run `ollama pull nomic-embed-text`"):
        OllamaEmbedder(config)


def test_a_failing_call_names_cause_and_fix(config, server):
    embedder = OllamaEmbedder(config)
    server.faults.append({"status": 500, "error": "model requires more system memory"})
    with pytest.raises(EmbeddingError, match="Choose a smaller model"):
        embedder.embed_documents(["a"])


def test_a_server_that_is_not_there_is_named(config, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    with pytest.raises(EmbeddingError, match=r"http://127\.0\.0\.1:9 can't be reached"):
        OllamaEmbedder(config)
