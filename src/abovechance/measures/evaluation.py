"""From a measure and predictions to numbers, one at a time or many resamples at once."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.averaging import averaged, class_values
from abovechance.measures.measure import Form, Measure
from abovechance.numerics.counts import confusion, one_against_rest, weighted_mean
from abovechance.numerics.ranks import pair_aucs, tied_groups
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival, View
from abovechance.predictions.base import must_be_predictions

COUNTING = (Form.COUNTS, Form.CLASS_RATIO, Form.CLASS_VALUE)
ROUNDING = 1e-12  # how far sums of weights may lead outside a measure's range
BATCH_CELLS = 1 << 22  # how many numbers a batch may spread over before it is cut in slices


def obstacle(measure: Measure, predictions: Predictions) -> str | None:
    """Why a measure cannot be computed from these predictions, or None."""
    kind = predictions.kind
    if kind not in measure.outcomes:
        return f"{measure.title} is for {_and(sorted(measure.outcomes))} outcomes, not {kind}."
    if measure.reads not in predictions.views:
        return f"{measure.title} needs a predicted {measure.reads}; there is none here."
    if predictions.cases.sample_weight is not None and not measure.weighted:
        return f"{measure.title} has no weighted form."
    return None


def value(measure: Measure, predictions: Predictions) -> float:
    """The value of a measure, `nan` where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _value(measure, predictions)


def per_output(measure: Measure, predictions: Numeric) -> Floats:
    """The value of a measure for each output of numeric predictions.

    Parameters
    ----------
    measure
        A measure of numbers, such as `mae`.
    predictions
        Predictions made with `Numeric`.

    Returns
    -------
    array
        One value per output, in the order of `predictions.outputs`.

    Raises
    ------
    NotApplicable
        If the measure is not one of numbers.

    See Also
    --------
    per_class : for several classes.

    Examples
    --------
    >>> from abovechance import Numeric, measures
    >>> two = Numeric([[1.0, 10.0], [2.0, 20.0]], [[1.5, 10.0], [2.0, 24.0]])
    >>> per_output(measures.mae, two)
    array([0.25, 2. ])
    """
    measure = fit(measure, predictions)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.atleast_1d(_uncounted(measure, predictions, predictions.weight, whole=False))


def per_class(measure: Measure, predictions: Binary | Multiclass) -> Floats:
    """The value of each class against the rest, for measures of one class.

    Parameters
    ----------
    measure
        A measure of one class, such as `sensitivity`.
    predictions
        Predictions of classes.

    Returns
    -------
    array
        One value per class, in the order of `predictions.classes`.

    Raises
    ------
    NotApplicable
        If the measure is not one of a single class.

    See Also
    --------
    per_output : for several outputs.

    Examples
    --------
    >>> from abovechance import Multiclass, measures
    >>> three = Multiclass(["a", "b", "c", "c"], label=["a", "b", "b", "c"])
    >>> per_class(measures.sensitivity, three)
    array([1. , 1. , 0.5])
    """
    measure = fit(measure, predictions)
    if measure.form not in (Form.CLASS_RATIO, Form.CLASS_VALUE):
        raise NotApplicable(f"{measure.title} has no value per class.")
    with np.errstate(divide="ignore", invalid="ignore"):
        return class_values(measure, *predictions.class_counts)


def batch(measure: Measure, predictions: Predictions, weights: Floats) -> Floats:
    """The values under many weightings of the cases, one a row of `weights` (B, n)."""
    measure = fit(measure, predictions)
    if measure.needs_index_draws:
        raise NotApplicable(f"{measure.title} cannot be reweighted; draw cases by index.")
    rows = max(1, BATCH_CELLS // max(1, predictions.n))
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            _batch(measure, predictions, weights[start : start + rows])
            for start in range(0, len(weights), rows)
        ]
    return np.concatenate(parts)


def losses(measure: Measure, predictions: Predictions) -> Floats:
    """One loss a case, whose weighted mean (through `after`) is the value."""
    measure = fit(measure, predictions)
    if measure.form is not Form.LOSSES:
        raise NotApplicable(f"{measure.title} has no per-case losses.")
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(measure.formula(*_pair(measure, predictions), **measure.parameters))
    return found.mean(axis=0) if found.ndim > 1 else found


def on_counts(measure: Measure, table: Floats) -> Floats:
    """The values of confusion tables (…, K, K); two classes: the second is positive."""
    if measure.form not in COUNTING:
        raise NotApplicable(f"{measure.title} is no function of a confusion table.")
    if table.shape[-1] > 2:
        measure = measure.for_outcome("multiclass")
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.form is Form.COUNTS:
            return _after(measure, measure.formula(table, **measure.parameters))
        return _class_average(measure, one_against_rest(table))


def evaluate(
    predictions: Predictions, measures: str | Measure | Iterable[Measure | str] | None = None
) -> dict[str, float]:
    """Values of measures of some predictions, by name.

    Work that measures share (one sort, one count) is done once.

    Parameters
    ----------
    predictions
        Predictions of any kind.
    measures
        Names or measures; all applicable ones when not given.

    Returns
    -------
    dict
        From name to value; `nan` where a measure is undefined.

    Raises
    ------
    UnknownMeasure
        If no measure goes by a name.
    NotApplicable
        If a measure that was named cannot be computed from these predictions.

    See Also
    --------
    abovechance.assess : with intervals and tests.

    Examples
    --------
    >>> from abovechance.predictions import Binary
    >>> evaluate(Binary([0, 1, 1], label=[0, 1, 0]), ["accuracy", "sensitivity"])
    {'accuracy': 0.667, 'sensitivity': 0.5}
    """
    from abovechance.measures.catalogue import applicable, named

    must_be_predictions(predictions)
    chosen = applicable(predictions) if measures is None else named(measures)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {m.label: _value(m, predictions) for m in chosen}


def fit(measure: Measure, predictions: Predictions) -> Measure:
    """The version of a measure for these predictions, or the reason why there is none."""
    measure = measure.for_outcome(predictions.kind)
    reason = obstacle(measure, predictions)
    if reason is not None:
        raise NotApplicable(reason)
    return measure


def _value(measure: Measure, predictions: Predictions) -> float:
    measure = fit(measure, predictions)
    shortcut = measure.shortcut if predictions.weight is None else None
    if shortcut is not None and (measure.form is not Form.COUNTS or predictions.kind == "binary"):
        found = shortcut(predictions)
    elif measure.form in COUNTING:
        found = float(_counted(measure, predictions))
    else:
        found = float(np.mean(_uncounted(measure, predictions, predictions.weight)))
    low, high = measure.range
    if not low <= found <= high:
        return float(_without_rounding(measure, np.asarray(found)))
    return found


def _counted(measure: Measure, predictions: Any) -> Any:
    if measure.form is Form.COUNTS:
        return _after(measure, measure.formula(predictions.confusion, **measure.parameters))
    counts = predictions.class_counts
    if measure.average is None:
        tp, fp, fn, tn = (c[1] for c in counts)
        found = measure.formula(tp, fp, fn, tn, **measure.parameters)
        if measure.form is Form.CLASS_RATIO:
            found = np.divide(*found)
        return _after(measure, found)
    return _class_average(measure, counts)


def _class_average(measure: Measure, counts: tuple[Floats, Floats, Floats, Floats]) -> Floats:
    if measure.average is None:
        return class_values(measure, *(c[..., 1] for c in counts))
    return averaged(measure, *counts)


def _uncounted(measure: Measure, predictions: Any, weight: Any, whole: bool = True) -> Any:
    if measure.form is Form.CENSORED:
        return measure.formula(predictions, **measure.parameters)
    if measure.form is Form.RANKS:
        ranked = (
            predictions.ranked
            if weight is predictions.weight
            else tied_groups(predictions.ranking, predictions.positive, weight)
        )
        return _after(measure, measure.formula(ranked, **measure.parameters))
    if measure.form is Form.PAIR_AUCS:
        if weight is predictions.weight:
            areas, shares = predictions.pair_aucs, predictions.prevalences
        else:
            areas, shares = _reweighted_areas(predictions, weight)
        return _after(measure, measure.formula(areas, shares, **measure.parameters))
    outcome, prediction = _pair(measure, predictions)
    if weight is not None and isinstance(predictions, Numeric) and outcome.ndim == 2:
        weight = weight[..., None, :]
    if measure.form is Form.LOSSES:
        found = measure.formula(outcome, prediction, **measure.parameters)
        return _after(measure, weighted_mean(found, weight))
    if measure.form is Form.DRAWS:
        outcome, prediction, weight = _spelled_out(measure, predictions, outcome, prediction)
        if outcome.ndim == 1:
            return measure.formula(outcome, prediction, weight, **measure.parameters)
        return np.array(
            [
                measure.formula(o, p, weight, **measure.parameters)
                for o, p in zip(outcome, prediction, strict=True)
            ]
        )
    found = measure.formula(outcome, prediction, weight, **measure.parameters)
    if measure.many_outputs and whole:
        found = np.mean(found, axis=-1)
    return _after(measure, found)


def _batch(measure: Measure, predictions: Any, weights: Floats) -> Floats:
    if measure.form in COUNTING:
        actual = predictions.positive if isinstance(predictions, Binary) else predictions.actual
        k = 2 if isinstance(predictions, Binary) else len(predictions.classes)
        table = confusion(actual.astype(np.int64), predictions.label.astype(np.int64), k, weights)
        return on_counts(measure, table)
    found = np.asarray(_uncounted(measure, predictions, weights))
    return _without_rounding(measure, found.mean(axis=-1) if found.ndim > 1 else found)


def _without_rounding(measure: Measure, found: Floats) -> Floats:
    """Values that only rounding puts outside a measure's range, at its ends; others as they are."""
    low, high = measure.range
    ends = [abs(end) for end in (low, high) if np.isfinite(end)]
    slack = ROUNDING * max([1.0, *ends])
    found = np.where((found > high) & (found <= high + slack), high, found)
    return np.where((found < low) & (found >= low - slack), low, found)


def _pair(measure: Measure, predictions: Any) -> tuple[Any, Any]:
    """Outcome and prediction as a formula takes them, cases last."""
    if isinstance(predictions, Numeric):
        single = len(predictions.outputs) == 1 and not measure.many_outputs
        if single:
            return predictions.outcome[0], predictions.value[0]
        return predictions.outcome, predictions.value
    if isinstance(predictions, Multiclass):
        k = len(predictions.classes)
        onehot = (predictions.actual == np.arange(k)[:, None]).astype(np.float64)
        return onehot, predictions.probability
    if isinstance(predictions, Survival):
        raise NotApplicable(f"{measure.title} is not for survival outcomes.")
    outcome = predictions.positive.astype(np.float64)
    if measure.reads is View.PROBABILITY:
        return outcome, predictions.probability
    return outcome, predictions.ranking


def _spelled_out(measure: Measure, predictions: Any, outcome: Floats, prediction: Floats) -> Any:
    """Frequencies repeated row by row where a formula knows no weights."""
    counts = predictions.cases.counts
    if counts is None or measure.weighted:
        return outcome, prediction, predictions.weight
    times = counts.astype(np.int64)
    return np.repeat(outcome, times, axis=-1), np.repeat(prediction, times, axis=-1), None


def _reweighted_areas(predictions: Any, weights: Floats) -> tuple[Floats, Floats]:
    k = len(predictions.classes)
    rows = max(1, BATCH_CELLS // (k * weights.shape[-1]))
    parts = [weights[start : start + rows] for start in range(0, len(weights), rows)]
    areas = [pair_aucs(predictions.probability, predictions.actual, k, part) for part in parts]
    onehot = predictions.actual == np.arange(k)[:, None]
    shares = weights @ onehot.T / weights.sum(axis=-1, keepdims=True)
    return np.concatenate(areas), shares


def _after(measure: Measure, found: Any) -> Any:
    return found if measure.after is None else measure.after(found)


def _and(names: list[str]) -> str:
    return " and ".join(names)
