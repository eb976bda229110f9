"""A question in; the passages that answer it, best first, and how each stage found them, out: the hybrid retriever."""

import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from glossary.expand import Glossary
from rag.cache import Cache
from rag.candidates import PageNumbers, by_page, fuse_rankings, search_all
from rag.config import Config
from rag.domain import Filters, Passage, Query, Retrieval, TraceStep, Turn
from rag.embedding import Embedder
from rag.filters import KnownValues, known_values, matching, nothing_matches, only_metadata_words
from rag.fusion import Fused, Scored
from rag.index import IndexReader, Snapshot
from rag.query import Rewriter, understand
from rag.scorer import Spread, judge, spread_of

TRACED = 10  # items of each ranking that the trace shows


@dataclass(frozen=True)
class Prepared:
    """What is worked out once for a generation."""

    snapshot: Snapshot
    known: KnownValues
    page_of: PageNumbers
    spread: Spread


@dataclass
class Trace:
    """The stages of one question as they end."""

    steps: list[TraceStep] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    def add(
        self, stage: str, note: str, *, milliseconds: float | None = None, items: Sequence[Mapping[str, object]] = ()
    ) -> None:
        """Ends a stage; it took what is given, else the time since the last one ended."""
        now = time.perf_counter()
        took = (now - self.started) * 1000 if milliseconds is None else milliseconds
        self.steps.append(TraceStep(stage, note, took, tuple(items)))
        self.started = now


class HybridRetriever(BaseRetriever):
    """FAISS and BM25 side by side, fused, one hit a page, reranked.

    As a LangChain retriever it returns Documents whose `page_content` is the chunk's text and whose metadata are the
    other fields of Chunk with `score` and `found_by`.
    """

    config: Any
    embedder: Any
    reader: Any
    glossary: Any
    k: int = 5
    cache: Any = None
    pool: Any = None
    prepared: Any = None

    @classmethod
    def open(cls, config: Config, embedder: Embedder, reader: IndexReader, glossary: Glossary) -> "HybridRetriever":
        return cls(
            config=config,
            embedder=embedder,
            reader=reader,
            glossary=glossary,
            k=config.rerank.top,
            cache=Cache(),
            pool=ThreadPoolExecutor(max_workers=6, thread_name_prefix="search"),
        )

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [document_of(passage) for passage in self.search(query, k=self.k).passages]

    def search(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        filters: Filters | None = None,
        k: int = 5,
        chunks: bool = False,
        expand: bool = True,
        skip: Collection[str] = (),
        rewriter: Rewriter | None = None,
    ) -> Retrieval:
        """The best `k` pages, each by its best passage, or with `chunks` the best `k` passages. Raises IndexFault."""
        self.reader.refresh()
        prepared = self.prepare(self.reader.snapshot())
        trace = Trace()
        query = understand(
            question,
            history=history,
            glossary=self.glossary,
            filters=filters,
            known=prepared.known,
            settings=self.config.query,
            rewriter=rewriter,
            expand=expand,
            skip=skip,
        )
        trace.add("query", query_note(query))
        key = (prepared.snapshot.generation, self.embedder.fingerprint, query, k, chunks, self.config)
        found: Retrieval | None = self.cache.results.get(key)
        if found is None:
            found = self.find(query, prepared, trace, k=k, chunks=chunks, inferred=filters is None)
            self.cache.results.put(key, found)
        return found

    def prepare(self, snapshot: Snapshot) -> Prepared:
        if self.prepared is None or self.prepared.snapshot is not snapshot:
            self.prepared = Prepared(snapshot, known_values(snapshot.files), PageNumbers(snapshot), spread_of(snapshot.dense))
        return self.prepared

    def find(self, query: Query, prepared: Prepared, trace: Trace, *, k: int, chunks: bool, inferred: bool) -> Retrieval:
        snapshot, settings = prepared.snapshot, self.config.retrieval
        notices = list(self.reader.notices)
        allowed = None
        if query.filters:
            files = matching(query.filters, snapshot.files)
            allowed = files[snapshot.columns.file]
            trace.add("filters", f"{np.count_nonzero(files)} of {len(files)} documents: {query.filters.as_dict()}")
            if not files.any():
                notices.append(nothing_matches(query.filters, snapshot.files))
                return Retrieval(query, (), tuple(trace.steps), snapshot.generation, tuple(notices))
            if inferred and only_metadata_words(query.standalone, query.filters, prepared.known):
                notices.append("The question only names documents; add what you want to know about them.")
        vector = self.embed(query.expanded)
        trace.add("embed", f"Embedded with {self.embedder.name}.")
        text = query.expanded if not query.rewritten_by else f"{query.expanded} {query.question}"
        rankings = search_all(snapshot, vector, text, settings=settings, allowed=allowed, pool=self.pool)
        for name, scored in rankings.scored.items():
            note = f"{len(scored)} pieces" if scored else "nothing found"
            trace.add(name, note, milliseconds=rankings.milliseconds[name], items=traced(scored, snapshot))
        if chunks:
            fused = fuse_rankings(rankings.scored, settings)
            trace.add("fuse", f"{len(fused)} passages fused by {settings.fusion}.")
            passages = [passage_of(item, item.id, snapshot) for item in fused[:k]]
            return Retrieval(query, tuple(passages), tuple(trace.steps), snapshot.generation, tuple(notices))
        limits = {"dense": settings.dense_candidates, "lexical": settings.lexical_candidates}
        fused = fuse_rankings(by_page(rankings.scored, prepared.page_of, limits=limits), settings)
        trace.add("fuse", f"{len(fused)} pages fused by {settings.fusion}.")
        pages = [item.id for item in fused[: max(k, self.config.rerank.candidates)]]
        judged = judge(query.question, text, vector, pages, snapshot=snapshot, page_of=prepared.page_of, spread=prepared.spread)
        trace.add("rerank", "Built-in scorer.", items=[evidence.features for evidence in judged[:TRACED]])
        found_by = {item.id: item.found_by for item in fused}
        passages = [
            passage_of(Fused(evidence.page, evidence.score, found_by[evidence.page]), evidence.row, snapshot)
            for evidence in judged[:k]
        ]
        trace.add("read", f"{len(passages)} passages read.")
        return Retrieval(query, tuple(passages), tuple(trace.steps), snapshot.generation, tuple(notices))

    def embed(self, text: str) -> np.ndarray:
        """The question's vector, remembered: the same words have the same one in every generation."""
        key = (self.embedder.fingerprint, text)
        vector = self.cache.embeddings.get(key)
        if vector is None:
            vector = self.embedder.embed_query(text)
            self.cache.embeddings.put(key, vector)
        return vector


def query_note(query: Query) -> str:
    parts = [f"Searched for: {query.expanded}"]
    if query.rewritten_by:
        parts.append(f"A follow-up, completed by {query.rewritten_by}.")
    if query.filters:
        parts.append(f"Only in: {query.filters.as_dict()}.")
    return " ".join(parts)


def traced(scored: Scored, snapshot: Snapshot) -> list[dict[str, object]]:
    """The first items of a ranking, without reading a text."""
    files, columns = snapshot.files, snapshot.columns
    return [
        {"file": files[columns.file[row]].path, "page": int(columns.page[row]), "score": round(score, 4)}
        for row, score in scored[:TRACED]
    ]


def passage_of(fused: Fused, row: int, snapshot: Snapshot) -> Passage:
    parent = snapshot.parent(int(snapshot.columns.parent[row]))
    return Passage(snapshot.chunk(row), parent.text, fused.score, fused.found_by)


def document_of(passage: Passage) -> Document:
    metadata = asdict(passage.chunk)
    text = metadata.pop("text")
    return Document(page_content=text, metadata={**metadata, "score": passage.score, "found_by": list(passage.found_by)})
