"""Older pages of dated documents losing score, and only those."""

from dataclasses import replace
from datetime import date

import pytest

from rag.domain import FileRecord, MetadataValue
from rag.index import IndexReader
from rag.prepared import prepare
from rag.recency import by_age, document_date, last_date, newer_higher
from rag.scorer import Evidence
from rag.trace import Trace
from tests.published import FINGERPRINT, SETTINGS, document, publish_documents
from tests.rag.fakes import query


def judged(page, score):
    return Evidence(page, page, (page,), score, {})


def test_a_page_one_half_life_older_loses_half_of_what_age_can_take():
    dates = {1: date(2024, 1, 1), 2: date(2024, 6, 29), 3: date(1990, 1, 1)}
    weighted = by_age([judged(1, 2.0), judged(2, 1.6), judged(3, 1.8), judged(4, 1.2)], dates, half_life_days=180)
    assert [(each.page, each.score) for each in weighted] == [
        (2, 1.6),
        (1, 1.5),
        (4, 1.2),  # has no date
        (3, pytest.approx(0.9)),
    ]


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"last_message": "2024-05-06 17:30", "year": "2024"}, date(2024, 5, 6)),
        ({"effective_date": "2023-02-01", "year": "2022"}, date(2023, 2, 1)),
        ({"year": "FY2021"}, date(2021, 12, 31)),
        ({}, None),
    ],
)
def test_the_date_of_a_document(metadata, expected):
    found = {name: MetadataValue(value, "text") for name, value in metadata.items()}
    assert document_date(FileRecord("x", ("chat.txt",), 1, "read", metadata=found)) == expected


def test_the_last_date_of_a_label():
    assert last_date("messages 1–20, 2024-03-01 to 2024-03-05") == date(2024, 3, 5)
    assert last_date("form 2024-13-45") is None


@pytest.fixture
def circulars(tmp_path):
    def circular(name, year):
        metadata = {"document_type": MetadataValue("circular", "page 1"), "year": MetadataValue(year, "page 1")}
        written = document(name, f"Taxi fares are paid up to 30 by circular {name}.")
        return replace(written, record=replace(written.record, metadata=metadata))

    publish_documents(tmp_path, [circular("old.pdf", "2019"), circular("new.pdf", "2024")])
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "half_life", "first"),
    [
        ("Which taxi fares are paid?", 180.0, "new.pdf"),
        ("Which taxi fares are paid?", 0.0, "old.pdf"),
        ("Which taxi fares were paid in 2019?", 180.0, "old.pdf"),
    ],
)
def test_the_newer_of_two_like_pages_comes_first_unless_it_is_off_or_a_year_is_named(
    circulars, config, asked, half_life, first
):
    prepared = prepare(IndexReader(circulars, fingerprint=FINGERPRINT, settings=SETTINGS).snapshot())
    rows = {prepared.place(prepared.page_of(row))["file"]: row for row in range(len(prepared.snapshot))}
    scores = {"old.pdf": 2.0, "new.pdf": 1.9}
    pages = [Evidence(prepared.page_of(rows[name]), 0, (rows[name],), score, {}) for name, score in scores.items()]
    settings = config.with_values(retrieval={"half_life_days": half_life}).retrieval
    trace = Trace()
    found = newer_higher(query(asked), pages, prepared, settings, trace)
    assert prepared.place(found[0].page)["file"] == first
    assert [step.stage for step in trace.steps] == (["recency"] if first == "new.pdf" else [])
