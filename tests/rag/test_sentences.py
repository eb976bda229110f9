import pytest

from rag.sentences import cells, is_rule, sentences


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("A line that only\nwraps goes on.", ["A line that only\nwraps goes on."]),
        ("See Art. 4.2 and No. 5 of the U.S. rules. Next.", ["See Art. 4.2 and No. 5 of the U.S. rules.", "Next."]),
        ("Costs, e.g. freight, count. (See p. 3.) Done.", ["Costs, e.g. freight, count.", "(See p. 3.)", "Done."]),
        ("3.2 Thresholds\nPurchases above 5 need a tender.", ["3.2 Thresholds", "Purchases above 5 need a tender."]),
        ("• first\n• second\n(a) third", ["• first", "• second", "(a) third"]),
        ("| A | B |\n| --- | --- |\n| 1 | 2 |", ["| A | B |", "| --- | --- |", "| 1 | 2 |"]),
        ("First paragraph\n\nSecond paragraph", ["First paragraph", "Second paragraph"]),
        (
            "7.4 Match. An invoice is paid only when it agrees with the purchase order\n\nand the note. Next.",
            ["7.4 Match. An invoice is paid only when it agrees with the purchase order\n\nand the note.", "Next."],
        ),
        (
            "One stretch of a page\n\n…\n\n**Table 1. Bands** (USD)\n\n| A |",
            ["One stretch of a page", "**Table 1. Bands** (USD)", "| A |"],
        ),
        ("", []),
    ],
)
def test_a_text_falls_into_its_sentences_items_and_rows(text, pieces):
    assert sentences(text) == pieces


def test_every_piece_stands_in_the_text_word_for_word():
    text = "4.1 Scope\nThis policy applies to all\npurchases (see Annex B).\n\n| Value | Who |\n| 1 | Buyer |\n- One item."
    assert all(piece in text for piece in sentences(text))


def test_a_row_gives_its_cells_with_escaped_bars():
    assert cells(r"| a \| b | c |") == ["a | b", "c"]


def test_the_line_under_a_header_is_told_from_a_row():
    assert is_rule("| --- | :-: |")
    assert not is_rule("| - | 5 |".replace("-", "none"))
