"""Confusion tables and priors as they come: counts, predictions, one table per fold."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import DataError, NotApplicable, shown
from abovechance.inference.method import pooled

Prior = float | str | Sequence[float]
NAMED = {"flat": 1.0, "jeffreys": 0.5}


def counts_of(confusion: Any) -> Floats:
    """One K × K table of counts, rows actual and columns predicted.

    A stack of tables, or several predictions, such as one per fold, is summed.

    >>> counts_of([[[4, 1], [0, 5]], [[5, 0], [1, 4]]])
    array([[9., 1.],
           [1., 9.]])
    """
    if hasattr(confusion, "confusion"):
        return _of_predictions(confusion)
    if isinstance(confusion, list | tuple) and any(hasattr(c, "confusion") for c in confusion):
        return np.asarray(np.sum([counts_of(fold) for fold in confusion], axis=0))
    try:
        table = np.asarray(confusion, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("a confusion table must hold counts, as many columns as rows.") from None
    if table.ndim == 3:
        table = table.sum(axis=0)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
        shape = " × ".join(str(size) for size in table.shape) or "a number"
        raise DataError(
            f"a confusion table has one row and one column per class; got {shape}. "
            "Rows are the actual classes, columns the predicted ones."
        )
    return whole("a confusion table", table)


def _of_predictions(predictions: Any) -> Floats:
    refuse_dependent(predictions)
    return whole("a confusion table", np.asarray(predictions.confusion, dtype=np.float64))


def advice_on(*given: Any) -> tuple[Advice, ...]:
    """What to know of predictions that were summed over the folds of a cross-validation.

    >>> from abovechance.predictions import Binary
    >>> [a.code for a in advice_on(Binary([0, 1, 0, 1], label=[0, 1, 1, 1], fold=[1, 1, 2, 2]))]
    ['AC260']
    """
    if not any(_of_folds(side) for side in given):
        return ()
    text = (
        "cases of different folds are counted as if independent, and their models share training "
        "cases: the posterior is narrower than what is known of the algorithm."
    )
    return (Advice("AC260", text, "Bengio & Grandvalet (2004)"),)


def _of_folds(given: Any) -> bool:
    """Whether predictions, or a list of them, come from several folds."""
    if isinstance(given, list | tuple):
        return len(given) > 1 and any(getattr(p, "origin", "test") != "test" for p in given)
    return hasattr(given, "origin") and pooled(given)


def refuse_dependent(predictions: Any) -> None:
    """Cases that a posterior would count more often than they are known.

    Predictions of one cross-validation are summed over its folds, each case being predicted once.
    """
    cases = predictions.cases
    if cases.sample_weight is not None:
        raise NotApplicable(
            "a posterior counts cases; sampling weights are not counts. "
            "Use a bootstrap interval, or give frequencies as counts=."
        )
    if cases.groups is not None and len(np.unique(cases.groups)) > 1:
        raise NotApplicable(
            "a posterior counts independent cases, and those of a cluster (groups) may depend on "
            "each other. Give one table per cluster to posterior.hierarchical."
        )
    if predictions.origin == "repeated_cv":
        raise NotApplicable(
            "a posterior counts every case once, and repeats predict it several times. "
            "Take the predictions of one repeat."
        )


def number_of(name: str, value: Any) -> float:
    """One number; refused where it is none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise DataError(f"{name} must be a number of cases; got {shown(value)}.")
    return float(value)


def numbers_in(name: str, table: Any) -> Floats:
    """A table of numbers of any shape; refused where it holds something else."""
    try:
        return np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must hold numbers of cases; got {shown(table)}.") from None


def whole(name: str, counts: Floats) -> Floats:
    """Counts, refused unless they are whole numbers from 0 up."""
    bad = ~(np.isfinite(counts) & (counts >= 0) & (counts == np.round(counts)))
    if bad.any():
        raise DataError(
            f"{name} must hold whole numbers, 0 or more; got {counts[bad].flat[0]:g}. "
            "A posterior needs counts of cases, not shares or weighted sums."
        )
    return counts


def two_shapes(prior: Prior) -> tuple[float, float]:
    """The prior of a share: what is added to the right and to the wrong cases.

    >>> two_shapes("jeffreys"), two_shapes(1), two_shapes((2, 1))
    ((0.5, 0.5), (1.0, 1.0), (2.0, 1.0))
    """
    value = NAMED.get(prior, prior) if isinstance(prior, str) else prior
    pair = (value, value) if isinstance(value, int | float) else value
    try:
        right, wrong = (float(shape) for shape in pair)
    except (TypeError, ValueError):
        right = wrong = float("nan")
    if not (0.0 < right < np.inf and 0.0 < wrong < np.inf):
        raise DataError(
            "prior must be a positive number, two of them (for right and wrong), 'flat' or "
            f"'jeffreys'; got {shown(prior)}."
        )
    return right, wrong


def one_shape(prior: Prior) -> float:
    """The prior of a table: what is added to each of its cells."""
    right, wrong = two_shapes(prior)
    if right != wrong:
        raise DataError(f"a Dirichlet prior adds the same to every cell; got {shown(prior)}.")
    return right


def class_weights(weights: Any, classes: int) -> Floats:
    """Weights of the classes, made to sum to 1; equal when not given."""
    if weights is None:
        return np.full(classes, 1.0 / classes)
    given = np.asarray(weights, dtype=np.float64)
    if (
        given.shape != (classes,)
        or not (np.isfinite(given) & (given >= 0)).all()
        or not given.any()
    ):
        raise DataError(
            f"weights must be {classes} numbers, one per class, none negative and not all 0; "
            f"got {weights!r}."
        )
    return given / given.sum()
