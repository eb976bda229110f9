"""Citations and passages in; chips that open the cited page, highlighted, in a panel beside the conversation, out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote as quoted

import streamlit as st

from rag.citations import page_reference
from rag.domain import Answer, FileRecord
from rag.errors import ReadingError
from ui.page_image import page_image
from ui.safe_text import literal, sentence
from ui.services import services


@dataclass(frozen=True, slots=True)
class Source:
    """A place in a document that a chip leads to; `marker` is None for a page that is near but not cited."""

    file: str
    document: str
    page: int
    page_label: str
    quote: str
    section: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    marker: int | None = None

    @property
    def chip(self) -> str:
        number = f":blue-badge[{self.marker}] " if self.marker else ""
        return f"{number}{literal(f'{shortened(self.document)} · p. {page_reference(self.page, self.page_label)}')}"

    @property
    def place(self) -> str:
        return f"{self.file}, page {page_reference(self.page, self.page_label)}"


def cited_sources(answer: Answer) -> list[Source]:
    """One a citation, with the figures that its passage proves."""
    sources = []
    for cited in answer.citations:
        proven = [check for check in answer.checks if check.proven and check.marker == cited.marker]
        figures = tuple(check.text for check in proven if check.kind != "quotation")
        sources.append(
            Source(
                file=cited.file,
                document=cited.document,
                page=cited.page,
                page_label=cited.page_label,
                quote=cited.quote,
                section=cited.section,
                figures=figures,
                marker=cited.marker,
            )
        )
    return sources


def nearest_sources(answer: Answer) -> list[Source]:
    """The pages that came up in the search, for where nothing is cited; each page once."""
    pages: dict[tuple[str, int], Source] = {}
    for passage in answer.retrieval.passages:
        chunk = passage.chunk
        source = Source(chunk.file, chunk.document, chunk.page, chunk.page_label, chunk.text, chunk.section)
        pages.setdefault((chunk.file, chunk.page), source)
    return list(pages.values())


def chips(sources: Sequence[Source], *, key: str) -> None:
    with st.container(horizontal=True, gap="xsmall", key=f"chips_{key}"):
        for number, source in enumerate(sources):
            st.button(
                source.chip,
                key=f"chip_{key}_{number}",
                help=literal(" › ".join(source.section)) or None,
                on_click=open_source,
                args=(source,),
                icon=None if source.marker else ":material/description:",
            )


def open_source(source: Source) -> None:
    st.session_state.source = source
    st.session_state.shown_page = source.page
    st.session_state.pop("source_place", None)


def close_source() -> None:
    st.session_state.pop("source", None)


def source_panel(place: tuple[str, str | None]) -> None:
    """The opened page, beside whatever `place` (page of the app, conversation) it was opened at, and gone with it.

    Not a dialog: one may go on asking and click anywhere while it is open. style.css puts it there.
    """
    if st.session_state.setdefault("source_place", place) != place:
        close_source()
    source: Source | None = st.session_state.get("source")
    with st.container(key="source_panel", gap="small"):
        if source:
            with st.container(horizontal=True, vertical_alignment="center", wrap=False, key="source_title"):
                st.subheader(literal(source.document), anchor=False, width="stretch")
                st.button(
                    "Close", key="close_source", icon=":material/close:", type="tertiary", shortcut="Esc", on_click=close_source
                )
            show_page(source)


def show_page(source: Source) -> None:
    """The page in the panel: the cited one first, its neighbours by the arrows."""
    number = st.session_state.get("shown_page", source.page)
    record = record_of(source.file)
    if record is None:
        st.warning(f"{literal(source.file)} is no longer among the documents, so its pages can't be shown.")
        return
    pages = max(record.pages, 1)
    unreadable = {page: reason for page, outcome, reason in record.page_notes if outcome == "failed"}
    cited = number == source.page
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.button(
            "Previous page",
            key="previous_page",
            icon=":material/chevron_left:",
            on_click=turn_page,
            args=(-1, pages),
        )
        st.button(
            "Next page",
            key="next_page",
            icon=":material/chevron_right:",
            on_click=turn_page,
            args=(1, pages),
        )
        st.link_button("Open PDF", document_url(record, number), icon=":material/open_in_new:")
        st.download_button(
            "Download",
            data=partial(services().document_path(source.file).read_bytes),
            file_name=source.file.rsplit("/", 1)[-1],
            mime="application/pdf",
            icon=":material/download:",
            on_click="ignore",
        )
    place = source.place if cited else f"{source.file}, page {number}"
    st.caption(
        f"{literal(place)} of {pages}" + (f" · {literal(' › '.join(source.section))}" if cited and source.section else "")
    )
    if number in unreadable:  # a page that the reader gave up on could bring down this process too
        st.warning(f"Page {number} could not be read: {sentence(unreadable[number])} Open the PDF to see it.")
        return
    quote, figures = (source.quote, source.figures) if cited else ("", ())
    try:
        image = page_image(services().document_path(source.file), record.sha256, number, quote, figures)
    except ReadingError as error:
        st.warning(sentence(str(error)))
        return
    if cited and not image.passage_marks:
        st.info("The passage can't be marked on this page: it is a scan, or the PDF holds its text differently. It reads:")
        st.text(source.quote)
    marked = ", the cited passage highlighted" if image.passage_marks else ""
    with st.container(key="page_picture", border=True):
        st.image(image.jpeg, width="stretch", output_format="JPEG", alt=f"Page {number} of {source.document}{marked}")


def turn_page(step: int, pages: int) -> None:
    """Stays at the first and the last page: a button that switched itself off would lose the keyboard's focus."""
    st.session_state.shown_page = min(max(st.session_state.shown_page + step, 1), pages)


def record_of(file: str) -> FileRecord | None:
    snapshot = services().snapshot()
    return next((record for record in snapshot.files if file in record.paths), None) if snapshot else None


def document_url(record: FileRecord, page: int) -> str:
    """Served by app.py, for documents of the live index only."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"{'/' + base if base else ''}/api/documents/{record.sha256}/{quoted(record.path.rsplit('/', 1)[-1])}#page={page}"


def shortened(title: str, length: int = 48) -> str:
    return title if len(title) <= length else title[: length - 1].rstrip() + "…"
