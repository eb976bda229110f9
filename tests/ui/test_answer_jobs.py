"""An answer goes on without its page, stops at once with what it has, and is stored exactly once however it ends."""

import threading
from dataclasses import dataclass, field

import pytest

from rag.domain import Found, Query, Retrieval, Token
from rag.errors import ModelError
from ui.answer_jobs import AnswerJob, AnswerJobs

RETRIEVAL = Retrieval(query=Query("q", "q", "q"), passages=(), trace=(), generation="gen-1")


@dataclass
class Script:
    """A model that says the next word when the test lets it."""

    words: tuple[str, ...] = ("Three ", "quotations.")
    turns: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    closed: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None

    def events(self):
        try:
            yield Found(RETRIEVAL, "high")
            for word in self.words:
                self.turns.acquire()
                yield Token(word)
            if self.error:
                raise self.error
        finally:
            self.closed.set()

    def say(self, job, text):
        """One more word, and wait until the job has it."""
        self.turns.release()
        with job.changed:
            assert job.changed.wait_for(lambda: job.text == text, 10)


@pytest.fixture
def saved():
    return []


@pytest.fixture
def start(saved):
    jobs = []

    def start(script, *, slots=None, grace_seconds=60.0):
        slots = slots or threading.Semaphore(1)
        job = AnswerJob(
            script.events, lambda job: saved.append((job.state, job.text)), slots=slots, grace_seconds=grace_seconds
        )
        jobs.append((job, script))
        return job

    yield start
    for job, script in jobs:
        job.stop()
        script.turns.release(len(script.words) + 1)


def wait_for_end(job):
    with job.changed:
        assert job.changed.wait_for(lambda: job.ended, 10)


def test_the_whole_answer_is_followed_word_by_word_and_stored_once(start, saved):
    script = Script()
    job = start(script)
    script.say(job, "Three ")
    shown = job.follow()
    assert next(shown) == "Three "
    script.say(job, "Three quotations.")
    wait_for_end(job)
    assert list(shown)[-1] == "Three quotations."
    assert saved == [("done", "Three quotations.")]
    assert job.retrieval is RETRIEVAL


def test_a_page_that_reloads_attaches_to_the_words_already_said(start, saved):
    script = Script()
    job = start(script)
    first_page = job.follow()
    next(first_page)
    first_page.close()
    script.say(job, "Three ")
    assert next(job.follow()) == "Three "
    assert saved == []


def test_stop_keeps_the_partial_answer_though_the_model_is_silent(start, saved):
    script = Script()
    job = start(script)
    script.say(job, "Three ")
    job.stop()
    assert saved == [("stopped", "Three ")]
    assert list(job.follow()) == ["Three "]
    script.turns.release()
    assert script.closed.wait(10)  # and the request to the model is closed with the next word
    assert job.text == "Three "
    assert len(saved) == 1


def test_an_answer_nobody_looks_at_ends_after_the_grace(start, saved):
    script = Script()
    job = start(script, grace_seconds=0.0)
    script.turns.release(2)
    wait_for_end(job)
    assert saved[0][0] == "interrupted"
    assert script.closed.wait(10)


def test_a_model_error_keeps_the_words_and_names_cause_and_fix(start, saved):
    script = Script(error=ModelError("Ollama has no model llama3.1:8b.", "Run `ollama pull llama3.1:8b`."))
    job = start(script)
    script.turns.release(2)
    wait_for_end(job)
    assert saved == [("error", "Three quotations.")]
    assert (job.problem, job.fix) == ("Ollama has no model llama3.1:8b.", "Run `ollama pull llama3.1:8b`.")


def test_an_unexpected_error_is_logged_not_shown(start, caplog):
    script = Script(words=(), error=KeyError("secret internals"))
    job = start(script)
    wait_for_end(job)
    assert "secret" not in job.problem + job.fix
    assert "secret internals" in caplog.text


def test_answers_beyond_the_limit_wait_for_a_slot_and_can_be_stopped_there(start, saved):
    slots = threading.Semaphore(1)
    busy, waiting = Script(), Script()
    first = start(busy, slots=slots)
    busy.say(first, "Three ")
    second = start(waiting, slots=slots)
    assert next(second.follow()) == ""
    assert second.queued
    second.stop()
    assert saved == [("stopped", "")]
    busy.turns.release()
    wait_for_end(first)
    third = start(Script(words=()), slots=slots)
    wait_for_end(third)
    assert third.state == "done"


def test_a_history_that_cannot_be_written_is_told_to_the_reader(caplog):
    def refuse(job):
        raise OSError("disk full")

    job = AnswerJob(Script(words=()).events, refuse, slots=threading.Semaphore(1))
    wait_for_end(job)
    assert job.state == "error"
    assert "history" in job.problem
    assert "disk full" in caplog.text


def test_a_conversation_has_one_answer_at_a_time(saved):
    jobs = AnswerJobs(concurrent_answers=2)
    script = Script()
    first = jobs.start("a", script.events, saved.append)
    assert jobs.start("a", Script().events, saved.append) is first
    assert jobs.running("a") is first
    jobs.stop_all()
    assert jobs.running("a") is None
    script.turns.release(2)
