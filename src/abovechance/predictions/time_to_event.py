"""Times to an event, some of them censored."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import DataError
from abovechance.numerics.censoring import StepFunction, reverse_kaplan_meier
from abovechance.predictions import checks
from abovechance.predictions.base import (
    Cases,
    Predictions,
    View,
    gathered,
    is_stated,
    settle_origin,
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
        time; or the probability of being event-free at `times` (cases × times).
    times
        The times that the columns of `survival` belong to, ascending.
    censoring
        Times and events of the training data, for the censoring distribution; the evaluated
        cases' own when not given.
    id, fold, repeat, groups, sample_weight, counts, order, origin, missing
        As in `Binary`.

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
    risk: Floats | None
    survival: Floats | None
    times: Floats | None
    censoring: tuple[Floats, Bools] | None

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
        about = {
            "id": id,
            "fold": fold,
            "repeat": repeat,
            "groups": groups,
            "sample_weight": sample_weight,
            "counts": counts,
            "order": order,
        }
        found, index, notes = aligned({**given, "survival": survival, **about})
        arrays = {k: None if v is None else checks.vector(k, found[k]) for k, v in given.items()}
        arrays["survival"] = (
            None if survival is None else np.atleast_2d(np.asarray(found["survival"]).T)
        )
        cases = Cases.of(index, found)
        arrays, cases, kept = gathered(arrays, cases, missing)
        observed = {k: None if a is None else checks.numbers(k, a) for k, a in arrays.items()}
        moment, happened = observed["time"], observed["event"]
        assert moment is not None
        assert happened is not None
        later = observed["predicted_time"]
        self._settle(
            time=_time(moment),
            event=_event(happened),
            risk=-later if later is not None else observed["risk"],
            survival=observed["survival"],
            times=_times(times, observed["survival"]),
            censoring=_censoring(censoring),
            cases=cases,
            origin=settle_origin(origin, cases),
            origin_stated=is_stated(origin, cases),
            kept=kept,
            notes=notes,
            described="",
        )

    @property
    def n(self) -> int:
        return len(self.time)

    @cached_property
    def views(self) -> frozenset[View]:
        found = set()
        if self.risk is not None:
            found.add(View.RISK)
        if self.survival is not None:
            found.add(View.SURVIVAL)
        return frozenset(found)

    @cached_property
    def censoring_survival(self) -> StepFunction:
        """Probability of not yet being censored (reverse Kaplan–Meier)."""
        if self.censoring is not None:
            return reverse_kaplan_meier(*self.censoring)
        return reverse_kaplan_meier(self.time, self.event, self.weight)


def _time(time: Floats) -> Floats:
    checks.finite("time", time)
    if (time < 0).any():
        raise DataError(
            f"time must not be negative; got {time[time < 0][0]:g} at {checks.rows_of(time < 0)}."
        )
    return time


def _event(event: Array) -> Bools:
    wrong = (event != 0) & (event != 1)
    if wrong.any():
        raise DataError(
            "event must be 1 where the event happened and 0 where it was censored; got "
            f"{event[wrong][0]:g} at {checks.rows_of(wrong)}. Recode it (many files use 1/2)."
        )
    return event.astype(np.bool_)


def _times(times: Any, survival: Floats | None) -> Floats | None:
    if survival is None:
        return None
    checks.within_unit("survival", survival)
    if times is None:
        raise DataError("times must say which time each column of survival belongs to.")
    moments = np.atleast_1d(checks.numbers("times", np.asarray(times)))
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
    if np.ndim(censoring) == 0 or len(censoring) != 2 or isinstance(censoring, str | dict):
        raise DataError("censoring must be times and events of the training cases, two columns.")
    time, event = censoring
    return (
        _time(checks.numbers("censoring time", checks.vector("censoring time", time))),
        _event(checks.numbers("censoring event", checks.vector("censoring event", event))),
    )
