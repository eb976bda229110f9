"""A finished answer in; how it was found out: the query, and every stage with its time and what it ranked."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from rag.domain import Answer, Query, TraceStep
from ui.safe_text import literal

STAGES = {
    "cache": "Remembered",
    "filters": "Restricted",
    "embed": "Question as a vector",
    "dense": "Ranked by meaning",
    "lexical": "Ranked by words",
    "reference": "Exact references",
    "fuse": "Rankings fused",
    "reworded": "In the documents' words",
    "rerank": "Reranked",
    "recency": "Weighed by age",
    "part": "A part of the question",
    "numbered": "Documents by their number",
    "revisions": "Replaced documents",
    "evidence": "Confidence",
    "read": "Read around",
    "rules": "Approval rules",
    "answer": "Answered",
    "check": "Checked",
}
FOUND_BY = {"dense": "meaning", "lexical": "words", "reference": "exact reference"}


def how_found(answer: Answer, *, key: str) -> None:
    query = answer.retrieval.query
    steps = (*answer.retrieval.trace, *answer.trace)
    total = sum(step.milliseconds for step in steps)
    section = st.expander("How I found this", key=f"how_{key}", type="compact", on_change="rerun", icon=":material/route:")
    if not section.open:
        return
    with section, st.container(key=f"trace_{key}", border=True):
        queries(query)
        for step in steps:
            if step.stage != "query":  # it stands above
                stage(step)
        model = f" · {literal(answer.model)}" if answer.model else ""
        st.caption(f"{milliseconds(total)} in all · index {literal(answer.retrieval.generation)}{model}")


def queries(query: Query) -> None:
    if query.standalone != query.question:
        by = f" (by {literal(query.rewritten_by)})" if query.rewritten_by else ""
        st.markdown(f"**Understood as**{by}: {literal(query.standalone)}")
    without = " (without the words that choose the documents)" if query.filters else ""
    st.markdown(f"**Searched for**{without}: {literal(query.expanded)}")


def stage(step: TraceStep) -> None:
    name = STAGES.get(step.stage, step.stage.capitalize())
    st.markdown(f"**{literal(name)}** · {literal(step.note)} :gray[{milliseconds(step.milliseconds)}]")
    if step.items:
        st.dataframe([shown(item) for item in step.items], hide_index=True, height="content" if len(step.items) < 6 else 215)


def shown(item: Mapping[str, object]) -> dict[str, Any]:
    return {name.replace("_", " ").capitalize(): shown_value(value) for name, value in item.items()}


def shown_value(value: object) -> Any:
    if isinstance(value, (list, tuple)):
        return ", ".join(FOUND_BY.get(str(each), str(each)) for each in value)
    return value


def milliseconds(value: float) -> str:
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"
