"""A size and a seed in, chunks with vectors and questions of realistic statistics out, for scales beyond any corpus at hand.

Word frequencies follow Zipf's law with exponent 1.07 over 60,000 words, chunks are 400 characters long as ours are,
and vectors lie around 2,000 topic centres, since embeddings of real texts are clustered.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rag.domain import Chunk, FileRecord, Parent

VOCABULARY = 60_000
EXPONENT = 1.07
WORDS_A_CHUNK = 62
WORDS_A_QUESTION = 9
CHUNKS_A_FILE = 200
CHUNKS_A_PAGE = 5
TOPICS = 2_000
DIMENSION = 384
SYLLABLES = [consonant + vowel for consonant in "bcdfgklmnprstv" for vowel in "aeiou"]


@dataclass(frozen=True, slots=True)
class SyntheticFile:
    record: FileRecord
    chunks: list[Chunk]
    parents: list[Parent]
    vectors: np.ndarray  # (chunks, 384) float32, unit rows


class SyntheticCorpus:
    """`size` chunks in files of 200, the same for the same seed."""

    def __init__(self, size: int, *, seed: int = 7) -> None:
        self.size = size
        self.seed = seed
        generator = np.random.default_rng(seed)
        self.words = np.array([word(number) for number in range(VOCABULARY)])
        ranks = np.arange(1, VOCABULARY + 1, dtype=np.float64)
        self.cumulative = np.cumsum(ranks**-EXPONENT)
        self.cumulative /= self.cumulative[-1]
        self.centres = unit(generator.standard_normal((TOPICS, DIMENSION), dtype=np.float32))

    def files(self) -> Iterator[SyntheticFile]:
        for number in range(-(-self.size // CHUNKS_A_FILE)):
            yield self.file(number, min(CHUNKS_A_FILE, self.size - number * CHUNKS_A_FILE))

    def file(self, number: int, count: int = CHUNKS_A_FILE) -> SyntheticFile:
        generator = np.random.default_rng((self.seed, number))
        texts = self.texts(generator, count)
        name = f"synthetic/{number:06d}.pdf"
        sha256 = f"{number:064x}"
        pages = [at // CHUNKS_A_PAGE + 1 for at in range(count)]
        parents = [Parent(id=f"{sha256}:{page}", page=page, start=0, end=0, text=texts[at]) for at, page in enumerate(pages)]
        chunks = [
            Chunk(
                id=f"{sha256}:{at}",
                file=name,
                document=f"Synthetic {number}",
                page=page,
                page_label="",
                kind="text",
                section=(),
                parent=f"{sha256}:{page}",
                start=0,
                end=len(text),
                text=text,
            )
            for at, (page, text) in enumerate(zip(pages, texts, strict=True))
        ]
        record = FileRecord(sha256=sha256, paths=(name,), size=1, outcome="read", pages=pages[-1], chunks=count)
        unique = list({parent.id: parent for parent in parents}.values())
        return SyntheticFile(record, chunks, unique, self.vectors(generator, count))

    def texts(self, generator: np.random.Generator, count: int) -> list[str]:
        drawn = np.searchsorted(self.cumulative, generator.random((count, WORDS_A_CHUNK)))
        return [" ".join(row) for row in self.words[np.minimum(drawn, VOCABULARY - 1)]]

    def vectors(self, generator: np.random.Generator, count: int) -> np.ndarray:
        topics = generator.integers(0, TOPICS, count)
        return unit(self.centres[topics] + 0.05 * generator.standard_normal((count, DIMENSION), dtype=np.float32))

    def questions(self, count: int) -> list[tuple[str, np.ndarray]]:
        """Questions with their vectors: nine words, the most frequent hundred left out as stop words would be."""
        generator = np.random.default_rng((self.seed, 10**9))
        floor = self.cumulative[100]
        drawn = np.searchsorted(self.cumulative, floor + (1 - floor) * generator.random((count, WORDS_A_QUESTION)))
        texts = [" ".join(row) for row in self.words[np.minimum(drawn, VOCABULARY - 1)]]
        return list(zip(texts, self.vectors(generator, count), strict=True))


def word(number: int) -> str:
    """A pronounceable word of its own for each number: at least two syllables."""
    syllables, base = [], len(SYLLABLES)
    number += base
    while number:
        number, at = divmod(number, base)
        syllables.append(SYLLABLES[at])
    return "".join(syllables)


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
