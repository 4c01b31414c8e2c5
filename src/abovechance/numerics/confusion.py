"""Counting how often each class was predicted for each actual class."""

import numpy as np

from abovechance.arrays import Array, Floats


def confusion(actual: Array, predicted: Array, classes: int, weight: Array | None = None) -> Floats:
    """Cross-tabulate actual and predicted classes; rows are actual, columns predicted.

    Parameters
    ----------
    actual, predicted
        Class codes 0, ..., `classes` - 1, cases along the last axis.
    weight
        Weights of the cases. Codes and weights are broadcast against each other, so many
        weightings of the same cases (bootstrap counts) are one call.

    Returns
    -------
    Array (..., K, K) of total weights.

    Examples
    --------
    >>> confusion(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2)
    array([[1., 1.],
           [0., 2.]])
    """
    cells = classes * classes
    cell = _cell(actual, predicted, classes)
    if cell.ndim == 1 and weight is not None and np.ndim(weight) > 1:
        counts = _weights_of_fixed_cells(cell, weight, cells)
    elif cell.ndim == 1:
        counts = np.bincount(cell, weights=weight, minlength=cells).astype(np.float64)
    else:
        counts = _batched_counts(cell, weight, cells)
    return counts.reshape(*counts.shape[:-1], classes, classes)


def one_against_rest(table: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Split a confusion table into true and false positives and negatives of every class.

    Returns
    -------
    TP, FP, FN, TN, each (..., K).

    Examples
    --------
    >>> tp, fp, fn, tn = one_against_rest(np.array([[5, 1], [2, 4]]))
    >>> tp, fp, fn, tn
    (array([5, 4]), array([2, 1]), array([1, 2]), array([4, 5]))
    """
    tp = np.diagonal(table, axis1=-2, axis2=-1)
    actual, predicted = table.sum(axis=-1), table.sum(axis=-2)
    total = actual.sum(axis=-1, keepdims=True)
    return tp, predicted - tp, actual - tp, total - actual - predicted + tp


def _cell(actual: Array, predicted: Array, classes: int) -> Array:
    """Number the cells of the table row by row, in the narrowest type that holds them."""
    narrow = np.min_scalar_type(classes * classes - 1)
    row = np.asarray(actual).astype(narrow, copy=False)
    column = np.asarray(predicted).astype(narrow, copy=False)
    return np.asarray(row * narrow.type(classes) + column)


def _weights_of_fixed_cells(cell: Array, weight: Array, cells: int) -> Floats:
    """Sum many weightings over the same cells: cases are sorted by cell once."""
    order = np.argsort(cell, kind="stable")
    present, starts = np.unique(cell[order], return_index=True)
    counts = np.zeros((*weight.shape[:-1], cells))
    counts[..., present] = np.add.reduceat(weight[..., order], starts, axis=-1)
    return counts


def _batched_counts(cell: Array, weight: Array | None, cells: int) -> Floats:
    batch = (
        cell.shape[:-1] if weight is None else np.broadcast_shapes(cell.shape, weight.shape)[:-1]
    )
    shape = (*batch, cell.shape[-1])
    rows = int(np.prod(batch))
    flat = np.broadcast_to(cell, shape).reshape(rows, -1) + cells * np.arange(rows)[:, None]
    weights = None if weight is None else np.broadcast_to(weight, shape).ravel()
    counts = np.bincount(flat.ravel(), weights=weights, minlength=rows * cells)
    return counts.astype(np.float64).reshape(*batch, cells)
