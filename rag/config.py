"""Reads config.toml and .env into frozen settings; a wrong name, type or value is refused with its place."""

import dataclasses
import os
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import tomli
from dotenv import load_dotenv

from rag.errors import ConfigError

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Documents:
    directory: Path
    index: Path
    max_file_mb: int
    watch_seconds: float


@dataclass(frozen=True)
class Reading:
    max_pages: int
    page_seconds: float
    file_seconds: float
    memory_mb: int
    workers: int


@dataclass(frozen=True)
class Tables:
    enabled: bool
    min_rows: int
    min_columns: int


@dataclass(frozen=True)
class Ocr:
    engine: Literal["auto", "tesseract", "rapidocr", "textract", "none"]
    languages: str
    dpi: int
    min_confidence: float


@dataclass(frozen=True)
class Whatsapp:
    window_messages: int
    overlap_messages: int
    senders: Literal["kept", "pseudonymised"]


@dataclass(frozen=True)
class Chunking:
    strategy: Literal["recursive", "semantic"]
    search_size: int
    search_overlap: int
    chunk_size: int
    chunk_overlap: int


@dataclass(frozen=True)
class Embedding:
    backend: Literal["builtin", "multilingual", "bedrock", "ollama"]
    batch: int
    threads: int
    bedrock_model: str
    ollama_model: str


@dataclass(frozen=True)
class Index:
    keep_generations: int
    exact_up_to: int
    half_up_to: int
    nprobe: int


@dataclass(frozen=True)
class Glossary:
    file: Path


@dataclass(frozen=True)
class QuerySettings:
    expand_glossary: bool
    infer_filters: bool
    multi_query: bool


@dataclass(frozen=True)
class RetrievalSettings:
    dense_candidates: int
    lexical_candidates: int
    fusion: Literal["rrf", "normalised"]
    rrf_k: int
    phrase_weight: float
    reference_weight: float
    router_weight: float
    half_life_days: float
    dated_types: tuple[str, ...]


@dataclass(frozen=True)
class Rerank:
    enabled: bool
    model: str
    cache: Path
    download: bool
    candidates: int
    threshold: float
    top: int


@dataclass(frozen=True)
class Rules:
    store: Literal["embedded", "neo4j"]
    neo4j_url: str
    neo4j_database: str


@dataclass(frozen=True)
class Context:
    passages: int
    max_tokens: int


@dataclass(frozen=True)
class Confidence:
    high: float
    low: float
    high_by_type: dict[str, float] = field(hash=False)
    low_by_type: dict[str, float] = field(hash=False)
    intercept: float
    weights: dict[str, float] = field(hash=False)


@dataclass(frozen=True)
class Chat:
    memory_pairs: int
    max_question_characters: int
    concurrent_answers: int


@dataclass(frozen=True)
class Llm:
    backend: Literal["auto", "bedrock", "ollama", "extractive"]
    temperature: float
    max_output_tokens: int
    timeout_seconds: float
    retries: int


@dataclass(frozen=True)
class Bedrock:
    model: str
    region: str
    prompt_caching: bool


@dataclass(frozen=True)
class Ollama:
    model: str
    context_tokens: int


@dataclass(frozen=True)
class History:
    database: str


@dataclass(frozen=True)
class Ui:
    title: str
    organisation: str
    examples: tuple[str, ...]
    allow_upload: bool
    max_upload_mb: int


@dataclass(frozen=True)
class Config:
    documents: Documents
    reading: Reading
    tables: Tables
    ocr: Ocr
    whatsapp: Whatsapp
    chunking: Chunking
    embedding: Embedding
    index: Index
    glossary: Glossary
    query: QuerySettings
    retrieval: RetrievalSettings
    rerank: Rerank
    rules: Rules
    context: Context
    confidence: Confidence
    chat: Chat
    llm: Llm
    bedrock: Bedrock
    ollama: Ollama
    history: History
    ui: Ui
    source: Path = field(default=PROJECT / "config.toml", compare=False)

    def with_values(self, **tables: dict[str, Any]) -> "Config":
        """A copy with some settings replaced: `config.with_values(rerank={"enabled": False})`."""
        changed = {name: dataclasses.replace(getattr(self, name), **values) for name, values in tables.items()}
        return dataclasses.replace(self, **changed)


KINDS = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text in quotation marks",
    Path: "a path in quotation marks",
    dict[str, float]: "a table of numbers",
}

# The least and the most that makes sense of every number, both allowed; beyond lies a slip of the pen.
LIMITS: dict[str, tuple[float, float]] = {
    "documents.max_file_mb": (1, 100_000),
    "documents.watch_seconds": (0.01, 86_400),
    "reading.max_pages": (1, 1_000_000),
    "reading.page_seconds": (1, 86_400),
    "reading.file_seconds": (1, 604_800),
    "reading.memory_mb": (64, 1_000_000),
    "reading.workers": (1, 256),
    "tables.min_rows": (1, 1_000),
    "tables.min_columns": (1, 1_000),
    "ocr.dpi": (50, 1_200),
    "ocr.min_confidence": (0, 1),
    "whatsapp.window_messages": (1, 10_000),
    "whatsapp.overlap_messages": (0, 10_000),
    "chunking.search_size": (20, 100_000),
    "chunking.search_overlap": (0, 100_000),
    "chunking.chunk_size": (20, 100_000),
    "chunking.chunk_overlap": (0, 100_000),
    "embedding.batch": (1, 10_000),
    "embedding.threads": (1, 1_024),
    "index.keep_generations": (1, 1_000),
    "index.exact_up_to": (0, 1_000_000_000),
    "index.half_up_to": (0, 1_000_000_000),
    "index.nprobe": (1, 100_000),
    "retrieval.dense_candidates": (0, 10_000),
    "retrieval.lexical_candidates": (0, 10_000),
    "retrieval.rrf_k": (1, 10_000),
    "retrieval.phrase_weight": (0, 100),
    "retrieval.reference_weight": (0, 100),
    "retrieval.router_weight": (0, 100),
    "retrieval.half_life_days": (0, 100_000),
    "rerank.candidates": (1, 1_000),
    "rerank.threshold": (0, 1),
    "rerank.top": (1, 1_000),
    "context.passages": (1, 100),
    "context.max_tokens": (100, 1_000_000),
    "confidence.high": (0, 1),
    "confidence.low": (0, 1),
    "confidence.intercept": (-1_000, 1_000),
    "chat.memory_pairs": (0, 6),
    "chat.max_question_characters": (10, 1_000_000),
    "chat.concurrent_answers": (1, 1_000),
    "llm.temperature": (0, 2),
    "llm.max_output_tokens": (1, 1_000_000),
    "llm.timeout_seconds": (1, 86_400),
    "llm.retries": (0, 100),
    "ollama.context_tokens": (512, 10_000_000),
    "ui.max_upload_mb": (1, 100_000),
}


def load_config(path: Path | None = None, *, documents: Path | None = None, index: Path | None = None) -> Config:
    """The settings of `path` (default: PROCUREMENT_CONFIG, else config.toml beside app.py), its folders overridden.

    Relative paths in the file are relative to the file, `documents` and `index` to where the command runs.
    Secrets are read from .env beside the file into the environment, where the client libraries look for them; what
    the environment holds already wins. Raises ConfigError.
    """
    path = (path or Path(os.environ.get("PROCUREMENT_CONFIG") or PROJECT / "config.toml")).expanduser().resolve()
    load_dotenv(path.parent / ".env")
    try:
        data = tomli.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path} is not there: copy config.toml from the project to that place.") from None
    except OSError as error:
        raise ConfigError(f"{path} can't be read ({error.strerror}): name a config.toml.") from None
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}. Correct that line.") from None
    tables = {f.name: typing.get_type_hints(Config)[f.name] for f in dataclasses.fields(Config) if f.name != "source"}
    refuse_unknown(data, tables, f"{path}", "table")
    built = {name: build_table(kind, data.get(name), name, path) for name, kind in tables.items()}
    config = Config(**built, source=path)
    folders = {"directory": documents, "index": index}
    config = config.with_values(documents={name: value.resolve() for name, value in folders.items() if value is not None})
    check_values(config, path)
    return config


def build_table(kind: type, values: Any, table: str, path: Path) -> Any:
    if not isinstance(values, dict):
        raise ConfigError(f"{path} has no table [{table}]: copy it from the project's config.toml.")
    hints = typing.get_type_hints(kind)
    refuse_unknown(values, hints, f"{path} [{table}]", "setting")
    missing = [name for name in hints if name not in values]
    if missing:
        raise ConfigError(f"{path} [{table}] lacks {', '.join(missing)}: copy the line from the project's config.toml.")
    return kind(**{name: convert(values[name], hints[name], f"{path} [{table}] {name}", path) for name in hints})


def refuse_unknown(given: dict[str, Any], known: dict[str, Any], place: str, noun: str) -> None:
    for name in given:
        if name not in known:
            raise ConfigError(f'{place} has an unknown {noun} "{name}": the known ones are {", ".join(known)}.')


def convert(value: Any, kind: Any, place: str, path: Path) -> Any:
    if typing.get_origin(kind) is Literal:
        if value not in typing.get_args(kind):
            raise ConfigError(f"{place} is {written(value)}: it must be one of {', '.join(typing.get_args(kind))}.")
        return value
    if kind is Path and isinstance(value, str) and value:
        return (path.parent / Path(value).expanduser()).resolve()
    if isinstance(kind, types.GenericAlias) and isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    if typing.get_origin(kind) is dict and isinstance(value, dict):
        return {name: convert(item, typing.get_args(kind)[1], f"{place} {name}", path) for name, item in value.items()}
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(kind, type) and isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    raise ConfigError(f"{place} is {written(value)}: it must be {KINDS.get(kind, 'a list of texts, each in quotation marks')}.")


def written(value: Any) -> str:
    """A value as the file has it: `true`, not `True`."""
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def check_values(config: Config, path: Path) -> None:
    """Limits of numbers and relations between settings, which a type can't express."""
    for place, (least, most) in LIMITS.items():
        table, name = place.split(".")
        value = getattr(getattr(config, table), name)
        if not least <= value <= most:  # also where it is not a number at all
            raise ConfigError(f"{path} [{table}] {name} is {value}: it must lie between {least:,} and {most:,}.")
    chunking, confidence = config.chunking, config.confidence
    rules = [
        (chunking.search_overlap < chunking.search_size, "[chunking] search_overlap must be smaller than search_size"),
        (chunking.chunk_overlap < chunking.chunk_size, "[chunking] chunk_overlap must be smaller than chunk_size"),
        (chunking.search_size <= chunking.chunk_size, "[chunking] search_size must not exceed chunk_size"),
        (confidence.low <= confidence.high, "[confidence] low must not exceed high"),
        (
            all(
                0 <= confidence.low_by_type.get(kind, confidence.low) <= confidence.high_by_type.get(kind, confidence.high) <= 1
                for kind in {*confidence.low_by_type, *confidence.high_by_type}
            ),
            "[confidence] low_by_type must not exceed high_by_type, both from 0 to 1",
        ),
        (
            config.whatsapp.overlap_messages < config.whatsapp.window_messages,
            "[whatsapp] overlap_messages must be smaller than window_messages",
        ),
        (config.index.exact_up_to <= config.index.half_up_to, "[index] exact_up_to must not exceed half_up_to"),
    ]
    for holds, rule in rules:
        if not holds:
            raise ConfigError(f"{path}: {rule}.")
