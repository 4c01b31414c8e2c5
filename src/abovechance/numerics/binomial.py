"""Binomial and hypergeometric probabilities, exact to about 1e-13 however small.

Probabilities are computed around their largest values (Loader 2000), not as differences of log
factorials, which lose ten digits for a million cases; tails are sums of positive terms.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from abovechance.arrays import Floats
from abovechance.numerics.beta import HALF_LOG_TWO_PI, log1p_minus, stirling_error


def log_pmf(x: ArrayLike, n: ArrayLike, p: float) -> Floats:
    """Log probability of x of n, each with probability p in (0, 1).

    >>> round(float(np.exp(log_pmf(3, 10, 0.5))), 12) == 120 / 1024
    True
    """
    x, n = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (x, n)))
    y = n - x
    inner = (x > 0) & (y > 0)
    hits, misses, total = np.where(inner, x, 1.0), np.where(inner, y, 1.0), np.where(inner, n, 2.0)
    # x log(x / np) + np - x and the same for misses, which add up to the deviance.
    deviance = _deviance(hits, total * p) + _deviance(misses, total * (1.0 - p))
    errors = stirling_error(total) - stirling_error(hits) - stirling_error(misses)
    value = errors - deviance - HALF_LOG_TWO_PI - 0.5 * np.log(hits * (misses / total))
    ends = np.where(x <= 0, y * np.log1p(-p), x * np.log(p))
    return np.where(inner, value, ends)


def _deviance(x: Floats, mean: Floats) -> Floats:
    return np.asarray(-x * log1p_minus((mean - x) / x))


def at_least(x: int, n: int, p: float) -> float:
    """Probability of x or more of n.

    >>> at_least(15, 20, 0.5)
    0.020694732666015625
    """
    from scipy.special import betainc

    if x <= 0:
        return 1.0
    return float(betainc(x, n - x + 1, p))


def at_most(x: int, n: int, p: float) -> float:
    """Probability of x or fewer of n."""
    from scipy.special import betainc

    if x >= n:
        return 1.0
    return float(betainc(n - x, x + 1, 1.0 - p))


def log_hypergeometric(x: ArrayLike, n: int, marked: int, drawn: int) -> Floats:
    """Log probability of x marked ones among `drawn` of n, `marked` of which are marked."""
    x = np.asarray(x, dtype=np.float64)
    if drawn in (0, n) or marked in (0, n):
        return np.where(x == (marked if drawn == n else drawn if marked == n else 0), 0.0, -np.inf)
    p = drawn / n
    both = log_pmf(x, marked, p) + log_pmf(drawn - x, n - marked, p)
    return np.asarray(both - log_pmf(drawn, n, p))


@lru_cache(maxsize=4096)
def hypergeometric_tails(x: int, n: int, marked: int, drawn: int) -> tuple[float, float]:
    """Probabilities of x or more, and of x or fewer, marked ones.

    >>> hypergeometric_tails(3, 8, 4, 4)
    (0.24285714285714, 0.98571428571428)
    """
    low, high = max(0, drawn + marked - n), min(drawn, marked)
    mode = (drawn + 1) * (marked + 1) // (n + 2)
    spread = np.sqrt(drawn * (marked / n) * (1.0 - marked / n) * (n - drawn) / max(n - 1, 1))
    reach = int(45.0 * spread) + 100
    if x > mode:
        upper = _total(x, min(high, x + reach), n, marked, drawn)
        same = _total(x, x, n, marked, drawn)
        return upper, min(1.0, 1.0 - upper + same)
    lower = _total(max(low, x - reach), x, n, marked, drawn)
    same = _total(x, x, n, marked, drawn)
    return min(1.0, 1.0 - lower + same), lower


def _total(start: int, stop: int, n: int, marked: int, drawn: int) -> float:
    if stop < start:
        return 0.0
    terms = np.exp(log_hypergeometric(np.arange(start, stop + 1), n, marked, drawn))
    return float(min(terms.sum(), 1.0))
