"""Scores of chunk rows in, the best rows in order out: the one shape every search of the index returns."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Chunk rows (int64) and their scores (float32), best first; equal scores stand in the order of their rows."""

    rows: np.ndarray
    scores: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)


def best(rows: np.ndarray, scores: np.ndarray, *, num_results: int) -> Ranking:
    """The `num_results` highest of `scores`, each belonging to the row at the same place."""
    if num_results < len(scores):
        lowest = np.partition(scores, len(scores) - num_results)[len(scores) - num_results] if num_results > 0 else np.inf
        kept = np.flatnonzero(scores >= lowest)  # with every tie at the border, so that the cut does not depend on chance
        rows, scores = rows[kept], scores[kept]
    order = np.lexsort((rows, -scores))[:num_results]
    return Ranking(rows[order].astype(np.int64), scores[order].astype(np.float32))
