from dataclasses import replace

import pytest

from ingestion.headings import find_headings
from ingestion.layout import Line

BODY = 10.0


def line(text, *, size=BODY, bold=False, top=0.0, cells=1):
    return Line(text, 72, top, 400, top + size, size, cells=cells, bold=bold)


def page(*rows):
    """Rows 30 points apart, so that none goes on in the next."""
    return [
        line(row, top=30.0 * n) if isinstance(row, str) else line(row[0], top=30.0 * n, **row[1]) for n, row in enumerate(rows)
    ]


def headings(*pages):
    return [[(found.level, found.text) for found in page] for page in find_headings([page(*rows) for rows in pages], BODY)]


def test_numbered_headings_have_the_level_of_their_number():
    assert headings(
        [
            ("4 Thresholds", {"bold": True}),
            "The buyer shall obtain quotations as follows.",
            "4.2 Quotations",
            "4.2.1 Written Quotations",
            ("5 Records", {"bold": True}),
        ]
    ) == [[(1, "4 Thresholds"), (2, "4.2 Quotations"), (3, "4.2.1 Written Quotations"), (1, "5 Records")]]


def test_clause_that_is_a_sentence_names_its_section_by_number_alone():
    clause = "4.2.1 The buyer shall obtain three written quotations for every purchase above the threshold."
    assert headings([("4 Thresholds", {"bold": True}), clause]) == [[(1, "4 Thresholds"), (3, "4.2.1")]]


@pytest.mark.parametrize(
    "text",
    ["Section C.7.2.4 Card Controls", "Article 5 Award Criteria", "ANNEX B", "C.3.1.2 Billing Cycle", "Appendix 2: Forms"],
)
def test_kinds_of_numbers(text):
    assert [found[1] for found in headings([text])[0]] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "1. Ask three suppliers for their offers",
        "2024 The year in which it began",
        "12.5 million dollars were spent",
        "4.2 Quotations … 12",
        "4 Thresholds 7",
        "Section 5 of the Act applies to all purchases of the company.",
        "part of the contract",
        "The buyer shall obtain three quotations",
        "• Bulleted text",
    ],
)
def test_not_headings(text):
    assert headings([text, "and the text goes on here"]) == [[]]


def test_larger_type_goes_above_bold_type():
    assert headings(
        [
            ("Procurement Policy", {"size": 20}),
            ("Purpose", {"size": 14}),
            ("Who Approves", {"bold": True}),
            "The head of the department approves.",
            ("Scope", {"size": 14}),
        ]
    ) == [[(1, "Procurement Policy"), (2, "Purpose"), (3, "Who Approves"), (2, "Scope")]]


def test_levels_hold_over_the_pages():
    assert headings([("Purpose", {"size": 14})], [("Procurement Policy", {"size": 20})]) == [
        [(2, "Purpose")],
        [(1, "Procurement Policy")],
    ]


def test_bold_sentence_and_table_row_are_not_headings():
    rows = [("Read this before you order anything.", {"bold": True}), ("Item Price Total", {"bold": True, "cells": 3})]
    assert headings(rows) == [[]]


def test_capitals_alone_on_their_line():
    assert headings(["PURPOSE AND SCOPE", "This policy says who approves."]) == [[(1, "PURPOSE AND SCOPE")]]
    assert headings(["ACME LTD", "12 MAIN STREET", "This policy says who approves."]) == [[]]


def test_heading_over_two_lines():
    rows = [
        line("What happens if an account", size=14, top=100),
        line("is lost or stolen?", size=14, top=116),
        line("Instruct them to report it.", top=140),
    ]
    (found,) = find_headings([rows], BODY)[0]
    assert (found.first, found.last, found.text) == (0, 1, "What happens if an account is lost or stolen?")


def test_the_words_of_a_logo_are_no_heading():
    large = line("Contoso Electronics", size=20.0)
    assert [found.text for found in find_headings([[large]], BODY)[0]] == ["Contoso Electronics"]
    assert find_headings([[replace(large, pictured=True)]], BODY) == [[]]
