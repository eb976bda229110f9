"""The index and the run that builds it in; the badge that every open page shows, live, out."""

from datetime import UTC, datetime

import streamlit as st

from rag.index import Snapshot
from rag.progress import IngestStatus, read_status
from ui.dialogs import rerun
from ui.safe_text import literal, sentence
from ui.services import services

PHASES = {
    "scanning": "Looking for changed documents",
    "reading": "Reading",
    "embedding": "Indexing",
    "publishing": "Putting the new index in place",
}


@st.fragment(run_every=1.0)
def index_status() -> None:
    """Reruns the whole page when the index has changed, so that lists, counts and examples follow by themselves."""
    status = read_status(services().config.documents.index)
    snapshot = services().snapshot()
    state = (snapshot.generation if snapshot else "", services().loaded.is_set())
    if "index_state" in st.session_state and st.session_state.index_state != state:
        st.session_state.index_state = state
        rerun()
    st.session_state.index_state = state
    with st.container(key="index_status", gap="xxsmall"):
        if status.running:
            running(status)
        elif snapshot and snapshot.files:
            st.markdown(f":green[●] {counted(len(snapshot.files), 'document')} · {counted(pages_of(snapshot), 'page')}")
        elif not services().loaded.is_set():
            st.markdown(":blue[●] Loading the index")
        else:
            st.markdown(":orange[●] No documents indexed yet")
        if not status.running and (problem := status.last_error or services().watch_problem()):
            st.caption(f":orange[:material/warning:] {sentence(problem)}")
        model, reason = services().model_note()
        if model:
            st.caption(literal(model), help=literal(reason))


def running(status: IngestStatus) -> None:
    name = literal(status.file.rsplit("/", 1)[-1])
    st.markdown(f":blue[●] {PHASES.get(status.phase, 'Indexing')} {name}")
    if status.files_total:
        within = status.page / status.pages if status.pages else 0.0
        st.progress(min((status.files_done + within) / status.files_total, 1.0))
        of_pages = f" · page {status.page} of {status.pages}" if status.pages else ""
        st.caption(f"{status.files_done} of {counted(status.files_total, 'file')} done{of_pages}")


def pages_of(snapshot: Snapshot) -> int:
    return sum(record.pages for record in snapshot.files)


def searchable_pages(snapshot: Snapshot) -> int:
    """Pages with text, from their text layer or by OCR."""
    return sum(record.pages_by_outcome.get(kind, 0) for record in snapshot.files for kind in ("text", "ocr"))


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def updated(snapshot: Snapshot) -> str:
    return f"updated {ago(datetime.fromisoformat(snapshot.manifest.created), datetime.now(UTC))}"


def ago(moment: datetime, now: datetime) -> str:
    seconds = (now - moment).total_seconds()
    for size, noun in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(int(seconds // size), noun)} ago"
    return "just now"
