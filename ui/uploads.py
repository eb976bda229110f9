"""An uploaded PDF in; a file in the documents folder and a sentence for the person who uploaded it out.

The folder is the truth: the watcher indexes what appears in it and forgets what disappears, whoever put it there.
"""

import hashlib
import os
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rag.domain import FileRecord

HEADER_WITHIN = 1024  # bytes; PDF readers accept junk before the header that far
NAME_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Upload:
    """What became of an uploaded file; `message` is complete, with the file's name."""

    outcome: Literal["added", "replaced", "unchanged", "duplicate", "refused"]
    message: str

    @property
    def stored(self) -> bool:
        return self.outcome in ("added", "replaced")


def store_upload(name: str, data: bytes, folder: Path, *, records: Collection[FileRecord], max_mb: int) -> Upload:
    """Writes the file under a safe name beside its final place, then moves it there, so that nobody reads half of it.

    A document of that name takes the place of the one that is there, also in a subfolder, if there is only one.
    """
    safe_name = safe_file_name(name)
    if len(data) > max_mb * 1024 * 1024:
        return Upload("refused", f"{safe_name} is larger than {max_mb} MB. Copy it into the documents folder instead.")
    if not data:
        return Upload("refused", f"{safe_name} is empty (0 bytes). Copy or download it again.")
    if b"%PDF-" not in data[:HEADER_WITHIN]:
        return Upload("refused", f"{safe_name} is not a PDF, whatever its name says. Save it as PDF and upload it again.")
    sha256 = hashlib.sha256(data).hexdigest()
    target = place_of(safe_name, folder, records)
    known = {path for record in records if record.sha256 == sha256 for path in record.paths if (folder / path).is_file()}
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == sha256:
        return Upload("unchanged", f"{safe_name} is already here with the same content.")
    if known:
        return Upload("duplicate", f"{safe_name} was not added: {min(known)} has the same content.")
    outcome: Literal["added", "replaced"] = "replaced" if target.exists() else "added"
    write_whole(target, data)
    if outcome == "replaced":
        return Upload(outcome, f"{target.relative_to(folder).as_posix()} was replaced and is being indexed.")
    return Upload(outcome, f"{safe_name} was added and is being indexed.")


def place_of(safe_name: str, folder: Path, records: Collection[FileRecord]) -> Path:
    target = folder / safe_name
    of_that_name = {path for record in records for path in record.paths if path.rsplit("/", 1)[-1] == safe_name}
    there = [path for path in sorted(of_that_name) if (folder / path).is_file()]
    return folder / there[0] if not target.exists() and len(there) == 1 else target


def write_whole(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, target)


def safe_file_name(name: str) -> str:
    """The last part of `name` without what file systems or shells trip over; always ends in .pdf, never starts with a dot."""
    last = re.split(r"[\\/]", unicodedata.normalize("NFC", name))[-1]
    kept = "".join(character if character.isalnum() or character in " ._-()+&,'" else "_" for character in last)
    stem = re.sub(r"\.pdf$", "", " ".join(kept.split()), flags=re.IGNORECASE).strip(" .")
    stem = stem.encode()[:NAME_LENGTH].decode(errors="ignore").strip()  # file systems count bytes
    return f"{stem or 'document'}.pdf"


def delete_document(record: FileRecord, folder: Path) -> list[str]:
    """Removes every file in the folder that holds this document; returns the paths removed."""
    removed = []
    for path in record.paths:
        file = (folder / path).resolve()
        if file.is_relative_to(folder.resolve()) and file.is_file():
            file.unlink()
            removed.append(path)
    return removed
