"""Which dialog is open in this session: at most one, kept open across reruns until it is dismissed."""

from collections.abc import Callable

import streamlit as st


def open_dialog(show: Callable[[], None]) -> None:
    st.session_state.dialog = show


def close_dialog() -> None:
    st.session_state.pop("dialog", None)


def show_open_dialog() -> None:
    if show := st.session_state.get("dialog"):
        show()
