"""Do predicted and observed numbers rise and fall together? How much does each case matter?"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.measures.chance import constant
from abovechance.measures.measure import Form, Law, Statistic, measure
from abovechance.measures.moments import mean, moments
from abovechance.measures.regression import REGRESSION
from abovechance.numerics.censoring import concordance_by_case, concordance_counts
from abovechance.numerics.ranks import midranks

# ----------------------------------------------------------------------------------------------
# How much each case moves a correlation: its derivative by the case's share of the sample.
#
# The variance of the value is the mean square of these over n, whatever the distribution.
# ----------------------------------------------------------------------------------------------


def of_pearson(outcome: Floats, value: Floats) -> Floats:
    r"""Of Pearson's: :math:`u v - r (u^2 + v^2) / 2` for standardised u and v."""
    u, v = _standardised(outcome), _standardised(value)
    return np.asarray(u * v - (u * v).mean() * (u**2 + v**2) / 2.0)


def of_spearman(outcome: Floats, value: Floats) -> Floats:
    """Of Spearman's: a case has its own ranks, and moves the ranks of those above it."""
    f, g = _centred_ranks(outcome), _centred_ranks(value)
    covariance, first, second = (f * g).mean(), (f**2).mean(), (g**2).mean()
    rho = covariance / np.sqrt(first * second)
    moved = _centred(f * g + _above(outcome, g) + _above(value, f)) / np.sqrt(first * second)
    spreads = _centred(f**2 + 2.0 * _above(outcome, f)) / first
    spreads = spreads + _centred(g**2 + 2.0 * _above(value, g)) / second
    return np.asarray(moved - rho * spreads / 2.0)


def of_kendall(outcome: Floats, value: Floats) -> Floats:
    """Of Kendall's tau-b: from the pairs each case takes part in."""
    n = len(outcome)
    pairs = concordance_by_case(outcome, np.ones(n, dtype=np.bool_), -value)
    surplus = (pairs.concordant - pairs.discordant) / n
    first, second = (1.0 - _alike(values) / n for values in (outcome, value))
    scale = np.sqrt(first.mean() * second.mean())
    tau = surplus.mean() / scale
    spreads = _centred(first) / first.mean() + _centred(second) / second.mean()
    return np.asarray(2.0 * (_centred(surplus) / scale - tau * spreads / 2.0))


def _standardised(values: Floats) -> Floats:
    return (values - values.mean()) / values.std()


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean())


def _places(values: Floats) -> tuple[Ints, Ints]:
    """How many values are less, and how many are not greater, than each."""
    ordered = np.sort(values)
    return np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")


def _alike(values: Floats) -> Floats:
    """How many values equal each one, itself included."""
    less, upto = _places(values)
    return np.asarray(upto - less, dtype=np.float64)


def _centred_ranks(values: Floats) -> Floats:
    """Share of values below, and half of those equal, less one half."""
    less, upto = _places(values)
    return np.asarray((less + upto) / (2.0 * len(values)) - 0.5)


def _above(key: Floats, values: Floats) -> Floats:
    """Sum of the values of cases with a greater key, half of those with an equal one, over n."""
    total = np.concatenate([[0.0], np.cumsum(values[np.argsort(key, kind="stable")])])
    less, upto = _places(key)
    return np.asarray((total[-1] - (total[less] + total[upto]) / 2.0) / len(key))


# ----------------------------------------------------------------------------------------------
# Do predicted and observed numbers rise and fall together?
# ----------------------------------------------------------------------------------------------


ONE_CONSTANT = "all outcomes, or all predictions, are equal"
CORRELATION: dict[str, Any] = {
    **REGRESSION,
    "range": (-1.0, 1.0),
    "best": 1.0,
    "chance": constant(0.0),
    "reference": constant(0.0),
    "law": Law.UNKNOWN,
    "undefined": ONE_CONSTANT,
}


@measure(
    title="Pearson correlation",
    aliases=("pearson_r", "pearson_correlation", "correlation"),
    **CORRELATION,
    form=Form.SAMPLE,
    influence=of_pearson,
    sufficient=Statistic.MOMENTS,
    source="NAG, Accuracy measures, regression",
)
def pearson(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""How closely prediction and outcome follow a straight line, whichever one.

    .. math:: \frac{\sum_i (y_i - \bar y)(\hat y_i - \bar{\hat y})}
        {\sqrt{\sum_i (y_i - \bar y)^2 \sum_i (\hat y_i - \bar{\hat y})^2}}

    It is blind to predictions that are off by a constant or a factor. Predictions unrelated to
    the outcome score 0 on average.

    Examples
    --------
    >>> pearson([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    1.0
    >>> pearson([1.0, 2.0, 4.0], [2.0, 1.0, 3.0])
    0.655
    """
    found = moments(outcome, value, weight)
    return np.clip(found.covariance / (np.sqrt(found.first) * np.sqrt(found.second)), -1.0, 1.0)


@measure(
    title="Spearman rank correlation",
    aliases=("spearman_rho", "srho"),
    **CORRELATION,
    form=Form.DRAWS,
    takes_batches=True,
    influence=of_spearman,
    source="Spearman (1904)",
)
def spearman(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Pearson's correlation of the ranks: do the predictions put the cases in the right order?

    Equal values share the middle of their ranks. With weights, a rank is the weight below a case
    and half of that at its level.

    Examples
    --------
    >>> spearman([1.0, 2.0, 4.0, 9.0], [2.0, 1.0, 3.0, 30.0])
    0.8
    """
    if weight is None:
        return pearson.formula(midranks(outcome), midranks(value), None)
    ranks = (_weighted_midranks(column, weight) for column in (outcome, value))
    return pearson.formula(*ranks, weight)


@measure(
    title="Kendall rank correlation",
    aliases=("kendall_tau", "kendall_tau_b", "ktau"),
    **CORRELATION,
    form=Form.DRAWS,
    influence=of_kendall,
    source="Kendall (1945), tau-b",
)
def kendall(outcome: Floats, value: Floats, weight: Floats | None) -> float:
    r"""Surplus of pairs of cases put in the right order over those put in the wrong one.

    .. math:: \tau_b = \frac{C - D}{\sqrt{P_y P_{\hat y}}}

    with C concordant and D discordant pairs, and :math:`P_y`, :math:`P_{\hat y}` the pairs whose
    outcomes, or predictions, differ. With weights a pair counts the product of its two.

    Examples
    --------
    >>> kendall([1.0, 2.0, 4.0, 9.0], [2.0, 1.0, 3.0, 30.0])
    0.667
    """
    # Without censoring, pairs ordered in time are pairs whose outcomes differ.
    always = np.ones(outcome.shape, dtype=np.bool_)
    pairs = concordance_counts(outcome, always, -value, weight=weight)
    spread = np.sqrt(sum(pairs)) * np.sqrt(_differing_pairs(value, weight))
    if not spread > 0:
        return float("nan")
    return float(np.clip((pairs.concordant - pairs.discordant) / spread, -1.0, 1.0))


@measure(
    title="Concordance correlation",
    aliases=("lin_concordance", "ccc"),
    **{**CORRELATION, "undefined": "all outcomes and predictions are one and the same number"},
    form=Form.SAMPLE,
    sufficient=Statistic.MOMENTS,
    source="Lin (1989)",
)
def concordance_correlation(
    outcome: Floats, value: Floats, weight: Floats | None, *, unbiased: bool = False
) -> Floats:
    r"""How closely predictions equal outcomes: correlation, less differences in mean and spread.

    .. math:: \frac{2 s_{y\hat y}}{s_y^2 + s_{\hat y}^2 + (\bar y - \bar{\hat y})^2}

    The variances divide by n as Lin's do; `unbiased` divides by n − 1 (with weights, n is their
    sum). Constant predictions score 0.

    Parameters
    ----------
    unbiased
        Whether variances divide by n − 1 instead of n.

    Examples
    --------
    >>> concordance_correlation([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.789
    """
    found = moments(outcome, value, weight)
    scale = _unbiased(outcome, weight) if unbiased else np.asarray(1.0)
    apart = mean(outcome - value, weight) ** 2
    return 2.0 * scale * found.covariance / (scale * (found.first + found.second) + apart)


def _unbiased(outcome: Floats, weight: Floats | None) -> Floats:
    n = np.asarray(outcome.shape[-1] if weight is None else weight.sum(axis=-1), dtype=np.float64)
    return np.where(n > 1, n / (n - 1.0), np.nan)


def _weighted_midranks(values: Floats, weight: Floats) -> Floats:
    """Weight below each case, and half of that at its own level."""
    level, at_level = _levels(values, weight)
    return (np.cumsum(at_level) - at_level / 2.0)[level]


def _differing_pairs(values: Floats, weight: Floats | None) -> float:
    at_level = _levels(values, np.ones(values.shape) if weight is None else weight)[1]
    return float(at_level[1:] @ np.cumsum(at_level)[:-1])


def _levels(values: Floats, weight: Floats) -> tuple[Ints, Floats]:
    """The level of each case among the distinct values, and the weight at each level."""
    level = np.unique(values, return_inverse=True)[1]
    return level, np.asarray(np.bincount(level, weights=weight), dtype=np.float64)
