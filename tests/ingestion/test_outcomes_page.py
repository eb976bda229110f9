"""docs/reading.md quotes what the program says: every quotation in it must stand in the code."""

import re
from pathlib import Path

from rag.config import PROJECT

QUOTED = re.compile(r'"([^"]+)"')


def test_quotations_stand_in_the_code():
    page = (PROJECT / "docs" / "reading.md").read_text(encoding="utf-8")
    code = "\n".join(path.read_text(encoding="utf-8") for path in Path(PROJECT, "ingestion").glob("*.py"))
    quoted = QUOTED.findall(page)
    assert len(quoted) >= 5
    assert [text for text in quoted if text not in code] == []
