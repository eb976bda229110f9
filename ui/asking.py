"""A question asked on a page in; an answer job that stores what it has written, however it ends, out."""

from rag.citations import cite
from rag.domain import Answer, Filters
from ui.answer_jobs import AnswerJob
from ui.services import Services


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
    expand: bool = True,
) -> None:
    """Answers once more in the place of an earlier answer, whose rating goes with it.

    `filters` None lets the question's own words choose them; `Filters()` searches everything.
    """
    if services.jobs.running(conversation):
        return
    if services.opened_chat:
        services.opened_chat.forget(conversation)  # or the question would lean on its own earlier answer
    services.history.rate(message_id, None)
    services.history.finish_answer(message_id, text="", state="running")
    start(services, conversation, question, message_id, filters=filters, expand=expand)


def start(
    services: Services,
    conversation: str,
    question: str,
    message_id: int,
    *,
    filters: Filters | None = None,
    expand: bool = True,
) -> AnswerJob:
    def events():
        chat = services.chat()
        return chat.ask(question, filters=filters, expand=expand, conversation=conversation)

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
