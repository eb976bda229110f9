"""Texts in, unit vectors of an embedding model on Ollama out, in batches."""

from collections.abc import Sequence

import numpy as np

from rag import ollama_service
from rag.config import Config
from rag.embedding import Progress
from rag.embedding.vectors import unit_rows
from rag.errors import EmbeddingError, ModelError
from rag.token_estimate import estimate_tokens

# What these models were trained to see before a document and before a query.
PREFIXES = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
    "snowflake-arctic-embed": ("", "Represent this sentence for searching relevant passages: "),
    "multilingual-e5": ("passage: ", "query: "),
}
DEFAULT_TOKENS = 512  # where Ollama does not say how long a text may be


class OllamaEmbedder:
    """Asks the server at once for the model's digest, its longest text and the size of its vectors."""

    def __init__(self, config: Config) -> None:
        self.model = config.embedding.ollama_model
        self.batch = config.embedding.batch
        self.client = ollama_service.client(timeout=config.llm.timeout_seconds)
        self.document_prefix, self.query_prefix = next(
            (prefixes for name, prefixes in PREFIXES.items() if name in self.model), ("", "")
        )
        self.name = f"{self.model} (Ollama)"
        try:
            models = ollama_service.pulled_models(timeout=config.llm.timeout_seconds)
        except ModelError as error:
            raise EmbeddingError(str(error)) from error
        digest = models.get(self.model) or models.get(f"{self.model}:latest")
        if digest is None:
            raise EmbeddingError(f"Ollama does not have {self.model}. Run `ollama pull {self.model}`.")
        self.max_tokens = self.longest()
        self.dimension = len(self.call(["dimension"])[0])
        self.fingerprint = f"ollama:{self.model}:{digest.removeprefix('sha256:')[:16]}:{self.dimension}"

    def embed_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for at in range(0, len(texts), self.batch):
            batch = [self.document_prefix + text for text in texts[at : at + self.batch]]
            vectors[at : at + len(batch)] = self.embed(batch)
            if progress:
                progress(at + len(batch), len(texts))
        return vectors

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed([self.query_prefix + text])[0]

    def embed(self, texts: list[str]) -> np.ndarray:
        return unit_rows(self.call(texts), count=len(texts), dimension=self.dimension, model=self.model)

    def call(self, texts: list[str]) -> list:
        try:
            return list(self.client.embed(model=self.model, input=texts, truncate=True).embeddings)
        except ollama_service.FAILURES as error:
            raise EmbeddingError(str(ollama_service.explain(error, model=self.model))) from error

    def longest(self) -> int:
        try:
            found = self.client.show(self.model).modelinfo or {}
        except ollama_service.FAILURES as error:
            raise EmbeddingError(str(ollama_service.explain(error, model=self.model))) from error
        return next((int(value) for key, value in found.items() if key.endswith(".context_length")), DEFAULT_TOKENS)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate on the high side: Ollama has no way to count without embedding."""
        return [estimate_tokens(text) for text in texts]
