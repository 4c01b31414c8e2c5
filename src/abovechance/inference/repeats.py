"""Are the rows as many cases as they are? Rows that occur again and again seldom are."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival

FEW = 20  # distinct rows, below which repetition is no wonder
OFTEN = 10  # times that rows occur on average, from which they are remarked on
COARSE = 1000  # steps of a scale so coarse that equal predictions are no wonder


def advice_on_repeats(predictions: Predictions, *others: Predictions) -> Iterator[Advice]:
    """A remark on rows that look like copies, if they do."""
    told = repeated_rows(predictions, *others)
    if told:
        yield Advice("AC004", told)


def repeated_rows(predictions: Predictions, *others: Predictions) -> str:
    """What there is to say of rows that occur several times, outcome and prediction alike.

    With `others`, which predicted the same cases, a row holds what all of them predicted.
    Of rows that stand for several cases, come in clusters or were predicted repeatedly nothing is
    said, nor of labels and of predictions on a coarse scale: they are bound to occur again.
    """
    cases = predictions.cases
    if cases.counts is not None or cases.groups is not None or predictions.origin != "test":
        return ""
    columns = _columns(predictions)
    columns += [column for other in others for column in _columns(other)]
    if not columns or all(_coarse(column) for column in columns[1:]):
        return ""
    times = _times(columns)
    n, distinct = predictions.n, times.size
    if distinct < FEW or n < 2 * distinct:
        return ""
    each = int(np.gcd.reduce(times))
    if each > 1:
        return (
            f"every row, outcome and prediction, occurs {each} times or a multiple of it: "
            f"{n} rows hold {distinct} different ones. If they are copies, intervals and p-values "
            "claim too much: keep each case once."
        )
    if n < OFTEN * distinct:
        return ""
    return (
        f"{n} rows hold only {distinct} different ones, outcome and prediction together: if cases "
        "were drawn or copied repeatedly, intervals and p-values claim too much. A tree, which "
        "predicts few values, gives the same picture."
    )


def _columns(predictions: Any) -> list[Array]:
    """Outcome first, then what was predicted; nothing where only labels were."""
    if isinstance(predictions, Binary):
        given = predictions.ranking
        return [] if given is None else [predictions.positive, given]
    if isinstance(predictions, Multiclass):
        given = predictions.probability
        return [] if given is None else [predictions.actual, *given]
    if isinstance(predictions, Numeric):
        return [*predictions.outcome, *predictions.value]
    if isinstance(predictions, Survival):
        curves = [] if predictions.survival is None else list(predictions.survival)
        return [predictions.time, predictions.event, predictions.risk, *curves]
    return []


def _coarse(column: Array) -> bool:
    """Whether all values lie on a grid of few steps from the least to the largest."""
    values = np.unique(np.asarray(column, dtype=np.float64))
    if values.size <= FEW:
        return True
    if not np.isfinite(values).all():
        return False
    steps = (values - values[0]) / np.diff(values).min()
    return bool(steps[-1] <= COARSE and np.allclose(steps, np.round(steps), atol=1e-6))


def _times(columns: list[Array]) -> Array:
    """How often each different row occurs; rows are told apart by a sum with odd weights."""
    weights = np.sqrt(np.arange(len(columns)) * 2.0 + 2.0) * np.pi
    ranks = [np.unique(column, return_inverse=True)[1] for column in columns]
    key = sum(w * rank for w, rank in zip(weights, ranks, strict=True))
    return np.unique(key, return_counts=True)[1]
