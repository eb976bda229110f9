"""Golden questions in, the weights and thresholds of the three confidence tiers out, written to config.toml.

A logistic regression estimates the chance that a page which answers is among the first five. `high` is then the lowest
threshold at which at most 2 % of the unanswerable questions would be answered plainly, `low` the highest at which at
most 12 % of the answerable ones would be refused. A document type with enough questions has thresholds of its own; a
question belongs to the type of the best page found for it, which is all that is known when one is asked.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from evaluation.golden import GoldenError, GoldenQuestion
from evaluation.run import evaluate
from rag.chat import Chat
from rag.confidence import FEATURES, document_type, features

MOST_FALSE_ANSWERS = 0.02
MOST_FALSE_REFUSALS = 0.12  # a refusal still shows the nearest pages; a wrong answer does more harm
RIDGE = 0.02  # keeps a weight finite where a feature separates the questions completely
FOLDS = 5
MEASURED = "# Measured when left out of the fit,"  # begins the line of config.toml with the error rates
MARGIN = 0.01  # a threshold stands this far from the question that set it
ENOUGH_UNANSWERABLE = 50  # of a document type; fewer can't tell 2 % from none
ENOUGH_ANSWERABLE = 25  # nor 12 %


@dataclass(frozen=True, slots=True)
class Observations:
    """A row a question: its features, whether a page that answers came among the first five, and whether one exists."""

    features: np.ndarray  # (questions, features), 0 to 1
    found: np.ndarray  # bool
    answerable: np.ndarray  # bool
    types: np.ndarray  # of the document with the best page, "" where unknown

    def __len__(self) -> int:
        return len(self.found)

    def rows(self, chosen: np.ndarray) -> "Observations":
        return Observations(self.features[chosen], self.found[chosen], self.answerable[chosen], self.types[chosen])

    def joined(self, other: "Observations") -> "Observations":
        return Observations(
            np.concatenate([self.features, other.features]),
            np.concatenate([self.found, other.found]),
            np.concatenate([self.answerable, other.answerable]),
            np.concatenate([self.types, other.types]),
        )


@dataclass(frozen=True, slots=True)
class TypeThresholds:
    """The thresholds of one document type and their error rates; `high` and `low` are None where it has too few questions."""

    name: str
    answerable: int
    unanswerable: int
    high: float | None
    low: float | None
    false_answers: float
    false_refusals: float

    def summary(self) -> str:
        counted = f"{self.name}: {self.answerable} answerable, {self.unanswerable} unanswerable questions; "
        if self.high is None or self.low is None:
            return counted + "too few for thresholds of its own, those of all documents hold."
        return (
            f"{counted}high {self.high:.2f}, low {self.low:.2f}; {self.false_answers:.1%} answered plainly that should not "
            f"have been, {self.false_refusals:.1%} refused."
        )


@dataclass(frozen=True, slots=True)
class Calibration:
    """What goes into config.toml, with the error rates on questions that took no part in fitting (cross-validated)."""

    intercept: float
    weights: dict[str, float]
    high: float
    low: float
    false_answers: float
    false_refusals: float
    questions: int
    types: tuple[TypeThresholds, ...] = ()

    def summary(self) -> str:
        weights = ", ".join(f"{name} {weight:.2f}" for name, weight in self.weights.items())
        lines = [
            f"{self.questions} questions; high {self.high:.2f}, low {self.low:.2f}; intercept {self.intercept:.2f}, {weights}",
            f"On questions left out of the fit: {self.measured()}.",
            *(each.summary() for each in self.types),
        ]
        return "\n".join(lines)

    def measured(self) -> str:
        return f"{self.false_answers:.1%} of the unanswerable answered plainly, {self.false_refusals:.1%} of the others refused"


def observe(
    questions: Sequence[GoldenQuestion], chat: Chat, *, progress: Callable[[int, int], None] | None = None
) -> Observations:
    outcomes = evaluate(questions, chat, ask=False, progress=progress)
    return Observations(
        types=np.array([document_type(outcome.retrieval) for outcome in outcomes], dtype=str),
        features=np.array([[features(outcome.retrieval)[name] for name in FEATURES] for outcome in outcomes]),
        found=np.array([outcome.scored.hit(5) for outcome in outcomes]),
        answerable=np.array([outcome.question.answerable for outcome in outcomes]),
    )


def calibrate(observed: Observations) -> Calibration:
    """Raises GoldenError where there are too few questions of either kind to fit anything."""
    unanswerable = int((~observed.answerable).sum())
    if unanswerable < FOLDS or int(observed.answerable.sum()) < FOLDS:
        raise GoldenError(
            f"Calibration needs at least {FOLDS} answerable and {FOLDS} unanswerable questions; there are "
            f"{int(observed.answerable.sum())} and {unanswerable}. Add questions that the documents do not answer."
        )
    intercept, weights = fit(observed)
    chances = chance(observed.features, intercept, weights)
    high, low = rounded(*thresholds(chances, observed))
    wrong, refused = cross_validated(observed, np.full(len(observed), True))
    return Calibration(
        intercept=round(intercept, 2),
        weights={name: round(float(weight), 2) for name, weight in zip(FEATURES, weights, strict=True)},
        high=high,
        low=low,
        false_answers=wrong,
        false_refusals=refused,
        questions=len(observed),
        types=tuple(type_thresholds(str(name), chances, observed) for name in np.unique(observed.types) if name),
    )


def type_thresholds(name: str, chances: np.ndarray, observed: Observations) -> TypeThresholds:
    """Of one document type, by the chances that the fit to all questions gives to its own."""
    chosen = observed.types == name
    own = observed.rows(chosen)
    answerable, unanswerable = int(own.answerable.sum()), int((~own.answerable).sum())
    if answerable < ENOUGH_ANSWERABLE or unanswerable < ENOUGH_UNANSWERABLE:
        return TypeThresholds(name, answerable, unanswerable, None, None, 0.0, 0.0)
    high, low = rounded(*thresholds(chances[chosen], own))
    return TypeThresholds(name, answerable, unanswerable, high, low, *cross_validated(observed, chosen))


def fit(observed: Observations) -> tuple[float, np.ndarray]:
    """Logistic regression with non-negative weights (more evidence never lowers the chance) and a small ridge.

    Answerable and unanswerable questions weigh alike in sum, so that their share in the golden set decides nothing.
    """
    target = observed.found.astype(float)
    shares = np.where(observed.found, 0.5 / max(observed.found.sum(), 1), 0.5 / max((~observed.found).sum(), 1))

    def loss(parameters: np.ndarray) -> float:
        margin = parameters[0] + observed.features @ parameters[1:]
        likelihood = np.logaddexp(0, margin) - target * margin
        return float(shares @ likelihood + RIDGE / 2 * (parameters[1:] ** 2).sum() / len(FEATURES))

    start = np.zeros(1 + len(FEATURES))
    bounds = [(None, None), *[(0, None)] * len(FEATURES)]
    fitted = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x
    return float(fitted[0]), fitted[1:]


def chance(values: np.ndarray, intercept: float, weights: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(intercept + values @ weights)))


def thresholds(chances: np.ndarray, observed: Observations) -> tuple[float, float]:
    """(high, low) as the module says; low never exceeds high."""
    wrong = np.sort(chances[~observed.answerable])[::-1]
    right = np.sort(chances[observed.answerable])
    allowed = int(MOST_FALSE_ANSWERS * len(wrong))
    high = min(float(wrong[allowed]) + MARGIN, 1.0)
    refused = int(MOST_FALSE_REFUSALS * len(right))
    low = max(float(right[refused]) - MARGIN, 0.0)
    return high, min(low, high)


def rounded(high: float, low: float) -> tuple[float, float]:
    """Two digits, away from each other."""
    return math.ceil(100 * high) / 100, math.floor(100 * low) / 100


def cross_validated(observed: Observations, chosen: np.ndarray) -> tuple[float, float]:
    """False answers and false refusals among the chosen questions over five folds, each judged by what the other four gave."""
    fold_of = np.zeros(len(observed), int)
    fold_of[chosen] = np.arange(np.count_nonzero(chosen)) % FOLDS
    wrong = refused = 0
    for fold in range(FOLDS):
        left_out = chosen & (fold_of == fold)
        intercept, weights = fit(observed.rows(~left_out))
        training, held_out = observed.rows(chosen & ~left_out), observed.rows(left_out)
        high, low = thresholds(chance(training.features, intercept, weights), training)
        chances = chance(held_out.features, intercept, weights)
        wrong += int((chances[~held_out.answerable] >= high).sum())
        refused += int((chances[held_out.answerable] < low).sum())
    own = observed.answerable[chosen]
    return wrong / int((~own).sum()), refused / int(own.sum())


def write_thresholds(calibration: Calibration, path: Path) -> None:
    """Replaces the values in config.toml's [confidence] and the line that says what was measured; all else stays as it is."""
    weights = ", ".join(f"{name} = {weight}" for name, weight in calibration.weights.items())
    own = [each for each in calibration.types if each.high is not None and each.low is not None]
    values = {
        "high": str(calibration.high),
        "low": str(calibration.low),
        "high_by_type": inline_table({each.name: each.high for each in own}),
        "low_by_type": inline_table({each.name: each.low for each in own}),
        "intercept": str(calibration.intercept),
        "weights": f"{{ {weights} }}",
    }
    before, table, after = re.split(r"(?m)^(\[confidence\]\n)", path.read_text(encoding="utf-8"))
    body, separator, rest = after.partition("\n[")
    for name, value in values.items():
        old = re.compile(rf"(?m)^{name} = (?:\{{[^}}\n]*\}}|[^#\n]*?)(?P<space>[ \t]*)(?=#|$)")
        body = old.sub(lambda found, line=f"{name} = {value}": line.ljust(len(found[0])) if found["space"] else line, body)
    measured = "; ".join([calibration.measured(), *(each.summary().rstrip(".") for each in own)])
    body = re.sub(rf"(?m)^{MEASURED}.*\n", "", body)
    line = f"{MEASURED} {calibration.questions} questions: {measured}\n"
    path.write_text(f"{before}{table}{line}{body}{separator}{rest}", encoding="utf-8")


def inline_table(values: Mapping[str, float | None]) -> str:
    return f"{{ {', '.join(f'{json.dumps(name)} = {value}' for name, value in values.items())} }}" if values else "{}"
