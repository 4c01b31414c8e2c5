"""Measures as the R package familiar 1.5.0 computes them, where that differs from the textbook.

- Averages over classes: a suffix has no effect on two classes; `weighted` drops undefined
  classes without renormalising.
- Balanced accuracy, its error rate, informedness and markedness are undefined when a declared
  class is unobserved (markedness: never predicted).
- The Matthews correlation is 0 and kappa is 1 where they are undefined.
- Multiclass AUC takes each pair of classes in one direction only, in the order of the classes.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures import categorical
from abovechance.measures.averaging import averaged, class_values, defined_mean
from abovechance.measures.familiar_numbers import OVERRIDES as NUMBERS
from abovechance.measures.measure import Form, Measure
from abovechance.numerics.counts import one_against_rest


def as_familiar(measure: Measure) -> Measure:
    """A measure in familiar's dialect; the measure itself where there is no difference."""
    if measure.name in NUMBERS:
        return NUMBERS[measure.name](measure)
    if measure.average is not None or measure.averages:
        return _averaged(measure)
    if measure.name in FORMULAS:
        changed = replace(measure, formula=FORMULAS[measure.name], dialect="familiar")
        return replace(changed, shortcut=None)
    if measure.name == "auc" and measure.multiclass is not None:
        other = replace(measure.multiclass, formula=one_directional, dialect="familiar")
        return replace(measure, multiclass=other, dialect="familiar")
    return measure


def one_directional(areas: Floats, shares: Floats) -> Floats:
    """Mean over pairs i < j of how well column i tells class i from class j."""
    above = np.triu(np.ones(areas.shape[-2:], dtype=bool), k=1)
    return defined_mean(areas[..., above])


def all_observed_balanced_accuracy(table: Floats, *, weight: float | None = None) -> Floats:
    """As familiar computes it: undefined when a declared class is unobserved."""
    return _where_observed(table, categorical.balanced_accuracy.formula(table, weight=weight))


def all_observed_error_rate(table: Floats) -> Floats:
    """As familiar computes it: undefined when a declared class is unobserved."""
    return _where_observed(table, categorical.balanced_error_rate.formula(table))


def mcc_or_zero(table: Floats) -> Floats:
    """As familiar computes it: 0 where it is undefined."""
    return np.nan_to_num(categorical.mcc.formula(table), nan=0.0)


def kappa_or_one(table: Floats, *, weights: str | None = None) -> Floats:
    """As familiar computes it: 1 where it is undefined."""
    return np.nan_to_num(categorical.kappa.formula(table, weights=weights), nan=1.0)


FORMULAS: dict[str, Callable[..., Any]] = {
    "balanced_accuracy": all_observed_balanced_accuracy,
    "balanced_error_rate": all_observed_error_rate,
    "mcc": mcc_or_zero,
    "kappa": kappa_or_one,
}


def _where_observed(table: Floats, values: Floats) -> Floats:
    return np.where((table.sum(axis=-1) > 0).all(axis=-1), values, np.nan)


@dataclass(frozen=True, eq=False)
class Averaged:
    """As familiar averages over classes.

    Two classes are not averaged. By prevalence, undefined classes count as 0.
    """

    base: Measure
    average: str

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.base.formula)

    def __call__(self, table: Floats, **parameters: Any) -> Floats:
        base = replace(self.base, parameters=parameters)
        counts = one_against_rest(table)
        if table.shape[-1] == 2:
            return class_values(base, *(c[..., 1] for c in counts))
        if self.average != "weighted":
            return averaged(replace(base, average=self.average), *counts)
        values = class_values(base, *counts)
        shares = (counts[0] + counts[2]) / table.sum(axis=(-2, -1))[..., None]
        return np.asarray(np.nansum(values * shares, axis=-1))


def _averaged(measure: Measure) -> Measure:
    return replace(
        measure,
        form=Form.COUNTS,
        formula=Averaged(replace(measure, average=None), measure.average or "macro"),
        averages=False,
        average=None,
        after=None,
        directed=True,
        dialect="familiar",
    )
