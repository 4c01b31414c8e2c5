"""Are predicted numbers too extreme, or off by a constant? The line of outcomes on predictions."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.measure import Calibration, Family, Form, Law, Statistic, measure
from abovechance.measures.moments import mean, moments
from abovechance.predictions import View

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
