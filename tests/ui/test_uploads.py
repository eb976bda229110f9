"""Uploads land whole, under a safe name, once; what isn't a PDF is refused with the reason."""

import hashlib

import pytest

from rag.domain import FileRecord
from ui.uploads import delete_document, safe_file_name, store_upload

PDF = b"%PDF-1.7 the policy"


def record(content, *paths):
    return FileRecord(sha256=hashlib.sha256(content).hexdigest(), paths=paths, size=len(content), outcome="read")


@pytest.mark.parametrize(
    ("uploaded", "stored"),
    [
        ("Policy Rev 4.pdf", "Policy Rev 4.pdf"),
        ("../../etc/passwd", "passwd.pdf"),
        ("C:\\Users\\me\\Prices.PDF", "Prices.pdf"),
        (".hidden.pdf", "hidden.pdf"),
        ("...", "document.pdf"),
        ("a\x00b\n<c>|d?.pdf", "a_b__c__d_.pdf"),
        ("Ausschreibung für Büromöbel.pdf", "Ausschreibung für Büromöbel.pdf"),
    ],
)
def test_names_are_made_safe(uploaded, stored):
    assert safe_file_name(uploaded) == stored


def test_long_names_are_cut_by_bytes():
    name = safe_file_name("ü" * 300 + ".pdf")
    assert len(name.encode()) <= 124
    assert name.endswith("ü.pdf")


def test_a_new_file_lands_whole_and_leaves_no_part_behind(tmp_path):
    upload = store_upload("policy.pdf", PDF, tmp_path, records=(), max_mb=1)
    assert upload.outcome == "added"
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("policy.pdf", PDF)]


def test_the_same_name_with_other_content_replaces(tmp_path):
    (tmp_path / "policy.pdf").write_bytes(b"%PDF-1.4 older")
    upload = store_upload("policy.pdf", PDF, tmp_path, records=(), max_mb=1)
    assert upload.outcome == "replaced"
    assert (tmp_path / "policy.pdf").read_bytes() == PDF


def test_a_new_version_of_a_document_in_a_subfolder_takes_its_place(tmp_path):
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "policy.pdf").write_bytes(b"%PDF-1.4 the old policy")
    known = [record(b"%PDF-1.4 the old policy", "policies/policy.pdf")]
    upload = store_upload("policy.pdf", PDF, tmp_path, records=known, max_mb=1)
    assert (upload.outcome, upload.message) == ("replaced", "policies/policy.pdf was replaced and is being indexed.")
    assert [path.read_bytes() for path in tmp_path.rglob("*.pdf")] == [PDF]


def test_a_name_that_two_folders_have_says_nothing_about_which_is_meant(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "policy.pdf").write_bytes(folder.encode())
    known = [record(b"a", "a/policy.pdf"), record(b"b", "b/policy.pdf")]
    assert store_upload("policy.pdf", PDF, tmp_path, records=known, max_mb=1).outcome == "added"
    assert (tmp_path / "policy.pdf").read_bytes() == PDF


def test_the_same_file_again_changes_nothing(tmp_path):
    (tmp_path / "policy.pdf").write_bytes(PDF)
    assert store_upload("policy.pdf", PDF, tmp_path, records=[record(PDF, "policy.pdf")], max_mb=1).outcome == "unchanged"


def test_the_same_content_under_another_name_is_not_stored_twice(tmp_path):
    (tmp_path / "policy.pdf").write_bytes(PDF)
    upload = store_upload("copy.pdf", PDF, tmp_path, records=[record(PDF, "policy.pdf")], max_mb=1)
    assert upload.message == "copy.pdf was not added: policy.pdf has the same content."
    assert not (tmp_path / "copy.pdf").exists()


def test_a_document_deleted_from_the_folder_can_be_uploaded_again_before_the_index_has_noticed(tmp_path):
    assert store_upload("copy.pdf", PDF, tmp_path, records=[record(PDF, "gone.pdf")], max_mb=1).outcome == "added"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<html>Not found</html>", "is not a PDF"),
        (b"", "policy.pdf is empty (0 bytes)."),
        (PDF + bytes(1024 * 1024), "larger than 1 MB"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path, data, reason):
    upload = store_upload("policy.pdf", data, tmp_path, records=(), max_mb=1)
    assert upload.outcome == "refused"
    assert reason in upload.message
    assert list(tmp_path.iterdir()) == []


def test_deleting_removes_every_copy_and_nothing_outside_the_folder(tmp_path):
    folder = tmp_path / "documents"
    (folder / "old").mkdir(parents=True)
    for path in (folder / "policy.pdf", folder / "old" / "policy.pdf", tmp_path / "outside.pdf"):
        path.write_bytes(PDF)
    removed = delete_document(record(PDF, "policy.pdf", "old/policy.pdf", "../outside.pdf", "missing.pdf"), folder)
    assert removed == ["policy.pdf", "old/policy.pdf"]
    assert (tmp_path / "outside.pdf").exists()
