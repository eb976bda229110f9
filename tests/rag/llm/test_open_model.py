import pytest

from rag.llm import open_model
from rag.llm.bedrock import BedrockModel
from rag.llm.ollama import OllamaModel
from tests.bedrock_server import BedrockServer
from tests.ollama_server import OllamaServer


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")


def with_aws(monkeypatch, url: str) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", url)


def test_with_nothing_set_up_the_documents_are_quoted(config):
    choice = open_model(config)
    assert choice.model is None
    assert choice.name == "extractive"
    assert choice.reason == ("Bedrock is not configured (no AWS region). Ollama at http://127.0.0.1:9 does not answer.")


def test_bedrock_comes_first_where_it_is_set_up_and_reachable(config, monkeypatch):
    with BedrockServer() as server, OllamaServer() as ollama:
        with_aws(monkeypatch, server.url)
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        choice = open_model(config)
        assert isinstance(choice.model, BedrockModel)
        assert server.requests == []  # looking costs nothing
        assert choice.describe() == "global.anthropic.claude-sonnet-4-6 on AWS Bedrock (eu-central-1)"


def test_ollama_is_taken_where_bedrock_does_not_answer(config, monkeypatch):
    with OllamaServer() as ollama:
        with_aws(monkeypatch, "http://127.0.0.1:9")
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        choice = open_model(config)
        assert isinstance(choice.model, OllamaModel)
        assert choice.reason == "Bedrock at http://127.0.0.1:9 does not answer. Ollama has llama3.1:8b."


def test_a_region_without_keys_is_no_set_up(config, monkeypatch):
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    assert open_model(config).reason.startswith("Bedrock is not configured (no AWS credentials).")


def test_ollama_without_the_model_says_how_to_get_it(config, monkeypatch):
    with OllamaServer() as ollama:
        ollama.models.pop("llama3.1:8b")
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        choice = open_model(config)
        assert choice.model is None
        assert choice.reason.endswith("Ollama runs without llama3.1:8b (run `ollama pull llama3.1:8b`).")


def test_a_tag_left_out_means_latest(config, monkeypatch):
    with OllamaServer() as ollama:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        choice = open_model(config.with_values(ollama={"model": "nomic-embed-text"}))
        assert isinstance(choice.model, OllamaModel)


@pytest.mark.parametrize(("backend", "kind"), [("bedrock", BedrockModel), ("ollama", OllamaModel), ("extractive", type(None))])
def test_a_named_backend_is_taken_without_looking(config, backend, kind):
    choice = open_model(config.with_values(llm={"backend": backend}))
    assert isinstance(choice.model, kind)
    assert choice.reason == f"[llm] backend is {backend}."
    assert choice.preferred
