import warnings

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from rag import aws
from rag.errors import ModelError
from rag.llm import AnswerCut
from rag.llm.bedrock import BedrockModel, provider_of
from tests.bedrock_server import BedrockServer

QUESTION = [SystemMessage("Rules."), HumanMessage("What is the limit?")]


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(aws, "waits", lambda retries: iter([0.0] * retries))
    with BedrockServer() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.setenv("AWS_REGION", "eu-central-1")
        yield server


@pytest.fixture
def model(config, server):
    return BedrockModel(config.with_values(llm={"retries": 2, "timeout_seconds": 1.0}))


def said(model, messages=QUESTION) -> tuple[str, ModelError | None]:
    """What was said, and how it failed."""
    text = ""
    try:
        for piece in model.stream(messages, max_tokens=50):
            text += piece
    except ModelError as error:
        return text, error
    return text, None


def test_an_answer_streams_word_by_word(model, server):
    pieces = list(model.stream(QUESTION, max_tokens=50))
    assert pieces == ["The limit ", "is ", "EUR 50,000 ", "[1]."]
    [request] = server.requests
    assert request["system"] == [{"text": "Rules."}]
    assert request["messages"] == [{"role": "user", "content": [{"text": "What is the limit?"}]}]
    assert request["inferenceConfig"] == {"maxTokens": 50, "temperature": 0.0}


def test_reasoning_is_not_part_of_the_answer(model, server):
    server.faults.append({"thinking": ["Let me ", "see."]})
    assert said(model) == ("The limit is EUR 50,000 [1].", None)


def test_a_throttled_request_is_sent_again(model, server):
    server.faults += [{"http": ("ThrottlingException", "Rate exceeded")}] * 2
    assert said(model) == ("The limit is EUR 50,000 [1].", None)
    assert len(server.requests) == 3


def test_a_request_throttled_too_often_says_so(model, server):
    server.faults += [{"http": ("ThrottlingException", "Rate exceeded")}] * 3
    _, error = said(model)
    assert error.cause == "Bedrock is throttling requests for global.anthropic.claude-sonnet-4-6."
    assert error.retryable


@pytest.mark.parametrize(
    ("code", "message", "cause", "fix"),
    [
        ("ExpiredTokenException", "expired", "The AWS credentials have expired.", "Sign in again"),
        ("UnrecognizedClientException", "bad token", "AWS does not accept these credentials.", "Check the keys"),
        ("AccessDeniedException", "no access", "AWS does not let these credentials use", "Model access, in eu-central-1"),
        ("ResourceNotFoundException", "not found", "Bedrock has no model", "inference profile id"),
        ("ValidationException", "with on-demand throughput isn't supported", "does not run", "inference profile id"),
        ("ValidationException", "prompt is too long: 9 tokens > 5 maximum", "longer than", "Lower [context] max_tokens"),
        ("ValidationException", "Input is too long for requested model.", "longer than", "Lower [context] max_tokens"),
        ("ValidationException", "The provided model identifier is invalid.", "knows no model", "Correct [bedrock] model"),
    ],
)
def test_what_can_not_succeed_is_explained_at_once(model, server, code, message, cause, fix):
    server.faults.append({"http": (code, message)})
    text, error = said(model)
    assert text == ""
    assert cause in error.cause
    assert fix in error.fix
    assert len(server.requests) == 1


def test_a_fault_of_the_service_before_the_first_word_is_tried_again(model, server):
    server.faults += [{"http": ("ServiceUnavailableException", "down")}, {"after": 0, "exception": ("throttlingException", {})}]
    assert said(model) == ("The limit is EUR 50,000 [1].", None)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ({"after": 2, "exception": ("modelStreamErrorException", {"message": "broken"})}, "could not run"),
        ({"after": 2, "exception": ("throttlingException", {"message": "slow down"})}, "throttling"),
        ({"after": 2, "cut": True}, "connection to Bedrock"),
        ({"after": 2}, "connection to Bedrock"),  # ends cleanly, but without its last event
        ({"after": 2, "stall": 5.0}, "did not answer in time"),
    ],
)
def test_a_fault_after_words_were_shown_keeps_them_and_is_not_tried_again(model, server, fault, cause):
    server.faults.append(fault)
    text, error = said(model)
    assert text == "The limit is "
    assert cause in error.cause
    assert error.fix
    assert len(server.requests) == 1


def test_an_answer_cut_at_the_token_limit_stands_with_a_notice(model, server):
    server.faults.append({"stop": "max_tokens"})
    text, error = said(model)
    assert text == "The limit is EUR 50,000 [1]."
    assert isinstance(error, AnswerCut)
    assert "max_output_tokens" in error.fix


def test_a_guardrail_is_named(model, server):
    server.faults.append({"stop": "guardrail_intervened"})
    assert "guardrail" in said(model)[1].cause


def test_a_model_that_refuses_temperature_is_asked_without_and_remembered(model, server):
    server.faults.append({"http": ("ValidationException", "`temperature` is deprecated for this model.")})
    assert said(model)[1] is None
    assert said(model)[1] is None
    sent = ["temperature" in request["inferenceConfig"] for request in server.requests]
    assert sent == [True, False, False]


def test_a_model_known_to_refuse_temperature_is_never_sent_one(config, server):
    newer = BedrockModel(config.with_values(bedrock={"model": "global.anthropic.claude-sonnet-5-5"}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert said(newer)[1] is None
    assert server.requests[0]["inferenceConfig"] == {"maxTokens": 50}


def test_closing_the_iterator_ends_the_call(model, server):
    server.words, server.pause = ["word "] * 400, 0.01
    stream = model.stream(QUESTION, max_tokens=50)
    assert next(stream) == "word "
    stream.close()
    assert server.hung_up.wait(5)
    assert server.finished == 0


def test_a_long_stable_prefix_is_marked_for_the_prompt_cache(model, server):
    rules, earlier = "Rule. " * 700, [HumanMessage("Before?"), AIMessage("Yes.")]
    said(model, [SystemMessage(rules), *earlier, HumanMessage("Passages, question")])
    [request] = server.requests
    assert request["messages"][1]["content"] == [{"text": "Yes."}, {"cachePoint": {"type": "default"}}]
    assert request["messages"][2]["content"] == [{"text": "Passages, question"}]
    said(model, [SystemMessage(rules), HumanMessage("Passages, question")])
    assert server.requests[1]["system"][-1] == {"cachePoint": {"type": "default"}}


def test_a_short_prefix_is_not_marked(model, server):
    said(model)
    assert "cachePoint" not in str(server.requests)


def test_missing_credentials_are_named(config, monkeypatch):
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://127.0.0.1:9")
    _, error = said(BedrockModel(config))
    assert error.cause == "There are no AWS credentials."


def test_a_missing_region_is_named(config):
    _, error = said(BedrockModel(config))
    assert "AWS_REGION" in error.fix


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("global.anthropic.claude-sonnet-4-6", "anthropic"),
        ("eu.amazon.nova-pro-v1:0", "amazon"),
        ("arn:aws:bedrock:eu-central-1:1:inference-profile/eu.meta.llama4", "meta"),
        ("arn:aws:bedrock:eu-central-1:1:application-inference-profile/x1", "anthropic"),
    ],
)
def test_the_maker_of_a_model_is_read_from_its_id(model, provider):
    assert provider_of(model) == provider
