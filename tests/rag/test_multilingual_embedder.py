"""The multilingual model finds a passage in another language than the question's."""

import numpy as np
import pytest

from rag.embedding.multilingual import MultilingualEmbedder

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def embedder():
    return MultilingualEmbedder(threads=2)


def test_an_english_question_is_nearest_to_the_passage_that_answers_it(embedder):
    passages = embedder.embed_documents(
        [
            "Il termine ultimo per il ricevimento delle offerte è fissato al 3 marzo.",
            "O contrato é assinado pelo diretor administrativo.",
            "Die Kantine ist montags geschlossen.",
        ]
    )
    questions = ["What is the deadline for submitting tenders?", "Who signs the contract?", "When is the cafeteria closed?"]
    nearest = [int(np.argmax(passages @ embedder.embed_query(question))) for question in questions]
    assert nearest == [0, 1, 2]
    assert np.linalg.norm(passages, axis=1) == pytest.approx([1, 1, 1], abs=1e-3)


def test_questions_and_documents_are_embedded_differently(embedder):
    text = "Who signs the contract?"
    assert embedder.embed_query(text) @ embedder.embed_documents([text])[0] < 0.999


def test_tokens_are_counted_past_the_models_limit(embedder):
    assert embedder.count_tokens(["word " * 1000])[0] > 1000
