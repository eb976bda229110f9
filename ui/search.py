"""Words typed in; the passages that match best, without any model's words, out."""

import re

import streamlit as st

from rag.domain import Passage
from rag.errors import ProductError
from ui.how_found import FOUND_BY, milliseconds, queries
from ui.index_status import counted
from ui.safe_text import literal, sentence
from ui.services import services
from ui.sources import Source, chips

RESULTS = 10
BOLD = re.compile(r"\*\*(.+?)\*\*")


def search_page() -> None:
    st.title("Search", anchor=False)
    words = st.text_input(
        "Search the documents",
        key="words",
        placeholder="Words, a clause number, an amount",
        label_visibility="collapsed",
        bind="query-params",
        icon=":material/search:",
    )
    if not words or not words.strip():
        st.caption("Finds passages, a page at most once, and writes nothing of its own.")
        return
    try:
        with st.spinner("Searching"):
            retrieval = services().chat().search(words.strip(), k=RESULTS)
    except ProductError as error:
        st.warning(sentence(str(error)), icon=":material/warning:")
        return
    for notice in retrieval.notices:
        st.caption(sentence(notice))
    if not retrieval.passages:
        st.markdown("Nothing matches. Try other words, or fewer.")
        return
    queries(retrieval.query)
    for number, passage in enumerate(retrieval.passages):
        result(passage, number)
    spent = milliseconds(sum(step.milliseconds for step in retrieval.trace))
    st.caption(f"{counted(len(retrieval.passages), 'page')} in {spent}")


def result(passage: Passage, number: int) -> None:
    chunk = passage.chunk
    with st.container(border=True, gap="xsmall", key=f"result_{number}"):
        source = Source(chunk.file, chunk.document, chunk.page, chunk.page_label, chunk.text, chunk.section)
        with st.container(horizontal=True, vertical_alignment="center"):
            chips([source], key=f"result_{number}")
            st.caption("found by " + " and ".join(FOUND_BY[name] for name in passage.found_by), width="content")
        if chunk.section:
            st.caption(literal(" › ".join(chunk.section)))
        if chunk.kind == "table":
            st.markdown(table_text(chunk.text))
        else:
            st.markdown(literal(chunk.text))


def table_text(markdown: str) -> str:
    """The rows of a table chunk as a table, each cell's text as it is; its caption and units above it."""
    lines = []
    for line in markdown.splitlines():
        is_rule = set(line) <= set("|-: ")
        lines.append(line if is_rule else "|".join(literal(cell) for cell in BOLD.sub(r"\1", line).split("|")))
    return "\n".join(lines)


search_page()
