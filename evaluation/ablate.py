"""One index and one golden set in, the figures of every retrieval stage switched on or off by itself out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.golden import GoldenQuestion
from evaluation.metrics import percentile, summarise, summarise_by_kind
from evaluation.run import Outcome, evaluate
from rag.chat import open_chat
from rag.config import Config
from rag.embedding import Embedder


@dataclass(frozen=True, slots=True)
class Variant:
    """A named set of settings that differ from the configuration: {table: {setting: value}}."""

    name: str
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


PLAIN: dict[str, dict[str, Any]] = {
    "retrieval": {"phrase_weight": 0.0, "router_weight": 0.0, "reference_weight": 0.0, "fusion": "rrf"},
    "rerank": {"enabled": False},
    "query": {"expand_glossary": False, "infer_filters": False, "multi_query": False},
}


def plain_with(**tables: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {table: {**PLAIN.get(table, {}), **tables.get(table, {})} for table in {*PLAIN, *tables}}


VARIANTS = (
    Variant("dense only", plain_with(retrieval={"lexical_candidates": 0})),
    Variant("lexical only (BM25)", plain_with(retrieval={"dense_candidates": 0})),
    Variant("fused by RRF", PLAIN),
    Variant("fused by normalised scores", plain_with(retrieval={"fusion": "normalised"})),
    Variant("RRF + phrases", plain_with(retrieval={"phrase_weight": 1.5})),
    Variant("RRF + exact references", plain_with(retrieval={"reference_weight": 1.0})),
    Variant("RRF + document router", plain_with(retrieval={"router_weight": 1.0})),
    Variant("RRF + glossary", plain_with(query={"expand_glossary": True})),
    Variant("RRF + inferred filters", plain_with(query={"infer_filters": True})),
    Variant("RRF + rerank", plain_with(rerank={"enabled": True})),
    Variant("RRF + rerank + multi-query", plain_with(rerank={"enabled": True}, query={"multi_query": True})),
    Variant("as configured"),
    Variant("as configured + recency", {"retrieval": {"half_life_days": 180.0}}),
    Variant("as configured, no rerank", {"rerank": {"enabled": False}}),
)


def ablate(
    questions: Sequence[GoldenQuestion],
    config: Config,
    embedder: Embedder,
    *,
    variants: Sequence[Variant] = VARIANTS,
    progress: Callable[[str], None] | None = None,
) -> Iterator[tuple[Variant, list[Outcome]]]:
    """Each variant's outcomes; searching only, since no stage after it changes which page is found."""
    for variant in variants:
        if progress:
            progress(variant.name)
        changed = config.with_values(**{table: dict(values) for table, values in variant.settings.items()})
        yield variant, evaluate(questions, open_chat(changed, embedder=embedder), ask=False)


def ablation_table(results: Sequence[tuple[Variant, list[Outcome]]]) -> str:
    """Figures a variant, then hit@5 by question kind, as markdown."""
    kinds = sorted({o.question.kind for _, outcomes in results for o in outcomes if o.question.answerable})
    head = ["variant", "hit@1", "hit@3", "hit@5", "MRR", "nDCG@10", "evidence", "ms p50", *(f"{kind} hit@5" for kind in kinds)]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for variant, outcomes in results:
        figures = summarise([outcome.scored for outcome in outcomes])
        by_kind = summarise_by_kind([outcome.scored for outcome in outcomes])
        cells = [f"{figures[name]:.3f}" for name in ("hit@1", "hit@3", "hit@5", "mrr", "ndcg@10", "evidence")]
        cells.append(f"{percentile([outcome.milliseconds for outcome in outcomes], 0.5):.1f}")
        cells += [f"{by_kind[kind]['hit@5']:.2f}" for kind in kinds]
        lines.append("| " + " | ".join([variant.name, *cells]) + " |")
    return "\n".join(lines)
