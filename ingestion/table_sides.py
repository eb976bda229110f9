"""The drawn edges of a page, as pdfplumber lists them, in; the sides that open tables lack out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Edge = dict[str, Any]
TOUCH = 3.0  # points by which edges that meet may miss each other
FEWEST_RULES = 3  # horizontal rules of one length that an inner line must cross


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line across or down: `at` is its place on the other axis."""

    at: float
    start: float
    end: float


def missing_sides(edges: Sequence[Edge]) -> tuple[list[Edge], list[Edge]]:
    """The vertical and the horizontal sides to add: pdfplumber needs closed cells.

    Many tables have rules between their rows and columns but none around them. Where a vertical line crosses horizontal
    rules that all begin and end at the same places, the box around them is drawn.
    """
    across, down = list(strokes(edges, "h")), list(strokes(edges, "v"))
    sides: dict[Stroke, None] = {}
    lids: dict[Stroke, None] = {}
    for line in down:
        crossed = [
            rule
            for rule in across
            if line.start - TOUCH <= rule.at <= line.end + TOUCH and rule.start < line.at - TOUCH and line.at + TOUCH < rule.end
        ]
        if len(crossed) < FEWEST_RULES or spread(rule.start for rule in crossed) > TOUCH:
            continue
        if spread(rule.end for rule in crossed) > TOUCH:
            continue
        left, right = crossed[0].start, crossed[0].end
        sides |= {Stroke(left, line.start, line.end): None, Stroke(right, line.start, line.end): None}
        lids |= {Stroke(line.start, left, right): None, Stroke(line.end, left, right): None}
    return (
        [edge("v", side.at, side.start, side.at, side.end) for side in sides],
        [edge("h", lid.start, lid.at, lid.end, lid.at) for lid in lids],
    )


def spread(values: Iterator[float]) -> float:
    listed = list(values)
    return max(listed) - min(listed)


def strokes(edges: Sequence[Edge], orientation: str) -> Iterator[Stroke]:
    """The edges of one orientation, those that continue each other joined."""
    place, start, end = ("top", "x0", "x1") if orientation == "h" else ("x0", "top", "bottom")
    found = [Stroke(edge[place], edge[start], edge[end]) for edge in edges if edge["orientation"] == orientation]
    current: Stroke | None = None
    for stroke in sorted(found, key=lambda stroke: (round(stroke.at / TOUCH), stroke.start)):
        if current and abs(stroke.at - current.at) <= TOUCH and stroke.start <= current.end + TOUCH:
            current = Stroke(current.at, current.start, max(current.end, stroke.end))
            continue
        if current:
            yield current
        current = stroke
    if current:
        yield current


def edge(orientation: str, x0: float, top: float, x1: float, bottom: float) -> Edge:
    place = {"x0": x0, "top": top, "x1": x1, "bottom": bottom, "width": x1 - x0, "height": bottom - top}
    return {"object_type": "line_edge", "orientation": orientation, **place}
