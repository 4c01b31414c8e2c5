"""How frequent classes are under weights: exactly 1 where only one class has weight.

A weighted mean of ones need not be 1 in floating point; then what is undefined for one class
alone would get a value.
"""

import numpy as np

from abovechance.arrays import Floats


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
