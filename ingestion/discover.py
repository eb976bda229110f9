"""A documents folder and what the index knows in; out come the files to read, rename, keep and remove."""

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag.domain import FileRecord
from rag.errors import ConfigError

DOCUMENT_ENDINGS = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff")
UNFINISHED = (".part", ".crdownload", ".tmp")
SETTLED_NS = 2_000_000_000  # a file changed this shortly before it was hashed may change again with the same time stamp
CHECK_PERMISSIONS = "Check its permissions."
SMALL_INDEX = 10  # files; below, even removing all is not suspicious


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A document in the folder; the same content may lie at several paths."""

    path: str
    size: int
    mtime_ns: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be looked at, or a folder: its path ends with a slash, that of the whole folder is empty."""

    path: str
    reason: str
    next_step: str
    size: int = 0

    def covers(self, path: str) -> bool:
        return path == self.path or ((not self.path or self.path.endswith("/")) and path.startswith(self.path))


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
    kept: Mapping[str, tuple[str, ...]]  # content that the index has, where it lies now
    renamed: tuple[str, ...]  # those of `kept` whose first path is another now
    deleted: tuple[str, ...]  # hashes of content that is gone
    refused: tuple[str, ...] = ()  # hashes of content that is gone but stays indexed until the removal is confirmed

    @property
    def to_read(self) -> dict[str, tuple[str, ...]]:
        return {**self.new, **self.changed}


def scan(directory: Path, remembered: Mapping[str, FoundFile]) -> Scan:
    """All documents under the folder with their hashes; a file whose size and time stamp are `remembered` is not read again."""
    if not directory.is_dir():
        raise ConfigError(
            f"The documents folder {directory} is not there: create or mount it, or set [documents] directory in config.toml."
        )
    found = Found()
    look_into(directory, "", frozenset(), remembered, found)
    return Scan(tuple(found.files), tuple(found.unreadable), tuple(found.unsettled), tuple(found.other_kinds))


@dataclass
class Found:
    """A scan while it is being made."""

    files: list[FoundFile] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    other_kinds: list[str] = field(default_factory=list)


def look_into(
    folder: Path, prefix: str, ancestors: frozenset[tuple[int, int]], remembered: Mapping[str, FoundFile], found: Found
) -> None:
    """Adds a folder's documents in a stable order; a folder that is its own ancestor through a link is not entered again."""
    try:
        state = folder.stat()
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        found.unreadable.append(Unreadable(prefix, f"The folder can't be read ({error.strerror}).", CHECK_PERMISSIONS))
        return
    identity = (state.st_dev, state.st_ino)
    if identity in ancestors:
        return
    for entry in entries:
        name = entry.name.lower()
        path = prefix + entry.name
        if skipped(name):
            continue
        if not path.isprintable():
            shown = path.encode("utf-8", "backslashreplace").decode()
            found.unreadable.append(Unreadable(shown, "Its name has unreadable characters.", "Rename the file."))
        elif entry.is_dir():
            look_into(Path(entry.path), path + "/", ancestors | {identity}, remembered, found)
        elif not name.endswith(DOCUMENT_ENDINGS):
            found.other_kinds.append(path)
        elif not entry.is_file():
            found.unreadable.append(Unreadable(path, "It is not a file, or a link that leads nowhere.", "Remove or mend it."))
        else:
            look_at(path, Path(entry.path), remembered.get(path), found)


def skipped(name: str) -> bool:
    """Hidden files, locks of office programs and unfinished downloads or uploads."""
    return name.startswith((".", "~$")) or name.endswith(UNFINISHED)


def look_at(path: str, place: Path, remembered: FoundFile | None, found: Found) -> None:
    try:
        state = place.stat()
        if remembered and (remembered.size, remembered.mtime_ns) == (state.st_size, state.st_mtime_ns):
            found.files.append(remembered)
            return
        with place.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        after = place.stat()
    except OSError as error:
        found.unreadable.append(Unreadable(path, f"It can't be opened ({error.strerror}).", CHECK_PERMISSIONS))
        return
    if (state.st_size, state.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        found.unsettled.append(path)
    else:
        found.files.append(FoundFile(path, state.st_size, state.st_mtime_ns, sha256))


def compare(scan: Scan, known: Mapping[str, FileRecord], *, confirm_mass_removal: bool = False) -> Changes:
    """What a scan changes in what the index knows, by content first and path second."""
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
    return Changes(
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
