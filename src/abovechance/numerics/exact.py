"""Exact probabilities of counts and rank sums, and saddlepoint approximations; p is never 0."""

import math
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from abovechance.arrays import Floats
from abovechance.errors import AboveChanceError, NotApplicable
from abovechance.numerics.beta import HALF_LOG_TWO_PI, log1p_minus, stirling_error

# ----------------------------------------------------------------------------------------------
# A closed form may underflow where the exact p-value is only very small. All of them then give
# the same number, the smallest that is kept with full precision; `format.p_text` prints it as less
# than 1e-300.
# ----------------------------------------------------------------------------------------------


SMALLEST = sys.float_info.min  # 2.2e-308, the smallest normal number


def never_zero(p: float) -> float:
    """A p-value is never 0, however small, and never above 1; an undefined one stays so.

    >>> never_zero(0.0) == SMALLEST, never_zero(1.0 + 1e-12), never_zero(0.2)
    (True, 1.0, 0.2)
    """
    return p if p != p else min(max(float(p), SMALLEST), 1.0)


def critical_value(level: float, df: float = np.inf) -> float:
    """How many standard errors an interval of some level reaches: normal, or Student's.

    >>> critical_value(0.95), critical_value(0.95, 4)
    (1.960, 2.776)
    """
    from scipy.special import ndtri, stdtrit

    tail = 0.5 + level / 2.0
    return float(stdtrit(df, tail)) if np.isfinite(df) else float(ndtri(tail))


def p_of(z: float, df: float, alternative: str) -> float:
    """Tail of the normal distribution, or of Student's when there are degrees of freedom.

    >>> p_of(1.6449, np.inf, "greater"), p_of(2.776, 4, "two-sided")
    (0.050, 0.050)
    """
    from scipy.special import ndtr, stdtr

    def below(x: float) -> float:
        return float(ndtr(x)) if not np.isfinite(df) else float(stdtr(df, x))

    tails = {"greater": below(-z), "less": below(z), "two-sided": 2.0 * below(-abs(z))}
    if alternative not in tails:
        raise NotApplicable(f"alternative must be one of {', '.join(tails)}; got {alternative!r}.")
    return never_zero(tails[alternative])


def normal_tail(z: float) -> float:
    """Probability of a standard normal number above z; never 0.

    >>> normal_tail(1.6449), normal_tail(99.0) == SMALLEST
    (0.050, True)
    """
    from scipy.special import ndtr

    return never_zero(float(ndtr(-z)))


# ----------------------------------------------------------------------------------------------
# Binomial and hypergeometric probabilities, exact to about 1e-13 however small.
#
# Probabilities are computed around their largest values (Loader 2000), not as differences of log
# factorials, which lose ten digits for a million cases; tails are sums of positive terms.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Exact nulls of label permutations, by counting instead of drawing.
# ----------------------------------------------------------------------------------------------


CELLS = 200_000_000  # additions that counting rank sums may take: about half a second
LARGEST = 1000  # with more cases the number of subsets exceeds what a float can hold


class ExactTail(NamedTuple):
    """Upper tail of an enumerated null: with ties (the p-value), and without."""

    p_value: float
    p_strict: float


def countable(doubled_midranks: npt.ArrayLike, positives: int) -> bool:
    """Whether `exact_rank_sum` is quick enough to be worth it."""
    ranks = _steps(doubled_midranks)
    size = min(positives, ranks.size - positives)
    return ranks.size <= LARGEST and _cells(ranks, size) <= CELLS


def exact_rank_sum(doubled_midranks: npt.ArrayLike, positives: int, observed: int) -> ExactTail:
    """The exact chance that a random set of positives has ranks summing to `observed` or more.

    Midranks are doubled so that ties stay integers. Subsets are counted by size and sum, one
    case after the other; counts are floats, all additions of positive numbers, so the relative
    error is below n · 1e-16.

    >>> exact_rank_sum([2, 4, 6, 8], 2, 14)
    ExactTail(p_value=0.1666, p_strict=0.0)
    """
    ranks = np.asarray(doubled_midranks, dtype=np.int64)
    n = ranks.size
    if not 0 < positives < n:
        raise AboveChanceError(f"both classes must occur; got {positives} positives of {n} cases")
    if not countable(ranks, positives):
        raise NotApplicable(f"counting rank sums of {n} cases takes too long; draw permutations")
    steps = _steps(ranks)
    divisor = _divisor(ranks)
    # the rank sum of the positives, in steps above the least rank
    target, remainder = divmod(int(observed) - positives * int(ranks.min()), divisor)
    least = target + (remainder > 0)
    if positives > n - positives:  # count the smaller class: sums of the rest are the whole less
        sums = _sums(steps, n - positives)
        upper = int(steps.sum()) - least
        weak = sums[: max(upper + 1, 0)].sum()
        strict = sums[: max(upper + 1 - (remainder == 0), 0)].sum()
    else:
        sums = _sums(steps, positives)
        weak = sums[max(least, 0) :].sum()
        strict = sums[max(least + (remainder == 0), 0) :].sum()
    return ExactTail(float(weak / sums.sum()), float(strict / sums.sum()))


def _steps(doubled_midranks: npt.ArrayLike) -> npt.NDArray[np.int64]:
    ranks = np.asarray(doubled_midranks, dtype=np.int64)
    return np.sort((ranks - ranks.min()) // _divisor(ranks))


def _divisor(ranks: npt.NDArray[np.int64]) -> int:
    return max(int(np.gcd.reduce(ranks - ranks.min())), 1)


def _cells(steps: npt.NDArray[np.int64], size: int) -> int:
    return int(steps.size * (size + 1) * (steps[-size:].sum() + 1))


def _sums(steps: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.float64]:
    """How many subsets of `size` have each sum."""
    return _counted(steps.tobytes(), size)


@lru_cache(maxsize=64)
def _counted(sorted_steps: bytes, size: int) -> npt.NDArray[np.float64]:
    """The same, kept: samples without ties differ only in their sizes."""
    steps = np.frombuffer(sorted_steps, dtype=np.int64)
    counts = np.zeros((size + 1, int(steps[-size:].sum()) + 1))
    counts[0, 0] = 1.0
    reach = 0
    for case, step in enumerate(steps):
        top = min(case + 1, size)
        reach = min(reach + int(step), counts.shape[1] - 1)
        shifted = counts[:top, : reach + 1 - int(step)].copy()
        counts[1 : top + 1, int(step) : reach + 1] += shifted
    found = counts[size].copy()
    found.flags.writeable = False
    return found


# ----------------------------------------------------------------------------------------------
# Tail probabilities of permutation sums without drawing: saddlepoint approximations.
#
# They are shown beside a Monte Carlo p as a check. Near the ends of the support they are rough
# (about 6 % low at 18 cases), and at perfect separation they do not exist: nan.
#
# References
# ----------
# Lugannani & Rice (1980); Skovgaard (1987), Saddlepoint expansions for conditional distributions;
# Robinson (1982), Saddlepoint approximations for permutation tests.
# ----------------------------------------------------------------------------------------------


NEAR = 1e-3
"""Closer to the centre than this (in standard normal units) the formula is 0/0; interpolate."""


def label_sum_tail(scores: npt.ArrayLike, positives: int, observed: float) -> float:
    r"""The chance that a random set of positives has scores summing to `observed` or more.

    Double saddlepoint on :math:`K(s,t)=\sum_i \log(1+e^{s+t a_i})`: with
    :math:`K_s=m, K_t=x` solved for (s, t) and :math:`s_0` the solution at t = 0,

    .. math::
        w = \mathrm{sgn}(t)\sqrt{2\{[K(s_0,0)-s_0 m]-[K(s,t)-s m-t x]\}},\quad
        u = t\sqrt{|K''(s,t)| / K_{ss}(s_0,0)},

    p ≈ 1 − Φ(w) + φ(w)(1/u − 1/w). For the lower tail negate the scores and the observed sum.

    >>> label_sum_tail(np.arange(40.0), 20, 450.0)
    0.0525
    """
    values = np.sort(np.asarray(scores, dtype=np.float64))
    n = values.size
    if not 0 < positives < n or not np.isfinite(values).all() or values[0] == values[-1]:
        return math.nan
    spread = float(values.std())
    if not spread > 0.0:  # squares of the least numbers there are
        return math.nan
    standard = (values - values.mean()) / spread
    target = (observed - positives * float(values.mean())) / spread
    least, most = float(standard[:positives].sum()), float(standard[n - positives :].sum())
    edge = 1e-9 * (most - least)
    if not least + edge < target < most - edge:
        return math.nan
    scale = math.sqrt(positives * (n - positives) / (n - 1))  # standard deviation of the sum
    return _around(lambda x: _double(standard, positives, x), target, scale, least, most)


def _around(
    terms: Callable[[float], tuple[float, float]],
    target: float,
    scale: float,
    least: float,
    most: float,
) -> float:
    """Lugannani and Rice's formula; across the centre by a straight line between its sides."""
    if abs(target) > 2 * NEAR * scale:
        return _lugannani_rice(*terms(target))
    step = min(2 * NEAR * scale, 0.5 * (most - target), 0.5 * (target - least))
    low, high = (_lugannani_rice(*terms(side)) for side in (-2 * step, 2 * step))
    return float(low + (high - low) * (target + 2 * step) / (4 * step))


def _lugannani_rice(w: float, u: float) -> float:
    if math.isnan(w) or w == 0 or u == 0:
        return math.nan
    density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
    p = math.erfc(w / math.sqrt(2)) / 2 + density * (1 / u - 1 / w)
    return float(min(max(p, 0.0), 1.0))


def _double(values: Floats, positives: int, target: float) -> tuple[float, float]:
    """(w, u) of the label sum; values have mean 0 and variance 1."""
    n = values.size
    start = math.log(positives / (n - positives))
    s, t = start, 0.0
    objective = _objective(values, positives, target, s, t)
    base = objective
    determinant = math.nan
    for _ in range(200):
        p = 0.5 * (1 + np.tanh(0.5 * (s + t * values)))
        v = p * (1 - p)
        gradient_s, gradient_t = positives - p.sum(), target - (values * p).sum()
        ss, st, tt = v.sum(), (values * v).sum(), (values * values * v).sum()
        determinant = float(ss * tt - st * st)
        if not determinant > 0:
            return math.nan, math.nan
        step_s = (tt * gradient_s - st * gradient_t) / determinant
        step_t = (ss * gradient_t - st * gradient_s) / determinant
        decrement = gradient_s * step_s + gradient_t * step_t
        if decrement < 1e-24 * n:
            break
        share = 1.0
        while True:  # a convex problem: halve the step until it descends
            trial = _objective(values, positives, target, s + share * step_s, t + share * step_t)
            if trial <= objective - 1e-4 * share * decrement or share < 1e-10:
                break
            share /= 2
        s, t, objective = s + share * step_s, t + share * step_t, trial
        if share < 1e-10:
            break
    w = math.copysign(math.sqrt(max(2 * (base - objective), 0.0)), t)
    return w, t * math.sqrt(determinant / (positives * (n - positives) / n))


def _objective(values: Floats, positives: int, target: float, s: float, t: float) -> float:
    return float(np.logaddexp(0.0, s + t * values).sum()) - s * positives - t * target
