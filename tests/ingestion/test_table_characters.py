"""A cell's characters become the words a person reads, whichever way they run."""

import pytest

from ingestion.table_characters import is_spaced_out, level_text, logical_order, with_marks_apart


def characters(text: str, *, step: float = 6.0, size: float = 10.0) -> list[dict]:
    """Upright letters `step` points apart, 5 wide; a letter after "^" is raised and small."""
    found, x, raised = [], 0.0, False
    for letter in text:
        if letter == "^":
            raised = True
            continue
        height = size * (0.6 if raised else 1.0)
        box = {"x0": x, "x1": x + 5, "width": 5.0, "top": 1.0, "doctop": 1.0, "bottom": 1.0 + height, "height": height}
        found.append({"text": letter, "size": height, "upright": True, "fontname": "Helvetica", **box})
        x, raised = x + step, False
    return found


def test_letters_that_stand_close_are_one_word() -> None:
    assert level_text(characters("Limit")) == "Limit"


def test_letters_spaced_out_evenly_are_still_one_word() -> None:
    assert level_text(characters("05/27/2016", step=8.5)) == "05/27/2016"


def test_spaces_that_the_pdf_writes_are_kept_between_single_letters() -> None:
    assert level_text(characters("1 a 2 b", step=6)) == "1 a 2 b"


def test_blanks_printed_over_letters_do_not_part_them() -> None:
    padding = [blank | {"x0": blank["x0"] + 2, "x1": blank["x1"] + 2} for blank in characters("      ")]
    assert level_text([*padding, *characters("05/27")]) == "05/27"


def test_a_raised_number_is_put_in_brackets() -> None:
    assert "".join(mark["text"] for mark in with_marks_apart(characters("50,000^1^2"))) == "50,000 (12)"
    assert "".join(mark["text"] for mark in with_marks_apart(characters("5^t^h"))) == "5th"
    lowered = [letter | {"bottom": 11.0} for letter in characters("CO^2")]
    assert "".join(mark["text"] for mark in with_marks_apart(lowered)) == "CO2"


@pytest.mark.parametrize(("text", "spaced"), [("0 5 / 2 7 / 2 0 16", True), ("a b", False), ("12 of 27 bids", False)])
def test_spaced_out_letters_are_told_from_short_words(text: str, spaced: bool) -> None:
    assert is_spaced_out(text) == spaced


def test_arabic_script_is_read_from_the_right_and_its_numbers_from_the_left() -> None:
    shown = "\u062a\u0628 1403/09/19 \u062f\u062c"  # as it stands on the page from left to right
    assert logical_order(shown) == "\u062c\u062f 1403/09/19 \u0628\u062a"
