"""A finished answer in; how it was found out: the query, glossary and filters with their undo, every stage with its time."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from rag.domain import Answer, Filters, Query, TraceStep
from ui.safe_text import literal

FILTER_NAMES = {"organisation": "Organisation", "year": "Year", "quarter": "Quarter", "document_type": "Type", "file": "File"}
STAGES = {
    "filters": "Restricted",
    "embed": "Question as a vector",
    "dense": "Ranked by meaning",
    "lexical": "Ranked by words",
    "reference": "Exact references",
    "fuse": "Rankings fused",
    "rerank": "Reranked",
    "read": "Read around",
    "answer": "Answered",
    "check": "Checked",
}
AskAgain = Callable[..., None]


def how_found(answer: Answer, *, key: str, ask_again: AskAgain | None) -> None:
    """`ask_again(filters=…, expand=…)` answers the question anew; None where it is not the last one of its conversation."""
    query = answer.retrieval.query
    steps = (*answer.retrieval.trace, *answer.trace)
    total = sum(step.milliseconds for step in steps)
    section = st.expander("How I found this", key=f"how_{key}", type="compact", on_change="rerun", icon=":material/route:")
    if not section.open:
        return
    with section, st.container(key=f"trace_{key}", border=True):
        queries(query)
        expansions(query, key=key, ask_again=ask_again)
        filter_chips(query, key=key, ask_again=ask_again)
        for step in steps:
            if step.stage != "query":  # it stands above
                stage(step)
        model = f" · {literal(answer.model)}" if answer.model else ""
        st.caption(f"{milliseconds(total)} in all · index {literal(answer.retrieval.generation)}{model}")


def queries(query: Query) -> None:
    if query.standalone != query.question:
        by = f" (by {literal(query.rewritten_by)})" if query.rewritten_by else ""
        st.markdown(f"**Understood as**{by}: {literal(query.standalone)}")
    st.markdown(f"**Searched for**: {literal(query.expanded)}")


def expansions(query: Query, *, key: str, ask_again: AskAgain | None) -> None:
    if not query.expansions:
        return
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.markdown("**Glossary**", width="content")
        for expansion in query.expansions:
            st.badge(f"{literal(expansion.term)} = {literal(expansion.definition)}", color="gray")
        if ask_again:
            st.button(
                "Search without it",
                key=f"unexpanded_{key}",
                type="tertiary",
                icon=":material/undo:",
                help="Answer again with the abbreviations as they were typed.",
                on_click=ask_again,
                kwargs={"expand": False, "filters": query.filters},
            )


def filter_chips(query: Query, *, key: str, ask_again: AskAgain | None) -> None:
    chosen = [(name, value) for name, values in query.filters.as_dict().items() for value in values]
    if not chosen:
        return
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.markdown("**Only**", width="content")
        for number, (name, value) in enumerate(chosen):
            st.button(
                f"{FILTER_NAMES[name]}: {literal(value)}",
                key=f"filter_{key}_{number}",
                icon=":material/close:" if ask_again else None,
                icon_position="right",
                disabled=ask_again is None,
                help="Search again without this restriction." if ask_again else None,
                on_click=ask_again,
                kwargs={"filters": without(query.filters, name, value), "expand": bool(query.expansions)},
            )


def without(filters: Filters, name: str, value: str) -> Filters:
    return replace(filters, **{name: tuple(kept for kept in getattr(filters, name) if kept != value)})


def stage(step: TraceStep) -> None:
    name = STAGES.get(step.stage, step.stage.capitalize())
    st.markdown(f"**{literal(name)}** · {literal(step.note)} :gray[{milliseconds(step.milliseconds)}]")
    if step.items:
        st.dataframe([shown(item) for item in step.items], hide_index=True, height="content" if len(step.items) < 6 else 215)


def shown(item: Mapping[str, object]) -> dict[str, Any]:
    return {
        name.replace("_", " ").capitalize(): ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        for name, value in item.items()
    }


def milliseconds(value: float) -> str:
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"
