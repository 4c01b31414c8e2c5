"""Who is left out of training: folds and bootstrap samples, drawn for many labellings at once."""

import numpy as np

from abovechance.arrays import Floats, Ints


def balanced_folds(labels: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """Fold numbers (B, n) that spread every class evenly, drawn anew for each labelling.

    Each class gets every fold number ⌊m/V⌋ times and, for the rest of its m members, distinct
    fold numbers at random, so folds may differ in size by the number of classes. All labellings
    must have the same class sizes.

    References
    ----------
    Rosenblatt et al., section 2.1, "Balanced folding"; as `createFolds` of the R package caret.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 1]])
    >>> folds = balanced_folds(labels, 2, np.random.default_rng(1))
    >>> [np.bincount(row).tolist() for row in folds]
    [[3, 3], [3, 3]]
    """
    batch, n = labels.shape
    members = np.argsort(labels, axis=1, kind="stable")
    drawn, start = np.empty((batch, n), dtype=np.int64), 0
    for size in np.bincount(labels[0]):
        whole, rest = divmod(int(size), folds)
        numbers = np.empty((batch, size), dtype=np.int64)
        numbers[:, : whole * folds] = np.tile(np.arange(folds), whole)
        if rest:
            each = np.tile(np.arange(folds), (batch, 1))
            numbers[:, whole * folds :] = rng.permuted(each, axis=1)[:, :rest]
        drawn[:, start : start + size] = rng.permuted(numbers, axis=1)
        start += int(size)
    result = np.empty_like(drawn)
    np.put_along_axis(result, members, drawn, axis=1)
    return result


def unbalanced_folds(batch: int, n: int, folds: int, rng: np.random.Generator) -> Ints:
    """Fold numbers (B, n) of nearly equal sizes, drawn without looking at labels.

    >>> np.bincount(unbalanced_folds(1, 7, 3, np.random.default_rng(1))[0])
    array([3, 2, 2])
    """
    numbers = np.tile(np.arange(n, dtype=np.int64) % folds, (batch, 1))
    return rng.permuted(numbers, axis=1)


def bootstrap_counts(draws: int, batch: int, n: int, rng: np.random.Generator) -> Ints:
    """How often each row is drawn (D, B, n) when n rows are drawn with replacement.

    Fewer draws from the same stream are the first of more.

    >>> bootstrap_counts(3, 2, 5, np.random.default_rng(1)).sum(axis=-1)
    array([[5, 5], [5, 5], [5, 5]])
    """
    rows = rng.integers(n, size=(draws * batch, n))
    return counts_of(rows, n).reshape(draws, batch, n)


def counts_of(rows: Ints, n: int) -> Ints:
    """Row numbers drawn (F, m) as counts per row (F, n).

    >>> counts_of(np.array([[0, 2, 2]]), 4)
    array([[1, 0, 2, 0]])
    """
    offsets = np.arange(len(rows))[:, None] * n
    return np.bincount((rows + offsets).ravel(), minlength=len(rows) * n).reshape(len(rows), n)


def fold_sums(values: Floats, folds: Ints, count: int) -> Floats:
    """Sums of values (B, n) within folds, as (B, V)."""
    batch = len(folds)
    cells = (folds + np.arange(batch)[:, None] * count).ravel()
    sums = np.bincount(cells, weights=values.ravel(), minlength=batch * count)
    return sums.reshape(batch, count).astype(float)
