"""Pages and an embedder in, the places where the meaning shifts between two sentences out: there a chunk may begin."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from ingestion.splitting import SENTENCE_END

Embed = Callable[[list[str]], np.ndarray]  # texts to unit vectors

SHIFT_PERCENTILE = 85  # of a document's own distances: cosine levels don't carry over from one model to another
NEIGHBOURS = 1  # sentences before and after that are embedded with each, because one alone says little


def meaning_shifts(texts: Sequence[str], embed: Embed) -> list[list[int]]:
    """For each page's text the offsets of the sentences that begin something else, judged by the whole document."""
    starts = [sentence_starts(text) for text in texts]
    windows = [
        window for text, page_starts in zip(texts, starts, strict=True) for window in sentence_windows(text, page_starts)
    ]
    if not windows:
        return [[] for _ in texts]
    vectors = embed(windows)
    distances: list[np.ndarray] = []
    at = 0
    for page_starts in starts:
        page = vectors[at : at + len(page_starts)]
        distances.append(1.0 - np.sum(page[1:] * page[:-1], axis=1))
        at += len(page_starts)
    everywhere = np.concatenate(distances)
    threshold = np.percentile(everywhere, SHIFT_PERCENTILE) if len(everywhere) else 0.0
    return [
        [start for start, distance in zip(page_starts[1:], page, strict=True) if distance > threshold]
        for page_starts, page in zip(starts, distances, strict=True)
    ]


def sentence_starts(text: str) -> list[int]:
    """Offsets of the sentences and paragraphs; none for white space alone."""
    if not text.strip():
        return []
    ends = [found.end() for found in re.finditer(rf"{SENTENCE_END}|\n\s*\n\s*", text)]
    return sorted({0, *(end for end in ends if 0 < end < len(text))})


def sentence_windows(text: str, starts: Sequence[int]) -> list[str]:
    """Each sentence with its neighbours."""
    edges = [*starts, len(text)]
    return [
        text[edges[max(0, at - NEIGHBOURS)] : edges[min(len(starts), at + NEIGHBOURS + 1)]].strip() for at in range(len(starts))
    ]
