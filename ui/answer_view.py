"""A stored message in; the question or the answer as people see it, with its sources, checks and actions, out."""

import streamlit as st

from rag.domain import Answer, FigureCheck
from rag.history import Message
from rag.llm.extractive import NAME as NO_MODEL
from ui.export import answer_as_markdown
from ui.how_found import how_found
from ui.index_status import counted
from ui.safe_text import answer_markdown, literal, sentence
from ui.services import services
from ui.sources import chips, cited_sources, nearest_sources
from ui.understood import AskAgain, understood

FIGURES_NAMED = 8
THUMBS = {1: 1, 0: -1, None: None}  # Streamlit's value of a thumb, and the rating that is stored


def show_question(text: str) -> None:
    with st.chat_message("user"):
        st.text(text)


def show_answer(message: Message, *, ask_again: AskAgain | None) -> None:
    """`ask_again` is given for the last answer of a conversation only."""
    with st.chat_message("assistant"):
        answer = message.answer
        if message.state in ("done", "stopped") and answer is None and message.text:
            show_text_alone(message)
        elif message.state in ("error", "interrupted") or answer is None:
            show_failure(message)
        if answer is not None:
            show_text_and_sources(message, answer)
            show_checks(answer.checks)
            understood(answer.retrieval.query, key=str(message.id), ask_again=ask_again)
        if message.state == "stopped":
            st.caption("You stopped this answer.")
        if ask_again and message.state != "done":
            st.button("Try again", key=f"again_{message.id}", icon=":material/refresh:", on_click=ask_again)
        if answer is not None:
            show_actions(message, answer)
            how_found(answer, key=str(message.id))


def caveat(text: str) -> None:
    st.markdown(f":orange[:material/info:] {text}")


def show_text_alone(message: Message) -> None:
    """An answer that was stored in a form which this version can't read: its text, and that the rest is missing."""
    st.markdown(answer_markdown(message.text), anchors=False)
    st.caption("Another version of this program stored the sources of this answer, so they can't be shown.")


def show_failure(message: Message) -> None:
    if message.state == "interrupted":
        st.warning("This answer was interrupted before it was finished.", icon=":material/warning:")
    elif message.answer and message.answer.notices:
        cause, *fix = message.answer.notices
        st.error(f"**{sentence(cause)}** {sentence(' '.join(fix))}", icon=":material/error:")
    elif message.text:
        st.error(sentence(message.text), icon=":material/error:")


def show_text_and_sources(message: Message, answer: Answer) -> None:
    if answer.text:
        st.markdown(answer_markdown(answer.text), anchors=False)
    if message.state == "done":
        for notice in answer.notices:
            caveat(sentence(notice))
    if sources := cited_sources(answer):
        chips(sources, key=str(message.id))
    elif nearest := nearest_sources(answer):
        st.caption("Nearest pages" if message.state == "done" else "Pages that were found")
        chips(nearest, key=str(message.id))


def show_checks(checks: tuple[FigureCheck, ...]) -> None:
    """Every figure and quotation that was looked up; what was not found there stands first and in colour."""
    missing = [check for check in checks if not check.proven]
    proven = [check for check in checks if check.proven]
    if missing:
        st.markdown(f":orange-badge[:material/warning: Not found on the cited pages: {named(missing)}]")
    if proven:
        st.caption(f":green[:material/check_circle:] Found on the cited pages: {named(proven)}")


def named(checks: list[FigureCheck]) -> str:
    """Figures by name, quotations, which are long and stand in the answer, by their number."""
    figures = list(dict.fromkeys(literal(check.text) for check in checks if check.kind != "quotation"))
    quotations = sum(check.kind == "quotation" for check in checks)
    parts = figures[:FIGURES_NAMED]
    if len(figures) > FIGURES_NAMED:
        parts.append(f"{len(figures) - FIGURES_NAMED} more")
    if quotations:
        parts.append(counted(quotations, "quotation"))
    return ", ".join(parts)


def show_actions(message: Message, answer: Answer) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"actions_{message.id}"):
        st.feedback(
            "thumbs",
            key=f"rating_{message.id}",
            default={1: 1, -1: 0}.get(message.rating or 0),
            on_change=rate,
            args=(message.id,),
        )
        with st.popover("Copy", icon=":material/content_copy:", type="tertiary"):
            st.code(answer_as_markdown(message.text, answer), language=None, wrap_lines=True, height=260)
        if answer.model:
            model = "Quoted, no language model" if answer.model == NO_MODEL else answer.model
            st.caption(literal(model), width="content")
    if message.rating == -1:
        st.text_input(
            "What was wrong or missing?",
            value=message.comment,
            key=f"comment_{message.id}",
            placeholder="What was wrong or missing? (optional)",
            label_visibility="collapsed",
            on_change=rate,
            args=(message.id,),
        )


def rate(message_id: int) -> None:
    rating = THUMBS[st.session_state.get(f"rating_{message_id}")]
    comment = st.session_state.get(f"comment_{message_id}", "") if rating == -1 else ""
    services().history.rate(message_id, rating, comment=comment)
    st.toast("Thank you." if rating == 1 else "Noted. A word on what was wrong helps." if rating else "Rating taken back.")
