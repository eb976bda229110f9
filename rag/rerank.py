"""Candidates in fused order and a question in; the same scored by FlashRank, best first, out."""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict

BATCH = 8  # candidates scored at a time, so that scoring can stop early


class FlashrankCompressor(BaseDocumentCompressor):
    """FlashRank as a LangChain document compressor.

    Keeps what scores `threshold` or more, and at least the best `top`. Candidates are scored in small batches in the
    order they come; once `top` of them are halfway between the threshold and certainty the rest is not scored and,
    being likelier to be worse, left out. A document's `page_content` is scored; its `relevance_score` goes into
    the metadata of a copy.
    """

    scorer: Any  # a rag.flashrank_model.PairScorer: pydantic checks no protocols
    threshold: float = 0.5
    top: int = 5

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        scored: list[tuple[float, Document]] = []
        certain = (1 + self.threshold) / 2
        for at in range(0, len(documents), BATCH):
            batch = documents[at : at + BATCH]
            scores = self.scorer.score(query, [document.page_content for document in batch])
            scored.extend(zip(scores, batch, strict=True))
            if sum(score >= certain for score, _ in scored) >= self.top:
                break
        scored.sort(key=lambda pair: -pair[0])  # stable: equal scores stay in fused order
        return [
            Document(page_content=document.page_content, metadata={**document.metadata, "relevance_score": score})
            for place, (score, document) in enumerate(scored)
            if place < self.top or score >= self.threshold
        ]
