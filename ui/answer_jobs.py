"""A question's events in; an answer that goes on being written while pages reload, close or are cut off, out.

Streamlit ends the script of a page at every click, reload or lost connection, and with it whatever the script was
doing. So an answer is written by a thread of its own; pages only follow it. It ends early in two ways: somebody
presses Stop, or nobody has looked at it for a while.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator

from rag import history
from rag.domain import Answer, Event, Finished, Found, Retrieval, Tier, Token
from rag.errors import ModelError, ProductError

GRACE_SECONDS = 60.0  # without a page that follows; long enough to look something up on another page
TICK_SECONDS = 0.1  # Streamlit sends the whole text each time, so words are shown in bundles

log = logging.getLogger(__name__)


class AnswerJob:
    """One answer being written. `save` is called exactly once, with the job, when it has ended."""

    def __init__(
        self,
        events: Callable[[], Iterator[Event]],
        save: Callable[["AnswerJob"], None],
        *,
        slots: threading.Semaphore,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self.events, self.save, self.slots, self.grace_seconds = events, save, slots, grace_seconds
        self.state: history.State = "running"
        self.queued = True  # until one of the slots is free
        self.text = ""
        self.retrieval: Retrieval | None = None
        self.tier: Tier = "high"
        self.answer: Answer | None = None
        self.problem = ""  # of a failed answer: what happened, for the reader
        self.fix = ""  # and what to do about it
        self.changed = threading.Condition(threading.RLock())
        self.last_seen = time.monotonic()
        threading.Thread(target=self.run, daemon=True, name="answer").start()

    @property
    def ended(self) -> bool:
        with self.changed:  # so that "ended" implies "stored"
            return self.state != "running"

    def run(self) -> None:
        while not self.slots.acquire(timeout=TICK_SECONDS):
            if self.ended or self.give_up_when_nobody_looks():
                return
        try:
            self.write()
        finally:
            self.slots.release()

    def write(self) -> None:
        with self.changed:
            if self.ended:
                return
            self.queued = False
        events: Iterator[Event] = iter(())
        try:
            events = self.events()
            for event in events:
                with self.changed:
                    if self.ended or self.give_up_when_nobody_looks():
                        return
                    self.take(event)
            self.end("done")
        except ModelError as error:
            self.end("error", error.cause, error.fix)
        except ProductError as error:
            self.end("error", str(error))
        except Exception:
            log.exception("The answer failed")
            self.end("error", "Something went wrong inside the app.", "Try again; the server's log holds the details.")
        finally:
            close = getattr(events, "close", None)  # ends the model's request too
            if close:
                close()

    def take(self, event: Event) -> None:
        match event:
            case Found():
                self.retrieval, self.tier = event.retrieval, event.tier
            case Token():
                self.text += event.text
            case Finished():
                self.answer, self.text, self.tier = event.answer, event.answer.text, event.answer.tier
        self.changed.notify_all()

    def give_up_when_nobody_looks(self) -> bool:
        if time.monotonic() - self.last_seen > self.grace_seconds:
            self.end("interrupted")
        return self.ended

    def end(self, state: history.State, problem: str = "", fix: str = "") -> None:
        """The first end counts; what the model still says after it is dropped."""
        with self.changed:
            if self.ended:
                return
            self.problem, self.fix = problem, fix
            try:
                self.state = state  # what save() stores
                self.save(self)
            except Exception:
                log.exception("The answer could not be stored")
                self.state, self.problem = "error", "The answer could not be stored in the history."
                self.fix = "Check that the history database can be written to; the server's log holds the details."
            self.changed.notify_all()

    def stop(self) -> None:
        """Ends it at once, also while the model has not said a word yet."""
        self.end("stopped")

    def follow(self) -> Iterator[str]:
        """The text so far, at least once a tick until the answer has ended: each is a point where Streamlit can leave."""
        while True:
            self.last_seen = time.monotonic()
            with self.changed:
                ended = self.ended
                text = self.text
            yield text
            if ended:
                return
            with self.changed:
                self.changed.wait_for(lambda: self.ended, TICK_SECONDS)


class AnswerJobs:
    """The answers being written in this process, one a conversation at most."""

    def __init__(self, concurrent_answers: int) -> None:
        self.slots = threading.BoundedSemaphore(concurrent_answers)
        self.lock = threading.Lock()
        self.jobs: dict[str, AnswerJob] = {}

    def start(self, conversation: str, events: Callable[[], Iterator[Event]], save: Callable[[AnswerJob], None]) -> AnswerJob:
        """A new job, or the one that is already writing in this conversation (a double click, a second tab)."""
        with self.lock:
            self.jobs = {name: job for name, job in self.jobs.items() if not job.ended}
            if conversation not in self.jobs:
                self.jobs[conversation] = AnswerJob(events, save, slots=self.slots)
            return self.jobs[conversation]

    def running(self, conversation: str) -> AnswerJob | None:
        job = self.jobs.get(conversation)
        return job if job and not job.ended else None

    def stop_all(self) -> None:
        for job in list(self.jobs.values()):
            job.stop()
