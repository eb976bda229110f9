import numpy as np
import pytest

from rag import aws
from rag.embedding.bedrock import BedrockEmbedder
from rag.errors import EmbeddingError
from tests.bedrock_server import BedrockServer


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(aws, "waits", lambda retries: iter([0.0] * retries))
    with BedrockServer() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.setenv("AWS_REGION", "eu-central-1")
        yield server


def embedder(config, model: str) -> BedrockEmbedder:
    return BedrockEmbedder(config.with_values(embedding={"bedrock_model": model}))


def test_titan_takes_one_text_a_call_and_keeps_their_order(config, server):
    titan = embedder(config, "amazon.titan-embed-text-v2:0")
    seen: list[tuple[int, int]] = []
    vectors = titan.embed_documents(["a", "bb", "ccc"], progress=lambda done, of: seen.append((done, of)))
    assert vectors.dtype == np.float32
    assert vectors.argmax(axis=1).tolist() == [1, 2, 3]
    assert np.linalg.norm(vectors, axis=1).tolist() == [1.0, 1.0, 1.0]
    assert sorted(request["inputText"] for request in server.requests) == ["a", "bb", "ccc"]
    assert server.requests[0]["dimensions"] == 1024
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_cohere_takes_96_texts_a_call_and_tells_documents_from_queries(config, server):
    cohere = embedder(config, "cohere.embed-multilingual-v3")
    vectors = cohere.embed_documents([f"{'x' * number}" for number in range(200)])
    assert vectors.argmax(axis=1)[1:].tolist() == list(range(1, 200))
    assert sorted(len(request["texts"]) for request in server.requests) == [8, 96, 96]
    assert {request["input_type"] for request in server.requests} == {"search_document"}
    cohere.embed_query("y" * 5000)
    assert server.requests[-1]["input_type"] == "search_query"
    assert len(server.requests[-1]["texts"][0]) == 2048
    assert server.requests[-1]["truncate"] == "END"


def test_cohere_4_is_asked_for_floats_of_its_size(config, server):
    cohere = embedder(config, "eu.cohere.embed-v4:0")
    assert cohere.embed_query("abc").shape == (1536,)
    assert server.requests[0]["embedding_types"] == ["float"]
    assert server.requests[0]["truncate"] == "RIGHT"


def test_a_throttled_call_is_sent_again(config, server):
    server.faults += [{"http": ("ThrottlingException", "Too many requests")}] * 2
    assert embedder(config, "amazon.titan-embed-text-v2:0").embed_query("abc").argmax() == 3
    assert len(server.requests) == 3


def test_a_failure_names_cause_and_fix(config, server):
    server.faults += [{"http": ("AccessDeniedException", "no")}] * 3
    with pytest.raises(EmbeddingError, match=r"does not let these credentials use amazon.titan.*Model access"):
        embedder(config, "amazon.titan-embed-text-v2:0").embed_documents(["a", "b", "c"])


def test_vectors_of_another_size_are_refused(config, server):
    titan = embedder(config, "amazon.titan-embed-text-v1")
    with pytest.raises(EmbeddingError, match=r"returned vectors of shape \(1, 1024\), not \(1, 1536\)"):
        titan.embed_query("abc")


def test_an_unknown_model_is_refused_by_name(config):
    with pytest.raises(EmbeddingError, match=r"it must be one of amazon\.titan-embed-text-v2"):
        embedder(config, "acme.embed-1")


def test_a_missing_region_is_named(config):
    with pytest.raises(EmbeddingError, match="AWS_REGION"):
        embedder(config, "amazon.titan-embed-text-v2:0")


def test_model_and_size_make_the_fingerprint(config, server):
    assert embedder(config, "amazon.titan-embed-text-v2:0").fingerprint == "bedrock:amazon.titan-embed-text-v2:0:1024"
    assert embedder(config, "cohere.embed-english-v3").fingerprint == "bedrock:cohere.embed-english-v3:1024"


def test_tokens_are_estimated_on_the_high_side(config, server):
    assert embedder(config, "cohere.embed-english-v3").count_tokens(["procurement policy", ""]) == [6, 0]
