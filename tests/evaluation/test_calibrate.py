"""Thresholds that keep false answers out, and config.toml keeping its comments when they are written."""

import numpy as np
import pytest
import tomli

from evaluation.calibrate import (
    MEASURED,
    Calibration,
    Observations,
    TypeThresholds,
    calibrate,
    chance,
    fit,
    thresholds,
    write_thresholds,
)
from evaluation.golden import GoldenError
from rag.confidence import FEATURES
from rag.config import PROJECT, load_config


def observations(found: list[float], not_found: list[float]) -> Observations:
    """Questions whose first feature is given; the others are zero."""
    values = np.zeros((len(found) + len(not_found), len(FEATURES)))
    values[:, 0] = [*found, *not_found]
    flags = np.array([True] * len(found) + [False] * len(not_found))
    return Observations(features=values, found=flags, answerable=flags, types=np.full(len(flags), "policy"))


CLEAR = observations([0.7, 0.8, 0.75, 0.9, 0.85, 0.95], [0.1, 0.2, 0.15, 0.3, 0.25, 0.05])


def test_more_evidence_is_a_higher_chance():
    intercept, weights = fit(CLEAR)
    assert weights[0] > 0
    assert (
        chance(CLEAR.features, intercept, weights)[CLEAR.found].min()
        > chance(CLEAR.features, intercept, weights)[~CLEAR.found].max()
    )


def test_no_unanswerable_question_reaches_high_and_no_answerable_one_falls_below_low():
    calibration = calibrate(CLEAR)
    chances = chance(CLEAR.features, calibration.intercept, np.array([calibration.weights[name] for name in FEATURES]))
    assert (chances[~CLEAR.answerable] < calibration.high).all()
    assert (chances[CLEAR.answerable] >= calibration.low).all()
    assert 0 <= calibration.low <= calibration.high <= 1


def test_thresholds_allow_two_and_twelve_percent():
    chances = np.array([*np.linspace(0.5, 1, 100), *np.linspace(0, 0.6, 100)])
    flags = np.array([True] * 100 + [False] * 100)
    high, low = thresholds(chances, Observations(np.zeros((200, len(FEATURES))), flags, flags, np.full(200, "policy")))
    assert (chances[100:] >= high).sum() <= 2
    assert 10 <= (chances[:100] < low).sum() <= 12


def test_a_feature_that_says_nothing_gets_no_weight():
    values = CLEAR.features.copy()
    values[:, 1] = [0.5, 0.1] * 6
    _, weights = fit(Observations(values, CLEAR.found, CLEAR.answerable, CLEAR.types))
    assert weights[1] < weights[0] / 10


def test_too_few_unanswerable_questions_are_refused():
    with pytest.raises(GoldenError, match="at least 5"):
        calibrate(observations([0.9] * 10, [0.1] * 2))


def test_writing_keeps_comments_and_every_other_setting(tmp_path):
    path = tmp_path / "config.toml"
    shipped = (PROJECT / "config.toml").read_text(encoding="utf-8")
    path.write_text(shipped, encoding="utf-8")
    weights = dict.fromkeys(FEATURES, 0.5)
    write_thresholds(Calibration(-1.5, weights, 0.81, 0.22, 0.0, 0.0, 70), path)
    written = load_config(path)
    assert (written.confidence.high, written.confidence.low, written.confidence.intercept) == (0.81, 0.22, -1.5)
    assert written.confidence.weights == weights
    before, after = tomli.loads(shipped), tomli.loads(path.read_text(encoding="utf-8"))
    assert {k: v for k, v in before.items() if k != "confidence"} == {k: v for k, v in after.items() if k != "confidence"}
    column = shipped.index("# calibrated probability") - shipped.index("high =")
    assert path.read_text(encoding="utf-8").count("high = 0.81".ljust(column) + "# calibrated probability") == 1
    kept = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(MEASURED)]
    assert [line.count("#") for line in kept] == [
        line.count("#") for line in shipped.splitlines() if not line.startswith(MEASURED)
    ]


def of_types(**questions: tuple[int, int]) -> Observations:
    """So many answerable and unanswerable questions of each type; the later a type, the higher all its chances."""
    rows, answerable, types = [], [], []
    for place, (name, counts) in enumerate(questions.items()):
        for is_answerable, count in zip((True, False), counts, strict=True):
            rows += [place * 0.1 + (0.5 if is_answerable else 0.0) + 0.3 * number / count for number in range(count)]
            answerable += [is_answerable] * count
            types += [name] * count
    values = np.zeros((len(rows), len(FEATURES)))
    values[:, 0] = rows
    return Observations(values, np.array(answerable), np.array(answerable), np.array(types))


def test_a_document_type_with_enough_questions_has_thresholds_of_its_own():
    calibration = calibrate(of_types(policy=(30, 60), chat=(30, 60), form=(30, 4)))
    chat, form, policy = calibration.types
    assert policy.high < chat.high == calibration.high
    assert chat.false_answers <= 0.05
    assert (form.high, form.low) == (None, None)
    assert "form: 30 answerable, 4 unanswerable questions; too few for thresholds of its own" in calibration.summary()


def test_thresholds_of_types_and_error_rates_are_written_and_replaced(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text((PROJECT / "config.toml").read_text(encoding="utf-8"), encoding="utf-8")
    weights = dict.fromkeys(FEATURES, 0.5)
    types = (
        TypeThresholds("request for quotation", 30, 60, 0.7, 0.2, 0.017, 0.1),
        TypeThresholds("form", 3, 4, None, None, 0, 0),
    )
    write_thresholds(Calibration(-1.5, weights, 0.8, 0.3, 0.02, 0.11, 97, types), path)
    confidence = load_config(path).confidence
    assert (confidence.high_by_type, confidence.low_by_type) == ({"request for quotation": 0.7}, {"request for quotation": 0.2})
    assert "97 questions: 2.0% of the unanswerable answered plainly, 11.0% of the others refused; request" in path.read_text(
        "utf-8"
    )
    write_thresholds(Calibration(-1.5, weights, 0.8, 0.3, 0.0, 0.0, 70), path)
    assert load_config(path).confidence.high_by_type == {}
    assert path.read_text("utf-8").count(MEASURED) == 1
