"""A documents folder and what the index knows in; out come the files to read, rename, keep and remove."""

import hashlib
import json
import os
import time
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ingestion.metadata import sidecar_paths
from ingestion.ready_chunks import is_ready_chunks
from ingestion.whatsapp import is_export
from rag.domain import FileRecord
from rag.errors import ConfigError

DOCUMENT_ENDINGS = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".txt", ".jsonl")
RECOGNISED_BY_CONTENT = {".txt": is_export, ".jsonl": is_ready_chunks}  # others of these endings are no documents
LOOKED_AT = 64 * 1024  # bytes from the start
UNFINISHED = (".part", ".crdownload", ".tmp")
SETTLED_NS = 2_000_000_000  # a file changed this shortly before it was hashed may change again with the same time stamp
SIDECAR_ENDING = ".toml"
STILL_NS = 1_000_000_000
CHECK_PERMISSIONS = "Check its permissions."
SAVE_AS_PDF = "Save it as PDF in this folder."
PRINT_TO_PDF = "Print it to a PDF in this folder."
# Documents to those who put them there, and so told as not read; of other kinds (programs, settings) only their number is.
NOT_READ = (
    ((".doc", ".docx", ".docm", ".dot", ".dotx", ".odt", ".rtf", ".pages"), "Word processor files are not read.", SAVE_AS_PDF),
    ((".xls", ".xlsx", ".xlsm", ".xlsb", ".ods", ".csv", ".tsv", ".numbers"), "Spreadsheets are not read.", SAVE_AS_PDF),
    ((".ppt", ".pptx", ".pptm", ".odp", ".key"), "Presentations are not read.", SAVE_AS_PDF),
    ((".htm", ".html", ".mht", ".mhtml", ".epub", ".md"), "Web pages and e-books are not read.", PRINT_TO_PDF),
    ((".eml", ".msg"), "Stored e-mails are not read.", PRINT_TO_PDF),
    ((".gif", ".bmp", ".webp", ".heic"), "Pictures of this kind are not read.", "Save it as PDF, PNG, JPEG or TIFF."),
    ((".zip", ".7z", ".rar", ".tar", ".gz"), "Archives are not opened.", "Unpack it into this folder."),
    ((".txt",), "It is text, but not an exported chat.", SAVE_AS_PDF),
)  # fmt: skip
WHY_NOT_READ = {ending: (reason, next_step) for endings, reason, next_step in NOT_READ for ending in endings}
SMALL_INDEX = 10  # files; below, even removing all is not suspicious

Stamp = tuple[int, int]  # size, mtime_ns


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A document in the folder; the same content may lie at several paths."""

    path: str
    size: int
    mtime_ns: int
    sha256: str
    sidecar: str = ""  # sha256 of the sidecar beside it


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be looked at, or a folder: its path ends with a slash, that of the whole folder is empty."""

    path: str
    reason: str
    next_step: str

    def covers(self, path: str) -> bool:
        return path == self.path or ((not self.path or self.path.endswith("/")) and path.startswith(self.path))


@dataclass
class Listing:
    """What lies in a folder by path, unread."""

    documents: dict[str, Stamp] = field(default_factory=dict)
    sidecars: dict[str, Stamp] = field(default_factory=dict)  # files that correct the metadata of documents
    not_read: dict[str, Stamp] = field(default_factory=dict)  # documents of kinds that this product doesn't read
    unreadable: list[Unreadable] = field(default_factory=list)
    other_kinds: list[str] = field(default_factory=list)

    @property
    def noticed(self) -> dict[str, Stamp]:
        """Everything whose coming, changing or going shows in the index or in what is told about it."""
        return {**self.documents, **self.sidecars, **self.not_read}


@dataclass(frozen=True, slots=True)
class Scan:
    files: tuple[FoundFile, ...]
    unreadable: tuple[Unreadable, ...] = ()
    unsettled: tuple[str, ...] = ()  # still being written: left for the next run
    other_kinds: tuple[str, ...] = ()  # not documents this product reads

    def hides(self, path: str) -> bool:
        """Whether what lies at a path could not be seen, so that its absence from `files` means nothing."""
        return path in self.unsettled or any(place.covers(path) for place in self.unreadable)


@dataclass(frozen=True, slots=True)
class Changes:
    """What to do, by content hash; the values are paths, the one that citations name first."""

    new: Mapping[str, tuple[str, ...]]
    changed: Mapping[str, tuple[str, ...]]  # new content at a path that held other content
    again: Mapping[str, tuple[str, ...]]  # content that the index has, read under other conditions than now
    kept: Mapping[str, tuple[str, ...]]  # content that the index has, where it lies now
    renamed: tuple[str, ...]  # those of `kept` whose first path is another now
    deleted: tuple[str, ...]  # hashes of content that is gone
    refused: tuple[str, ...] = ()  # hashes of content that is gone but stays indexed until the removal is confirmed

    @property
    def to_read(self) -> dict[str, tuple[str, ...]]:
        return {**self.new, **self.changed, **self.again}


def list_documents(directory: Path) -> Listing:
    """What lies in the folder and below, without reading any file. Raises ConfigError where there is no such folder."""
    require_folder(directory)
    listing = Listing()
    look_into(directory, "", frozenset(), listing)
    return listing


def require_folder(directory: Path) -> None:
    """Raises ConfigError where there is no such folder."""
    if not directory.is_dir():
        raise ConfigError(
            f"The documents folder {directory} is not there: create or mount it, or set [documents] directory in config.toml."
        )


def look_into(folder: Path, prefix: str, ancestors: frozenset[tuple[int, int]], listing: Listing) -> None:
    """Adds a folder's documents in a stable order; a folder that is its own ancestor through a link is not entered again."""
    try:
        state = folder.stat()
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        listing.unreadable.append(Unreadable(prefix, f"The folder can't be read ({error.strerror}).", CHECK_PERMISSIONS))
        return
    identity = (state.st_dev, state.st_ino)
    if identity in ancestors:
        return
    for entry in entries:
        name = entry.name.lower()
        path = prefix + entry.name
        if skipped(name):
            continue
        if has_unreadable_name(entry.name):
            shown = prefix + entry.name.encode("unicode_escape").decode()
            listing.unreadable.append(Unreadable(shown, "Its name has unreadable characters.", "Rename it."))
        elif entry.is_dir():
            look_into(Path(entry.path), path + "/", ancestors | {identity}, listing)
        elif ending(name) in WHY_NOT_READ and ending(name) not in DOCUMENT_ENDINGS:
            listing.not_read[path] = current_stamp(Path(entry.path)) or (0, 0)
        elif not name.endswith((*DOCUMENT_ENDINGS, SIDECAR_ENDING)):
            listing.other_kinds.append(path)
        elif not entry.is_file():
            listing.unreadable.append(Unreadable(path, "It is not a file, or a link that leads nowhere.", "Remove or mend it."))
        elif (stamp := current_stamp(Path(entry.path))) is not None:
            (listing.sidecars if name.endswith(SIDECAR_ENDING) else listing.documents)[path] = stamp


def has_unreadable_name(name: str) -> bool:
    """Bytes that are no UTF-8 (Python holds them as surrogates) and control characters, which terminals would obey."""
    return any(unicodedata.category(character) in ("Cs", "Cc") for character in name)


def ending(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def skipped(name: str) -> bool:
    """Hidden files, locks of office programs and unfinished downloads or uploads."""
    return name.startswith((".", "~$")) or name.endswith(UNFINISHED)


def stamp_of(state: os.stat_result) -> Stamp:
    return state.st_size, state.st_mtime_ns


def scan(directory: Path, remembered: Mapping[str, FoundFile]) -> Scan:
    """All documents with their hashes; a file whose size and time stamp are `remembered` is not read again."""
    listing = list_documents(directory)
    files: list[FoundFile] = []
    unreadable = listing.unreadable
    unsettled = growing(directory, listing)
    for path, stamp in listing.documents.items():
        seen = remembered.get(path)
        if path in unsettled:
            continue
        try:
            sidecar = sidecar_hash(directory, path, listing)
            if seen and (seen.size, seen.mtime_ns) == stamp:
                files.append(replace(seen, sidecar=sidecar))
                continue
            if not is_document(directory / path):
                if ending(path) in WHY_NOT_READ:
                    listing.not_read[path] = stamp
                else:
                    listing.other_kinds.append(path)
                continue
            sha256 = hash_of(directory / path)
            after = stamp_of((directory / path).stat())
        except OSError as error:
            unreadable.append(Unreadable(path, f"It can't be opened ({error.strerror}).", CHECK_PERMISSIONS))
            continue
        if after == stamp:
            files.append(FoundFile(path, *stamp, sha256, sidecar))
        else:
            unsettled.add(path)
    unreadable += (Unreadable(path, *WHY_NOT_READ[ending(path)]) for path in sorted(listing.not_read))
    return Scan(tuple(files), tuple(unreadable), tuple(sorted(unsettled)), tuple(listing.other_kinds))


def is_document(place: Path) -> bool:
    recognise = RECOGNISED_BY_CONTENT.get(place.suffix.lower())
    if recognise is None:
        return True
    with place.open("rb") as file:
        start = file.read(LOOKED_AT)
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return recognise(start.decode(encoding, errors="ignore"))


def growing(directory: Path, listing: Listing) -> set[str]:
    """The files still being written: those changed in the last second are looked at again when it is over."""
    fresh = {path: stamp for path, stamp in listing.documents.items() if 0 <= time.time_ns() - stamp[1] < STILL_NS}
    if not fresh:
        return set()
    time.sleep(STILL_NS / 1e9)
    return {path for path, stamp in fresh.items() if current_stamp(directory / path) != stamp}


def current_stamp(place: Path) -> Stamp | None:
    try:
        return stamp_of(place.stat())
    except OSError:
        return None


def sidecar_hash(directory: Path, path: str, listing: Listing) -> str:
    beside = [place.as_posix() for place in sidecar_paths(Path(path))]
    return next((hash_of(directory / name) for name in beside if name in listing.sidecars), "")


def hash_of(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def compare(
    scan: Scan, known: Mapping[str, FileRecord], *, retry: Collection[str] = (), confirm_mass_removal: bool = False
) -> Changes:
    """What a scan changes in what the index knows, by content first and path second.

    `retry` are hashes of content worth reading once more although it is the same; so is content whose sidecar changed.
    """
    by_content: dict[str, list[str]] = {}
    for file in scan.files:
        by_content.setdefault(file.sha256, []).append(file.path)
    was_at = {path: sha256 for sha256, record in known.items() for path in record.paths}

    new, changed, kept = {}, {}, {}
    for sha256, paths in by_content.items():
        if sha256 in known:
            kept[sha256] = in_known_order(paths, known[sha256].paths)
        elif any(path in was_at for path in paths):
            changed[sha256] = tuple(paths)
        else:
            new[sha256] = tuple(paths)

    # Content whose place can't be looked at now, or is being written, has not gone.
    for sha256, record in known.items():
        hidden = tuple(path for path in record.paths if scan.hides(path))
        if hidden:
            kept[sha256] = in_known_order([*kept.get(sha256, ()), *hidden], record.paths)

    replaced = {was_at[path] for paths in changed.values() for path in paths if path in was_at}
    gone = [sha256 for sha256 in known if sha256 not in kept]
    deleted = [sha256 for sha256 in gone if sha256 not in replaced]
    mass_removal = len(known) >= SMALL_INDEX and (not scan.files or len(deleted) > len(known) / 2)
    refused = tuple(deleted) if mass_removal and not confirm_mass_removal else ()
    sidecars = {file.path: file.sidecar for file in scan.files}
    again = {
        sha256: paths
        for sha256, paths in kept.items()
        if paths[0] in sidecars and (sha256 in retry or sidecars[paths[0]] != known[sha256].sidecar)
    }
    return Changes(
        again=again,
        new=new,
        changed=changed,
        kept={**kept, **{sha256: known[sha256].paths for sha256 in refused}},
        renamed=tuple(sha256 for sha256, paths in kept.items() if paths[0] not in known[sha256].paths),
        deleted=tuple(sha256 for sha256 in deleted if sha256 not in refused),
        refused=refused,
    )


def in_known_order(paths: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The path that citations already name stays first while it exists."""
    return tuple(sorted(dict.fromkeys(paths), key=lambda path: (known.index(path) if path in known else len(known), path)))


def load_remembered(path: Path) -> dict[str, FoundFile]:
    """The last scan's files by path; an unreadable memory only costs hashing everything again."""
    try:
        return {name: FoundFile(name, *entry) for name, entry in json.loads(path.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def save_remembered(path: Path, files: Sequence[FoundFile], *, now_ns: int | None = None) -> None:
    """Keeps the signatures that can be trusted: a file just changed may change again under the same time stamp."""
    now_ns = time.time_ns() if now_ns is None else now_ns
    settled = {file.path: [file.size, file.mtime_ns, file.sha256] for file in files if file.mtime_ns < now_ns - SETTLED_NS}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    unfinished.write_text(json.dumps(settled), encoding="utf-8")
    os.replace(unfinished, path)
