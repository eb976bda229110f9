"""config.toml, its dataclasses and the README say the same; a wrong value is refused with its place."""

import dataclasses

import pytest
import tomli

from rag.config import PROJECT, Config, load_config
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
        ("rrf_k = 60", 'rrf_k = "sixty"', r"\[retrieval\] rrf_k is 'sixty'"),
        ("rrf_k = 60", "rrf_k = true", r"\[retrieval\] rrf_k is True"),
        ('backend = "builtin"', 'backend = "openai"', "must be one of builtin, multilingual"),
        ("search_overlap = 80", "search_overlap = 400", "search_overlap must be smaller than search_size"),
        ("threshold = 0.5", "threshold = 1.5", "threshold must lie between 0 and 1"),
        ("rrf_k = 60", "# gone", r"\[retrieval\] lacks rrf_k"),
        ("rrf_k = 60", "rrf_k 60", "not valid TOML"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(changed, old, new, message):
    with pytest.raises(ConfigError, match=message):
        load_config(changed(old, new))


def test_folders_given_on_the_command_line_win(tmp_path):
    config = load_config(PROJECT / "config.toml", documents=tmp_path / "pdfs", index=tmp_path / "idx")
    assert config.documents.directory == tmp_path / "pdfs"
    assert config.documents.index == tmp_path / "idx"


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match=r"copy config\.toml"):
        load_config(tmp_path / "nowhere.toml")
