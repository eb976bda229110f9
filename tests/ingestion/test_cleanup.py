from collections import Counter

import pytest

from ingestion.cleanup import clean_characters, flowing_text, printed_number, running_lines, vocabulary_of, without_running
from ingestion.layout import Line


def lines(*rows, x1=500.0, pitch=12.0, **more):
    """Full lines under each other; a row may be (text, changes) to differ from them."""
    found, top = [], 100.0
    for row in rows:
        text, changes = row if isinstance(row, tuple) else (row, {})
        top += changes.pop("skip", 0)
        values = {"x0": 72.0, "x1": x1, "size": 10.0, **more, **changes}
        found.append(Line(text, top=top, bottom=top + 10, **values))
        top += pitch
    return found


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("con\ufb01rm the o\ufb03cial \ufb02ow", "confirm the official flow"),
        ("regu\u00adlation\u200b\ufeff", "regulation"),
        ("USD\u00a05,000\tnet", "USD 5,000 net"),
        ("\uf0b7 first \uf0a7 second", "• first • second"),
        ("a\x00b\x07c \ue123", "abc"),
        ("Scope ............................ 12", "Scope … 12"),
        ("cafe\u0301", "café"),
        ("½ m² ①", "½ m² ①"),
        ("\ufee3\ufeae\ufea3\ufe92\ufe8e", "مرحبا"),
        ("項目 描述:（一）", "項目 描述:（一）"),
    ],
)
def test_characters(given, clean):
    assert clean_characters(given) == clean


def test_lines_of_a_paragraph_are_joined():
    assert flowing_text(lines("The buyer shall obtain", "three quotations.")).text == "The buyer shall obtain three quotations."


def test_starts_point_at_the_lines():
    rows = lines("The buyer shall obtain", "three quo-", ("tations.", {"x1": 150.0}), ("Then it orders.", {"skip": 20}))
    clean = flowing_text(rows)
    assert clean.text == "The buyer shall obtain three quotations.\n\nThen it orders."
    assert [clean.text[start : start + 4] for start in clean.starts] == ["The ", "thre", "tati", "Then"]


@pytest.mark.parametrize(
    ("known", "joined"),
    [
        ([], "an online auction"),
        (["on-line"], "an on-line auction"),
        (["online"], "an online auction"),
    ],
)
def test_hyphen_at_a_line_end_follows_the_rest_of_the_document(known, joined):
    assert flowing_text(lines("an on-", "line auction"), Counter(known)).text == joined


def test_hyphen_between_two_known_words_stays():
    vocabulary = Counter(["well", "known"])
    assert flowing_text(lines("the well-", "known supplier"), vocabulary).text == "the well-known supplier"


def test_hyphen_before_a_capital_or_number_stays():
    assert (
        flowing_text(lines("AD 2018-", "23-51 of the FAA-", "Approved list")).text == "AD 2018-23-51 of the FAA-Approved list"
    )


def test_dash_with_a_space_is_no_hyphen():
    assert flowing_text(lines("three quotations -", "or more")).text == "three quotations - or more"


def test_link_broken_at_a_slash_is_whole_again():
    assert (
        flowing_text(lines("see https://example.org/", "policies for more")).text == "see https://example.org/policies for more"
    )


def test_list_items_and_clauses_keep_their_lines():
    rows = ["The buyer shall:", "• ask three suppliers", "• record the reasons", "(a) in writing", "4.2.1 Quotations are kept"]
    assert flowing_text(lines(*rows)).text == "\n".join(rows)


def test_item_that_goes_on_over_two_lines():
    assert flowing_text(lines("1. The buyer asks three", "suppliers in writing", "2. It orders")).text == (
        "1. The buyer asks three suppliers in writing\n2. It orders"
    )


def test_the_gap_behind_a_clause_number_makes_no_row_of_a_table():
    page = lines(("3.1 Each department submits its plan to the", {"cells": 2}), ("Procurement Department.", {"x0": 100.0}))
    assert flowing_text(page).text == "3.1 Each department submits its plan to the Procurement Department."


def test_short_line_ends_its_paragraph():
    rows = lines("The first paragraph has this line", ("and ends.", {"x1": 150.0}), "The next one begins here and is long")
    assert flowing_text(rows).text == "The first paragraph has this line and ends.\nThe next one begins here and is long"


def test_wide_gap_is_an_empty_line():
    assert (
        flowing_text(lines("One paragraph of text", ("and another", {"skip": 14}))).text
        == "One paragraph of text\n\nand another"
    )


def test_table_like_rows_keep_their_lines():
    rows = lines("Office supplies 5,000", "IT equipment 50,000", cells=2)
    assert flowing_text(rows).text == "Office supplies 5,000\nIT equipment 50,000"


def test_sentence_goes_on_in_the_next_column():
    rows = [*lines("the buyer shall obtain"), *lines("three quotations.", block=1)]
    assert flowing_text(rows).text == "the buyer shall obtain three quotations."


def test_place_of_a_table():
    rows = lines("The limits are these:", ("", {"table": 0}), "They hold from May.")
    clean = flowing_text(rows)
    assert (clean.text, clean.starts[1]) == ("The limits are these:\n\nThey hold from May.", 21)


def test_headings_stand_apart():
    assert (
        flowing_text(lines("4 Thresholds", "The buyer shall obtain"), None, {0}).text
        == "4 Thresholds\n\nThe buyer shall obtain"
    )


def test_chinese_lines_are_joined_without_a_space():
    assert flowing_text(lines("负责引水隧洞爆破方", "案优化设计")).text == "负责引水隧洞爆破方案优化设计"


def test_words_at_line_ends_do_not_count_as_known():
    assert vocabulary_of([lines("the well-known quo-")]) == Counter({"the": 1, "well-known": 1})


def page(number, body="The text of the page is another one every time"):
    top = Line("Acme Ltd Procurement Policy", 72, 30, 250, 40, 10)
    bottom = Line(f"Page {number} of 9", 72, 800, 130, 810, 10)
    return [top, Line(f"{body} {'abcdefghi'[number]}", 72, 400, 400, 410, 10), bottom]


def test_running_header_and_footer_are_taken_out_and_kept():
    pages = [page(number) for number in range(1, 6)]
    running = running_lines(pages, [842] * 5)
    assert running == [{0, 2}] * 5
    body, header, footer = without_running(pages[2], running[2], 842)
    assert ([line.text for line in body], header, footer) == (
        ["The text of the page is another one every time d"],
        "Acme Ltd Procurement Policy",
        "Page 3 of 9",
    )


def test_lines_that_repeat_in_the_body_stay():
    pages = [[Line("Approved by the board", 72, 400, 200, 410, 10), Line(f"item {n}", 72, 450, 90, 460, 10)] for n in range(5)]
    assert running_lines(pages, [842] * 5) == [set()] * 5


def test_a_paragraph_that_every_page_begins_with_is_no_running_header():
    paragraph = [
        Line("Quotations are opened by the committee on the day after the", 72, 76, 500, 86, 10),
        Line("closing date, in the presence of the bidders who wish to come,", 72, 88, 500, 98, 10),
        Line("and the secretary reads out the prices of every bidder.", 72, 100, 480, 110, 10),
    ]
    pages = [[*paragraph, Line(f"Lot {number} was opened in public.", 72, 300, 300, 310, 10)] for number in range(5)]
    assert running_lines(pages, [842] * 5) == [set()] * 5


def test_a_title_at_the_top_of_one_page_stays():
    pages = [page(1), page(2), [Line("Annex A", 72, 30, 120, 40, 10), *page(3)[1:]]]
    assert running_lines(pages, [842] * 3)[2] == {2}


def test_a_page_of_nothing_but_its_header_keeps_it():
    lone = [Line("Acme Ltd Procurement Policy", 72, 30, 250, 40, 10), Line("3", 300, 800, 306, 810, 10)]
    body, header, footer = without_running(lone, {0, 1}, 842)
    assert ([line.text for line in body], header, footer) == (["Acme Ltd Procurement Policy"], "", "3")


@pytest.mark.parametrize(
    ("footer", "number"),
    [
        ("Page 3 of 9", "3"),
        ("- 12 -", "12"),
        ("iv", "iv"),
        ("B-4", "B-4"),
        ("Acme Ltd\n7", "7"),
        ("Acme Ltd", ""),
        ("May 2024", ""),
    ],
)
def test_printed_page_number(footer, number):
    assert printed_number("", footer) == number


def test_names_with_their_values_stay_lines_of_their_own():
    found = lines("INVOICE: INV-100", "DUE DATE: 12/15/2019", ("CUSTOMER NAME: ACME CORPORATION", {"x0": 60.0}), x1=300.0)
    assert flowing_text(found).text == "INVOICE: INV-100\nDUE DATE: 12/15/2019\nCUSTOMER NAME: ACME CORPORATION"
