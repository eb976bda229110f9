"""The vectors of an index in; how near a question lies to the corpus as a whole, out."""

from dataclasses import dataclass

import numpy as np

from rag.dense import DenseIndex


@dataclass(frozen=True)
class Spread:
    """How cosines with the whole corpus lie: taken from a sample of its vectors, once a generation."""

    sample: np.ndarray

    def of(self, vector: np.ndarray) -> tuple[float, float]:
        """Mean and standard deviation of the cosines of a question."""
        if not len(self.sample):
            return 0.0, 1.0
        cosines = self.sample @ vector
        return float(cosines.mean()), max(float(cosines.std()), 1e-6)


def spread_of(dense: DenseIndex, *, size: int = 500) -> Spread:
    rows = np.unique(np.linspace(0, len(dense) - 1, min(size, len(dense)), dtype=np.int64)) if len(dense) else np.zeros(0, int)
    return Spread(dense.vectors_of(rows))
