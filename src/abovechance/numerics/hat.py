"""The hat matrix: what least squares on the features makes of any labels."""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.numerics.covariances import ROUNDING, total_scatter

RANK = 1e-8  # eigenvalue of correlations within classes below which a direction is left out


class Hat(NamedTuple):
    """Hat matrix of features with an intercept, and how far from collinear they are."""

    matrix: Floats
    least: float


def hat_matrix(X: Floats) -> Hat | None:
    """Hat matrix (n, n) of the features with an intercept, or None if they are collinear.

    A feature that stands still is collinear with the intercept.
    """
    n, p = X.shape
    if n - 2 < p:
        return None
    scatter = total_scatter(X)
    spread = np.sqrt(np.diag(scatter))
    if (spread**2 <= ROUNDING * (X**2).sum(axis=0)).any():
        return None
    least = float(np.linalg.eigvalsh(scatter / np.outer(spread, spread))[0])
    if least <= RANK:
        return None
    basis = np.linalg.qr((X - X.mean(axis=0)) / spread)[0]
    return Hat(basis @ basis.T + 1 / n, least)


def folded_discriminants(
    hat: Hat, labels: Ints, folds: Ints, count: int, lost: int = 2
) -> tuple[Floats, Bools]:
    """Log-odds (B, n) of linear discriminants that did not see the row's fold.

    Their covariance is the scatter within classes over the training rows less those `lost`.

    With it come the folds (B, V) whose training rows may be too few or collinear for it: their
    values are to be found otherwise. A fold's within-class correlations have no eigenvalue
    below that of all rows' total correlations, times the least eigenvalue of I - H over the
    fold, times the share of the labels' variance the features leave unexplained.
    """
    from abovechance.numerics.kernels.discriminant import folded

    ones = labels.astype(float)
    out, doubtful = np.zeros(ones.shape), np.zeros((len(ones), count), dtype=bool)
    floor = RANK / hat.least
    folded(hat.matrix, ones @ hat.matrix, ones, folds, count, float(lost), floor, out, doubtful)
    return out, doubtful


def resubstituted_discriminants(hat: Hat, labels: Ints, lost: int = 2) -> tuple[Floats, Bools]:
    """Log-odds (B, n) of linear discriminants for their own rows, and where to mistrust them."""
    ones = labels.astype(float)
    n, n1 = ones.shape[1], ones.sum(axis=1, keepdims=True)
    n0 = n - n1
    fitted = ones @ hat.matrix
    above = (fitted * ones).sum(axis=1, keepdims=True) / n1
    below = (fitted * (1 - ones)).sum(axis=1, keepdims=True) / n0
    left = 1 - (above - below)
    doubtful = left[:, 0] * hat.least <= RANK
    unit = np.where(doubtful[:, None], 1.0, left) * (n1 * n0 / n) / (n - lost)
    return (fitted - (above + below) / 2) / unit + np.log(n1 / n0), doubtful
