"""A question asked on a page in; an answer job that stores what it has written, however it ends, out."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from rag.citations import cite
from rag.domain import Answer, Filters
from ui.answer_jobs import AnswerJob
from ui.services import Services

RELOADED_WITHIN = timedelta(seconds=10)


def why_not_now(services: Services, conversation: str | None, question: str) -> str:
    """Why the question can't be asked, for the person who typed it; "" if it can."""
    longest = services.config.chat.max_question_characters
    if len(question) > longest:
        return (
            f"This question has {len(question):,} characters, and {longest:,} are the most that can be asked at once. "
            "It is still in the box: shorten it and send it again."
        )
    if conversation and services.jobs.running(conversation):
        return "The last question is still being answered. Yours is in the box: send it when the answer is there."
    return ""


def asked_before_a_reload(services: Services, visitor: str) -> str | None:
    """The conversation that a browser started just before it reloaded, sooner than it had heard of its address."""
    if not visitor:  # without a name of its own, a browser can't be told from others
        return None
    now = datetime.now(UTC).replace(tzinfo=None)
    latest = services.history.list_conversations(owner=visitor, limit=1)
    return next((conversation.id for conversation in latest if now - conversation.created < RELOADED_WITHIN), None)


def ask(services: Services, conversation: str, question: str) -> AnswerJob:
    """Stores the question and starts answering it."""
    if running := services.jobs.running(conversation):
        return running
    services.history.add_question(conversation, question)
    message = services.history.start_answer(conversation)
    return start(services, conversation, question, message.id)


def ask_again(
    services: Services,
    conversation: str,
    question: str,
    message_id: int,
    *,
    filters: Filters | None = None,
    skip: Collection[str] = (),
) -> None:
    """Answers once more in the place of an earlier answer, whose rating goes with it.

    `filters` None lets the question's own words choose them; `Filters()` searches everything. `skip` names abbreviations
    that are not to be spelled out.
    """
    if services.jobs.running(conversation):
        return
    if services.opened_chat:
        services.opened_chat.forget(conversation)  # or the question would lean on its own earlier answer
    services.history.rate(message_id, None)
    services.history.finish_answer(message_id, text="", state="running")
    start(services, conversation, question, message_id, filters=filters, skip=skip)


def start(
    services: Services,
    conversation: str,
    question: str,
    message_id: int,
    *,
    filters: Filters | None = None,
    skip: Collection[str] = (),
) -> AnswerJob:
    def events():
        chat = services.chat()
        return chat.ask(question, filters=filters, skip=skip, conversation=conversation)

    def save(job: AnswerJob) -> None:
        answer = job.answer or partial_answer(job)
        text = answer.text if answer else " ".join(filter(None, (job.problem, job.fix)))
        services.history.finish_answer(message_id, text=text, state=job.state, answer=answer)

    return services.jobs.start(conversation, events, save)


def partial_answer(job: AnswerJob) -> Answer | None:
    """What there is of an answer that was stopped or failed, with its sources; None where nothing was found yet."""
    if job.retrieval is None:
        return None
    cited = cite(job.text, job.retrieval.passages)
    return Answer(
        text=cited.text,
        tier=job.tier,
        citations=cited.citations,
        checks=(),
        model="",
        retrieval=job.retrieval,
        notices=tuple(filter(None, (job.problem, job.fix))),
        complete=False,
        invented_markers=cited.invented,
    )
