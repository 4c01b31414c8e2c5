"""Deviations and medians under weights, for one weighting of the cases or a batch of them.

Values are (n,) or (outputs, n); a weight is None or (…, n) and broadcasts against them.
"""

import numpy as np

from abovechance.arrays import Floats
from abovechance.numerics.weights import weighted_mean

ROUNDING = 1e-12  # how far, relative to all weights, half of them may be missed by adding up


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
    return np.asarray(shifted - weighted_mean(shifted, weight)[..., None])


def weighted_median(values: Floats, weight: Floats | None) -> Floats:
    """The value with half of the weight on either side; the middle of two where both qualify.

    >>> weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 2.0])).item()
    5.5
    """
    if weight is None:
        return np.asarray(np.median(values, axis=-1))
    values, weight = np.broadcast_arrays(values, weight)
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    reached = np.cumsum(np.take_along_axis(weight, order, axis=-1), axis=-1)
    half, slack = reached[..., -1:] / 2.0, ROUNDING * reached[..., -1:]
    low = np.argmax(reached >= half - slack, axis=-1)[..., None]
    high = np.argmax(reached > half + slack, axis=-1)[..., None]
    middle = (
        np.take_along_axis(ordered, low, axis=-1) + np.take_along_axis(ordered, high, axis=-1)
    ) / 2.0
    return np.asarray(middle[..., 0])
