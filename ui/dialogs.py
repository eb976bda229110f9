"""Which dialog is open in this session: at most one.

A dialog is modal, so a rerun that somebody's click outside it caused means that it is gone; a rerun of our own making
(the index changed, an answer is finished) must leave it open, and says so by calling `rerun` of this module.
"""

from collections.abc import Callable
from typing import NoReturn

import streamlit as st


def open_dialog(show: Callable[[], None]) -> None:
    st.session_state.dialog = show
    st.session_state.keep_dialog = True


def close_dialog() -> None:
    st.session_state.pop("dialog", None)


def rerun() -> NoReturn:
    """Draws the whole page anew and leaves an open dialog open."""
    st.session_state.keep_dialog = True
    st.rerun()


def show_open_dialog() -> None:
    if not st.session_state.pop("keep_dialog", False):
        close_dialog()
    if show := st.session_state.get("dialog"):
        show()
