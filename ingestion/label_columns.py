"""The rows of a stretch of a page in; labels that stand side by side, each with what is printed under it, out.

"Bill to:" and "Ship to:" head two addresses, "Invoice date:" and "Due date:" two dates: read line by line, no label
would stand beside its value.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingestion.layout import Segment

FEWEST_LABELS = 2
ALIGNED = 3.0  # points by which what stands under a label may begin beside it
LABEL_GAP = 1.6  # heights of the letters between a label, or a line under it, and the next line
LONGEST_LABEL = 40  # characters

Row = list["Segment"]


@dataclass(slots=True)
class LabelColumn:
    """`lines` are what stands under the label."""

    label: "Segment"
    lines: Row = field(default_factory=list)

    @property
    def last(self) -> "Segment":
        return self.lines[-1] if self.lines else self.label

    def goes_on_with(self, segment: "Segment") -> bool:
        gap = segment.top - self.last.bottom
        return abs(segment.x0 - self.label.x0) <= ALIGNED and -self.last.size < gap <= LABEL_GAP * self.last.size


@dataclass(frozen=True, slots=True)
class LabelBlock:
    columns: tuple[LabelColumn, ...]


def with_label_columns(rows: Sequence[Row]) -> list[Row | LabelBlock]:
    """The rows, with a block in place of each row of labels and of what stands under them."""
    waiting = [list(row) for row in rows]
    result: list[Row | LabelBlock] = []
    for at, row in enumerate(waiting):
        columns = [LabelColumn(label) for label in labels_of(row)]
        if len(columns) >= FEWEST_LABELS:
            taken = [(below, s, column) for below in waiting[at + 1 :] for s in below for column in columns_for(s, columns)]
            if sum(bool(column.lines) for column in columns) >= FEWEST_LABELS:
                for below, segment, _ in taken:
                    below.remove(segment)
                row = [segment for segment in row if all(segment is not column.label for column in columns)]
                result.append(LabelBlock(tuple(columns)))
        if row:
            result.append(row)
    return result


def columns_for(segment: "Segment", columns: Sequence[LabelColumn]) -> list[LabelColumn]:
    """The column that the segment goes on, which then holds it; none otherwise."""
    found = next((column for column in columns if segment.words and column.goes_on_with(segment)), None)
    if found is None or is_label(segment):
        return []
    found.lines.append(segment)
    return [found]


def labels_of(row: Row) -> list["Segment"]:
    """The labels of a row that have no value on their right."""
    following = [*row, None][1:]
    return [one for one, other in zip(row, following, strict=True) if is_label(one) and (other is None or is_label(other))]


def is_label(segment: "Segment") -> bool:
    return bool(segment.words) and segment.words[-1].text.endswith(":") and segment.characters <= LONGEST_LABEL
