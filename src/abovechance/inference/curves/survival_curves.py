"""Survival in groups of predicted risk, and discrimination over time."""

from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import (
    Curve,
    bandless,
    no_band,
    numbers_of,
    over_clusters,
)
from abovechance.measures import find
from abovechance.numerics.censoring import kaplan_meier
from abovechance.numerics.exact import critical_value
from abovechance.predictions import Survival
from abovechance.settings import Settings, settled

GROUPS = {
    2: ("lower risk", "higher risk"),
    3: ("low risk", "middle risk", "high risk"),
    4: ("lowest risk", "second quarter", "third quarter", "highest risk"),
}
POINTS = 20  # times at which the area is given when none are stated


@settled
def survival(predictions: Survival, *, groups: int = 3, **given: Any) -> dict[str, Curve]:
    r"""Kaplan–Meier curves of the cases in groups of predicted risk, with Greenwood's limits.

    Cases are split at quantiles of their predicted risk. Limits use Greenwood's variance on the
    scale of log(−log S), which keeps them within 0 and 1:

    .. math:: S^{\exp(\pm z \hat\sigma / \log S)}, \quad
              \hat\sigma^2 = \sum_{s \le t} d_s / (r_s (r_s - d_s))

    Where survival has fallen to 0 the variance is not defined, and the last upper limit is kept.
    Cases in clusters count by cluster: what a cluster adds to log S, squared and summed over
    clusters, is the variance, and Student's t with one degree of freedom less than clusters takes
    the place of z. It is never less than Greenwood's, which clusters of one case have.

    Parameters
    ----------
    predictions
        Times to an event with predicted risks, or predicted times.
    groups
        How many groups: 2, 3 or 4, with as many cases each as ties allow.

    Returns
    -------
    dict of str to Curve
        A curve by the name of its group, lowest risk first: time against the share of cases still
        free of the event, at 0 and at every time observed. Its columns `at_risk`, `events` and
        `censored` count cases.

    Raises
    ------
    NotApplicable
        Without predicted risks, with weights, or for another number of groups.

    See Also
    --------
    auc_over_time : how well predicted risks discriminate until each time.

    References
    ----------
    Kalbfleisch, Prentice (2002), section 1.4.2; Royston, Altman (2013) for the display.

    Examples
    --------
    >>> from abovechance import Survival
    >>> p = Survival([1, 2, 3, 4], [1, 1, 0, 1], risk=[4, 3, 2, 1])
    >>> by_risk = survival(p, groups=2)
    >>> {name: curve.y.tolist() for name, curve in by_risk.items()}
    {'lower risk': [1.0, 1.0, 0.0], 'higher risk': [1.0, 0.5, 0.0]}
    """
    settings = Settings.of("survival", given)
    if groups not in GROUPS:
        raise NotApplicable(f"cases are split into 2, 3 or 4 risk groups; got {groups}.")
    if predictions.weight is not None:
        raise NotApplicable("survival by risk group is for cases that count one each.")
    cuts = np.quantile(predictions.risk, np.arange(1, groups) / groups)
    place = np.searchsorted(cuts, predictions.risk, side="left")
    curves = {}
    for g, name in enumerate(GROUPS[groups]):
        members = place == g
        if members.any():
            time, event = predictions.time[members], predictions.event[members]
            clusters = predictions.cases.groups
            if clusters is not None:
                clusters = clusters[members]
                if len(np.unique(clusters)) == len(clusters):
                    clusters = None  # its cases are of different clusters, so independent
            curve = _kaplan_meier(time, event, clusters, name, settings.level)
            why = no_band(predictions)
            if why is not None:
                curve = bandless(curve, why)
            elif clusters is not None:
                curve = over_clusters(curve, len(np.unique(clusters)))
            curves[name] = curve
    return curves


def _kaplan_meier(
    time: Floats, event: Bools, clusters: Array | None, name: str, level: float
) -> Curve:
    steps = kaplan_meier(time, event)
    at = np.searchsorted(steps.times, time)
    died = np.bincount(at[event], minlength=steps.times.size)
    gone = np.bincount(at[~event], minlength=steps.times.size)
    at_risk = time.size - np.searchsorted(np.sort(time), steps.times, side="left")
    if clusters is None:
        variance, df = _greenwood(died, at_risk), np.inf
    else:
        _, code = np.unique(clusters, return_inverse=True)
        variance, df = _by_clusters(code, at, event, died, at_risk), float(code.max())
    low, high = _limits(variance, steps.values, critical_value(level, df) if df else np.inf)

    def from_start(start: float, values: Array) -> Floats:
        return np.concatenate([[start], values.astype(np.float64)])

    return Curve(
        curve="survival",
        title=f"Survival, {name}",
        x_name="Time",
        y_name="Event-free",
        x=from_start(0.0, steps.times),
        y=from_start(1.0, steps.values),
        low=from_start(1.0, low),
        high=from_start(1.0, high),
        level=level,
        method=("Greenwood's variance" if clusters is None else "variance over clusters")
        + ", log(−log) scale",
        n=int(time.size),
        columns={
            "at_risk": from_start(time.size, at_risk),
            "events": from_start(0.0, died),
            "censored": from_start(0.0, gone),
        },
    )


def _greenwood(died: Array, at_risk: Array) -> Floats:
    """The variance of log S at every time."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.cumsum(np.where(died > 0, died / (at_risk * (at_risk - died)), 0.0))


def _by_clusters(code: Array, at: Array, event: Bools, died: Array, at_risk: Array) -> Floats:
    r"""The same from what every cluster adds to log S, never less than Greenwood's.

    A cluster adds :math:`a - b H` to it: H is the sum of :math:`d / (r (r - d))` until then, b how
    many of its cases are still at risk, and a changes only when one of its cases leaves. So sums
    of :math:`a^2`, :math:`ab` and :math:`b^2` over clusters are all that is needed.
    """
    left = at_risk - died
    some = (died > 0) & (left > 0)
    jump = np.divide(1.0, left, out=np.zeros(len(died)), where=some)
    hazard = np.cumsum(np.where(some, died / at_risk, 0.0) * jump)
    order = np.lexsort((at, code))
    cluster, time = code[order], at[order]
    size = np.bincount(cluster).astype(np.float64)
    first = (np.cumsum(size) - size).astype(np.int64)
    step = np.where(event[order], jump[time], 0.0) - hazard[time]
    run = np.cumsum(step)
    a = run - (run[first] - step[first])[cluster]  # once this case has left
    b: Floats = (size - 1.0 + first)[cluster] - np.arange(len(cluster))

    def over_time(after: Floats, before: Floats) -> Floats:
        return np.cumsum(np.bincount(time, weights=after - before, minlength=len(died)))

    squares = over_time(b * b, (b + 1) * (b + 1)) + float(size @ size)
    both = over_time(a * b, (a - step) * (b + 1))
    own = over_time(a * a, (a - step) ** 2)
    found = np.maximum(own - 2.0 * hazard * both + hazard**2 * squares, 0.0)
    units = len(size)
    # few clusters may agree by chance; limits would then shrink to the curve
    return np.fmax(found * units / max(units - 1, 1), _greenwood(died, at_risk))


def _limits(variance: Floats, survival: Floats, reach: float) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = reach * np.sqrt(variance) / np.log(survival)
        low, high = survival ** np.exp(-exponent), survival ** np.exp(exponent)
    inside = (survival > 0) & (survival < 1)
    low = np.where(inside, low, np.where(survival >= 1, 1.0, 0.0))
    high = np.where(inside, high, np.where(survival >= 1, 1.0, np.nan))
    return low, _carried(high)


def _carried(values: Floats) -> Floats:
    """Where survival is 0 the variance is not defined: the last limit that was."""
    place = np.where(np.isnan(values), 0, np.arange(values.size))
    last = values[np.maximum.accumulate(place)] if values.size else values
    return np.where(np.isnan(last), 1.0, last)


def auc_over_time(predictions: Survival, times: Floats | None = None) -> Curve:
    """The area under the ROC curve for events until each time, cases weighted for censoring.

    Parameters
    ----------
    predictions
        Times to an event with predicted risks, or predicted times.
    times
        Where the area is wanted; 20 times between the tenth and the ninetieth part of the events
        when not given. Times at which the area is not defined are left out.

    Returns
    -------
    Curve
        Time against the area until then; without a band.

    Raises
    ------
    NotApplicable
        Without predicted risks, without events, or where the area is defined at none of the times.

    See Also
    --------
    survival : how long the cases in groups of predicted risk stay free of the event.

    References
    ----------
    Uno et al. (2007).

    Examples
    --------
    >>> from abovechance import Survival
    >>> p = Survival([1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1, 1], risk=[6, 5, 3, 4, 2, 1])
    >>> auc_over_time(p, [3.0]).y
    array([0.889])
    """
    if not predictions.event.any():
        raise NotApplicable("the area over time needs events; all cases were censored.")
    if times is None and predictions.risk_from_curves:
        times = predictions.times  # the risk by other times was not predicted
    if times is None:
        first, last = np.quantile(predictions.time[predictions.event], [0.1, 0.9])
        places = np.unique(np.linspace(first, last, POINTS))
    else:
        places = numbers_of(times, "times")
    measure = find("auc_at")
    values = np.array([measure.with_parameters(t=float(t)).of(predictions) for t in places])
    known = np.isfinite(values)
    if not known.any():
        raise NotApplicable("the area is not defined at any time; there are too few events.")
    return Curve(
        curve="auc_over_time",
        title="AUC over time",
        x_name="Time",
        y_name="Area under the ROC curve",
        x=places[known],
        y=values[known],
        low=None,
        high=None,
        level=0.95,
        method="inverse probability of censoring weights",
        n=predictions.n,
    )
