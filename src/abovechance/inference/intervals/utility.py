"""Intervals of what decisions are worth: a bootstrap of counts, whatever the number of cases.

Net benefit and costs depend on a sample only through how many cases of each class were acted on.
Drawing cases with replacement makes those four numbers multinomial, so a replicate is one draw of
four counts and not of n cases. With clusters each in turn is left out instead: few clusters make
few different bootstrap samples, and Student's t allows for that.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Bools, Floats
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
    if np.ptp(replicates) == 0.0:
        raise NotApplicable("all cases are worth the same here, so resampling tells no spread.")
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


def standardised_of(threshold: float) -> Worth:
    """Net benefit over the prevalence, from a table."""
    model = net_benefit_of(threshold)

    def worth(table: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            cases, positives = table.sum(axis=(-2, -1)), table[..., 1, :].sum(axis=-1)
            return np.asarray(model(table) * cases / positives)

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


def worth_of(measure: Measure, predictions: Binary) -> tuple[Worth, Bools | None]:
    """A measure of utility as a function of a table, and cases acted on unless as labelled."""
    if measure.name not in ("net_benefit", "standardised_net_benefit"):
        return measure.on_counts, None
    threshold = float(measure.parameters["threshold"])
    model = net_benefit_of if measure.name == "net_benefit" else standardised_of
    return model(threshold), acted_on(predictions, threshold)


def acted_on(predictions: Binary, threshold: float) -> Bools:
    """Cases whose probability is at least the threshold."""
    exchange(threshold)
    assert predictions.probability is not None
    return np.asarray(predictions.probability >= threshold)


def table_of(predictions: Binary, acted: Bools) -> Floats:
    """Counts, rows actual, with those acted on in the second column."""
    cell = 2 * predictions.positive + acted
    counts = np.bincount(cell, weights=predictions.weight, minlength=4)
    return counts.reshape(2, 2).astype(np.float64)


def over_clusters(
    worth: Worth, predictions: Binary, acted: Bools, *, confidence_level: float = 0.95
) -> Interval:
    r"""Interval of a function of a table by leaving out each cluster in turn.

    .. math:: \hat\theta \pm t_{G-1} \sqrt{\tfrac{G-1}{G} \sum_g (\hat\theta_{-g} - \bar\theta)^2}

    References
    ----------
    Efron & Tibshirani (1993), chapter 11, with clusters for cases.
    """
    from scipy.special import stdtrit

    _, code = np.unique(np.asarray(predictions.cases.groups), return_inverse=True)
    units = int(code.max()) + 1
    if units < 2:
        raise NotApplicable("an interval over clusters needs at least two of them.")
    cell = 4 * code + 2 * predictions.positive + acted
    own = np.bincount(cell, weights=predictions.weight, minlength=4 * units).reshape(-1, 2, 2)
    table = own.sum(axis=0)
    without = worth(table - own)
    lost = int((~np.isfinite(without)).sum())
    if lost:
        raise NotApplicable(
            f"the value is undefined or infinite without one of {lost} of the {units} clusters."
        )
    error = np.sqrt((units - 1) / units * ((without - without.mean()) ** 2).sum())
    if error == 0.0:
        raise NotApplicable("leaving out a cluster changes nothing, so the spread is not known.")
    half = float(stdtrit(units - 1, 0.5 + confidence_level / 2.0)) * float(error)
    centre = float(worth(table))
    method = f"jackknife over {units} clusters, Student's t"
    return Interval(centre - half, centre + half, confidence_level, method)


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
    acted = acted_on(predictions, threshold)
    table = table_of(predictions, acted)
    worth = gain_of(threshold, table)
    difference = float(worth(table))
    value = float(net_benefit_of(threshold)(table))
    if predictions.cases.groups is None:
        interval = of_counts(worth, table, confidence_level=confidence_level, draws=draws, rng=rng)
    else:
        interval = over_clusters(worth, predictions, acted, confidence_level=confidence_level)
    return Gain(value - difference, difference, interval)


def utility(
    predictions: Binary,
    measure: Measure,
    *,
    confidence_level: float = 0.95,
    draws: int = DRAWS,
    rng: np.random.Generator,
) -> Interval:
    """Interval of net benefit or a cost from the counts it depends on; jackknife over clusters."""
    worth, acted = worth_of(measure, predictions)
    table = predictions.confusion if acted is None else table_of(predictions, acted)
    if not np.isfinite(worth(table)):
        raise NotApplicable(f"{measure.title} is not finite here, so it has no interval.")
    if predictions.cases.groups is None:
        return of_counts(worth, table, confidence_level=confidence_level, draws=draws, rng=rng)
    acted = np.asarray(predictions.label, dtype=np.bool_) if acted is None else acted
    found = over_clusters(worth, predictions, acted, confidence_level=confidence_level)
    bottom, top = measure.range
    low, high = max(found.low, bottom), min(found.high, top)
    return Interval(low, high, confidence_level, found.method)


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
