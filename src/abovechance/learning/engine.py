"""Predictions of one learner trained many times: many labellings, folds, bootstrap samples."""

from collections.abc import Iterator

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.learning.fast import decisions, folded_decisions
from abovechance.learning.learner import TIE, Learner, fit_predict, predicted

ENTRIES = 4_000_000  # of labels or counts held at a time


def fit_many(
    learner: Learner,
    X: Floats,
    labels: Ints,
    counts: Ints,
    *,
    classes: int = 2,
    everywhere: bool = True,
    fast: bool | None = None,
) -> Ints:
    """Predicted classes (F, n) after each of F trainings.

    Training f uses row i `counts[f, i]` times with class `labels[f, i]`. Predictions are for all
    rows, or, unless `everywhere`, only for those left out of training (others are -1). `fast`
    says whether to take the fast way where there is one; by default if it pays to load it.
    """
    result = np.full(labels.shape, -1, dtype=np.int64)
    wanted = np.ones(counts.shape, dtype=bool) if everywhere else counts == 0
    slow = np.arange(len(labels))
    if fast is not False and classes == 2:
        found = decisions(learner, X, labels, counts, everywhere=everywhere, fast=fast)
        if found is not None:
            result[wanted] = (found[0] > TIE)[wanted]
            slow = np.flatnonzero(found[1])
    rows = np.arange(len(X))
    for f in slow:
        used = np.repeat(rows, counts[f])
        scores = fit_predict(learner, X[used], labels[f][used], X[wanted[f]], classes)
        result[f, wanted[f]] = predicted(scores)
    return result


def cross_validate(
    learner: Learner,
    X: Floats,
    labels: Ints,
    folds: Ints,
    *,
    classes: int = 2,
    fast: bool | None = None,
) -> Ints:
    """Predicted classes (B, n), each row's by the learner trained without its fold."""
    count = int(folds.max()) + 1
    result = np.full(labels.shape, -1, dtype=np.int64)
    todo = np.zeros((len(labels), count), dtype=bool)
    np.put_along_axis(todo, folds, True, axis=1)
    found = None
    if fast is not False and classes == 2:
        found = folded_decisions(learner, X, labels, folds, count, fast=fast)
    if found is not None:
        result[:] = found[0] > TIE
        todo &= found[1]
    for b, test in left_out(folds, todo):
        counts = (~test).astype(np.int64)
        out = fit_many(learner, X, labels[b], counts, classes=classes, everywhere=False, fast=fast)
        f, row = np.nonzero(test)
        result[b[f], row] = out[f, row]
    return result


def left_out(folds: Ints, todo: Bools) -> Iterator[tuple[Ints, Bools]]:
    """The folds (B, V) to do, some at a time: numbers of labellings (F,) and rows tested (F, n)."""
    batch, fold = np.nonzero(todo)
    step = max(1, ENTRIES // folds.shape[1])
    for start in range(0, len(batch), step):
        some = slice(start, start + step)
        yield batch[some], folds[batch[some]] == fold[some, None]
