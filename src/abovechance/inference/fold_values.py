"""Measures of many labellings of two classes at once: fold by fold, then their mean."""

from dataclasses import replace

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.measures import Measure
from abovechance.measures.measure import Form, Law
from abovechance.measures.sample import COUNTING, Sample, evaluate, last_true

BATCHED = (*COUNTING, Form.RANKS, Form.LOSSES)
TIED = 1e-9  # probabilities whose log-odds differ by no more differ by rounding


def over_classes(measure: Measure) -> bool:
    """Whether a measure is a mean over classes, and so another one where a class is missing.

    >>> from abovechance.measures import find
    >>> [over_classes(find(name)) for name in ("balanced_accuracy", "accuracy", "sensitivity")]
    [True, False, False]
    """
    averaged = measure.law is Law.BALANCED or measure.average == "macro"
    return averaged or measure.form is Form.PAIR_AUCS


def levelled(probability: Floats) -> Floats:
    """Probabilities (…, n) in which those that differ by rounding only are equal.

    Two roads to one probability end a few last digits apart, and a rank must not depend on the
    road. None is moved to the other side of one half.

    >>> levelled(np.array([0.3, 0.6, 0.3 + 1e-12])) - 0.3
    array([0. , 0.3, 0. ])
    """
    order = np.argsort(probability, axis=-1, kind="stable")
    ordered = np.take_along_axis(probability, order, axis=-1)
    side = np.sign(ordered - 0.5)
    room = TIED * np.minimum(ordered, 1 - ordered)[..., 1:]
    new = np.ones(ordered.shape, dtype=bool)
    new[..., 1:] = (np.diff(ordered, axis=-1) > room) | (np.diff(side, axis=-1) != 0)
    level = np.empty_like(ordered)
    first = last_true(new)
    np.put_along_axis(level, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return level


def fold_means(measure: Measure, sample: Sample) -> Floats:
    """Mean over folds of every labelling (B,); of all cases where a fold leaves it undefined.

    A mean over classes is undefined in a fold that lacks one.
    """
    values, there = evaluate(measure, sample), sample.fold_sizes > 0
    mean = np.where(there, values, 0.0).sum(axis=-1) / there.sum(axis=-1)
    wanting = ~np.isfinite(values)
    if over_classes(measure):
        positives = sample.fold_sums(sample.outcome.astype(np.float64))
        wanting |= (positives == 0) | (positives == sample.fold_sizes)
    undefined = np.asarray((there & wanting).any(axis=-1))
    if undefined.any():
        some = {name: column[undefined] for name, column in sample.columns.items()}
        pooled = replace(sample, columns={**some, "fold": np.zeros_like(some["fold"])})
        mean[undefined] = evaluate(measure, pooled)[:, 0]
    return np.asarray(mean)


def labelled(positive: Ints, predicted: Floats, threshold: float) -> Sample:
    """Labellings of two classes (B, n), and what was predicted for the cases of each."""
    columns = {
        "outcome": positive,
        "label": predicted > threshold,
        "score": predicted,
        "probability": predicted,
    }
    return Sample(kind="binary", classes=2, columns=columns)
