"""The best rising calibration curve, and which values of it the outcomes do not rule out."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Array, Floats, Ints

CELLS = 10_000  # distinct probabilities that are told apart; more are gathered in cells
SHOWN = 2_000  # of them, when there are more
PLACES = 101  # where limits are solved for; between them the nearer ones hold
EDGE = 1e-12

# Twice the log-likelihood ratio of a rising curve's value follows Banerjee and Wellner's D,
# whatever the curve: its quantiles, by simulation (.95: 2.286 in their paper).
SHARES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
QUANTILES = (0.0, 0.288, 0.997, 1.62, 2.287, 2.985, 3.905, 4.60, 6.43)


class Limits(NamedTuple):
    """A step function at its places, with pointwise limits."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats


class Steps(NamedTuple):
    """A rising step function: cases, positives and share of each step."""

    total: Floats
    positive: Floats
    share: Floats


def likelihood_limits(
    outcome: Floats,
    predicted: Floats,
    level: float,
    design_effect: Callable[[Floats], Floats] | None = None,
) -> Limits:
    r"""Isotonic regression of outcomes on probabilities with limits by likelihood ratio.

    At each place the values θ for which
    :math:`2 (\max \ell - \max_{f(x) = \theta} \ell) \le d`, both maxima over rising curves. With d
    the quantile of Banerjee and Wellner's limit; or that of χ² on one degree of freedom where more
    than :math:`n^{1/3}` cases share a place on average, for then shares of places, not
    neighbourhoods, make the curve. A design effect, of clusters, multiplies d.

    References
    ----------
    Banerjee & Wellner (2001); Tang, Banerjee & Kosorok (2012) for shared places.
    """
    place, cell = _cells(predicted)
    total = np.bincount(cell).astype(np.float64)
    positive = np.bincount(cell, weights=outcome).astype(np.float64)
    fitted = rising(positive, total)
    shown, solved = _spread(len(place), SHOWN), _spread(len(place), PLACES)
    most = np.full(len(solved), critical(level, len(outcome), len(np.unique(predicted))))
    if design_effect is not None:
        most *= design_effect(place[solved])
    best = _log_likelihood(_steps(positive, total))
    least = best - most / 2.0
    ends = np.array(
        [_at(positive, total, int(k), m, fitted[k]) for k, m in zip(solved, least, strict=True)]
    )
    # a rising curve is no lower than to the left and no higher than to the right
    left = np.searchsorted(solved, shown, side="right") - 1
    right = np.searchsorted(solved, shown, side="left")
    return Limits(place[shown], fitted[shown], ends[left, 0], ends[right, 1])


def critical(level: float, n: int, places: int) -> float:
    """By how much twice the log-likelihood may drop.

    Examples
    --------
    >>> critical(0.95, 1000, 1000), critical(0.95, 1000, 50)
    (2.287, 3.841)
    """
    from scipy.special import chdtri

    if n / places >= n ** (1 / 3) or level > SHARES[-1]:
        return float(chdtri(1, 1.0 - level))
    rate = -np.log1p(-np.array(SHARES))  # nearly a straight line
    return float(np.interp(-np.log1p(-level), rate, QUANTILES))


def rising(positive: Floats, total: Floats) -> Floats:
    """The rising shares nearest to positive/total, weighted by total."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(positive / total, weights=total).x)


def _at(
    positive: Floats, total: Floats, k: int, least: float, fitted: float
) -> tuple[float, float]:
    """Which values the curve may take at the k-th place, the likelihood being at least so much."""
    below = _steps(positive[:k], total[:k])
    above = _steps(positive[k + 1 :], total[k + 1 :])
    here = Steps(total[k : k + 1], positive[k : k + 1], np.zeros(1))

    def beyond(value: float) -> float:
        kept = (
            below._replace(share=np.minimum(below.share, value)),
            here._replace(share=np.array([value])),
            above._replace(share=np.maximum(above.share, value)),
        )
        return least - sum(map(_log_likelihood, kept))

    centre = float(np.clip(fitted, EDGE, 1.0 - EDGE))
    return _end(beyond, centre, EDGE), _end(beyond, centre, 1.0 - EDGE)


def _end(beyond: Callable[[float], float], centre: float, edge: float) -> float:
    """Where the likelihood is just enough, between the estimate and 0 or 1."""
    from scipy.optimize import brentq

    if beyond(edge) <= 0.0:
        return float(np.round(edge))
    return float(brentq(beyond, centre, edge, xtol=1e-9, rtol=1e-10))


def _steps(positive: Floats, total: Floats) -> Steps:
    from scipy.optimize import isotonic_regression

    if not len(total):
        return Steps(total, positive, positive)
    found = isotonic_regression(positive / total, weights=total)
    start = found.blocks[:-1]
    cases, hits = (np.add.reduceat(part, start) for part in (total, positive))
    return Steps(cases, hits, np.asarray(found.x[start]))


def _log_likelihood(steps: Steps) -> float:
    from scipy.special import xlog1py, xlogy

    negative = steps.total - steps.positive
    return float((xlogy(steps.positive, steps.share) + xlog1py(negative, -steps.share)).sum())


def _spread(size: int, most: int) -> Ints:
    """All places, or so many evenly spread ones."""
    return np.unique(np.round(np.linspace(0, size - 1, min(size, most))).astype(np.int64))


def _cells(predicted: Floats) -> tuple[Floats, Array]:
    """Distinct probabilities, or the means of cells of equal count, and each case's cell."""
    distinct, code = np.unique(predicted, return_inverse=True)
    if len(distinct) <= CELLS:
        return distinct, code
    counts = np.bincount(code)
    upto = np.cumsum(counts) - counts / 2.0
    cell_of = np.minimum((upto / len(predicted) * CELLS).astype(np.int64), CELLS - 1)
    cell = np.unique(cell_of, return_inverse=True)[1][code]
    means = np.bincount(cell, weights=predicted) / np.bincount(cell)
    return means, cell
