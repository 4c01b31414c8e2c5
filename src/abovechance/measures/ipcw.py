"""Predicted survival judged at a time, censored cases made up for by those still observed.

A case whose outcome at time t is known counts as much as the cases like it whose outcome is not:
1/G(T−) if its event was at T ≤ t, 1/G(t) if it was still event-free after t. G is the probability
of not yet being censored, by the reverse Kaplan–Meier estimate from the evaluated cases or, if
given, from the training data (`censoring=`).

Packages differ here: this is the convention of pec, riskRegression, timeROC and R's survival;
scikit-survival takes G(T) where this takes G(T−).
"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.errors import NotApplicable, listed
from abovechance.measures.measure import Family, Form, Law, Measure, measure
from abovechance.numerics.censoring import kaplan_meier
from abovechance.numerics.counts import weighted_mean
from abovechance.predictions import Survival, View

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
