"""Shifts of meaning with an embedder whose vectors a reader can see: one direction a subject."""

import numpy as np

from ingestion.chunking import chunk_document
from ingestion.reading import ReadDocument
from ingestion.semantic import meaning_shifts
from rag.config import Chunking
from rag.domain import Page
from tests.fakes import LengthEmbedder

SUBJECTS = ("tender", "travel", "pension")
TEXT = (
    "The tender is opened. The tender is read. The tender is kept. "
    "A travel request is made. A travel request is signed. A travel claim follows. "
    "The pension is paid. The pension is taxed. The pension ends."
)


def by_subject(texts):
    """How often each subject is named, as a unit vector."""
    counts = np.array([[text.count(subject) for subject in SUBJECTS] for text in texts], np.float32) + 0.01
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def test_the_cuts_lie_where_the_subject_changes():
    assert {TEXT[start : start + 9] for start in meaning_shifts([TEXT], by_subject)[0]} <= {"A travel ", "The pensi"}
    assert meaning_shifts([TEXT], by_subject)[0]


def test_pages_are_judged_together_and_empty_ones_have_no_shift():
    one_subject = "The tender is opened. The tender is read. The tender is kept. The tender is sold."
    shifts = meaning_shifts([one_subject, "", TEXT], by_subject)
    assert shifts[:2] == [[], []]
    assert shifts[2]


def test_nothing_to_compare_is_no_shift():
    assert meaning_shifts([], by_subject) == []
    assert meaning_shifts(["One sentence only."], by_subject) == [[]]


def test_the_semantic_strategy_begins_a_chunk_at_a_shift_and_loses_nothing():
    settings = Chunking(strategy="semantic", search_size=150, search_overlap=20, chunk_size=200, chunk_overlap=40)
    document = ReadDocument(sha256="a" * 64, pages=(Page(1, "text", TEXT),), outcome="read")
    chunks, _ = chunk_document(
        document,
        file="a.pdf",
        title="A",
        settings=settings,
        count_tokens=LengthEmbedder().count_tokens,
        max_tokens=256,
        embed=by_subject,
    )
    starts = meaning_shifts([TEXT], by_subject)[0]
    assert set(starts) <= {chunk.start for chunk in chunks}
    joined, end = "", 0
    for chunk in chunks:
        joined += chunk.text[end - chunk.start :]
        end = chunk.end
    assert joined == TEXT
