"""The golden questions in the repository: their evidence stands where they say, and every kind is there often enough."""

import json
from collections import Counter
from pathlib import Path

import pytest

from glossary.terms import load
from rag.config import PROJECT
from samples.layout import set_pages
from samples.pack import documents
from tests.samples.page_text import folded, page_texts

GOLDEN = PROJECT / "evaluation" / "golden"
FILES = {
    GOLDEN / "sample.jsonl": PROJECT / "data",
    GOLDEN / "calibration.jsonl": PROJECT / "data",
    GOLDEN / "bilingual" / "bilingual.jsonl": GOLDEN / "bilingual",
}
LEAST = {
    "lookup": 12,
    "table": 12,
    "clause-number": 6,
    "abbreviation": 12,
    "paraphrase": 12,
    "follow-up": 12,
    "multi-doc": 4,
    "unanswerable": 14,
}


def records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kinds(path: Path) -> Counter:
    return Counter(record["kind"] for record in records(path))


@pytest.fixture(scope="module")
def pages() -> dict[Path, list[str]]:
    """Each document's folded page texts; a scan has no text layer, so its text is that of the pages before scanning."""
    return {
        path: [folded(text) for text in page_texts(set_pages(document) if document.settings.scanned else path.read_bytes())]
        for path, document in documents()
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_evidence_stands_on_its_page(path, pages):
    misplaced = []
    for record in records(path):
        for place in [record, *record["also"]] if "file" in record else []:
            texts = pages[FILES[path] / place["file"]]
            if not any(folded(place["evidence"]) in texts[page - 1] for page in place["pages"]):
                misplaced.append((record["id"], place["file"], place["pages"], place["evidence"]))
    assert misplaced == []


def test_an_evidence_that_is_not_there_would_be_noticed(pages):
    texts = pages[PROJECT / "data" / "policies" / "Procurement_Policy_Rev4_2025.pdf"]
    assert not any(folded("Bids remain valid for 90 calendar days") in text for text in texts)


def test_evidence_says_more_than_a_number():
    short = [record["id"] for path in FILES for record in records(path) if "file" in record and len(record["evidence"]) < 12]
    assert short == []


def test_there_are_enough_questions_of_every_kind():
    sample = kinds(GOLDEN / "sample.jsonl")
    assert {kind: sample[kind] for kind in LEAST if sample[kind] < LEAST[kind]} == {}
    assert set(sample) == set(LEAST)
    assert sample.total() >= 80
    calibration = kinds(GOLDEN / "calibration.jsonl")
    assert calibration.total() >= 60
    assert calibration["unanswerable"] >= 20
    bilingual = kinds(GOLDEN / "bilingual" / "bilingual.jsonl")
    assert bilingual["same-language"] >= 12
    assert bilingual["cross-language"] >= 12


def test_every_document_is_asked_about():
    asked = {record["file"] for record in records(GOLDEN / "sample.jsonl") if "file" in record}
    assert asked == {path.relative_to(PROJECT / "data").as_posix() for path in (PROJECT / "data").rglob("*.pdf")}


def test_ids_and_questions_are_unique():
    everything = [record for path in FILES for record in records(path)]
    assert [id for id, count in Counter(record["id"] for record in everything).items() if count > 1] == []
    asked = Counter((record["question"], *record.get("history", ())) for record in everything)
    assert [question for question, count in asked.items() if count > 1] == []


def test_only_follow_ups_have_a_history_and_only_unanswerable_questions_no_place():
    for path in FILES:
        for record in records(path):
            assert ("history" in record) == (record["kind"] == "follow-up"), record["id"]
            assert ("file" in record) == (record["kind"] != "unanswerable"), record["id"]
            assert ("answer" in record) == ("file" in record), record["id"]


def test_questions_about_the_rule_in_force_name_revision_4_first():
    old = [r for r in records(GOLDEN / "sample.jsonl") if "Rev3" in r.get("file", "")]
    assert all("Revision 3" in record["question"] or "2023" in record["question"] for record in old)
    assert old


def test_the_glossary_holds_what_the_pack_abbreviates(pages):
    terms = load(PROJECT / "glossary" / "glossary.csv").terms
    everything = "".join("".join(texts) for path, texts in pages.items() if path.is_relative_to(PROJECT / "data"))
    assert len(terms) >= 60
    assert [term.abbreviation for term in terms if folded(term.abbreviation) not in everything] == []
    assert [term.definition for term in terms if folded(term.definition) not in everything] == []
