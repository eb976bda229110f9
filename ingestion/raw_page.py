"""What the child process tells of one page, as an object and as a JSON message."""

from dataclasses import asdict, dataclass
from typing import Any

from ingestion.layout import Line
from rag.domain import PageOutcome, Table


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page before what needs the whole document: running headers, hyphens, headings. OCR gives `text`, else `lines`."""

    number: int
    outcome: PageOutcome
    reason: str = ""
    label: str = ""
    width: float = 0.0
    height: float = 0.0
    lines: tuple[Line, ...] = ()
    text: str = ""
    confidence: float | None = None
    hidden: str = ""
    tables: tuple[Table, ...] = ()

    def as_message(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_message(cls, message: dict[str, Any]) -> "RawPage":
        lines = tuple(Line(**line) for line in message.get("lines", ()))
        tables = tuple(table_from(table) for table in message.get("tables", ()))
        return cls(**(message | {"lines": lines, "tables": tables}))


def table_from(message: dict[str, Any]) -> Table:
    tuples = {name: tuple(message[name]) for name in ("header", "footnotes", "bbox")}
    return Table(**(message | tuples | {"rows": tuple(tuple(row) for row in message["rows"])}))
