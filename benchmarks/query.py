"""Numbers of chunks in; retrieval latency, memory, opening time and the cost of one more file out, beside the stock side."""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Measurement, measure
from benchmarks.synthetic import CHUNKS_A_FILE, DIMENSION, SyntheticCorpus
from evaluation.metrics import percentile
from rag.config import Config, load_config
from rag.domain import FileRecord

QUESTIONS = 60
STOCK_QUESTIONS = 20
STOCK_UP_TO = 100_000  # rank-bm25 needs seconds a question and gigabytes above


@dataclass(frozen=True, slots=True)
class QueryComparison:
    size: int
    built: Measurement
    ours: Measurement
    stock: Measurement | None


def compare_queries(sizes: Sequence[int]) -> list[QueryComparison]:
    """Each size and side in a process of its own; nothing is embedded and nothing reranked."""
    compared = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            built = measure(["benchmarks.query", "build", str(size), folder])
            ours = measure(["benchmarks.query", "ours", str(size), folder])
            stock = measure(["benchmarks.query", "stock", str(size), folder]) if size <= STOCK_UP_TO else None
        compared.append(QueryComparison(size=size, built=built, ours=ours, stock=stock))
    return compared


def query_table(compared: Sequence[QueryComparison]) -> str:
    head = [
        "chunks",
        "p50 ms",
        "p95 ms",
        "again ms",
        "opens in s",
        "memory MB",
        "one more file s",
        "stock p50 ms",
        "times faster",
    ]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in compared:
        ours = row.ours.printed
        stock = row.stock.printed["p50"] if row.stock else None
        cells = [
            f"{row.size:,}",
            f"{ours['p50']:.1f}",
            f"{ours['p95']:.1f}",
            f"{ours['again']:.2f}",
            f"{ours['open_seconds']:.2f}",
            f"{row.ours.peak_mb:.0f}",
            f"{row.built.printed['add_seconds']:.1f}",
            f"{stock:.0f}" if stock else "",
            f"{stock / ours['p50']:.0f}" if stock else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


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
    config = load_config(index=folder)
    return config.with_values(rerank={"enabled": False})


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
    from glossary.expand import Glossary
    from rag.index import IndexReader
    from rag.retriever import HybridRetriever

    config = configured(folder)
    questions = SyntheticCorpus(size).questions(QUESTIONS)
    reader = IndexReader(folder, fingerprint="given", settings=config.index)
    started = time.perf_counter()
    reader.snapshot()
    opened = time.perf_counter() - started
    retriever = HybridRetriever.open(config, GivenVectors(questions), reader, Glossary())
    retriever.search(questions[0][0], k=5)  # what is worked out once a generation
    timed = timings(lambda question: retriever.search(question, k=5), [text for text, _ in questions[1:]])
    again = timings(lambda question: retriever.search(question, k=5), [text for text, _ in questions[1:]])
    return {"open_seconds": round(opened, 3), **percentiles(timed), "again": round(statistics.median(again), 4)}


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


SIDES = {"build": build, "ours": ours, "stock": stock}


def main() -> None:
    parser = argparse.ArgumentParser(description="one side of the comparison, in a process of its own")
    parser.add_argument("side", choices=SIDES)
    parser.add_argument("size", type=int)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    print(json.dumps(SIDES[options.side](options.size, options.folder)))


if __name__ == "__main__":
    main()
