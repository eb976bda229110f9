"""Texts in, unit vectors out: one protocol, and a backend a file behind it, chosen by configuration."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from rag.config import Config

Progress = Callable[[int, int], None]  # texts done, texts in all


class Embedder(Protocol):
    """Documents and queries have methods of their own because some models embed them differently.

    Vectors are float32 rows of unit length, so their inner product is the cosine. `fingerprint` names the exact
    model (with its digest where there is one): vectors of different fingerprints never meet in one index.
    """

    name: str
    fingerprint: str
    dimension: int
    max_tokens: int  # longer texts are cut by the model

    def embed_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray: ...

    def embed_query(self, text: str) -> np.ndarray: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]: ...


def open_embedder(config: Config) -> Embedder:
    """The embedder that the configuration names; only its own libraries are imported. Raises EmbeddingError."""
    if config.embedding.backend == "bedrock":
        from rag.embedding.bedrock import BedrockEmbedder

        return BedrockEmbedder(config)
    if config.embedding.backend == "ollama":
        from rag.embedding.ollama import OllamaEmbedder

        return OllamaEmbedder(config)
    if config.embedding.backend == "multilingual":
        from rag.embedding.multilingual import MultilingualEmbedder

        return MultilingualEmbedder(threads=config.embedding.threads, batch=config.embedding.batch)
    from rag.embedding.builtin import BuiltinEmbedder

    return BuiltinEmbedder(threads=config.embedding.threads, batch=config.embedding.batch)
