"""config.toml, its dataclasses and the README say the same; a wrong value is refused with its place."""

import dataclasses
from pathlib import Path

import pytest
import tomli

from rag.config import LIMITS, PROJECT, Config, load_config
from rag.errors import ConfigError

SHIPPED = (PROJECT / "config.toml").read_text(encoding="utf-8")


@pytest.fixture
def changed(tmp_path):
    """Writes config.toml with one piece of text replaced and returns its path."""

    def write(old: str, new: str):
        assert SHIPPED.count(old) == 1, f"{old!r} must stand once in config.toml"
        path = tmp_path / "config.toml"
        path.write_text(SHIPPED.replace(old, new), encoding="utf-8")
        return path

    return write


def test_the_shipped_file_loads_and_folders_are_relative_to_it():
    config = load_config(PROJECT / "config.toml")
    assert config.documents.directory == PROJECT / "data"
    assert config.chunking.chunk_size == 1000
    assert config.rerank.threshold == 0.5
    assert config.chat.memory_pairs == 3


def test_tables_and_settings_stand_in_the_same_order_as_the_dataclasses():
    tables = tomli.loads(SHIPPED)
    fields = [f for f in dataclasses.fields(Config) if f.name != "source"]
    assert list(tables) == [f.name for f in fields]
    for f in fields:
        assert list(tables[f.name]) == [setting.name for setting in dataclasses.fields(f.type)], f"[{f.name}]"


def test_the_readme_names_every_table():
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    missing = [name for name in tomli.loads(SHIPPED) if f"`[{name}]`" not in readme]
    assert not missing, f"README.md does not explain {missing}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("search_size = 400", "search_size = 400\nserch_size = 1", 'unknown setting "serch_size"'),
        ("[chunking]", "[chunkin]", 'unknown table "chunkin"'),
        ("rrf_k = 60", 'rrf_k = "sixty"', r'\[retrieval\] rrf_k is "sixty": it must be a whole number\.'),
        ("rrf_k = 60", "rrf_k = 60.5", r"\[retrieval\] rrf_k is 60\.5: it must be a whole number\."),
        ("rrf_k = 60", "rrf_k = true", r"\[retrieval\] rrf_k is true: it must be a whole number\."),
        ("phrase_weight = 0.2", 'phrase_weight = "0.2"', r'phrase_weight is "0\.2": it must be a number\.'),
        ("multi_query = true", "multi_query = 0", r"multi_query is 0: it must be true or false\."),
        ('model = "llama3.1:8b"', "model = 3", r"\[ollama\] model is 3: it must be a text in quotation marks\."),
        ('directory = "data"', 'directory = ""', r'directory is "": it must be a path in quotation marks\.'),
        ("examples = []", 'examples = "What?"', r'examples is "What\?": it must be a list of texts'),
        (
            "max_question_characters = 2000",
            "max_question_characters = -1",
            "max_question_characters is -1: it must lie between",
        ),
        ("watch_seconds = 1.0", "watch_seconds = nan", "watch_seconds is nan: it must lie between"),
        ("workers = 2", "workers = 1000000", r"workers is 1000000: it must lie between 1 and 256\."),
        ('backend = "builtin"', 'backend = "openai"', "must be one of builtin, multilingual"),
        ("search_overlap = 80", "search_overlap = 400", "search_overlap must be smaller than search_size"),
        ("threshold = 0.5", "threshold = 1.5", r"\[rerank\] threshold is 1\.5: it must lie between 0 and 1"),
        ("rrf_k = 60", "# gone", r"\[retrieval\] lacks rrf_k"),
        ("rrf_k = 60", "rrf_k 60", "not valid TOML"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(changed, old, new, message):
    with pytest.raises(ConfigError, match=message):
        load_config(changed(old, new))


def test_every_number_has_limits():
    numbers = {
        f"{table.name}.{setting.name}"
        for table in dataclasses.fields(Config)
        if table.name != "source"
        for setting in dataclasses.fields(table.type)
        if setting.type in (int, float)
    }
    assert set(LIMITS) == numbers


def test_paths_in_a_file_named_from_elsewhere_are_relative_to_the_file(changed, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    path = changed('directory = "data"', 'directory = "pdfs"')
    monkeypatch.chdir(tmp_path / "elsewhere")
    config = load_config(Path("..") / path.name)
    assert config.documents.directory == tmp_path / "pdfs"
    assert config.documents.index == tmp_path / "index"
    assert config.source == path, "absolute, because the indexing process runs in another folder"


def test_folders_given_on_the_command_line_win(tmp_path):
    config = load_config(PROJECT / "config.toml", documents=tmp_path / "pdfs", index=tmp_path / "idx")
    assert config.documents.directory == tmp_path / "pdfs"
    assert config.documents.index == tmp_path / "idx"


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match=r"copy config\.toml"):
        load_config(tmp_path / "nowhere.toml")
