"""The one door for asking: a question in; what was found, the answer as it is written, and the checked answer out."""

import os
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag.config import Config
from rag.domain import Event, FileRecord, Filters, Finished, Retrieval, Turn
from rag.embedding import Embedder, open_embedder
from rag.errors import ProductError
from rag.history import History
from rag.index import IndexReader
from rag.llm import ModelChoice, open_model

if TYPE_CHECKING:
    from rag.glossary_file import GlossaryFile
    from rag.graph import Asking, Retriever

# LangChain and LangGraph would send traces to LangSmith if these were set; this product sends nothing anywhere.
for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"):
    os.environ[name] = "false"

REMEMBERED = 500  # conversations whose working memory is held; an older one is restored from the history when it goes on
PROBE_AGAIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """What the index holds, for the empty page and the badge."""

    generation: str
    files: int
    pages: int
    chunks: int


def open_chat(config: Config, *, embedder: Embedder | None = None, index: IndexReader | None = None) -> "Chat":
    """Nothing is loaded before the first question; `embedder` and `index` share what the caller has open already."""
    return Chat(config, embedder=embedder, index=index)


class Chat:
    """Thread-safe: any number of threads may ask at the same time; each question sees one generation of the index."""

    def __init__(
        self,
        config: Config,
        *,
        embedder: Embedder | None = None,
        index: IndexReader | None = None,
        retriever: "Retriever | None" = None,
        history: History | None = None,
        open_model: Callable[[Config], ModelChoice] = open_model,
    ) -> None:
        self.config = config
        self.loading = threading.RLock()
        self.opened_embedder = embedder
        self.opened_index = index
        self.opened_retriever: Any = retriever
        self.glossary_file: GlossaryFile | None = None  # with a retriever that was opened here
        self.opened_history = history
        self.opened_graph: Any = None
        self.open_model = open_model
        self.choice: ModelChoice | None = None
        self.chosen_at = 0.0
        self.conversations: OrderedDict[str, None] = OrderedDict()  # least recently used first

    def ask(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        filters: Filters | None = None,
        expand: bool = True,
        skip: Collection[str] = (),
        conversation: str | None = None,
    ) -> Iterator[Event]:
        """Found, then Tokens, then Finished. Closing the iterator ends the call to the model.

        `history` is what was said before, oldest first; without it the working memory of `conversation` is used, which is
        restored from the chat history after a restart. `filters=None` infers them from the question; `skip` names abbreviations
        that are not to be spelled out. Raises ProductError.
        """
        question = self.checked(question)
        asking = self.asking(filters=filters, expand=expand, skip=tuple(skip))
        thread = conversation or uuid.uuid4().hex
        start: dict[str, Any] = {"question": question}
        if (messages := self.earlier(conversation, history)) is not None:
            start["messages"] = messages
        events = self.graph.stream(start, thread_config(thread), context=asking, stream_mode="custom", durability="exit")
        try:
            for event in events:
                if isinstance(event, Finished) and event.answer.model != asking.choice.name:
                    self.choice = None  # the model failed: see before the next question whether another one answers
                yield event
        finally:
            asking.cancelled.set()
            events.close()
            self.tidy(thread, keep=conversation is not None)

    def search(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        filters: Filters | None = None,
        k: int = 5,
        chunks: bool = False,
        expand: bool = True,
        skip: Collection[str] = (),
    ) -> Retrieval:
        """The passages alone, without a model: one a page, or every passage with `chunks`."""
        return self.retriever.search(
            self.checked(question), history=tuple(history), filters=filters, k=k, chunks=chunks, expand=expand, skip=tuple(skip)
        )

    def model(self) -> ModelChoice:
        """The language model in use and why; looked for again now and then while a better one may come up."""
        with self.loading:
            stale = self.choice is None or (
                not self.choice.preferred and time.monotonic() - self.chosen_at > PROBE_AGAIN_SECONDS
            )
            if self.choice is None or stale:
                self.choice = self.open_model(self.config)
                self.chosen_at = time.monotonic()
            return self.choice

    def snapshot_info(self) -> SnapshotInfo:
        """Raises IndexMissing where nothing was indexed yet."""
        snapshot = self.index.snapshot()
        files = snapshot.files
        return SnapshotInfo(snapshot.generation, len(files), sum(record.pages for record in files), len(snapshot))

    def files(self) -> Sequence[FileRecord]:
        return self.index.snapshot().files

    def refresh(self) -> bool:
        """Takes up a new generation of the index, if there is one."""
        return self.index.refresh()

    def forget(self, conversation: str) -> None:
        """Drops the working memory of a deleted conversation."""
        with self.loading:
            self.conversations.pop(conversation, None)
            self.graph.checkpointer.delete_thread(conversation)

    @property
    def embedder(self) -> Embedder:
        with self.loading:
            if self.opened_embedder is None:
                self.opened_embedder = open_embedder(self.config)
            return self.opened_embedder

    @property
    def index(self) -> IndexReader:
        with self.loading:
            if self.opened_index is None:
                self.opened_index = IndexReader(
                    self.config.documents.index, fingerprint=self.embedder.fingerprint, settings=self.config.index
                )
            return self.opened_index

    @property
    def retriever(self) -> "Retriever":
        with self.loading:
            if self.opened_retriever is None:
                from rag.glossary_file import GlossaryFile
                from rag.retriever import HybridRetriever

                self.glossary_file = GlossaryFile(self.config.glossary.file)
                glossary = self.glossary_file.current()
                self.opened_retriever = HybridRetriever.open(self.config, self.embedder, self.index, glossary)
            if self.glossary_file is not None:
                self.opened_retriever.glossary = self.glossary_file.current()  # terms accepted since the last question
            return self.opened_retriever

    @property
    def history(self) -> History:
        with self.loading:
            if self.opened_history is None:
                self.opened_history = History.open(self.config)
            return self.opened_history

    @property
    def graph(self) -> Any:
        with self.loading:
            if self.opened_graph is None:
                from rag.graph import WorkingMemory, build_graph

                self.opened_graph = build_graph(WorkingMemory())
            return self.opened_graph

    def checked(self, question: str) -> str:
        question = question.strip()
        if not question:
            raise ProductError("There is no question: type one.")
        longest = self.config.chat.max_question_characters
        if len(question) > longest:
            raise ProductError(f"The question has {len(question):,} characters, more than {longest:,}: shorten it.")
        return question

    def asking(self, *, filters: Filters | None, expand: bool, skip: Collection[str]) -> "Asking":
        from rag.graph import Asking

        return Asking(
            config=self.config,
            retriever=self.retriever,
            choice=self.model(),
            embedder=self.opened_embedder,
            files=self.files,
            filters=filters,
            expand=expand,
            skip=skip,
            cancelled=threading.Event(),
        )

    def earlier(self, conversation: str | None, history: Sequence[Turn]) -> list[Any] | None:
        """The working memory to start from; None where the conversation's own is there."""
        from rag.graph import remember

        if history:
            return remember([], *history)
        if conversation is None:
            return []
        with self.loading:
            known = conversation in self.conversations
            self.conversations[conversation] = None
            self.conversations.move_to_end(conversation)
        if known:
            return None
        return remember([], *self.history.turns(conversation, last=self.config.chat.memory_pairs))

    def tidy(self, thread: str, *, keep: bool) -> None:
        """Keeps one checkpoint a conversation, not one a question, and forgets the conversations not used for longest."""
        memory = self.graph.checkpointer
        messages = self.graph.get_state(thread_config(thread)).values.get("messages") if keep else None
        memory.delete_thread(thread)
        if messages:
            self.graph.update_state(thread_config(thread), {"messages": messages}, as_node="check")
        with self.loading:
            while len(self.conversations) > REMEMBERED:
                oldest, _ = self.conversations.popitem(last=False)
                memory.delete_thread(oldest)


def thread_config(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}
