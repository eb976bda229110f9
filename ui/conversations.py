"""The stored conversations in; the sidebar's list, with rename, export and delete, out."""

from datetime import UTC, datetime, timedelta
from functools import partial

import streamlit as st

from rag.history import TITLE_LENGTH, Conversation
from ui.dialogs import close_dialog, open_dialog
from ui.export import conversation_as_markdown
from ui.safe_text import literal
from ui.services import services
from ui.visitor import visitor

SHOWN_AT_FIRST = 12


def conversation_list(current: str | None) -> None:
    conversations = services().history.list_conversations(owner=visitor())
    if not conversations:
        return
    shown = conversations if st.session_state.get("all_conversations") else conversations[:SHOWN_AT_FIRST]
    behind = timedelta(minutes=st.context.timezone_offset or 0)  # the browser's clock behind UTC
    now = datetime.now(UTC).replace(tzinfo=None) - behind
    heading = ""
    with st.container(gap=None, key="conversations"):
        for conversation in shown:
            if (period := period_of(conversation.updated - behind, now)) != heading:
                heading = period
                st.caption(heading)
            row(conversation, selected=conversation.id == current)
        if len(shown) < len(conversations):
            st.button(f"Show all {len(conversations)}", key="show_all", type="tertiary", on_click=show_all)


def row(conversation: Conversation, *, selected: bool) -> None:
    name = "selected_row" if selected else "row"
    with st.container(horizontal=True, wrap=False, gap=None, vertical_alignment="center", key=f"{name}_{conversation.id}"):
        if st.button(
            literal(conversation.title or "Untitled"), key=f"open_{conversation.id}", type="tertiary", width="stretch"
        ):
            st.switch_page("chat.py", query_params={"chat": conversation.id})
        st.menu_button(
            "Actions",
            ["Rename", "Export", "Delete"],
            key=f"menu_{conversation.id}",
            type="tertiary",
            icon=":material/more_horiz:",
            on_click=act,
            args=(conversation.id,),
        )


def act(conversation_id: str) -> None:
    dialogs = {"Rename": rename, "Export": export, "Delete": delete}
    if chosen := st.session_state.get(f"menu_{conversation_id}"):
        open_dialog(partial(dialogs[chosen], conversation_id))


def rename(conversation_id: str) -> None:
    @st.dialog("Rename conversation", on_dismiss=close_dialog)
    def ask_name() -> None:
        conversation = services().history.conversation(conversation_id)
        with st.form("rename", border=False):
            # Not max_chars: the box would then take nothing at all of a longer name that is pasted.
            title = st.text_input("Name", value=conversation.title if conversation else "").strip()
            if st.form_submit_button("Save", type="primary"):
                if problem := problem_of_name(title):
                    st.warning(problem)
                else:
                    services().history.rename(conversation_id, title)
                    close_dialog()
                    st.rerun()

    ask_name()


def problem_of_name(title: str) -> str:
    if not title:
        return "Type a name."
    if len(title) > TITLE_LENGTH:
        return f"This name has {len(title):,} characters, and {TITLE_LENGTH} are the most that fit: shorten it."
    return ""


def export(conversation_id: str) -> None:
    @st.dialog("Export conversation", on_dismiss=close_dialog)
    def offer_download() -> None:
        conversation = services().history.conversation(conversation_id)
        title = conversation.title if conversation else "Conversation"
        st.markdown("The questions, the answers and their sources with page numbers and quotations, as Markdown.")
        st.download_button(
            "Download",
            data=conversation_as_markdown(title, services().history.messages(conversation_id)),
            file_name=f"{''.join(c if c.isalnum() else '-' for c in title)[:60].strip('-') or 'conversation'}.md",
            mime="text/markdown",
            type="primary",
            icon=":material/download:",
            on_click="ignore",
        )

    offer_download()


def delete(conversation_id: str) -> None:
    @st.dialog("Delete this conversation?", on_dismiss=close_dialog)
    def confirm() -> None:
        conversation = services().history.conversation(conversation_id)
        st.markdown(f"“{literal(conversation.title if conversation else '')}” and its answers will be gone for good.")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Keep it", key="keep"):
                close_dialog()
                st.rerun()
            if st.button("Delete", key="confirm_delete", type="primary"):
                if job := services().jobs.running(conversation_id):
                    job.stop()
                if chat := services().opened_chat:
                    chat.forget(conversation_id)
                services().history.delete(conversation_id)
                close_dialog()
                if st.query_params.get("chat") == conversation_id:
                    del st.query_params["chat"]
                st.rerun()

    confirm()


def show_all() -> None:
    st.session_state.all_conversations = True


def period_of(updated: datetime, now: datetime) -> str:
    days = (now.date() - updated.date()).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    return "Last 7 days" if updated > now - timedelta(days=7) else "Older"
