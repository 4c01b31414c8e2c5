"""Predictions of one learner trained many times: many labellings, folds, bootstrap samples."""

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.learning.learner import Learner, fit_predict, predicted


def fit_many(learner: Learner, X: Floats, labels: Ints, counts: Ints, *, classes: int = 2) -> Ints:
    """Predicted classes (F, n) of all rows after each of F trainings.

    Training f uses row i `counts[f, i]` times with class `labels[f, i]`.
    """
    result = np.empty(labels.shape, dtype=np.int64)
    rows = np.arange(len(X))
    for f, (y, count) in enumerate(zip(labels, counts, strict=True)):
        used = np.repeat(rows, count)
        result[f] = predicted(fit_predict(learner, X[used], y[used], X, classes))
    return result


def cross_validate(
    learner: Learner, X: Floats, labels: Ints, folds: Ints, *, classes: int = 2
) -> Ints:
    """Predicted classes (B, n), each row's by the learner trained without its fold."""
    result = np.empty(labels.shape, dtype=np.int64)
    for y, fold, out in zip(labels, folds, result, strict=True):
        for v in np.unique(fold):
            test = fold == v
            out[test] = predicted(fit_predict(learner, X[~test], y[~test], X[test], classes))
    return result
