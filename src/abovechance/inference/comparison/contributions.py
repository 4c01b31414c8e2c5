"""What every case contributes to a difference, for measures that are sums over the cases."""

from typing import Any

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.measures import Form, Law, Measure
from abovechance.measures.sample import COUNTING, Sample

ROUNDING = 1e-14  # of a loss: differences no larger are none


def contributions(measure: Measure, first: Any, second: Any) -> Floats:
    """Per-case parts of the difference of two models on the same cases; their sum is it.

    Mean losses are such sums (before a root, say, is taken of the mean). With the class sizes as
    they are so is every share of a class, and every mean of such shares.

    >>> from abovechance.measures import find
    >>> from abovechance.predictions import Binary
    >>> a, b = Binary([0, 1, 1], label=[0, 1, 1]), Binary([0, 1, 1], label=[1, 1, 0])
    >>> contributions(find("balanced_accuracy"), a, b)
    array([0.5 , 0.  , 0.25])
    """
    if measure.form is Form.LOSSES:
        one, other = measure.losses(first), measure.losses(second)
        if np.array_equal(one, other):
            return np.zeros(first.n)  # alike even where both are infinite
        with np.errstate(invalid="ignore"):
            apart = one - other
            level = np.maximum(np.abs(one), np.abs(other))
            apart[np.isfinite(apart) & (np.abs(apart) <= ROUNDING * level)] = (
                0.0  # alike but for rounding
            )
        return np.asarray(apart / first.n)
    weights = cell_weights(measure, first) if measure.form in COUNTING else None
    if weights is None:
        raise NotApplicable(
            f"{measure.title} is not a sum over the cases, so signs cannot be flipped; "
            "compare models with exchange()."
        )
    actual = classes_of(first)
    return weights[actual, labels_of(first)] - weights[actual, labels_of(second)]


def cell_weights(measure: Measure, predictions: Any) -> Floats | None:
    """What a case of a class (rows) called a class (columns) adds to a measure, sizes fixed.

    None when the measure is not linear in the table. The weights are found by moving one case at
    a time out of a table that calls every case by its class.
    """
    sizes = class_sizes(predictions)
    k = len(sizes)
    if measure.law is Law.CONDITIONAL and of_one_class(measure) is None:
        return None
    if measure.law not in (Law.SHARE, Law.CONDITIONAL, Law.BALANCED):
        return None
    right = np.diag(sizes.astype(np.float64))
    weights, each = np.zeros((k, k)), np.arange(k)
    for actual in np.flatnonzero(sizes > 0):  # one class at a time: K⁴ cells are soon too many
        moved = np.repeat(right[None], k, axis=0)
        moved[:, actual, actual] -= 1.0
        moved[each, actual, each] += 1.0
        weights[actual] = measure.on_counts(moved) - measure.on_counts(right)
    return weights if _linear(measure, weights, right) else None


def of_one_class(measure: Measure) -> Bools | None:
    """Which classes of a binary outcome a conditional share counts: [negatives, positives].

    None when its denominator depends on what was predicted, as that of predictive values does.

    >>> from abovechance.measures import find
    >>> of_one_class(find("sensitivity"))
    array([False,  True])
    >>> of_one_class(find("ppv")) is None
    True
    """
    if measure.form is not Form.CLASS_RATIO or measure.average is not None:
        return None
    tp, fp, fn, tn = np.eye(4)
    counted = np.asarray(measure.formula(tp, fp, fn, tn, **measure.parameters)[1]) > 0
    if counted[0] != counted[2] or counted[1] != counted[3]:
        return None
    return np.array([counted[1], counted[0]])


def right(predictions: Any) -> Bools:
    """Which cases are called by their class."""
    return np.asarray(labels_of(predictions) == classes_of(predictions))


def classes_of(predictions: Any) -> Any:
    """The class of every case, as a number."""
    return np.asarray(Sample.of(predictions).outcome, dtype=np.int64)


def labels_of(predictions: Any) -> Any:
    """The predicted class of every case, as a number."""
    return np.asarray(Sample.of(predictions).column("label"), dtype=np.int64)


def class_sizes(predictions: Any) -> Floats:
    """Number of cases of each class."""
    return np.bincount(classes_of(predictions), minlength=len(predictions.classes)).astype(float)


def _linear(measure: Measure, weights: Floats, right: Floats) -> bool:
    """Whether the weights also say what happens when half of every class is called otherwise."""
    k = len(right)
    spread = np.full((k, k), 0.5 / max(1, k - 1))
    np.fill_diagonal(spread, 0.5)
    table = np.diag(right)[:, None] * spread
    expected = measure.on_counts(right) + (weights * table).sum()
    return bool(np.isclose(measure.on_counts(table), expected, rtol=1e-9, atol=1e-12))
