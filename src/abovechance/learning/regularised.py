"""Regularised discriminant analysis for more features than rows."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.learning.learner import class_means

RANK = 1e-6  # eigenvalues below this share of the largest count as zero


@dataclass(frozen=True)
class Quadratic:
    """Scores from distances to each class in its own metric."""

    means: Floats
    whiteners: Floats
    offsets: Floats

    def scores(self, X: Floats) -> Floats:
        apart = np.einsum("kpq,nkp->nkq", self.whiteners, X[:, None, :] - self.means)
        return np.asarray(self.offsets - (apart**2).sum(axis=-1) / 2)


@dataclass(frozen=True)
class RegularisedDA:
    """Discriminant between pooled and own covariances, with a ridge (HDRDA).

    In the q directions in which the pooled covariance :math:`\\hat\\Sigma` (divisor n) is not
    zero, class k has the covariance

    .. math:: W_k = (1 - \\lambda) \\hat\\Sigma_k + \\lambda \\hat\\Sigma + \\gamma I

    and the class with the smallest
    :math:`(x - \\bar x_k)^T W_k^{-1} (x - \\bar x_k) + \\log |W_k| - 2 \\log \\pi_k` is predicted.
    The defaults of the R package, :math:`\\lambda = 1` and :math:`\\gamma = 0`, regularise
    nothing: that is `LDA` but for the divisor, and what the papers ran.

    References
    ----------
    Ramey, Stein, Young and Young (2016), equations 9 and 14.
    """

    pooling: float = 1.0
    ridge: float = 0.0

    def fit(self, X: Floats, y: Ints) -> Quadratic:
        means, sizes = class_means(X, y)
        left = X - means[y]
        _, values, axes = np.linalg.svd(left / np.sqrt(len(X)), full_matrices=False)
        axes = axes[values**2 > RANK * values[0] ** 2]
        whiteners, logs = [], []
        for k, size in enumerate(sizes):
            own = left[y == k] @ axes.T
            pooled = left @ axes.T
            covariance = (1 - self.pooling) * own.T @ own / size
            covariance += self.pooling * pooled.T @ pooled / len(X)
            spread, turn = np.linalg.eigh(covariance)
            # With pooling = ridge = 0 a small class is singular: keep what varies in it.
            spread = spread + self.ridge
            kept = spread > RANK * spread.max(initial=0.0)
            whitener = np.zeros((X.shape[1], len(axes)))
            whitener[:, kept] = (axes.T @ turn[:, kept]) / np.sqrt(spread[kept])
            whiteners.append(whitener)
            logs.append(np.log(spread[kept]).sum())
        offsets = np.log(sizes / len(X)) - np.array(logs) / 2
        return Quadratic(means, np.stack(whiteners), offsets)
