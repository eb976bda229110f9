"""The environment in; where Ollama is, which models it has, and what its errors mean to a person, out."""

import os
import urllib.parse
from typing import Any

import httpx
import ollama

from rag.errors import ModelError

CONNECT_SECONDS = 5.0
FAILURES = (ollama.ResponseError, httpx.HTTPError, ConnectionError)


def host() -> str:
    """OLLAMA_HOST as a URL. A server set to listen on 0.0.0.0 is reached at 127.0.0.1."""
    given = (os.environ.get("OLLAMA_HOST") or "127.0.0.1:11434").strip()
    if "://" not in given:
        given = f"http://{given}"
    parts = urllib.parse.urlsplit(given)
    name = "127.0.0.1" if parts.hostname in (None, "0.0.0.0") else parts.hostname
    name = f"[{name}]" if ":" in name else name
    port = parts.port or {"https": 443}.get(parts.scheme, 11434)
    return f"{parts.scheme}://{name}:{port}{parts.path.rstrip('/')}"


def connection(timeout: float) -> dict[str, Any]:
    """Client options: the library's own default waits for ever, and would reach this machine through a proxy."""
    local = (urllib.parse.urlsplit(host()).hostname or "") in ("127.0.0.1", "localhost", "::1")
    return {"timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)), "trust_env": not local}


def client(*, timeout: float) -> ollama.Client:
    return ollama.Client(host=host(), **connection(timeout))


def pulled_models(*, timeout: float) -> dict[str, str]:
    """Names as "llama3.1:8b" with their digests. Raises ModelError."""
    try:
        return {str(model.model): str(model.digest) for model in client(timeout=timeout).list().models}
    except FAILURES as error:
        raise explain(error, model="") from error


def explain(error: Exception, *, model: str) -> ModelError:
    """What a failure of Ollama means and what to do."""
    if isinstance(error, ollama.ResponseError):
        return explain_response(error, model)
    if isinstance(error, httpx.TimeoutException):
        fix = "It may still be loading the model: try again, or raise [llm] timeout_seconds."
        return ModelError(f"Ollama at {host()} did not answer in time.", fix, retryable=True)
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return ModelError("The connection to Ollama broke off.", "Look at Ollama's log, and try again.", retryable=True)
    return ModelError(
        f"Ollama at {host()} can't be reached.", "Start it (`ollama serve`) or correct OLLAMA_HOST in .env.", retryable=True
    )


def explain_response(error: ollama.ResponseError, model: str) -> ModelError:
    text, status = str(error.error).strip().rstrip("."), error.status_code
    small = text.lower()
    if status == 404:
        return ModelError(f"Ollama does not have {model}.", f"Run `ollama pull {model}`.")
    if "context" in small and ("exceed" in small or "longer" in small):
        fix = "Raise [ollama] context_tokens or lower [context] max_tokens in config.toml."
        return ModelError(f"The prompt is longer than {model} was given room for.", fix)
    if "does not support" in small:
        return ModelError(f"Ollama says: {text}.", "Choose another model in [ollama] in config.toml.")
    if status == 503:
        return ModelError(
            "Ollama is busy with other requests.", "Try again in a moment, or raise OLLAMA_NUM_PARALLEL.", retryable=True
        )
    if status in (401, 403):
        return ModelError(f"Ollama does not let this app use {model}.", "Run `ollama signin`, or choose a local model.")
    if "memory" in small or "resource" in small or "terminated" in small:
        fix = "Choose a smaller model, or lower [ollama] context_tokens."
        return ModelError(f"Ollama could not run {model}: {text}.", fix, retryable=True)
    return ModelError(f"Ollama failed: {text}.", "Look at Ollama's log, and try again.", retryable=True)
