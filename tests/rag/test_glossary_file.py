"""A glossary that is edited while the app runs."""

import pytest

from glossary.learn import Proposal, accept
from rag.errors import GlossaryError
from rag.glossary_file import GlossaryFile

HEADER = "abbreviation,definition,category,notes\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "glossary.csv"
    path.write_text(f"{HEADER}LOA,Letter of Authority,,\n", encoding="utf-8")
    return path


def terms(file: GlossaryFile) -> list[str]:
    return [term.abbreviation for term in file.current().terms]


def test_an_unchanged_file_is_read_once(path):
    file = GlossaryFile(path)
    assert file.current() is file.current()


def test_an_accepted_term_is_there_at_the_next_question(path):
    file = GlossaryFile(path)
    assert terms(file) == ["LOA"]
    accept(path, Proposal("BOR", "Bid Opening Record", 2))
    assert terms(file) == ["LOA", "BOR"]


@pytest.mark.parametrize("spoil", [lambda path: path.write_text("nonsense", encoding="utf-8"), lambda path: path.unlink()])
def test_a_spoiled_file_leaves_the_glossary_as_it_was_until_it_is_mended(path, spoil, caplog):
    file = GlossaryFile(path)
    file.current()
    spoil(path)
    assert terms(file) == ["LOA"]
    assert "stays as it was" in caplog.text
    path.write_text(f"{HEADER}PR,Purchase Requisition,,\n", encoding="utf-8")
    assert terms(file) == ["PR"]


def test_a_file_with_mistakes_is_refused_at_the_start(path):
    path.write_text("nonsense", encoding="utf-8")
    with pytest.raises(GlossaryError):
        GlossaryFile(path).current()
