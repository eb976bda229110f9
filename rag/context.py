"""A search's passages and a token budget in; what the model reads, most relevant first, out."""

import dataclasses
from collections.abc import Callable, Sequence

from rag.config import Context
from rag.domain import Passage, Retrieval

SHORTEST_OVERLAP = 20  # characters that two stretches must share to be neighbours and not to look alike by chance


def select_passages(retrieval: Retrieval, settings: Context, count_tokens: Callable[[str], int]) -> tuple[Passage, ...]:
    """The passages that fit, without saying anything twice; the best one is kept whatever its length.

    Passages whose texts overlap on one page become one, in the place of the better. What does not fit is left out and
    the next, perhaps shorter, is tried.
    """
    kept: list[Passage] = []
    left = settings.max_tokens
    for passage in merge_neighbours(retrieval.passages)[: settings.passages]:
        tokens = count_tokens(passage.text)
        if tokens <= left or not kept:
            kept.append(passage)
            left -= tokens
    return tuple(kept)


def merge_neighbours(passages: Sequence[Passage]) -> list[Passage]:
    merged: list[Passage] = []
    for passage in passages:
        for place, earlier in enumerate(merged):
            if (earlier.chunk.file, earlier.chunk.page) != (passage.chunk.file, passage.chunk.page):
                continue
            text = joined(earlier.text, passage.text)
            if text:
                merged[place] = dataclasses.replace(earlier, text=text)
                break
        else:
            merged.append(passage)
    return merged


def joined(one: str, other: str) -> str:
    """Two overlapping stretches of a text as one, whichever comes first; "" where they don't overlap."""
    if other in one:
        return one
    if one in other:
        return other
    return overlapping(one, other) or overlapping(other, one)


def overlapping(first: str, second: str) -> str:
    """`first` continued by `second`, whose beginning is the end of `first`; "" where it is not."""
    start = second[:SHORTEST_OVERLAP]
    at = first.find(start)
    while at >= 0:
        if second.startswith(first[at:]) and len(first) - at >= SHORTEST_OVERLAP:
            return first + second[len(first) - at :]
        at = first.find(start, at + 1)
    return ""
