"""Weighted means over the cases, the last axis."""

import numpy as np

from abovechance.arrays import Floats


def weighted_mean(values: Floats, weight: Floats | None) -> Floats:
    """Mean over the cases; an infinite value counts only where its case has weight.

    >>> float(weighted_mean(np.array([1.0, np.inf]), np.array([2.0, 0.0])))
    1.0
    """
    if weight is None:
        return np.asarray(values.mean(axis=-1))
    total = weight.sum(axis=-1)
    if values.ndim == 1 and np.isfinite(values).all():
        return np.asarray(weight @ values / total)
    with np.errstate(invalid="ignore"):
        terms = np.where(weight > 0, weight * values, 0.0)
    return np.asarray(terms.sum(axis=-1) / total)
