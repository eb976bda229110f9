"""Words that OCR read, with their boxes, in; the page's text in paragraphs and its confidence out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ingestion.table_grid import Box

SPECK = 0.4  # confidence


@dataclass(frozen=True, slots=True)
class OcrWord:
    """A word in reading order. `confidence` is 0 to 1; words of a line, and lines of a paragraph, share the number."""

    text: str
    confidence: float
    box: Box  # in pixels of the picture that was read, in points once read_page hands it out
    line: int = 0
    paragraph: int = 0

    @property
    def upright(self) -> bool:
        """Whether the box is as wide as the text suggests; sideways text gives narrow, tall boxes."""
        return self.box.width >= self.box.height


def without_specks(words: Sequence[OcrWord]) -> list[OcrWord]:
    """Leave out doubtful signs that are neither letters nor figures: dust, dots of an "i", ends of lines."""
    return [word for word in words if word.confidence >= SPECK or any(map(str.isalnum, word.text))]


def page_confidence(words: Sequence[OcrWord]) -> float:
    """The mean confidence of the characters, 0 where there are none."""
    characters = sum(len(word.text) for word in words)
    return sum(len(word.text) * word.confidence for word in words) / characters if characters else 0.0


def page_text(words: Sequence[OcrWord], tables: Sequence[Box] = ()) -> tuple[str, list[int]]:
    """Lines and paragraphs without the words of the tables; and for each table the offset at which it stood."""
    text = ""
    before: list[int | None] = [None] * len(tables)
    for _, paragraph in groupby(words, key=lambda word: word.paragraph):
        lines = []
        for _, line in groupby(paragraph, key=lambda word: word.line):
            kept = []
            for word in line:
                inside = next((at for at, box in enumerate(tables) if box.holds(*word.box.centre)), None)
                if inside is None:
                    kept.append(word.text)
                elif before[inside] is None:
                    before[inside] = len(text)
            if kept:
                lines.append(" ".join(kept))
        if lines:
            text += ("\n\n" if text else "") + "\n".join(lines)
    return text, [len(text) if offset is None else offset for offset in before]


def are_sideways(words: Sequence[OcrWord]) -> bool:
    """Whether most of the longer words run along the side of the page."""
    longer = [word for word in words if len(word.text) >= 4]
    return len(longer) >= 3 and sum(not word.upright for word in longer) > 0.7 * len(longer)


def turned(words: Sequence[OcrWord], *, width: float) -> list[OcrWord]:
    """The boxes after the picture, `width` wide, is turned by a quarter against the clock."""
    return [replace(word, box=Box(word.box.top, width - word.box.x1, word.box.bottom, width - word.box.x0)) for word in words]


def scaled(words: Sequence[OcrWord], factor: float) -> list[OcrWord]:
    return [replace(word, box=word.box.scaled(factor)) for word in words]
