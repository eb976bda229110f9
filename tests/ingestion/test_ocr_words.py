"""Words with boxes become paragraphs without the words of the tables."""

import pytest

from ingestion.ocr_words import OcrWord, are_sideways, page_confidence, page_text, scaled, turned
from ingestion.table_grid import Box


def word(text: str, x0: float = 0, top: float = 0, *, line: int = 0, paragraph: int = 0, confidence: float = 0.9) -> OcrWord:
    return OcrWord(text, confidence, Box(x0, top, x0 + 10 * len(text), top + 12), line, paragraph)


def test_lines_and_paragraphs_are_kept() -> None:
    words = [word("Terms", line=0), word("of", line=0), word("Reference", line=1), word("Budget", line=2, paragraph=1)]
    assert page_text(words) == ("Terms of\nReference\n\nBudget", [])


def test_the_words_of_a_table_are_left_out_and_its_place_is_known() -> None:
    words = [word("Before", top=0), word("cell", top=50, line=1, paragraph=1), word("After", top=90, line=2, paragraph=2)]
    text, before = page_text(words, [Box(0, 40, 200, 70), Box(0, 200, 200, 300)])
    assert text == "Before\n\nAfter"
    assert [text[:offset] for offset in before] == ["Before", "Before\n\nAfter"]


def test_the_confidence_of_a_page_counts_letters_not_words() -> None:
    assert page_confidence([word("ninety", confidence=0.9), word("i|", confidence=0.1)]) == pytest.approx(
        (6 * 0.9 + 2 * 0.1) / 8
    )
    assert page_confidence([]) == 0


def test_tall_boxes_tell_a_page_that_lies_on_its_side() -> None:
    tall = [OcrWord("procurement", 0.9, Box(20, at, 32, at + 110)) for at in (0, 120, 240)]
    assert are_sideways(tall)
    assert not are_sideways([word("procurement"), word("thresholds"), word("of"), word("goods")])


def test_turning_the_page_a_quarter_against_the_clock_turns_its_boxes() -> None:
    turned_word = turned([OcrWord("down", 0.9, Box(80, 10, 92, 50))], width=100)[0]
    assert turned_word.box == Box(10, 8, 50, 20)


def test_pixels_become_points() -> None:
    assert scaled([OcrWord("a", 1, Box(100, 200, 300, 400))], 72 / 200)[0].box == Box(36, 72, 108, 144)
