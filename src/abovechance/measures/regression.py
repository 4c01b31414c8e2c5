"""The regression family: how far predicted numbers are from the observed ones.

Errors as they are, then relative to those of a simple prediction, then without the grossest.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.chance import (
    SameNumber,
    best_by_log,
    constant,
    mean_of_logs,
    mean_outcome,
    median_of_ratios,
    median_outcome,
    middle_of_outcomes,
    shortest_half,
    uncorrelated,
)
from abovechance.measures.measure import Family, Form, Law, Measure, Statistic, measure
from abovechance.measures.moments import centred, mean, moments, weighted_median
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


# ----------------------------------------------------------------------------------------------
# Errors measured against those of a simple prediction, or against the outcome itself.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Regression measures that a few gross errors cannot dominate.
#
# `find("mae_trim")` leaves out the 5 % of the cases with the largest absolute errors;
# `find("mae_winsor")` moves their predictions as near as the errors of the others are. Both are
# measures of their own. They flatter: what they leave out are the model's worst failures.
# ----------------------------------------------------------------------------------------------


FRACTION = 0.05


@dataclass(frozen=True, eq=False)
class Robust:
    """A formula around another measure's, with the same parameters."""

    base: Measure

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.base.formula)


class Trimmed(Robust):
    """The measure of the cases whose absolute error is within its 95 % quantile.

    The quantile interpolates linearly between order statistics (R's type 7). There is no weighted
    form: `counts=` are cases repeated.
    """

    def __call__(self, outcome: Floats, value: Floats, weight: None, **parameters: Any) -> float:
        error = np.abs(outcome - value)
        kept = error <= np.quantile(error, 1.0 - FRACTION)
        return on_arrays(self.base, outcome[kept], value[kept], parameters)


class Winsorised(Robust):
    """The measure after predictions further off than the 95 % quantile are moved to that distance.

    The quantile is of the absolute errors, linear between order statistics (R's type 7); a
    prediction stays on its side of the outcome. There is no weighted form: `counts=` are cases
    repeated.
    """

    def __call__(self, outcome: Floats, value: Floats, weight: None, **parameters: Any) -> float:
        error = np.abs(outcome - value)
        limit = np.quantile(error, 1.0 - FRACTION)
        nearer = outcome + np.sign(value - outcome) * limit
        return on_arrays(self.base, outcome, np.where(error <= limit, value, nearer), parameters)


def trimmed(measure: Measure) -> Measure:
    """A measure without the 5 % of the cases with the largest absolute errors.

    Examples
    --------
    >>> from abovechance.measures.regression import mae
    >>> trimmed(mae)([1.0, 2.0, 4.0, 6.0], [1.5, 2.0, 3.0, 60.0])
    0.5
    """
    return _derived(measure, Trimmed, "trim", "without the 5 % largest errors")


def winsorised(measure: Measure) -> Measure:
    """A measure with the 5 % largest absolute errors cut down to the largest of the others.

    Examples
    --------
    >>> from abovechance.measures.regression import mae
    >>> winsorised(mae)([1.0, 2.0, 4.0, 6.0], [1.5, 2.0, 3.0, 60.0])
    11.9
    """
    return _derived(measure, Winsorised, "winsor", "the 5 % largest errors cut down")


def on_arrays(
    measure: Measure, outcome: Floats, value: Floats, parameters: Mapping[str, Any]
) -> float:
    """A measure's formula on plain arrays of one output, without weights."""
    if measure.form is Form.LOSSES:
        found: Any = np.mean(measure.formula(outcome, value, **parameters))
    else:
        found = measure.formula(outcome, value, None, **parameters)
    return float(found if measure.after is None else measure.after(found))


def _derived(
    measure: Measure, formula: Callable[[Measure], Any], suffix: str, described: str
) -> Measure:
    robust = isinstance(measure.formula, Robust)
    if measure.outcomes != {"numeric"} or measure.many_outputs or robust:
        raise NotApplicable(f"{measure.name} is not trimmed; measures of one numeric output are.")
    # Cutting the largest errors down makes unrelated predictions look correlated, how much
    # depending on both: such a correlation has no reference.
    correlation = measure.range[0] == -1.0
    same = measure.reference if isinstance(measure.reference, SameNumber) else mean_outcome
    return replace(
        measure,
        name=f"{measure.name}_{suffix}",
        title=f"{measure.title}, {described}",
        aliases=tuple(f"{a}_{suffix}" for a in measure.aliases if not a.startswith("neg_")),
        formula=formula(measure),
        form=Form.DRAWS,
        takes_batches=False,
        law=Law.UNKNOWN,
        after=None,
        chance=None,
        reference=None if correlation or measure.reference is None else same,
        weighted=False,
        influence=None,
        sufficient=None,
        listed=False,
    )
