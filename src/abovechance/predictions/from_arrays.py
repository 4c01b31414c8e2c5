"""From plain arrays to the kind of predictions they can only be; what could be two kinds asks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import DataError, listed
from abovechance.predictions import checks
from abovechance.predictions.base import Predictions
from abovechance.predictions.binary import Binary
from abovechance.predictions.multiclass import Multiclass, named_columns
from abovechance.predictions.numeric import Numeric
from abovechance.predictions.time_to_event import Survival

KINDS = ("probability", "score", "label", "value")
CENSORED = ("risk", "predicted_time", "survival")
ABOUT_CLASSES = ("pos_label", "labels", "threshold")
FACTS = (
    *KINDS,
    *CENSORED,
    *ABOUT_CLASSES,
    "outputs",
    "times",
    "censoring",
    "id",
    "fold",
    "repeat",
    "groups",
    "sample_weight",
    "counts",
    "order",
    "origin",
    "missing",
)


def inferred(y_true: Any, prediction: Any = None, **facts: Any) -> Predictions:
    """Predictions of the kind that outcome and prediction show.

    Parameters
    ----------
    y_true, prediction
        Observed first, predicted second. Two classes with numbers in [0, 1]: probabilities; with
        other numbers: a score; with classes: labels. A column per class: probabilities. Numbers
        that are not whole: numbers. With `risk`, `predicted_time` or `survival` the two are time
        and event.
    facts
        probability=, score=, label= or value= instead of `prediction` say its kind; everything
        else as in `Binary`, `Multiclass`, `Numeric` and `Survival`.

    Examples
    --------
    >>> inferred([0, 1, 1], [0.2, 0.9, 0.6])
    Binary(3 cases; label, probability, score; origin test)
    >>> inferred([1.5, 2.0, 2.5], [1, 2, 3])
    Numeric(3 cases; value; origin test)
    """
    facts = {name: value for name, value in facts.items() if value is not None}
    y_true, prediction = _one_column(y_true), _one_column(prediction)
    if any(name in facts for name in CENSORED):
        return Survival(y_true, prediction, **facts)
    stated = [name for name in KINDS if name in facts]
    if stated and prediction is not None:
        raise DataError(f"give a prediction or {stated[0]}=, not both.")
    if stated:
        return _of_stated(y_true, stated, facts)
    if prediction is None:
        raise DataError(
            "nothing was predicted; give the prediction after y_true, or probability=, score=, "
            "label= or value=."
        )
    kind, column = _kind(y_true, prediction, facts)
    made = _of_stated(y_true, [kind], {**facts, kind: column})
    return made.with_notes(described=_described(made, kind))


def _one_column(values: Any) -> Any:
    """A table of one column as that column."""
    if isinstance(values, Mapping) or checks.unmasked(values, "y_true").shape[1:] != (1,):
        return values
    return values.iloc[:, 0] if hasattr(values, "iloc") else np.asarray(values)[:, 0]


def _of_stated(y_true: Any, stated: list[str], facts: dict[str, Any]) -> Predictions:
    """Predictions whose kinds of prediction are said."""
    if "value" in stated:
        return Numeric(y_true, **facts)
    probability: Any = facts.get("probability")
    label = facts.get("label")
    table = isinstance(probability, Mapping) or checks.axes(probability) == 2
    if not table and ("score" in stated or probability is not None):
        return Binary(y_true, **facts)
    outcome = checks.vector("outcome", y_true)
    labels = facts.get("labels")
    seen = _classes(outcome, label) if labels is None else checks.names("labels", labels)
    if table:
        names, columns = _named(probability, facts.get("labels"))
        if len(columns) == 2 and len(seen) <= 2:
            facts = {k: v for k, v in facts.items() if k != "labels"}
            column = _of_positive(outcome, names, columns, facts.get("pos_label"))
            return Binary(y_true, **{**facts, "probability": column})
    elif len(seen) <= 2:
        return Binary(y_true, **facts)
    if "threshold" in facts:
        raise DataError(f"threshold is for two classes; found {len(seen)}: {listed(seen)}.")
    positive = facts.pop("pos_label", None)
    several = Multiclass(y_true, **facts)
    return several if positive is None else several.against_rest(positive)


def _kind(y_true: Any, prediction: Any, facts: Mapping[str, Any]) -> tuple[str, Any]:
    """Which kind of prediction this is, and its column."""
    if isinstance(prediction, Mapping):
        return "probability", prediction
    if checks.axes(y_true) == 2:
        return "value", prediction
    outcome, predicted = checks.vector("outcome", y_true), checks.unmasked(prediction)
    if predicted.ndim == 2:
        return ("value" if _fractions(outcome) else "probability"), prediction
    predicted = checks.vector("prediction", prediction)
    checks.same_length({"outcome": outcome, "prediction": predicted})
    if not len(outcome):
        raise DataError("there must be at least one case; got 0 rows.")
    labels: Any = facts.get("labels")
    two = (labels is not None and len(checks.names("labels", labels)) == 2) or "threshold" in facts
    if two or "pos_label" in facts:
        return _of_two_classes(_classes(outcome), predicted), prediction
    if _fractions(outcome):
        return "value", prediction
    classes = _classes(outcome)
    if checks.is_zero_one(_present(outcome)):
        return _of_two_classes([0, 1], predicted), prediction
    if outcome.dtype.kind not in "iuf":
        return _of_words(classes, predicted), prediction
    if len(classes) > 2 and _fractions(predicted):
        return "value", prediction
    if len(classes) <= 2 and (_among(predicted, classes) or _unit(predicted)):
        return _of_two_classes(classes, predicted), prediction
    raise DataError(
        "whole numbers can be classes or quantities; say which: label= for predicted classes, "
        "value= for predicted numbers."
    )


def _of_words(classes: list[Any], predicted: Array) -> str:
    if predicted.dtype.kind not in "iuf" or _among(predicted, classes):
        return "label"
    if len(classes) > 2:
        raise DataError(
            f"one column of numbers cannot predict {len(classes)} classes; give one probability "
            "per class (cases × classes, with labels=), or predicted classes."
        )
    return _of_two_classes(classes, predicted)


def _of_two_classes(classes: list[Any], predicted: Array) -> str:
    """Labels, probabilities or a score, of a class against another."""
    if predicted.dtype.kind not in "iuf" or _among(predicted, classes):
        return "label"
    known = _present(predicted)
    low, high = float(known.min()), float(known.max())
    if low >= -checks.ROUNDING and high <= 1.0 + checks.ROUNDING:
        return "probability"
    if low >= 0.0 and 5.0 < high <= checks.LARGEST_PERCENT:
        raise DataError(
            f"predictions from {low:g} to {high:g} can be percentages or scores; divide "
            "percentages by 100, pass scores as score=."
        )
    return "score"


def _named(probability: Any, labels: Any) -> tuple[list[Any] | None, list[Any]]:
    """Names and columns of a table of probabilities, as it came."""
    names = named_columns(probability)
    if names is not None:
        return names, [probability[name] for name in names]
    table = probability if hasattr(probability, "iloc") else checks.unmasked(probability)
    rows = getattr(table, "iloc", table)
    columns = [rows[:, k] for k in range(table.shape[1])]
    return (None if labels is None else list(labels)), columns


def _of_positive(outcome: Array, names: list[Any] | None, columns: list[Any], positive: Any) -> Any:
    """The column of the positive class of two."""
    if names is None and checks.is_zero_one(_present(outcome)):
        names = [0, 1]
    if names is None:
        raise DataError(
            "labels must say which class each of the 2 columns of probability belongs to; the "
            f"classes are {listed(_classes(outcome))}. Pass labels=."
        )
    if positive is None and not checks.is_zero_one(_present(outcome)):
        raise DataError(
            f"pos_label must say which class is positive; the classes are {listed(names)}. "
            f"Pass pos_label={names[-1]!r}, for instance."
        )
    wanted = 1 if positive is None else positive
    at = [k for k, name in enumerate(names) if checks.same_label(name, wanted)]
    if not at:
        raise DataError(f"pos_label must be one of {listed(names)}; got {wanted!r}.")
    return columns[at[0]]


def _present(values: Array) -> Array:
    gone = checks.missing_mask(values)
    return values if gone is None else values[~gone]


def _classes(outcome: Array, label: Any = None) -> list[Any]:
    found = checks.distinct(_present(outcome))
    if label is None:
        return found
    more = checks.distinct(_present(checks.vector("label", label)))
    return found + [c for c in more if not any(checks.same_label(c, known) for known in found)]


def _among(predicted: Array, classes: list[Any]) -> bool:
    values = np.unique(_present(predicted)).tolist()
    return all(any(checks.same_label(v, c) for c in classes) for v in values[: len(classes) + 1])


def _unit(values: Array) -> bool:
    known = _present(values)
    return known.dtype.kind in "iuf" and bool(known.min() >= 0.0 and known.max() <= 1.0)


def _fractions(values: Array) -> bool:
    known = _present(values)
    return known.dtype.kind == "f" and bool((known != np.round(known)).any())


def _described(made: Predictions, kind: str) -> str:
    """What was taken for what, as the first line of a result tells it."""
    if isinstance(made, Binary):
        words = {
            "probability": f"probabilities of {made.pos_label}",
            "score": f"scores, higher for {made.pos_label}",
            "label": f"labels, {made.pos_label} positive",
        }[kind]
    else:
        words = {"probability": "probabilities per class", "label": "labels"}.get(kind, "numbers")
    return f"y_true, predictions taken for {words}; {made.n} rows"
