"""The peer: a hybrid pipeline as LangChain's documentation builds it, with our embedding model, printing its figures as JSON.

PDFPlumberLoader, RecursiveCharacterTextSplitter 1000/200, FAISS.from_documents, BM25Retriever, EnsembleRetriever.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from rag.embedding.builtin import BuiltinEmbedder


class BuiltinEmbeddings(Embeddings):
    """Our built-in model behind LangChain's interface, so that both sides embed alike."""

    def __init__(self) -> None:
        self.embedder = BuiltinEmbedder()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.embedder.embed_documents(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.embedder.embed_query(text).tolist()


class GivenEmbeddings(Embeddings):
    """Vectors made beforehand, to time retrieval apart from embedding."""

    def __init__(self, query_vectors: dict[str, np.ndarray]) -> None:
        self.query_vectors = query_vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise RuntimeError("documents come with their vectors")

    def embed_query(self, text: str) -> list[float]:
        return self.query_vectors[text].tolist()


def load_pages(folder: Path) -> tuple[list[Document], list[str]]:
    """Every page of every PDF, and the names of the files that made the loader fail."""
    from langchain_community.document_loaders import PDFPlumberLoader

    pages: list[Document] = []
    failed = []
    for path in sorted(folder.rglob("*.pdf")):
        try:
            pages += PDFPlumberLoader(str(path)).load()
        except Exception as error:  # the peer stops at its first bad file; counting it keeps the comparison going
            failed.append(f"{path.name}: {type(error).__name__}")
    return pages, failed


def ingest(folder: Path) -> dict:
    from langchain_community.vectorstores import FAISS
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    started = time.perf_counter()
    pages, failed = load_pages(folder)
    read = time.perf_counter()
    chunks = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200).split_documents(pages)
    FAISS.from_documents(chunks, BuiltinEmbeddings())
    return {
        "pages": len(pages),
        "chunks": len(chunks),
        "failed": failed,
        "read_seconds": round(read - started, 2),
        "embed_seconds": round(time.perf_counter() - read, 2),
    }


def hybrid_retriever(texts: list[str], vectors: np.ndarray, query_vectors: dict[str, np.ndarray]):
    """The stock hybrid retriever over texts whose vectors are given."""
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_community.vectorstores import FAISS

    embeddings = GivenEmbeddings(query_vectors)
    dense = FAISS.from_embeddings(list(zip(texts, vectors.tolist(), strict=True)), embeddings)
    lexical = BM25Retriever.from_texts(texts)
    lexical.k = 50
    return EnsembleRetriever(retrievers=[dense.as_retriever(search_kwargs={"k": 50}), lexical], weights=[0.5, 0.5])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    warnings.simplefilter("ignore")
    print(json.dumps(ingest(parser.parse_args().folder)))


if __name__ == "__main__":
    main()
