"""A question typed in; a streamed answer with its sources, kept in a conversation that has its own address, out."""

from functools import partial

import streamlit as st

from rag.errors import IndexMissing
from rag.history import Message
from ui.answer_jobs import AnswerJob
from ui.answer_view import show_answer, show_question
from ui.asking import ask, ask_again, asked_before_a_reload, why_not_now
from ui.dialogs import rerun
from ui.examples import example_questions
from ui.index_status import counted, pages_of, readable, updated
from ui.safe_text import answer_markdown, literal, sentence
from ui.services import services
from ui.understood import restricted
from ui.visitor import visitor

# Runs once for each id, because Streamlit runs a script that it has not seen yet; again when the answer has its place too.
TO_LAST_QUESTION = """<script>/* MESSAGE */
for (const wait of [0, 300]) setTimeout(() => {
  [...document.querySelectorAll('[aria-label="Chat message from user"]')].pop()?.closest('.stChatMessage').scrollIntoView();
}, wait);
</script>"""
SHOWN_AT_FIRST = 20  # messages; older ones behind a button, because every rerun draws all that are shown


def chat_page() -> None:
    conversation_id = open_conversation()
    # Looked up before the messages: an answer that ends now is then among them.
    job = services().jobs.running(conversation_id) if conversation_id else None
    with st.bottom:  # of the page; placed there by itself, the box would pull every answer to its last line
        ask_or_stop(job)
    if not conversation_id:
        empty_page()
        return
    messages = services().history.messages(conversation_id)
    show_messages(messages, conversation_id)
    show_from_question(messages)
    if job:
        follow(job)


def ask_or_stop(job: AnswerJob | None) -> None:
    """The box for questions; above it, from the first moment of an answer and always in the same place, what ends it."""
    if problem := st.session_state.pop("question_problem", ""):
        st.warning(problem, icon=":material/warning:")
    if job:
        with st.container(horizontal=True, horizontal_alignment="center", key="stop_row"):
            st.button("Stop", key="stop", icon=":material/stop_circle:", on_click=job.stop)
    st.chat_input("Ask about your documents", key="question", submit_mode="disable", on_submit=submit)


def submit(example: str = "") -> None:
    """Asks what was typed, or an example, in the open conversation or a new one. What can't be asked now stays in the box."""
    question = (example or st.session_state.question or "").strip()
    conversation_id = st.query_params.get("chat")
    if not question:
        return
    if problem := why_not_now(services(), conversation_id, question):
        st.session_state.question = question
        st.session_state.question_problem = problem
        return
    if not conversation_id or services().history.conversation(conversation_id) is None:
        conversation_id = services().history.create(owner=visitor()).id
        st.query_params["chat"] = conversation_id
    ask(services(), conversation_id, question)


def open_conversation() -> str | None:
    conversation_id = st.query_params.get("chat")
    if not conversation_id and "chat_opened" not in st.session_state:  # a new session
        conversation_id = asked_before_a_reload(services(), visitor())
        if conversation_id:
            st.query_params["chat"] = conversation_id
    st.session_state.chat_opened = True
    if conversation_id and services().history.conversation(conversation_id) is None:
        del st.query_params["chat"]
        st.info("That conversation is no longer there. Ask something new.", icon=":material/info:")
        return None
    return conversation_id


def show_messages(messages: tuple[Message, ...], conversation_id: str) -> None:
    older = 0 if st.session_state.get("whole_conversation") == conversation_id else max(len(messages) - SHOWN_AT_FIRST, 0)
    if older:
        st.button(f"Show {counted(older, 'earlier message')}", type="tertiary", on_click=show_whole, args=(conversation_id,))
    question = ""
    for number, message in enumerate(messages):
        if message.role == "user":
            question = message.text
        if number < older:
            continue
        if message.role == "user":
            show_question(message.text)
        elif message.state != "running":
            last = number == len(messages) - 1
            again = partial(ask_again, services(), conversation_id, question, message.id) if last else None
            show_answer(message, ask_again=again)


def show_from_question(messages: tuple[Message, ...]) -> None:
    """Brings the last question to the top when it is asked and when its conversation is opened: answers are read from there."""
    if asked := [message.id for message in messages if message.role == "user"]:
        with st.container(key="question_script"):
            st.html(TO_LAST_QUESTION.replace("MESSAGE", str(asked[-1])), unsafe_allow_javascript=True)


def show_whole(conversation_id: str) -> None:
    st.session_state.whole_conversation = conversation_id


def follow(job: AnswerJob) -> None:
    """Shows the answer as it is written. Leaving the page ends this function, not the answer."""
    with st.chat_message("assistant"):
        words = st.empty()
        for text in job.follow():
            words.markdown(answer_markdown(text) + " ▌" if text else f":shimmer[{doing(job)}]", anchors=False)
    rerun()


def doing(job: AnswerJob) -> str:
    if not services().loaded.is_set():
        return "Loading the model"
    if job.queued:
        return "Waiting for another answer to finish"
    if job.retrieval is None:
        return "Searching the documents"
    return f"Reading {counted(len(job.retrieval.passages), 'passage')}{literal(restricted(job.retrieval.query))}"


def empty_page() -> None:
    snapshot = services().snapshot()
    with st.container(key="empty_page", gap="small"):
        st.title("What would you like to know?", anchor=False)
        if snapshot is None or not readable(snapshot):
            nothing_indexed()
            return
        documents = counted(len(readable(snapshot)), "document")
        st.markdown(
            f":gray[Answers come from {documents} with {counted(pages_of(snapshot), 'page')}, "
            f"each with the page it is taken from; {updated(snapshot)}.]"
        )
        st.space("small")
        with st.grid(2, key="examples", min_column_width=260):
            for number, question in enumerate(example_questions(snapshot, services().config.ui.examples)):
                st.button(
                    literal(question),
                    key=f"example_{number}",
                    width="stretch",
                    wrap=True,
                    on_click=submit,
                    args=(question,),
                )


def nothing_indexed() -> None:
    if not services().loaded.is_set():
        st.markdown(":gray[The model and the index are being loaded.]")
        return
    fault = services().index_fault()
    if services().problem or (fault and not isinstance(fault, IndexMissing)):
        st.warning(sentence(services().index_problem()), icon=":material/warning:")
        return
    st.markdown(
        ":gray[There is nothing to answer from yet. Add PDFs on the Documents page or put them into "
        f"{literal(str(services().config.documents.directory))}; they can be asked about within seconds.]"
    )
    st.page_link("documents.py", label="Go to Documents", icon=":material/folder_open:")


chat_page()
