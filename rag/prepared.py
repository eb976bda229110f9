"""One generation of the index in; what every question needs of it, worked out once, out."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rag.approvals import ApprovalGraph
from rag.candidates import PageNumbers
from rag.filters import KnownValues, known_values
from rag.index import Snapshot
from rag.revisions import superseded
from rag.router import Router
from rag.spread import Spread, spread_of


@dataclass(frozen=True)
class Prepared:
    snapshot: Snapshot
    known: KnownValues
    page_of: PageNumbers
    spread: Spread
    superseded: Mapping[int, int]
    approvals: ApprovalGraph

    @cached_property
    def router(self) -> Router:
        """Only where the configuration gives it a weight."""
        return Router(self.snapshot.files)

    def place(self, page: int) -> dict[str, object]:
        """A numbered page as people name it."""
        file, number = divmod(page, self.page_of.stride)
        return {"file": self.snapshot.files[file].path, "page": number}


def prepare(snapshot: Snapshot) -> Prepared:
    def share_of_mentions(text: str, places: Collection[int]) -> float:
        """The share of the chunks with all words of a text that lie in the given files."""
        field = snapshot.lexical.words.field
        rows: np.ndarray | None = None
        for term in set(snapshot.lexical.query_terms(text)[0]):
            holding = np.asarray(field.rows[field.find(term)])
            rows = holding if rows is None else np.intersect1d(rows, holding, assume_unique=True)
        if rows is None or not len(rows):
            return 0.0
        return float(np.isin(snapshot.columns.file[rows], list(places)).mean())

    return Prepared(
        snapshot=snapshot,
        known=known_values(snapshot.files, share_of_mentions),
        page_of=PageNumbers(snapshot),
        spread=spread_of(snapshot.dense),
        superseded=superseded(snapshot.files),
        approvals=ApprovalGraph(snapshot.files),
    )
