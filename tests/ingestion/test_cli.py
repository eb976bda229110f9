"""`python -m ingestion`: its exit codes, what it prints for people, and the shape of its JSON."""

import json
import os
import re
import time

import pytest

from ingestion.__main__ import main
from ingestion.store import writer_lock
from tests.fakes import LengthEmbedder
from tests.ingestion.folder import settle, write_pdf


@pytest.fixture(autouse=True)
def embedder(monkeypatch):
    monkeypatch.setattr("ingestion.pipeline.open_embedder", lambda config: LengthEmbedder())


@pytest.fixture
def folder(tmp_path):
    write_pdf(tmp_path / "data" / "policy.pdf", "Three quotations are required.", "Late bids are rejected.")
    return tmp_path / "data"


@pytest.fixture
def run(folder, capsys):
    """Runs a command on the test's own folders; returns exit code, standard output and error output."""

    def run(command: str, *options: str) -> tuple[int, str, str]:
        code = main([command, "--documents", str(folder), "--index", str(folder.with_name("index")), *options])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def spoil(folder):
    (folder / "bad.pdf").write_text("<html>Sign in</html>")
    settle(folder / "bad.pdf")


def test_sync_says_what_was_read_and_how_much_can_be_found(run):
    code, out, err = run("sync")
    assert code == 0
    assert out.splitlines()[:2] == ["Document    Pages  Outcome", "policy.pdf      2  read"]
    assert out.splitlines()[-1].startswith("1 new in ")
    assert out.splitlines()[-1].endswith("2 of 2 pages searchable.")
    assert err == "Reading policy.pdf (1 of 1)\n"


def test_a_failed_file_comes_first_with_reason_and_next_step_and_sets_the_exit_code(run, folder):
    spoil(folder)
    code, out, _ = run("sync")
    assert code == 1
    assert out.splitlines()[:4] == [
        "Needs attention",
        "  bad.pdf  (not read)",
        "      It is a web page saved under the name of a PDF, most likely an error or sign-in page.",
        "      Download the document again and open it once to check.",
    ]
    assert out.splitlines()[-1].endswith("1 of 2 files read, 2 of their 2 pages searchable.")
    code, out, _ = run("status")
    assert code == 1
    assert out.splitlines()[-1] == "gen-1: 1 of 2 files read, 2 of their 2 pages searchable."


def test_json_is_one_object_with_counts_files_and_coverage(run, folder):
    spoil(folder)
    code, out, err = run("sync", "--json")
    report = json.loads(out)
    assert (code, err) == (1, "")
    assert {name: report[name] for name in ("new", "changed", "renamed", "deleted", "unchanged", "failed")} == {
        "new": 2,
        "changed": 0,
        "renamed": 0,
        "deleted": 0,
        "unchanged": 0,
        "failed": 1,
    }
    assert report["coverage"] == {"searchable": 2, "pages": 2, "files": 2, "not_read": 1}
    assert [(file["paths"], file["outcome"], file["pages"]) for file in report["files"]] == [
        (["bad.pdf"], "failed", 0),
        (["policy.pdf"], "read", 2),
    ]
    assert report["files"][0]["reason"].startswith("It is a web page")
    assert report["generation"] == "gen-1"
    assert set(report) >= {"indexed", "removed", "refused_removals", "notices", "seconds"}


@pytest.mark.parametrize("command", ["status", "verify", "rollback"])
def test_without_an_index_there_is_none_afterwards_either(run, folder, command):
    code, out, err = run(command)
    assert code == 1
    assert "There is no index" in out + err
    assert not folder.with_name("index").exists()


def test_status_lists_every_document(run):
    run("sync")
    _, out, _ = run("status")
    assert out.splitlines()[1] == "policy.pdf      2  read"
    assert out.splitlines()[-1] == "gen-1: 2 of 2 pages searchable."
    assert json.loads(run("status", "--json")[1])["run"]["phase"] == "idle"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ({"phase": "scanning"}, "Looking for changed documents (process {pid})"),
        (
            {"phase": "reading", "file": "a.pdf", "files_total": 3, "files_done": 1},
            "1 of 3 files · Reading a.pdf (process {pid})",
        ),
    ],
)
def test_status_says_what_a_run_is_doing(run, folder, written, shown):
    run("sync")
    about = {**written, "pid": os.getpid(), "ts": time.time()}
    (folder.with_name("index") / "status.json").write_text(json.dumps(about), encoding="utf-8")
    assert shown.format(pid=os.getpid()) in run("status")[1].splitlines()


def test_documents_of_kinds_that_are_not_read_need_attention(run, folder):
    (folder / "plan.docx").write_bytes(b"PK")
    assert run("sync")[0] == 1
    assert run("status")[1].splitlines()[:4] == [
        "Needs attention",
        "  plan.docx  (not read)",
        "      Word processor files are not read.",
        "      Save it as PDF in this folder.",
    ]


@pytest.mark.parametrize(
    "options", [("sync", "--wait", "-1"), ("sync", "--wait", "soon"), ("edgar", "--ticker", "A", "--count", "0")]
)
def test_a_number_that_makes_no_sense_is_wrong_usage(capsys, options):
    with pytest.raises(SystemExit) as wrong:
        main(list(options))
    assert wrong.value.code == 2
    assert f"{options[-1]} is no " in capsys.readouterr().err


def test_busy_is_75(run, folder):
    with writer_lock(folder.with_name("index")):
        code, out, err = run("sync")
    assert (code, out) == (75, "")
    assert "Another process" in err


def test_a_wrong_configuration_is_2_and_names_the_place(run, tmp_path):
    (tmp_path / "config.toml").write_text("[documents]\ndirectry = 'data'")
    code, _, err = run("sync", "--config", str(tmp_path / "config.toml"))
    assert code == 2
    assert 'unknown setting "directry"' in err


def test_a_missing_documents_folder_is_2(run, folder):
    folder.rename(folder.with_name("elsewhere"))
    code, _, err = run("sync")
    assert code == 2
    assert f"{folder} is not there" in err
    assert not folder.with_name("index").exists()


def test_wrong_usage_is_2_and_help_states_the_exit_codes(capsys):
    with pytest.raises(SystemExit) as wrong:
        main(["synch"])
    assert wrong.value.code == 2
    with pytest.raises(SystemExit) as helped:
        main(["sync", "--help"])
    assert helped.value.code == 0
    help_text = capsys.readouterr().out
    assert all(f"  {code} " in help_text for code in (0, 1, 2, 75, 130))


def test_a_rollback_with_nothing_to_go_back_to_is_1(run):
    run("sync")
    code, out, err = run("rollback")
    assert (code, out) == (1, "")
    assert "There is nothing to go back to" in err


def test_rebuild_rollback_and_verify(run, folder):
    run("sync")
    assert json.loads(run("rebuild", "--json")[1])["generation"] == "gen-2"
    code, out, err = run("rollback")
    assert (code, err) == (0, "")
    assert re.match(r"The live index is gen-1 of \d+ \w+ \d{4}, \d\d:\d\d UTC again\. It stays live until the next sync", out)
    assert run("verify") == (0, "The index is sound: every file of it is as it was written.\n", "")
    vectors = folder.with_name("index") / "gen-1" / "vectors.faiss"
    vectors.write_bytes(vectors.read_bytes()[:-1])
    code, out, _ = run("verify")
    assert code == 1
    assert "vectors.faiss" in out
    assert run("sync")[0] == 0
    assert run("verify")[0] == 0, "a sync repairs the index"


def test_most_documents_gone_are_kept_until_confirmed(run, folder):
    for number in range(10):
        write_pdf(folder / f"{number}.pdf", f"Clause {number}")
    run("sync")
    for path in folder.iterdir():
        path.unlink()
    assert "11 of 11 indexed documents are gone" in run("sync")[1]
    assert json.loads(run("sync", "--json", "--confirm-removals")[1])["deleted"] == 11
