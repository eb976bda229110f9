"""Candidates and a question in; the same in the order of a reranking model, or why there is none, out."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict

from rag.cache import LeastRecentlyUsed
from rag.config import Rerank
from rag.errors import MissingPackage, RerankerUnavailable
from rag.flashrank_model import open_flashrank

BATCH = 8  # candidates scored at a time, so that scoring can stop early


class FlashrankCompressor(BaseDocumentCompressor):
    """FlashRank as a LangChain document compressor.

    Keeps what scores `threshold` or more, and at least the best `top`. Candidates are scored in small batches in the
    order they come; once `top` of them are halfway between the threshold and certainty the rest is not scored and,
    being likelier to be worse, left out. A document's `page_content` is scored; its `relevance_score` goes into
    the metadata of a copy. A score is remembered under the document's `identity`, where its metadata have one.
    """

    scorer: Any  # a rag.flashrank_model.PairScorer: pydantic checks no protocols
    threshold: float = 0.5
    top: int = 5
    remembered: Any = None  # a LeastRecentlyUsed of scores

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        scored: list[tuple[float, Document]] = []
        certain = (1 + self.threshold) / 2
        for at in range(0, len(documents), BATCH):
            batch = documents[at : at + BATCH]
            scores = self.scores_of(query, batch)
            scored.extend(zip(scores, batch, strict=True))
            if sum(score >= certain for score, _ in scored) >= self.top:
                break
        scored.sort(key=lambda pair: -pair[0])  # stable: equal scores stay in fused order
        return [
            Document(page_content=document.page_content, metadata={**document.metadata, "relevance_score": score})
            for place, (score, document) in enumerate(scored)
            if place < self.top or score >= self.threshold
        ]

    def scores_of(self, query: str, documents: Sequence[Document]) -> list[float]:
        keys = [(self.scorer.name, query, document.metadata.get("identity")) for document in documents]
        scores = {place: self.remembered.get(key) for place, key in enumerate(keys)} if self.remembered else {}
        new = [place for place in range(len(keys)) if scores.get(place) is None]
        for place, score in zip(new, self.scorer.score(query, [documents[place].page_content for place in new]), strict=True):
            scores[place] = score
            if self.remembered and keys[place][-1] is not None:
                self.remembered.put(keys[place], score)
        return [scores[place] for place in range(len(keys))]


@dataclass(frozen=True)
class Reranker:
    """FlashRank where it can be had; else `compressor` is None and `note` says why and what ranks instead."""

    compressor: FlashrankCompressor | None
    note: str

    def order(
        self, question: str, texts: Sequence[str], *, keep: int, identities: Sequence[Hashable]
    ) -> list[tuple[int, float]]:
        """The places of the kept texts with their scores, best first; at least `keep` of them if there are so many.

        An identity names a text and the generation of the index that it is from: its score is remembered under it.
        """
        if self.compressor is None:
            return [(place, 0.0) for place in range(len(texts))]
        compressor = self.compressor.model_copy(update={"top": max(self.compressor.top, keep)})
        documents = [
            Document(page_content=text, metadata={"place": place, "identity": identity})
            for place, (text, identity) in enumerate(zip(texts, identities, strict=True))
        ]
        kept = compressor.compress_documents(documents, question)
        return [(document.metadata["place"], document.metadata["relevance_score"]) for document in kept]


def open_reranker(settings: Rerank) -> Reranker:
    """Never raises: without a model the built-in scorer ranks, and the note tells."""
    if not settings.enabled:
        return Reranker(None, "Reranking is off: pages stand in their fused order.")
    try:
        scorer = open_flashrank(settings)
    except (RerankerUnavailable, MissingPackage) as unavailable:
        return Reranker(None, f"Ranked by the built-in scorer. {unavailable}")
    compressor = FlashrankCompressor(
        scorer=scorer, threshold=settings.threshold, top=settings.top, remembered=LeastRecentlyUsed(holds=20_000)
    )
    return Reranker(compressor, f"Ranked by FlashRank's {scorer.name}.")
