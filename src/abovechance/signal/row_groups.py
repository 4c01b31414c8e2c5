"""Rows of features in two groups: means, their differences, and how near rows are to each other."""

from collections.abc import Iterator

import numpy as np

from abovechance.arrays import Floats, Ints

# ----------------------------------------------------------------------------------------------
# The parts two-group statistics share: means, their differences, rows by group.
# ----------------------------------------------------------------------------------------------


SEPARATED = 1e-13  # a share of scatter within groups this small is rounding: the groups part
CACHE = 100_000  # numbers worked on at a time; about the size of a second-level cache


def group_size(y: Ints) -> float:
    """Effective size n₁n₀/n of a comparison of two groups."""
    return float(y.sum() * (len(y) - y.sum()) / len(y))


def mean_difference(X: Floats, y: Ints) -> Floats:
    """Mean of group 1 minus mean of group 0, feature by feature."""
    return np.asarray(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def differences(X: Floats, labels: Ints) -> Floats:
    """Differences of means (B, p) of many labellings with the same group sizes.

    >>> X = np.array([[1.0], [2.0], [6.0]])
    >>> differences(X, np.array([[0, 0, 1], [1, 0, 0]]))
    array([[ 4.5], [-3. ]])
    """
    centred = X - X.mean(axis=0)
    return np.asarray(labels.astype(float) @ centred / group_size(labels[0]))


def row_groups(labels: Ints) -> tuple[Ints, Ints]:
    """Row numbers of group 1 (B, n₁) and of group 0 (B, n₀), in order."""
    order = np.argsort(1 - labels, axis=1, kind="stable")
    n1 = int(labels[0].sum())
    return order[:, :n1], order[:, n1:]


def pieces(labels: Ints, width: int) -> Iterator[Ints]:
    """Labellings a few at a time, so that `width` numbers for each stay in the cache."""
    step = max(1, CACHE // width)
    for start in range(0, len(labels), step):
        yield labels[start : start + step]


# ----------------------------------------------------------------------------------------------
# How near rows are to each other: distances and the Gaussian kernel of all pairs.
# ----------------------------------------------------------------------------------------------


ROUNDING = 1e-14  # means of kernel values agree no better than this


def distances(X: Floats) -> Floats:
    """Euclidean distances between all rows (n, n), exactly zero between equal rows."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(X, X))


def gaussian_kernel(X: Floats) -> Floats:
    """Kernel of all rows, its width the median distance between rows that differ."""
    squares = distances(X) ** 2
    between = squares[np.triu_indices(len(X), 1)]
    return np.asarray(np.exp(-squares / np.median(between[between > 0])))
