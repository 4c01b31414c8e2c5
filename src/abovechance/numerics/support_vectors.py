"""Many linear support vector machines on the rows of one table."""

from typing import Literal

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.numerics.weighted_discriminants import UNSURE

TOGETHER = 128  # machines whose products of rows stay in the cache
LARGEST = 1_500  # rows above which factoring rows by rows no longer pays


def svm_decisions(
    X: Floats,
    labels: Ints,
    counts: Ints,
    cost: float,
    scaling: Literal["sample", "population", "none"] = "sample",
    everywhere: bool = True,
) -> tuple[Floats, Bools]:
    """Decision values (F, n) of F machines, and which of them could not be trained this way.

    Machine f is trained on row i `counts[f, i]` times with class `labels[f, i]` (both classes must
    occur), on features scaled to unit spread over its training rows. Values are given for the
    rows left out, and for all if `everywhere`.

    Repeated rows are one row with a higher bound on its multiplier; shifting features changes
    nothing, so only their scales enter: as weights of the products of features of two rows.
    """
    from abovechance.numerics.kernels.svm import machines

    n, p = X.shape
    centred = X - X.mean(axis=0)
    weights, unsure = scale_weights(centred, counts, scaling)
    sizes = (counts > 0).sum(axis=1)
    order = np.argsort(sizes, kind="stable")
    few = features_are_few(int(sizes.max(initial=0)), p)
    i, j = np.tril_indices(n)
    products = np.empty((0, p)) if few else centred[i] * centred[j]
    decisions, failed = np.zeros(labels.shape), np.zeros(len(labels), dtype=bool)
    for start in range(0, len(order), TOGETHER):
        some = order[start : start + TOGETHER]
        used = counts[some] > 0
        longest = int(sizes[some[-1]])
        rows = np.argsort(~used, axis=1, kind="stable")[:, :longest]
        gram = np.empty((0, len(some))) if few else products @ weights[some].T
        out, bad = np.zeros((len(some), n)), np.zeros(len(some), dtype=bool)
        machines(
            gram,
            centred,
            np.sqrt(weights[some]),
            rows,
            sizes[some],
            np.where(labels[some] == 1, 1.0, -1.0),
            cost * counts[some],
            few,
            everywhere,
            out,
            bad,
        )
        decisions[some], failed[some] = out, bad
    return decisions, failed | unsure


def features_are_few(rows: int, p: int) -> bool:
    """Whether a system of the size of the features costs less than one of the size of the rows."""
    return 3 * rows * p * p + p**3 < rows**3


def scale_weights(X: Floats, counts: Ints, scaling: str) -> tuple[Floats, Bools]:
    """One over the variances (F, p) of centred features over training rows, 0 for a constant one.

    With them come the trainings (F,) in which a feature varies too little to be sure.
    """
    if scaling == "none":
        return np.ones((len(counts), X.shape[1])), np.zeros(len(counts), dtype=bool)
    times = counts.astype(float)
    number = times.sum(axis=1, keepdims=True)
    squares = times @ X**2
    scatter = squares - (times @ X) ** 2 / number
    still = scatter <= UNSURE * squares
    unsure = np.zeros(len(counts), dtype=bool)
    for f, j in np.argwhere(still):
        unsure[f] |= bool(np.ptp(X[counts[f] > 0, j]) > 0)
    divisor = np.maximum(number - 1, 1) if scaling == "sample" else number
    return np.where(still, 0.0, divisor / np.where(still, 1.0, scatter)), unsure
