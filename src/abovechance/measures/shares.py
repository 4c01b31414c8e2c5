"""How frequent classes are under weights: exactly 1 where only one class has weight.

A weighted mean of ones need not be 1 in floating point; then what is undefined for one class
alone would get a value.
"""

import numpy as np

from abovechance.arrays import Floats


def positive_share(outcome: Floats, weight: Floats | None) -> Floats:
    """Share of positives among outcomes 0 and 1.

    >>> positive_share(np.array([1.0, 1.0, 0.0]), np.array([0.1, 0.7, 0.0])).item()
    1.0
    """
    if weight is None:
        return np.asarray(outcome.mean(axis=-1))
    positive, negative = weight @ outcome, weight @ (1.0 - outcome)
    return np.asarray(positive / (positive + negative))


def class_shares(onehot: Floats, weight: Floats | None) -> Floats:
    """Share of each class, the last axis, from indicators (K, n)."""
    totals = onehot.sum(axis=-1) if weight is None else weight @ onehot.T
    return np.asarray(totals / totals.sum(axis=-1, keepdims=True))
