"""The best rising calibration curve, and how it varies from sample to sample."""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.resampling import Bootstrap

MOST = 2000  # distinct probabilities; more are gathered in cells of equal count


class Limits(NamedTuple):
    """A step function at its places, with pointwise limits."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats


def isotonic_limits(
    outcome: Floats,
    predicted: Floats,
    groups: Array | None,
    level: float,
    draws: int,
    seed: int,
) -> Limits:
    """Isotonic regression of outcomes on probabilities with bootstrap percentiles."""
    place, cell = _cells(predicted)
    size = len(place)
    total = np.bincount(cell).astype(np.float64)
    positive = np.bincount(cell, weights=outcome).astype(np.float64)
    fitted = rising(positive, total)
    rng = np.random.default_rng(seed)
    own = np.concatenate([positive, total - positive])
    if groups is None:
        n = len(outcome)
        drawn = rng.multinomial(n, own / n, size=draws).astype(np.float64)
    else:
        drawn = _clusters(np.where(outcome > 0.5, cell, size + cell), groups, 2 * size, draws, rng)
    values = np.empty((draws, size))
    for row, counts in zip(values, drawn, strict=True):
        row[:] = _filled(counts[:size], counts[:size] + counts[size:])
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(values, [tail, 1.0 - tail], axis=0)
    return Limits(place, fitted, low, high)


def rising(positive: Floats, total: Floats) -> Floats:
    """The rising shares nearest to positive/total, weighted by total."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(positive / total, weights=total).x)


def _filled(positive: Floats, total: Floats) -> Floats:
    """The same where some places were not drawn: there the step below holds."""
    seen = np.flatnonzero(total > 0)
    steps = rising(positive[seen], total[seen])
    below = np.searchsorted(seen, np.arange(len(total)), side="right") - 1
    return steps[np.maximum(below, 0)]


def _cells(predicted: Floats) -> tuple[Floats, Array]:
    """Distinct probabilities, or the means of cells of equal count, and each case's cell."""
    distinct, code = np.unique(predicted, return_inverse=True)
    if len(distinct) <= MOST:
        return distinct, code
    counts = np.bincount(code)
    upto = np.cumsum(counts) - counts / 2.0
    cell_of = np.minimum((upto / len(predicted) * MOST).astype(np.int64), MOST - 1)
    cell = np.unique(cell_of, return_inverse=True)[1][code]
    means = np.bincount(cell, weights=predicted) / np.bincount(cell)
    return means, cell


def _clusters(
    place: Array, groups: Array, size: int, draws: int, rng: np.random.Generator
) -> Floats:
    from scipy.sparse import csr_array

    _, code = np.unique(groups, return_inverse=True)
    units = int(code.max()) + 1
    brings = csr_array((np.ones(len(place)), (code, place)), shape=(units, size))
    times = Bootstrap(units, kind="counts").draw(rng, draws).astype(np.float64)
    return np.asarray(times @ brings)
