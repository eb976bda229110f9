"""A query and one generation of the index in; every ranking of its chunks, and each page by its best piece, out."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from rag.config import RetrievalSettings
from rag.fusion import Fused, Scored, normalised_score_fusion, reciprocal_rank_fusion
from rag.index import Snapshot
from rag.ranking import Ranking

Found = TypeVar("Found")
PIECES_A_PAGE = 4  # of each ranking this many pieces are taken for every page wanted, since a page often holds several


@dataclass(frozen=True, slots=True)
class Rankings:
    """What each search found, by name ("dense", "lexical", "reference"), and the milliseconds it took."""

    scored: Mapping[str, Scored]  # (chunk row, score), best first
    milliseconds: Mapping[str, float]


class PageNumbers:
    """Numbers the pages of a generation, so that pages can be ranked like chunks."""

    def __init__(self, snapshot: Snapshot) -> None:
        pages = snapshot.columns.page.astype(np.int64)
        self.stride = int(pages.max(initial=0)) + 1
        self.of_row = snapshot.columns.file.astype(np.int64) * self.stride + pages
        self.by_page = np.argsort(self.of_row, kind="stable")
        self.sorted = self.of_row[self.by_page]
        num_pages = int(np.count_nonzero(np.diff(self.sorted, prepend=-1)))
        lengths = snapshot.lexical.words.field.lengths
        self.average_length = float(lengths.sum(dtype=np.float64)) / max(num_pages, 1)  # in words that BM25 counts

    def __call__(self, row: int) -> int:
        return int(self.of_row[row])

    def ranked(self, scored: Scored, *, limit: int | None = None) -> Scored:
        """A ranking of chunk rows as one of pages by their best piece, cut to so many pages."""
        best: dict[int, float] = {}
        for page, (_, score) in zip(self.of_row[[row for row, _ in scored]].tolist(), scored, strict=True):
            if page not in best:
                if len(best) == limit:
                    break
                best[page] = score
        return list(best.items())

    def file_of(self, page: int) -> int:
        """The place of a page's file in the snapshot's files."""
        return page // self.stride

    def rows(self, page: int) -> np.ndarray:
        """The chunk rows of a page, ascending."""
        start, stop = np.searchsorted(self.sorted, [page, page + 1])
        return self.by_page[start:stop]


def search_all(
    snapshot: Snapshot,
    vector: np.ndarray,
    text: str,
    *,
    settings: RetrievalSettings,
    allowed: np.ndarray | None,
    pool: ThreadPoolExecutor,
) -> Rankings:
    """FAISS in this thread while another searches BM25 and literal references; nothing found is normal.

    This way round, because FAISS lets go of the interpreter lock and the other searches do not: behind them FAISS waited
    up to five milliseconds to begin.
    """

    def nearest() -> Ranking:
        return snapshot.dense.search(vector, num_results=settings.dense_candidates * PIECES_A_PAGE, allowed=allowed)

    def sharing_words() -> Ranking:
        wanted, phrase_weight = settings.lexical_candidates * PIECES_A_PAGE, settings.phrase_weight
        return snapshot.lexical.search(text, num_results=wanted, allowed=allowed, phrase_weight=phrase_weight)

    def holding_references() -> Ranking:
        return snapshot.lexical.references(text, num_results=settings.lexical_candidates, allowed=allowed)

    jobs = {"lexical": sharing_words, **({"reference": holding_references} if settings.reference_weight > 0 else {})}
    running = pool.submit(lambda: {name: timed(job) for name, job in jobs.items()})
    done = {"dense": timed(nearest), **running.result()}
    return Rankings(
        {name: scored(ranking) for name, (ranking, _) in done.items()}, {name: took for name, (_, took) in done.items()}
    )


def timed(job: Callable[[], Found]) -> tuple[Found, float]:
    started = time.perf_counter()
    return job(), (time.perf_counter() - started) * 1000


def scored(ranking: Ranking) -> list[tuple[int, float]]:
    return list(zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True))


def fuse_rankings(rankings: Mapping[str, Scored], settings: RetrievalSettings) -> list[Fused]:
    """By reciprocal rank or by normalised scores, as the settings say."""
    weights = {"reference": settings.reference_weight, "router": settings.router_weight}
    if settings.fusion == "rrf":
        return reciprocal_rank_fusion(rankings, rrf_k=settings.rrf_k, weights=weights)
    return normalised_score_fusion(rankings, weights=weights)


def by_page(rankings: Mapping[str, Scored], page_of: PageNumbers, *, limits: Mapping[str, int]) -> dict[str, Scored]:
    """Each ranking as a ranking of pages by their best piece, cut to so many pages."""
    return {name: page_of.ranked(found, limit=limits.get(name)) for name, found in rankings.items()}
