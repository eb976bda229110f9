import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from rag import ollama_service
from rag.errors import ModelError
from rag.llm import AnswerCut
from rag.llm.ollama import OllamaModel, is_cut_prompt, without_thinking
from tests.ollama_server import OllamaServer

QUESTION = [SystemMessage("Rules."), HumanMessage("What is the limit?")]


@pytest.fixture
def server(monkeypatch):
    with OllamaServer() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


@pytest.fixture
def model(config, server):
    return OllamaModel(config.with_values(llm={"timeout_seconds": 1.0}))


def said(model, messages=QUESTION) -> tuple[str, ModelError | None]:
    text = ""
    try:
        for piece in model.stream(messages, max_tokens=50):
            text += piece
    except ModelError as error:
        return text, error
    return text, None


def test_an_answer_streams_with_the_context_that_was_configured(model, server):
    assert said(model) == ("The limit is EUR 50,000 [1].", None)
    [request] = server.requests
    assert request["options"] == {"num_ctx": 8192, "num_predict": 50, "temperature": 0.0}
    assert request["think"] is False
    assert [message["role"] for message in request["messages"]] == ["system", "user"]


def test_a_model_that_was_not_pulled_is_named_with_the_command(model, server):
    server.models.clear()
    _, error = said(model)
    assert (error.cause, error.fix) == ("Ollama does not have llama3.1:8b.", "Run `ollama pull llama3.1:8b`.")


@pytest.mark.parametrize(
    ("fault", "text", "cause"),
    [
        ({"status": 503, "error": "server busy, please try again.  maximum pending requests exceeded"}, "", "busy"),
        ({"status": 500, "error": "llama-server process has terminated: signal: killed"}, "", "could not run"),
        ({"status": 400, "error": "request (9000 tokens) exceeds the available context size (8192 tokens)"}, "", "longer than"),
        ({"status": 401, "error": "unauthorized"}, "", "does not let"),
        ({"after": 2, "error": "an error was encountered while running the model: unexpected EOF"}, "The limit is ", "failed"),
        ({"after": 2, "cut": True}, "The limit is ", "broke off"),
        ({"after": 2, "stall": 5.0}, "The limit is ", "did not answer in time"),
    ],
)
def test_each_fault_is_explained_and_what_was_said_is_kept(model, server, fault, text, cause):
    server.faults.append(fault)
    shown, error = said(model)
    assert shown == text
    assert cause in error.cause
    assert error.fix


def test_a_stream_that_ends_without_saying_so_is_noticed(model, server):
    server.faults.append({"after": 2})
    text, error = said(model)
    assert text == "The limit is "
    assert isinstance(error, AnswerCut)
    assert "without finishing" in error.cause


def test_an_answer_cut_at_the_token_limit_stands_with_a_notice(model, server):
    server.faults.append({"last": {"done_reason": "length"}})
    text, error = said(model)
    assert text == "The limit is EUR 50,000 [1]."
    assert isinstance(error, AnswerCut)


def test_a_prompt_that_ollama_cut_silently_is_noticed(model, server):
    server.faults.append({"last": {"prompt_eval_count": 8192 // 2 + 2}})
    text, error = said(model, [HumanMessage("word " * 9000)])
    assert text == "The limit is EUR 50,000 [1]."
    assert error.cause == "Ollama cut the prompt to 4098 tokens, so the model did not see all passages."
    assert "context_tokens" in error.fix


def test_a_prompt_that_just_happens_to_be_as_long_is_not_taken_for_cut():
    assert is_cut_prompt(read=4098, asked=9000, context=8192)
    assert not is_cut_prompt(read=4098, asked=4900, context=8192)
    assert not is_cut_prompt(read=6000, asked=9500, context=8192)


def test_a_server_that_is_not_there_is_named(config, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    _, error = said(OllamaModel(config))
    assert error.cause == "Ollama at http://127.0.0.1:9 can't be reached."
    assert "ollama serve" in error.fix


def test_closing_the_iterator_ends_the_call(model, server):
    server.words, server.pause = ["word "] * 400, 0.01
    stream = model.stream(QUESTION, max_tokens=50)
    assert next(stream) == "word "
    stream.close()
    assert server.hung_up.wait(5)


@pytest.mark.parametrize(
    ("pieces", "answer"),
    [
        (["Plain ", "answer"], "Plain answer"),
        (["<th", "ink>a plan", "</thi", "nk>\n\nThe ", "answer"], "The answer"),
        (["\n<think>", "</think>", "\n\n", "Answer"], "\n\nAnswer"),
        (["<", "5 items"], "<5 items"),
        (["<think>never closed"], ""),
    ],
)
def test_thinking_written_into_the_answer_is_left_out(pieces, answer):
    assert "".join(without_thinking(pieces)) == answer


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("gpu-box:8080", "http://gpu-box:8080"),
        ("https://ollama.example.org/", "https://ollama.example.org:443"),
        ("http://[::1]:5", "http://[::1]:5"),
    ],
)
def test_the_host_is_read_as_ollama_reads_it(given, url, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", given)
    assert ollama_service.host() == url
