"""The tests of `assess` and `compare` on one sample: the functions that the verbs call."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable, UnknownMeasure
from abovechance.inference.results import Interval
from abovechance.measures import Law, Measure, find
from abovechance.measures.measure import LabelScore
from abovechance.predictions import Binary, Predictions
from abovechance.settings import Rule, Settings
from abovechance.studies.designs import Pair, Predicted
from abovechance.studies.paper_tests import logits

AGAINST_CHANCE = ("accuracy", "auc", "brier", "log_score")
COMPARISONS = ("accuracy", "auc", "brier", "log_score")
FISHER = "fisher"
SKILL = "skill."
SKILLS = ("skill.accuracy", "skill.brier", "skill.log_score")
"""Tests of `assess` against the uninformative forecast, or always the larger class."""

ONE_TEST = {
    LabelScore.LABEL: FISHER,
    LabelScore.MIDRANK: "auc",
    LabelScore.PROBABILITY: "brier",
    LabelScore.LOGIT: "log_score",
}
"""Against chance, measures with one label score have one test."""


class Asked(NamedTuple):
    """A test by name: the measure it is about, and the method where one was asked for."""

    name: str
    measure: Measure
    method: Any

    @classmethod
    def by(cls, name: str, kind: type) -> "Asked":
        """What a name means on samples of a kind."""
        return cls(name, measure_of(name.removeprefix(SKILL)), method_of(name, kind))


def against_chance(
    sample: Predicted, tests: Sequence[Asked], seed: int, draws: int, rule: Rule
) -> dict[str, float]:
    """The p-values that `assess` gives, one-sided; NaN where it gives none."""
    from abovechance.inference.method import Kind
    from abovechance.inference.permutation import association

    if any(asked.name in ("log_score", "skill.log_score") for asked in tests):
        logits(sample.probability)
    predictions = _predicted(sample, sample.probability)
    settings = Settings(draws=draws, seed=seed, p_alone=True)
    plain = [asked for asked in tests if asked.name not in SKILLS]
    usual = [asked.measure for asked in plain if asked.method is None]
    found = association(predictions, usual, settings)
    p: dict[str, float] = {}
    for name, measure, method in plain:
        test = found.get(measure.label)
        if method is not None:
            alone = replace(settings, methods={Kind.TEST: {measure.label: method}})
            test = association(predictions, [measure], alone).get(measure.label)
        p[name] = np.nan if test is None else _by_rule(test.p_value, test.draws, rule)
    skills = (asked for asked in tests if asked.name in SKILLS)
    return p | {a.name: _skill(a.measure, predictions, seed, draws) for a in skills}


def _skill(measure: Measure, predictions: Binary, seed: int, draws: int) -> float:
    from abovechance.inference.interval_choice import Shared
    from abovechance.inference.method import Kind, first_of

    settings = Shared.among(Settings(draws=draws, seed=seed), predictions, [measure])
    method = first_of(Kind.GAIN, measure.law)
    assert method.function is not None
    try:
        found = method.function(measure, predictions, settings)
    except NotApplicable:
        return float("nan")
    return float("nan") if found.p_value is None else found.p_value


def compared(
    sample: Pair, tests: Sequence[Asked], seed: int, draws: int, rule: Rule
) -> dict[str, float]:
    """The p-values that `compare` gives, two-sided and of one pair; NaN where it gives none."""
    from abovechance.inference.law_contrasts import ModelFamily
    from abovechance.inference.method import Kind

    if any(asked.name == "log_score" for asked in tests):
        for one in (sample.first, sample.second):
            logits(one)
    models = [_predicted(sample, p) for p in (sample.first, sample.second)]
    found = {}
    for name, measure, method in tests:
        asked = {} if method is None else {Kind.COMPARISON: {measure.label: method}}
        settings = Settings(draws=draws, seed=seed, methods=asked)
        try:
            answer = ModelFamily(measure, models, settings).contrast(0, 1).test("two-sided")
            found[name] = _by_rule(answer.test.p_value, answer.test.draws, rule)
        except NotApplicable:
            found[name] = float("nan")
    return found


class Shown(NamedTuple):
    """A measure's value with the interval that `assess` shows, or the reason why it shows none."""

    value: float
    interval: Interval | None
    reason: str


def interval_shown(
    predictions: Predictions, measure: Measure, level: float, draws: int, seed: int
) -> Shown:
    """The interval of a measure, by the very method of `assess`."""
    from abovechance.inference.assessment import Evidence

    settings = Settings(level=level, draws=draws, seed=seed)
    evidence = Evidence.gather(predictions, [measure], settings, tests=False)
    label = measure.label
    reasons = (evidence.refused, evidence.remarks, evidence.asides)
    reason = next((said[label] for said in reasons if label in said), "")
    return Shown(measure.of(predictions), evidence.intervals.get(label), reason)


def _by_rule(p: float, draws: int | None, rule: Rule) -> float:
    if rule == "standard" or draws is None:
        return p
    return float(np.rint(p * (draws + 1) - 1) / draws)


@lru_cache(maxsize=4096)
def least_mann_whitney_p(n1: int, n0: int) -> float:
    """The smallest p that `assess` gives an area, when every positive is above every negative.

    >>> least_mann_whitney_p(2, 3)
    0.1
    """
    from abovechance.inference.areas import mann_whitney

    return mann_whitney(Binary(np.arange(n1 + n0) >= n0, score=np.arange(n1 + n0))).p_value


@cache
def measure_of(name: str) -> Measure:
    """The measure that a test by name is about; of Fisher's, which has many, accuracy."""
    asked = name.partition("=")[0]
    return find("accuracy" if asked == FISHER else asked).for_outcome("binary")


def method_of(name: str, kind: type) -> Any:
    """The method that is asked for as auc=exchange; None for that of the measure's law."""
    from abovechance.inference.method import Kind, requested_methods

    if "=" not in name:
        return None
    measure, wanted = measure_of(name), name.partition("=")[2]
    verb = Kind.TEST if kind is Predicted else Kind.COMPARISON
    return requested_methods({measure.label: wanted}, [measure], "binary", (verb,))[verb][
        measure.label
    ]


def tested_as(name: str, kind: type) -> str | None:
    """The one name of the test that a verb gives a measure, None where it gives none."""
    if name == FISHER:  # a test and no measure; its own name where one model is judged
        return FISHER if kind is Predicted else None
    try:
        measure = measure_of(name)
        asked = method_of(name, kind)
    except UnknownMeasure:
        return None
    if asked is not None:
        return f"{measure.label}={asked.name}"
    if method_for(name, kind) is None or measure.higher_is_better is None:
        return None
    if not measure.applies(_some()):
        return None
    if kind is Predicted and measure.label_score is not None:
        return ONE_TEST[measure.label_score]
    return measure.label


def method_for(name: str, kind: type) -> Any:
    """The test or comparison that a verb gives a measure, None where it gives no p-value."""
    from abovechance.inference.method import Kind, first_of, suited

    asked = method_of(name, kind)
    if asked is not None:
        return asked
    measure, verb = measure_of(name), Kind.TEST if kind is Predicted else Kind.COMPARISON
    if measure.law in (Law.CALIBRATION, Law.UTILITY):
        return None
    return next(suited(first_of(verb, measure.law), measure, _some(), frozenset()), None)


def draws_of(name: str, kind: type) -> bool:
    """Whether a verb's test rests on permutations, flips or resamples."""
    method = method_for(name, kind)
    return method is not None and bool(method.drawn)


def _predicted(sample: Predicted | Pair, probability: Floats) -> Binary:
    """Predictions of a sample, which was checked when it was made and is not checked again."""
    return _some().replace(
        positive=sample.positive, probability=probability, threshold=sample.threshold
    )


@cache
def _some() -> Binary:
    return Binary(np.array([False, True]), probability=np.array([0.4, 0.6]))
