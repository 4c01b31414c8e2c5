"""Regression and survival measures as the R package familiar 1.5.0 computes them.

- The mean squared log error leaves out the cases whose logarithm does not exist, yet divides by
  the number of all.
- With constant outcomes, R² and explained variance are 1, and the relative errors 0, when there
  is nothing to explain: all errors zero, or of zero variance for explained variance.
- The concordance index does not compare an event and a censoring at the same time, and counts an
  event at `tau` itself.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures import relative
from abovechance.measures.measure import Formula, Measure, defaults
from abovechance.measures.moments import centred, mean
from abovechance.measures.survival import share
from abovechance.numerics.censoring import concordance_counts
from abovechance.predictions import Survival


def squared_log_error_dropping(outcome: Floats, value: Floats) -> Floats:
    """As familiar computes it: cases without a logarithm count as 0."""
    difference = (np.log1p(outcome) - np.log1p(value)) ** 2
    return np.where(np.isnan(difference), 0.0, difference)


def finite(found: Floats) -> Floats:
    return np.where(np.isfinite(found), found, np.nan)


def r2(outcome: Floats, value: Floats, weight: Floats | None, *, adjusted: int = 0) -> Floats:
    """As familiar computes it: 1 where outcomes are constant and no error is made."""
    found = relative.r2.formula(outcome, value, weight, adjusted=adjusted)
    return _where_constant(outcome, weight, outcome - value, 1.0, found)


def explained_variance(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    """As familiar computes it: 1 where outcomes are constant and errors too."""
    found = relative.explained_variance.formula(outcome, value, weight)
    return _where_constant(outcome, weight, centred(outcome - value, weight), 1.0, found)


def rae(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    """As familiar computes it: 0 where outcomes are constant and no error is made."""
    found = relative.rae.formula(outcome, value, weight)
    return _where_constant(outcome, weight, outcome - value, 0.0, found)


def rse(outcome: Floats, value: Floats, weight: Floats | None) -> Floats:
    """As familiar computes it: 0 where outcomes are constant and no error is made."""
    found = relative.rse.formula(outcome, value, weight)
    return _where_constant(outcome, weight, outcome - value, 0.0, found)


def c_index(predictions: Survival, *, tau: float | None = None) -> float:
    """As familiar computes it: an event and a censoring at the same time are not compared."""
    assert predictions.risk is not None
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
