"""More intervals of shares, for comparison with other programs; the default is Wilson's."""

from collections.abc import Callable

import numpy as np

from abovechance.errors import DataError, NotApplicable
from abovechance.inference.intervals.proportions import SHARES
from abovechance.inference.method import Takes, interval, limits
from abovechance.inference.results import Interval
from abovechance.numerics.exact import at_least, at_most, log_pmf


@interval(
    title="Wald",
    words="Wald's method",
    source="wald1943",
    laws=SHARES,
    takes=Takes.SHARE,
)
def wald(x: int, n: int, *, confidence_level: float = 0.95) -> Interval:
    """The textbook interval of a share, clipped to [0, 1]; it covers too little when x is small.

    Parameters
    ----------
    x, n
        Number of cases that count (right ones, for instance), and of all cases.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    DataError
        If x is negative or greater than n, or n is not positive.

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
    z, share = _checked(x, n, confidence_level), x / n
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

    Parameters
    ----------
    x, n
        Number of cases that count (right ones, for instance), and of all cases.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    DataError
        If x is negative or greater than n, or n is not positive.

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
    z, share = _checked(x, n, confidence_level), x / n
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

    Parameters
    ----------
    x, n
        Number of cases that count (right ones, for instance), and of all cases.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    DataError
        If x is negative or greater than n, or n is not positive.

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
    z = _checked(x, n, confidence_level)
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

    Parameters
    ----------
    x, n
        Number of cases that count (right ones, for instance), and of all cases.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    DataError
        If x is negative or greater than n, or n is not positive.

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
    _checked(x, n, confidence_level)
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

    Parameters
    ----------
    x, n
        Number of cases that count (right ones, for instance), and of all cases.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

    Raises
    ------
    DataError
        If x is negative or greater than n, or n is not positive.

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

    _checked(x, n, confidence_level)
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


def _checked(x: float, n: float, level: float) -> float:
    """The normal quantile for the level, once x, n and level make sense."""
    from scipy.special import ndtri

    if n <= 0:
        raise NotApplicable("a share needs at least one case; there is none.")
    if not 0 <= x <= n:
        raise DataError(f"x must lie between 0 and n; got {x:g} of {n:g}.")
    if not 0.0 < level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {level}.")
    return float(ndtri(0.5 + level / 2.0))
