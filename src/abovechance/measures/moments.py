"""Frequencies of classes, variances and medians under weights, one weighting or a batch."""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Floats
from abovechance.numerics.counts import weighted_mean

# ----------------------------------------------------------------------------------------------
# How frequent classes are under weights: exactly 1 where only one class has weight.
#
# A weighted mean of ones need not be 1 in floating point; then what is undefined for one class
# alone would get a value.
# ----------------------------------------------------------------------------------------------


def positive_share(outcome: Floats, weight: Floats | None) -> Floats:
    """Share of positives among outcomes 0 and 1; both may be batches (…, n).

    >>> positive_share(np.array([1.0, 1.0, 0.0]), np.array([0.1, 0.7, 0.0])).item()
    1.0
    """
    if weight is None:
        return np.asarray(outcome.mean(axis=-1))
    positive, negative = (_total(weight, part) for part in (outcome, 1.0 - outcome))
    return np.asarray(positive / (positive + negative))


def class_shares(onehot: Floats, weight: Floats | None) -> Floats:
    """Share of each class, the last axis, from indicators (…, K, n) and weights (…, n)."""
    if weight is None:
        totals = onehot.sum(axis=-1)
    elif onehot.ndim == 2:
        totals = weight @ onehot.T
    else:
        totals = _total(weight[..., None, :], onehot)
    return np.asarray(totals / totals.sum(axis=-1, keepdims=True))


def _total(weight: Floats, values: Floats) -> Floats:
    """Weighted sum over the cases, as one product where the values are no batch."""
    return weight @ values if values.ndim == 1 else np.einsum("...n,...n->...", weight, values)


# ----------------------------------------------------------------------------------------------
# Variances and medians under weights, for one weighting of the cases or a batch of them.
#
# Values are (…, n) or (…, outputs, n); a weight is None or (…, n) and broadcasts against them.
# ----------------------------------------------------------------------------------------------


ROUNDING = 1e-12  # how far, relative to all weights, half of them may be missed by adding up
FAR = (
    100.0  # how many variances a squared mean may have before the two are told apart by difference
)


class Moments(NamedTuple):
    """Variances of two columns and their covariance, all divided by the sum of weights."""

    first: Floats
    second: Floats
    covariance: Floats


def mean(values: Floats, weight: Floats | None) -> Floats:
    """Weighted mean over the cases of finite values."""
    if weight is None or values.ndim == 1:
        return weighted_mean(values, weight)
    return np.asarray(np.einsum("...n,...n->...", weight, values) / weight.sum(axis=-1))


def centred(values: Floats, weight: Floats | None) -> Floats:
    """Deviations from the weighted mean: exactly zero where all cases with weight are equal.

    Subtracting one of the values first keeps the digits of numbers far from zero, and makes
    constant outcomes recognisable: the mean of equal numbers need not equal them in floating point.

    >>> centred(np.array([0.1, 0.1, 0.1, 7.0]), np.array([1.0, 1.0, 1.0, 0.0]))[:3]
    array([0., 0., 0.])
    """
    if weight is None:
        start = values[..., :1]
    else:
        values, weight = np.broadcast_arrays(values, weight)
        start = np.take_along_axis(values, np.argmax(weight > 0, axis=-1)[..., None], axis=-1)
    shifted = values - start
    return np.asarray(shifted - mean(shifted, weight)[..., None])


def moments(first: Floats, second: Floats, weight: Floats | None) -> Moments:
    """Variances and covariance; zero exactly where all cases with weight are equal.

    A batch is one matrix product with the columns, centred once for all, and their products. Rows
    whose own mean lies so far from the common one that digits were lost are done again by
    deviations.

    >>> moments(np.array([1.0, 2.0, 6.0]), np.array([1.0, 3.0, 2.0]), None).covariance.item()
    0.333
    """
    if (
        weight is None
        or weight.size == weight.shape[-1]
        or not _same_for_all(first, second, weight)
    ):
        return _by_deviations(first, second, weight)
    a, b = centred(first, None), centred(second, None)
    rows = weight if first.ndim == 1 else weight[..., 0, :]
    sums = np.tensordot(rows, np.stack([a, b, a * a, b * b, a * b]), axes=(-1, -1))
    mean_a, mean_b, *squares = np.moveaxis(sums, 1, 0) / weight.sum(axis=-1)
    found = Moments(squares[0] - mean_a**2, squares[1] - mean_b**2, squares[2] - mean_a * mean_b)
    far = (mean_a**2 > FAR * found.first) | (mean_b**2 > FAR * found.second)
    again = np.flatnonzero(far if far.ndim == 1 else far.any(axis=-1))
    if again.size:
        for column, exact in zip(found, _by_deviations(first, second, weight[again]), strict=True):
            column[again] = exact
    return found


def _same_for_all(first: Floats, second: Floats, weight: Floats) -> bool:
    """Whether one row of values, or one of each output, stands beside a single axis of weights."""
    if first.ndim == second.ndim == 1:
        return weight.ndim == 2
    return first.ndim == second.ndim == 2 and weight.ndim == 3 and weight.shape[-2] == 1


def _by_deviations(first: Floats, second: Floats, weight: Floats | None) -> Moments:
    a, b = centred(first, weight), centred(second, weight)
    return Moments(*(mean(x, weight) for x in (a * a, b * b, a * b)))


def weighted_median(values: Floats, weight: Floats | None) -> Floats:
    """The value with half of the weight on either side; the middle of two where both qualify.

    >>> weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 2.0])).item()
    5.5
    """
    if weight is None:
        return np.asarray(np.median(values, axis=-1))
    order = np.argsort(values, axis=-1)
    weight, order, ordered = np.broadcast_arrays(
        weight, order, np.take_along_axis(values, order, axis=-1)
    )
    reached = np.cumsum(np.take_along_axis(weight, order, axis=-1), axis=-1)
    half, slack = reached[..., -1:] / 2.0, ROUNDING * reached[..., -1:]
    low = np.argmax(reached >= half - slack, axis=-1)[..., None]
    high = np.argmax(reached > half + slack, axis=-1)[..., None]
    middle = (
        np.take_along_axis(ordered, low, axis=-1) + np.take_along_axis(ordered, high, axis=-1)
    ) / 2.0
    return np.asarray(middle[..., 0])
