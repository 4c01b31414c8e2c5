"""Calibration of predicted survival at a horizon: did as many have their event as predicted?

Cases censored before the horizon are made up for by those like them that were not (as in
`ipcw`), or by the Kaplan–Meier estimate.
"""

from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.measures.calibration import recalibrated
from abovechance.measures.calibration_distance import smoother_of
from abovechance.measures.ipcw import BEYOND, inverse_before
from abovechance.measures.measure import Calibration, Family, Form, Law, measure
from abovechance.numerics.censoring import kaplan_meier
from abovechance.predictions import Survival, View

AT: dict[str, Any] = {
    "family": Family.CALIBRATION,
    "reads": View.SURVIVAL,
    "outcomes": frozenset({"survival"}),
    "form": Form.CENSORED,
    "law": Law.CALIBRATION,
}


class AtHorizon(NamedTuple):
    """Predicted risk of the event by a time, whether it happened, and what each case counts.

    Cases censored before the time count nothing.
    """

    time: float
    risk: Floats
    happened: Bools
    weight: Floats


@measure(
    title="Observed to expected ratio at a time",
    **AT,
    range=(0.0, np.inf),
    best=1.0,
    undefined="the follow-up does not reach the time, or no event was expected by then",
    calibration=Calibration.RATIO,
    source="McLernon et al. (2023)",
)
def observed_expected_at(predictions: Survival, *, t: float | None = None) -> float:
    r"""How many times more events happened by a time than were predicted.

    .. math:: \frac{1 - S_{KM}(t)}{\frac{1}{n} \sum_i (1 - S(t|x_i))}

    `t` must be one of the predicted times, the last if not stated.

    Parameters
    ----------
    t
        The time at which predictions are judged; the last predicted time when not given.

    Examples
    --------
    >>> predicted = [[0.9, 0.5], [0.5, 0.25], [0.9, 0.75], [0.8, 0.5]]
    >>> observed_expected_at([5, 2, 9, 4], [1, 1, 0, 1], survival=predicted, times=[1, 4.5])
    1.0
    """
    time, risk = risk_at(predictions, t)
    curve = kaplan_meier(predictions.time, predictions.event, predictions.weight)
    left = float(curve.at(time))
    if time > curve.times[-1] and left > 0.0:
        return float("nan")
    expected = np.average(risk, weights=predictions.weight)
    return (1.0 - left) / float(expected) if expected > 0 else float("nan")


@measure(
    title="Calibration slope at a time",
    **AT,
    range=(-np.inf, np.inf),
    best=1.0,
    undefined=f"all risks are equal, or only one outcome is known, or {BEYOND}",
    calibration=Calibration.SLOPE,
    source="McLernon et al. (2023); weights: Gerds, Schumacher (2006)",
)
def calibration_slope_at(predictions: Survival, *, t: float | None = None) -> float:
    """By what the log odds of an event by a time should be multiplied.

    The `calibration_slope` of having had the event by t on its predicted risk 1 − S(t|x), cases
    weighted 1/G(T−) if they had it, 1/G(t) if they were still free of it.

    Parameters
    ----------
    t
        The time at which predictions are judged; the last predicted time when not given.

    Examples
    --------
    >>> time, event = [9, 8, 1, 6, 2, 7, 1, 2.5], [0, 1, 1, 0, 0, 1, 1, 1]
    >>> predicted = [[0.9], [0.8], [0.7], [0.6], [0.5], [0.4], [0.3], [0.2]]
    >>> calibration_slope_at(time, event, survival=predicted, times=[3])
    1.343
    """
    known = at_horizon(predictions, t)
    if np.isnan(known.weight).any():
        return float("nan")
    seen = known.weight > 0
    y = known.happened[seen].astype(np.float64)
    return float(recalibrated(y, known.risk[seen], known.weight[seen]).slope)


@measure(
    title="Integrated calibration index at a time",
    **AT,
    range=(0.0, np.inf),
    best=0.0,
    weighted=False,
    undefined=BEYOND,
    calibration=Calibration.DISTANCE,
    source="Austin et al. (2020); weights: Gerds, Schumacher (2006)",
)
def ici_at(predictions: Survival, *, t: float | None = None, span: float | None = None) -> float:
    """Mean distance of predicted risk by a time and observed frequency, along a smooth curve.

    As `ici`, with the cases whose outcome at t is known weighted by inverse probability of
    not being censored; the paper fits a hazard regression instead.

    Parameters
    ----------
    t
        The time at which predictions are judged; the last predicted time when not given.
    span
        Share of the cases that each local fit reads; chosen from their number when not given.

    Examples
    --------
    >>> time, event = [9, 8, 1, 6, 2, 7, 1, 2.5], [0, 1, 1, 0, 0, 1, 1, 1]
    >>> predicted = [[0.9], [0.8], [0.7], [0.6], [0.5], [0.4], [0.3], [0.2]]
    >>> ici_at(time, event, survival=predicted, times=[3])
    0.238
    """
    if predictions.cases.counts is not None:
        times = predictions.cases.counts.astype(np.int64)
        spelled_out = predictions.take(np.repeat(np.arange(predictions.n), times))
        predictions = spelled_out.with_cases(counts=None)
    known = at_horizon(predictions, t)
    if np.isnan(known.weight).any():
        return float("nan")
    seen = known.weight > 0
    curve = smoother_of(known.risk[seen], span=span, weight=known.weight[seen])
    at = np.clip(known.risk, curve.vertices[0], curve.vertices[-1])
    outcome = known.happened[seen].astype(np.float64)
    return float(np.abs(curve.curve(outcome, at) - known.risk).mean())


def risk_at(predictions: Survival, t: float | None) -> tuple[float, Floats]:
    """A time, the last predicted one if not stated, and the predicted risk of an event by then."""
    times, survival = predictions.times, predictions.survival
    assert times is not None
    assert survival is not None
    at = predictions.place_of(t)
    return float(times[at]), 1.0 - survival[at]


def at_horizon(predictions: Survival, t: float | None) -> AtHorizon:
    """Risk and outcome at a time; weights are nan beyond what the data say about censoring."""
    time, risk = risk_at(predictions, t)
    happened = predictions.event & (predictions.time <= time)
    survived = predictions.time > time
    uncensored = predictions.censoring_survival
    left = float(uncensored.at(time))
    reached = left > 0.0 and (time <= uncensored.times[-1] or not survived.any())
    weight = np.where(happened, inverse_before(predictions), 0.0)
    weight = np.where(survived, 1.0 / left, weight) if reached else np.full(len(risk), np.nan)
    if predictions.weight is not None:
        weight = np.where(predictions.weight > 0, weight * predictions.weight, 0.0)
    return AtHorizon(time, risk, happened, weight)
