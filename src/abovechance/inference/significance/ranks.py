"""Do positive cases score higher? Mann and Whitney's test, exact with ties when it can be."""

from functools import partial

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.method import Kind, Takes, answer, checked, test
from abovechance.inference.results import Test
from abovechance.measures import Law
from abovechance.numerics.exact import never_zero
from abovechance.numerics.ranks import midranks, placements
from abovechance.predictions import Binary
from abovechance.resampling import (
    Alternative,
    LabelPermutations,
    Resampling,
    countable,
    exact_rank_sum,
    null_distribution,
    seed_of,
)

SAME = "scores have the same distribution in both classes"
EXACT_UP_TO = 200  # cases: beyond, the normal approximation is as good and at once


def mann_whitney(
    predictions: Binary,
    *,
    alternative: Alternative = "greater",
    method: str = "auto",
    continuity: bool = True,
) -> Test:
    """Test whether positive cases score higher than negative ones.

    The null hypothesis is that scores have the same distribution in both classes, not only that
    the area under the ROC curve is one half: for that alone see `studentised_permutation`.

    Parameters
    ----------
    predictions
        Predictions of two classes with a score or a probability, made with `Binary`.
    alternative
        "greater" (default): positive cases score higher; "less"; or "two-sided".
    method
        "exact": the permutation distribution of the midranks, ties included; "normal": its
        normal approximation with the variance corrected for ties; "auto": exact up to 200 cases.
    continuity
        Whether the approximation moves the statistic half a step towards its mean.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    NotApplicable
        If there are no scores, only one class was observed, or the method is unknown; for
        predictions pooled over folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    studentised_permutation : tests the area alone.
    abovechance.intervals.delong : the interval of the area.

    References
    ----------
    Mann & Whitney (1947); ties: Lehmann (2006), section 1.4.

    Examples
    --------
    >>> from abovechance import Binary
    >>> print(mann_whitney(Binary([0, 0, 0, 1, 1, 1], score=[1, 2, 4, 3, 5, 6])))
    p = 0.1, Mann–Whitney, exact; H0: scores have the same distribution in both classes
    """
    score, positive, n1, n0 = _both_classes("mann_whitney", predictions)
    n = n1 + n0
    ranks = midranks(score)
    u = float(ranks[positive].sum() - n1 * (n1 + 1) / 2)
    if method not in ("auto", "exact", "normal"):
        raise NotApplicable(f"method must be 'auto', 'exact' or 'normal'; got {method!r}.")
    doubled = np.rint(2 * ranks).astype(np.int64)
    small = n <= EXACT_UP_TO and countable(doubled, n1)
    if method == "exact" or (method == "auto" and small):
        p, known = _exact(doubled, positive, n1, alternative), {"exact": True}
    else:
        p = _normal(u, ranks, n1, n0, alternative, continuity)
        known = {"approximation": True}
    return answer("mann_whitney", statistic=u, p_value=p, alternative=alternative, **known)


@test(
    title="studentised permutation[, exact{exact}]",
    words="a[n exact{exact}] studentised permutation test",
    source=("janssen1997", "pauly2016"),
    hypothesis="the area under the ROC curve is one half",
    laws=[Law.PAIRS],
    takes=Takes.PARTS,
)
def studentised_permutation(
    predictions: Binary, *, draws: int = 9999, rng: int | np.random.Generator | None = None
) -> Test:
    """Test whether the area under the ROC curve is more than one half.

    Unlike Mann and Whitney's test its hypothesis is the area alone: scores may be spread
    differently in the two classes. Labels are permuted and every area divided by its own
    standard error.

    Parameters
    ----------
    predictions
        Predictions of two classes with a score or a probability, made with `Binary`.
    draws
        Number of permutations; 9999 unless stated. All are counted when there are no more.
    rng
        Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    NotApplicable
        If there are no scores, or a class has fewer than two cases; for predictions pooled over
        folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    mann_whitney : the usual test, of a stronger hypothesis.

    References
    ----------
    Janssen (1997); Pauly, Asendorf & Konietschke (2016).

    Examples
    --------
    >>> from abovechance import Binary
    >>> cases = Binary([0, 0, 0, 0, 1, 1, 1, 1], score=[1, 2, 3, 5, 4, 6, 7, 8])
    >>> studentised_permutation(cases).p_value
    0.0286
    """
    score, positive, n1, n0 = _both_classes("studentised_permutation", predictions)
    if min(n1, n0) < 2:
        raise NotApplicable("a standard error needs two cases of each class.")
    observed = float(_pivots(score, positive[None, :])[0])
    how = Resampling(draws=draws, seed=seed_of(rng))
    null = null_distribution(partial(_pivots, score), LabelPermutations(positive), how)
    found = null.tail(observed)
    return answer(
        "studentised_permutation",
        statistic=observed,
        p_value=found.p_value,
        alternative="greater",
        draws=found.draws,
        **({"exact": True} if null.exact else {}),
    )


def _both_classes(test: str, predictions: Binary) -> tuple[Floats, Bools, int, int]:
    predictions = checked(test, predictions, Kind.TEST)
    if predictions.ranking is None:
        raise NotApplicable("rank tests need a score or a probability.")
    n1 = int(predictions.positive.sum())
    n0 = predictions.n - n1
    if min(n1, n0) == 0:
        raise NotApplicable("a rank test needs cases of both classes.")
    return predictions.ranking, predictions.positive, n1, n0


def _exact(doubled: Ints, positive: Bools, n1: int, alternative: Alternative) -> float:
    observed = int(doubled[positive].sum())
    upper = exact_rank_sum(doubled, n1, observed).p_value
    if alternative == "greater":
        return upper
    turned = int(doubled.max()) + int(doubled.min()) - doubled
    lower = exact_rank_sum(turned, n1, int(turned[positive].sum())).p_value
    return lower if alternative == "less" else min(1.0, 2.0 * min(upper, lower))


def _normal(
    u: float, ranks: Floats, n1: int, n0: int, alternative: Alternative, continuity: bool
) -> float:
    from scipy.special import ndtr

    n = n1 + n0
    _, times = np.unique(ranks, return_counts=True)
    times = times.astype(np.float64)
    ties = (times**3 - times).sum() / (n * (n - 1))
    spread = np.sqrt(n1 * n0 / 12.0 * (n + 1 - ties))
    gap = u - n1 * n0 / 2.0
    if spread == 0:
        return 1.0
    step = 0.5 if continuity else 0.0
    if alternative == "greater":
        return never_zero(ndtr(-(gap - step) / spread))
    if alternative == "less":
        return never_zero(ndtr((gap + step) / spread))
    z = (gap - np.sign(gap) * step) / spread
    return never_zero(2.0 * ndtr(-abs(z)))


def _pivots(score: Floats, labels: Bools) -> Floats:
    """(area − ½) over its standard error, for each row of labels."""
    found = np.empty(len(labels))
    for row, positive in enumerate(labels):
        below, above = placements(score, positive)
        variance = below.var(ddof=1) / below.size + above.var(ddof=1) / above.size
        gap = below.mean() - 0.5
        found[row] = gap / np.sqrt(variance) if variance > 0 else np.sign(gap) * np.inf
    return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)
