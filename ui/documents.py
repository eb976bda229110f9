"""The folder and the index in; every document with what was read of it, what needs attention first, upload and delete, out."""

import hashlib
from functools import partial
from pathlib import Path

import streamlit as st

from rag.coverage import coverage
from rag.domain import FileRecord
from rag.index import Snapshot
from ui.dialogs import close_dialog, open_dialog
from ui.index_status import counted, updated
from ui.safe_text import literal, sentence
from ui.services import services
from ui.sources import Source, open_source
from ui.uploads import Upload, delete_document, store_upload

PAGE_SIZE = 20
NOTES_SHOWN = 8
OUTCOMES = {"read": ("Read", "green"), "partly": ("Partly read", "orange"), "failed": ("Not read", "red")}
UPLOAD_ICONS = {
    "added": ":green[:material/check_circle:]",
    "replaced": ":green[:material/published_with_changes:]",
    "unchanged": ":gray[:material/info:]",
    "duplicate": ":gray[:material/info:]",
    "refused": ":red[:material/block:]",
}


def documents_page() -> None:
    snapshot = services().snapshot()
    records = snapshot.files if snapshot else ()
    st.title("Documents", anchor=False)
    if snapshot:
        summary(snapshot)
    elif problem := services().index_problem():
        st.caption(sentence(problem))
    if services().config.ui.allow_upload:
        upload(records)
    waiting(records)
    attention([record for record in records if record.outcome != "read"])
    everything(sorted(records, key=lambda record: record.title.casefold()))


def summary(snapshot: Snapshot) -> None:
    found = coverage(snapshot.files)
    of_files = "" if found.not_read else f"in {counted(found.files, 'document')} · "
    st.markdown(f"**{found}** :gray[{'· ' if found.not_read else ''}{of_files}{updated(snapshot)}]")


def upload(records: tuple[FileRecord, ...]) -> None:
    settings = services().config.ui
    turn = st.session_state.setdefault("upload_turn", 0)
    files = st.file_uploader(
        f"Add PDFs (up to {settings.max_upload_mb} MB each)",
        type="pdf",
        accept_multiple_files=True,
        max_upload_size=settings.max_upload_mb,
        key=f"upload_{turn}",
    )
    if files:
        folder = services().config.documents.directory
        st.session_state.uploads = [
            store_upload(file.name, file.getvalue(), folder, records=records, max_mb=settings.max_upload_mb) for file in files
        ]
        services().expect_change()
        st.session_state.upload_turn = turn + 1  # an empty uploader, so that a rerun does not store them again
        st.rerun()
    for result in st.session_state.get("uploads", ()):
        upload_result(result)


def upload_result(result: Upload) -> None:
    st.markdown(f"{UPLOAD_ICONS[result.outcome]} {literal(result.message)}")


def waiting(records: tuple[FileRecord, ...]) -> None:
    """Files that are in the folder but not in the index yet."""
    folder = services().config.documents.directory
    known = {path for record in records for path in record.paths}
    new = sorted(path for path in pdfs_in(folder) if path not in known)
    if new:
        named = ", ".join(literal(path) for path in new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")
        st.markdown(f":blue[:material/hourglass_top: Waiting to be indexed:] {named}")


def pdfs_in(folder: Path) -> list[str]:
    found = [file.relative_to(folder) for file in folder.rglob("*") if file.suffix.lower() == ".pdf"]
    return [path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts)]


def attention(records: list[FileRecord]) -> None:
    if not records:
        return
    st.subheader(f"Needs attention ({len(records)})", anchor=False)
    ordered = sorted(records, key=lambda record: (record.outcome != "failed", record.title.casefold()))
    for record in part_shown(ordered, "attention_page"):
        with st.container(border=True, key=f"attention_{name_of(record)}", gap="xsmall"):
            row(record, key="attention")
            if record.reason:
                advice = f" **{sentence(record.next_step)}**" if record.next_step else ""
                st.markdown(f"{sentence(record.reason)}{advice}")
            for page, outcome, reason in record.page_notes[:NOTES_SHOWN]:
                st.caption(f"Page {page} · {outcome}{': ' + literal(reason) if reason else ''}")
            if len(record.page_notes) > NOTES_SHOWN:
                st.caption(f"and {counted(len(record.page_notes) - NOTES_SHOWN, 'more page')}")
    page_choice(ordered, "attention_page")


def part_shown(records: list[FileRecord], key: str) -> list[FileRecord]:
    """Those of the chosen page of a long list."""
    current = st.session_state.get(key, 1) if len(records) > PAGE_SIZE else 1
    return records[(current - 1) * PAGE_SIZE : current * PAGE_SIZE]


def page_choice(records: list[FileRecord], key: str) -> None:
    if len(records) > PAGE_SIZE:
        st.pagination(-(-len(records) // PAGE_SIZE), key=key)


def name_of(record: FileRecord) -> str:
    """Names the record's elements; a file that could not be opened has no hash, but its path in place of one."""
    return hashlib.sha256(record.sha256.encode()).hexdigest()[:16]


def everything(records: list[FileRecord]) -> None:
    if not records:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("All documents", anchor=False, width="stretch")
        wanted = st.text_input("Find a document", placeholder="Find a document", label_visibility="collapsed", width=240)
    found = [record for record in records if wanted.casefold() in f"{record.title} {' '.join(record.paths)}".casefold()]
    if not found:
        st.caption("No document has that in its name.")
        return
    with st.container(gap=None, border=True, key="documents"):
        for record in part_shown(found, "documents_page"):
            row(record, key="all")
    page_choice(found, "documents_page")


def row(record: FileRecord, *, key: str) -> None:
    name, colour = OUTCOMES[record.outcome]
    there = (services().config.documents.directory / record.path).is_file()
    if not there and record.outcome != "failed":
        name, colour = "Being removed", "gray"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"document_{key}_{name_of(record)}"):
        with st.container(gap=None):
            st.markdown(f"**{literal(record.title)}**")
            if about := details(record):
                st.caption(" · ".join(about))
        st.badge(name, color=colour)  # type: ignore[arg-type]
        actions = ["Open"] if record.pages else []
        if services().config.ui.allow_upload and there:
            actions.append("Delete")
        if actions:
            st.menu_button(
                "Actions",
                actions,
                key=f"do_{key}_{name_of(record)}",
                type="tertiary",
                icon=":material/more_horiz:",
                on_click=act,
                args=(record, f"do_{key}_{name_of(record)}"),
            )


def details(record: FileRecord) -> list[str]:
    counts = record.pages_by_outcome
    parts = [literal(record.path)] if record.path != record.title else []
    parts += [f"also {literal(path)}" for path in record.paths[1:]]
    if record.pages:
        parts.append(counted(record.pages, "page"))
    if counts.get("ocr"):
        parts.append(f"{counts['ocr']:,} read by OCR")
    if counts.get("empty"):
        parts.append(f"{counts['empty']:,} empty")
    if counts.get("failed"):
        parts.append(f"{counts['failed']:,} not read")
    for name, words in (("revision", "revision"), ("effective_date", "in force from")):
        if name in record.metadata:
            parts.append(f"{words} {literal(record.metadata[name].value)}")
    return parts


def act(record: FileRecord, menu: str) -> None:
    match st.session_state.get(menu):
        case "Open":
            open_source(Source(record.path, record.title, 1, "", ""))
        case "Delete":
            open_dialog(partial(delete, record))


def delete(record: FileRecord) -> None:
    @st.dialog("Delete this document?", on_dismiss=close_dialog)
    def confirm() -> None:
        places = " and ".join(literal(path) for path in record.paths)
        st.markdown(f"{places} will be removed from the documents folder, and no answer will draw on it any more.")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Keep it", key="keep"):
                close_dialog()
                st.rerun()
            if st.button("Delete", key="confirm_delete", type="primary"):
                try:
                    delete_document(record, services().config.documents.directory)
                except OSError as error:
                    st.error(f"{places} can't be removed: {error.strerror}. Check the rights of the documents folder.")
                    return
                services().expect_change()
                st.session_state.uploads = []
                st.toast(f"{literal(record.title)} was deleted.")
                close_dialog()
                st.rerun()

    confirm()


documents_page()
