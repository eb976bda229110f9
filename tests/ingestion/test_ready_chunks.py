"""Lines of ready chunks as pipelines export them: pages with their own bounds, shared metadata, and lines that are wrong."""

import json

import pytest

from ingestion.chunking import chunk_document
from ingestion.reading import ReadDocument
from ingestion.ready_chunks import is_ready_chunks, ready_pages
from rag.config import Chunking
from tests.fakes import LengthEmbedder

CHUNKS = [
    {
        "id": "aapl-1",
        "text": "Net sales rose by 4 percent.",
        "metadata": {
            "company": "Apple",
            "fiscal_year": 2024,
            "form": "10-K",
            "source": "a.pdf",
            "page": 12,
            "item": "Item 7",
        },
    },
    {"id": "aapl-2", "text": "Risks are described.", "metadata": {"company": "Apple", "fiscal_year": 2024, "form": "10-K"}},
    {"id": "aapl-3", "text": " "},
]
JSONL = "\n".join(map(json.dumps, CHUNKS)) + "\n"


def test_every_chunk_is_a_page_with_its_place_in_the_source():
    pages, _ = ready_pages(JSONL)
    assert [(page.number, page.outcome, page.label, page.text) for page in pages] == [
        (1, "text", "12", "Net sales rose by 4 percent."),
        (2, "text", "aapl-2", "Risks are described."),
        (3, "empty", "aapl-3", " "),
    ]
    assert [heading.text for heading in pages[0].headings] == ["a.pdf", "Item 7"]


def test_what_all_chunks_share_describes_the_document():
    _, metadata = ready_pages("\n".join(map(json.dumps, CHUNKS[:2])))
    assert {key: value.value for key, value in metadata.items()} == {
        "document_type": "10-K",
        "organisation": "Apple",
        "year": "2024",
    }
    assert ready_pages(JSONL)[1] == {}, "the third says nothing of it"


def test_wrong_lines_are_failed_pages_and_the_others_are_kept():
    pages, _ = ready_pages('{"text": "one"}\n{"text": 2}\n["three"]\n{"text"\n\n{"text": "six"}')
    assert [(page.number, page.outcome) for page in pages] == [
        (1, "text"),
        (2, "failed"),
        (3, "failed"),
        (4, "failed"),
        (6, "text"),
    ]
    assert pages[1].reason == 'line 2 is not an object with a "text"'
    assert pages[3].reason.startswith("line 4 is not JSON")


def test_a_ready_chunk_stays_whole_as_what_the_model_reads():
    text = "One sentence of it. " * 100
    pages, _ = ready_pages(json.dumps({"text": text}))
    settings = Chunking(strategy="recursive", search_size=400, search_overlap=80, chunk_size=1000, chunk_overlap=200)
    document = ReadDocument(sha256="a" * 64, pages=pages, outcome="read", whole_pages=True)
    count = LengthEmbedder().count_tokens
    chunks, parents = chunk_document(document, file="a.jsonl", title="A", settings=settings, count_tokens=count, max_tokens=256)
    assert [parent.text for parent in parents] == [text]
    assert len(chunks) > 1


@pytest.mark.parametrize("start", [JSONL, "\ufeff" + JSONL, "\n" + JSONL, '{"id": "long", "text": "cut in the mid'])
def test_ready_chunks_are_told_from_other_json_lines(start):
    assert is_ready_chunks(start)


@pytest.mark.parametrize("start", ["", '{"event": "text"}', "[1]", "text", '{"text" 1}'])
def test_other_json_lines_are_not(start):
    assert not is_ready_chunks(start)
