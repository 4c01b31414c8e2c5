"""What a prediction that is the same for every case scores: for each measure its reference.

And of measures whose formula does not tell it (see `shuffled`), what permuted outcomes score.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from abovechance.measures.measure import Measure
from abovechance.predictions import Numeric, Predictions


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
    tables = np.zeros((len(shares), len(shares), len(shares)))
    for called, table in enumerate(tables):
        table[:, called] = shares
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


def mean_outcome(predictions: Any, measure: Measure) -> float:
    """The value of always predicting the mean outcome; averaged over outputs."""
    assert isinstance(predictions, Numeric)
    centre = np.average(predictions.outcome, axis=-1, weights=predictions.weight)
    constant = np.broadcast_to(centre[:, None], predictions.outcome.shape)
    return measure.of(predictions.replace(value=constant))


class _Constant:
    """Picklable, unlike a closure."""

    def __init__(self, level: float) -> None:
        self.level = level

    def __call__(self, predictions: Predictions, measure: Measure) -> float:
        return self.level
