"""The built-in model gives unit vectors that do not depend on the batch, and refuses a damaged file."""

import numpy as np
import pytest

from rag.embedding import builtin
from rag.embedding.builtin import BuiltinEmbedder
from rag.errors import EmbeddingError

pytestmark = pytest.mark.model
TEXTS = ["The Procurement Officer approves purchases.", "Lunch is at noon.", "Who may approve buying things? " * 3]


@pytest.fixture(scope="module")
def embedder():
    return BuiltinEmbedder(threads=1, batch=2)


def test_vectors_have_unit_length_and_keep_the_order_of_the_texts(embedder):
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.shape == (3, embedder.dimension)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert vector @ embedder.embed_query(text) == pytest.approx(1, abs=1e-3)


def test_related_texts_are_closer_than_strangers(embedder):
    approve, lunch, question = embedder.embed_documents(TEXTS)
    assert question @ approve > question @ lunch + 0.3


def test_tokens_are_counted_without_the_models_limit(embedder):
    assert embedder.count_tokens(["hello world"]) == [4]  # [CLS] hello world [SEP]
    assert embedder.count_tokens(["word " * 1000])[0] == 1002


def test_progress_reaches_the_number_of_texts(embedder):
    seen = []
    embedder.embed_documents(TEXTS, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(2, 3), (3, 3)]


def test_no_text_gives_no_vector(embedder):
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


def test_a_changed_model_file_is_refused(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not the model")
    with pytest.raises(EmbeddingError, match="make setup"):
        builtin.checked(path, builtin.MODEL_SHA256)
