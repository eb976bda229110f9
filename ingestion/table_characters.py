"""The characters of a cell, as pdfplumber lists them, in; its text in reading order, and whether it is bold, out."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from statistics import median
from typing import Any

from pdfplumber.utils.text import extract_text

Character = dict[str, Any]

# pdfplumber's fixed x_tolerance glues the words of some files together; a share of the letter size does not.
WORD_GAP = 0.15
SPACED_GAP = 0.45  # where letters are spaced out, so that the usual gap stands between any two of them
MARK = re.compile(r"\d{1,2}|[a-h]")  # and not the raised "th" of "5th"
BOLD = ("bold", "black", "heavy", "demi")
RAISED = 0.75  # a footnote mark is smaller than this share of the letters around it, and ends higher
LEFT_TO_RIGHT = re.compile(r"([0-9A-Za-z\u0660-\u0669\u06f0-\u06f9][0-9A-Za-z\u0660-\u0669\u06f0-\u06f9.,/:%-]*)")


def join_characters(characters: Sequence[Character]) -> str:
    """Text that runs along the side of the page comes after the level text of the cell."""
    level = [character for character in characters if character["upright"]]
    sideways = [character for character in characters if not character["upright"]]
    parts = [level_text(level), sideways_text(sideways)]
    return "\n".join(filter(None, parts))


def level_text(characters: Sequence[Character]) -> str:
    if not characters:
        return ""
    characters = with_marks_apart(without_covered_blanks(characters))
    text = extract_text(characters, x_tolerance_ratio=WORD_GAP)
    if is_spaced_out(text) and " " not in "".join(character["text"] for character in characters).strip():
        text = extract_text(characters, x_tolerance_ratio=SPACED_GAP)
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text):
        text = "\n".join(logical_order(line) for line in text.splitlines())
    return text


def sideways_text(characters: Sequence[Character]) -> str:
    if not characters:
        return ""
    upwards = sum(character["matrix"][1] > 0 for character in characters) > len(characters) / 2
    lines, letters = ("ltr", "btt") if upwards else ("rtl", "ttb")
    return extract_text(
        list(characters), x_tolerance=1, y_tolerance_ratio=WORD_GAP, line_dir_rotated=lines, char_dir_rotated=letters
    )


def without_covered_blanks(characters: Sequence[Character]) -> list[Character]:
    """Leave out blanks printed over letters: some reports pad every cell with blanks that run into the next."""
    letters = [character for character in characters if not character["text"].isspace()]

    def is_covered(blank: Character) -> bool:
        x, y = (blank["x0"] + blank["x1"]) / 2, (blank["top"] + blank["bottom"]) / 2
        return any(letter["x0"] < x < letter["x1"] and letter["top"] < y < letter["bottom"] for letter in letters)

    return [character for character in characters if not (character["text"].isspace() and is_covered(character))]


def with_marks_apart(characters: Sequence[Character]) -> list[Character]:
    """Put a raised footnote number in brackets: glued to an amount it would change it."""
    size = median(character["size"] for character in characters)
    result: list[Character] = []
    for raised, run in groupby(characters, key=lambda character: character["size"] < RAISED * size):
        letters = list(run)
        mark = "".join(letter["text"] for letter in letters)
        follows = bool(result) and re.search(r"[\w.,)]", result[-1]["text"])
        if raised and follows and MARK.fullmatch(mark) and letters[0]["bottom"] < result[-1]["bottom"] - 0.1 * size:
            place = {"x1": letters[-1]["x1"], "bottom": result[-1]["bottom"]}
            result.append(letters[0] | place | {"text": f" ({mark})"})
        else:
            result += letters
    return result


def is_spaced_out(text: str) -> bool:
    """Whether the text falls into pieces of one or two letters, as "0 5 / 2 7 / 2 0 16" does."""
    pieces = text.split()
    return len(pieces) >= 4 and sum(map(len, pieces)) < 1.7 * len(pieces)


def logical_order(line: str) -> str:
    """A line of Hebrew or Arabic script as it is read; pdfplumber lists it from left to right. Numbers keep their order."""
    pieces = LEFT_TO_RIGHT.split(line)  # numbers and Latin words stand at the odd places
    return "".join(piece if at % 2 else piece[::-1] for at, piece in reversed(list(enumerate(pieces))))


def is_bold(characters: Sequence[Character]) -> bool:
    bold = sum(any(name in character["fontname"].lower() for name in BOLD) for character in characters)
    return bold > len(characters) / 2
