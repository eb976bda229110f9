"""One generation of the index in; what every question needs of it, worked out once, out."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rag.approvals import ApprovalGraph
from rag.candidates import PageNumbers
from rag.errors import RulesUnavailable
from rag.filters import KnownValues, known_values
from rag.index import Snapshot
from rag.neo4j_rules import Neo4j, through_neo4j
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
    notice: str = ""  # what a user should know of where the rules come from

    @cached_property
    def router(self) -> Router:
        """Only where the configuration gives it a weight."""
        return Router(self.snapshot.files)

    def place(self, page: int) -> dict[str, object]:
        """A numbered page as people name it."""
        file, number = divmod(page, self.page_of.stride)
        return {"file": self.snapshot.files[file].path, "page": number}


def prepare(snapshot: Snapshot, rules: Neo4j | None = None) -> Prepared:
    """`rules` is where the approval rules are kept, if not in the index alone."""

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

    approvals, notice = approval_graph(snapshot, rules)
    return Prepared(
        snapshot=snapshot,
        known=known_values(snapshot.files, share_of_mentions),
        page_of=PageNumbers(snapshot),
        spread=spread_of(snapshot.dense),
        superseded=superseded(snapshot.files),
        approvals=approvals,
        notice=notice,
    )


def approval_graph(snapshot: Snapshot, rules: Neo4j | None) -> tuple[ApprovalGraph, str]:
    """The graph, and what to say where its rules should have come from Neo4j and did not."""
    if rules is None:
        return ApprovalGraph(snapshot.files), ""
    generation = f"{snapshot.manifest.generation} {snapshot.manifest.created}"
    try:
        return ApprovalGraph(through_neo4j(snapshot.files, rules, generation=generation)), ""
    except RulesUnavailable as error:
        return ApprovalGraph(snapshot.files), (
            f"The approval rules come from the index itself, not from Neo4j: {error}. Correct [rules] in config.toml or "
            "NEO4J_URL, NEO4J_USER and NEO4J_PASSWORD in .env, and restart."
        )
