from rag.config import Context
from rag.context import joined, select_passages
from rag.domain import Retrieval
from tests.rag.fakes import passage, query

WORDS = "one two three four five six seven eight nine ten"


def selected(*passages, limit=100, most=5):
    retrieval = Retrieval(query("?"), passages, (), "gen-1")
    return [each.text for each in select_passages(retrieval, Context(most, limit), lambda text: len(text.split()))]


def test_the_most_relevant_come_first_and_what_does_not_fit_is_left_out():
    assert selected(passage("a b c", page=1), passage(WORDS, page=2), passage("d e", page=3), limit=6) == ["a b c", "d e"]


def test_the_best_is_kept_whatever_its_length():
    assert selected(passage(WORDS), limit=3) == [WORDS]


def test_no_more_passages_than_set():
    assert selected(*(passage(f"text {n}", page=n) for n in range(9)), most=2) == ["text 0", "text 1"]


def test_overlapping_texts_of_a_page_become_one():
    assert selected(passage(WORDS[20:], page=4), passage("other", page=5), passage(WORDS[:45], page=4)) == [WORDS, "other"]


def test_the_same_text_on_another_page_is_another_passage():
    assert selected(passage("same words", page=1), passage("same words", page=2)) == ["same words", "same words"]


def test_texts_that_only_look_alike_are_not_joined():
    assert joined("ends with abc", "abc begins") == ""
    assert joined(WORDS, WORDS[5:20]) == WORDS
    assert joined(WORDS[5:20], WORDS) == WORDS


def test_nothing_found_is_nothing_to_read():
    assert selected() == []
