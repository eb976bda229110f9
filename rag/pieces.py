"""The text of a passage in; its sentences, list items and rows, and which of them belong together, out."""

import re

from rag.sentences import BULLET, LEFT_OUT, LIST_ITEM, blocks, is_rule, is_table_row, sentences_of

LONGEST_LIST = 900  # of an introduction with its items
LONGEST_HEADING = 90

CLAUSE_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)+)\.?\s")
REFERS_BACK = re.compile(
    r"(?:It|They|He|She|There|Then|However|Otherwise"
    r"|(?:This|These|Those|Such) (?:is|are|was|were|may|must|can|shall|will|do|does|has|have|also|apply|applies))\b"
)


class Pieces:
    """The sentences and rows of a text, and which of them belong together."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.all: list[str] = []
        self.block: list[int] = []  # of each sentence: which paragraph, list item or row it stands in
        self.starts: list[int] = []
        at = 0
        for number, block in enumerate(blocks(text)):
            for piece in sentences_of(block):
                self.all.append(piece)
                self.block.append(number)
                self.starts.append(text.index(piece, at))
                at = self.starts[-1] + len(piece)

    def heads_table(self, place: int) -> bool:
        """Whether a row names the columns of a table: the line of dashes stands below it."""
        return place + 1 < len(self.all) and is_rule(self.all[place + 1])

    def between(self, first: int, last: int) -> str:
        return self.text[self.starts[first] : self.starts[last] + len(self.all[last])]

    def understood(self, place: int) -> tuple[int, int]:
        """The sentences to quote so that one is understood: with the one it refers to, the answer or the items that follow."""
        first = last = place
        piece = self.all[place]
        if REFERS_BACK.match(piece) and self.follows(place):
            first -= 1
        if self.is_answered(place):
            last += 1
        if piece.endswith(":") and self.touches(place + 1) and not LIST_ITEM.match(self.all[place + 1]):
            last += 1
        while self.introduces(place) and self.goes_on(last):
            if len(self.between(first, last + 1)) > LONGEST_LIST:
                break
            last += 1
        return first, last

    def introduces(self, place: int) -> bool:
        """Whether a sentence says nothing without what follows: it ends in a colon, or is the heading of a list."""
        piece = self.all[place]
        if piece.endswith(":"):
            return True
        begins_list = self.touches(place + 1) and BULLET.match(self.all[place + 1])
        return self.is_heading(place) and not LIST_ITEM.match(piece) and bool(begins_list)

    def goes_on(self, last: int) -> bool:
        """Whether the list that reaches to a sentence goes on with the next one."""
        return self.touches(last + 1) and self.is_item(last + 1)

    def is_item(self, place: int) -> bool:
        """Whether a sentence is a list item, or goes on in the same line of one."""
        if LIST_ITEM.match(self.all[place]):
            return True
        gap = self.text[self.starts[place - 1] + len(self.all[place - 1]) : self.starts[place]] if place else ""
        return place > 0 and self.block[place] == self.block[place - 1] and "\n" not in gap and self.is_item(place - 1)

    def in_list(self, place: int) -> bool:
        """Whether a sentence may stand among the items of a list: it is one, or follows on one without a new paragraph."""
        return bool(LIST_ITEM.match(self.all[place])) or (place > 0 and self.block[place] == self.block[place - 1])

    def end_of_list(self, place: int) -> int:
        """The last sentence of the list that begins at `place`, as far as can be quoted together."""
        last = place
        while self.goes_on(last) and len(self.between(place, last + 1)) <= LONGEST_LIST:
            last += 1
        return last

    def is_heading(self, place: int) -> bool:
        """Whether a line stands alone, is short and unfinished, as a heading is."""
        piece, start = self.all[place], self.starts[place]
        alone = self.text[max(start - 1, 0) : start] in ("", "\n") and self.text[start + len(piece) :].startswith("\n")
        return alone and piece[-1] not in ".!?;,”\"'" and len(piece) <= LONGEST_HEADING and not BULLET.match(piece)

    def is_answered(self, place: int) -> bool:
        """Whether a sentence is a question that the next one answers, as in a list of frequent questions."""
        return self.all[place].endswith("?") and self.touches(place + 1) and not self.all[place + 1].endswith("?")

    def follows(self, place: int) -> bool:
        """Whether a sentence goes on from the one before it, in the same clause."""
        return self.touches(place) and not CLAUSE_NUMBER.match(self.all[place]) and not LIST_ITEM.match(self.all[place])

    def touches(self, place: int) -> bool:
        """Whether nothing was left out before a sentence, and neither it nor the one before is a table row."""
        if not 0 < place < len(self.all):
            return False
        before, piece = self.all[place - 1], self.all[place]
        gap = self.text[self.starts[place - 1] + len(before) : self.starts[place]]
        return LEFT_OUT not in gap and not any(is_table_row(each) or each.startswith("**") for each in (before, piece))
