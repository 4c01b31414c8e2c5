"""Measures of times to an event: of predicted risks, and of survival at stated times."""

from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import NotApplicable, listed
from abovechance.measures.calibration import recalibrated, smoother_of
from abovechance.measures.chance import constant
from abovechance.measures.measure import Calibration, Family, Form, Law, Measure, measure
from abovechance.numerics.censoring import (
    Concordance,
    Line,
    concordance_counts,
    kaplan_meier,
    line_in_time,
    moved_by_censoring,
    pairs_in_orders,
)
from abovechance.numerics.counts import weighted_mean
from abovechance.numerics.ranks import auc, tied_groups
from abovechance.predictions import Survival, View
from abovechance.predictions.checks import spelled_out

# ----------------------------------------------------------------------------------------------
# The survival family: do higher risks meet their event earlier?
#
# Risks are higher for earlier events (`predicted_time=` is read the other way round). Of
# predicted survival curves alone the risk is 1 − S at the last predicted time, for `auc_at` at
# its own. How good predicted survival probabilities are comes after.
# ----------------------------------------------------------------------------------------------


TIES = ("harrell", "strict", "drop", "both_events")
SURVIVAL: dict[str, Any] = {
    "family": Family.SURVIVAL,
    "outcomes": frozenset({"survival"}),
    "form": Form.CENSORED,
}
NO_PAIR = "no two cases can be compared: no event is followed by another case"


def _one_half(predictions: Survival, measure: Measure) -> float:
    """One half: of any two comparable cases either is as likely to have the higher risk."""
    return float("nan") if measure.parameters.get("ties") == "drop" else 0.5


OF_RISK: dict[str, Any] = {
    **SURVIVAL,
    "reads": View.RISK,
    "range": (0.0, 1.0),
    "best": 1.0,
    "chance": _one_half,
    "reference": constant(0.5),
}


def _concordance_in_orders(
    predictions: Survival,
    orders: Array,
    *,
    ties: str = "harrell",
    tau: float | None = None,
    pair_weight: Floats | None = None,
) -> Floats | None:
    """The concordance where each case has another's outcome; None of ties that are counted apart.

    Who outlives whom stays the same, so the line in time is made once.
    """
    if ties == "both_events":
        return None
    line = line_in_time(
        predictions.time, predictions.event, event_censored_ties=ties != "strict", tau=tau
    )
    below, level = pairs_in_orders(line, predictions.risk, orders)
    opened = line.order[line.opener]
    weight = np.ones(len(opened)) if pair_weight is None else pair_weight[opened]
    every = float(weight @ (predictions.n - line.start))
    tied = level @ weight
    if ties == "drop":
        return np.asarray((below @ weight) / (every - tied))
    return np.asarray((below @ weight + tied / 2.0) / every)


def _uno_in_orders(
    predictions: Survival, orders: Array, *, tau: float | None = None
) -> Floats | None:
    """The same where pairs weigh by the censoring, which stays the same too."""
    weight = _uno_weight(predictions, tau=tau)
    return _concordance_in_orders(predictions, orders, tau=tau, pair_weight=weight)


@measure(
    title="Concordance index",
    aliases=(
        "concordance_index",
        "concordance_index_harrell",
        "c_index_harrell",
        "harrell_c",
    ),
    **OF_RISK,
    law=Law.CENSORED_PAIRS,
    permuted=_concordance_in_orders,
    undefined=NO_PAIR,
    source="Harrell, Lee, Mark (1996); familiar 1.5.0, concordance index",
)
def c_index(predictions: Survival, *, ties: str = "harrell", tau: float | None = None) -> float:
    r"""Share of comparable pairs of cases in which the higher risk has the earlier event.

    .. math:: \frac{C + T/2}{C + D + T}

    with C concordant and D discordant pairs, and T pairs of equal risk. A pair is comparable when
    the earlier time is an event. Two events at the same time are not compared; an event and a
    censoring at the same time are, for the censored case outlives the other. Its value depends on
    how many cases were censored, and when; `uno_c` does not. Survival curves are ordered by 1 − S
    at the last predicted time.

    `ties="strict"` compares only different times; `ties="drop"` leaves pairs of equal risk out;
    `ties="both_events"` compares only different times, and counts as T the pairs of equal risk in
    which both cases had their event, whatever their times: the rule that familiar's documentation
    prints, which is not what it computes (`dialect="familiar"`).
    With `tau` only events before it open pairs. With weights a pair counts the product of its two.

    Parameters
    ----------
    ties
        Which pairs are compared: "harrell", "strict", "drop" or "both_events", as above.
    tau
        Only events before this time count; all of them when not given.

    Examples
    --------
    >>> c_index([5, 2, 9, 4], [1, 1, 0, 1], risk=[0.3, 0.9, 0.1, 0.2])
    0.833
    >>> c_index([5, 2, 9, 4], [1, 1, 0, 1], predicted_time=[6, 1, 8, 7])
    0.833
    >>> c_index([5, 2, 9, 4], [1, 1, 0, 1], risk=[0.3, 0.9, 0.3, 0.3], ties="both_events")
    0.875
    """
    if ties not in TIES:
        raise NotApplicable(f"ties must be one of {', '.join(TIES)}; got {ties!r}.")
    pairs = concordance_counts(
        predictions.time,
        predictions.event,
        predictions.risk,
        event_censored_ties=ties not in ("strict", "both_events"),
        tau=tau,
        weight=predictions.weight,
    )
    if ties == "both_events":
        return share(pairs._replace(tied_risk=_tied_events(predictions, tau)))
    return share(pairs._replace(tied_risk=0.0) if ties == "drop" else pairs)


def _tied_events(predictions: Survival, tau: float | None) -> float:
    """How many pairs of events have the same risk, whatever their times."""
    inside = predictions.event if tau is None else predictions.event & (predictions.time < tau)
    weight = np.ones(predictions.n) if predictions.weight is None else predictions.weight
    _, at = np.unique(predictions.risk[inside], return_inverse=True)
    total = np.bincount(at, weights=weight[inside], minlength=1)
    # a row that stands for k cases holds pairs of its own; a weight does not
    own = weight[inside] if predictions.cases.counts is not None else weight[inside] ** 2
    return float((total**2).sum() - own.sum()) / 2.0


def _uno_weight(predictions: Survival, *, tau: float | None = None) -> Floats:
    """Squared inverse probabilities of not yet being censored; 0 for cases that open no pair."""
    opening = predictions.event if tau is None else predictions.event & (predictions.time < tau)
    return np.asarray(np.where(opening, inverse_before(predictions), 0.0) ** 2)


@measure(
    title="Uno's concordance",
    aliases=("concordance_index_uno", "c_index_uno", "concordance_index_ipcw"),
    **OF_RISK,
    law=Law.CENSORED_PAIRS,
    pair_weight=_uno_weight,
    permuted=_uno_in_orders,
    undefined=f"{NO_PAIR}; or one lies beyond the follow-up of censoring= (state an earlier tau)",
    source="Uno et al. (2011)",
)
def uno_c(predictions: Survival, *, tau: float | None = None) -> float:
    r"""Concordance index that does not depend on how cases were censored.

    .. math:: \frac{\sum_{i,j} \delta_i G(T_i-)^{-2} \, [T_i < T_j, T_i < \tau]
        \left( [r_i > r_j] + \tfrac12 [r_i = r_j] \right)}
        {\sum_{i,j} \delta_i G(T_i-)^{-2} \, [T_i < T_j, T_i < \tau]}

    with G the probability of not yet being censored (reverse Kaplan–Meier, from the evaluated
    cases or the training data given as `censoring=`). Ties are treated as in `c_index`. Few cases
    remain at late times and weigh much: state a `tau` within the follow-up.

    Parameters
    ----------
    tau
        Only events before this time count; all of them when not given.

    Examples
    --------
    >>> uno_c([5, 2, 9, 4, 3], [1, 1, 0, 1, 0], risk=[0.3, 0.9, 0.1, 0.2, 0.2], tau=8)
    0.810
    """
    weight = _uno_weight(predictions, tau=tau)
    if np.isnan(weight).any():
        return float("nan")
    pairs = concordance_counts(
        predictions.time,
        predictions.event,
        predictions.risk,
        tau=tau,
        weight=predictions.weight,
        pair_weight=weight,
    )
    return share(pairs)


def of_auc_at(predictions: Survival, *, t: float | None = None) -> Floats:
    """Of the area at a time: by its own pairs, and by what it tells of censoring."""
    assert t is not None or predictions.times is not None
    t = float(predictions.times[-1]) if t is None else t  # type: ignore[index]
    happened = predictions.event & (predictions.time <= t)
    free = predictions.time > t
    weight = np.where(happened, inverse_before(predictions), 0.0)
    levels, at = np.unique(predictions.risk_by(t), return_inverse=True)
    cases, controls = (np.bincount(at, weights=w, minlength=len(levels)) for w in (weight, free))
    below = (np.cumsum(controls) - controls / 2.0)[at] / controls.sum()
    above = (cases.sum() - np.cumsum(cases) + cases / 2.0)[at] / cases.sum()
    area = float(weight @ below) / cases.sum()
    gained = weight * (below - area) / cases.sum()
    own = gained + np.where(free, above - area, 0.0) / controls.sum()
    if predictions.censoring is None:
        time, event = predictions.time, predictions.event
        own = own - moved_by_censoring(time, event, time, np.ones(len(time), np.bool_), gained)
    return np.asarray(predictions.n * own)


def _auc_in_orders(predictions: Survival, orders: Array, *, t: float | None = None) -> Floats:
    """The area at a time where each case has another's outcome.

    Those with an event by then open pairs with all who are free of it.
    """
    assert t is not None or predictions.times is not None
    t = float(predictions.times[-1]) if t is None else t  # type: ignore[index]
    happened = np.flatnonzero(predictions.event & (predictions.time <= t))
    free = np.flatnonzero(predictions.time > t)
    cases = len(happened)
    order = np.concatenate([happened, free])
    line = Line(order, np.arange(cases), np.full(cases, cases))
    below, level = pairs_in_orders(line, predictions.risk_by(t), orders)
    weight = inverse_before(predictions)[happened]
    return np.asarray((below @ weight + level @ weight / 2.0) / (weight.sum() * len(free)))


@measure(
    title="Area under the ROC curve at a time",
    aliases=("cumulative_dynamic_auc",),
    **OF_RISK,
    law=Law.UNKNOWN,
    influence=of_auc_at,
    permuted=_auc_in_orders,
    undefined="no time was stated, no event was seen by then, nobody was seen event-free after it, "
    "or it lies beyond the follow-up of censoring=",
    source="Uno et al. (2007); Hung, Chiang (2010)",
)
def auc_at(predictions: Survival, *, t: float | None = None) -> float:
    r"""Chance that a case with the event by a time had a higher risk than one still free of it.

    .. math:: \frac{\sum_{i,j} \delta_i [T_i \le t] [T_j > t] \, G(T_i-)^{-1}
        \left( [r_i > r_j] + \tfrac12 [r_i = r_j] \right)}
        {\sum_{i,j} \delta_i [T_i \le t] [T_j > t] \, G(T_i-)^{-1}}

    Cumulative cases against dynamic controls; the controls' weight 1/G(t) cancels. `t` is the last
    of the predictions' `times` if not stated. Where survival curves alone were predicted, r is
    1 − S(t), and `t` must be one of their times.

    Examples
    --------
    >>> auc_at([5, 2, 9, 4, 3], [1, 1, 0, 1, 0], risk=[0.3, 0.9, 0.1, 0.2, 0.2], t=4)
    0.714
    """
    if t is None:
        if predictions.times is None:
            return float("nan")
        t = float(predictions.times[-1])
    happened = predictions.event & (predictions.time <= t)
    known = happened | (predictions.time > t)
    if not happened.any() or not (known & ~happened).any():
        return float("nan")
    weight = np.where(happened, inverse_before(predictions), 1.0)
    if predictions.weight is not None:
        weight = weight * predictions.weight
    if np.isnan(weight[known]).any():
        return float("nan")
    risk = predictions.risk_by(t)
    return float(auc(tied_groups(risk[known], happened[known], weight[known])))


def share(pairs: Concordance) -> float:
    """Concordant pairs and half of the tied ones among all, `nan` if there are none."""
    total = sum(pairs)
    return (pairs.concordant + pairs.tied_risk / 2.0) / total if total > 0 else float("nan")


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
    "law": Law.UNKNOWN,
}


def _terms_at(predictions: Survival, *, t: float | None = None) -> Floats:
    """What each case adds to the Brier score at a time."""
    return _brier_losses(predictions, _columns_at(predictions, t))[0]


def _integrated_terms(
    predictions: Survival, *, start: float | None = None, stop: float | None = None
) -> Floats:
    """What each case adds to the integrated Brier score."""
    columns = _columns_within(predictions, start, stop)
    over = _times(predictions)[columns]
    losses = _brier_losses(predictions, columns)
    return np.asarray(np.trapezoid(losses, over, axis=0) / (over[-1] - over[0]))


def of_brier_at(predictions: Survival, *, t: float | None = None) -> Floats:
    """Of the Brier score at a time: by its own loss, and by what it tells of censoring."""
    return _of_brier(predictions, _columns_at(predictions, t))[0]


def of_integrated_brier(
    predictions: Survival, *, start: float | None = None, stop: float | None = None
) -> Floats:
    """Of the integrated Brier score: the same, averaged over the times."""
    columns = _columns_within(predictions, start, stop)
    over = _times(predictions)[columns]
    return np.asarray(
        np.trapezoid(_of_brier(predictions, columns), over, axis=0) / (over[-1] - over[0])
    )


def _of_brier(predictions: Survival, columns: Ints) -> Floats:
    time, event = predictions.time, predictions.event
    found = []
    for t, losses in zip(
        _times(predictions)[columns], _brier_losses(predictions, columns), strict=True
    ):
        own = losses - losses.mean()
        if predictions.censoring is None:
            until = np.minimum(time, t)
            own = own - moved_by_censoring(time, event, until, time <= t, losses)
        found.append(own)
    return np.stack(found)


def _brier_in_orders(predictions: Survival, orders: Array, *, t: float | None = None) -> Floats:
    """The Brier score at a time where each case has another's outcome."""
    return _briers_in_orders(predictions, orders, _columns_at(predictions, t))[0]


def _integrated_in_orders(
    predictions: Survival, orders: Array, *, start: float | None = None, stop: float | None = None
) -> Floats:
    """The same, averaged over the times."""
    columns = _columns_within(predictions, start, stop)
    over = _times(predictions)[columns]
    each = _briers_in_orders(predictions, orders, columns)
    return np.asarray(np.trapezoid(each, over, axis=0) / (over[-1] - over[0]))


def _briers_in_orders(predictions: Survival, orders: Array, columns: Ints) -> Floats:
    """Of some times (times, orders): outcomes keep their weights and meet other predictions."""
    assert predictions.survival is not None
    found = []
    for predicted, event, free in zip(
        predictions.survival[columns], *_weights_at(predictions, columns), strict=True
    ):
        total = event[orders] @ predicted**2 + free[orders] @ (1.0 - predicted) ** 2
        found.append(total / predictions.n)
    return np.stack(found)


@measure(
    title="Brier score at a time",
    aliases=("ipcw_brier",),
    **PROBABILITY_OF_SURVIVAL,
    influence=of_brier_at,
    terms=_terms_at,
    permuted=_brier_in_orders,
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
    influence=of_integrated_brier,
    terms=_integrated_terms,
    permuted=_integrated_in_orders,
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
    columns = _columns_within(predictions, start, stop)
    if columns.size < 2:
        return float("nan")
    over = _times(predictions)[columns]
    return float(np.trapezoid(_brier(predictions, columns), over) / (over[-1] - over[0]))


def _brier(predictions: Survival, columns: Ints) -> Floats:
    """The Brier score at some of the predicted times."""
    return weighted_mean(_brier_losses(predictions, columns), predictions.weight)


def _brier_losses(predictions: Survival, columns: Ints) -> Floats:
    """What each case adds at some of the predicted times; nan where the follow-up ends before."""
    assert predictions.survival is not None
    predicted = predictions.survival[columns]
    event, free = _weights_at(predictions, columns)
    return predicted**2 * event + (1.0 - predicted) ** 2 * free


def _weights_at(predictions: Survival, columns: Ints) -> tuple[Floats, Floats]:
    """What the events by some of the times, and cases free of it, weigh; nan beyond follow-up."""
    t = _times(predictions)[columns][:, None]
    uncensored = predictions.censoring_survival
    happened = predictions.event & (predictions.time <= t)
    survived = predictions.time > t
    remaining = uncensored.at(t)
    known = (remaining > 0) & ((t <= uncensored.times[-1]) | ~survived.any(axis=-1, keepdims=True))
    remaining = np.where(known, remaining, np.nan)
    event = np.where(happened, inverse_before(predictions), 0.0)
    free = np.where(survived, 1.0 / remaining, 0.0)
    return np.where(known, event, np.nan), free


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


def _columns_within(predictions: Survival, start: float | None, stop: float | None) -> Ints:
    times = _times(predictions)
    low = times[0] if start is None else start
    high = times[-1] if stop is None else stop
    return np.flatnonzero((times >= low) & (times <= high))


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

    Examples
    --------
    >>> time, event = [9, 8, 1, 6, 2, 7, 1, 2.5], [0, 1, 1, 0, 0, 1, 1, 1]
    >>> predicted = [[0.9], [0.8], [0.7], [0.6], [0.5], [0.4], [0.3], [0.2]]
    >>> ici_at(time, event, survival=predicted, times=[3])
    0.238
    """
    if predictions.cases.counts is not None:
        rows = spelled_out(predictions.cases.counts)
        predictions = predictions.take(rows).with_cases(counts=None)
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


def time_of(measure: Measure, predictions: Any) -> float | None:
    """The time a survival measure is at: as stated, else the last that was predicted."""
    if predictions.kind != "survival" or "t" not in measure.parameters:
        return None
    stated, times = measure.parameters["t"], predictions.times
    if stated is not None:
        return float(stated)
    return None if times is None else float(times[-1])


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
