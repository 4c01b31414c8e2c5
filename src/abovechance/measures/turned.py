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
TRIED = 32  # orders whose medians say where the others lie
REACH = 5.0  # standard deviations of those within which nearly all do


def turned(measure: Measure, sample: Sample, turns: Any) -> Floats | None:
    """The values under every turn; None where orders must be spelled out.

    For one number a case, each case counting one, as the predictions have them.
    """
    if measure.on_scale is not None:
        scale, name = measure.on_scale
        return turned(find(name), sample.scaled(scale), turns)
    outcome, value = sample.column("outcome")[0], sample.column("value")[0]
    if of_moments(measure, sample):
        centred = value - value.mean()
        covariance = turns.products(outcome - outcome.mean(), centred) / turns.n
        return evaluate(measure, made_of(sample, moments_beside(outcome, value, covariance)))
    size = len(turns.which) * turns.n
    if measure.errors is None or measure.dialect or not worthwhile(size, module="error_loops"):
        return None
    if not (np.isfinite(outcome).all() and np.isfinite(value).all()):
        return None
    found = _of_errors(measure.errors, turns.row(outcome), turns.starts, value[turns.order])
    if found is None:
        return None
    return np.asarray(after(measure, found / turns.n if measure.form is Form.LOSSES else found))


def _of_errors(kind: Errors, row: Floats, starts: Ints, value: Floats) -> Floats | None:
    """Sums, or medians, or the largest, of absolute errors in every stretch of a row."""
    from abovechance.numerics.kernels import error_loops as loops

    found = np.empty(len(starts))
    if kind is Errors.LARGEST:
        loops.largest(row, starts, value, found)
    elif kind is Errors.MEDIAN:
        windows = np.lib.stride_tricks.sliding_window_view(row, len(value))
        tried = np.median(np.abs(windows[starts[:TRIED]] - value), axis=1)
        centre, reach = tried.mean(), REACH * tried.std()
        loops.medians(row, starts, value, centre - reach, centre + reach, found)
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
