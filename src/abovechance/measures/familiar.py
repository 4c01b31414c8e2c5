"""Measures as the R package familiar 1.5.0 computes them, where that differs from the textbook."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures import categorical, regression
from abovechance.measures.measure import Form, Formula, Measure, defaults
from abovechance.measures.sample import averaged, class_values, defined_mean
from abovechance.measures.survival import share
from abovechance.numerics.censoring import concordance_counts
from abovechance.numerics.counts import centred, mean, one_against_rest
from abovechance.predictions import Survival

# ----------------------------------------------------------------------------------------------
# Regression and survival measures as the R package familiar 1.5.0 computes them.
#
# - The mean squared log error leaves out the cases whose logarithm does not exist, yet divides by
#   the number of all.
# - With constant outcomes, R² and explained variance are 1, and the relative errors 0, when there
#   is nothing to explain: all errors zero, or of zero variance for explained variance.
# - The concordance index does not compare an event and a censoring at the same time, and counts an
#   event at `tau` itself.
# ----------------------------------------------------------------------------------------------


def squared_log_error_dropping(outcome: Floats, value: Floats) -> Floats:
    """As familiar computes it: cases without a logarithm count as 0."""
    difference = (np.log1p(outcome) - np.log1p(value)) ** 2
    return np.where(np.isnan(difference), 0.0, difference)


def finite(found: Floats) -> Floats:
    return np.where(np.isfinite(found), found, np.nan)


def r2(outcome: Floats, value: Floats, weight: Floats | None, *, adjusted: int = 0) -> Floats:
    """As familiar computes it: 1 where outcomes are constant and no error is made."""
    found = regression.r2.formula(outcome, value, weight, adjusted=adjusted)
    return _where_constant(outcome, weight, outcome - value, 1.0, found)


def explained_variance(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    """As familiar computes it: 1 where outcomes are constant and errors too."""
    found = regression.explained_variance.formula(outcome, value, weight)
    return _where_constant(outcome, weight, centred(outcome - value, weight), 1.0, found)


def rae(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    """As familiar computes it: 0 where outcomes are constant and no error is made."""
    found = regression.rae.formula(outcome, value, weight)
    return _where_constant(outcome, weight, outcome - value, 0.0, found)


def rse(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    """As familiar computes it: 0 where outcomes are constant and no error is made."""
    found = regression.rse.formula(outcome, value, weight)
    return _where_constant(outcome, weight, outcome - value, 0.0, found)


def c_index(predictions: Survival, *, tau: float | None = None) -> float:
    """As familiar computes it: an event and a censoring at the same time are not compared."""
    within = True if tau is None else predictions.time <= tau
    pairs = concordance_counts(
        predictions.time,
        predictions.event & within,
        predictions.risk,
        event_censored_ties=False,
        weight=predictions.weight,
    )
    return share(pairs)


def _where_constant(
    outcome: Floats, weight: Floats | None, error: Floats, perfect: float, found: Floats
) -> Floats:
    """What is found, but `perfect` where the outcome is constant and there is no error."""
    nothing = mean(centred(outcome, weight) ** 2 + error**2, weight) == 0
    return np.where(nothing, perfect, found)


def _instead(formula: Formula, measure: Measure) -> Measure:
    return replace(measure, formula=formula, parameters=defaults(formula), dialect="familiar")


def _dropping(measure: Measure) -> Measure:
    return replace(_instead(squared_log_error_dropping, measure), after=finite)


def _inside(override: Callable[[Measure], Measure], measure: Measure) -> Measure:
    """The same change inside a trimmed or winsorised measure."""
    formula: Any = measure.formula
    return _instead(replace(formula, base=override(formula.base)), measure)


_PLAIN: dict[str, Callable[[Measure], Measure]] = {
    "msle": _dropping,
    "r2": partial(_instead, r2),
    "explained_variance": partial(_instead, explained_variance),
    "rae": partial(_instead, rae),
    "rse": partial(_instead, rse),
    "rrse": partial(_instead, rse),
}
OVERRIDES: dict[str, Callable[[Measure], Measure]] = {
    **_PLAIN,
    **{
        f"{name}_{suffix}": partial(_inside, override)
        for name, override in _PLAIN.items()
        for suffix in ("trim", "winsor")
    },
    "c_index": partial(_instead, c_index),
}


def as_familiar(measure: Measure) -> Measure:
    """A measure in familiar's dialect; the measure itself where there is no difference."""
    if measure.name in OVERRIDES:
        return OVERRIDES[measure.name](measure)
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
