import pytest

from rag.confidence import FEATURES, features, tier
from rag.config import Confidence
from rag.domain import FoundRule, Retrieval, TraceStep
from tests.rag.fakes import EVEN_CONFIDENCE, evidence, passage, query

SETTINGS = Confidence(**EVEN_CONFIDENCE)


def retrieval(strength, *passages, question="Which limit applies?"):
    return Retrieval(query(question), passages, (evidence(strength),), "gen-1")


@pytest.mark.parametrize(("strength", "expected"), [(1.0, "high"), (0.45, "low"), (0.0, "none")])
def test_the_stronger_the_evidence_the_higher_the_tier(strength, expected):
    found, chance = tier(retrieval(strength, passage("text")), SETTINGS)
    assert found == expected
    assert 0 < chance < 1


def test_without_passages_there_is_no_answer():
    assert tier(retrieval(1.0), SETTINGS) == ("none", 0.0)


def test_features_are_read_from_the_trace_and_absent_ones_are_zero():
    assert features(retrieval(0.7)) == dict.fromkeys(FEATURES, 0.7)
    assert features(Retrieval(query("?"), (), (), "gen-1")) == dict.fromkeys(FEATURES, 0.0)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("😀", "none"),
        ("???", "none"),
        ("Who are you?", "low"),
        ("What is 2+2?", "low"),
        ("What is 5?", "low"),
        ("What does rule 5 say?", "high"),
    ],
)
def test_a_question_without_a_word_to_look_for_has_no_plain_answer_however_near_a_page_lies(question, expected):
    assert tier(retrieval(1.0, passage("text"), question=question), SETTINGS)[0] == expected


def test_a_page_without_any_of_the_names_asked_about_is_never_a_plain_answer():
    nameless = TraceStep("evidence", "", 0.0, ({**dict.fromkeys(FEATURES, 1.0), "names": 0.0},))
    found, _ = tier(Retrieval(query("Who is Ada Quist?"), (passage("text"),), (nameless,), "gen-1"), SETTINGS)
    assert found == "low"


@pytest.mark.parametrize(
    ("strength", "known", "expected"),
    [
        (0.0, {"rules": ("that holds",)}, "high"),
        (1.0, {"rules": ("for any purchase",), "rules_note": "No approval rule names “donation”."}, "low"),
        (1.0, {"near_rules": ("up to 10,000",), "rules_note": "No rule covers 12,000."}, "none"),
    ],
)
def test_approval_rules_settle_how_sure_the_answer_is(strength, known, expected):
    rules = {
        name: tuple(FoundRule("a.pdf", 1, "CFO", band, "", "row") for band in value) if isinstance(value, tuple) else value
        for name, value in known.items()
    }
    found = Retrieval(query("Who approves 12,000?"), (passage("text"),), (evidence(strength),), "gen-1", **rules)
    assert tier(found, SETTINGS)[0] == expected


def test_a_document_type_may_have_thresholds_of_its_own():
    strict = Confidence(**{**EVEN_CONFIDENCE, "high_by_type": {"chat": 0.999}, "low_by_type": {"chat": 0.995}})
    step = evidence(1.0)
    of_chat = TraceStep(step.stage, "", 0.0, ({**step.items[0], "document_type": "chat"},))
    found = Retrieval(query("Which limit applies?"), (passage("text"),), (of_chat,), "gen-1")
    assert tier(found, SETTINGS)[0] == "high"
    assert tier(found, strict)[0] == "none"
    assert tier(retrieval(1.0, passage("text")), strict)[0] == "high"
