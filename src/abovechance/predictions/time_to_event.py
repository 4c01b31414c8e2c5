"""Times to an event, some of them censored."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.numerics.censoring import StepFunction, reverse_kaplan_meier
from abovechance.predictions import checks
from abovechance.predictions.base import (
    Cases,
    Predictions,
    View,
    gathered,
    settled_facts,
)
from abovechance.predictions.checks import aligned


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Survival(Predictions):
    """Predictions of a time to an event that may be censored.

    Parameters
    ----------
    time, event
        Time of the event or of censoring, and whether the event happened (0/1).
    risk, predicted_time, survival
        What was predicted, its direction stated: a risk that is higher for earlier events; a
        time; or the probability of being event-free at `times` (cases × times). Of curves alone
        the risk is that of an event by the last of `times`, 1 − S; measures at one of them take
        the risk by then.
    times
        The times that the columns of `survival` belong to, ascending.
    censoring
        Times and events of the training data, for the censoring distribution; the evaluated
        cases' own when not given.

    Raises
    ------
    DataError
        If the values are not what they must be; the message names the row and the remedy.

    See Also
    --------
    Numeric : numbers without censoring.

    Examples
    --------
    >>> Survival([5, 2, 9], [1, 1, 0], risk=[0.3, 0.9, 0.1])
    Survival(3 cases; risk; origin test)
    """

    kind: ClassVar[str] = "survival"
    case_arrays: ClassVar[tuple[str, ...]] = ("time", "event", "risk", "survival")

    time: Floats
    event: Bools
    risk: Floats
    survival: Floats | None
    times: Floats | None
    censoring: tuple[Floats, Bools] | None
    risk_from_curves: bool  # no risk was predicted: it is one less survival at the last time

    def __init__(
        self,
        time: Any,
        event: Any,
        *,
        risk: Any = None,
        predicted_time: Any = None,
        survival: Any = None,
        times: Any = None,
        censoring: Any = None,
        id: Any = None,
        fold: Any = None,
        repeat: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        counts: Any = None,
        order: Any = None,
        origin: str | None = None,
        missing: str = "refuse",
    ) -> None:
        if risk is None and predicted_time is None and survival is None:
            raise DataError("nothing was predicted; give risk=, predicted_time= or survival=.")
        if risk is not None and predicted_time is not None:
            raise DataError("give risk= or predicted_time=, not both: they order cases oppositely.")
        if time is None or event is None:
            raise DataError("time and event must hold what was observed, one value per case.")
        given = {"time": time, "event": event, "risk": risk, "predicted_time": predicted_time}
        facts = (id, fold, repeat, groups, sample_weight, counts, order)
        about = dict(zip(Cases.ARRAYS, facts, strict=True))
        found, index, notes = aligned({**given, "survival": survival, **about})
        arrays: dict[str, Array | None] = {
            k: checks.vector(k, found[k]) for k, v in given.items() if v is not None
        }
        if survival is not None:
            arrays["survival"] = np.atleast_2d(checks.unmasked(found["survival"], "survival").T)
        cases = Cases.of(index, found)
        arrays, cases, kept = gathered(arrays, cases, missing)
        observed = {
            k: a if k == "event" and a.dtype.kind == "b" else checks.numbers(k, a)
            for k, a in arrays.items()
            if a is not None
        }
        later, curves = observed.get("predicted_time"), observed.get("survival")
        moments = _times(times, curves)
        risk = -later if later is not None else observed.get("risk")
        from_curves = risk is None
        if from_curves:
            assert curves is not None
            assert moments is not None
            risk = 1.0 - curves[-1]
            notes = (*notes, _risk_from(moments))
        self._settle(
            time=_time(observed["time"]),
            event=_event(observed["event"]),
            risk=risk,
            survival=curves,
            times=moments,
            risk_from_curves=from_curves,
            censoring=_censoring(censoring),
            **settled_facts(cases, origin, kept, notes),
        )

    @cached_property
    def n(self) -> int:
        return len(self.time)

    @cached_property
    def views(self) -> frozenset[View]:
        return frozenset({View.RISK} if self.survival is None else {View.RISK, View.SURVIVAL})

    @property
    def happened(self) -> Bools:
        return self.event

    @property
    def all_columns(self) -> list[Array]:
        curves = [] if self.survival is None else list(self.survival)
        return [self.time, self.event, self.risk, *curves]

    def place_of(self, t: float | None) -> int:
        """Which of the times that survival was predicted at this is; the last if none is stated."""
        assert self.times is not None
        at = len(self.times) - 1 if t is None else int(np.argmin(np.abs(self.times - t)))
        if t is not None and not np.isclose(self.times[at], t, rtol=1e-12, atol=1e-12):
            raise NotApplicable(
                f"t must be one of the times survival was predicted at; got {t:g}, they are "
                f"{listed([f'{time:g}' for time in self.times])}. Predict survival at t as well."
            )
        return at

    def risk_by(self, t: float | None) -> Floats:
        """What orders cases for events by a time: the risk, or that by then where curves tell."""
        if not self.risk_from_curves:
            return self.risk
        assert self.survival is not None
        return 1.0 - self.survival[self.place_of(t)]

    @cached_property
    def censoring_survival(self) -> StepFunction:
        """Probability of not yet being censored (reverse Kaplan–Meier)."""
        if self.censoring is not None:
            return reverse_kaplan_meier(*self.censoring)
        return reverse_kaplan_meier(self.time, self.event, self.weight)

    def known_censoring(self, others: "Survival") -> None:
        """Take the censoring of others, who have the same times and events in another order."""
        self._settle(censoring_survival=others.censoring_survival)


def _risk_from(times: Floats) -> Advice:
    apart = "; at another time, survival then" if len(times) > 1 else ""
    return Advice(
        "AC005",
        "no risk was predicted: cases are ordered by their predicted survival at time "
        f"{times[-1]:g} (risk = 1 − S){apart}.",
        "Gerds et al. (2013)",
    )


def _time(time: Floats) -> Floats:
    checks.finite("time", time)
    if time.min() < 0:
        raise DataError(
            f"time must not be negative; got {time[time < 0][0]:g} at {checks.rows_of(time < 0)}."
        )
    return time


def _event(event: Array) -> Bools:
    if event.dtype.kind == "b":
        return event
    happened = event == 1
    wrong = ~happened & (event != 0)
    if wrong.any():
        raise DataError(
            "event must be 1 where the event happened and 0 where it was censored; got "
            f"{event[wrong][0]:g} at {checks.rows_of(wrong)}. Recode it (many files use 1/2)."
        )
    return happened


def _times(times: Any, survival: Floats | None) -> Floats | None:
    if survival is None:
        return None
    checks.within_unit("survival", survival)
    if times is None:
        raise DataError("times must say which time each column of survival belongs to.")
    single = np.atleast_1d(checks.unmasked(times, "times"))
    moments = checks.numbers("times", checks.vector("times", single))
    if len(moments) != len(survival):
        raise DataError(
            f"times must have one entry per column of survival; got {len(moments)} "
            f"for {len(survival)} columns."
        )
    if (np.diff(moments) <= 0).any():
        raise DataError("times must be ascending.")
    return moments


def _censoring(censoring: Any) -> tuple[Floats, Bools] | None:
    if censoring is None:
        return None
    several = isinstance(censoring, Sequence | np.ndarray) and not isinstance(censoring, str)
    if not several or checks.axes(censoring) == 0 or len(censoring) != 2:
        raise DataError("censoring must be times and events of the training cases, two columns.")
    time, event = censoring
    return (
        _time(checks.numbers("censoring time", checks.vector("censoring time", time))),
        _event(checks.numbers("censoring event", checks.vector("censoring event", event))),
    )
