"""How much of the files of an index can be found."""

import pytest

from rag.coverage import Coverage, coverage
from rag.domain import FileRecord


def record(outcome, pages=0, **by_outcome):
    return FileRecord("a" * 64, ("a.pdf",), 10, outcome, pages=pages, pages_by_outcome=by_outcome)


READ = record("read", 3, text=1, ocr=1, empty=1)
PARTLY = record("partly", 4, text=2, failed=2)
FAILED = record("failed")
ENCRYPTED = record("failed", 40)


@pytest.mark.parametrize(
    ("files", "found", "words"),
    [
        ([READ], Coverage(3, 3, 1, 0), "3 of 3 pages searchable"),
        ([READ, PARTLY], Coverage(5, 7, 2, 0), "5 of 7 pages searchable"),
        ([READ, FAILED, ENCRYPTED], Coverage(3, 3, 3, 2), "1 of 3 files read, 3 of their 3 pages searchable"),
        ([], Coverage(0, 0, 0, 0), "0 of 0 pages searchable"),
    ],
)
def test_pages_are_never_told_without_the_files_that_could_not_be_read(files, found, words):
    assert coverage(files) == found
    assert str(found) == words
