"""Predicted survival probabilities: how good at a time, and whether as many events as predicted."""

from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import NotApplicable, listed
from abovechance.measures.calibration import recalibrated
from abovechance.measures.calibration_error import smoother_of
from abovechance.measures.measure import Calibration, Family, Form, Law, Measure, measure
from abovechance.numerics.censoring import kaplan_meier
from abovechance.numerics.counts import weighted_mean
from abovechance.predictions import Survival, View

# ----------------------------------------------------------------------------------------------
# Predicted survival judged at a time, censored cases made up for by those still observed.
#
# A case whose outcome at time t is known counts as much as the cases like it whose outcome is
# not: 1/G(T−) if its event was at T ≤ t, 1/G(t) if it was still event-free after t. G is the
# probability of not yet being censored, by the reverse Kaplan–Meier estimate from the evaluated
# cases or, if given, from the training data (`censoring=`).
#
# Packages differ here: this is the convention of pec, riskRegression, timeROC and R's survival;
# scikit-survival takes G(T) where this takes G(T−).
# ----------------------------------------------------------------------------------------------


SAME_TIME = 1e-12
BEYOND = "the follow-up does not reach the time: nobody there is known not to be censored"
SURVIVAL: dict[str, Any] = {
    "family": Family.SURVIVAL,
    "outcomes": frozenset({"survival"}),
    "form": Form.CENSORED,
}


def inverse_before(predictions: Survival) -> Floats:
    """1/G(T−) of each case; `nan` beyond what the data say about censoring."""
    uncensored = predictions.censoring_survival
    remaining = uncensored.before(predictions.time)
    known = (remaining > 0) & (predictions.time <= uncensored.times[-1])
    return np.divide(1.0, remaining, out=np.full(remaining.shape, np.nan), where=known)


def kaplan_meier_for_all(predictions: Any, measure: Measure) -> float:
    """The value of predicting for every case the Kaplan–Meier curve of all."""
    curve = kaplan_meier(predictions.time, predictions.event, predictions.weight)
    same = np.broadcast_to(curve.at(predictions.times)[:, None], predictions.survival.shape)
    return measure.of(predictions.replace(survival=same))


PROBABILITY_OF_SURVIVAL: dict[str, Any] = {
    **SURVIVAL,
    "reads": View.SURVIVAL,
    "range": (0.0, np.inf),
    "best": 0.0,
    "reference": kaplan_meier_for_all,
    "additive": True,
    "law": Law.UNKNOWN,
}


@measure(
    title="Brier score at a time",
    aliases=("ipcw_brier",),
    **PROBABILITY_OF_SURVIVAL,
    undefined=BEYOND,
    source="Graf et al. (1999); Gerds, Schumacher (2006)",
)
def brier_at(predictions: Survival, *, t: float | None = None) -> float:
    r"""Squared distance between being event-free at a time and its predicted probability.

    .. math:: \frac{1}{n} \sum_i \left( \frac{S(t|x_i)^2 \, [T_i \le t, \delta_i = 1]}{G(T_i-)}
        + \frac{(1 - S(t|x_i))^2 \, [T_i > t]}{G(t)} \right)

    `t` must be one of the predicted times, the last if not stated: nothing is interpolated.
    Predicting the Kaplan–Meier curve for everybody is the reference. With weighted-up cases
    the value may exceed 1.

    Parameters
    ----------
    t
        The time at which predictions are judged; the last predicted time when not given.

    Examples
    --------
    >>> predicted = [[0.9, 0.6], [0.5, 0.1], [0.9, 0.8], [0.8, 0.3]]
    >>> brier_at([5, 2, 9, 4], [1, 1, 0, 0], survival=predicted, times=[1, 3], t=3)
    0.175
    """
    return float(_brier(predictions, _columns_at(predictions, t))[0])


@measure(
    title="Integrated Brier score",
    aliases=("integrated_brier_score", "ibs"),
    **PROBABILITY_OF_SURVIVAL,
    undefined=f"there are fewer than two times to integrate over, or {BEYOND}",
    source="Graf et al. (1999)",
)
def integrated_brier(
    predictions: Survival, *, start: float | None = None, stop: float | None = None
) -> float:
    r"""Brier score averaged over a span of time.

    .. math:: \frac{1}{t_m - t_1} \int_{t_1}^{t_m} \mathrm{BS}(t) \, dt

    by trapezoids between the predicted times from `start` to `stop`, all of them if not stated.

    Parameters
    ----------
    start
        The earliest predicted time that counts; the first when not given.
    stop
        The latest predicted time that counts; the last when not given.

    Examples
    --------
    >>> predicted = [[0.9, 0.6], [0.5, 0.1], [0.9, 0.8], [0.8, 0.3]]
    >>> integrated_brier([5, 2, 9, 4], [1, 1, 0, 0], survival=predicted, times=[1, 3])
    0.126
    """
    times = _times(predictions)
    low = times[0] if start is None else start
    high = times[-1] if stop is None else stop
    columns = np.flatnonzero((times >= low) & (times <= high))
    if columns.size < 2:
        return float("nan")
    over = times[columns]
    return float(np.trapezoid(_brier(predictions, columns), over) / (over[-1] - over[0]))


def _brier(predictions: Survival, columns: Ints) -> Floats:
    """The Brier score at some of the predicted times."""
    assert predictions.survival is not None
    predicted = predictions.survival[columns]
    t = _times(predictions)[columns][:, None]
    uncensored = predictions.censoring_survival
    happened = predictions.event & (predictions.time <= t)
    survived = predictions.time > t
    remaining = uncensored.at(t)
    known = (remaining > 0) & ((t <= uncensored.times[-1]) | ~survived.any(axis=-1, keepdims=True))
    remaining = np.where(known, remaining, np.nan)
    losses = np.where(happened, predicted**2 * inverse_before(predictions), 0.0)
    losses += np.where(survived, (1.0 - predicted) ** 2 / remaining, 0.0)
    return np.where(known[:, 0], weighted_mean(losses, predictions.weight), np.nan)


def _columns_at(predictions: Survival, t: float | None) -> Ints:
    times = _times(predictions)
    if t is None:
        return np.array([times.size - 1])
    found = np.flatnonzero(np.abs(times - t) <= SAME_TIME * max(1.0, abs(t)))
    if not found.size:
        raise NotApplicable(
            f"t must be one of the times survival was predicted at; got {t:g}, they are "
            f"{listed([f'{time:g}' for time in times])}. Predict survival at t as well."
        )
    return found[:1]


def _times(predictions: Survival) -> Floats:
    assert predictions.times is not None
    return predictions.times


# ----------------------------------------------------------------------------------------------
# Calibration of predicted survival at a horizon: did as many have their event as predicted?
#
# Cases censored before the horizon are made up for by those like them that were not (as in
# `ipcw`), or by the Kaplan–Meier estimate.
# ----------------------------------------------------------------------------------------------


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
