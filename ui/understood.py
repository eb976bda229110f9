"""How a question was read in; a follow-up's completed question, the filters and the spelled-out abbreviations, which can be
undone one by one, out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from rag.domain import Filters, Query
from rag.filters import describe
from ui.safe_text import literal

FILTER_NAMES = {"organisation": "Organisation", "year": "Year", "quarter": "Quarter", "document_type": "Type", "file": "File"}
AskAgain = Callable[..., None]


def understood(query: Query, *, key: str, ask_again: AskAgain | None) -> None:
    """`ask_again(filters=…, skip=…)` answers the question anew; None where it is not the last one of its conversation.

    What was undone before stays so: the session keeps the abbreviations to leave alone, the query its own filters.
    """
    left_alone: tuple[str, ...] = st.session_state.get(f"left_alone_{key}", ())
    readings = [
        (
            f"{FILTER_NAMES[name]}: {literal(value)}",
            f"only_{name}_{value}",
            "Answer again without this restriction.",
            {"filters": without(query.filters, name, value), "skip": left_alone},
        )
        for name, values in query.filters.as_dict().items()
        for value in values
    ]
    readings += [
        (
            f"{literal(expansion.term)} = {literal(expansion.definition)}",
            f"term_{expansion.term}",
            "Answer again with this abbreviation as it was typed.",
            {"filters": query.filters, "skip": (*left_alone, expansion.term)},
        )
        for expansion in query.expansions
    ]
    completed = f" “{literal(query.standalone)}”" if query.rewritten_by and query.standalone != query.question else ""
    if not readings and not completed:
        return
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key=f"understood_{key}"):
        st.caption(f"Understood as{completed}", width="content")
        for label, name, undo, changed in readings:
            if ask_again is None:
                st.badge(label, color="gray")
                continue
            st.button(
                label,
                key=f"undo_{key}_{name}",
                icon=":material/close:",
                icon_position="right",
                help=undo,
                on_click=again,
                args=(ask_again, key, changed),
            )


def again(ask_again: AskAgain, key: str, changed: dict[str, Any]) -> None:
    st.session_state[f"left_alone_{key}"] = changed["skip"]
    ask_again(**changed)


def without(filters: Filters, name: str, value: str) -> Filters:
    return replace(filters, **{name: tuple(kept for kept in getattr(filters, name) if kept != value)})


def restricted(query: Query) -> str:
    """ " from documents with year 2025", while the answer is written; "" where all documents are searched."""
    return f" from documents with {describe(query.filters)}" if query.filters else ""
