"""Measures of numbers beside outcomes in many other orders, all of them turns of one.

What only products of outcomes and predictions change comes from one transform for all orders, and
what absolute errors say from loops over stretches of one row; see `resampling.Turns`.
"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.measures.catalogue import find
from abovechance.measures.condensed import moments_beside, of_moments
from abovechance.measures.measure import Errors, Form, Measure
from abovechance.measures.sample import Sample, after, evaluate, made_of
from abovechance.numerics.kernels import worthwhile

LARGE = 1e30  # errors beyond which a product of some of them may be infinite
TRIED = 16  # orders whose medians say where the others lie
REACH = 6.0  # standard deviations of those within which nearly all do


def turned(measure: Measure, sample: Sample, turns: Any) -> Floats | None:
    """The values under every turn; None where orders must be spelled out.

    For one number a case, each case counting one, as the predictions have them.
    """
    if measure.on_scale is not None:
        scale, name = measure.on_scale
        return turned(find(name), sample.scaled(scale), turns)
    if of_moments(measure, sample):
        return evaluate(measure, _four_points(sample, turns))
    outcome, value = sample.column("outcome")[0], sample.column("value")[0]
    size = len(turns.which) * turns.n
    if measure.errors is None or measure.dialect or not worthwhile(size, module="error_loops"):
        return None
    if not (np.isfinite(outcome).all() and np.isfinite(value).all()):
        return None
    found = _of_errors(measure.errors, turns.row(outcome), turns.starts, value[turns.order])
    if found is None:
        return None
    return np.asarray(after(measure, found / turns.n if measure.form is Form.LOSSES else found))


def _four_points(sample: Sample, turns: Any) -> Sample:
    """Four cases with the moments of all under every turn, for all measures that these suffice."""
    key = ("four points", turns)
    if key not in sample.kept:
        outcome, value = sample.column("outcome")[0], sample.column("value")[0]
        products = turns.products(outcome - outcome.mean(), value - value.mean())
        made = moments_beside(outcome, value, products / turns.n)
        sample.kept[key] = made_of(sample, made)
    return sample.kept[key]


def sum_of_all(measure: Measure, predictions: Any) -> float | None:
    """The sum of what errors add of every prediction beside every outcome; None for the formula."""
    outcome, value = predictions.outcome[0], predictions.value[0]
    if measure.errors is None or measure.form is not Form.LOSSES or measure.dialect:
        return None
    if not worthwhile(len(value) ** 2, module="error_loops"):
        return None
    row = np.concatenate([outcome, outcome])
    found = _of_errors(measure.errors, row, np.arange(len(value)), np.ascontiguousarray(value))
    return None if found is None else float(found.sum())


def _of_errors(kind: Errors, row: Floats, starts: Ints, value: Floats) -> Floats | None:
    """Sums, or medians, or the largest, of absolute errors in every stretch of a row."""
    from abovechance.numerics.kernels import error_loops as loops

    found = np.empty(len(starts))
    if kind is Errors.LARGEST:
        loops.largest(row, starts, value, found)
    elif kind is Errors.MEDIAN:
        windows = np.lib.stride_tricks.sliding_window_view(row, len(value))
        errors = np.abs(windows[starts[:TRIED]] - value)
        tried = np.median(errors, axis=1)
        centre, reach, rate = tried.mean(), REACH * tried.std(), 0.0
        if len(np.unique(tried)) == len(tried):  # else ties, about which counting tells little
            rate = float((np.abs(errors - centre) <= reach).mean()) * len(value) / (2.0 * reach)
        loops.medians(row, starts, value, centre, reach, rate, found)
        for at in np.flatnonzero(np.isnan(found)):
            found[at] = np.median(np.abs(windows[starts[at]] - value))
    elif kind is Errors.LOGS:
        if max(np.abs(row).max(), np.abs(value).max()) > LARGE:
            return None
        loops.log_sums(row, starts, value, found)
    elif kind is Errors.RELATIVE:
        if not row.all():
            return None
        loops.sums(row, starts, value, 1.0 / np.abs(row), found)
    else:
        loops.sums(row, starts, value, np.empty(0), found)
    return found
