"""Linear and diagonal discriminants: classes with their own means and shared spread."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.learning.learner import Linear, class_means
from abovechance.learning.pang import shrunken_precision

CONSTANT = 1e-14  # share of a feature's scatter within classes below which it does not vary
RANK = 1e-4  # singular values below this, in units of standard deviations, count as zero

Dialect = Literal["published", "sparsediscrim"]


@dataclass(frozen=True)
class LDA:
    """Fisher's linear discriminant with the training part's class shares as prior.

    Class 1 is predicted when :math:`w^T x - w^T (\\bar x_1 + \\bar x_0)/2 + \\log(n_1/n_0) > 0`,
    :math:`w = S^{-1} (\\bar x_1 - \\bar x_0)`, S the pooled covariance with divisor n - K.

    A singular S follows the rule of the R package MASS: features are divided by their standard
    deviation within classes and S is replaced by its pseudo-inverse, directions with a singular
    value below 1e-4 left out. A feature that does not vary within the classes of the training
    part is left out too (MASS stops there). `divisor="rows"` divides S by n, as scikit-learn does
    now; that only matters beside the prior.

    References
    ----------
    Venables and Ripley (2002), section 12.1; Rosenblatt et al., Table 1.
    """

    divisor: Literal["degrees", "rows"] = "degrees"

    def fit(self, X: Floats, y: Ints) -> Linear:
        means, sizes = class_means(X, y)
        left = X - means[y]
        varying = varies(left, X)
        degrees = self.divisor == "degrees"
        spread = np.sqrt((left[:, varying] ** 2).sum(axis=0) / max(len(X) - degrees, 1))
        standard = left[:, varying] / spread
        standard /= np.sqrt(max(len(X) - degrees * len(sizes), 1))
        _, values, axes = np.linalg.svd(standard, full_matrices=False)
        kept = values > RANK
        sphere = axes[kept].T / values[kept] / spread[:, None]
        weights = np.zeros_like(means)
        # Centred at the overall mean, far-away features lose no digits in the offsets.
        centre = X[:, varying].mean(axis=0)
        scaled = (means[:, varying] - centre) @ sphere
        weights[:, varying] = scaled @ sphere.T
        offsets = np.log(sizes / len(X)) - (scaled**2).sum(axis=1) / 2
        return Linear(weights, offsets - weights[:, varying] @ centre)


@dataclass(frozen=True)
class DiagonalLDA:
    """Linear discriminant that ignores correlations between features (naive Bayes).

    The class with the smallest :math:`\\sum_j (x_j - \\bar x_{kj})^2 / v_j - 2 \\log \\pi_k` is
    predicted, v the pooled variances with divisor n. The R package sparsediscrim adds
    :math:`+ \\log \\pi_k`, the wrong sign, which matters when classes differ in size;
    `dialect="sparsediscrim"` repeats it. Features that do not vary within classes are left out.

    References
    ----------
    Dudoit, Fridlyand and Speed (2002), section 3.2.
    """

    dialect: Dialect = "published"

    def fit(self, X: Floats, y: Ints) -> Linear:
        means, _ = class_means(X, y)
        left = X - means[y]
        varying = varies(left, X)
        variance = (left**2).mean(axis=0)
        return diagonal(X, y, np.where(varying, 1 / np.where(varying, variance, 1.0), 0.0), self)


@dataclass(frozen=True)
class ShrunkenDiagonalLDA:
    """Diagonal discriminant whose variances borrow strength from each other.

    The inverse variances of `DiagonalLDA` are replaced by Pang, Tong and Zhao's estimates, which
    lie between each feature's own and the common one. `dialect="sparsediscrim"` repeats that
    package's sign of the prior and its risk, which makes the amount of shrinkage depend on the
    unit of measurement. With fewer than K + 3 training rows there is no such estimate and the
    variances are taken as they are.

    References
    ----------
    Pang, Tong and Zhao (2009), sections 2 and 3.
    """

    dialect: Dialect = "published"

    def fit(self, X: Floats, y: Ints) -> Linear:
        means, sizes = class_means(X, y)
        left = X - means[y]
        varying = varies(left, X)
        precision = np.zeros(X.shape[1])
        variance = (left[:, varying] ** 2).mean(axis=0)
        legacy = self.dialect == "sparsediscrim"
        precision[varying] = shrunken_precision(variance[None], len(X) - len(sizes), legacy)[0]
        return diagonal(X, y, precision, self)


def diagonal(
    X: Floats, y: Ints, precision: Floats, learner: DiagonalLDA | ShrunkenDiagonalLDA
) -> Linear:
    """The discriminant of features weighted one by one."""
    means, sizes = class_means(X, y)
    centre = X.mean(axis=0)
    weights = (means - centre) * precision
    prior = np.log(sizes / len(X)) * prior_sign(learner.dialect)
    offsets = prior - ((means - centre) * weights).sum(axis=1) / 2
    return Linear(weights, offsets - weights @ centre)


def prior_sign(dialect: Dialect) -> float:
    """What the log prior is multiplied by when half the distance is taken away."""
    return -0.5 if dialect == "sparsediscrim" else 1.0


def varies(left: Floats, X: Floats) -> Bools:
    """Which features vary within classes, by more than rounding."""
    total = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    rounding = CONSTANT**2 * (X**2).sum(axis=0)
    return np.asarray((left**2).sum(axis=0) > np.maximum(CONSTANT * total, rounding))
