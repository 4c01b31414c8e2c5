"""What a prediction that is the same for every case scores: for each measure its reference.

And of measures whose formula does not tell it (see `chance_levels`), what permuted outcomes score.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.measure import Measure
from abovechance.numerics.counts import weighted_median
from abovechance.predictions import Numeric, Predictions

MANY_CLASSES = 200  # beyond which the most and the least frequent alone are tried
NEXT_TO_ZERO = 1e-50  # outcomes that are too small to be divided by
CANDIDATES = 129  # quantiles of the outcomes that are tried where the best number has no formula


def constant(level: float) -> Callable[[Predictions, Measure], float]:
    """A level that depends on nothing."""
    return _Constant(level)


def independence(predictions: Any, measure: Measure) -> float:
    """The value where prediction and outcome are independent and both keep their frequencies."""
    table = predictions.confusion
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(measure.on_counts(expected))


def best_constant(predictions: Any, measure: Measure) -> float:
    """The best value when every case is called by the same class: the most frequent one's."""
    shares = predictions.prevalences
    called = np.arange(len(shares))
    if len(shares) > MANY_CLASSES:  # a table for each would fill the memory
        called = np.array([np.argmax(shares), np.argmin(shares)])
    tables = np.zeros((len(called), len(shares), len(shares)))
    tables[np.arange(len(called)), :, called] = shares
    values = measure.on_counts(tables)
    return float(np.max(values) if measure.higher_is_better else np.min(values))


def uncorrelated(predictions: Any, measure: Measure) -> float:
    """The value where predictions keep mean and variance but do not vary with outcomes."""
    assert isinstance(predictions, Numeric)
    centre, spread = predictions.centre_and_spread
    y, p = np.stack([centre - spread, centre + spread], axis=-1)
    weight = np.full(4, predictions.total / 4.0)
    return measure.of(Numeric(np.repeat(y, 2, axis=-1).T, np.tile(p, 2).T, sample_weight=weight))


def one_over_classes(predictions: Any, measure: Measure) -> float:
    """One over the number of observed classes."""
    return float(1.0 / np.count_nonzero(predictions.prevalences))


def prevalence(predictions: Any, measure: Measure) -> float:
    """Share of positives."""
    return float(predictions.prevalences[1])


def outcome_variance(predictions: Any, measure: Measure) -> float:
    """The Brier score of always predicting the class frequencies."""
    shares = predictions.prevalences
    return float(np.sum(shares * (1.0 - shares)) / 2.0)


def entropy(predictions: Any, measure: Measure) -> float:
    """The mean log loss of always predicting the class frequencies, in nats."""
    shares = predictions.prevalences[predictions.prevalences > 0]
    return float(0.0 - np.sum(shares * np.log(shares)))  # 0, not -0, for one class alone


@dataclass(frozen=True)
class SameNumber:
    """The value of predicting one number for every case, the best one for the loss at hand.

    Always saying the mean is best for squared errors only. Of skewed outcomes the median has the
    smaller absolute error, and predictions that know nothing but lie lower would seem skilled
    beside the mean.
    """

    title: str
    centre: Callable[[Floats, Floats | None], Floats]
    """From outcomes (outputs, n) and weights to one number per output."""

    def forecast(self, predictions: Numeric) -> Numeric:
        """The same cases, each predicted by that number; found once."""
        found: Numeric = predictions.once(
            ("same number", self), lambda: self._forecast(predictions)
        )
        return found

    def _forecast(self, predictions: Numeric) -> Numeric:
        centre = self.centre(predictions.outcome, predictions.weight)
        return predictions.replace(value=np.repeat(centre[:, None], predictions.n, axis=1))

    def __call__(self, predictions: Any, measure: Measure) -> float:
        assert isinstance(predictions, Numeric)
        return measure.of(self.forecast(predictions))


def _mean(outcome: Floats, weight: Floats | None) -> Floats:
    return np.asarray(np.average(outcome, axis=-1, weights=weight))


def _mean_of_logs(outcome: Floats, weight: Floats | None) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.expm1(_mean(np.log1p(outcome), weight))


def _median_of_ratios(outcome: Floats, weight: Floats | None) -> Floats:
    """Least mean of |y − c| / |y|: the median with every outcome weighed by 1 / |y|."""
    own = np.ones(outcome.shape) if weight is None else weight
    size = np.abs(outcome)
    return weighted_median(outcome, own / np.where(size > NEXT_TO_ZERO, size, np.inf))


def _middle(outcome: Floats, weight: Floats | None) -> Floats:
    """Half way between the smallest and the largest: what has the least largest error."""
    seen = outcome if weight is None else outcome[..., weight > 0]
    return np.asarray((seen.min(axis=-1) + seen.max(axis=-1)) / 2.0)


def _shortest_half(outcome: Floats, weight: Floats | None) -> Floats:
    """The middle of the shortest stretch that holds more than half: least median distance."""
    found = []
    for y in outcome:
        order = np.argsort(y)
        own = np.ones(len(y)) if weight is None else weight[order]
        ordered, reached = y[order], np.cumsum(own)
        before = reached - own
        # to be the median a distance must be reached by half of the weight, and a little more
        last = np.searchsorted(reached, before + reached[-1] / 2.0 * (1.0 + 1e-9))
        start = np.flatnonzero(last < len(y))
        length = ordered[last[start]] - ordered[start]
        best = start[int(np.argmin(length))]
        found.append((ordered[best] + ordered[last[best]]) / 2.0)
    return np.array(found)


def _best_by_log(outcome: Floats, weight: Floats | None) -> Floats:
    """Least mean of ln(1 + |y − c|) among quantiles: it has a valley at every outcome."""
    found = []
    for y in outcome:
        tried = np.quantile(y, np.linspace(0.0, 1.0, CANDIDATES))
        each = [np.average(np.log1p(np.abs(y - c)), weights=weight) for c in tried]
        found.append(tried[int(np.argmin(each))])
    return np.array(found)


mean_outcome = SameNumber("mean outcome", _mean)
median_outcome = SameNumber("median outcome", weighted_median)
mean_of_logs = SameNumber("mean of logarithms", _mean_of_logs)
median_of_ratios = SameNumber("median weighed by 1/|y|", _median_of_ratios)
middle_of_outcomes = SameNumber("middle of outcomes", _middle)
shortest_half = SameNumber("middle of the shortest half", _shortest_half)
best_by_log = SameNumber("best of the outcomes' quantiles", _best_by_log)


class _Constant:
    """Picklable, unlike a closure."""

    def __init__(self, level: float) -> None:
        self.level = level

    def __call__(self, predictions: Predictions, measure: Measure) -> float:
        return self.level
