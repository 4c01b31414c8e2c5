"""Regression measures that a few gross errors cannot dominate.

`find("mae_trim")` leaves out the 5 % of the cases with the largest absolute errors;
`find("mae_winsor")` moves their predictions as near as the errors of the others are. Both are
measures of their own. They flatter: what they leave out are the model's worst failures.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.chance import SameNumber, mean_outcome
from abovechance.measures.measure import Form, Law, Measure

FRACTION = 0.05


@dataclass(frozen=True, eq=False)
class Robust:
    """A formula around another measure's, with the same parameters."""

    base: Measure

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.base.formula)


class Trimmed(Robust):
    """The measure of the cases whose absolute error is within its 95 % quantile.

    The quantile interpolates linearly between order statistics (R's type 7). There is no weighted
    form: `counts=` are cases repeated.
    """

    def __call__(self, outcome: Floats, value: Floats, weight: None, **parameters: Any) -> float:
        error = np.abs(outcome - value)
        kept = error <= np.quantile(error, 1.0 - FRACTION)
        return on_arrays(self.base, outcome[kept], value[kept], parameters)


class Winsorised(Robust):
    """The measure after predictions further off than the 95 % quantile are moved to that distance.

    The quantile is of the absolute errors, linear between order statistics (R's type 7); a
    prediction stays on its side of the outcome. There is no weighted form: `counts=` are cases
    repeated.
    """

    def __call__(self, outcome: Floats, value: Floats, weight: None, **parameters: Any) -> float:
        error = np.abs(outcome - value)
        limit = np.quantile(error, 1.0 - FRACTION)
        nearer = outcome + np.sign(value - outcome) * limit
        return on_arrays(self.base, outcome, np.where(error <= limit, value, nearer), parameters)


def trimmed(measure: Measure) -> Measure:
    """A measure without the 5 % of the cases with the largest absolute errors.

    Examples
    --------
    >>> from abovechance.measures.regression import mae
    >>> trimmed(mae)([1.0, 2.0, 4.0, 6.0], [1.5, 2.0, 3.0, 60.0])
    0.5
    """
    return _derived(measure, Trimmed, "trim", "without the 5 % largest errors")


def winsorised(measure: Measure) -> Measure:
    """A measure with the 5 % largest absolute errors cut down to the largest of the others.

    Examples
    --------
    >>> from abovechance.measures.regression import mae
    >>> winsorised(mae)([1.0, 2.0, 4.0, 6.0], [1.5, 2.0, 3.0, 60.0])
    11.9
    """
    return _derived(measure, Winsorised, "winsor", "the 5 % largest errors cut down")


def on_arrays(
    measure: Measure, outcome: Floats, value: Floats, parameters: Mapping[str, Any]
) -> float:
    """A measure's formula on plain arrays of one output, without weights."""
    if measure.form is Form.LOSSES:
        found: Any = np.mean(measure.formula(outcome, value, **parameters))
    else:
        found = measure.formula(outcome, value, None, **parameters)
    return float(found if measure.after is None else measure.after(found))


def _derived(
    measure: Measure, formula: Callable[[Measure], Any], suffix: str, described: str
) -> Measure:
    robust = isinstance(measure.formula, Robust)
    if measure.outcomes != {"numeric"} or measure.many_outputs or robust:
        raise NotApplicable(f"{measure.name} is not trimmed; measures of one numeric output are.")
    # Cutting the largest errors down makes unrelated predictions look correlated, how much
    # depending on both: such a correlation has no reference.
    correlation = measure.range[0] == -1.0
    same = measure.reference if isinstance(measure.reference, SameNumber) else mean_outcome
    return replace(
        measure,
        name=f"{measure.name}_{suffix}",
        title=f"{measure.title}, {described}",
        aliases=tuple(f"{a}_{suffix}" for a in measure.aliases if not a.startswith("neg_")),
        formula=formula(measure),
        form=Form.DRAWS,
        takes_batches=False,
        law=Law.UNKNOWN,
        after=None,
        chance=None,
        reference=None if correlation or measure.reference is None else same,
        weighted=False,
        influence=None,
        sufficient=None,
        listed=False,
    )
