"""The sample pack's golden questions, asked through the whole product, must fare no worse than the committed baseline."""

import json

import pytest

from evaluation.__main__ import BASELINE, SAMPLE
from evaluation.golden import load_golden
from evaluation.run import as_result, evaluate, figures_table
from ingestion.pipeline import sync
from rag.chat import open_chat
from rag.config import PROJECT, load_config

HIGHER_IS_BETTER = ("hit@1", "hit@3", "hit@5", "mrr", "evidence", "cited_right", "refusal_accuracy")
LOWER_IS_BETTER = ("false_refusals", "false_answers")
ONE_QUESTION = 1.01  # questions by which a figure may differ: processors round vectors differently


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    config = load_config(index=tmp_path_factory.mktemp("index")).with_values(llm={"backend": "extractive"})
    sync(config)
    return as_result(evaluate(load_golden(SAMPLE), open_chat(config)))["figures"]


def committed() -> dict[str, dict[str, float]]:
    return json.loads(BASELINE.read_text(encoding="utf-8"))["figures"]


@pytest.mark.model
@pytest.mark.timeout(1200)  # indexing and 111 answers, on a machine that may be busy
def test_no_figure_falls_below_the_baseline(figures):
    worse = {}
    for name in (*HIGHER_IS_BETTER, *LOWER_IS_BETTER):
        before, now = committed()["all"][name], figures["all"][name]
        fallen = before - now if name in HIGHER_IS_BETTER else now - before
        if fallen > ONE_QUESTION / asked(name):
            worse[name] = f"{before} was committed, {now} is measured"
    assert not worse


def asked(name: str) -> int:
    """How many questions a figure is taken over."""
    questions = load_golden(SAMPLE)
    unanswerable = sum(not question.answerable for question in questions)
    return unanswerable if name in ("refusal_accuracy", "false_answers") else len(questions) - unanswerable


def test_the_readme_shows_the_baseline():
    assert figures_table(committed()) in (PROJECT / "README.md").read_text(encoding="utf-8")
