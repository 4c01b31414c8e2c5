"""The fast ways to train one learner on many samples of the rows of one table.

Each gives decision values (F, n), class 1 where positive, and marks the trainings it cannot vouch
for; those are done one by one. All of it is for two classes.
"""

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.learning.discriminants import (
    LDA,
    DiagonalLDA,
    ShrunkenDiagonalLDA,
    prior_sign,
)
from abovechance.learning.learner import Learner
from abovechance.learning.margins import LinearSVM, SquaredHingeSVM
from abovechance.learning.pang import shrunken_precision
from abovechance.learning.regularised import RANK as LEAST_SHARE
from abovechance.learning.regularised import RegularisedDA
from abovechance.numerics import squared_hinge
from abovechance.numerics.covariances import total_scatter
from abovechance.numerics.hat import RANK as LEAST_CORRELATION
from abovechance.numerics.hat import (
    Hat,
    folded_discriminants,
    hat_matrix,
    resubstituted_discriminants,
)
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.support_vectors import LARGEST, features_are_few, svm_decisions
from abovechance.numerics.weighted_discriminants import class_moments, weighted_discriminants

CLOSE = 1e-4  # a decision value this near zero may owe its sign to where the solver stopped
TOGETHER = 2_048  # samples whose moments are taken in one product of matrices


def decisions(
    learner: Learner,
    X: Floats,
    labels: Ints,
    counts: Ints,
    *,
    everywhere: bool,
    fast: bool | None = None,
) -> tuple[Floats, Bools] | None:
    """Decision values after F trainings, or None where there is no fast way.

    Training f uses row i `counts[f, i]` times with class `labels[f, i]`. Values are for all rows,
    or, unless `everywhere`, for those left out of training. Unless `fast` says so, compiled code
    is loaded only where these trainings alone repay it.
    """
    match learner:
        case DiagonalLDA() | ShrunkenDiagonalLDA():
            return _diagonal(learner, X, labels, counts)
        case _ if not (fast or worthwhile(labels.size)):
            return None
        case LDA():
            lost = 2 if learner.divisor == "degrees" else 0
            hat = hat_matrix(X) if (counts == 1).all() else None
            if hat is not None:
                return resubstituted_discriminants(hat, labels, lost)
            return weighted_discriminants(X, labels, counts, lost)
        case LinearSVM() if _solvable(X, counts):
            return _machines(learner, X, labels, counts, everywhere)
        case SquaredHingeSVM() if min(X.shape) < squared_hinge.LARGEST:
            values, bad = squared_hinge.squared_hinge_decisions(X, labels, counts, learner.cost)
            return values, bad | _single(labels, counts)
    return None


def folded_decisions(
    learner: Learner,
    X: Floats,
    labels: Ints,
    folds: Ints,
    count: int,
    *,
    fast: bool | None = None,
) -> tuple[Floats, Bools] | None:
    """Decision values (B, n) by learners that did not see the row's fold, where there is a trick.

    With them come the folds (B, V) that have to be done otherwise.
    """
    plain = isinstance(learner, LDA) or learner == RegularisedDA(1.0, 0.0)
    if not plain or not (fast or worthwhile(labels.size)):
        return None
    n, p = X.shape
    if (n / count) ** 3 > n * p**2:  # then a system of the size of the features is the smaller one
        return None
    hat, lost = hat_matrix(X), 2 if learner == LDA("degrees") else 0
    if hat is not None and isinstance(learner, RegularisedDA):
        hat = unscaled(hat, X)
    return None if hat is None else folded_discriminants(hat, labels, folds, count, lost)


def unscaled(hat: Hat, X: Floats) -> Hat:
    """A hat matrix for a learner that leaves out directions by their share of the largest variance.

    The scatter within classes of the rows trained on is at least as many times that of all rows
    as the kernel allows for, in every direction, and at most once.
    """
    values = np.linalg.eigvalsh(total_scatter(X))
    share = float(values[0] / values[-1])
    return hat._replace(least=min(hat.least, share * LEAST_CORRELATION / LEAST_SHARE))


def _solvable(X: Floats, counts: Ints) -> bool:
    """Whether the interior-point method can hold the problem."""
    rows = int((counts > 0).sum(axis=1).max())
    return rows <= LARGEST or features_are_few(rows, X.shape[1])


def _single(labels: Ints, counts: Ints) -> Bools:
    """Which trainings see one class only."""
    ones = (counts * labels).sum(axis=1)
    return np.asarray((ones == 0) | (ones == counts.sum(axis=1)))


def _machines(
    learner: LinearSVM, X: Floats, labels: Ints, counts: Ints, everywhere: bool
) -> tuple[Floats, Bools]:
    single = _single(labels, counts)
    values, bad = np.zeros(labels.shape), single.copy()
    some = np.flatnonzero(~single)
    values[some], bad[some] = svm_decisions(
        X, labels[some], counts[some], learner.cost, learner.scaling, everywhere
    )
    near = np.abs(values) < CLOSE
    return values, bad | (near if everywhere else near & (counts == 0)).any(axis=1)


def _diagonal(
    learner: DiagonalLDA | ShrunkenDiagonalLDA, X: Floats, labels: Ints, counts: Ints
) -> tuple[Floats, Bools]:
    centred = X - X.mean(axis=0)
    values, bad = np.empty(labels.shape), np.empty(len(labels), dtype=bool)
    for start in range(0, len(labels), TOGETHER):
        some = slice(start, start + TOGETHER)
        values[some], bad[some] = _diagonal_some(learner, centred, labels[some], counts[some])
    return values, bad


def _diagonal_some(
    learner: DiagonalLDA | ShrunkenDiagonalLDA, X: Floats, labels: Ints, counts: Ints
) -> tuple[Floats, Bools]:
    """Class means, variances, directions and decision values as products of matrices."""
    sizes, means, within, unsure = class_moments(X, labels, counts)
    number = sizes.sum(axis=1)
    doubtful = (sizes.min(axis=1) < 1) | unsure.any(axis=1)
    variance = within / number[:, None]
    precision = 1 / variance
    if isinstance(learner, ShrunkenDiagonalLDA):
        legacy = learner.dialect == "sparsediscrim"
        for size in np.unique(number):
            same = number == size
            precision[same] = shrunken_precision(variance[same], int(size) - 2, legacy)
    direction = (means[:, 1] - means[:, 0]) * precision
    middle = (direction * (means[:, 1] + means[:, 0])).sum(axis=1) / 2
    with np.errstate(divide="ignore"):
        prior = np.log(sizes[:, 1]) - np.log(sizes[:, 0])
    offset = prior_sign(learner.dialect) * prior - middle
    return direction @ X.T + offset[:, None], doubtful
