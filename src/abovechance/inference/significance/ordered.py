"""Do two models lose equally much, case after case in time? Neighbouring cases may be alike."""

import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from abovechance.errors import DataError, NotApplicable
from abovechance.inference.method import Fact, Takes, answer, test
from abovechance.inference.results import Test
from abovechance.inference.significance.delong import p_of
from abovechance.measures import Law, Measure, find
from abovechance.predictions import Predictions
from abovechance.resampling import Alternative

EQUAL = "both models have the same expected value over time"


@test(
    title="EWC[, t({df:.0f}), {times} times]",
    words="Student's t from slow cosines of the series (EWC[, {df:.0f} degrees of freedom, "
    "{times} times])",
    source="lazarus2018",
    hypothesis=EQUAL,
    laws=tuple(Law),
    allows=[Fact.FOLDS],
    needs=[Fact.ORDER],
    takes=Takes.PARTS,
    models=2,
)
def ordered(
    first: Predictions,
    second: Predictions,
    measure: Measure | str,
    *,
    alternative: Alternative = "two-sided",
) -> Test:
    """Test whether two models do equally well on cases in time order, as `compare` does.

    The mean difference over its standard error from slow cosines (EWC), by Student's t.

    Parameters
    ----------
    first, second
        Predictions of two models for the same cases, made with `order=`.
    measure
        A measure or its name.
    alternative
        "two-sided" (default); "greater": the first model is better; "less".

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    DataError
        If the cases have no order, or are not the same for both models.
    NotApplicable
        If there are too few times, or the difference never changes.

    See Also
    --------
    diebold_mariano : for differences of a stated horizon.
    abovechance.intervals.ordered_mean : the interval of a mean in time order.

    References
    ----------
    Lazarus, Lewis, Stock & Watson (2018), HAR inference: recommendations for practice.

    Examples
    --------
    >>> import numpy as np
    >>> from abovechance import Numeric
    >>> rng = np.random.default_rng(1)
    >>> y, when = rng.normal(size=80), np.arange(80)
    >>> near, far = (y + size * rng.normal(size=80) for size in (1.0, 1.5))
    >>> ordered(Numeric(y, near, order=when), Numeric(y, far, order=when), "mae").p_value < 0.05
    True
    """
    from abovechance.inference.comparison.pairs import two_on_the_same_cases
    from abovechance.inference.ordering import differences_in_order

    first, second = two_on_the_same_cases(first, second)
    if first.cases.order is None:
        raise DataError("cases must have an order; give order= with the predictions.")
    chosen = (find(measure) if isinstance(measure, str) else measure).for_outcome(first.kind)
    found = differences_in_order(chosen, first, second)
    turned = -1.0 if chosen.higher_is_better is False else 1.0
    statistic = turned * found.mean / found.error
    return answer(
        "ordered",
        statistic=statistic,
        p_value=p_of(statistic, found.df, alternative),
        alternative=alternative,
        **found.known,
    )


@test(
    title="Diebold–Mariano[, horizon {horizon}][, t({df})]",
    words="Diebold and Mariano's test[ at horizon {horizon}][ ({df} degrees of freedom)]",
    source=("diebold1995", "harvey1997"),
    hypothesis="expected losses are equal",
    laws=[Law.MEAN],
    allows=[Fact.ORDER],
    takes=Takes.PARTS,
    models=2,
)
def diebold_mariano(
    differences: ArrayLike, *, horizon: int = 1, alternative: Alternative = "two-sided"
) -> Test:
    r"""Diebold and Mariano's test of loss differences in time order, corrected for few of them.

    .. math:: \frac{\bar d}{\sqrt{V / n}}
              \sqrt{\frac{n + 1 - 2h + h(h - 1)/n}{n}}, \quad V = \gamma_0 + 2 \sum_{k<h} \gamma_k

    by t(n − 1). It allows for dependence up to the horizon h and no further; `ordered` works out by
    itself how far it reaches.

    Parameters
    ----------
    differences
        Loss of the first model less that of the second, one number per case in time order.
    horizon
        How many steps ahead was forecast, so that as many less one neighbours depend on each other.
    alternative
        "two-sided" (default); "greater": the mean difference is above zero; "less".

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    DataError
        If the horizon is not a whole number from 1 to the number of differences less one.
    NotApplicable
        If their variance comes out as zero or less.

    See Also
    --------
    ordered : works on predictions, and needs no horizon.
    ibragimov_mueller : by means of blocks.

    References
    ----------
    Diebold & Mariano (1995); Harvey, Leybourne & Newbold (1997).

    Examples
    --------
    >>> import numpy as np
    >>> d = np.sin(np.arange(40.0)) + 0.2
    >>> round(diebold_mariano(d, horizon=2).p_value, 3)
    0.175
    """
    d = _numbers(differences)
    n = len(d)
    if not 1 <= horizon < n:
        raise DataError(f"horizon must be a whole number from 1 to {n - 1}; got {horizon}.")
    centred = d - d.mean()
    gammas = [float(centred[k:] @ centred[: n - k]) / n for k in range(horizon)]
    variance = gammas[0] + 2.0 * sum(gammas[1:])
    if variance <= 0:
        raise NotApplicable("the variance of these differences comes out as zero or less.")
    small = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    statistic = float(d.mean() / np.sqrt(variance / n) * np.sqrt(small))
    return answer(
        "diebold_mariano",
        statistic=statistic,
        p_value=p_of(statistic, n - 1.0, alternative),
        alternative=alternative,
        horizon=horizon,
        df=n - 1,
    )


@test(
    title="Ibragimov–Müller[, {blocks} blocks][, t({df})]",
    words="Ibragimov and Müller's test[ of {blocks} blocks][ ({df} degrees of freedom)]",
    source="ibragimov2010",
    hypothesis="expected losses are equal",
    laws=[Law.MEAN],
    allows=[Fact.ORDER],
    takes=Takes.PARTS,
    models=2,
)
def ibragimov_mueller(
    differences: ArrayLike, *, blocks: int = 8, alternative: Alternative = "two-sided"
) -> Test:
    """Test of loss differences in time order, by Student's t of the means of successive blocks.

    Parameters
    ----------
    differences
        Loss of the first model less that of the second, one number per case in time order.
    blocks
        Number of blocks; 8 unless stated.
    alternative
        "two-sided" (default); "greater": the mean difference is above zero; "less".

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    DataError
        If there are fewer than two blocks, or more than differences.
    NotApplicable
        If all blocks have the same mean.

    See Also
    --------
    ordered : works on predictions, and uses all frequencies.

    References
    ----------
    Ibragimov & Müller (2010), t-statistic based correlation and heterogeneity robust inference.

    Examples
    --------
    >>> import numpy as np
    >>> round(ibragimov_mueller(np.sin(np.arange(40.0)) + 0.2).p_value, 3)
    0.011
    """
    d = _numbers(differences)
    if not 2 <= blocks <= len(d):
        raise DataError(f"blocks must be a whole number from 2 to {len(d)}; got {blocks}.")
    edges = np.round(np.linspace(0, len(d), blocks + 1)).astype(np.int64)
    means = np.array([d[a:b].mean() for a, b in itertools.pairwise(edges)])
    error = float(means.std(ddof=1) / np.sqrt(blocks))
    if error == 0:
        raise NotApplicable("all blocks have the same mean, so it has no standard error.")
    statistic = float(means.mean() / error)
    return answer(
        "ibragimov_mueller",
        statistic=statistic,
        p_value=p_of(statistic, blocks - 1.0, alternative),
        alternative=alternative,
        blocks=blocks,
        df=blocks - 1,
    )


def _numbers(differences: Any) -> Any:
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) < 2 or not np.isfinite(d).all():
        raise DataError("differences must be a list of at least two numbers, in time order.")
    return d
