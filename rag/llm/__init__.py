"""Messages in, streamed text out: one protocol, a backend a file behind it, chosen by configuration and by what answers."""

import socket
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rag.config import Config
from rag.errors import ModelError

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

PROBE_SECONDS = 2.0


class LanguageModel(Protocol):
    """`stream` raises ModelError; closing its iterator ends the HTTP call. AnswerCut is raised after the last piece."""

    name: str
    context_tokens: int  # prompt and answer together

    def describe(self) -> str: ...

    def stream(self, messages: "Sequence[BaseMessage]", *, max_tokens: int) -> Iterator[str]: ...

    def count_tokens(self, text: str) -> int: ...

    def complete(self, messages: "Sequence[BaseMessage]", *, max_tokens: int) -> str:
        return "".join(self.stream(messages, max_tokens=max_tokens))


class AnswerCut(ModelError):
    """The model stopped early or saw only part of the prompt: what it wrote stands, with this said beside it."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`model` is None for the extractive backend; `reason` says in words why this one was chosen."""

    model: LanguageModel | None
    reason: str
    preferred: bool  # false when something better may answer later

    @property
    def name(self) -> str:
        return self.model.name if self.model else "extractive"

    def describe(self) -> str:
        return self.model.describe() if self.model else "no language model: the best sentences are quoted"


def open_model(config: Config) -> ModelChoice:
    """The backend of [llm] backend; "auto" takes Bedrock if it is configured and reachable, else Ollama if it has the model."""
    backend = config.llm.backend
    if backend == "extractive":
        return ModelChoice(None, "[llm] backend is extractive.", preferred=True)
    if backend == "bedrock":
        return ModelChoice(bedrock_model(config), "[llm] backend is bedrock.", preferred=True)
    if backend == "ollama":
        return ModelChoice(ollama_model(config), "[llm] backend is ollama.", preferred=True)
    why_not_bedrock = bedrock_obstacle(config)
    if not why_not_bedrock:
        return ModelChoice(bedrock_model(config), "AWS credentials and the Bedrock endpoint were found.", preferred=True)
    why_not_ollama = ollama_obstacle(config)
    if not why_not_ollama:
        return ModelChoice(ollama_model(config), f"{why_not_bedrock} Ollama has {config.ollama.model}.", preferred=False)
    return ModelChoice(None, f"{why_not_bedrock} {why_not_ollama}", preferred=False)


def bedrock_model(config: Config) -> LanguageModel:
    from rag.llm.bedrock import BedrockModel

    return BedrockModel(config)


def ollama_model(config: Config) -> LanguageModel:
    from rag.llm.ollama import OllamaModel

    return OllamaModel(config)


def bedrock_obstacle(config: Config) -> str:
    """Why Bedrock can't be used, "" when it can; costs no request: a region, credentials and an open port are looked for."""
    from rag.aws import endpoint, has_credentials, region

    if not region(config):
        return "Bedrock is not configured (no AWS region)."
    if not has_credentials():
        return "Bedrock is not configured (no AWS credentials)."
    place = endpoint(config)
    if not port_answers(place):
        return f"Bedrock at {place} does not answer."
    return ""


def ollama_obstacle(config: Config) -> str:
    from rag.ollama_service import host, pulled_models

    try:
        models = pulled_models(timeout=PROBE_SECONDS)
    except ModelError:
        return f"Ollama at {host()} does not answer."
    wanted = config.ollama.model
    if wanted not in models and f"{wanted}:latest" not in models:
        return f"Ollama runs without {wanted} (run `ollama pull {wanted}`)."
    return ""


def port_answers(url: str) -> bool:
    """Whether a TCP connection is accepted, by the proxy where the environment names one."""
    scheme = urllib.parse.urlsplit(url).scheme
    hostname = urllib.parse.urlsplit(url).hostname or ""
    proxies = {} if urllib.request.proxy_bypass(hostname) else urllib.request.getproxies()
    parts = urllib.parse.urlsplit(proxies.get(scheme, url))
    port = parts.port or (80 if parts.scheme == "http" else 443)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=PROBE_SECONDS).close()
    except OSError:
        return False
    return True
