"""Messages in, text from a model on AWS Bedrock out, through langchain-aws."""

import time
import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property

from langchain_aws import ChatBedrockConverse
from langchain_core.messages import BaseMessage
from pydantic import ValidationError

from rag import aws
from rag.config import Config
from rag.errors import ModelError
from rag.llm import AnswerCut, LanguageModel
from rag.token_estimate import estimate_tokens

PROVIDERS = ("anthropic", "amazon", "meta", "mistral", "cohere", "ai21", "deepseek", "openai", "qwen", "google", "nvidia")
CACHED_TOKENS = 1024  # the smallest prefix that any current model caches; below, a cache point does nothing
BLOCKED = ("guardrail_intervened", "content_filtered")


class BedrockModel(LanguageModel):
    context_tokens = 100_000  # less than any current model's; prompts stay far below it

    def __init__(self, config: Config) -> None:
        self.config = config
        self.name = config.bedrock.model
        self.temperature: float | None = config.llm.temperature

    def describe(self) -> str:
        return f"{self.name} on AWS Bedrock ({aws.region(self.config) or 'no region set'})"

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def stream(self, messages: Sequence[BaseMessage], *, max_tokens: int) -> Iterator[str]:
        """Retries while nothing was said yet: what a reader has seen is not said twice."""
        waits = list(aws.waits(self.config.llm.retries))
        while True:
            spoken = False
            try:
                for text in self.attempt(messages, max_tokens=max_tokens):
                    spoken = True
                    yield text
                return
            except aws.FAILURES as error:
                if self.refuses_temperature(error):
                    continue
                failure = aws.explain(error, model=self.name, where=aws.region(self.config) or "an unset region")
                if spoken or not failure.retryable or not waits:
                    raise ModelError(failure.cause, failure.fix, retryable=failure.retryable) from error
                time.sleep(waits.pop(0))

    def attempt(self, messages: Sequence[BaseMessage], *, max_tokens: int) -> Iterator[str]:
        reason, spoken = "", False
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*does not support temperature.*")
            stream = self.chat.stream(self.with_cache_point(messages), max_tokens=max_tokens)
            for chunk in stream:
                reason = chunk.response_metadata.get("stopReason", reason)
                if text := str(chunk.text):  # text blocks only: reasoning comes in blocks of its own
                    spoken = True
                    yield text
        self.check_stop(reason, spoken=spoken, max_tokens=max_tokens)

    def check_stop(self, reason: str, *, spoken: bool, max_tokens: int) -> None:
        kind = AnswerCut if spoken else ModelError
        if reason == "max_tokens":
            raise kind(f"The answer was cut at {max_tokens} tokens.", "Raise [llm] max_output_tokens (reasoning counts too).")
        if reason == "model_context_window_exceeded":
            raise kind(f"The answer filled what {self.name} can hold.", "Lower [context] max_tokens in config.toml.")
        if reason in BLOCKED:
            raise kind("A guardrail or content filter of Bedrock stopped the answer.", "Put the question in other words.")
        if reason.startswith("malformed"):
            raise kind(f"{self.name} returned a malformed answer.", "Ask again.")

    def with_cache_point(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """Marks everything before the last message for Bedrock's prompt cache: the rules and the conversation so far.

        The passages stand in the last message; they change with every question and would never be read from the cache.
        """
        *prefix, last = messages
        if not prefix or not self.config.bedrock.prompt_caching:
            return list(messages)
        if sum(self.count_tokens(str(message.content)) for message in prefix) < CACHED_TOKENS:
            return list(messages)
        content = [{"type": "text", "text": str(prefix[-1].content)}, ChatBedrockConverse.create_cache_point()]
        return [*prefix[:-1], prefix[-1].model_copy(update={"content": content}), last]

    def refuses_temperature(self, error: Exception) -> bool:
        """Newer models refuse any temperature; langchain-aws knows some of them, the answer of the others is remembered."""
        if self.temperature is None or "temperature" not in str(error).lower():
            return False
        self.temperature = None
        self.__dict__.pop("chat", None)
        return True

    @cached_property
    def chat(self) -> ChatBedrockConverse:
        client = aws.client(self.config)
        is_profile = "application-inference-profile" in self.name  # langchain-aws asks the control plane whose model that is
        try:
            return ChatBedrockConverse(
                model=self.name,
                provider=provider_of(self.name),
                client=client,
                bedrock_client=aws.client(self.config, "bedrock") if is_profile else client,
                temperature=self.temperature,
            )
        except (ValidationError, ValueError) as error:
            raise ModelError(f"[bedrock] model {self.name} can't be used: {error}", "Correct it in config.toml.") from error


def provider_of(model: str) -> str:
    """Who made a model, from its id or ARN; Anthropic where an application inference profile does not say."""
    return next((provider for provider in PROVIDERS if f"{provider}." in model.lower()), "anthropic")
