"""Numbers: one or many outputs."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import DataError
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
class Numeric(Predictions):
    """Predictions of numbers, one or several per case.

    Parameters
    ----------
    y_true, value
        Observed and predicted numbers: one per case, or cases × outputs. Dataframes with the
        same columns are matched by name.
    outputs
        Names of the outputs; those of the columns of a dataframe when not given.

    Raises
    ------
    DataError
        If the values are not what they must be; the message names the row and the remedy.

    See Also
    --------
    Survival : times to an event that may be censored.

    Examples
    --------
    >>> Numeric([1.0, 2.0, 4.0], value=[1.5, 2.0, 3.0])
    Numeric(3 cases; value; origin test)
    """

    kind: ClassVar[str] = "numeric"
    case_arrays: ClassVar[tuple[str, ...]] = ("outcome", "value")

    outcome: Floats
    value: Floats
    outputs: tuple[str, ...]

    def __init__(
        self,
        y_true: Any,
        value: Any,
        *,
        outputs: Any = None,
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
        columns = _column_names(y_true)
        if columns and set(_column_names(value) or ()) == set(columns):
            arrow = hasattr(value, "column_names")
            value = value.select(list(columns)) if arrow else value[list(columns)]
        facts = (id, fold, repeat, groups, sample_weight, counts, order)
        about = dict(zip(Cases.ARRAYS, facts, strict=True))
        found, index, notes = aligned({"outcome": y_true, "value": value, **about})
        arrays: dict[str, Array | None] = {
            name: _outputs_first(name, found[name]) for name in ("outcome", "value")
        }
        cases = Cases.of(index, found)
        arrays, cases, kept = gathered(arrays, cases, missing)
        outcome, predicted = arrays["outcome"], arrays["value"]
        assert outcome is not None
        assert predicted is not None
        if outcome.shape[0] != predicted.shape[0]:
            raise DataError(
                "outcome and value must have the same outputs; "
                f"got {outcome.shape[0]} and {predicted.shape[0]}."
            )
        for name, array in (("outcome", outcome), ("value", predicted)):
            checks.finite(name, array)
        names = _names(columns if outputs is None else outputs, len(outcome))
        self._settle(
            outcome=outcome,
            value=predicted,
            outputs=names,
            **settled_facts(cases, origin, kept, notes),
        )

    @cached_property
    def n(self) -> int:
        return int(self.outcome.shape[-1])

    @cached_property
    def views(self) -> frozenset[View]:
        return frozenset({View.VALUE})

    @property
    def each_output(self) -> dict[str, Self]:
        several = len(self.outputs) > 1
        return {name: self.output(d) for d, name in enumerate(self.outputs) if several}

    @property
    def all_columns(self) -> list[Array]:
        return [*self.outcome, *self.value]

    def uninformed(self) -> Self:
        return self.replace(value=np.repeat(self.centre_and_spread[0][0][:, None], self.n, axis=1))

    @cached_property
    def centre_and_spread(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of outcomes and of predictions, both (2, outputs)."""
        both = np.stack([self.outcome, self.value])
        centre = np.average(both, axis=-1, weights=self.weight)
        squares = np.average((both - centre[..., None]) ** 2, axis=-1, weights=self.weight)
        return centre, np.sqrt(squares)

    def output(self, which: int) -> Self:
        """One output alone."""
        other = self.take(slice(None))
        other.__dict__.update(
            outcome=self.outcome[which : which + 1],
            value=self.value[which : which + 1],
            outputs=(self.outputs[which],),
        )
        return other


def _column_names(values: Any) -> tuple[str, ...] | None:
    """The names of a dataframe's columns; None for plain arrays."""
    if not hasattr(values, "columns"):
        return None
    return tuple(getattr(values, "column_names", values.columns))  # Arrow's, others'


def _names(outputs: Any, count: int) -> tuple[str, ...]:
    if outputs is None:
        return tuple(f"output {d + 1}" for d in range(count))
    names = tuple(str(o) for o in checks.names("outputs", outputs))
    if len(names) != count:
        wanted = f"the {count} outputs" if count > 1 else "the one output"
        raise DataError(f"outputs must name {wanted}; got {len(names)} names.")
    return names


def _outputs_first(name: str, values: Any) -> Floats:
    array = checks.unmasked(values, name)
    if array.dtype.kind == "O" and array.ndim == 1:
        array = checks.vector(name, array)
    if array.ndim not in (1, 2):
        raise DataError(f"{name} must be one number per case, or cases × outputs.")
    return np.atleast_2d(checks.numbers(name, array.T))
