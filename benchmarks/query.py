"""Numbers of chunks in; retrieval latency, memory, opening time and the cost of one more file out, beside the stock side.

Questions come with their vectors on both sides, so embedding is in no figure; each question is new but in "again".
"passages" are the same stages as the stock pipeline's: the question read, FAISS and BM25 searched (200 deep, stock 50),
and literal references beside them, all fused, the best five read from disk with the text around them, and the rules and
newer revisions that concern them looked up. "pages" is what a user gets without reranking: also one ranking of pages, and
the five that are shown judged for how much the answer can be trusted. "scored" has the built-in scorer rank 30 pages on
top, as the product ships.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Measurement, measure
from benchmarks.synthetic import CHUNKS_A_FILE, DIMENSION, SyntheticCorpus
from evaluation.metrics import percentile
from rag.config import Config, load_config
from rag.domain import FileRecord

QUESTIONS = 100  # of each kind
STOCK_QUESTIONS = 30
NEAREST = 50
STOCK_UP_TO = 100_000  # rank-bm25 needs seconds a question and gigabytes above
KINDS = ("passages", "pages", "scored")

COLUMNS = (
    "chunks",
    "passages p50 ms",
    "p95",
    "pages p50 ms",
    "p95",
    "scored p50 ms",
    "p95",
    "first ms",
    "again ms",
    "opens in s",
    "memory MB",
    "recall@50",
    "one more file s",
    "stock p50 ms",
    "times faster: passages",
    "pages",
)


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """One number of chunks, each side measured in a process of its own."""

    size: int
    built: Measurement
    recall: Measurement
    ours: Measurement
    stock: Measurement | None

    def line(self) -> str:
        ours, stock = self.ours.printed, self.stock.printed["p50"] if self.stock else None
        cells = [
            f"{self.size:,}",
            *(f"{ours[f'{kind}_{share}']:.1f}" for kind in KINDS for share in ("p50", "p95")),
            f"{ours['first']:.0f}",
            f"{ours['again']:.2f}",
            f"{ours['open_seconds']:.2f}",
            f"{self.ours.peak_mb:.0f}",
            f"{self.recall.printed['recall']:.3f}",
            f"{self.built.printed['add_seconds']:.1f}",
            f"{stock:.0f}" if stock else "",
            *(f"{stock / ours[f'{kind}_p50']:.0f}" if stock else "" for kind in ("passages", "pages")),
        ]
        return table_line(cells)


def compare_queries(sizes: Sequence[int]) -> Iterator[QueryComparison]:
    """Each size as it is done; nothing is embedded, and no model reranks."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            built, recall, ours = (
                measure(["benchmarks.query", side, str(size), folder]) for side in ("build", "recall", "ours")
            )
            stock = measure(["benchmarks.query", "stock", str(size), folder]) if size <= STOCK_UP_TO else None
        yield QueryComparison(size=size, built=built, recall=recall, ours=ours, stock=stock)


def query_table(sizes: Sequence[int]) -> Iterator[str]:
    """The table of the README, line by line."""
    yield table_line(COLUMNS)
    yield "|---" * len(COLUMNS) + "|"
    for compared in compare_queries(sizes):
        yield compared.line()


def table_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


class GivenVectors:
    """An embedder that knows the questions' vectors, so that retrieval is timed apart from embedding."""

    name = fingerprint = "given"
    dimension = DIMENSION
    max_tokens = 512

    def __init__(self, questions: Sequence[tuple[str, np.ndarray]]) -> None:
        self.known = dict(questions)

    def embed_query(self, text: str) -> np.ndarray:
        return self.known[text]

    def embed_documents(self, texts: Sequence[str], *, progress: object = None) -> np.ndarray:
        raise RuntimeError("documents come with their vectors")

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def configured(folder: Path) -> Config:
    """As the product ships, without FlashRank's model: the built-in scorer ranks."""
    return load_config(index=folder).with_values(rerank={"cache": folder, "download": False})


def build(size: int, folder: Path) -> dict:
    """Publishes all but the last file, then times publishing that one."""
    from ingestion.store import Segment, publish, writer_lock

    config, corpus = configured(folder), SyntheticCorpus(size)
    about: dict[str, Any] = {
        "fingerprint": "given",
        "embedder_name": "given",
        "dimension": DIMENSION,
        "chunking": {},
        "settings": config.index,
    }
    records: dict[str, FileRecord] = {}
    batch: list[Segment] = []
    started = time.perf_counter()
    with writer_lock(folder):
        for file in corpus.files():
            batch.append(Segment(file.record, file.chunks, file.parents, file.vectors))
            if len(batch) * CHUNKS_A_FILE >= 250_000:
                publish(folder, keep=records, add=batch, **about)
                records |= {segment.record.sha256: segment.record for segment in batch}
                batch = []
        if batch:
            publish(folder, keep=records, add=batch, **about)
            records |= {segment.record.sha256: segment.record for segment in batch}
        built = time.perf_counter()
        extra = corpus.file(10**6)
        publish(folder, keep=records, add=[Segment(extra.record, extra.chunks, extra.parents, extra.vectors)], **about)
    return {"build_seconds": round(built - started, 2), "add_seconds": round(time.perf_counter() - built, 2)}


def ours(size: int, folder: Path) -> dict:
    """Each kind with questions of its own, then those for pages again, out of the cache."""
    from glossary.expand import Glossary
    from rag.index import IndexReader
    from rag.retriever import HybridRetriever

    config, questions = configured(folder), SyntheticCorpus(size).questions(len(KINDS) * QUESTIONS + 1)
    reader = IndexReader(folder, fingerprint="given", settings=config.index)
    started = time.perf_counter()
    reader.snapshot()
    opened = time.perf_counter() - started
    texts, embedder = [text for text, _ in questions], GivenVectors(questions)
    fused = HybridRetriever.open(config.with_values(rerank={"enabled": False}), embedder, reader, Glossary())
    ranked = HybridRetriever.open(config, embedder, reader, Glossary())
    first = timings(fused.search, texts[-1:])  # with what is worked out once a generation
    ranked.search(texts[-1])
    asks: dict[str, Callable[[str], object]] = {
        "passages": partial(fused.search, chunks=True),
        "pages": fused.search,
        "scored": ranked.search,
    }
    taken: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for at in range(QUESTIONS):  # in turn, so that a busy moment of the machine weighs on all kinds alike
        for number, kind in enumerate(KINDS):
            taken[kind] += timings(asks[kind], [texts[number * QUESTIONS + at]])
    again = timings(fused.search, texts[QUESTIONS : 2 * QUESTIONS])
    return {
        "open_seconds": round(opened, 3),
        "first": round(first[0], 1),
        **{f"{kind}_{share}": value for kind in KINDS for share, value in percentiles(taken[kind]).items()},
        "again": round(statistics.median(again), 4),
    }


def recall(size: int, folder: Path) -> dict:
    """The share of the 50 nearest chunks that the vector index finds, over the questions."""
    from rag.index import IndexReader

    dense = IndexReader(folder, fingerprint="given", settings=configured(folder).index).snapshot().dense
    asked = np.stack([vector for _, vector in SyntheticCorpus(size).questions(QUESTIONS)])
    vectors = dense.vectors()
    cosines = np.concatenate([vectors[at : at + 65536].astype(np.float32) @ asked.T for at in range(0, len(vectors), 65536)])
    shares = []
    for place, vector in enumerate(asked):
        nearest = np.argpartition(-cosines[:, place], NEAREST)[:NEAREST]
        shares.append(np.isin(nearest, dense.search(vector, num_results=NEAREST).rows).mean())
    return {"recall": round(float(np.mean(shares)), 4)}


def stock(size: int, folder: Path) -> dict:
    from benchmarks.stock import hybrid_retriever

    corpus = SyntheticCorpus(size)
    texts: list[str] = []
    vectors: list[np.ndarray] = []
    for file in corpus.files():
        texts += [chunk.text for chunk in file.chunks]
        vectors.append(file.vectors)
    questions = corpus.questions(STOCK_QUESTIONS)
    retriever = hybrid_retriever(texts, np.concatenate(vectors), dict(questions))
    return percentiles(timings(retriever.invoke, [text for text, _ in questions]))


def timings(ask: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    """Milliseconds of each question."""
    taken = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    return {"p50": round(percentile(milliseconds, 0.5), 3), "p95": round(percentile(milliseconds, 0.95), 3)}


SIDES = {"build": build, "recall": recall, "ours": ours, "stock": stock}


def main() -> None:
    parser = argparse.ArgumentParser(description="one side of the comparison, in a process of its own")
    parser.add_argument("side", choices=SIDES)
    parser.add_argument("size", type=int)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    print(json.dumps(SIDES[options.side](options.size, options.folder)))


if __name__ == "__main__":
    main()
