"""Intervals of what decisions are worth: a bootstrap of counts, whatever the number of cases.

Net benefit and costs depend on a sample only through how many cases of each class were acted on.
Drawing cases with replacement makes those four numbers multinomial, so a replicate is one draw of
four counts and not of n cases.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.results import Interval
from abovechance.measures import Measure
from abovechance.measures.utility import exchange
from abovechance.predictions import Binary

DRAWS = 1999
MOST_UNDEFINED = 0.01
Worth = Callable[[Floats], Floats]
"""From tables (…, 2, 2), rows actual and columns acted on, to values (…)."""


@dataclass(frozen=True)
class Gain:
    """What a model adds to the better of acting on every case and on none."""

    reference: float
    difference: float
    interval: Interval


def of_counts(
    worth: Worth,
    table: Floats,
    *,
    confidence_level: float = 0.95,
    draws: int = DRAWS,
    rng: np.random.Generator,
) -> Interval:
    """BCa interval of a function of one 2 × 2 table by multinomial draws."""
    if table.sum() < 2:
        raise NotApplicable("an interval needs at least two cases.")
    replicates = worth(resampled(table, draws, rng))
    defined = np.isfinite(replicates)
    if not defined.all():
        lost = int((~defined).sum())
        if lost > MOST_UNDEFINED * draws:
            raise NotApplicable(f"the value is undefined in {lost} of {draws} bootstrap samples.")
        replicates = replicates[defined]
    low, high = bca_limits(worth, table, replicates, confidence_level)
    return Interval(
        float(low), float(high), confidence_level, f"bootstrap BCa of counts, {draws} draws"
    )


def resampled(table: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Tables of cases drawn with replacement: (draws, 2, 2)."""
    n = int(table.sum())
    counts = rng.multinomial(n, table.ravel() / table.sum(), size=draws)
    return counts.reshape(draws, 2, 2).astype(np.float64)


def bca_limits(worth: Worth, tables: Floats, replicates: Floats, level: float) -> Floats:
    """Bias-corrected and accelerated limits for tables (…, 2, 2) and replicates (draws, …).

    The jackknife leaves out one case of each cell in turn, as often as the cell has cases.
    """
    from scipy.special import ndtr, ndtri

    estimate = worth(tables)
    draws = len(replicates)
    close = np.isclose(replicates, estimate, rtol=1e-12, atol=1e-14)
    below = ((replicates < estimate) & ~close).mean(axis=0) + close.mean(axis=0) / 2.0
    bias = ndtri(np.clip(below, 0.5 / draws, 1.0 - 0.5 / draws))
    acceleration = _acceleration(worth, tables)
    tail = (1.0 - level) / 2.0
    limits = []
    ordered = np.sort(replicates, axis=0)
    for at in (tail, 1.0 - tail):
        shifted = bias + ndtri(at)
        moved = ndtr(bias + shifted / (1.0 - acceleration * shifted))
        limits.append(_quantile(ordered, np.asarray(moved)))
    return np.stack(limits)


def net_benefit_of(threshold: float | Floats) -> Worth:
    """Net benefit at a threshold (or one each for the last axis of tables), from a table."""
    odds = np.asarray(threshold) / (1.0 - np.asarray(threshold))

    def worth(table: Floats) -> Floats:
        return np.asarray((table[..., 1, 1] - odds * table[..., 0, 1]) / table.sum(axis=(-2, -1)))

    return worth


def gain_of(threshold: float | Floats, tables: Floats) -> Worth:
    """Net benefit less that of acting on all or on none, whichever is better in these tables.

    The better one is chosen once and kept in every replicate: choosing it again in each would
    count the luck of the better one twice (coverage .90 to .93 where this has .94 to .95).
    """
    odds = np.asarray(threshold) / (1.0 - np.asarray(threshold))
    model = net_benefit_of(threshold)

    def everyone(table: Floats) -> Floats:
        share = table[..., 1, :].sum(axis=-1) / table.sum(axis=(-2, -1))
        return np.asarray(share - odds * (1.0 - share))

    all_better = everyone(tables) > 0.0

    def worth(table: Floats) -> Floats:
        return np.asarray(model(table) - np.where(all_better, everyone(table), 0.0))

    return worth


def worth_of(measure: Measure, predictions: Binary) -> tuple[Worth, Floats]:
    """A measure of utility as a function of a table, and the table it is of."""
    if measure.name in ("net_benefit", "standardised_net_benefit"):
        threshold = float(measure.parameters["threshold"])
        model = net_benefit_of(threshold)
        if measure.name == "net_benefit":
            return model, acted_on(predictions, threshold)

        def standardised(table: Floats) -> Floats:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(
                    model(table) * table.sum(axis=(-2, -1)) / table[..., 1, :].sum(axis=-1)
                )

        return standardised, acted_on(predictions, threshold)
    return measure.on_counts, predictions.confusion


def acted_on(predictions: Binary, threshold: float) -> Floats:
    """Counts with those acted on, p ≥ threshold, in the second column."""
    exchange(threshold)
    p, y = predictions.probability, predictions.positive
    assert p is not None
    acted = p >= threshold
    tp, fp = float((acted & y).sum()), float((acted & ~y).sum())
    positives = float(y.sum())
    return np.array([[len(y) - positives - fp, fp], [positives - tp, tp]])


def gain(
    predictions: Binary,
    threshold: float,
    *,
    confidence_level: float = 0.95,
    draws: int = DRAWS,
    rng: np.random.Generator,
) -> Gain:
    """Net benefit beside the better of acting on every case and on none.

    References
    ----------
    Vickers & Elkin (2006).
    """
    table = acted_on(predictions, threshold)
    worth = gain_of(threshold, table)
    difference = float(worth(table))
    value = float(net_benefit_of(threshold)(table))
    interval = of_counts(worth, table, confidence_level=confidence_level, draws=draws, rng=rng)
    return Gain(value - difference, difference, interval)


def utility(
    predictions: Binary,
    measure: Measure,
    *,
    confidence_level: float = 0.95,
    draws: int = DRAWS,
    rng: np.random.Generator,
) -> Interval:
    """Interval of net benefit or a cost from the counts it depends on."""
    worth, table = worth_of(measure, predictions)
    if not np.isfinite(worth(table)):
        raise NotApplicable(f"{measure.title} is not finite here, so it has no interval.")
    return of_counts(worth, table, confidence_level=confidence_level, draws=draws, rng=rng)


def _acceleration(worth: Worth, tables: Floats) -> Floats:
    """Skewness of the jackknife values over cells, in sixths; 0 where they do not differ."""
    flat = tables.reshape(*tables.shape[:-2], 4)
    without = []
    for cell in range(4):
        less = flat.copy()
        less[..., cell] = np.maximum(less[..., cell] - 1.0, 0.0)
        without.append(worth(less.reshape(tables.shape)))
    values = np.stack(without, axis=-1)
    values = np.where(np.isfinite(values), values, worth(tables)[..., None])
    total = flat.sum(axis=-1, keepdims=True)
    centre = (flat * values).sum(axis=-1, keepdims=True) / total
    gap = centre - values
    scale = (flat * gap**2).sum(axis=-1) ** 1.5
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(scale > 0, (flat * gap**3).sum(axis=-1) / (6.0 * scale), 0.0)


def _quantile(ordered: Floats, at: Floats) -> Floats:
    """Quantiles along the first axis, a different one in every column, linear between values."""
    place = at * (len(ordered) - 1)
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, len(ordered) - 1)
    low = np.take_along_axis(ordered, lower[None], axis=0)[0]
    high = np.take_along_axis(ordered, upper[None], axis=0)[0]
    return np.asarray(low + (place - lower) * (high - low))
