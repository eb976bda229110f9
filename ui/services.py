"""The configuration in; what all pages of this process share out: chat, index reader, history, answers being written."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import Config, load_config
from rag.errors import IndexFault, ProductError
from rag.history import History
from ui.answer_jobs import AnswerJobs
from ui.page_image import page_image

if TYPE_CHECKING:
    from rag.chat import Chat
    from rag.index import IndexReader, Snapshot

CHANGE_EXPECTED_SECONDS = 60.0  # by then the watcher has seen it and its run has begun

log = logging.getLogger(__name__)


def load_chat(config: Config) -> "tuple[Chat, IndexReader]":
    """Imported here and not above: the first page should not wait for seconds of imports."""
    from rag.chat import open_chat

    chat = open_chat(config)
    return chat, chat.index


class Services:
    """Started once per process. The models load in the background, so that the first page comes at once."""

    def __init__(self, config: Config, *, load: "Callable[[Config], tuple[Chat, IndexReader]]" = load_chat) -> None:
        self.config = config
        self.history = History.open(config)
        self.history.mark_interrupted()
        self.jobs = AnswerJobs(config.chat.concurrent_answers)
        self.loaded = threading.Event()
        self.stopping = threading.Event()
        self.problem = ""  # why nothing can be asked, in words for people
        self.opened_chat: Chat | None = None
        self.reader: IndexReader | None = None
        self.change_expected_until = 0.0  # monotonic seconds
        self.watch_problem: Callable[[], str] = lambda: ""  # of whoever follows the folder; app.py connects it
        threading.Thread(target=self.load, args=(load,), daemon=True, name="load").start()

    def load(self, load: "Callable[[Config], tuple[Chat, IndexReader]]") -> None:
        try:
            self.opened_chat, self.reader = load(self.config)
            self.refresh()
            self.opened_chat.model()
        except ProductError as error:
            self.problem = str(error)
        except Exception:
            log.exception("The app could not be started")
            self.problem = "The app could not be started; the server's log holds the details."
        self.loaded.set()
        self.warm_up()
        while not self.stopping.wait(self.config.documents.watch_seconds):
            self.refresh()

    def warm_up(self) -> None:
        """One search, so that the first question finds the models loaded."""
        if self.opened_chat and self.snapshot():
            try:
                self.opened_chat.search("approval limit", k=1)
            except Exception:
                log.exception("The first search failed; a question will say why")

    def refresh(self) -> None:
        """Takes up a new generation of the index, and forgets pictures of pages that may be gone."""
        try:
            if self.reader and self.reader.refresh():
                page_image.cache_clear()
        except IndexFault as error:
            log.debug("No index to read: %s", error)  # the pages show index_problem()
        except Exception:
            log.exception("The index could not be refreshed")

    def chat(self) -> "Chat":
        """Waits until the models are loaded. Raises ProductError where they can't be."""
        self.loaded.wait()
        if self.opened_chat is None or self.problem:
            raise ProductError(self.problem)
        return self.opened_chat

    def snapshot(self) -> "Snapshot | None":
        """The live generation; None while there is none, which `index_problem` explains."""
        try:
            return self.reader.snapshot() if self.reader else None
        except IndexFault:
            return None

    def index_fault(self) -> IndexFault | None:
        try:
            if self.reader:
                self.reader.snapshot()
        except IndexFault as error:
            return error
        return None

    def index_problem(self) -> str:
        return str(self.index_fault() or self.problem)

    def model_note(self) -> tuple[str, str]:
        """What writes the answers, in a few words, and why it was chosen; empty until that is known."""
        choice = self.opened_chat.choice if self.opened_chat else None
        if choice is None:
            return "", ""
        if choice.model is None:
            return "Quoting passages – no language model is in use", choice.reason
        return f"Answers by {choice.describe()}", choice.reason

    def expect_change(self) -> None:
        """Somebody added or deleted a document: pages look out for the run that follows."""
        self.change_expected_until = time.monotonic() + CHANGE_EXPECTED_SECONDS

    def expects_change(self) -> bool:
        return time.monotonic() < self.change_expected_until

    def document_path(self, file: str) -> Path:
        return self.config.documents.directory / file

    def stop(self) -> None:
        self.stopping.set()
        self.jobs.stop_all()
        self.history.close()


started: Services | None = None
starting = threading.Lock()


def services() -> Services:
    """The one of this process; the first caller starts it. Not st.cache_resource, whose clearing would start a second one."""
    global started
    if started is None:
        with starting:
            if started is None:
                started = Services(load_config())
    return started


def stop_services() -> None:
    global started
    with starting:
        if started is not None:
            started.stop()
        started = None
