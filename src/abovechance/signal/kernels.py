"""How near rows are to each other: distances and the Gaussian kernel of all pairs."""

import numpy as np

from abovechance.arrays import Floats

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
