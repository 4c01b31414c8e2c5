"""Shares and confusion measures: no error seen, weights, clusters, classes sampled apart."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtr

import abovechance as ac
from abovechance.measures import Family, Form, Law
from abovechance.predictions import View
from statistical.seams.seam import seam

NOTHING = "Shares: no error seen"
DRAWS = 99  # of bootstraps, where there are any
Make = Callable[[np.random.Generator], Any]


def _interval(predictions: Any, measure: Any, **options: Any) -> Any:
    name = measure if isinstance(measure, str) else measure.name
    return ac.assess(predictions, [measure], rng=1, draws=DRAWS, **options)[name].interval


def _covers(interval: Any, truth: float) -> float:
    if interval is None:
        return float("nan")
    return float(interval.low - 1e-12 <= truth <= interval.high + 1e-12)


def _truth(measure: str, prevalence: float, sensitivity: float, specificity: float) -> float:
    p, s, c = prevalence, sensitivity, specificity
    table = np.array([[(1 - p) * c, (1 - p) * (1 - c)], [p * (1 - s), p * s]])
    return float(ac.measures.find(measure).on_counts(table))


def _perfect(measure: str, options: dict[str, Any], low: float, **cases: Any) -> None:
    where = ", ".join([*cases, *options])
    outcome = np.repeat([0, 1], 50)

    @seam(NOTHING, f"{measure} of 50+50, {where}", "lower limit", low=low, high=0.99, fixed=True)
    def _(rng: np.random.Generator) -> float:
        return float(_interval(ac.Binary(outcome, label=outcome, **cases), measure, **options).low)


STATED = {"sampling": "case-control", "prevalence": 0.01}
_perfect("sensitivity", {}, 0.85, sample_weight=1 + np.arange(100) % 3)
_perfect("accuracy", {}, 0.75, groups=np.arange(100) // 5)
_perfect("f1", {}, 0.7, groups=np.arange(100) // 5)
_perfect("ppv", STATED, 0.05)


@seam(NOTHING, "kappa of 3 classes, n = 60", "lower limit", low=0.85, high=0.99, fixed=True)
def _(rng: np.random.Generator) -> float:
    outcome = np.arange(60) % 3
    return float(_interval(ac.Multiclass(outcome, label=outcome), "kappa").low)


def _stated(n: int, prevalence: float, measure: str) -> None:
    sens, spec = 0.758, 0.989
    outcome = np.repeat([1, 0], n)
    truth = _truth(measure, prevalence, sens, spec)
    chance = np.where(outcome == 1, sens, 1 - spec)

    @seam(
        "Shares: stated prevalence",
        f"{measure}, {n}+{n} cases, prevalence {prevalence}",
        "coverage",
        low=0.93,
    )
    def _(rng: np.random.Generator) -> float:
        label = (rng.random(2 * n) < chance).astype(int)
        options = {"sampling": "case-control", "prevalence": prevalence}
        return _covers(_interval(ac.Binary(outcome, label=label), measure, **options), truth)


for _n, _prevalence in ((100, 0.01), (50, 0.05)):
    for _measure in ("ppv", "accuracy", "f1"):
        _stated(_n, _prevalence, _measure)


def _several(measure: str, n: int, classes: int, right: float) -> None:
    share = np.full((classes, classes), (1 - right) / classes / (classes - 1))
    np.fill_diagonal(share, right / classes)
    truth = float(ac.measures.find(measure).on_counts(share))

    @seam(
        "Shares: several classes",
        f"{measure} of {classes} classes, n = {n}, accuracy {right}",
        "coverage",
        low=0.93 if n >= 150 else 0.9,
    )
    def _(rng: np.random.Generator) -> float:
        outcome = rng.integers(classes, size=n)
        other = (outcome + rng.integers(1, classes, size=n)) % classes
        label = np.where(rng.random(n) < right, outcome, other)
        cases = ac.Multiclass(outcome, label=label, labels=list(range(classes)))
        return _covers(_interval(cases, measure), truth)


_several("kappa", 40, 3, 0.978)
_several("mcc", 40, 3, 0.978)
_several("f1_macro", 40, 3, 0.978)
_several("kappa", 200, 4, 0.8)


def _weighted(measure: str, n: int, right: float) -> None:
    truth = _truth(measure, 0.5, right, right)

    @seam(
        "Shares: weights",
        f"{measure}, n = {n}, accuracy {right}, log-normal weights",
        "coverage",
        low=0.93,
    )
    def _(rng: np.random.Generator) -> float:
        outcome = rng.random(n) < 0.5
        label = outcome == (rng.random(n) < right)
        weight = np.exp(0.8 * rng.normal(size=n))
        cases = ac.Binary(outcome.astype(int), label=label.astype(int), sample_weight=weight)
        return _covers(_interval(cases, measure), truth)


_weighted("accuracy", 50, 0.95)
_weighted("sensitivity", 50, 0.95)
_weighted("sensitivity", 150, 0.95)
_weighted("f1", 150, 0.95)
_weighted("accuracy", 300, 0.9)


def _constant(measure: str, sizes: Any, positive: int, within: str, low: float) -> None:
    group = np.repeat(np.arange(len(sizes)), sizes)
    outcome = (np.arange(len(sizes)) < positive)[group].astype(int)
    truth = _truth(measure, float(outcome.mean()), ndtr(0.6), ndtr(0.6))

    @seam(
        "Shares: clusters",
        f"{measure}, {positive} positive of {len(sizes)} clusters{within}, ICC .3",
        "coverage",
        low=low,
    )
    def _(rng: np.random.Generator) -> float:
        own, common = rng.normal(size=len(group)), rng.normal(size=len(sizes))[group]
        score = 1.2 * outcome + 0.3**0.5 * common + 0.7**0.5 * own
        label = (score > 0.6).astype(int)
        return _covers(
            _interval(ac.Binary(outcome, label=label, groups=group), measure),
            truth,
        )


UNEQUAL = [2, 4, 6, 12, 2, 4, 6, 12]
_constant("sensitivity", [6] * 12, 3, " of 6", 0.93)
_constant("balanced_accuracy", [6] * 12, 3, " of 6", 0.93)
_constant("sensitivity", [6] * 30, 6, " of 6", 0.93)
_constant("balanced_accuracy", [6] * 30, 6, " of 6", 0.93)
_constant("sensitivity", UNEQUAL, 4, " of unequal size", 0.93)
_constant("specificity", UNEQUAL, 4, " of unequal size", 0.93)
_constant("sensitivity", [6] * 45, 5, " of 6", 0.93)


def _crossing(measure: str, sizes: list[int], right: float, low: float) -> None:
    """Clusters that are easy or hard: beta-binomial, ICC .3."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    truth = _truth(measure, 0.5, right, right)
    first, second = right * 0.7 / 0.3, (1 - right) * 0.7 / 0.3

    @seam(
        "Shares: clusters",
        f"{measure}, {len(sizes)} clusters of {min(sizes)} to {max(sizes)} with both classes, "
        f"accuracy {right}, ICC .3",
        "coverage",
        low=low,
    )
    def _(rng: np.random.Generator) -> float:
        share = rng.beta(first, second, size=len(sizes))[group]
        outcome = rng.random(len(group)) < 0.5
        label = outcome == (rng.random(len(group)) < share)
        cases = ac.Binary(outcome.astype(int), label=label.astype(int), groups=group)
        return _covers(_interval(cases, measure), truth)


for _measure in ("accuracy", "balanced_accuracy", "f1", "kappa"):
    _crossing(_measure, [2, 5, 20] * 5, 0.9, 0.9)
_crossing("accuracy", [10] * 30, 0.9, 0.93)
_crossing("accuracy", [10] * 8, 0.8, 0.93)


@seam(
    "Shares: functions of recalls",
    "informedness of 5 classes",
    "contains its value",
    low=1,
    fixed=True,
)
def _(rng: np.random.Generator) -> float:
    fixed = np.random.default_rng(0)
    outcome = fixed.choice(5, 200, p=[0.5, 0.2, 0.1, 0.1, 0.1])
    label = np.where(fixed.random(200) < 0.7, outcome, fixed.integers(0, 5, 200))
    row = ac.assess(ac.Multiclass(outcome, label=label), ["informedness"], rng=1)["informedness"]
    return float(row.value in row.interval)


@seam("Shares: functions of recalls", "informedness of 5 classes, n = 300", "coverage", low=0.93)
def _(rng: np.random.Generator) -> float:
    shares = np.array([0.4, 0.2, 0.15, 0.15, 0.1])
    right = np.array([0.9, 0.7, 0.6, 0.7, 0.5])
    table = shares[:, None] * ((1 - right)[:, None] / 4 * np.ones((5, 5)))
    np.fill_diagonal(table, shares * right)
    truth = float(ac.measures.find("informedness").on_counts(table))
    outcome = rng.choice(5, 300, p=shares)
    other = (outcome + rng.integers(1, 5, 300)) % 5
    label = np.where(rng.random(300) < right[outcome], outcome, other)
    cases = ac.Multiclass(outcome, label=label, labels=[0, 1, 2, 3, 4])
    return _covers(_interval(cases, "informedness"), truth)


@seam(
    "Shares: functions of recalls",
    "100 × balanced accuracy by a user",
    "ratio",
    low=99.9,
    high=100.1,
    fixed=True,
)
def _(rng: np.random.Generator) -> float:
    """The width of the user's interval over that of balanced accuracy; 0 without its value."""

    def hundredfold(table: Any) -> Any:
        recalls = np.diagonal(table, axis1=-2, axis2=-1) / table.sum(axis=-1)
        return 100.0 * recalls.mean(axis=-1)

    own = ac.measure(
        title="Hundredfold",
        form=Form.COUNTS,
        family=Family.CATEGORICAL,
        reads=View.LABEL,
        range=(0.0, 100.0),
        best=100.0,
        law=Law.BALANCED,
        source="a user",
    )(hundredfold)
    outcome = np.repeat([0, 1], 40)
    cases = ac.Binary(outcome, label=np.where(np.arange(80) % 5 == 0, 1 - outcome, outcome))
    usual, theirs = _interval(cases, "balanced_accuracy"), _interval(cases, own)
    inside = theirs.low <= own.of(cases) <= theirs.high
    return (theirs.high - theirs.low) / (usual.high - usual.low) if inside else 0.0
