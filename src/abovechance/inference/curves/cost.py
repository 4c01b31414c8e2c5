"""Cost curves: what the best threshold would cost, for every balance of costs and frequencies."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.inference.curves.curve import Curve, as_cases_allow
from abovechance.inference.curves.resampled import (
    DRAWS,
    above,
    checked_level,
    percentile,
    ranking_of,
    resampled_above,
    thresholds_of,
)
from abovechance.inference.intervals.proportions import score_limits
from abovechance.predictions import Binary
from abovechance.resampling import seed_of

POINTS = 101


def cost(
    predictions: Binary, *, confidence_level: float = 0.95, draws: int = DRAWS, rng: Any = None
) -> Curve:
    r"""Expected cost at the best threshold, over all ratios of costs and prevalences.

    .. math:: c(x) = \min_t \, (1 - TPR_t) \, x + FPR_t (1 - x), \quad
        x = \frac{\pi c_{FN}}{\pi c_{FN} + (1 - \pi) c_{FP}}

    0 for perfect predictions, 1 when everything is wrong; always calling all cases alike costs
    min(x, 1 − x), the column `trivial`. The threshold of each point is chosen on these cases, so
    the curve flatters; the band holds for the thresholds so chosen.

    Parameters
    ----------
    predictions
        Predictions of two classes with a score or a probability, made with `Binary`.
    confidence_level
        In what share of samples the band covers the true value at a place; 0.95 unless stated.
    draws
        Number of bootstrap samples, read with weights or clusters alone.
    rng
        Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.

    Returns
    -------
    Curve
        Points `x` and `y` with limits `low` and `high`; `columns` holds what else is known of them.

    Raises
    ------
    NotApplicable
        If only labels were predicted, or only one class was observed.

    See Also
    --------
    decision : for probabilities, and thresholds stated beforehand.
    abovechance.thresholds : the threshold that goes with stated costs.

    References
    ----------
    Drummond & Holte (2006).

    Examples
    --------
    >>> from abovechance import examples
    >>> cost(examples.breast_cancer("p_texture"), rng=1).at(0.5)
    {'y': 0.263, 'low': 0.216, 'high': 0.320}
    """
    checked_level(confidence_level, draws)
    score = ranking_of(predictions, "a cost curve")
    seed = seed_of(rng)
    thresholds = thresholds_of(score)
    points = above(predictions, score, thresholds)
    x = np.linspace(0.0, 1.0, POINTS)
    # beyond the highest score nothing is called positive
    miss = np.append(1.0 - points.sensitivity, 1.0)
    alarm = np.append(points.false_positive_rate, 0.0)
    costs = miss[:, None] * x + alarm[:, None] * (1.0 - x)
    best = costs.argmin(axis=0)
    chosen = miss[best], alarm[best]
    if predictions.weight is None and predictions.cases.groups is None:
        sizes = float(points.all_positives), float(points.all_negatives)
        low, high = _mover(chosen, sizes, x, confidence_level)
        method = "MOVER with Wilson at the chosen thresholds"
    else:
        stream = np.random.default_rng(seed)
        drawn = resampled_above(predictions, score, thresholds, stream, draws)
        ends = np.ones((draws, 1))
        misses = np.hstack([1.0 - drawn.sensitivity, ends])[:, best]
        alarms = np.hstack([drawn.false_positive_rate, 0.0 * ends])[:, best]
        low, high = percentile(misses * x + alarms * (1.0 - x), confidence_level)
        method = f"bootstrap at the chosen thresholds, {draws} draws"
    curve = Curve(
        curve="cost",
        title="Cost curve",
        x_name="Probability-cost of positives",
        y_name="Normalised expected cost",
        x=x,
        y=costs[best, np.arange(POINTS)],
        low=low,
        high=high,
        level=confidence_level,
        method=method,
        n=predictions.n,
        seed=seed,
        columns={
            "trivial": np.minimum(x, 1.0 - x),
            "threshold": np.append(thresholds, np.inf)[best],
        },
    )
    return as_cases_allow(curve, predictions)


def _mover(
    rates: tuple[Floats, Floats], sizes: tuple[float, float], x: Floats, level: float
) -> tuple[Floats, Floats]:
    """Limits of a weighted sum of two independent shares from Wilson's limits of each."""
    weights = x, 1.0 - x
    below, above_ = np.zeros(len(x)), np.zeros(len(x))
    for rate, n, weight in zip(rates, sizes, weights, strict=True):
        low, high = score_limits(rate * n, np.full(len(x), n), level)
        below += (weight * (rate - low)) ** 2
        above_ += (weight * (high - rate)) ** 2
    centre = rates[0] * weights[0] + rates[1] * weights[1]
    return np.maximum(centre - np.sqrt(below), 0.0), np.minimum(centre + np.sqrt(above_), 1.0)
