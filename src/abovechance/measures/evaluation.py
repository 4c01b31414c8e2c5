"""From a measure and predictions to numbers, one at a time or many resamples at once."""

from collections.abc import Iterable

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.gate import gated
from abovechance.measures.measure import Form, Measure
from abovechance.measures.sample import COUNTING as COUNTING
from abovechance.measures.sample import Sample, case_losses, class_values, single, without_rounding
from abovechance.measures.sample import evaluate as of_sample
from abovechance.measures.sample import on_counts as on_counts
from abovechance.measures.utility import at_threshold
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions
from abovechance.predictions.base import must_be_predictions


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
    """The value of a measure, `nan` where it is undefined; found once for the same predictions."""
    found: float | None = predictions.derived.get(measure)
    if found is None:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = predictions.derived[measure] = _value(measure, predictions)
    return found


@gated
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
    if not measure.many_outputs:
        alone = (predictions.output(d) for d in range(len(predictions.outputs)))
        return np.array([value(measure, one) for one in alone])
    sample = Sample.of(predictions)
    columns = sample.formula_columns(measure)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = sample.formula_weight(measure)
        found = measure.formula(*columns, weight, **measure.parameters)
        return np.atleast_1d(found if measure.after is None else measure.after(found))


@gated
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
    """The values under many weightings of the cases, one per row of `weights` (B, n)."""
    measure = fit(measure, predictions)
    if measure.needs_index_draws:
        raise NotApplicable(f"{measure.title} cannot be reweighted; draw cases by index.")
    return of_sample(measure, Sample.of(predictions).reweighted(weights))


def losses(measure: Measure, predictions: Predictions) -> Floats:
    """One loss per case, whose weighted mean (through `after`) is the value."""
    measure = fit(measure, predictions)
    if measure.form is not Form.LOSSES:
        raise NotApplicable(f"{measure.title} has no per-case losses.")
    with np.errstate(divide="ignore", invalid="ignore"):
        found = case_losses(measure, Sample.of(predictions))
    return found.mean(axis=0) if found.ndim > 1 else found


@gated
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
    chosen = [at_threshold(m, predictions) for m in chosen]
    return {m.label: value(m, predictions) for m in chosen}


def fit(measure: Measure, predictions: Predictions) -> Measure:
    """The version of a measure for these predictions, or the reason why there is none."""
    key = ("fit", measure)
    known: Measure | None = predictions.derived.get(key)  # asked again for every value
    if known is not None:
        return known
    found = measure.for_outcome(predictions.kind)
    reason = obstacle(found, predictions)
    if reason is not None:
        raise NotApplicable(reason)
    predictions.derived[key] = found
    return found


def _value(measure: Measure, predictions: Predictions) -> float:
    measure = fit(measure, predictions)
    shortcut = measure.shortcut if predictions.weight is None else None
    if shortcut is not None and (measure.form is not Form.COUNTS or predictions.kind == "binary"):
        found = float(shortcut(predictions))
        low, high = measure.range
        return (
            found if low <= found <= high else float(without_rounding(measure, np.asarray(found)))
        )
    shares = measure.distances is not None  # one smooth curve serves several measures
    return single(measure, Sample.of(predictions) if shares else Sample.unkept(predictions))


def _and(names: list[str]) -> str:
    return " and ".join(names)
