"""Exact tests of counts: binomial, McNemar, Fisher."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.errors import DataError, NotApplicable
from abovechance.inference.method import Fact, Takes, answer, test
from abovechance.inference.results import Test
from abovechance.measures import Law
from abovechance.numerics.exact import (
    at_least,
    at_most,
    hypergeometric_tails,
    log_hypergeometric,
    log_pmf,
    never_zero,
)

INDEPENDENT = "prediction and outcome are independent (both margins fixed)"
NEVER_DISAGREE = "undefined, for the models never disagree (method='exact' has p = 1)"
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
    takes=Takes.PARTS,
)
def binomial(x: int, n: int, rate: float, *, alternative: str = "greater") -> Test:
    """Exact binomial test of x of n cases against a rate stated beforehand.

    Parameters
    ----------
    x, n
        Number of cases that count (right ones, for instance), and of all cases.
    rate
        The share to test against, between 0 and 1.
    alternative
        "greater" (default), "less", or "two-sided": all counts no more probable than the observed.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

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
        hypothesis=f"the true share is {rate:g}",
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

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

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
    counts = np.asarray(table)
    if counts.shape != (2, 2) or (counts < 0).any() or (counts != np.round(counts)).any():
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
