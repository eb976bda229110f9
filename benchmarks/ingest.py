"""A folder of PDFs in, pages a second, peak memory and the cost of one more file out, ours beside the stock pipeline's."""

import shutil
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Measurement, measure


@dataclass(frozen=True, slots=True)
class IngestComparison:
    """Alternating runs of both sides over the same files, and what one more file then cost ours."""

    ours: list[Measurement]
    stock: list[Measurement]
    added: Measurement
    pages: int

    def table(self) -> str:
        rows = [
            (
                "pages a second",
                [self.pages / m.seconds for m in self.ours],
                [m.printed["pages"] / m.seconds for m in self.stock],
            ),
            ("peak memory, MB", [m.peak_mb for m in self.ours], [m.peak_mb for m in self.stock]),
            ("seconds", [m.seconds for m in self.ours], [m.seconds for m in self.stock]),
        ]
        lines = ["| | ours | stock | ratio |", "|---|---|---|---|"]
        for name, ours, stock in rows:
            ratio = statistics.median(a / b for a, b in zip(ours, stock, strict=True))
            lines.append(f"| {name} | {statistics.median(ours):.1f} | {statistics.median(stock):.1f} | {ratio:.2f} |")
        lines.append(f"| seconds to add one more file | {self.added.seconds:.1f} | all again | |")
        return "\n".join(lines)


def compare_ingest(documents: Path, *, runs: int) -> IngestComparison:
    """Runs both sides in turn, each from nothing in its own process; raises RuntimeError if a side fails."""
    files = sorted(documents.rglob("*.pdf"))
    ours, stock = [], []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        copy, added = scratch / "documents", files[0]
        shutil.copytree(documents, copy)
        held_back = scratch / added.name
        for run in range(runs):
            index = scratch / f"index-{run}"
            ours.append(measure(["ingestion", "sync", "--json", "--documents", str(copy), "--index", str(index)]))
            stock.append(measure(["benchmarks.stock", str(copy)]))
        inside = copy / added.relative_to(documents)
        shutil.move(inside, held_back)
        sync = ["ingestion", "sync", "--json", "--documents", str(copy), "--index", str(index)]
        measure(sync)
        shutil.rmtree(index / "cache", ignore_errors=True)  # otherwise the vectors would still be known
        shutil.move(held_back, inside)
        one_more = measure(sync)
    pages = stock[0].printed["pages"]
    return IngestComparison(ours=ours, stock=stock, added=one_more, pages=pages)
