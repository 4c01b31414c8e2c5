"""Discrimination over time, of predicted risks."""

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures import find
from abovechance.plots.curves import Curve
from abovechance.predictions import Survival

POINTS = 20


def auc_over_times(predictions: Survival, times: Floats | None = None) -> Curve:
    """The area under the ROC curve for events until each time, cases weighted for censoring.

    At times between the tenth and the ninetieth part of the events when none are given; times at
    which it is not defined are left out.

    References
    ----------
    Uno et al. (2007).

    Examples
    --------
    >>> p = Survival([1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1, 1], risk=[6, 5, 3, 4, 2, 1])
    >>> auc_over_times(p, np.array([3.0])).y
    array([0.888...])
    """
    if not predictions.event.any():
        raise NotApplicable("the area over time needs events; all cases were censored.")
    if times is None and predictions.risk_from_curves:
        times = predictions.times  # the risk by other times was not predicted
    if times is None:
        first, last = np.quantile(predictions.time[predictions.event], [0.1, 0.9])
        times = np.unique(np.linspace(first, last, POINTS))
    measure = find("auc_at")
    values = np.array([measure.with_parameters(t=float(t)).of(predictions) for t in times])
    known = np.isfinite(values)
    if not known.any():
        raise NotApplicable("the area is not defined at any time; there are too few events.")
    return Curve(x=times[known], y=values[known])
