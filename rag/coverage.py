"""The files of an index in; how much of them can be found, in numbers and in words, out."""

from collections.abc import Sequence
from dataclasses import dataclass

from rag.domain import FileRecord


@dataclass(frozen=True, slots=True)
class Coverage:
    """The pages are those of the documents that were read, wholly or in part; `files` counts all, `not_read` the others.

    A page without text has nothing to be found by and counts as searchable. How many pages are in a file that could not
    be read is mostly not known, so the two numbers of pages say nothing about it: never show them alone.
    """

    searchable: int
    pages: int
    files: int
    not_read: int

    def __str__(self) -> str:
        if self.not_read:
            read = self.files - self.not_read
            return f"{read:,} of {self.files:,} files read, {self.searchable:,} of their {self.pages:,} pages searchable"
        return f"{self.searchable:,} of {self.pages:,} page{'' if self.pages == 1 else 's'} searchable"


def coverage(files: Sequence[FileRecord]) -> Coverage:
    read = [file for file in files if file.outcome != "failed"]
    pages = sum(file.pages for file in read)
    failed = sum(file.pages_by_outcome.get("failed", 0) for file in read)
    return Coverage(pages - failed, pages, len(files), len(files) - len(read))
