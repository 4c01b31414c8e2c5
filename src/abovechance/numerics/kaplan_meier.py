"""Kaplan-Meier estimates of surviving, and of remaining under observation."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Floats


@dataclass(frozen=True)
class StepFunction:
    """A function that starts at 1 and takes a new value at each of its times.

    `times` are all distinct times seen, also those at which nothing changes, so the last one says
    how far the data reach. Values may be a batch (..., times).

    Examples
    --------
    >>> survival = StepFunction(np.array([1.0, 2.0]), np.array([0.5, 0.25]))
    >>> survival.at([0.5, 1.0, 9.0]), survival.before([0.5, 1.0, 9.0])
    (array([1.  , 0.5 , 0.25]), array([1.  , 1.  , 0.25]))
    """

    times: Floats
    values: Floats

    def at(self, time: Array | float | list[float]) -> Floats:
        """Value at a time, the jump there included."""
        return self._from_place(np.searchsorted(self.times, time, side="right"))

    def before(self, time: Array | float | list[float]) -> Floats:
        """Value just before a time (limit from the left)."""
        return self._from_place(np.searchsorted(self.times, time, side="left"))

    def _from_place(self, place: Array) -> Floats:
        start = np.ones((*self.values.shape[:-1], 1))
        values: Floats = np.concatenate([start, self.values], axis=-1)[..., place]
        return values


def kaplan_meier(time: Array, event: Array, weight: Array | None = None) -> StepFunction:
    r"""Estimate the probability of surviving each time from partly censored times.

    .. math:: S(t) = \prod_{s \le t} (1 - d_s / r_s)

    with d_s the (weighted) events at s and r_s the cases with time at least s.

    References
    ----------
    Kaplan, Meier (1958).

    Examples
    --------
    >>> kaplan_meier(np.array([1, 2, 2, 3]), np.array([1, 1, 0, 1])).values
    array([0.75, 0.5 , 0.  ])
    """
    times, events, censored = _by_time(time, event, weight)
    return StepFunction(times, _product(events, _at_risk(events + censored)))


def reverse_kaplan_meier(time: Array, event: Array, weight: Array | None = None) -> StepFunction:
    r"""Estimate the probability of not yet being censored, G(t).

    .. math:: G(t) = \prod_{s \le t} (1 - c_s / (r_s - d_s))

    with c_s censorings, d_s events at s and r_s the cases with time at least s: those with an event
    leave before the censorings of the same time. (Swapping the roles in the ordinary estimate
    would keep them at risk; the two differ only where an event and a censoring coincide.)

    Examples
    --------
    >>> reverse_kaplan_meier(np.array([1, 2, 2, 3]), np.array([0, 1, 0, 1])).values
    array([0.75 , 0.375, 0.375])
    """
    times, events, censored = _by_time(time, event, weight)
    return StepFunction(times, _product(censored, _at_risk(events + censored) - events))


def _by_time(time: Array, event: Array, weight: Array | None) -> tuple[Floats, Floats, Floats]:
    """Distinct times with the weight of events and of censorings at each."""
    order = np.argsort(time)
    ordered = np.asarray(time, dtype=np.float64)[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: ordered.size])
    happened = np.asarray(event, dtype=np.float64)[order]
    everyone = np.ones(ordered.size) if weight is None else np.asarray(weight)[..., order]
    events = np.add.reduceat(everyone * happened, starts, axis=-1)
    censored = np.add.reduceat(everyone * (1 - happened), starts, axis=-1)
    return ordered[starts], events, censored


def _at_risk(leaving: Floats) -> Floats:
    return np.cumsum(leaving[..., ::-1], axis=-1)[..., ::-1]


def _product(leaving: Floats, at_risk: Floats) -> Floats:
    share = np.divide(leaving, at_risk, out=np.zeros(leaving.shape), where=leaving > 0)
    return np.cumprod(1 - share, axis=-1)
