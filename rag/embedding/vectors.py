"""The vectors of an embedding service in; float32 rows of unit length out, refused where they are not what was asked for."""

import numpy as np

from rag.errors import EmbeddingError


def unit_rows(vectors: list, *, count: int, dimension: int, model: str) -> np.ndarray:
    try:
        rows = np.asarray(vectors, np.float32)
    except (TypeError, ValueError):
        rows = np.zeros((0, 0), np.float32)
    if rows.shape != (count, dimension) or not np.isfinite(rows).all():
        raise EmbeddingError(f"{model} returned vectors of shape {rows.shape}, not {(count, dimension)}: check its name.")
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
