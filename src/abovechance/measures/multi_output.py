"""Several outputs at once: one number over all of them.

Each formula gives one value an output, the last axis; the measure is their mean. `output_weights`,
stated before the predictions are seen, makes it a weighted mean: each value is scaled by its
output's share, times the number of outputs.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.chance import constant
from abovechance.measures.correlation import CORRELATION, pearson
from abovechance.measures.measure import Form, measure
from abovechance.measures.moments import mean
from abovechance.measures.regression import RATIO, SHARE, squared_ratio

Shares = Sequence[float] | None
SEVERAL: dict[str, Any] = {
    "form": Form.SAMPLE,
    "many_outputs": True,
    "source": "NAG, Accuracy measures, multi-dimensional regression",
}
ONE_CONSTANT = "all outcomes of an output are equal"
ONE_UNRELATED = "all outcomes, or all predictions, of an output are equal"


@measure(
    title="Average relative root mean squared error",
    aliases=("aRRMSE", "average_relative_root_mean_square_error"),
    **{**RATIO, **SEVERAL, "undefined": ONE_CONSTANT},
)
def arrmse(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""Root mean squared error as a share of that of predicting the mean, averaged over outputs.

    .. math:: \frac{1}{D} \sum_d
        \sqrt{\frac{\sum_i (y_{di} - \hat y_{di})^2}{\sum_i (y_{di} - \bar y_d)^2}}

    The root is taken of each output, then the mean. Always predicting the means scores 1.

    Parameters
    ----------
    output_weights
        Weights of the outputs; all alike when not given.

    Examples
    --------
    >>> arrmse([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]], [[1.5, 10.0], [2.0, 30.0], [3.0, 20.0]])
    0.259
    """
    return _weighed(np.sqrt(squared_ratio(outcome, value, weight)), output_weights)


@measure(
    title="Squared average relative root mean squared error",
    aliases=("aRRMSE_squared", "squared_arrmse"),
    **{**RATIO, **SEVERAL, "undefined": ONE_CONSTANT},
    after=np.square,
)
def arrmse_squared(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""Square of the average relative root mean squared error.

    .. math:: \left( \frac{1}{D} \sum_d
        \sqrt{\frac{\sum_i (y_{di} - \hat y_{di})^2}{\sum_i (y_{di} - \bar y_d)^2}} \right)^2

    The mean is squared, not the ratios: it is not 1 less `multi_r2`.

    Parameters
    ----------
    output_weights
        Weights of the outputs; all alike when not given.

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

    Parameters
    ----------
    output_weights
        Weights of the outputs; all alike when not given.

    Examples
    --------
    >>> mse_sum([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]], [[1.5, 10.0], [2.0, 30.0], [3.0, 22.0]])
    1.75
    """
    errors = mean((outcome - value) ** 2, weight)
    total = errors.shape[-1] if output_weights is None else sum(output_weights)
    return total * _weighed(errors, output_weights)


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

    Parameters
    ----------
    output_weights
        Weights of the outputs; all alike when not given.

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

    Parameters
    ----------
    output_weights
        Weights of the outputs; all alike when not given.

    Examples
    --------
    >>> multi_pearson_squared([[1, 1], [2, 3], [4, 2]], [[2, 1], [1, 3], [3, 2]])
    0.684
    """
    return _weighed(pearson.formula(outcome, value, weight), output_weights)


@measure(
    title="Mean R² over outputs",
    aliases=("multidim_r2",),
    **{**SHARE, **SEVERAL, "undefined": ONE_CONSTANT},
)
def multi_r2(
    outcome: Floats, value: Floats, weight: Floats | None, *, output_weights: Shares = None
) -> Floats:
    r"""One minus the relative squared error, averaged over outputs.

    .. math:: 1 - \frac{1}{D} \sum_d
        \frac{\sum_i (y_{di} - \hat y_{di})^2}{\sum_i (y_{di} - \bar y_d)^2}

    Always predicting the means scores 0.

    Parameters
    ----------
    output_weights
        Weights of the outputs; all alike when not given.

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
    shares = np.asarray(output_weights, dtype=np.float64)
    outputs = values.shape[-1]
    if shares.shape != (outputs,) or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise NotApplicable(
            f"output_weights must be one number per output, {outputs} here, none negative and "
            f"not all zero; got {output_weights}."
        )
    return np.where(shares > 0, values * (shares * outputs / shares.sum()), 0.0)
