"""What stands in a passage beside the piece that was found."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from rag.domain import Parent
from rag.fusion import Fused
from rag.passages import passage_of
from rag.sentences import NEXT_PAGE
from tests.rag.fakes import passage

INTRODUCTION = "1 Planning\n\nTable 1 shows the weeks that a tender takes."
WEEKS = "**Table 1. Weeks**\n\n| Stage | RFP |\n| --- | --- |\n| Bidding | 5 |"
MORE_WEEKS = "**Table 1. Weeks**\n\n| Stage | RFP |\n| --- | --- |\n| Signing | 2 |"
PRICES = "**Table 2. Prices**\n\n| Item | USD |\n| --- | --- |\n| Pump | 300 |"
ONLY_WHERE = "8.2 A sole source is accepted only where:"
ITEMS = "(a) a single supplier exists; or\n(b) competition failed twice."


def snapshot_of(*pages: tuple[int, str]):
    """One document whose parents are given as (page, text), each with one chunk."""
    chunks = [replace(passage(text, page=page).chunk, parent=str(at)) for at, (page, text) in enumerate(pages)]
    return SimpleNamespace(
        columns=SimpleNamespace(
            file=np.zeros(len(pages), int), page=np.array([page for page, _ in pages]), parent=np.arange(len(pages))
        ),
        chunk=lambda row: chunks[row],
        parent=lambda row: Parent(str(row), pages[row][0], 0, len(pages[row][1]), pages[row][1]),
        rows_of=lambda file: np.arange(len(pages)),
    )


def text_of(snapshot, *rows: int) -> str:
    return passage_of(Fused(rows[0], 1.0, ("dense",)), rows, snapshot).text


def test_a_row_comes_with_the_rest_of_its_table_and_not_with_other_tables():
    text = text_of(snapshot_of((1, INTRODUCTION), (1, WEEKS), (1, MORE_WEEKS), (1, PRICES)), 2)
    assert "| Bidding | 5 |" in text
    assert "| Signing | 2 |" in text
    assert "Pump" not in text


def test_a_sentence_comes_with_the_table_that_it_refers_to():
    text = text_of(snapshot_of((1, INTRODUCTION), (1, WEEKS), (1, PRICES), (2, MORE_WEEKS)), 0)
    assert text == f"{INTRODUCTION}\n…\n{WEEKS}"


def test_a_list_that_begins_at_the_end_of_a_page_comes_with_its_items():
    assert text_of(snapshot_of((7, ONLY_WHERE), (8, ITEMS)), 0) == f"{ONLY_WHERE}{NEXT_PAGE}{ITEMS}"
    assert text_of(snapshot_of((7, ONLY_WHERE), (8, "9 Ethics")), 0) == ONLY_WHERE
    assert text_of(snapshot_of((7, ONLY_WHERE)), 0) == ONLY_WHERE
