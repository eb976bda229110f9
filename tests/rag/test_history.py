import json
import sqlite3
import threading

import pytest

from rag.domain import Answer, Citation, FigureCheck, FoundRule, Retrieval, TraceStep, Turn
from rag.errors import ConfigError, ProductError
from rag.history import History, database_url
from tests.rag.fakes import evidence, passage, query


@pytest.fixture
def history(tmp_path):
    history = History(f"sqlite:///{tmp_path}/history.sqlite")
    yield history
    history.close()


def an_answer() -> Answer:
    found = passage("Bids stay valid for ninety days.", section=("4 Tendering",))
    rule = FoundRule("policy.pdf", 4, "Finance Director", "above EUR 100,000", "", "above 100,000 | Finance Director")
    retrieval = Retrieval(query("How long?"), (found,), (evidence(1.0),), "gen-3", (rule,), notices=("A notice.",))
    citation = Citation(1, "policy.pdf", "Policy", 4, "iv", "ninety days", found.chunk.id, ("4 Tendering",))
    return Answer(
        text="Ninety days [1].",
        tier="high",
        citations=(citation,),
        checks=(FigureCheck("Ninety days", "period", True, 1),),
        model="scripted",
        retrieval=retrieval,
        trace=(TraceStep("answer", "Written.", 12.5, ({"tokens": 3},)),),
    )


def test_the_first_question_names_a_conversation(history):
    conversation = history.create()
    history.add_question(conversation.id, "How long do bids stay valid,\n when the tender is open?")
    history.add_question(conversation.id, "And when it is closed?")
    [listed] = history.list_conversations()
    assert listed.title == "How long do bids stay valid, when the tender is open?"


def test_a_long_title_is_cut_at_a_word(history):
    conversation = history.create()
    history.add_question(conversation.id, "word " * 40)
    assert history.list_conversations()[0].title == "word " * 15 + "word…"
    history.rename(conversation.id, "x" * 90)
    assert history.list_conversations()[0].title == "x" * 79 + "…"


def stored_as(history: History, change) -> Answer | None:
    """The answer as it comes back after another version had stored it differently."""
    conversation = history.create()
    running = history.start_answer(conversation.id)
    history.finish_answer(running.id, text="Ninety days [1].", answer=an_answer())
    with history.engine.begin() as connection:
        [(text,)] = connection.exec_driver_sql("SELECT answer FROM messages WHERE answer IS NOT NULL")
        data = json.loads(text)
        change(data)
        connection.exec_driver_sql("UPDATE messages SET answer = ?", (json.dumps(data),))
    [message] = history.messages(conversation.id)
    assert message.text == "Ninety days [1]."
    return message.answer


def test_of_an_older_answer_what_can_be_read_is_shown(history):
    def older(data):
        data["retrieval"]["rules"] = [{"file": {"sha256": "a", "paths": ["policy.pdf"]}, "rule": {"subject": "CFO"}}]
        data["retrieval"]["forgotten"] = 1
        data["trace"] = ["searched"]
        del data["invented_markers"]

    answer = stored_as(history, older)
    assert answer is not None
    assert answer.citations == an_answer().citations
    assert (answer.retrieval.rules, answer.trace, answer.invented_markers) == ((), (), 0)


def test_an_answer_that_cannot_be_read_at_all_leaves_its_text(history):
    assert stored_as(history, lambda data: data.pop("retrieval")) is None


def test_an_answer_comes_back_as_it_was(history):
    conversation = history.create()
    history.add_question(conversation.id, "How long?")
    running = history.start_answer(conversation.id)
    answer = an_answer()
    history.finish_answer(running.id, text=answer.text, answer=answer)
    question, stored = history.messages(conversation.id)
    assert (question.role, question.state, question.answer) == ("user", "done", None)
    assert (stored.role, stored.state, stored.text) == ("assistant", "done", "Ninety days [1].")
    assert stored.answer == answer


def test_conversations_are_listed_latest_first_and_empty_ones_not_at_all(history):
    first, second = history.create(), history.create()
    history.create()
    history.add_question(first.id, "First?")
    history.add_question(second.id, "Second?")
    history.add_question(first.id, "First again?")
    assert [conversation.title for conversation in history.list_conversations()] == ["First?", "Second?"]


def test_a_conversation_is_renamed_and_deleted_with_its_messages(history):
    conversation = history.create()
    question = history.add_question(conversation.id, "What?")
    history.rename(conversation.id, "Another name")
    assert history.conversation(conversation.id).title == "Another name"
    history.delete(conversation.id)
    assert history.list_conversations() == ()
    assert history.message(question.id) is None
    with pytest.raises(ProductError, match="was deleted"):
        history.add_question(conversation.id, "Still there?")


def test_answers_that_were_running_when_the_process_died_are_marked(history):
    conversation = history.create()
    history.add_question(conversation.id, "What?")
    history.start_answer(conversation.id)
    assert history.mark_interrupted() == 1
    assert history.messages(conversation.id)[1].state == "interrupted"
    assert history.mark_interrupted() == 0


def test_a_rating_is_kept_with_its_comment_and_can_be_taken_back(history):
    conversation = history.create()
    history.add_question(conversation.id, "What?")
    answer = history.start_answer(conversation.id)
    history.rate(answer.id, -1, comment="Wrong page")
    assert (history.message(answer.id).rating, history.message(answer.id).comment) == (-1, "Wrong page")
    history.rate(answer.id, None)
    assert history.message(answer.id).rating is None
    with pytest.raises(ValueError, match="a rating is"):
        history.rate(answer.id, 5)


def test_turns_are_the_last_answered_questions(history):
    conversation = history.create()
    for number in range(4):
        history.add_question(conversation.id, f"Question {number}?")
        history.finish_answer(history.start_answer(conversation.id).id, text=f"Answer {number}")
    history.add_question(conversation.id, "Failed?")
    history.finish_answer(history.start_answer(conversation.id).id, text="No index.", state="error")
    assert history.turns(conversation.id, last=2) == (Turn("Question 2?", "Answer 2"), Turn("Question 3?", "Answer 3"))
    assert history.turns(conversation.id, last=0) == ()


def test_ids_can_not_be_guessed(history):
    ids = {history.create().id for _ in range(50)}
    assert len(ids) == 50
    assert all(len(bytes.fromhex(each)) == 16 for each in ids)


def test_many_threads_write_at_once(history):
    conversation = history.create()
    failures: list[Exception] = []

    def write(number: int) -> None:
        try:
            for turn in range(5):
                history.add_question(conversation.id, f"{number}.{turn}")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(history.messages(conversation.id)) == 40


def test_the_database_is_in_write_ahead_mode(history, tmp_path):
    history.create()
    with sqlite3.connect(tmp_path / "history.sqlite") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_relative_database_lies_beside_the_configuration(config, monkeypatch):
    relative = config.with_values(history={"database": "sqlite:///index/history.sqlite"})
    assert database_url(relative).database == str(config.source.parent / "index" / "history.sqlite")
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://me:secret@host/chats")
    assert database_url(relative).host == "host"


def test_a_database_without_its_driver_is_refused_without_the_password():
    with pytest.raises(ConfigError, match="DATABASE_URL") as refused:
        History("mysql+pymysql://me:secret@host/chats")
    assert "secret" not in str(refused.value)


def test_a_database_that_can_not_be_opened_names_its_place(tmp_path):
    with pytest.raises(ProductError, match=str(tmp_path / "missing")):
        History(f"sqlite:///{tmp_path}/missing/history.sqlite")
