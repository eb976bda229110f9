"""Golden questions in, what the product found and answered for each out, through the same door as the app."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.golden import GoldenQuestion
from evaluation.metrics import RankedPage, Scored, percentile, score_question, summarise_by_kind
from rag.chat import Chat
from rag.domain import Answer, Finished, Retrieval

RANKED_PAGES = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's result: its score, the search behind it, the answer (if asked for) and the search's milliseconds."""

    scored: Scored
    retrieval: Retrieval
    answer: Answer | None
    milliseconds: float

    @property
    def question(self) -> GoldenQuestion:
        return self.scored.question


def evaluate(
    questions: Sequence[GoldenQuestion],
    chat: Chat,
    *,
    ask: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Searches (ten distinct pages) and, with `ask`, answers each question."""
    outcomes = []
    for number, question in enumerate(questions, 1):
        started = time.perf_counter()
        retrieval = chat.search(question.question, history=question.turns, k=RANKED_PAGES)
        milliseconds = (time.perf_counter() - started) * 1000
        answer = answer_to(question, chat) if ask else None
        scored = score_question(
            question,
            ranked_pages(retrieval),
            tier=answer.tier if answer else "",
            cited=[RankedPage(c.file, c.page, c.quote) for c in answer.citations] if answer else None,
        )
        outcomes.append(Outcome(scored=scored, retrieval=retrieval, answer=answer, milliseconds=milliseconds))
        if progress:
            progress(number, len(questions))
    return outcomes


def answer_to(question: GoldenQuestion, chat: Chat) -> Answer:
    for event in chat.ask(question.question, history=question.turns):
        if isinstance(event, Finished):
            return event.answer
    raise RuntimeError(f"no answer was finished for {question.question!r}")


def ranked_pages(retrieval: Retrieval) -> list[RankedPage]:
    return [RankedPage(file=p.chunk.file, page=p.chunk.page, text=p.text) for p in retrieval.passages]


def stage_latencies(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Milliseconds a stage, p50 and p95 over the questions, and of the whole search."""
    stages: dict[str, list[float]] = {}
    for outcome in outcomes:
        for stage, milliseconds in outcome.retrieval.milliseconds().items():
            stages.setdefault(stage, []).append(milliseconds)
    stages["search"] = [outcome.milliseconds for outcome in outcomes]
    return {name: {"p50": round(percentile(ms, 0.5), 2), "p95": round(percentile(ms, 0.95), 2)} for name, ms in stages.items()}


def as_result(outcomes: Sequence[Outcome]) -> dict:
    """The evaluation as JSON: figures by kind, milliseconds by stage, and one record a question."""
    return {
        "figures": summarise_by_kind([outcome.scored for outcome in outcomes]),
        "milliseconds": stage_latencies(outcomes),
        "questions": [question_record(outcome) for outcome in outcomes],
    }


def question_record(outcome: Outcome) -> dict:
    question, answer = outcome.question, outcome.answer
    return {
        "id": question.id,
        "question": question.question,
        "history": list(question.history),
        "kind": question.kind,
        "expected": [{"file": place.file, "pages": list(place.pages)} for place in question.places],
        "rank": outcome.scored.page_rank,
        "query": outcome.retrieval.query.expanded,
        "hits": [
            {"file": p.chunk.file, "page": p.chunk.page, "score": round(p.score, 4), "found_by": list(p.found_by)}
            for p in outcome.retrieval.passages
        ],
        "lost_at": lost_at(outcome),
        "tier": answer.tier if answer else None,
        "answer": answer.text if answer else None,
    }


def lost_at(outcome: Outcome) -> str:
    """Which stage last had a page that answers, where the result list has none: read from the trace's items."""
    if not outcome.question.answerable or outcome.scored.hit(5):
        return ""
    last = "not found by any stage"
    for step in outcome.retrieval.trace:
        pages = [RankedPage(str(i["file"]), int(str(i["page"])), "") for i in step.items if "file" in i and "page" in i]
        if pages and score_question(outcome.question, pages).page_rank is not None:
            last = f"lost after {step.stage}"
    return last


def write_result(result: dict, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def figures_table(figures: dict[str, dict[str, float]]) -> str:
    """The figures by kind as a markdown table, for the terminal and the README."""
    columns = {
        "questions": "n",
        "hit@1": "hit@1",
        "hit@3": "hit@3",
        "hit@5": "hit@5",
        "mrr": "MRR",
        "ndcg@10": "nDCG@10",
        "evidence": "evidence",
        "cited_right": "cited page right",
        "false_refusals": "false refusals",
        "refusal_accuracy": "refused rightly",
    }
    lines = ["| kind | " + " | ".join(columns.values()) + " |", "|---" * (len(columns) + 1) + "|"]
    for kind, row in figures.items():
        cells = [f"{row[name]:.0f}" if name == "questions" else f"{row[name]:.2f}" if name in row else "" for name in columns]
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
