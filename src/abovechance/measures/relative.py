"""Errors measured against those of a simple prediction, or against the outcome itself."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.chance import constant, median_of_ratios, uncorrelated
from abovechance.measures.measure import Form, Law, Statistic, measure
from abovechance.measures.moments import centred, mean, moments, weighted_median
from abovechance.measures.regression import MEAN_LOSS, REGRESSION

CONSTANT = "all outcomes are equal"
AGAINST_MEAN: dict[str, Any] = {
    **REGRESSION,
    "form": Form.SAMPLE,
    "law": Law.UNKNOWN,
    "undefined": CONSTANT,
}
SHARE: dict[str, Any] = {
    **AGAINST_MEAN,
    "range": (-np.inf, 1.0),
    "best": 1.0,
    "reference": constant(0.0),
}
RATIO: dict[str, Any] = {
    **AGAINST_MEAN,
    "range": (0.0, np.inf),
    "best": 0.0,
    "reference": constant(1.0),
}


def squared_ratio(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    """Squared error over that of always predicting the mean; undefined for constant outcomes."""
    return ratio(mean((outcome - value) ** 2, weight), moments(outcome, outcome, weight).first)


def ratio(error: Floats, reference: Floats) -> Floats:
    """One mean over another, undefined where the other is zero."""
    return np.where(reference > 0, error / reference, np.nan)


@measure(
    title="Coefficient of determination R²",
    aliases=("r2_score", "r_squared", "coefficient_of_determination"),
    chance=uncorrelated,
    **SHARE,
    sufficient=Statistic.MOMENTS,
    source="familiar 1.5.0, R squared; NAG, Accuracy measures, regression",
    monotone_in="mse",
)
def r2(outcome: Floats, value: Floats, weight: Floats | None, *, adjusted: int = 0) -> Floats:
    r"""Share of the outcome's variation that the predictions account for.

    .. math:: 1 - \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}

    Always predicting the mean scores 0, anything worse is negative. It equals the squared
    correlation only for least squares with an intercept on its own training data.
    `adjusted` is the number p of fitted features: :math:`1 - (1 - R^2)(n - 1)/(n - p - 1)`; with
    weights, n is their sum.

    Parameters
    ----------
    adjusted
        Number of fitted features to adjust for; 0 does not adjust.

    Examples
    --------
    >>> r2([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.732
    >>> r2([1.0, 2.0, 4.0], [1.5, 2.0, 3.0], adjusted=1)
    0.464
    """
    found = 1.0 - squared_ratio(outcome, value, weight)
    if adjusted == 0:
        return found
    n = np.asarray(outcome.shape[-1] if weight is None else weight.sum(axis=-1))
    left = n - adjusted - 1.0
    return np.where(left > 0, 1.0 - (1.0 - found) * (n - 1.0) / left, np.nan)


@measure(
    title="Explained variance",
    aliases=("explained_variance_score",),
    chance=uncorrelated,
    **SHARE,
    sufficient=Statistic.MOMENTS,
    source="familiar 1.5.0, explained variance",
)
def explained_variance(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Share of the outcome's variance left when the errors' own variance is taken away.

    .. math:: 1 - \frac{\operatorname{Var}(y - \hat y)}{\operatorname{Var}(y)}

    Unlike R² it forgives predictions that are all too high, or too low, by the same amount.

    Examples
    --------
    >>> explained_variance([1.0, 2.0, 4.0], [2.0, 3.0, 5.0])
    1.0
    """
    variances = moments(outcome - value, outcome, weight)
    return 1.0 - ratio(variances.first, variances.second)


@measure(
    title="D² of absolute errors",
    aliases=("d2_absolute_error_score",),
    **SHARE,
    source="scikit-learn, d2_absolute_error_score",
    monotone_in="mae",
)
def d2_absolute_error(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Share by which absolute errors are smaller than those of always predicting the median.

    .. math:: 1 - \frac{\sum_i |y_i - \hat y_i|}{\sum_i |y_i - \operatorname{median}(y)|}

    Undefined for constant outcomes, where scikit-learn says 1 or 0.

    Examples
    --------
    >>> d2_absolute_error([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.5
    """
    middle = weighted_median(outcome, weight)[..., None]
    return 1.0 - ratio(
        mean(np.abs(outcome - value), weight), mean(np.abs(outcome - middle), weight)
    )


@measure(
    title="Relative absolute error",
    aliases=("relative_absolute_error",),
    **RATIO,
    source="familiar 1.5.0, relative absolute error",
    monotone_in="mae",
)
def rae(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Absolute error as a share of that of always predicting the mean.

    .. math:: \frac{\sum_i |y_i - \hat y_i|}{\sum_i |y_i - \bar y|}

    Examples
    --------
    >>> rae([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.45
    """
    return ratio(
        mean(np.abs(outcome - value), weight), mean(np.abs(centred(outcome, weight)), weight)
    )


@measure(
    title="Relative squared error",
    aliases=("relative_squared_error",),
    chance=uncorrelated,
    **RATIO,
    sufficient=Statistic.MOMENTS,
    source="familiar 1.5.0, relative squared error",
    monotone_in="mse",
)
def rse(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Squared error as a share of that of always predicting the mean: one minus R².

    .. math:: \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}

    Examples
    --------
    >>> rse([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.268
    """
    return squared_ratio(outcome, value, weight)


@measure(
    title="Root relative squared error",
    aliases=("root_relative_squared_error", "rrmse"),
    **RATIO,
    after=np.sqrt,
    sufficient=Statistic.MOMENTS,
    source="familiar 1.5.0, root relative squared error",
    monotone_in="mse",
)
def rrse(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Root mean squared error as a share of that of always predicting the mean.

    .. math:: \sqrt{\frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}}

    Examples
    --------
    >>> rrse([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.518
    """
    return squared_ratio(outcome, value, weight)


@measure(
    title="Mean relative error",
    aliases=(
        "mean_relative_error",
        "mape",
        "mean_absolute_percentage_error",
        "neg_mean_absolute_percentage_error",
    ),
    **{**MEAN_LOSS, "reference": median_of_ratios},
    undefined="an outcome is zero",
    source="NAG, Accuracy measures, regression",
)
def relative_error(outcome: Floats, value: Floats) -> Floats:
    r"""Average error as a share of the outcome.

    .. math:: \frac{1}{n} \sum_i \frac{|y_i - \hat y_i|}{|y_i|}

    The source divides by :math:`y_i`, which would make errors at negative outcomes negative. It
    favours low predictions: those that are too low cost at most 1.

    Examples
    --------
    >>> relative_error([1.0, 2.0, -4.0], [1.5, 2.0, -3.0])
    0.25
    """
    return np.where(outcome != 0, np.abs(outcome - value) / np.abs(outcome), np.nan)
