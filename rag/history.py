"""Conversations, messages, answers with their citations and checks, and ratings, kept in SQL: a restart loses nothing."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import JSON, DateTime, ForeignKey, String, Text, create_engine, event, make_url, select, true, update
from sqlalchemy.engine import URL, Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker

from rag.config import Config
from rag.domain import Answer, Turn
from rag.errors import ConfigError, ProductError
from rag.records import MISSING, readable, to_plain

Role = Literal["user", "assistant"]
State = Literal["running", "done", "stopped", "error", "interrupted"]

TITLE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Conversation:
    """Its id can't be guessed (128 random bits): who has it may read it. Times are UTC."""

    id: str
    title: str
    created: datetime
    updated: datetime


@dataclass(frozen=True, slots=True)
class Message:
    """A question (role "user") or its answer; `answer` is there once the answer is finished. `rating` is 1, -1 or None."""

    id: int
    conversation: str
    role: Role
    text: str
    state: State
    answer: Answer | None
    rating: int | None
    comment: str
    created: datetime


class Base(DeclarativeBase):
    pass


class ConversationRow(Base):
    __tablename__ = "conversations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    title: Mapped[str] = mapped_column(String(200), default="")
    owner: Mapped[str] = mapped_column(String(200), default="", index=True)
    created: Mapped[datetime] = mapped_column(DateTime)
    updated: Mapped[datetime] = mapped_column(DateTime, index=True)


class MessageRow(Base):
    __tablename__ = "messages"

    id: Mapped[int] = mapped_column(primary_key=True)
    conversation: Mapped[str] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"), index=True)
    role: Mapped[str] = mapped_column(String(16))
    text: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(String(16), default="done", index=True)
    answer: Mapped[Any] = mapped_column(JSON, nullable=True)
    rating: Mapped[int | None] = mapped_column(default=None)
    comment: Mapped[str] = mapped_column(Text, default="")
    created: Mapped[datetime] = mapped_column(DateTime)


class History:
    """One per process; every method opens its own short transaction, so threads may share it."""

    def __init__(self, database_url: str | URL) -> None:
        self.engine = open_engine(database_url)
        self.session = sessionmaker(self.engine, expire_on_commit=False)
        with explained(self.engine.url):
            Base.metadata.create_all(self.engine)

    @classmethod
    def open(cls, config: Config) -> "History":
        """DATABASE_URL, else [history] database; a relative SQLite path is relative to config.toml."""
        return cls(database_url(config))

    def create(self, title: str = "", *, owner: str = "") -> Conversation:
        with self.writing() as session:
            row = ConversationRow(id=secrets.token_hex(16), title=short(title), owner=owner, created=now(), updated=now())
            session.add(row)
            return as_conversation(row)

    def list_conversations(self, *, owner: str | None = None, limit: int = 200) -> tuple[Conversation, ...]:
        """Those that hold a question, most recently used first; with `owner` only that person's."""
        with self.session() as session:
            asked = select(MessageRow.conversation)
            rows = session.scalars(
                select(ConversationRow)
                .where(ConversationRow.id.in_(asked), true() if owner is None else ConversationRow.owner == owner)
                .order_by(ConversationRow.updated.desc(), ConversationRow.id)
                .limit(limit)
            )
            return tuple(as_conversation(row) for row in rows)

    def conversation(self, conversation_id: str) -> Conversation | None:
        with self.session() as session:
            row = session.get(ConversationRow, conversation_id)
            return as_conversation(row) if row else None

    def rename(self, conversation_id: str, title: str) -> None:
        with self.writing() as session:
            session.execute(update(ConversationRow).where(ConversationRow.id == conversation_id).values(title=short(title)))

    def delete(self, conversation_id: str) -> None:
        with self.writing() as session:
            row = session.get(ConversationRow, conversation_id)
            if row:
                session.delete(row)  # its messages go by ON DELETE CASCADE

    def messages(self, conversation_id: str) -> tuple[Message, ...]:
        with self.session() as session:
            rows = session.scalars(select(MessageRow).where(MessageRow.conversation == conversation_id).order_by(MessageRow.id))
            return tuple(as_message(row) for row in rows)

    def message(self, message_id: int) -> Message | None:
        with self.session() as session:
            row = session.get(MessageRow, message_id)
            return as_message(row) if row else None

    def add_question(self, conversation_id: str, text: str) -> Message:
        """Stores a question; the first one names the conversation."""
        return self.add(conversation_id, "user", text, "done")

    def start_answer(self, conversation_id: str) -> Message:
        """An empty answer in state "running", so that a crash leaves a trace."""
        return self.add(conversation_id, "assistant", "", "running")

    def finish_answer(self, message_id: int, *, text: str, state: State = "done", answer: Answer | None = None) -> None:
        """Stores what was shown: the whole answer, or the part before it was stopped or failed."""
        values = {"text": text, "state": state, "answer": to_plain(answer) if answer else None}
        with self.writing() as session:
            session.execute(update(MessageRow).where(MessageRow.id == message_id).values(**values))

    def rate(self, message_id: int, rating: int | None, *, comment: str = "") -> None:
        """1 (helpful), -1 (not) or None (taken back)."""
        if rating not in (1, -1, None):
            raise ValueError(f"a rating is 1, -1 or None, not {rating!r}")
        with self.writing() as session:
            session.execute(update(MessageRow).where(MessageRow.id == message_id).values(rating=rating, comment=comment))

    def mark_interrupted(self) -> int:
        """Answers still "running" belong to a process that is gone: called once at start-up. Returns how many there were."""
        with self.writing() as session:
            running = session.scalars(select(MessageRow).where(MessageRow.state == "running")).all()
            for row in running:
                row.state = "interrupted"
            return len(running)

    def turns(self, conversation_id: str, *, last: int) -> tuple[Turn, ...]:
        """The last question and answer pairs, oldest first: what working memory is restored from."""
        turns: list[Turn] = []
        for message in self.messages(conversation_id):
            if message.role == "user":
                turns.append(Turn(message.text))
            elif turns and message.text and message.state in ("done", "stopped"):
                turns[-1] = Turn(turns[-1].question, message.text)
        return tuple(turn for turn in turns if turn.answer)[-last:] if last else ()

    def close(self) -> None:
        self.engine.dispose()

    def add(self, conversation_id: str, role: Role, text: str, state: State) -> Message:
        with self.writing() as session:
            conversation = session.get(ConversationRow, conversation_id)
            if conversation is None:
                raise ProductError("This conversation was deleted: start a new one.")
            conversation.updated = now()
            if role == "user" and not conversation.title:
                conversation.title = short(text)
            row = MessageRow(conversation=conversation_id, role=role, text=text, state=state, comment="", created=now())
            session.add(row)
            session.flush()
            return as_message(row)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with explained(self.engine.url), self.session.begin() as session:
            yield session


def database_url(config: Config) -> URL:
    url = make_url(os.environ.get("DATABASE_URL") or config.history.database)
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        path = config.source.parent / Path(url.database).expanduser()
        path.parent.mkdir(parents=True, exist_ok=True)
        url = url.set(database=str(path))
    return url


def open_engine(database_url: str | URL) -> Engine:
    try:
        url = make_url(database_url)
        engine = create_engine(url)
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        raise ConfigError(f"[history] database or DATABASE_URL can't be used: {error}.") from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", prepare_sqlite)
    return engine


def prepare_sqlite(connection: Any, record: Any) -> None:
    """WAL lets pages read while an answer is written; the timeout waits for another writer instead of failing at once."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "busy_timeout=10000", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


@contextmanager
def explained(url: URL) -> Iterator[None]:
    """Database failures as an error that names the database (without its password)."""
    try:
        yield
    except SQLAlchemyError as error:
        place = url.render_as_string(hide_password=True)
        reason = str(getattr(error, "orig", None) or error).strip()
        raise ProductError(f"The chat history at {place} can't be used: {reason}. Check [history] database.") from error


def short(text: str) -> str:
    """One line that fits a list: cut at a word, with an ellipsis, to TITLE_LENGTH characters at most."""
    line = " ".join(text.split())
    if len(line) <= TITLE_LENGTH:
        return line
    return line[:TITLE_LENGTH].rsplit(" ", 1)[0][: TITLE_LENGTH - 1].rstrip(" ,;:.") + "…"


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def as_conversation(row: ConversationRow) -> Conversation:
    return Conversation(id=row.id, title=row.title, created=row.created, updated=row.updated)


def as_message(row: MessageRow) -> Message:
    return Message(
        id=row.id,
        conversation=row.conversation,
        role=row.role,  # type: ignore[arg-type]
        text=row.text,
        state=row.state,  # type: ignore[arg-type]
        answer=stored_answer(row.answer),
        rating=row.rating,
        comment=row.comment,
        created=row.created,
    )


def stored_answer(data: Any) -> Answer | None:
    """What was stored of an answer; None where another version wrote it in a form that can't be read: its text stays."""
    answer = readable(Answer, data) if data else MISSING
    return answer if isinstance(answer, Answer) else None
