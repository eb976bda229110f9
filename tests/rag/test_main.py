import io
import json
import sys

import pytest

import rag.__main__ as command
from rag.chat import Chat
from rag.domain import Filters, Turn
from rag.errors import IndexDamaged
from tests.rag.fakes import FakeReader, FakeRetriever, ScriptedModel, choosing, passage

TENDER = passage(
    "An open tender is needed above EUR 50,000.",
    around="4.2 Thresholds\nAn open tender is needed above EUR 50,000. Below, three quotations do.",
    section=("4 Tendering",),
    label="iv",
)
TRAVEL = passage("The per diem is USD 120.", document="Travel Policy", file="travel/policy.pdf", page=9)


@pytest.fixture
def retriever():
    return FakeRetriever(TENDER, TRAVEL)


@pytest.fixture
def opened(monkeypatch, retriever):
    """How often the command opened a chat; it gets one with fakes behind it."""
    chats: list[Chat] = []

    def open_chat(config):
        model = ScriptedModel(*["Above EUR 50,000 [1], or EUR 60,000 [1]."] * 3)
        chats.append(Chat(config, retriever=retriever, index=FakeReader(), open_model=choosing(model)))
        return chats[-1]

    monkeypatch.setattr(command, "open_chat", open_chat)
    return chats


def run(*arguments: str) -> int:
    return command.main(arguments)


def hits():
    return [
        {
            "file": "policy.pdf",
            "page": 4,
            "pages": [4],
            "text": "4.2 Thresholds\nAn open tender is needed above EUR 50,000. Below, three quotations do.",
            "score": 1.0,
            "found_by": ["dense", "lexical"],
        },
        {
            "file": "travel/policy.pdf",
            "page": 9,
            "pages": [9],
            "text": "The per diem is USD 120.",
            "score": 1.0,
            "found_by": ["dense", "lexical"],
        },
    ]


def test_search_prints_what_programs_read(opened, capsys):
    assert run("search", "When is a tender needed?", "--json") == 0
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {
        "question": "When is a tender needed?",
        "query": "When is a tender needed?",
        "filters": {},
        "hits": hits(),
        "ms": {"evidence": 0.0},
        "notices": [],
    }


def test_ask_prints_the_same_and_the_answer(opened, capsys):
    assert run("ask", "When is a tender needed?", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed.pop("ms")) == {"evidence", "answer", "check"}
    assert printed == {
        "question": "When is a tender needed?",
        "query": "When is a tender needed?",
        "filters": {},
        "hits": hits(),
        "answer": "Above EUR 50,000 [1], or EUR 60,000 [1].",
        "tier": "high",
        "citations": [{"marker": 1, "file": "policy.pdf", "page": 4, "quote": "An open tender is needed above EUR 50,000."}],
        "model": "scripted",
        "notices": [],
    }


@pytest.mark.parametrize("command_name", ["search", "ask"])
def test_programs_are_told_what_people_are_told(opened, retriever, capsys, command_name):
    retriever.notices = ("No indexed document has year 1999.",)
    assert run(command_name, "When is a tender needed?", "--json") == 0
    assert json.loads(capsys.readouterr().out)["notices"] == ["No indexed document has year 1999."]


def test_search_reads_well(opened, capsys):
    run("search", "When is a tender needed?", "--k", "1")
    assert capsys.readouterr().out == (
        "1. Procurement Policy, page 4 (printed iv)  4 Tendering\n"
        "   policy.pdf; found by dense and lexical; score 1.000\n"
        "   An open tender is needed above EUR 50,000.\n"
    )


def test_an_answer_reads_well(opened, capsys):
    run("ask", "When is a tender needed?")
    assert capsys.readouterr().out == (
        "Above EUR 50,000 [1], or EUR 60,000 [1].\n"
        "\n"
        "[1] Procurement Policy, page 4 (printed iv), policy.pdf\n"
        "    An open tender is needed above EUR 50,000.\n"
        "Not found in the cited passages: EUR 60,000\n"
        "Answered by scripted.\n"
    )


def test_a_terminal_sees_the_words_as_they_come(opened, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    run("ask", "When is a tender needed?")
    assert terminal.getvalue().startswith("Above EUR 50,000 [1], or EUR 60,000 [1]. \n\n[1] Procurement Policy")


def test_earlier_questions_filters_and_chunks_reach_the_search(opened, retriever):
    run("search", "And for works?", "--history", "First?", "--history", "Second?", "--filter", "year=2025", "--filter",
        "year=2026", "--filter", "file=policy.pdf", "--chunks", "--k", "9")  # fmt: skip
    [call] = retriever.calls
    assert call["history"] == (Turn("First?"), Turn("Second?"))
    assert call["filters"] == Filters(year=("2025", "2026"), file=("policy.pdf",))
    assert (call["chunks"], call["k"]) == (True, 9)


def test_a_file_of_questions_is_answered_line_by_line_with_one_chat(opened, retriever, tmp_path, capsys):
    questions, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    questions.write_text(
        '{"question": "First?", "gold": "ignored"}\n\n{"question": "Zweite Größe?", "history": ["First?"]}\n', encoding="utf-8"
    )
    assert run("search", "--questions", str(questions), "--out", str(out)) == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["question"] for line in lines] == ["First?", "Zweite Größe?"]
    assert all(list(line) == ["question", "query", "filters", "hits", "ms", "notices"] for line in lines)
    assert retriever.calls[1]["history"] == (Turn("First?"),)
    assert len(opened) == 1
    assert capsys.readouterr() == ("", "1/2\n2/2\n")


def test_asking_a_file_of_questions_gives_answers(opened, tmp_path):
    questions, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    questions.write_text('{"question": "First?"}\n', encoding="utf-8")
    assert run("ask", "--questions", str(questions), "--out", str(out)) == 0
    [line] = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert list(line) == ["question", "query", "filters", "hits", "ms", "answer", "tier", "citations", "model", "notices"]


def test_on_a_terminal_the_count_is_written_over_and_an_error_has_its_own_line(opened, retriever, tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def search(question, **options):
        if question == "Second?":
            raise IndexDamaged("texts.bin is damaged.")
        return found

    found = retriever.search("First?", k=5, chunks=False)
    monkeypatch.setattr(retriever, "search", search)
    monkeypatch.setattr("sys.stderr", Terminal())
    questions = tmp_path / "in.jsonl"
    questions.write_text('{"question": "First?"}\n{"question": "Second?"}\n', encoding="utf-8")
    assert run("search", "--questions", str(questions), "--out", str(tmp_path / "out.jsonl")) == 1
    assert sys.stderr.getvalue() == "\r1/2\nerror: texts.bin is damaged.\n"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            "{not json}",
            'in.jsonl line 2 is not JSON (Expecting property name enclosed in double quotes): write one {"question"',
        ),
        ('{"qestion": "x", "id": 7}', 'line 2 has no "question", but "qestion", "id": write one {"question": "..."} a line.'),
        ("{}", 'line 2 has no "question", and nothing else: write one'),
        ('{"question": " "}', 'line 2 has a "question" without a text: write one'),
        ('["x"]', 'line 2 is JSON, but not an object in braces: write one {"question": "..."} a line.'),
        ('{"question":' * 100_000, "line 2 is not JSON (too deep, or too long a number): write one"),
        (f'{{"question": "{"x" * 3000}"}}', "line 2 has a question of 3,000 characters, more than 2,000: shorten it."),
        ('{"question": "x", "history": "y"}', 'line 2 has a "history" that is not a list'),
    ],
)
def test_a_wrong_line_is_named_before_anything_is_asked(opened, tmp_path, capsys, line, problem):
    questions = tmp_path / "in.jsonl"
    questions.write_text(f'{{"question": "Fine?"}}\n{line}\n', encoding="utf-8")
    assert run("search", "--questions", str(questions), "--out", str(tmp_path / "out.jsonl")) == 2
    assert problem in capsys.readouterr().err
    assert opened == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "Give one question"),
        (("   ",), "Give one question"),
        (("why " * 600,), "has 2,399 characters, more than 2,000: shorten it"),
        (("A question?", "--questions", "in.jsonl"), "Give one question"),
        (("--questions", "in.jsonl"), "go together"),
        (("A question?", "--filter", "colour=red"), "NAME is one of organisation, year"),
        (("A question?", "--config", "/nonexistent.toml"), "/nonexistent.toml is not there"),
    ],
)
def test_a_wrong_command_is_explained(opened, capsys, arguments, problem):
    assert run("search", *arguments) == 2
    assert problem in capsys.readouterr().err


def test_a_folder_that_is_not_there_for_the_output_is_one_line_and_2(opened, tmp_path, capsys):
    questions = tmp_path / "in.jsonl"
    questions.write_text('{"question": "Fine?"}\n', encoding="utf-8")
    out = tmp_path / "nowhere" / "out.jsonl"
    assert run("search", "--questions", str(questions), "--out", str(out)) == 2
    problem = f"error: --out {out} can't be written to (No such file or directory): name a file in a folder that is there.\n"
    assert capsys.readouterr().err == problem


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "can't be read (No such file or directory)"),
        (b"\xff\xfe{", "is not UTF-8 text"),
        (b"", 'holds no question: write one {"question": "..."} a line.'),
        (b"\n  \n", "holds no question"),
    ],
)
def test_a_questions_file_that_cannot_be_read_is_one_line_and_2(opened, tmp_path, capsys, content, problem):
    questions = tmp_path / "in.jsonl"
    if content is not None:
        questions.write_bytes(content)
    assert run("ask", "--questions", str(questions), "--out", str(tmp_path / "out.jsonl")) == 2
    printed = capsys.readouterr().err
    assert f"--questions {questions} {problem}" in printed
    assert printed.count("\n") == 1


def test_the_questions_file_is_not_written_over(opened, tmp_path, capsys):
    questions = tmp_path / "in.jsonl"
    questions.write_text('{"question": "Fine?"}\n', encoding="utf-8")
    assert run("search", "--questions", str(questions), "--out", str(questions)) == 2
    assert "is the questions file itself" in capsys.readouterr().err
    assert questions.read_text(encoding="utf-8") == '{"question": "Fine?"}\n'


def test_half_characters_are_asked_as_replacement_characters(opened, retriever, tmp_path):
    questions, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    questions.write_text('{"question": "Half \\ud83d of \\ud83d\\ude00?", "history": ["\\udc00"]}\n', encoding="utf-8")
    assert run("search", "--questions", str(questions), "--out", str(out)) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["question"] == "Half \ufffd of 😀?"
    assert retriever.calls[0]["history"] == (Turn("\ufffd"),)


def test_a_questions_file_saved_by_a_windows_editor_is_read(opened, tmp_path):
    questions, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    questions.write_bytes('\ufeff{"question": "First\u2028line?"}\r\n{"question": "Second?"}\r\n'.encode())
    assert run("search", "--questions", str(questions), "--out", str(out)) == 0
    assert len(out.read_text(encoding="utf-8").split("\n")) == 3


@pytest.mark.parametrize("command_name", ["search", "ask"])
def test_an_index_of_nothing_is_told_before_anything_is_asked(monkeypatch, retriever, capsys, command_name):
    monkeypatch.setattr(command, "open_chat", lambda config: Chat(config, retriever=retriever, index=FakeReader(chunks=0)))
    assert run(command_name, "What?") == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "There are no documents in" in printed.err
    assert "run `python -m ingestion sync`" in printed.err
    assert retriever.calls == []


def test_without_an_index_the_next_step_is_named(tmp_path, capsys):
    assert run("search", "What?", "--index", str(tmp_path / "none")) == 1
    assert "python -m ingestion" in capsys.readouterr().err


def test_the_help_states_exit_codes_and_shapes(capsys):
    with pytest.raises(SystemExit):
        run("search", "--help")
    shown = capsys.readouterr().out
    assert "exit codes:" in shown
    assert '"hits": [{"file", "page", "pages", "text", "score", "found_by"}]' in shown
