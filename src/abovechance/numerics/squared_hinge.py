"""Many squared-hinge support vector machines on the rows of one table."""

import numpy as np

from abovechance.arrays import Bools, Floats, Ints

TOGETHER = 4_096  # machines handed over at a time
LARGEST = 600  # dimensions above which a system of their size no longer pays


def squared_hinge_decisions(
    X: Floats, labels: Ints, counts: Ints, cost: float
) -> tuple[Floats, Bools]:
    """Decision values (F, n) of all rows by F machines, and which of them were not trained.

    Machine f is trained on row i `counts[f, i]` times with class `labels[f, i]`. The offset is one
    more weight, of a feature that is always 1; turning the features so that no more than n of
    them are left changes neither margins nor the length of the weights.
    """
    from abovechance.numerics.kernels.squared_hinge import minimisers

    extended = np.column_stack([X, np.ones(len(X))])
    if extended.shape[1] > len(X):
        extended = np.asarray(np.linalg.qr(extended.T, mode="r")).T
    extended = np.ascontiguousarray(extended)
    values, failed = np.empty(labels.shape), np.empty(len(labels), dtype=bool)
    sizes = (counts > 0).sum(axis=1)
    order = np.argsort(sizes, kind="stable")
    for start in range(0, len(order), TOGETHER):
        some = order[start : start + TOGETHER]
        rows = np.argsort(counts[some] == 0, axis=1, kind="stable")[:, : sizes[some[-1]]]
        found, bad = np.empty((len(some), extended.shape[1])), np.empty(len(some), dtype=bool)
        signs = np.where(labels[some] == 1, 1.0, -1.0)
        minimisers(extended, rows, sizes[some], signs, cost * counts[some], found, bad)
        values[some], failed[some] = found @ extended.T, bad
    return values, failed
