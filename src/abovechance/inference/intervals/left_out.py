"""Intervals by leaving out: what each case, or each cluster, does to a value.

Leaving out asks as many times as there are cases, takes clusters of any size and weights of any
kind, and says where it can say nothing. Limits are found on the scale that the measure's range
suggests, so that they lie within it, and Student's quantile knows how well the spread is known.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference import method
from abovechance.inference.influence import influence
from abovechance.inference.intervals.replicates import CELLS, leave_one_out, without_parts
from abovechance.inference.results import Interval
from abovechance.measures import Form, Measure
from abovechance.measures.evaluation import fit
from abovechance.measures.sample import Sample
from abovechance.predictions import Predictions

MOST = 1000  # cases left out one by one; of more clusters than this some are left out together
ROUNDING = 1e-12  # of the value: a spread below is none
LEAST_FREEDOM = 3.0
EXTREME = "chance makes what is largest greater than it is; compare it with what chance gives."


class Scale(NamedTuple):
    """From a range to the whole line and back."""

    to: Callable[[float], float]
    slope: Callable[[float], float]
    back: Callable[[float], float]


def scale_of(low: float, high: float) -> Scale:
    """Logit between two ends, logarithm beyond one, as it is without ends.

    >>> scale_of(-1.0, 1.0).to(0.6) / 2, float(np.arctanh(0.6))
    (0.693, 0.693)
    """
    if np.isfinite(low) and np.isfinite(high):
        return Scale(
            lambda v: float(np.log((v - low) / (high - v))),
            lambda v: 1.0 / (v - low) + 1.0 / (high - v),
            lambda x: float(low + (high - low) / (1.0 + np.exp(-x))),
        )
    if np.isfinite(low):
        return Scale(
            lambda v: float(np.log(v - low)),
            lambda v: 1.0 / (v - low),
            lambda x: float(low + np.exp(x)),
        )
    if np.isfinite(high):
        return Scale(
            lambda v: float(-np.log(high - v)),
            lambda v: 1.0 / (high - v),
            lambda x: float(high - np.exp(-x)),
        )
    return Scale(lambda v: v, lambda v: 1.0, lambda x: x)


def jackknifed(
    measure: Measure,
    predictions: Predictions,
    *,
    confidence_level: float = 0.95,
    strata: Bools | None = None,
) -> Interval:
    r"""Interval of a smooth measure by leaving out each case, or each cluster, in turn.

    .. math:: h(\hat\theta) \pm t_\nu \, |h'(\hat\theta)|
        \sqrt{\tfrac{G-1}{G} \sum_g (\hat\theta_{-g} - \bar\theta)^2}, \quad
        \nu = \min\left(\frac{2 G}{\kappa - 1},\, G - 1\right)

    for G cases or clusters, h the logit or logarithm that fits the measure's range, and
    :math:`\kappa` the kurtosis of the values left: a spread that few of them make is known badly.
    Classes that were sampled apart (`strata`) keep their weight when a case is left out of one of
    them, and each has its own mean of the values left.

    References
    ----------
    Efron & Tibshirani (1993), chapter 11; Satterthwaite (1946) for the degrees of freedom.
    """
    measure = fit(measure, predictions)
    groups = predictions.cases.groups
    if strata is not None:
        return _in_strata(measure, predictions, strata, confidence_level)
    if groups is None and predictions.n > MOST and measure.influence is not None:
        without, times = _moved(measure, predictions), np.ones(predictions.n)
    elif groups is None:
        without, times = leave_one_out(measure, predictions)
    else:
        without = without_clusters(measure, predictions, groups)
        times = np.ones(len(without))
    unit = "case" if groups is None else "cluster"
    lost = int(times[~np.isfinite(without)].sum())
    if lost:
        raise NotApplicable(
            f"{measure.title} is undefined or infinite when one of {lost} {unit}"
            f"{'s' * (lost != 1)} is left out, so it has no interval."
        )
    known = {"clusters": len(np.unique(groups))} if groups is not None else {"cases": predictions.n}
    value = measure.of(predictions)
    low, high = limits(value, without, times, measure, unit, confidence_level)
    return method.limits("left_out", low, high, confidence_level, **known)


def _in_strata(measure: Measure, predictions: Predictions, strata: Bools, level: float) -> Interval:
    """Leaving out units of two classes that were sampled apart and have stated weights."""
    groups = predictions.cases.groups
    unit = np.arange(predictions.n) if groups is None else np.unique(groups, return_inverse=True)[1]
    units = int(unit.max()) + 1
    without = _without_units(measure, predictions, strata.astype(np.int64), unit)
    known, what = {"cases": units}, "case"
    if groups is not None:
        known, what = {"clusters": units}, "cluster"
    lost = int((~np.isfinite(without)).sum())
    if lost:
        raise NotApplicable(
            f"{measure.title} is undefined or infinite when one of {lost} {what}"
            f"{'s' * (lost != 1)} is left out, so it has no interval."
        )
    positive = np.bincount(unit, weights=strata) > 0
    negative = np.bincount(unit, weights=~strata) > 0
    crossing = bool((positive & negative).any())
    parts = [np.ones(units, dtype=np.bool_)] if crossing else [positive, negative]
    gap = np.empty(units)
    for part in parts:
        count = int(part.sum())
        if count < 2:
            raise NotApplicable(f"an interval needs at least two {what}s of each class.")
        gap[part] = np.sqrt((count - 1.0) / count) * (without[part] - without[part].mean())
    value = measure.of(predictions)
    freedom = min(freedom_of(gap), *(float(part.sum()) - 1.0 for part in parts))
    low, high = _reach(value, float(np.sqrt(gap @ gap)), freedom, measure, what, level)
    return method.limits("left_out", low, high, level, strata=True, **known)


def _without_units(measure: Measure, predictions: Predictions, stratum: Ints, unit: Ints) -> Floats:
    """Values without one unit each, every stratum keeping its whole weight."""
    own = np.ones(predictions.n) if predictions.weight is None else predictions.weight
    units = int(unit.max()) + 1
    place = 2 * unit + stratum
    held = np.bincount(place, weights=own, minlength=2 * units).reshape(units, 2)
    whole = held.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = whole / (whole - held)  # how much heavier the others of a stratum become
        if measure.form is Form.LOSSES:
            losses = own * measure.losses(predictions)
            sums = np.bincount(place, weights=losses, minlength=2 * units).reshape(units, 2)
            means = ((sums.sum(axis=0) - sums) * grown).sum(axis=1) / whole.sum()
            return np.asarray(means if measure.after is None else measure.after(means))
        if measure.needs_index_draws:
            raise NotApplicable(f"{measure.title} has no weighted form.")
        rows = max(1, CELLS // predictions.n)
        found = []
        for start in range(0, units, rows):
            some = np.arange(start, min(start + rows, units))
            weight = np.where(unit == some[:, None], 0.0, own * grown[some][:, stratum])
            found.append(measure.batch(predictions, weight))
    return np.concatenate(found)


def _moved(measure: Measure, predictions: Predictions) -> Floats:
    """Values without one case each, to first order: from how much each case moves the value."""
    n = predictions.n
    moves = influence(measure, Sample.of(predictions)) * n / (n - 1.0)
    return measure.of(predictions) - moves


def spread_of_clusters(
    measure: Measure, predictions: Predictions, values: Floats, *, confidence_level: float = 0.95
) -> Interval:
    """Interval of what is not smooth from bootstrap samples of whole clusters, with Student's t.

    Percentiles of few clusters cover .85 to .93 where this has .92 to .95.
    """
    units = len(np.unique(np.asarray(predictions.cases.groups)))
    told = values[np.isfinite(values)]
    if units < 2 or len(told) < 0.99 * len(values):
        raise NotApplicable(f"{measure.title} is not known in too many samples of the clusters.")
    value = measure.of(predictions)
    low, high = _reach(value, float(told.std()), units - 1.0, measure, "cluster", confidence_level)
    return method.limits(
        "bootstrap", low, high, confidence_level, clusters=units, draws=len(values)
    )


def limits(
    value: float, without: Floats, times: Floats, measure: Measure, unit: str, level: float
) -> tuple[float, float]:
    """Limits from the values left, each standing for so many."""
    units = float(times.sum())
    if units < 2:
        raise NotApplicable(f"an interval needs at least two {unit}s.")
    gap = without - times @ without / units
    error = float(np.sqrt((units - 1.0) / units * float(times @ gap**2)))
    return _reach(value, error, freedom_of(gap, times), measure, unit, level)


def freedom_of(gap: Floats, times: Floats | None = None) -> float:
    """Degrees of freedom of a spread that these gaps make: fewer where few make most of it.

    >>> round(freedom_of(np.r_[np.ones(20), -np.ones(20)])), freedom_of(np.r_[np.zeros(39), 1.0])
    (39, 3.0)
    """
    each = np.ones(len(gap)) if times is None else times
    units, square = float(each.sum()), float(each @ gap**2)
    kurtosis = units * float(each @ gap**4) / square**2 if square > 0 else 1.0
    return min(max(2.0 * units / max(kurtosis - 1.0, 1e-9), LEAST_FREEDOM), units - 1.0)


def _reach(
    value: float, error: float, freedom: float, measure: Measure, unit: str, level: float
) -> tuple[float, float]:
    """Limits about a value on the scale of its range."""
    from scipy.special import stdtrit

    bottom, top = measure.range
    if not bottom < value < top:
        raise NotApplicable(
            f"{measure.title} is {value:g}, as far as it can go: the cases show no spread."
        )
    # of a value near 0 the ends of its range tell what is rounding
    ends = [abs(end) for end in (bottom, top) if np.isfinite(end)]
    if error <= ROUNDING * max(abs(value), *ends, 0.0):
        raise NotApplicable(
            f"{measure.title} stays the same whichever {unit} is left out: no spread to see."
        )
    scale = scale_of(bottom, top)
    half = float(stdtrit(freedom, 0.5 + level / 2.0)) * error * scale.slope(value)
    centre = scale.to(value)
    with np.errstate(over="ignore"):
        low, high = (scale.back(centre + side * half) for side in (-1.0, 1.0))
    # there and back again may differ in the last digit
    return max(min(low, value), bottom), min(max(high, value), top)


def without_clusters(measure: Measure, predictions: Predictions, groups: Array) -> Floats:
    """Values without one cluster each; of very many clusters, without some at once."""
    _, code = np.unique(groups, return_inverse=True)
    units = int(code.max()) + 1
    if units < 2:
        raise NotApplicable("an interval over clusters needs at least two of them.")
    if units > MOST and measure.form is not Form.LOSSES:
        # clusters in the order of their names may be sorted by what they hold
        code = np.random.default_rng(units).permutation(units)[code] % MOST
    return without_parts(measure, Sample.of(predictions), code)
