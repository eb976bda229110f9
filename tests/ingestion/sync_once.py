"""One run over the folders given as arguments, with the predictable embedder: a process for tests to kill."""

import sys
from pathlib import Path

from ingestion.pipeline import sync
from rag.config import load_config
from tests.fakes import LengthEmbedder

if __name__ == "__main__":
    sync(load_config(documents=Path(sys.argv[1]), index=Path(sys.argv[2])), embedder=LengthEmbedder())
