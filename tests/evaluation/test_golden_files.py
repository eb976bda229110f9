"""Reading golden questions, ours and those of other layouts, with the line named when one is wrong."""

import json

import pytest

from evaluation.golden import GoldenError, Place, load_golden
from evaluation.importers import from_beir, from_financebench


def test_a_question_names_every_place_that_answers_it(tmp_path):
    record = {
        "question": "How many?",
        "kind": "follow-up",
        "history": ["What is an RFQ?"],
        "file": "a.pdf",
        "pages": [3],
        "evidence": "three",
        "also": [{"file": "b.pdf", "pages": [1, 2]}],
    }
    path = tmp_path / "golden.jsonl"
    path.write_text(json.dumps(record) + "\n\n" + json.dumps({"question": "Who?", "kind": "unanswerable"}) + "\n")
    first, second = load_golden(path)
    assert first.places == (Place("a.pdf", (3,), "three"), Place("b.pdf", (1, 2), ""))
    assert [turn.question for turn in first.turns] == ["What is an RFQ?"]
    assert first.answerable
    assert not second.answerable
    assert second.id == "line-3"


def test_unfair_questions_are_left_out_and_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "golden.jsonl"
    path.write_text(json.dumps({"question": "Who?", "fair": False}) + "\n")
    with pytest.raises(GoldenError, match="holds no question"):
        load_golden(path)


@pytest.mark.parametrize("line", ["not json", '{"kind": "lookup"}', '{"question": "x", "file": "a.pdf"}', "[1]"])
def test_a_bad_line_is_named(tmp_path, line):
    path = tmp_path / "golden.jsonl"
    path.write_text('{"question": "fine"}\n' + line + "\n")
    with pytest.raises(GoldenError, match="line 2"):
        load_golden(path)


def test_financebench_pages_become_one_based(tmp_path):
    path = tmp_path / "financebench.jsonl"
    evidence = [{"doc_name": "ACME_2022_10K", "evidence_page_num": 57, "evidence_text": "cash"}]
    record = {"financebench_id": "f1", "question": "Cash?", "answer": "5", "doc_name": "ACME_2022_10K", "evidence": evidence}
    path.write_text(json.dumps(record) + "\n")
    (converted,) = from_financebench(path)
    assert (converted["file"], converted["pages"], converted["evidence"]) == ("ACME_2022_10K.pdf", [58], "cash")


def test_beir_judgements_become_places(tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "Cash?"}\n')
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta.pdf#3\t1\n1\tb.pdf\t1\n1\tc.pdf\t0\n")
    (converted,) = from_beir(tmp_path)
    assert (converted["file"], converted["pages"]) == ("a.pdf", [3])
    assert converted["also"] == [{"file": "b.pdf", "pages": [1]}]
