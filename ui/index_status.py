"""The index and the run that builds it in; the badge that every open page shows, live, out."""

from datetime import UTC, datetime

import streamlit as st

from rag.domain import FileRecord
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


AT_WORK_SECONDS = 1.0
AT_REST_SECONDS = 10.0  # every look costs the server and the browser, on each page that is open: at 1 s 15 % and 5 % of a core


def index_status() -> None:
    """The badge: renewed every second while there is something to follow, seldom while there is not."""
    st.fragment(badge, run_every=AT_WORK_SECONDS if followed(look()) else AT_REST_SECONDS)()


def look() -> tuple[str, bool, bool]:
    """What a page depends on: the generation, whether it is loaded, whether a run is at work."""
    snapshot = services().snapshot()
    made = f"{snapshot.generation} {snapshot.manifest.created}" if snapshot else ""
    return made, services().loaded.is_set(), read_status(services().config.documents.index).running


def followed(seen: tuple[str, bool, bool]) -> bool:
    _, loaded, at_work = seen
    return at_work or not loaded or services().expects_change()


def badge() -> None:
    """Reruns the whole page when what it depends on has changed, so that lists, counts and examples follow by themselves."""
    seen = look()
    before = st.session_state.get("index_state", seen)
    st.session_state.index_state = seen
    if before != seen:
        rerun()
    status = read_status(services().config.documents.index)
    snapshot = services().snapshot()
    with st.container(key="index_status", gap="xxsmall"):
        if status.running:
            running(status)
        elif snapshot and readable(snapshot):
            read, files = len(readable(snapshot)), len(snapshot.files)
            documents = counted(read, "document") if read == files else f"{read:,} of {counted(files, 'file')} read"
            st.markdown(f":{'green' if read == files else 'orange'}[●] {documents} · {counted(pages_of(snapshot), 'page')}")
        elif not services().loaded.is_set():
            st.markdown(":blue[●] Loading the index")
        else:
            st.markdown(":orange[●] No documents indexed yet")
        if snapshot and (missing := len(snapshot.files) - len(readable(snapshot))) and not status.running:
            st.caption(f":orange[:material/warning:] {counted(missing, 'file')} not read: see Documents")
        if not status.running and (problem := status.last_error or services().watch_problem()):
            st.caption(f":orange[:material/warning:] {sentence(problem)}")
        model, reason = services().model_note()
        if model:
            st.caption(literal(model), help=literal(reason))


def running(status: IngestStatus) -> None:
    name = literal(status.file.rsplit("/", 1)[-1])
    st.markdown(f":blue[●] {PHASES.get(status.phase, 'Indexing')} {name}")
    if status.files_total:
        st.progress(status.share)
        of_pages = f" · page {status.page} of {status.pages}" if status.pages else ""
        st.caption(f"{status.files_done} of {counted(status.files_total, 'file')} done{of_pages}")


def readable(snapshot: Snapshot) -> list[FileRecord]:
    """The documents there are answers from: those of which at least a part was read."""
    return [record for record in snapshot.files if record.outcome != "failed"]


def pages_of(snapshot: Snapshot) -> int:
    return sum(record.pages for record in readable(snapshot))


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
