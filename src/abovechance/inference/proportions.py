"""Shares as x of n: their intervals, intervals of their differences, and exact tests of counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Floats, floats_or_none
from abovechance.errors import DataError, NotApplicable
from abovechance.gate import WHOLE
from abovechance.inference.method import Fact, Takes, answer, interval, limits, test
from abovechance.inference.results import Interval, Test
from abovechance.measures import Law
from abovechance.numerics.exact import (
    at_least,
    at_most,
    critical_value,
    hypergeometric_tails,
    log_hypergeometric,
    log_pmf,
    never_zero,
)

# ----------------------------------------------------------------------------------------------
# Intervals of shares: x of n cases.
# ----------------------------------------------------------------------------------------------


SHARES = (Law.SHARE, Law.CONDITIONAL)
FEW_HITS, TINY = 3.0, 1e-9  # hits of which Wilson's limit is too sure; what counts as one for Γ


def wilson(x: float, n: float, *, confidence_level: float = 0.95) -> Interval:
    r"""Wilson's score interval of a share, the default here.

    .. math:: \frac{x + z^2/2}{n + z^2} \pm \frac{z}{n + z^2} \sqrt{\frac{x (n - x)}{n} + z^2/4}

    See Also
    --------
    clopper_pearson : never covers less than it says.
    jeffreys : a posterior interval of the same share.

    References
    ----------
    Wilson (1927); recommended by Brown, Cai & DasGupta (2001).

    Examples
    --------
    >>> print(wilson(14, 20))
    0.481 to 0.855
    """
    _checked(x, n)
    low, high = score_limits(x, n, confidence_level)
    return limits("wilson", low, high, confidence_level)


@interval(
    title="Clopper–Pearson",
    words="Clopper and Pearson's exact method",
    source="clopper1934",
    laws=SHARES,
    takes=Takes.SHARE,
)
def clopper_pearson(x: float, n: float, *, confidence_level: float = 0.95) -> Interval:
    """Clopper and Pearson's exact interval of a share, which never covers less than it says.

    See Also
    --------
    wilson : covers as often as it says on average, and is shorter.
    mid_p : the exact interval made less cautious.

    References
    ----------
    Clopper & Pearson (1934).

    Examples
    --------
    >>> print(clopper_pearson(0, 10))
    0.000 to 0.308
    """
    from scipy.special import betaincinv

    _checked(x, n)
    tail = (1.0 - confidence_level) / 2.0
    low = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, tail))
    high = 1.0 if x == n else float(betaincinv(x + 1, n - x, 1.0 - tail))
    return limits("clopper_pearson", low, high, confidence_level)


@interval(
    title="Jeffreys",
    words="the posterior under Jeffreys' prior",
    source="brown2001",
    laws=SHARES,
    takes=Takes.SHARE,
)
def jeffreys(
    x: float, n: float, *, confidence_level: float = 0.95, adjusted: bool = True
) -> Interval:
    """Equal-tailed posterior interval of a share under Jeffreys' prior Beta(½, ½).

    Parameters
    ----------
    adjusted
        Whether the lower limit is 0 when x = 0, and the upper limit 1 when x = n.

    See Also
    --------
    modified_jeffreys : limits of counts next to 0 and n are put right too.
    abovechance.posterior.accuracy : the whole posterior, with a prior of your own.

    References
    ----------
    Brown, Cai & DasGupta (2001), section 4.3.

    Examples
    --------
    >>> print(jeffreys(0, 10))
    0.000 to 0.217
    """
    from scipy.special import betaincinv

    _checked(x, n)
    tail = (1.0 - confidence_level) / 2.0
    low = float(betaincinv(x + 0.5, n - x + 0.5, tail))
    high = float(betaincinv(x + 0.5, n - x + 0.5, 1.0 - tail))
    if adjusted:
        low, high = (0.0 if x == 0 else low), (1.0 if x == n else high)
    return limits("jeffreys", low, high, confidence_level)


@interval(
    title="Agresti–Coull",
    words="Agresti and Coull's method",
    source="agresti1998",
    laws=SHARES,
    takes=Takes.SHARE,
)
def agresti_coull(x: float, n: float, *, confidence_level: float = 0.95) -> Interval:
    """Agresti and Coull's interval of a share, clipped to [0, 1].

    Wilson's centre with the width of the textbook interval around it.

    See Also
    --------
    wilson : the default here; never wider.

    References
    ----------
    Agresti & Coull (1998).

    Examples
    --------
    >>> print(agresti_coull(14, 20))
    0.479 to 0.857
    """
    _checked(x, n)
    z = _normal(confidence_level)
    total = n + z**2
    centre = (x + z**2 / 2.0) / total
    half = z * np.sqrt(centre * (1.0 - centre) / total)
    low, high = max(centre - half, 0.0), min(centre + half, 1.0)
    return limits("agresti_coull", low, high, confidence_level)


@interval(
    title="Newcombe[, unpaired{unpaired}]",
    words="Newcombe's method[ for different cases{unpaired}]",
    source="newcombe1998",
    laws=SHARES,
    allows=[Fact.UNPAIRED],
    takes=Takes.PARTS,
    models=2,
)
def newcombe(
    x1: float, n1: float, x2: float, n2: float, *, confidence_level: float = 0.95
) -> Interval:
    """Interval of the difference of two independent shares, first minus second.

    Parameters
    ----------
    x1, n1
        Cases that count in the first sample, and all of its cases.
    x2, n2
        Those of the second sample.

    Raises
    ------
    DataError
        If a count is negative or greater than its n.

    See Also
    --------
    tango : when both shares are of the same cases.

    References
    ----------
    Newcombe (1998), method 10.

    Examples
    --------
    >>> print(newcombe(56, 70, 48, 80))
    0.052 to 0.334
    """
    _checked(x1, n1)
    _checked(x2, n2)
    shares = np.array([x1 / n1, x2 / n2])
    low, high = score_limits(np.array([x1, x2]), np.array([n1, n2]), confidence_level)
    down, up = combined(shares, low, high, np.array([1.0, -1.0]))
    return limits("newcombe", down, up, confidence_level)


def mover(
    x: Floats, n: Floats, *, weights: Sequence[float] | None = None, confidence_level: float = 0.95
) -> Interval:
    """Interval of a weighted mean of independent shares, from Wilson's limits of each.

    The method of variance estimates recovery: each limit of a share stands for its spread on
    that side. Equal weights give balanced accuracy.

    Parameters
    ----------
    x, n
        For every share, the number of cases that count and of all cases.
    weights
        Weight of every share, negative for a difference; equal weights when not given.

    Raises
    ------
    DataError
        If a count is negative or greater than its n, or there is not one weight per share.

    See Also
    --------
    effective_wilson : for means of more than two shares.
    newcombe : for a difference of two shares.

    References
    ----------
    Zou & Donner (2008); Donner & Zou (2012).

    Examples
    --------
    >>> print(mover([48, 45], [50, 50]))
    0.856 to 0.962
    """
    right, total = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    for hits, cases in zip(right, total, strict=True):
        _checked(float(hits), float(cases))
    share = np.full(len(right), 1.0 / len(right)) if weights is None else np.asarray(weights)
    if share.shape != right.shape:
        raise DataError(f"weights must be one per share, {len(right)}; got {share.size}.")
    low, high = score_limits(right, total, confidence_level)
    down, up = combined(right / total, low, high, share)
    return limits("mover", down, up, confidence_level)


def effective_wilson(x: Floats, n: Floats, *, confidence_level: float = 0.95) -> Interval:
    r"""Wilson's interval of a mean of K independent shares at its effective number of cases.

    With :math:`\tilde p_k = (x_k + ½)/(n_k + 1)`, their mean B and the variance
    :math:`\hat v = K^{-2} \sum \tilde p_k (1 - \tilde p_k) / n_k`, the mean behaves like a share of
    :math:`B (1 - B) / \hat v` cases. The default for balanced accuracy of more than two classes.

    Parameters
    ----------
    x, n
        For every share, the number of cases that count and of all cases.

    Raises
    ------
    DataError
        If a count is negative or greater than its n.

    See Also
    --------
    mover : for two shares, or shares with weights.

    Examples
    --------
    >>> print(effective_wilson([9, 10, 8], [10, 10, 10]))
    0.748 to 0.965
    """
    right, total = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    for hits, cases in zip(right, total, strict=True):
        _checked(float(hits), float(cases))
    moved = (right + 0.5) / (total + 1.0)
    centre = moved.mean()
    variance = (moved * (1.0 - moved) / total).sum() / len(total) ** 2
    cases = centre * (1.0 - centre) / variance
    value = float((right / total).mean())
    low, high = score_limits(value * cases, cases, confidence_level)
    return limits("wilson", low, high, confidence_level, effective=True)


@interval(
    title="Tango[, labels alike{labels}][, as of {clusters} clusters]",
    words="Tango's score method[ for labels that are alike{labels}][ as of {clusters} clusters]",
    source="tango1998",
    laws=SHARES,
    takes=Takes.PARTS,
    models=2,
)
def tango(gained: float, lost: float, n: float, *, confidence_level: float = 0.95) -> Interval:
    """Tango's score interval of the difference of two paired shares, (gained − lost) / n.

    Parameters
    ----------
    gained, lost
        Cases that only the first model got right, and that only the second got right.
    n
        All cases.

    Raises
    ------
    DataError
        If a count is negative, or gained and lost are more than n together.

    See Also
    --------
    newcombe : when the shares are of different cases.
    abovechance.significance.mcnemar : the test that goes with it.

    References
    ----------
    Tango (1998).

    Examples
    --------
    >>> print(tango(12, 2, 50))
    0.061 to 0.345
    """
    if min(gained, lost) < 0 or gained + lost > n or not 0 < n < np.inf:
        raise DataError(f"of {n:g} pairs {gained:g} and {lost:g} cannot be discordant.")
    z = _normal(confidence_level)
    difference = (gained - lost) / n
    low = _solve(lambda d: _score(gained, lost, n, d) - z, -1.0, difference)
    high = _solve(lambda d: _score(gained, lost, n, d) + z, difference, 1.0)
    return limits("tango", low, high, confidence_level)


def hanley_mcneil(auc: float, n1: int, n0: int) -> float:
    """Standard error of an area under the ROC curve from the area and the class sizes alone.

    Parameters
    ----------
    auc
        The area, between 0 and 1.
    n1, n0
        Number of positive and of negative cases.

    Returns
    -------
    float
        The standard error.

    Raises
    ------
    DataError
        If the area does not lie in [0, 1], or a class has no cases.

    See Also
    --------
    newcombe_auc : an interval from the same three numbers.
    delong : an interval from the cases themselves.

    References
    ----------
    Hanley & McNeil (1982), eq. 1.

    Examples
    --------
    >>> hanley_mcneil(0.893, 58, 51)
    0.032
    """
    if not 0.0 <= auc <= 1.0:
        raise DataError(f"an area under the ROC curve lies between 0 and 1; got {auc:g}.")
    if min(n1, n0) < 1:
        raise DataError(f"both classes must have cases; got {n1:g} and {n0:g}.")
    q1, q2, square = auc / (2.0 - auc), 2.0 * auc**2 / (1.0 + auc), auc**2
    total = auc * (1.0 - auc) + (n1 - 1) * (q1 - square) + (n0 - 1) * (q2 - square)
    return float(np.sqrt(max(total, 0.0) / (n1 * n0)))


def score_limits(x: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Wilson's limits, vectorised; exactly 0 and 1 at the ends."""
    z = _normal(level)
    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    total = n + z**2
    centre = (x + z**2 / 2.0) / total
    half = z / total * np.sqrt(np.maximum(x * (n - x) / n, 0.0) + z**2 / 4.0)
    low = np.where(x <= 0, 0.0, np.maximum(centre - half, 0.0))
    return low, np.where(x >= n, 1.0, np.minimum(centre + half, 1.0))


def modified_score_limits(x: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Wilson's limits, nearer to 0 and 1 where up to three cases, or all but these, are hits.

    Wilson's lower limit of a single hit is so high that rare hits are missed in a sixth of samples;
    Poisson's, at the chance that is left, is not. Deviations from the source: so for any n, and
    between three and four hits, which effective numbers of cases may come to, one turns into the
    other.

    References
    ----------
    Brown, Cai & DasGupta (2001), Interval estimation for a binomial proportion, section 4.1.1.
    """
    from scipy.special import gammaincinv

    low, high = score_limits(x, n, level)

    def nearest(hits: Any, wilson: Any) -> Any:
        poisson = np.minimum(gammaincinv(np.clip(hits, TINY, FEW_HITS), 1.0 - level) / n, wilson)
        share = np.clip(hits - FEW_HITS, 0.0, 1.0)
        return (1.0 - share) * poisson + share * wilson

    return nearest(x, low), 1.0 - nearest(n - x, 1.0 - high)


def combined(shares: Floats, low: Floats, high: Floats, weights: Floats) -> tuple[float, float]:
    """Limits of a weighted sum from the limits of its parts."""
    centre = float(weights @ shares)
    below = np.where(weights >= 0, shares - low, high - shares)
    above = np.where(weights >= 0, high - shares, shares - low)
    return (
        centre - float(np.sqrt(((weights * below) ** 2).sum())),
        centre + float(np.sqrt(((weights * above) ** 2).sum())),
    )


def _score(gained: float, lost: float, n: float, difference: float) -> float:
    """Tango's score statistic at a difference, with the restricted estimate of the nuisance."""
    a = 2.0 * n
    b = -gained - lost + (2.0 * n - gained + lost) * difference
    c = -lost * difference * (1.0 - difference)
    q = (np.sqrt(max(b * b - 4.0 * a * c, 0.0)) - b) / (2.0 * a)
    variance = n * (2.0 * q + difference * (1.0 - difference))
    gap = gained - lost - n * difference
    if variance <= 0:
        return 0.0 if gap == 0 else float(np.sign(gap) * np.inf)
    return float(gap / np.sqrt(variance))


def _solve(function: Any, low: float, high: float) -> float:
    """Bisection of a decreasing function: its zero, or the end that is nearer to it."""
    for _ in range(200):
        middle = (low + high) / 2.0
        if middle in (low, high):  # no number lies between them
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _checked(x: float, n: float) -> None:
    if n <= 0:
        raise NotApplicable("a share needs at least one case; there is none.")
    if n == np.inf:
        raise DataError("n must be a finite number of cases; got inf.")
    if not 0 <= x <= n:
        raise DataError(f"x must lie between 0 and n; got {x:g} of {n:g}.")


def _normal(level: float) -> float:
    if not 0.0 < level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {level}.")
    return critical_value(level)


# ----------------------------------------------------------------------------------------------
# More intervals of shares, for comparison with other programs; the default is Wilson's.
# ----------------------------------------------------------------------------------------------


@interval(
    title="Wald",
    words="Wald's method",
    source="wald1943",
    laws=SHARES,
    takes=Takes.SHARE,
)
def wald(x: int, n: int, *, confidence_level: float = 0.95) -> Interval:
    """The textbook interval of a share, clipped to [0, 1]; it covers too little when x is small.

    See Also
    --------
    wilson : covers as often as it says.

    References
    ----------
    Brown, Cai & DasGupta (2001), section 2, on how little it covers.

    Examples
    --------
    >>> print(wald(1, 10))
    0.000 to 0.286
    """
    z, share = _checked_quantile(x, n, confidence_level), x / n
    half = z * np.sqrt(share * (1.0 - share) / n)
    return limits("wald", max(share - half, 0.0), min(share + half, 1.0), confidence_level)


@interval(
    title="Wilson with continuity correction",
    words="Wilson's score method with continuity correction",
    source="newcombesingle1998",
    laws=SHARES,
    takes=Takes.SHARE,
)
def wilson_corrected(x: int, n: int, *, confidence_level: float = 0.95) -> Interval:
    """Wilson's interval of a share with continuity correction; it covers more than it says.

    See Also
    --------
    wilson : without the correction.

    References
    ----------
    Newcombe (1998), method 4.

    Examples
    --------
    >>> print(wilson_corrected(0, 10))
    0.000 to 0.345
    """
    z, share = _checked_quantile(x, n, confidence_level), x / n
    middle, total = 2.0 * x + z**2, 2.0 * (n + z**2)
    spread = z**2 - 1.0 / n + 4.0 * x * (1.0 - share)
    down = z * np.sqrt(max(spread + (4.0 * share - 2.0), 0.0)) + 1.0
    up = z * np.sqrt(max(spread - (4.0 * share - 2.0), 0.0)) + 1.0
    low = 0.0 if x == 0 else max((middle - down) / total, 0.0)
    high = 1.0 if x == n else min((middle + up) / total, 1.0)
    return limits("wilson_corrected", low, high, confidence_level)


@interval(
    title="logit",
    words="Wald's method on the logit scale",
    source="brown2001",
    laws=SHARES,
    takes=Takes.SHARE,
)
def logit(x: int, n: int, *, confidence_level: float = 0.95) -> Interval:
    """Wald's interval of a share on the logit scale; at 0 and n the exact one.

    See Also
    --------
    wilson : the default here.

    References
    ----------
    Brown, Cai & DasGupta (2001), section 4.

    Examples
    --------
    >>> print(logit(9, 10))
    0.533 to 0.986
    """
    z = _checked_quantile(x, n, confidence_level)
    if x in (0, n):
        low, high = _exact_ends(x, n, confidence_level)
    else:
        centre, half = np.log(x / (n - x)), z * np.sqrt(n / (x * (n - x)))
        low, high = (1.0 / (1.0 + np.exp(-(centre + side * half))) for side in (-1.0, 1.0))
    return limits("logit", low, high, confidence_level)


@interval(
    title="mid-p",
    words="the exact method with mid-p",
    source="lancaster1961",
    laws=SHARES,
    takes=Takes.SHARE,
)
def mid_p(x: int, n: int, *, confidence_level: float = 0.95) -> Interval:
    """Exact interval of a share with half the probability of the observed count in each tail.

    It covers as often as it says on average, where the exact interval covers more.

    See Also
    --------
    clopper_pearson : with the whole probability in each tail.

    References
    ----------
    Lancaster (1961); Brown, Cai & DasGupta (2001), section 4.

    Examples
    --------
    >>> print(mid_p(1, 10))
    0.005 to 0.403
    """
    _checked_quantile(x, n, confidence_level)
    tail = (1.0 - confidence_level) / 2.0

    def upper(p: float) -> float:
        return at_least(x, n, p) - np.exp(float(log_pmf(x, n, p))) / 2.0 - tail

    def lower(p: float) -> float:
        return tail - at_most(x, n, p) + np.exp(float(log_pmf(x, n, p))) / 2.0

    low = 0.0 if x == 0 else _increasing_zero(upper)
    high = 1.0 if x == n else _increasing_zero(lower)
    return limits("mid_p", low, high, confidence_level)


@interval(
    title="modified Jeffreys",
    words="the modified posterior under Jeffreys' prior",
    source="brown2001",
    laws=SHARES,
    takes=Takes.SHARE,
)
def modified_jeffreys(x: int, n: int, *, confidence_level: float = 0.95) -> Interval:
    """Jeffreys' interval of a share with the limits of counts near 0 and n put right.

    At 0 and n the limit is the exact one; at 1 the lower limit is 0, at n − 1 the upper limit is 1.

    See Also
    --------
    jeffreys : without the changes next to 0 and n.

    References
    ----------
    Brown, Cai & DasGupta (2001), section 4.1.2.

    Examples
    --------
    >>> print(modified_jeffreys(1, 10))
    0.000 to 0.381
    """
    from scipy.special import betaincinv

    _checked_quantile(x, n, confidence_level)
    tail = (1.0 - confidence_level) / 2.0
    if x in (0, n):
        low, high = _exact_ends(x, n, confidence_level)
    else:
        low = 0.0 if x == 1 else float(betaincinv(x + 0.5, n - x + 0.5, tail))
        high = 1.0 if x == n - 1 else float(betaincinv(x + 0.5, n - x + 0.5, 1.0 - tail))
    return limits("modified_jeffreys", low, high, confidence_level)


def _exact_ends(x: int, n: int, level: float) -> tuple[float, float]:
    """Clopper and Pearson's limits for none or all of n."""
    limit = ((1.0 - level) / 2.0) ** (1.0 / n)
    return (0.0, 1.0 - limit) if x == 0 else (limit, 1.0)


def _increasing_zero(function: Callable[[float], float]) -> float:
    """Zero of an increasing function on (0, 1), by halving."""
    low, high = 0.0, 1.0
    while high - low > 1e-15 * high:
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) < 0.0 else (low, middle)
    return (low + high) / 2.0


def _checked_quantile(x: float, n: float, level: float) -> float:
    """The normal quantile for the level, once x, n and level make sense."""
    _checked(x, n)
    return _normal(level)


# ----------------------------------------------------------------------------------------------
# Exact tests of counts: binomial, McNemar, Fisher.
# ----------------------------------------------------------------------------------------------


INDEPENDENT = "prediction and outcome are independent (both margins fixed)"
NEVER_DISAGREE = "undefined because the models never disagree (method='exact' has p = 1)"
SHARE_IS = "the true share is"
SIDES = ("greater", "less", "two-sided")
TIES = 1.0 + 1e-7  # relative slack for equally probable outcomes, as in R's binom.test


@dataclass(frozen=True, kw_only=True)
class McNemar(Test):
    """McNemar's test with the mid-p value beside the exact one."""

    mid_p: float


@test(
    title="exact binomial test",
    words="the exact binomial test",
    source="clopper1934",
    hypothesis="the true share is the rate stated",
    laws=[Law.SHARE, Law.CONDITIONAL],
    allows=[Fact.SUMMARY],
    takes=Takes.PARTS,
)
def binomial(x: int, n: int, rate: float, *, alternative: str = "greater") -> Test:
    """Exact binomial test of x of n cases against a rate stated beforehand.

    Parameters
    ----------
    rate
        The share to test against, between 0 and 1.
    alternative
        "greater" (default), "less", or "two-sided": all counts no more probable than the observed.

    Raises
    ------
    DataError
        If x does not lie between 0 and n, or the rate not between 0 and 1.

    See Also
    --------
    binomial_critical : the smallest count that would be significant.

    References
    ----------
    Clopper & Pearson (1934).

    Examples
    --------
    >>> binomial(15, 20, 0.5).p_value
    0.0207
    """
    _side(alternative)
    if not (0 <= x <= n and n >= 1):
        raise DataError(f"x must lie between 0 and n; got {x} of {n}.")
    if not 0.0 < rate < 1.0:
        raise DataError(f"rate must lie between 0 and 1; got {rate}.")
    return answer(
        "binomial",
        statistic=x / n,
        p_value=never_zero(_binomial(int(x), int(n), rate, alternative)),
        alternative=alternative,
        hypothesis=f"{SHARE_IS} {rate:g}",
    )


def binomial_critical(n: int, rate: float, alpha: float = 0.05) -> int | None:
    """How many of n cases must be right to be better than a rate at level alpha.

    Parameters
    ----------
    n
        Number of cases.
    rate
        The share to be better than, between 0 and 1.
    alpha
        Level of the test; 0.05 unless stated.

    Returns
    -------
    int or None
        The smallest count whose exact one-sided binomial p is at most alpha; None when even n of n
        do not reach it.

    Raises
    ------
    DataError
        If n is not a whole number from 1 on, or rate or alpha do not lie between 0 and 1.

    See Also
    --------
    binomial : the test itself.

    References
    ----------
    Brodersen et al. (2010), section 1.

    Examples
    --------
    >>> binomial_critical(20, 0.5), binomial(15, 20, 0.5).p_value, binomial(14, 20, 0.5).p_value
    (15, 0.0207, 0.0577)
    """
    if not (n == int(n) and n >= 1):
        raise DataError(f"n must be a whole number from 1 on; got {n}.")
    for name, value in (("rate", rate), ("alpha", alpha)):
        if not 0.0 < value < 1.0:
            raise DataError(f"{name} must lie between 0 and 1; got {value}.")
    low, high = 0, int(n) + 1  # p falls as the count grows
    while low < high:
        middle = (low + high) // 2
        if middle <= n and _binomial(middle, int(n), rate, "greater") > alpha:
            low = middle + 1
        else:
            high = middle
    return low if low <= n else None


@test(
    title="McNemar[ against {against}][, {version}][: {undefined}][, among {among}]"
    "[, as of {clusters} clusters]",
    words="McNemar's[ {version}] test[ against {against}][ among {among}]"
    "[ as of {clusters} clusters]",
    source="mcnemar1947",
    hypothesis="both models are right equally often",
    laws=[Law.SHARE, Law.CONDITIONAL],
    takes=Takes.PARTS,
    models=2,
)
def mcnemar(b: int, c: int, *, method: str = "exact", alternative: str = "two-sided") -> McNemar:
    """Test whether two models are right equally often on the same cases.

    Parameters
    ----------
    b, c
        Cases that only the first model, and that only the second got right.
    method
        "exact" (default), "mid-p", or the asymptotic "chi2" and "chi2_corrected".
    alternative
        "two-sided" (default); "greater" when the first model was expected to be better; "less".

    Returns
    -------
    McNemar
        A test with its `p_value`, and the `mid_p` beside it.

    Raises
    ------
    DataError
        If a count is negative.
    NotApplicable
        For an unknown method.

    See Also
    --------
    abovechance.intervals.tango : the interval of the difference.
    sign_flip : the same question for predictions, and for losses other than right and wrong.

    References
    ----------
    McNemar (1947); mid-p: Fagerland, Lydersen & Laake (2013).

    Examples
    --------
    >>> test = mcnemar(3, 8)
    >>> test.p_value, test.mid_p
    (0.227, 0.146)
    """
    _side(alternative)
    if b < 0 or c < 0:
        raise DataError(f"counts must not be negative; got {b} and {c}.")
    exact, mid = _discordant(int(b), int(c), alternative)
    statistic, p, known = float(b - c), exact, {"version": method}
    if method == "mid-p":
        p = mid
    elif method in ("chi2", "chi2_corrected"):
        statistic, p = _chi2(b, c, corrected=method == "chi2_corrected")
        if b + c == 0:
            known["undefined"] = NEVER_DISAGREE
    elif method != "exact":
        raise NotApplicable(
            f"method must be 'exact', 'mid-p', 'chi2' or 'chi2_corrected'; got {method!r}."
        )
    found = answer(
        "mcnemar", statistic=statistic, p_value=never_zero(p), alternative=alternative, **known
    )
    return McNemar(**vars(found), mid_p=never_zero(mid))


@test(
    title="Fisher's exact test[, unpaired{unpaired}]",
    words="Fisher's exact test[ for different cases{unpaired}]",
    source="fisher1935",
    hypothesis=INDEPENDENT,
    laws=[Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.UNKNOWN],
    allows=[Fact.UNPAIRED],
    takes=Takes.PARTS,
)
def fisher_counts(table: Any, *, alternative: str = "greater") -> Test:
    """Fisher's exact test of a 2 × 2 table of counts.

    Parameters
    ----------
    table
        Counts, rows actual and columns predicted.
    alternative
        "greater" (default): more cases are called by their class than independence would give;
        "less"; or "two-sided".

    Raises
    ------
    DataError
        If it is not a 2 × 2 table of counts.

    See Also
    --------
    fisher : the same test of predictions.

    References
    ----------
    Fisher (1935).

    Examples
    --------
    >>> fisher_counts([[2, 1], [0, 3]]).p_value
    0.2
    """
    _side(alternative)
    counts = floats_or_none(table)
    right = counts is not None and counts.shape == (2, 2) and 0 <= counts.min() <= counts.sum()
    if counts is None or not right or (counts != np.round(counts)).any() or counts.sum() > WHOLE:
        raise DataError("Fisher's test needs a 2 × 2 table of counts.")
    total, positives, called = (int(c) for c in (counts.sum(), counts[1].sum(), counts[:, 1].sum()))
    hits = int(counts[1, 1])
    greater, less = hypergeometric_tails(hits, total, positives, called)
    p = greater if alternative == "greater" else less
    if alternative == "two-sided":
        every = np.arange(max(0, called + positives - total), min(called, positives) + 1)
        weight = np.exp(log_hypergeometric(every, total, positives, called))
        same = weight[hits - every[0]]
        p = float(weight[weight <= same * TIES].sum())
    return answer("fisher", statistic=float(hits), p_value=never_zero(p), alternative=alternative)


def _binomial(x: int, n: int, rate: float, alternative: str) -> float:
    if alternative == "greater":
        return at_least(x, n, rate)
    if alternative == "less":
        return at_most(x, n, rate)
    if x == n * rate:
        return 1.0
    every = np.arange(n + 1)
    weight = log_pmf(every, n, rate)
    alike = every[weight <= weight[x] + np.log(TIES)]
    if x < n * rate:
        beyond = alike[alike >= n * rate]
        rest = at_least(int(beyond[0]), n, rate) if beyond.size else 0.0
        return at_most(x, n, rate) + rest
    beyond = alike[alike <= n * rate]
    rest = at_most(int(beyond[-1]), n, rate) if beyond.size else 0.0
    return at_least(x, n, rate) + rest


def _discordant(b: int, c: int, alternative: str) -> tuple[float, float]:
    """Exact and mid-p values of b of b + c at one half."""
    n = b + c
    if n == 0:
        return 1.0, 1.0
    same = float(np.exp(log_pmf(b, n, 0.5)))
    if alternative != "two-sided":
        p = _binomial(b, n, 0.5, alternative)
        return p, p - same / 2.0
    less = min(b, c)
    exact = min(1.0, 2.0 * _binomial(less, n, 0.5, "less"))
    mid = 1.0 if b == c else exact - same
    return exact, mid


def _chi2(b: int, c: int, *, corrected: bool) -> tuple[float, float]:
    from scipy.special import chdtrc

    if b + c == 0:
        return float("nan"), float("nan")
    gap = max(abs(b - c) - 1, 0) if corrected else abs(b - c)
    statistic = gap**2 / (b + c)
    return float(statistic), float(chdtrc(1, statistic))


def _side(alternative: str) -> None:
    if alternative not in SIDES:
        raise NotApplicable(f"alternative must be one of {', '.join(SIDES)}; got {alternative!r}.")
