"""Do predicted and observed numbers rise and fall together?"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.measures.chance import constant
from abovechance.measures.correlation_influence import of_kendall, of_pearson, of_spearman
from abovechance.measures.measure import Form, Law, Statistic, measure
from abovechance.measures.moments import mean, moments
from abovechance.measures.regression import REGRESSION
from abovechance.numerics.censoring import concordance_counts
from abovechance.numerics.ranks import midranks

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
