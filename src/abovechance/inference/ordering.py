"""Measures of cases in time order: what each case adds, and the limits of the whole."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference import method
from abovechance.inference.influence import NotLinear, components
from abovechance.inference.intervals.ordered import FEWEST, Ordered, cosines, wilson_at
from abovechance.inference.intervals.replicates import without_parts
from abovechance.inference.method import Fact, Kind, Takes, declared, interval
from abovechance.inference.results import Interval
from abovechance.measures import Form, Law, Measure
from abovechance.measures.sample import COUNTING, Sample

MOST = 5000  # cases that are left out one by one
SLOW = 1000  # where every value is computed by itself
SHARES = (Law.SHARE, Law.CONDITIONAL)


def case_values(measure: Measure, predictions: Any) -> Floats:
    """What every case says of a measure: numbers whose mean moves as the measure does.

    Losses are that by themselves. Areas: the value and n times the influence. Others: n times the
    value less n − 1 times that without the case.

    References
    ----------
    Efron & Tibshirani (1993), chapter 11, pseudo-values.
    """
    n, value = predictions.n, measure.of(predictions)
    if measure.form is Form.LOSSES and measure.after is None:
        return np.asarray(measure.losses(predictions), dtype=np.float64)
    if n < 2:
        raise NotApplicable("one case says nothing of how a value varies over time.")
    if measure.law is Law.PAIRS:
        try:
            return np.asarray(value + n * components([predictions], measure).influence[0])
        except NotLinear:
            pass
    return np.asarray(n * value - (n - 1.0) * _without(measure, predictions))


def _without(measure: Measure, predictions: Any) -> Floats:
    """The value without each of the cases."""
    n, sample = predictions.n, Sample.of(predictions)
    if measure.form in COUNTING:
        cell = np.asarray(sample.outcome, np.int64) * sample.classes + np.asarray(
            sample.column("label"), np.int64
        )
        seen, at = np.unique(cell, return_inverse=True)
        less = np.repeat(np.asarray(sample.confusion)[None], len(seen), axis=0)
        less.reshape(len(seen), -1)[np.arange(len(seen)), seen] -= 1.0
        return np.asarray(measure.on_counts(less)[at])
    most = SLOW if measure.needs_index_draws else MOST
    if n > most and measure.form is not Form.LOSSES:
        raise NotApplicable(
            f"{measure.title} in time order is worked out for up to {most} cases, not for {n}."
        )
    return without_parts(measure, sample, np.arange(n))


@interval(
    name="ordered",
    title="[Wilson at the effective n, {share}]EWC[, t({df:.0f}), {times} times]",
    words="[Wilson's score method at the effective sample size by {share}]slow cosines of the "
    "series (EWC)[ with Student's t ({df:.0f} degrees of freedom), {times} times]",
    source=("lazarus2018", "[{share}wilson1927]"),
    default=tuple(Law),
    needs=[Fact.ORDER],
    allows=[Fact.FOLDS, Fact.CASE_CONTROL],
    smallest=FEWEST,
)
def interval_in_order(measure: Measure, predictions: Any, setting: Any) -> Interval:
    """The interval of a measure of cases in time order."""
    from scipy.special import stdtrit

    level = setting.level
    value, order = measure.of(predictions), predictions.cases.order
    if measure.law in (Law.CALIBRATION, Law.UTILITY):
        raise NotApplicable(f"{measure.title} has no interval for cases in time order.")
    values = case_values(measure, predictions)
    times = len(np.unique(order))
    low, high = measure.range
    if measure.law in SHARES and np.ptp(values) == 0:
        cosines(np.arange(len(order), dtype=np.float64), order)  # refused with too few times
        limits = wilson_at(value, 0.0, df=times - 1.0, units=times, bounds=(low, high), level=level)
        return method.limits("ordered_alike", *limits, level, times=times)
    found = cosines(values, order)
    if measure.law in SHARES:
        limits = wilson_at(
            value, found.error, df=found.df, units=times, bounds=(low, high), level=level
        )
        return method.limits("ordered", *limits, level, share=True, **found.known)
    reach = float(stdtrit(found.df, 0.5 + level / 2.0)) * found.error
    if measure.law is Law.MEAN:
        limits = (value - reach, value + reach)
    else:
        limits = on_scale(value, reach, (low, high))
    return method.limits("ordered", max(limits[0], low), min(limits[1], high), level, **found.known)


ALIKE = declared(
    Kind.INTERVAL,
    name="ordered_alike",
    title="Wilson[, as of {times} times]",
    words="Wilson's score method[ as of {times} times]",
    source="wilson1927",
    laws=SHARES,
    needs=[Fact.ORDER],
    takes=Takes.PARTS,
    origin=__name__,
)


def on_scale(value: float, reach: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Limits on the scale of a range: logit between two bounds, log from one.

    >>> [round(limit, 3) for limit in on_scale(0.9, 0.1, (0.0, 1.0))]
    [0.748, 0.965]
    """
    low, high = bounds
    if not low < value < high:
        raise NotApplicable("a value at the end of its range has no interval in time order.")
    if np.isfinite(high - low):
        share = (value - low) / (high - low)
        step = reach / (high - low) / (share * (1.0 - share))
        centre = np.log(share / (1.0 - share))
        ends = [low + (high - low) / (1.0 + np.exp(-(centre + s * step))) for s in (-1.0, 1.0)]
        return float(ends[0]), float(ends[1])
    if np.isfinite(low):
        factor = float(np.exp(reach / (value - low)))
        return low + (value - low) / factor, low + (value - low) * factor
    if np.isfinite(high):
        factor = float(np.exp(reach / (high - value)))
        return high - (high - value) * factor, high - (high - value) / factor
    return value - reach, value + reach


def differences_in_order(measure: Measure, first: Any, second: Any) -> Ordered:
    """The standard error of a difference of two models on cases in time order."""
    if measure.law is Law.CALIBRATION:
        raise NotApplicable(f"differences of {measure.title} are not compared in time order.")
    apart = case_values(measure, first) - case_values(measure, second)
    return cosines(apart, first.cases.order)
