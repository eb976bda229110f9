"""The table of the benchmark: a figure under each heading, and stock's columns empty where stock was not run."""

import pytest

from benchmarks.measure import Measurement
from benchmarks.query import COLUMNS, KINDS, QueryComparison


@pytest.mark.parametrize(("stock", "factors"), [({"p50": 300.0}, ["300", "60", "50"]), (None, ["", "", ""])])
def test_every_figure_stands_under_its_heading(stock, factors):
    milliseconds = {"passages_p50": 5.0, "pages_p50": 6.0, "scored_p50": 9.0, **{f"{kind}_p95": 12.0 for kind in KINDS}}
    compared = QueryComparison(
        size=100_000,
        built=Measurement(1.0, 1.0, {"add_seconds": 2.5}),
        recall=Measurement(1.0, 1.0, {"recall": 0.993}),
        ours=Measurement(1.0, 249.0, {**milliseconds, "first": 90.0, "again": 0.05, "open_seconds": 0.36}),
        stock=Measurement(1.0, 1.0, stock) if stock else None,
    )
    cells = [cell.strip() for cell in compared.line().strip("|").split("|")]
    assert len(cells) == len(COLUMNS)
    shown = dict(zip(COLUMNS, cells, strict=True))
    assert (shown["chunks"], shown["passages p50 ms"], shown["scored p50 ms"]) == ("100,000", "5.0", "9.0")
    assert (shown["again ms"], shown["memory MB"], shown["recall@50"], shown["one more file s"]) == (
        "0.05",
        "249",
        "0.993",
        "2.5",
    )
    assert cells[-3:] == factors
