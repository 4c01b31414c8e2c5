"""Measures of predicted numbers: errors, correlations, of several outputs, calibration."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.arrays import Floats, Ints, floats_or_none
from abovechance.errors import NotApplicable, shown
from abovechance.measures.chance import (
    NEXT_TO_ZERO,
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
from abovechance.measures.measure import (
    Calibration,
    Errors,
    Family,
    Form,
    Law,
    Measure,
    Statistic,
    measure,
)
from abovechance.numerics.censoring import concordance_by_case, concordance_counts
from abovechance.numerics.counts import centred, mean, moments, weighted_median
from abovechance.numerics.ranks import midranks
from abovechance.predictions import View

# ----------------------------------------------------------------------------------------------
# The regression family: how far predicted numbers are from the observed ones.
#
# Errors as they are, then relative to those of a simple prediction, then without the grossest.
# ----------------------------------------------------------------------------------------------


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
    errors=Errors.MEAN,
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
    errors=Errors.LOGS,
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
    on_scale=(np.log1p, "mse"),
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
    on_scale=(np.log1p, "rmse"),
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
    errors=Errors.MEDIAN,
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
    errors=Errors.LARGEST,
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
    """One mean over another, undefined where the other is zero, or next to it beside the first."""
    return error / np.where(reference > NEXT_TO_ZERO**2 * error, reference, np.nan)


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


def of_d2(outcome: Floats, value: Floats) -> Floats:
    """Of D²: distances from the median, about which a case that moves it changes nothing."""
    return -_of_ratio(np.abs(outcome - value), np.abs(outcome - np.median(outcome)))


def of_rae(outcome: Floats, value: Floats) -> Floats:
    """Of the relative absolute error: a case moves the mean that distances are taken from too."""
    apart = _centred(outcome)
    return _of_ratio(np.abs(outcome - value), np.abs(apart) - apart * np.sign(apart).mean())


def _of_ratio(above: Floats, below: Floats) -> Floats:
    """Of the ratio of two means."""
    return np.asarray((above - above.mean() / below.mean() * below) / below.mean())


@measure(
    title="D² of absolute errors",
    aliases=("d2_absolute_error_score",),
    **SHARE,
    source="scikit-learn, d2_absolute_error_score",
    monotone_in="mae",
    influence=of_d2,
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
    influence=of_rae,
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
    errors=Errors.RELATIVE,
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
    size = np.abs(outcome)
    return np.abs(outcome - value) / np.where(size > NEXT_TO_ZERO, size, np.nan)


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
        errors=None,
        null_spread=None,
        on_scale=None,
        listed=False,
    )


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
    first, second = Levels.of(outcome), Levels.of(value)
    f, g = first.centred_ranks, second.centred_ranks
    covariance, spread_f, spread_g = (f * g).mean(), (f**2).mean(), (g**2).mean()
    scale = np.sqrt(spread_f * spread_g)
    moved = _centred(f * g + first.above(g) + second.above(f)) / scale
    spreads = _centred(f**2 + 2.0 * first.above(f)) / spread_f
    spreads = spreads + _centred(g**2 + 2.0 * second.above(g)) / spread_g
    return np.asarray(moved - covariance / scale * spreads / 2.0)


def of_kendall(outcome: Floats, value: Floats) -> Floats:
    """Of Kendall's tau-b: from the pairs each case takes part in."""
    n = len(outcome)
    pairs = concordance_by_case(outcome, np.ones(n, dtype=np.bool_), -value)
    surplus = (pairs.concordant - pairs.discordant) / n
    first, second = (1.0 - Levels.of(values).alike / n for values in (outcome, value))
    scale = np.sqrt(first.mean() * second.mean())
    tau = surplus.mean() / scale
    spreads = _centred(first) / first.mean() + _centred(second) / second.mean()
    return np.asarray(2.0 * (_centred(surplus) / scale - tau * spreads / 2.0))


def _standardised(values: Floats) -> Floats:
    return (values - values.mean()) / values.std()


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean())


@dataclass(frozen=True, eq=False)
class Levels:
    """Values in ascending order, and how many are less than each, and not greater."""

    order: Ints
    less: Ints
    upto: Ints

    @classmethod
    def of(cls, values: Floats) -> "Levels":
        order = np.argsort(values, kind="stable")
        begins = np.flatnonzero(np.diff(values[order], prepend=np.nan) != 0)
        ends = np.append(begins[1:], len(values))
        less, upto = np.empty((2, len(values)), dtype=np.int64)
        less[order], upto[order] = (np.repeat(x, ends - begins) for x in (begins, ends))
        return cls(order, less, upto)

    @property
    def alike(self) -> Floats:
        """How many values equal each one, itself included."""
        return np.asarray(self.upto - self.less, dtype=np.float64)

    @property
    def centred_ranks(self) -> Floats:
        """Share of values below, and half of those equal, less one half."""
        return np.asarray((self.less + self.upto) / (2.0 * len(self.order)) - 0.5)

    def above(self, values: Floats) -> Floats:
        """Sum of the values of greater cases, and half of those of equal ones, over n."""
        total = np.concatenate([[0.0], np.cumsum(values[self.order])])
        return np.asarray(
            (total[-1] - (total[self.less] + total[self.upto]) / 2.0) / len(self.order)
        )


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
    on_scale=(midranks, "pearson"),
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


LEAST_APART = 100.0  # cases out of the largest ties of both, as many as would meet by chance


def _spread_of_kendall(outcome: Floats, value: Floats) -> float | None:
    r"""The standard deviation of :math:`\tau_b` over all orders of the outcomes, with ties.

    The surplus C − D has mean 0 and, t and u being the sizes of ties of either, variance

    .. math:: \frac{v(n) - \sum v(t) - \sum v(u)}{18} +
        \frac{\sum t_{(3)} \sum u_{(3)}}{9 n_{(3)}} + \frac{\sum t_{(2)} \sum u_{(2)}}{2 n_{(2)}},
        \quad v(k) = k (k - 1) (2 k + 5)

    with :math:`k_{(2)} = k (k - 1)` and :math:`k_{(3)} = k (k - 1) (k - 2)`.

    References
    ----------
    Kendall (1970), Rank correlation methods, section 4.
    """
    n = float(len(outcome))
    ties = [np.unique(x, return_counts=True)[1].astype(np.float64) for x in (outcome, value)]
    apart = [n - t.max() for t in ties]
    if apart[0] * apart[1] < LEAST_APART * n:
        return None

    def twos(k: Any) -> Any:
        return k * (k - 1.0)

    def threes(k: Any) -> Any:
        return twos(k) * (k - 2.0)

    tied = sum((twos(t) * (2.0 * t + 5.0)).sum() for t in ties)
    surplus = (twos(n) * (2.0 * n + 5.0) - tied) / 18.0
    surplus += threes(ties[0]).sum() * threes(ties[1]).sum() / (9.0 * threes(n))
    surplus += twos(ties[0]).sum() * twos(ties[1]).sum() / (2.0 * twos(n))
    pairs = [(twos(n) - twos(t).sum()) / 2.0 for t in ties]
    return float(np.sqrt(surplus / (pairs[0] * pairs[1])))


@measure(
    title="Kendall rank correlation",
    aliases=("kendall_tau", "kendall_tau_b", "ktau"),
    **CORRELATION,
    form=Form.DRAWS,
    influence=of_kendall,
    null_spread=_spread_of_kendall,
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


# ----------------------------------------------------------------------------------------------
# Several outputs at once: one number over all of them.
#
# Each formula gives one value an output, the last axis; the measure is their mean.
# `output_weights`, stated before the predictions are seen, makes it a weighted mean: each value
# is scaled by its output's share, times the number of outputs.
# ----------------------------------------------------------------------------------------------


Shares = Sequence[float] | None
SEVERAL: dict[str, Any] = {
    "form": Form.SAMPLE,
    "many_outputs": True,
    "sufficient": Statistic.MOMENTS,  # those of each output
    "source": "NAG, Accuracy measures, multi-dimensional regression",
}
ONE_OUTPUT_CONSTANT = "all outcomes of an output are equal"
ONE_UNRELATED = "all outcomes, or all predictions, of an output are equal"


@measure(
    title="Average relative root mean squared error",
    aliases=("aRRMSE", "average_relative_root_mean_square_error"),
    **{**RATIO, **SEVERAL, "undefined": ONE_OUTPUT_CONSTANT},
)
def arrmse(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""Root mean squared error as a share of that of predicting the mean, averaged over outputs.

    .. math:: \frac{1}{D} \sum_d
        \sqrt{\frac{\sum_i (y_{di} - \hat y_{di})^2}{\sum_i (y_{di} - \bar y_d)^2}}

    The root is taken of each output, then the mean. Always predicting the means scores 1.

    Examples
    --------
    >>> arrmse([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]], [[1.5, 10.0], [2.0, 30.0], [3.0, 20.0]])
    0.259
    """
    return _weighed(np.sqrt(squared_ratio(outcome, value, weight)), output_weights)


@measure(
    title="Squared average relative root mean squared error",
    aliases=("aRRMSE_squared", "squared_arrmse"),
    **{**RATIO, **SEVERAL, "undefined": ONE_OUTPUT_CONSTANT},
    after=np.square,
)
def arrmse_squared(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""Square of the average relative root mean squared error.

    .. math:: \left( \frac{1}{D} \sum_d
        \sqrt{\frac{\sum_i (y_{di} - \hat y_{di})^2}{\sum_i (y_{di} - \bar y_d)^2}} \right)^2

    The mean is squared, not the ratios: it is not 1 less `multi_r2`.

    Examples
    --------
    >>> arrmse_squared([[1, 10], [2, 30], [4, 20]], [[1.5, 10], [2, 30], [3, 20]])
    0.067
    """
    return _weighed(np.sqrt(squared_ratio(outcome, value, weight)), output_weights)


@measure(
    title="Sum over outputs of mean squared errors",
    aliases=("summed_mse",),
    **{**RATIO, **SEVERAL, "undefined": "", "reference": None},
)
def mse_sum(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""Mean squared error of each output, summed.

    .. math:: \sum_d \frac{1}{n} \sum_i (y_{di} - \hat y_{di})^2

    Only for outputs in the same unit; `mse` of several outputs is their mean.

    Examples
    --------
    >>> mse_sum([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]], [[1.5, 10.0], [2.0, 30.0], [3.0, 22.0]])
    1.75
    """
    errors = mean((outcome - value) ** 2, weight)
    weighed = _weighed(errors, output_weights)
    return weighed * (errors.shape[-1] if output_weights is None else sum(output_weights))


@measure(
    title="Mean Pearson correlation over outputs",
    aliases=("multidim_pearson",),
    **{**CORRELATION, **SEVERAL, "undefined": ONE_UNRELATED},
)
def multi_pearson(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""Pearson's correlation of each output, averaged.

    .. math:: \frac{1}{D} \sum_d r_d

    Examples
    --------
    >>> multi_pearson([[1.0, 1.0], [2.0, 3.0], [4.0, 2.0]], [[2.0, 1.0], [1.0, 3.0], [3.0, 2.0]])
    0.827
    """
    return _weighed(pearson.formula(outcome, value, weight), output_weights)


@measure(
    title="Squared mean Pearson correlation over outputs",
    aliases=("multidim_pearson_squared",),
    **{
        **CORRELATION,
        **SEVERAL,
        "range": (0.0, 1.0),
        "chance": None,
        "reference": constant(0.0),
        "undefined": ONE_UNRELATED,
    },
    after=np.square,
)
def multi_pearson_squared(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""Square of the mean over outputs of Pearson's correlation.

    .. math:: \left( \frac{1}{D} \sum_d r_d \right)^2

    The mean is squared, not the correlations: an output that is predicted upside down counts
    against one that is predicted well. It is not `multi_r2`.

    Examples
    --------
    >>> multi_pearson_squared([[1, 1], [2, 3], [4, 2]], [[2, 1], [1, 3], [3, 2]])
    0.684
    """
    return _weighed(pearson.formula(outcome, value, weight), output_weights)


@measure(
    title="Mean R² over outputs",
    aliases=("multidim_r2",),
    **{**SHARE, **SEVERAL, "undefined": ONE_OUTPUT_CONSTANT},
)
def multi_r2(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""One minus the relative squared error, averaged over outputs.

    .. math:: 1 - \frac{1}{D} \sum_d
        \frac{\sum_i (y_{di} - \hat y_{di})^2}{\sum_i (y_{di} - \bar y_d)^2}

    Always predicting the means scores 0.

    Examples
    --------
    >>> y = [[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]]
    >>> predicted = [[1.5, 10.0], [2.0, 30.0], [3.0, 20.0]]
    >>> multi_r2(y, predicted)
    0.866
    >>> multi_r2(y, predicted, output_weights=(3, 1))
    0.799
    """
    return _weighed(1.0 - squared_ratio(outcome, value, weight), output_weights)


def _weighed(values: Floats, output_weights: Shares) -> Floats:
    """Values scaled so that their mean over the outputs is the weighted one."""
    if output_weights is None:
        return values
    shares = floats_or_none(output_weights)
    outputs = values.shape[-1]
    known = shares is not None and shares.shape == (outputs,) and bool((shares >= 0).all())
    if shares is None or not known or not 0 < shares.sum() < np.inf:
        raise NotApplicable(
            f"output_weights must be one number per output, {outputs} here, none negative and "
            f"not all zero; got {shown(output_weights)}."
        )
    return np.where(shares > 0, values * (shares * outputs / shares.sum()), 0.0)


# ----------------------------------------------------------------------------------------------
# Are predicted numbers too extreme, or off by a constant? The line of outcomes on predictions.
# ----------------------------------------------------------------------------------------------


LINE: dict[str, Any] = {
    "family": Family.CALIBRATION,
    "reads": View.VALUE,
    "outcomes": frozenset({"numeric"}),
    "form": Form.SAMPLE,
    "range": (-np.inf, np.inf),
    "law": Law.CALIBRATION,
    "undefined": "all predictions are equal",
    "source": "Steyerberg et al. (2010); Mincer & Zarnowitz (1969)",
}


@measure(
    title="Calibration slope",
    aliases=("regression_calibration_slope",),
    **LINE,
    best=1.0,
    calibration=Calibration.SLOPE,
    sufficient=Statistic.MOMENTS,
)
def linear_calibration_slope(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Slope of the outcomes on the predictions: by what their differences should be multiplied.

    .. math:: b = \frac{\mathrm{Cov}(y, \hat y)}{\mathrm{Var}(\hat y)}

    1 is right; below 1 the predictions are too extreme (overfitted), above 1 not extreme enough.

    Examples
    --------
    >>> linear_calibration_slope([1.0, 2.0, 3.0], [0.0, 2.0, 4.0])
    0.5
    """
    found = moments(outcome, value, weight)
    return np.where(found.second > 0, found.covariance, np.nan) / found.second


@measure(
    title="Calibration intercept",
    aliases=("regression_calibration_intercept",),
    **LINE,
    best=0.0,
    calibration=Calibration.INTERCEPT,
    sufficient=Statistic.MOMENTS,
)
def linear_calibration_intercept(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    r"""Intercept of the line of outcomes on predictions; read it with the slope.

    .. math:: a = \bar y - b \bar{\hat y}

    Whether predictions are too low or too high on the whole is the mean error.

    Examples
    --------
    >>> linear_calibration_intercept([1.0, 2.0, 3.0], [0.0, 2.0, 4.0])
    1.0
    """
    slope = linear_calibration_slope.formula(outcome, value, weight)
    return mean(outcome, weight) - slope * mean(value, weight)
