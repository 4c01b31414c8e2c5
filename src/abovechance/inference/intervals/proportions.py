"""Intervals of shares: x of n cases."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.method import Fact, Takes, interval, limits
from abovechance.inference.results import Interval
from abovechance.measures import Law

SHARES = (Law.SHARE, Law.CONDITIONAL)


def wilson(x: float, n: float, *, confidence_level: float = 0.95) -> Interval:
    r"""Wilson's score interval of a share, the default here.

    .. math:: \frac{x + z^2/2}{n + z^2} \pm \frac{z}{n + z^2} \sqrt{\frac{x (n - x)}{n} + z^2/4}

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
    x, n
        Number of cases that count (right ones, for instance), and of all cases.
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.
    adjusted
        Whether the lower limit is 0 when x = 0, and the upper limit 1 when x = n.

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
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

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
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

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
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

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
    confidence_level
        In what share of samples such an interval covers the true value; 0.95 unless stated.

    Returns
    -------
    Interval
        Its limits `low` and `high`, its `level`, and its `method` in words.

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
    if min(gained, lost) < 0 or gained + lost > n or n <= 0:
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
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _checked(x: float, n: float) -> None:
    if n <= 0:
        raise NotApplicable("a share needs at least one case; there is none.")
    if not 0 <= x <= n:
        raise DataError(f"x must lie between 0 and n; got {x:g} of {n:g}.")


def _normal(level: float) -> float:
    from scipy.special import ndtri

    if not 0.0 < level < 1.0:
        raise DataError(f"confidence_level must lie between 0 and 1; got {level}.")
    return float(ndtri(0.5 + level / 2.0))
