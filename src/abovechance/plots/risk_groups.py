"""Cases in groups of predicted risk, and how long those of each group stay free of the event."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.numerics.censoring import kaplan_meier
from abovechance.plots.curves import Curve
from abovechance.predictions import Survival

NAMES = {
    2: ("lower risk", "higher risk"),
    3: ("low risk", "middle risk", "high risk"),
    4: ("lowest risk", "second quarter", "third quarter", "highest risk"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskGroup:
    """One group: its size, events, survival curve with limits, and where cases were censored."""

    name: str
    n: int
    events: int
    curve: Curve
    censored: Curve


def risk_groups(
    predictions: Survival, groups: int = 3, *, confidence_level: float = 0.95
) -> list[RiskGroup]:
    r"""Split cases at quantiles of predicted risk; Kaplan–Meier with limits in each group.

    Limits by Greenwood's variance on the scale of log(−log S), which keeps them within 0 and 1:

    .. math:: S^{\exp(\pm z \hat\sigma / \log S)}, \quad
              \hat\sigma^2 = \sum_{s \le t} d_s / (r_s (r_s - d_s))

    References
    ----------
    Kalbfleisch, Prentice (2002), section 1.4.2; Royston, Altman (2013) for the display.

    Examples
    --------
    >>> p = Survival([1, 2, 3, 4], [1, 1, 0, 1], risk=[4, 3, 2, 1])
    >>> [(g.name, g.n, g.events) for g in risk_groups(p, 2)]
    [('lower risk', 2, 1), ('higher risk', 2, 2)]
    """
    if predictions.risk is None:
        raise NotApplicable("risk groups need predicted risks or times; give risk=.")
    if groups not in NAMES:
        raise NotApplicable(f"cases are split into 2, 3 or 4 risk groups; got {groups}.")
    if predictions.weight is not None:
        raise NotApplicable("survival by risk group is for cases that count one each.")
    cuts = np.quantile(predictions.risk, np.arange(1, groups) / groups)
    place = np.searchsorted(cuts, predictions.risk, side="left")
    found = []
    for g, name in enumerate(NAMES[groups]):
        chosen = place == g
        if chosen.any():
            found.append(_group(predictions, chosen, name, confidence_level))
    return found


def _group(predictions: Survival, chosen: Bools, name: str, level: float) -> RiskGroup:
    time, event = predictions.time[chosen], predictions.event[chosen]
    steps = kaplan_meier(time, event)
    low, high = _limits(time, event, steps.times, steps.values, level)
    happened = np.concatenate([[True], np.isin(steps.times, time[event])])
    happened[-1] = True  # the curve ends where observation ends
    start = np.concatenate([[0.0], steps.times])[happened]
    one = np.ones(1)
    gone = np.unique(time[~event])
    return RiskGroup(
        name=name,
        n=int(chosen.sum()),
        events=int(event.sum()),
        curve=Curve(
            x=start,
            y=np.concatenate([one, steps.values])[happened],
            low=np.concatenate([one, low])[happened],
            high=np.concatenate([one, high])[happened],
        ),
        censored=Curve(x=gone, y=steps.at(gone)),
    )


def _limits(
    time: Floats, event: Bools, times: Floats, survival: Floats, level: float
) -> tuple[Floats, Floats]:
    from scipy.special import ndtri

    died = np.bincount(np.searchsorted(times, time[event]), minlength=times.size)
    at_risk = time.size - np.searchsorted(np.sort(time), times, side="left")
    left = at_risk - died
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.cumsum(np.where(died > 0, died / (at_risk * left), 0.0))
        exponent = ndtri(0.5 + level / 2) * np.sqrt(variance) / np.log(survival)
        low, high = survival ** np.exp(-exponent), survival ** np.exp(exponent)
    inside = (survival > 0) & (survival < 1)
    low = np.where(inside, low, np.where(survival >= 1, 1.0, 0.0))
    high = np.where(inside, high, np.where(survival >= 1, 1.0, np.nan))
    return low, _carried(high)


def _carried(values: Floats) -> Floats:
    """Where survival is 0 the variance is not defined: the last limit that was."""
    place = np.where(np.isnan(values), 0, np.arange(values.size))
    found = values[np.maximum.accumulate(place)] if values.size else values
    return np.where(np.isnan(found), 1.0, found)
