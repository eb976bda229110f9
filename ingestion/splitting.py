"""A page's text in, the stretches of it that become chunks out: cores follow each other without gap or overlap, so that
nothing can be lost, and each stretch reaches back over the end of the one before it."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

CountTokens = Callable[[Sequence[str]], list[int]]

SENTENCE_END = r"(?<=[.!?…;])\s+|(?<=[。！？；])\s*"
SEPARATORS = [r"\n[^\S\n]*\n\s*", SENTENCE_END, r"\n", r"\s+", ""]


class Piece(NamedTuple):
    """`start` to `end` is the text of a chunk; `core` to `end` is what is new in it."""

    start: int
    core: int
    end: int


def lay_out(text: str, *, inside: Piece, breaks: Sequence[int], size: int, overlap: int, joins_below: int) -> list[Piece]:
    """Pieces of at most `size` characters whose cores tile the core of `inside`, none starting before it.

    `breaks` are where sections start. A piece begins there and reaches back over nothing, so it may be longer; two
    sections share a piece only if one of them is shorter than `joins_below`.
    """
    free = {0, *breaks}

    def may_join(start: int, middle: int, end: int) -> bool:
        if end - start > (size if start in free else size - overlap):
            return False
        return middle not in free or min(middle - start, end - middle) < joins_below

    cores: list[tuple[int, int]] = []
    edges = [inside.core, *(at for at in breaks if inside.core < at < inside.end), inside.end]
    for start, end in pairwise(edges):
        block = text[start:end]
        fits = len(block) <= (size if start in free else size - overlap)
        cores += join(place([block] if fits else recursive_cut(block, size - overlap), start), text, may_join)
    return [
        Piece(max(inside.start, reach_back(text, core, end, breaks=breaks, size=size, overlap=overlap)), core, end)
        for core, end in join(cores, text, may_join)
    ]


def recursive_cut(text: str, size: int) -> list[str]:
    """Cuts between paragraphs, where those are too long between sentences, then lines, words and characters.

    The parts joined are the text.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # half a second that a run with no news saves

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size,
        chunk_overlap=0,
        separators=SEPARATORS,
        is_separator_regex=True,
        keep_separator="end",
        strip_whitespace=False,
    )
    return splitter.split_text(text)


def place(parts: Sequence[str], start: int) -> list[tuple[int, int]]:
    """The spans of parts that follow each other from `start` on."""
    spans = []
    for part in parts:
        spans.append((start, start + len(part)))
        start += len(part)
    return spans


def join(spans: Sequence[tuple[int, int]], text: str, may_join: Callable[[int, int, int], bool]) -> list[tuple[int, int]]:
    """Neighbours put together where they may; what is only white space never stands alone beside text."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined:
            first, middle = joined[-1]
            blank = not text[start:end].strip() or not text[first:middle].strip()
            if blank or may_join(first, middle, end):
                joined[-1] = (first, end)
                continue
        joined.append((start, end))
    return joined


def reach_back(text: str, core: int, end: int, *, breaks: Sequence[int], size: int, overlap: int) -> int:
    """Where a piece starts that may repeat `overlap` characters before its core: at a sentence, else a word, in its section."""
    section = breaks[at - 1] if (at := bisect_right(breaks, core)) else 0
    floor = min(core, max(section, core - overlap, end - size))
    if floor in (section, core):
        return floor
    window = text[floor:core]
    # The window may open inside a word or sentence; what follows the first boundary in it is whole.
    for boundary in (SENTENCE_END, r"\s+"):
        found = re.search(boundary, window)
        if found and 0 < found.end() < len(window):
            return floor + found.end()
    return floor


def token_exceed_split(
    pieces: Sequence[Piece],
    text: str,
    *,
    searched: Callable[[Piece], str],
    count_tokens: CountTokens,
    max_tokens: int,
    overlap: int,
) -> list[Piece]:
    """The pieces with those that exceed the embedder's limit split, small neighbours merged back, and nothing lost.

    `searched` is the text the embedder will see for a piece, its prefix included.
    """

    def fits(candidates: Sequence[Piece]) -> list[bool]:
        return [count <= max_tokens for count in count_tokens([searched(piece) for piece in candidates])]

    fitting: list[Piece] = []
    for piece, fit in zip(pieces, fits(pieces), strict=True):
        fitting += [piece] if fit else merge_back(halve(piece, text, fits, overlap), fits)
    return fitting


def halve(piece: Piece, text: str, fits: Callable[[Sequence[Piece]], list[bool]], overlap: int) -> list[Piece]:
    """A piece that is too long, first without its overlap, then in halves cut between sentences or words where possible."""
    bare = Piece(piece.core, piece.core, piece.end)
    if fits([bare])[0] or piece.end - piece.core < 2:
        return [bare]
    middle = middle_boundary(text, piece.core, piece.end)
    back = min(overlap, (middle - piece.core) // 2)
    start = reach_back(text, middle, piece.end, breaks=(piece.core,), size=piece.end - piece.core, overlap=back)
    halves = [bare._replace(end=middle), Piece(start, middle, piece.end)]
    parts: list[Piece] = []
    for half, fit in zip(halves, fits(halves), strict=True):
        parts += [half] if fit else halve(half, text, fits, overlap)
    return parts


def merge_back(pieces: Sequence[Piece], fits: Callable[[Sequence[Piece]], list[bool]]) -> list[Piece]:
    merged: list[Piece] = []
    for piece in pieces:
        if merged and fits([both := merged[-1]._replace(end=piece.end)])[0]:
            merged[-1] = both
        else:
            merged.append(piece)
    return merged


def middle_boundary(text: str, start: int, end: int) -> int:
    """The sentence end, else the word end, nearest to the middle of the middle half; else the middle itself."""
    middle, quarter = (start + end) // 2, (end - start) // 4
    for boundary in (SENTENCE_END, r"\s+"):
        ends = [start + found.end() for found in re.finditer(boundary, text[start:end])]
        near = [at for at in ends if abs(at - middle) <= quarter and start < at < end]
        if near:
            return min(near, key=lambda at: abs(at - middle))
    return middle
