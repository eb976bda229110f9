"""What is found in a folder and what of it is new, changed, renamed, deleted or only out of sight."""

import os

import pytest

from ingestion.discover import FoundFile, Scan, Unreadable, compare, load_remembered, save_remembered, scan
from rag.domain import FileRecord
from rag.errors import ConfigError


def write(folder, **contents: str):
    for name, content in contents.items():
        path = folder / (name.replace("__", "/") + ".pdf")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        os.utime(path, (1_700_000_000, 1_700_000_000 + len(content)))  # long settled


def settle(path):
    path.write_text("x")
    os.utime(path, (1_700_000_000, 1_700_000_000))


def paths(found: Scan) -> list[str]:
    return [file.path for file in found.files]


def scanned(**contents: str) -> Scan:
    """A scan whose hashes are the contents themselves."""
    return Scan(tuple(FoundFile(f"{name}.pdf", 1, 1, content) for name, content in contents.items()))


def known(**contents: str) -> dict[str, FileRecord]:
    records: dict[str, FileRecord] = {}
    for name, content in contents.items():
        earlier = records[content].paths if content in records else ()
        records[content] = FileRecord(content, (*earlier, f"{name}.pdf"), 1, "read")
    return records


def test_documents_of_all_folders_are_found_by_their_ending(tmp_path):
    write(tmp_path, b="b", deep__er__a="a")
    (tmp_path / "Scan.TIFF").write_text("picture")
    (tmp_path / "settings.ini").write_text("no document")
    found = scan(tmp_path, {})
    assert paths(found) == ["Scan.TIFF", "b.pdf", "deep/er/a.pdf"]
    assert (found.other_kinds, found.unreadable) == (("settings.ini",), ())


def test_documents_of_kinds_that_are_not_read_are_named_with_what_to_do(tmp_path):
    for name in ("Bids.XLSX", "plan.docx", "notes.txt", "photos.zip"):
        (tmp_path / name).write_text("PK")
    found = scan(tmp_path, {})
    assert [(file.path, file.reason, file.next_step) for file in found.unreadable] == [
        ("Bids.XLSX", "Spreadsheets are not read.", "Save it as PDF in this folder."),
        ("notes.txt", "It is text, but not an exported chat.", "Save it as PDF in this folder."),
        ("photos.zip", "Archives are not opened.", "Unpack it into this folder."),
        ("plan.docx", "Word processor files are not read.", "Save it as PDF in this folder."),
    ]


@pytest.mark.parametrize("name", [".hidden.pdf", "~$open.pdf", "upload.pdf.part", ".git/a.pdf", "a.pdf.crdownload"])
def test_hidden_and_unfinished_files_are_left_alone(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("x")
    assert scan(tmp_path, {}) == Scan(())


def test_a_file_that_grows_while_it_is_looked_at_is_left_for_later(tmp_path, monkeypatch):
    write(tmp_path, whole="whole")
    growing, copied = tmp_path / "growing.pdf", tmp_path / "just copied.pdf"
    growing.write_text("first half")
    copied.write_text("all of it")
    monkeypatch.setattr("time.sleep", lambda seconds: growing.write_text("first half and more"))
    found = scan(tmp_path, {})
    assert paths(found) == ["just copied.pdf", "whole.pdf"]
    assert found.unsettled == ("growing.pdf",)


def test_a_link_that_leads_back_up_ends(tmp_path):
    write(tmp_path, sub__a="a")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert paths(scan(tmp_path, {})) == ["sub/a.pdf"]


def test_what_can_not_be_opened_is_reported_by_name(tmp_path):
    (tmp_path / "gone.pdf").symlink_to(tmp_path / "nowhere.pdf")
    os.mkfifo(tmp_path / "pipe.pdf")
    write(tmp_path, a="a")
    found = scan(tmp_path, {})
    assert paths(found) == ["a.pdf"]
    assert [(file.path, file.reason) for file in found.unreadable] == [
        ("gone.pdf", "It is not a file, or a link that leads nowhere."),
        ("pipe.pdf", "It is not a file, or a link that leads nowhere."),
    ]


def test_names_in_any_script_are_taken_and_those_that_no_one_can_read_are_reported(tmp_path):
    for name in ("Scan at 9.00\u202fAM.png", "предложение.pdf", "発注書.pdf", "line\nbreak.pdf"):
        settle(tmp_path / name)
    settle(tmp_path / os.fsdecode(b"latin-\xe9.pdf"))
    found = scan(tmp_path, {})
    assert paths(found) == ["Scan at 9.00\u202fAM.png", "предложение.pdf", "発注書.pdf"]
    assert [(file.path, file.next_step) for file in found.unreadable] == [
        ("latin-\\udce9.pdf", "Rename it."),
        ("line\\nbreak.pdf", "Rename it."),
    ]


def test_a_folder_that_can_not_be_listed_is_reported(tmp_path, monkeypatch):
    write(tmp_path, sub__a="a", b="b")
    list_folder = os.scandir

    def refuse(folder):
        if str(folder).endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return list_folder(folder)

    monkeypatch.setattr(os, "scandir", refuse)  # the tests may run as root, whom permissions don't stop
    found = scan(tmp_path, {})
    assert paths(found) == ["b.pdf"]
    assert found.unreadable == (Unreadable("sub/", "The folder can't be read (Permission denied).", "Check its permissions."),)


def test_a_missing_folder_is_an_error_that_names_it(tmp_path):
    with pytest.raises(ConfigError, match="unmounted is not there"):
        scan(tmp_path / "unmounted", {})


def test_an_unchanged_file_is_not_read_again(tmp_path):
    write(tmp_path, a="a")
    state = (tmp_path / "a.pdf").stat()
    remembered = {"a.pdf": FoundFile("a.pdf", state.st_size, state.st_mtime_ns, "as remembered")}
    assert scan(tmp_path, remembered).files[0].sha256 == "as remembered"
    write(tmp_path, a="longer")
    assert scan(tmp_path, remembered).files[0].sha256 != "as remembered"


def test_only_settled_time_stamps_are_remembered(tmp_path):
    second = 1_000_000_000
    old, fresh, future = (FoundFile(f"{at}.pdf", 1, at * second, "x") for at in (10, 99, 200))
    save_remembered(tmp_path / "cache" / "seen.json", [old, fresh, future], now_ns=100 * second)
    assert load_remembered(tmp_path / "cache" / "seen.json") == {"10.pdf": old}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"a.pdf": 3}', '{"a.pdf": [1]}'])
def test_a_damaged_memory_is_an_empty_one(tmp_path, content):
    (tmp_path / "seen.json").write_text(content)
    assert load_remembered(tmp_path / "seen.json") == {}


def test_new_changed_renamed_deleted_and_unchanged_are_told_apart():
    before = known(same="S", edited="E1", old_name="R", gone="G")
    changes = compare(scanned(same="S", edited="E2", new_name="R", added="N"), before)
    assert changes.new == {"N": ("added.pdf",)}
    assert changes.changed == {"E2": ("edited.pdf",)}
    assert changes.kept == {"S": ("same.pdf",), "R": ("new_name.pdf",)}
    assert changes.renamed == ("R",)
    assert changes.deleted == ("G",)


def test_the_same_content_twice_is_one_document_with_two_paths():
    assert compare(scanned(a="X", b="X"), {}).new == {"X": ("a.pdf", "b.pdf")}
    added = compare(scanned(a="X", b="X"), known(b="X"))
    assert (added.new, added.kept, added.renamed) == ({}, {"X": ("b.pdf", "a.pdf")}, ())
    removed = compare(scanned(b="X"), known(a="X", b="X"))
    assert (removed.kept, removed.deleted) == ({"X": ("b.pdf",)}, ())


def test_two_files_that_swap_their_names_are_not_read_again():
    changes = compare(scanned(a="B", b="A"), known(a="A", b="B"))
    assert (changes.to_read, changes.deleted, changes.kept) == ({}, (), {"B": ("a.pdf",), "A": ("b.pdf",)})


def test_an_edited_file_whose_old_content_went_on_under_another_name():
    changes = compare(scanned(a="A2", archive="A1"), known(a="A1"))
    assert changes.changed == {"A2": ("a.pdf",)}
    assert changes.renamed == ("A1",)
    assert changes.deleted == ()


def test_what_is_out_of_sight_is_not_deleted():
    hidden = Scan((), unreadable=(Unreadable("sub/", "", ""), Unreadable("locked.pdf", "", "")), unsettled=("growing.pdf",))
    records = {
        sha256: FileRecord(sha256, (path,), 1, "read")
        for sha256, path in {"1": "sub/a.pdf", "2": "locked.pdf", "3": "growing.pdf", "4": "seen/b.pdf"}.items()
    }
    changes = compare(hidden, records)
    assert list(changes.kept) == ["1", "2", "3"]
    assert changes.deleted == ("4",)


@pytest.mark.parametrize(("left", "refused"), [(0, 12), (5, 7), (6, 0), (12, 0)])
def test_most_files_gone_at_once_needs_a_confirmation(left, refused):
    before = known(**{f"file{number}": f"content{number}" for number in range(12)})
    now = scanned(**{f"file{number}": f"content{number}" for number in range(left)})
    changes = compare(now, before)
    assert len(changes.refused) == refused
    assert len(changes.deleted) == 12 - left - refused
    assert len(changes.kept) == left + refused
    confirmed = compare(now, before, confirm_mass_removal=True)
    assert (len(confirmed.deleted), confirmed.refused) == (12 - left, ())


def test_a_small_folder_may_be_emptied_without_a_confirmation():
    changes = compare(Scan(()), known(a="A", b="B"))
    assert changes.deleted == ("A", "B")
