"""The Documents page: what was read and what was not, what waits, uploads and deletions."""

import hashlib
from dataclasses import replace

import pytest

from rag.domain import FileRecord, MetadataValue
from tests.ui.fakes import POLICY, FakeReader
from tests.ui.test_chat import texts

PDF = b"%PDF-1.7 the policy"
LOCKED = replace(
    POLICY,
    sha256="b" * 64,
    paths=("old/locked.pdf",),
    outcome="failed",
    pages=8,
    pages_by_outcome={"failed": 8},
    reason="It is encrypted.",
    next_step="Put its password into PDF_PASSWORDS in .env.",
    metadata={},
)
SCAN = replace(
    POLICY,
    sha256="c" * 64,
    paths=("scan.pdf", "copies/scan.pdf"),
    outcome="partly",
    pages=3,
    pages_by_outcome={"text": 1, "ocr": 1, "empty": 1},
    page_notes=((2, "ocr", "a scan, confidence 0.41"), (3, "empty", "")),
    reason="1 page was read with low confidence.",
    metadata={"title": MetadataValue("Memo *17*", "page 1"), "revision": MetadataValue("2", "page 1")},
)


@pytest.fixture
def folder(config):
    folder = config.documents.directory
    for record in (POLICY, LOCKED, SCAN):
        for path in record.paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(PDF)
    return folder


def rows(app, key):
    """The titles of the rows in a list, from top to bottom."""
    return [element.value for element in app.get_by_key(key).markdown if element.value.startswith("**")]


def test_what_needs_attention_stands_first_with_reason_and_next_step(start, open_app, folder):
    start(reader=FakeReader(files=(POLICY, SCAN, LOCKED)))
    app = open_app("documents.py")
    shown = texts(app)
    assert "**2 of 3 files read, 15 of their 15 pages searchable** :gray[· updated" in shown
    assert ":orange[●] 2 of 3 files read · 15 pages" in shown
    assert "1 file not read: see Documents" in shown
    assert [element.value for element in app.subheader] == ["Needs attention (2)", "All documents"]
    assert shown.index("**locked**") < shown.index(r"**Memo \*17\***") < shown.index("**Procurement Policy Rev 4**")
    assert r"It is encrypted\. **Put its password into PDF\_PASSWORDS in \.env\.**" in shown
    assert r"Page 2 · ocr: a scan, confidence 0\.41" in shown
    assert r"scan\.pdf · also copies/scan\.pdf · 3 pages · 1 read by OCR · 1 empty · revision 2" in shown


def test_files_that_were_not_even_opened_are_listed_each(start, open_app, folder):
    office = [
        FileRecord(
            sha256=f"unreadable plans/{name}.docx",
            paths=(f"plans/{name}.docx",),
            size=0,
            outcome="failed",
            reason="Word processor files are not read.",
            next_step="Save it as PDF in this folder.",
        )
        for name in range(25)
    ]
    start(reader=FakeReader(files=(POLICY, *office)))
    app = open_app("documents.py")
    shown = texts(app)
    assert "Needs attention (25)" in [element.value for element in app.subheader]
    assert r"Word processor files are not read\. **Save it as PDF in this folder\.**" in shown
    assert r"plans/9\.docx" not in shown, "the first 20; the others on the next page"
    assert ":orange[●] 1 of 26 files read · 12 pages" in shown
    assert "25 files not read" in shown
    assert "1 document with 12 pages" in texts(open_app())


def test_a_document_can_be_found_by_its_name(start, open_app, folder):
    start(reader=FakeReader(files=(POLICY, SCAN, LOCKED)))
    app = open_app("documents.py")
    assert len(rows(app, "documents")) == 3
    app.text_input[0].set_value("POLICY").run()
    assert rows(app, "documents") == ["**Procurement Policy Rev 4**"]
    app.text_input[0].set_value("nothing").run()
    assert "No document has that in its name." in texts(app)


def test_an_upload_lands_in_the_folder_and_waits_for_the_index(start, open_app, folder):
    start()
    app = open_app("documents.py")
    app.file_uploader[0].upload("../New Rules.pdf", b"%PDF-1.7 new", "application/pdf").run()
    assert (folder / "New Rules.pdf").read_bytes() == b"%PDF-1.7 new"
    assert r"New Rules\.pdf was added and is being indexed\." in texts(app)
    assert r"Waiting to be indexed:] New Rules\.pdf" in texts(app)


def test_what_is_not_a_pdf_is_refused(start, open_app, folder):
    start()
    app = open_app("documents.py")
    app.file_uploader[0].upload("page.pdf", b"<html>", "application/pdf").run()
    assert r"page\.pdf is not a PDF" in texts(app)
    assert not (folder / "page.pdf").exists()


def test_a_duplicate_names_the_document_that_is_there(start, open_app, folder):
    start(reader=FakeReader(files=(replace(POLICY, sha256=hashlib.sha256(PDF).hexdigest()),)))
    app = open_app("documents.py")
    app.file_uploader[0].upload("copy.pdf", PDF, "application/pdf").run()
    assert r"copy\.pdf was not added: policies/policy\.pdf has the same content\." in texts(app)


def test_a_deleted_document_is_shown_as_leaving_until_the_index_follows(start, open_app, folder):
    start()
    (folder / "policies/policy.pdf").unlink()
    app = open_app("documents.py")
    assert any("Being removed" in element.value for element in app.markdown)


def test_uploads_can_be_switched_off(start, open_app, folder):
    start(allow_upload=False)
    app = open_app("documents.py")
    assert not app.file_uploader


def test_without_an_index_the_page_says_how_to_make_one(start, open_app):
    start(reader=FakeReader(files=()))
    app = open_app("documents.py")
    assert "Run `python -m ingestion sync`" in texts(app)
