"""The regression family: how far predicted numbers are from the observed ones.

Errors are outcome minus prediction. Measures against predicting the mean are in `relative`,
correlations in `correlation`, those of several outputs at once in `multi_output`.
"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.chance import (
    best_by_log,
    constant,
    mean_of_logs,
    mean_outcome,
    median_outcome,
    middle_of_outcomes,
    shortest_half,
    uncorrelated,
)
from abovechance.measures.measure import Family, Form, Law, Statistic, measure
from abovechance.measures.moments import weighted_median
from abovechance.predictions import View

REGRESSION: dict[str, Any] = {
    "family": Family.REGRESSION,
    "reads": View.VALUE,
    "outcomes": frozenset({"numeric"}),
}
MEAN_LOSS: dict[str, Any] = {
    **REGRESSION,
    "form": Form.LOSSES,
    "range": (0.0, np.inf),
    "best": 0.0,
    "reference": mean_outcome,
    "law": Law.MEAN,
}
NOT_ABOVE_MINUS_ONE = "an outcome or a prediction is not above -1"


@measure(
    title="Mean absolute error",
    aliases=("mean_absolute_error", "neg_mean_absolute_error"),
    **{**MEAN_LOSS, "reference": median_outcome},
    source="familiar 1.5.0, mean absolute error",
)
def mae(outcome: Floats, value: Floats) -> Floats:
    r"""Average distance between prediction and outcome, in the outcome's unit.

    .. math:: \frac{1}{n} \sum_i |y_i - \hat y_i|

    The best constant prediction, and so the reference, is the median.

    Examples
    --------
    >>> mae([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.5
    """
    return np.abs(outcome - value)


@measure(
    title="Mean log absolute error",
    aliases=("mean_log_absolute_error",),
    **{**MEAN_LOSS, "reference": best_by_log},
    source="familiar 1.5.0, mean log absolute error",
)
def mlae(outcome: Floats, value: Floats) -> Floats:
    r"""Average logarithm of one plus the absolute error, so that large errors count less.

    .. math:: \frac{1}{n} \sum_i \ln(|y_i - \hat y_i| + 1)

    It depends on the unit of the outcome.

    Examples
    --------
    >>> mlae([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.366
    """
    return np.log1p(np.abs(outcome - value))


@measure(
    title="Mean squared error",
    aliases=("mean_squared_error", "neg_mean_squared_error"),
    chance=uncorrelated,
    **MEAN_LOSS,
    sufficient=Statistic.MOMENTS,
    source="familiar 1.5.0, mean squared error; NAG, Accuracy measures, regression",
)
def mse(outcome: Floats, value: Floats) -> Floats:
    r"""Average squared distance between prediction and outcome.

    .. math:: \frac{1}{n} \sum_i (y_i - \hat y_i)^2

    Always predicting the mean scores the variance of the outcome.

    Examples
    --------
    >>> mse([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.417
    """
    return (outcome - value) ** 2


@measure(
    title="Root mean squared error",
    aliases=(
        "root_mean_square_error",
        "root_mean_squared_error",
        "neg_root_mean_squared_error",
    ),
    **MEAN_LOSS,
    after=np.sqrt,
    sufficient=Statistic.MOMENTS,
    source="familiar 1.5.0, root mean square error",
)
def rmse(outcome: Floats, value: Floats) -> Floats:
    r"""Root of the mean squared error, in the outcome's unit.

    .. math:: \sqrt{\frac{1}{n} \sum_i (y_i - \hat y_i)^2}

    Always predicting the mean scores the standard deviation of the outcome.

    Examples
    --------
    >>> rmse([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.645
    """
    return (outcome - value) ** 2


def _squared_log_ratio(outcome: Floats, value: Floats) -> Floats:
    """(ln(y + 1) − ln(ŷ + 1))², without the cancellation of two nearly equal logarithms."""
    ratio = np.log1p((outcome - value) / (1.0 + value))
    return np.where((outcome > -1.0) & (value > -1.0), ratio**2, np.nan)


@measure(
    title="Mean squared log error",
    aliases=("mean_squared_log_error", "neg_mean_squared_log_error"),
    **{**MEAN_LOSS, "reference": mean_of_logs},
    undefined=NOT_ABOVE_MINUS_ONE,
    source="familiar 1.5.0, mean squared log error",
)
def msle(outcome: Floats, value: Floats) -> Floats:
    r"""Average squared distance on the scale of the logarithm: relative rather than absolute error.

    .. math:: \frac{1}{n} \sum_i \left( \ln(y_i + 1) - \ln(\hat y_i + 1) \right)^2

    Undefined as soon as one outcome or prediction is not above -1: no case is left out.

    Examples
    --------
    >>> msle([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.0332
    """
    return _squared_log_ratio(outcome, value)


@measure(
    title="Root mean squared log error",
    aliases=(
        "root_mean_square_log_error",
        "root_mean_squared_log_error",
        "neg_root_mean_squared_log_error",
    ),
    **{**MEAN_LOSS, "reference": mean_of_logs},
    after=np.sqrt,
    undefined=NOT_ABOVE_MINUS_ONE,
    source="familiar 1.5.0, root mean square log error",
)
def rmsle(outcome: Floats, value: Floats) -> Floats:
    r"""Root of the mean squared log error.

    .. math:: \sqrt{\frac{1}{n} \sum_i \left( \ln(y_i + 1) - \ln(\hat y_i + 1) \right)^2}

    Examples
    --------
    >>> rmsle([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.182
    """
    return _squared_log_ratio(outcome, value)


@measure(
    title="Median absolute error",
    aliases=("median_absolute_error", "neg_median_absolute_error"),
    **{**MEAN_LOSS, "form": Form.SAMPLE, "law": Law.UNKNOWN, "reference": shortest_half},
    smooth=False,
    source="familiar 1.5.0, median absolute error",
)
def medae(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Distance between prediction and outcome that half of the cases stay within.

    .. math:: \operatorname{median}_i |y_i - \hat y_i|

    Between two middle cases their mean is taken, and so where weights part evenly.

    Examples
    --------
    >>> medae([1.0, 2.0, 4.0, 6.0], [1.5, 2.0, 3.0, 9.0])
    0.75
    """
    return weighted_median(np.abs(outcome - value), weight)


@measure(
    title="Largest error",
    aliases=("maximum_error", "neg_max_error"),
    **{**MEAN_LOSS, "form": Form.SAMPLE, "law": Law.UNKNOWN, "reference": middle_of_outcomes},
    extreme=True,
    sufficient=Statistic.LARGEST,
    source="scikit-learn, max_error",
)
def max_error(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Largest distance between prediction and outcome.

    .. math:: \max_i |y_i - \hat y_i|

    Examples
    --------
    >>> max_error([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    1.0
    """
    error = np.abs(outcome - value)
    return np.max(error if weight is None else np.where(weight > 0, error, 0.0), axis=-1)


@measure(
    title="Mean error",
    aliases=("bias",),
    **{**MEAN_LOSS, "range": (-np.inf, np.inf), "reference": constant(0.0)},
    source="Lang (2022), mlr3measures, bias",
)
def mean_error(outcome: Floats, value: Floats) -> Floats:
    r"""Average of outcome minus prediction: positive where predictions are too low on average.

    .. math:: \frac{1}{n} \sum_i (y_i - \hat y_i)

    Zero is best, and always predicting the mean reaches it.

    Examples
    --------
    >>> mean_error([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    0.167
    """
    return outcome - value
