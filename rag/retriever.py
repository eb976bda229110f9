"""A question in; the passages that answer it, best first, and how each stage found them, out: the hybrid retriever."""

import dataclasses
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from glossary.expand import Glossary
from rag.approvals import found_rule
from rag.cache import Cache
from rag.candidates import Rankings, by_page, fuse_rankings, search_all
from rag.confidence import EVIDENCE, evidence_of
from rag.config import Config
from rag.domain import Filters, Passage, Query, Retrieval, Turn
from rag.embedding import Embedder
from rag.filters import CODE, describe, matching, nothing_matches, only_metadata_words
from rag.followup import content_words
from rag.fusion import Fused, Scored
from rag.index import IndexReader, Snapshot
from rag.neo4j_rules import open_neo4j
from rag.passages import document_of, passage_of, scored_text
from rag.prepared import Prepared, prepare
from rag.query import Rewriter, understand
from rag.recency import newer_higher
from rag.rerank import Reranker, open_reranker
from rag.revisions import newer_first, replaced_notices
from rag.router import numbered_documents
from rag.ruled import matching_rules, replacements, rules_first, stated_in_force
from rag.scorer import Evidence, judge, nearer_first
from rag.trace import Trace, query_note, traced_evidence, traced_pages, traced_rows
from rag.wording import in_document_words, parts_of

FUSIONS = {"normalised": "normalised scores", "rrf": "reciprocal ranks"}  # as readers of the trace are told


class HybridRetriever(BaseRetriever):
    """FAISS and BM25 side by side, fused page by page, reranked.

    As a LangChain retriever it returns Documents whose `page_content` is the chunk's text and whose metadata are the
    other fields of Chunk with `score` and `found_by`. Any number of threads may search at the same time.
    """

    config: Any  # rag's own types: pydantic has nothing to check in them
    embedder: Any
    reader: Any
    glossary: Any
    reranker: Any
    cache: Any
    pool: Any
    prepared: Any = None
    k: int = 5

    @classmethod
    def open(cls, config: Config, embedder: Embedder, reader: IndexReader, glossary: Glossary) -> "HybridRetriever":
        return cls(
            config=config,
            embedder=embedder,
            reader=reader,
            glossary=glossary,
            reranker=open_reranker(config.rerank),
            cache=Cache(),
            pool=ThreadPoolExecutor(max_workers=6, thread_name_prefix="search"),
            k=config.rerank.top,
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
        """The best `k` pages, each by its best passage, or with `chunks` the best `k` passages. Raises IndexFault.

        `filters=None` infers them from the question; `skip` names abbreviations that are not to be spelled out.
        """
        trace = Trace()
        self.reader.refresh()
        prepared = self.prepare(self.reader.snapshot())
        model = rewriter.model if rewriter else ""
        glossary: Glossary = self.glossary  # one and the same for this question: another one may be set meanwhile
        manifest = prepared.snapshot.manifest  # with its date: an index that was deleted and built anew counts from one again
        about_index = self.reader.notices
        known_as = (manifest.generation, manifest.created, about_index, glossary.terms)
        key = (*known_as, question, tuple(history), filters, k, chunks, expand, tuple(skip), model)
        remembered: Retrieval | None = self.cache.results.get(key)
        if remembered is not None:
            return from_cache(remembered, trace)
        query = understand(
            question,
            history=history,
            glossary=glossary,
            filters=filters,
            known=prepared.known,
            settings=self.config.query,
            rewriter=rewriter,
            expand=expand,
            skip=skip,
            english_only=getattr(self.embedder, "english_only", False),
            stated=lambda earlier: stated_in_force(earlier, prepared),
        )
        trace.add("query", query_note(query))
        notices = [*about_index, *(each for each in (prepared.notice, query.notice) if each)]
        passages = self.find(query, prepared, trace, notices, k=k, chunks=chunks)
        ruling = matching_rules(query, prepared, trace, notices)
        if ruling and passages:
            passages = rules_first(passages, ruling.rules or ruling.near, prepared)[:k]
        passages = tell_replaced(query, passages, prepared, notices)
        found = Retrieval(
            query,
            tuple(passages),
            tuple(trace.steps),
            prepared.snapshot.generation,
            rules=tuple(found_rule(*each) for each in ruling.rules),
            near_rules=tuple(found_rule(*each) for each in ruling.near),
            rules_note=ruling.note,
            notices=tuple(notices),
        )
        self.cache.results.put(key, found)
        return found

    def prepare(self, snapshot: Snapshot) -> Prepared:
        if self.prepared is None or self.prepared.snapshot is not snapshot:
            kept = self.config.rules
            index = str(self.config.documents.index)
            self.prepared = prepare(snapshot, open_neo4j(kept, index=index) if kept.store == "neo4j" else None)
        return self.prepared

    def find(
        self, query: Query, prepared: Prepared, trace: Trace, notices: list[str], *, k: int, chunks: bool
    ) -> list[Passage]:
        """The stages in their order; each adds its line to the trace."""
        snapshot = prepared.snapshot
        allowed = allowed_rows(query, prepared, trace, notices)
        if allowed is not None and not allowed.any():
            return []
        vector = self.embed(query.expanded)
        trace.add("embed", f"Embedded with {self.embedder.name}.")
        rankings = self.rankings(query, vector, snapshot, allowed, trace)
        if chunks:
            fused = fuse_rankings(rankings.scored, self.config.retrieval)[:k]
            trace.add("fuse", f"Passages by {FUSIONS[self.config.retrieval.fusion]}: {len(fused)}.")
            return [passage_of(item, (item.id,), snapshot) for item in fused]
        fused = self.fuse_pages(query, rankings, prepared, allowed, trace)
        pages = [item.id for item in fused[: max(k, self.config.rerank.candidates)]]
        if not self.config.rerank.enabled:  # in their fused order, so that only those that are shown need to be looked at
            pages = newest_first(query, pages, prepared, trace)[:k]
        found_by = {item.id: item.found_by for item in fused}
        reworded = self.reworded(query, prepared)
        if reworded:
            pages = list(dict.fromkeys([*pages, *self.candidates(reworded, found_by, prepared, allowed)]))
        judged = judge(query.question, lexical_text(query), vector, pages, prepared)
        if reworded:
            judged = both_ways(judged, judge(query.question, reworded, self.embed(reworded), pages, prepared))
            trace.add("reworded", f"Also searched for: {reworded}")
        judged = self.rerank(query, nearer_first(judged), prepared, trace, keep=k)
        if self.config.rerank.enabled:
            judged = newer_higher(query, judged, prepared, self.config.retrieval, trace)
        judged = self.with_parts(query, judged, found_by, prepared, allowed, trace)
        judged = self.with_numbered(query, judged, found_by, prepared, allowed, trace)
        of_page = {each.page: each for each in judged}
        judged = [of_page[page] for page in newest_first(query, list(of_page), prepared, trace)]
        trace.add(EVIDENCE, "What confidence is computed from.", items=[evidence_of(judged, rankings.scored, prepared)])
        passages = [
            passage_of(Fused(each.page, each.score, found_by[each.page]), each.rows, snapshot, features=each.features)
            for each in judged[:k]
        ]
        trace.add("read", f"Passages read: {len(passages)}.")
        return passages

    def with_parts(
        self,
        query: Query,
        judged: list[Evidence],
        found_by: dict[int, tuple[str, ...]],
        prepared: Prepared,
        allowed: np.ndarray | None,
        trace: Trace,
    ) -> list[Evidence]:
        """The best page for each part of a question of several parts comes right behind the best page for the whole."""
        firsts: list[Evidence] = []
        for part in parts_of(query.expanded):
            answering = self.best_pages(part, found_by, prepared, allowed)
            firsts += answering[:1]
            trace.add("part", f"Also searched for: {part}", items=traced_evidence(answering, prepared))
        order = {each.page: each for each in [*judged[:1], *firsts, *judged[1:]]}
        best = {each.page: each for each in [*firsts, *judged]}  # as judged for the whole question where it was
        return [best[page] for page in order]

    def with_numbered(
        self,
        query: Query,
        judged: list[Evidence],
        found_by: dict[int, tuple[str, ...]],
        prepared: Prepared,
        allowed: np.ndarray | None,
        trace: Trace,
    ) -> list[Evidence]:
        """The best page of a document whose own number the question gives comes before pages that only mention it.

        Which page that is, the rest of the question says: the number itself stands on the first page.
        """
        documents = numbered_documents(query.standalone, prepared.snapshot)
        if not documents:
            return judged
        inside = np.isin(prepared.snapshot.columns.file, list(documents)) & (True if allowed is None else allowed)
        rest = " ".join(CODE.sub(" ", query.expanded).split())
        text = rest if content_words(rest) else query.expanded
        answering = self.best_pages(text, found_by, prepared, inside)
        firsts = {prepared.page_of.file_of(each.page): each for each in reversed(answering)}
        trace.add(
            "numbered",
            f"Documents that bear a number of the question: {len(firsts)}.",
            items=traced_evidence(answering, prepared),
        )
        first = [each for each in answering if each in firsts.values()]
        return [*first, *(each for each in judged if each.page not in {one.page for one in first})]

    def reworded(self, query: Query, prepared: Prepared) -> str:
        """The query in the words that these documents use; "" where that is not wanted or it has no others."""
        if not (self.config.query.multi_query and self.config.rerank.enabled):
            return ""
        words = prepared.snapshot.lexical.words
        return in_document_words(query.expanded, lambda term: len(words.holding(term)[0]))

    def best_pages(
        self, text: str, found_by: dict[int, tuple[str, ...]], prepared: Prepared, allowed: np.ndarray | None
    ) -> list[Evidence]:
        """The pages that answer a text by itself, best first."""
        pages = self.candidates(text, found_by, prepared, allowed)
        return judge(text, text, self.embed(text), pages, prepared)

    def candidates(
        self, text: str, found_by: dict[int, tuple[str, ...]], prepared: Prepared, allowed: np.ndarray | None
    ) -> list[int]:
        """The pages that may answer a text by itself; how they were found is added to `found_by`."""
        settings = self.config.retrieval
        found = search_all(prepared.snapshot, self.embed(text), text, settings=settings, allowed=allowed, pool=self.pool)
        fused = fuse_rankings(by_page(found.scored, prepared.page_of, limits={}), settings)
        for item in fused:
            found_by.setdefault(item.id, item.found_by)
        return [item.id for item in fused[: self.config.rerank.candidates]]

    def embed(self, text: str) -> np.ndarray:
        """The question's vector, remembered: it is the same in every generation."""
        key = (self.embedder.fingerprint, text)
        vector = self.cache.embeddings.get(key)
        if vector is None:
            vector = self.embedder.embed_query(text)
            self.cache.embeddings.put(key, vector)
        return vector

    def rankings(
        self, query: Query, vector: np.ndarray, snapshot: Snapshot, allowed: np.ndarray | None, trace: Trace
    ) -> Rankings:
        """What FAISS, BM25 and the lookup of references find."""
        settings = self.config.retrieval
        found = search_all(snapshot, vector, lexical_text(query), settings=settings, allowed=allowed, pool=self.pool)
        for name, scored in found.scored.items():
            note = f"Pieces found: {len(scored)}." if scored else "Nothing found."
            trace.add(name, note, milliseconds=found.milliseconds[name], items=traced_rows(scored, snapshot))
        return found

    def fuse_pages(
        self, query: Query, rankings: Rankings, prepared: Prepared, allowed: np.ndarray | None, trace: Trace
    ) -> list[Fused]:
        """One ranking of pages, each by its best piece; with the pages of the document that the question names."""
        settings = self.config.retrieval
        limits = {"dense": settings.dense_candidates, "lexical": settings.lexical_candidates}
        ranked = by_page(rankings.scored, prepared.page_of, limits=limits)
        fused = fuse_rankings(ranked, settings)
        if settings.router_weight > 0:
            routed = {place for place, _ in prepared.router.documents(query.standalone, num_results=1)}
            inside: Scored = [(item.id, item.score) for item in fused if prepared.page_of.file_of(item.id) in routed]
            fused = fuse_rankings({**ranked, "router": inside}, settings)
        trace.add("fuse", f"Pages by {FUSIONS[settings.fusion]}: {len(fused)}.", items=traced_pages(fused, prepared))
        return fused

    def rerank(self, query: Query, judged: list[Evidence], prepared: Prepared, trace: Trace, *, keep: int) -> list[Evidence]:
        """FlashRank's order where its model is there, else that of the built-in scorer, which `judged` has already."""
        reranker: Reranker = self.reranker
        if not self.config.rerank.enabled:
            judged = sorted(judged, key=lambda each: each.place)
        elif reranker.compressor and judged:
            texts = [scored_text(each.rows, prepared.snapshot) for each in judged]
            manifest = prepared.snapshot.manifest
            identities = [(manifest.generation, manifest.created, each.rows) for each in judged]
            ranked = reranker.order(query.standalone, texts, keep=keep, identities=identities)
            judged = [dataclasses.replace(judged[place], score=score) for place, score in ranked]
        trace.add("rerank", reranker.note, items=traced_evidence(judged, prepared))
        return judged


def both_ways(as_asked: Sequence[Evidence], reworded: Sequence[Evidence]) -> list[Evidence]:
    """Each page with the mean of its scores for two wordings of the question; each feature is that of the better one."""
    other = {each.page: each for each in reworded}
    judged = []
    for each in as_asked:
        second = other[each.page]
        features = {name: max(value, second.features[name]) for name, value in each.features.items()}
        judged.append(dataclasses.replace(each, score=(each.score + second.score) / 2, features=features))
    return sorted(judged, key=lambda each: -each.score)


def lexical_text(query: Query) -> str:
    """What BM25 searches for: in a follow-up the words of the question itself count twice, the borrowed ones once."""
    return f"{query.expanded} {query.question} {query.question}" if query.rewritten_by == "rule" else query.expanded


def allowed_rows(query: Query, prepared: Prepared, trace: Trace, notices: list[str]) -> np.ndarray | None:
    """Which chunk rows the filters leave; None without filters. What a user should know of them goes into the notices."""
    if not query.filters:
        return None
    snapshot = prepared.snapshot
    files = matching(query.filters, snapshot.files)
    trace.add("filters", f"Documents with {describe(query.filters)}: {np.count_nonzero(files)} of {len(files)}.")
    if not files.any():
        notices.append(nothing_matches(query.filters, snapshot.files))
    elif only_metadata_words(query.standalone, query.filters, prepared.known):
        notices.append("The question only names documents. Add what you want to know about them.")
    return files[snapshot.columns.file]


def newest_first(query: Query, pages: list[int], prepared: Prepared, trace: Trace) -> list[int]:
    """Puts pages of a replaced document after the first page of its replacement, unless the question asks for it."""
    newer_of = replacements(query.standalone, query.filters, prepared)
    places = [prepared.page_of.file_of(page) for page in pages]
    order = [pages[hit] for hit in newer_first(places, newer_of)]
    if order != pages:
        replaced = {place for place in places if newer_of.get(place) in places}
        trace.add("revisions", f"Documents ranked after those that replace them: {len(replaced)}.")
    return order


def tell_replaced(query: Query, passages: Sequence[Passage], prepared: Prepared, notices: list[str]) -> list[Passage]:
    """Marks the passages of documents that another one replaces, and tells the user of each such document."""
    files = prepared.snapshot.files
    newer = {files[old].path: files[new] for old, new in replacements(query.standalone, query.filters, prepared).items()}
    passages = [
        dataclasses.replace(passage, replaced_by=newer[passage.chunk.file].title) if passage.chunk.file in newer else passage
        for passage in passages
    ]
    notices += replaced_notices(passages)
    return passages


def from_cache(found: Retrieval, trace: Trace) -> Retrieval:
    """A remembered result with the time that remembering took; its stages are shown, but took no time again."""
    trace.add("cache", "The same question was asked before, of the same documents: the result was remembered.")
    earlier = [dataclasses.replace(step, milliseconds=0.0) for step in found.trace if step.stage != "cache"]
    return dataclasses.replace(found, trace=(*trace.steps, *earlier))
