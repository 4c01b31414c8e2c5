"""One learner trained many times: labellings, folds, bootstrap samples; fast where possible."""

from collections.abc import Callable, Iterator

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.learning.learners import (
    LDA,
    LEAST_SHARE,
    TIE,
    DiagonalLDA,
    Learner,
    LinearSVM,
    RegularisedDA,
    RidgeLogistic,
    Scaling,
    ShrinkageLDA,
    ShrunkenDiagonalLDA,
    SquaredHingeSVM,
    fit_predict,
    predicted,
    prior_sign,
    refined,
    shrunken_precision,
    standard,
)
from abovechance.numerics import machine_room
from abovechance.numerics.covariance import (
    LEAST_CORRELATION,
    MOST_PRODUCTS,
    Hat,
    class_moments,
    folded_discriminants,
    hat_matrix,
    resubstituted_discriminants,
    shrunken_discriminants,
    total_scatter,
)
from abovechance.numerics.kernels import available, worthwhile
from abovechance.numerics.logistic import fit_together

# ----------------------------------------------------------------------------------------------
# The fast ways to train one learner on many samples of the rows of one table.
#
# Each gives decision values (F, n), class 1 where positive, and marks the trainings it cannot
# vouch for; those are done one by one. All of it is for two classes.
# ----------------------------------------------------------------------------------------------


CLOSE = 1e-4  # a decision value this near zero may owe its sign to where the solver stopped
SAMPLES_AT_ONCE = 2_048  # samples whose moments are taken in one product of matrices


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
        case RidgeLogistic() if _few_dimensions(X, learner.scaling) and _shiftable(learner):
            return _logistic(learner, X, labels, counts)
        case ShrinkageLDA() if X.size * X.shape[1] <= 2 * MOST_PRODUCTS:
            return shrunken_discriminants(X, labels, counts, learner.shrinkage)
        case _ if not (worthwhile(labels.size) or (fast and available())):
            return None
        case LDA():
            lost = 2 if learner.divisor == "degrees" else 0
            hat = hat_matrix(X) if (counts == 1).all() else None
            if hat is not None:
                return resubstituted_discriminants(hat, labels, lost)
            if machine_room.is_open():
                return machine_room.weighted_discriminants(X, labels, counts, lost)
        case LinearSVM() if machine_room.is_open() and _solvable(X, counts):
            return _machines(learner, X, labels, counts, everywhere)
        case SquaredHingeSVM() if machine_room.is_open() and _few_dimensions(X, learner.scaling):
            values, bad = machine_room.squared_hinge_decisions(
                X, labels, counts, learner.cost, learner.scaling
            )
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
    hat: Callable[[], Hat | None] | None = None,
) -> tuple[Floats, Bools] | None:
    """Decision values (B, n) by learners that did not see the row's fold, where there is a trick.

    With them come the folds (B, V) that have to be done otherwise. `hat` gives what
    `hat_of` does, where that is kept; it is asked only if a matrix of rows by rows is the way.
    """
    if not _discriminates(learner) or not (worthwhile(labels.size) or (fast and available())):
        return None
    n, p = X.shape
    if (n / count) ** 3 > n * p**2:  # then a system of the size of the features is the smaller one
        return None
    shared = hat_of(learner, X) if hat is None else hat()
    lost = 2 if learner == LDA("degrees") else 0
    return None if shared is None else folded_discriminants(shared, labels, folds, count, lost)


def hat_of(learner: Learner, X: Floats) -> Hat | None:
    """The hat matrix with which a discriminant is cross-validated, None where that is no way."""
    hat = hat_matrix(X) if _discriminates(learner) else None
    return unscaled(hat, X) if hat is not None and isinstance(learner, RegularisedDA) else hat


def _discriminates(learner: Learner) -> bool:
    """Whether a learner is a discriminant that regularises nothing."""
    return isinstance(learner, LDA) or learner == RegularisedDA(1.0, 0.0)


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
    few = machine_room.features_are_few(rows, X.shape[1])
    return few or rows <= machine_room.MOST_ROWS


def _few_dimensions(X: Floats, scaling: Scaling) -> bool:
    """Whether a system pays: of the size of the features or, as they are given, of the rows."""
    size = min(X.shape) if scaling == "none" else X.shape[1]
    return size < machine_room.MOST_DIMENSIONS


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
    values[some], bad[some] = machine_room.svm_decisions(
        X, labels[some], counts[some], learner.cost, learner.scaling, everywhere
    )
    near = np.abs(values) < CLOSE
    return values, bad | (near if everywhere else near & (counts == 0)).any(axis=1)


def _exactly(learner: LinearSVM, X: Floats, labels: Ints, counts: Ints) -> tuple[Floats, Bools]:
    """Decision values (F, n) of machines to the last digits, and which could not be had so.

    Solved together they know which rows lie on the margin; the rest is a linear system, as in
    `LinearSVM.fit`, without libsvm, which can take a thousand times as long to get there.
    """
    values, bad = np.zeros(labels.shape), _single(labels, counts)
    some = np.flatnonzero(~bad)
    multipliers, bad[some] = machine_room.svm_multipliers(
        X, labels[some], counts[some], learner.cost, learner.scaling
    )
    for f, a in zip(some, multipliers, strict=True):
        centre, scale = standard(np.repeat(X, counts[f], axis=0), learner.scaling)
        scaled, used = (X - centre) * scale, counts[f] > 0
        sign, caps = np.where(labels[f] == 1, 1.0, -1.0), learner.cost * counts[f]
        found = None if bad[f] else refined(a[used], scaled[used], sign[used], caps[used])
        bad[f] = found is None
        if found is not None:
            values[f] = scaled @ found[0] + found[1]
    return values, bad


def _shiftable(learner: RidgeLogistic) -> bool:
    """Whether features need not be shifted, or an intercept makes up for it."""
    return learner.intercept or learner.scaling == "none"


def _logistic(
    learner: RidgeLogistic, X: Floats, labels: Ints, counts: Ints
) -> tuple[Floats, Bools]:
    """Scaling a feature is a penalty that grows with its spread, shifting it one of the offset."""
    if learner.scaling == "none":
        found = fit_together(
            X, labels, counts, penalty=learner.penalty, intercept=learner.intercept
        )
        return found.log_odds(X), found.doubtful
    centred = X - X.mean(axis=0)
    weights, unsure = machine_room.scale_weights(centred, counts, learner.scaling)
    # a feature that does not vary has no weight, whatever its penalty
    penalty = learner.penalty / np.where(weights > 0, weights, 1.0)
    penalty[weights == 0] = 1.0
    found = fit_together(centred, labels, counts, penalty=penalty)
    return found.log_odds(centred), found.doubtful | unsure


def _diagonal(
    learner: DiagonalLDA | ShrunkenDiagonalLDA, X: Floats, labels: Ints, counts: Ints
) -> tuple[Floats, Bools]:
    centred = X - X.mean(axis=0)
    values, bad = np.empty(labels.shape), np.empty(len(labels), dtype=bool)
    for start in range(0, len(labels), SAMPLES_AT_ONCE):
        some = slice(start, start + SAMPLES_AT_ONCE)
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


# ----------------------------------------------------------------------------------------------
# Predictions of one learner trained many times: many labellings, folds, bootstrap samples.
# ----------------------------------------------------------------------------------------------


ENTRIES = 4_000_000  # of labels or counts held at a time


def fit_many(
    learner: Learner,
    X: Floats,
    labels: Ints,
    counts: Ints,
    *,
    classes: int = 2,
    everywhere: bool = True,
    fast: bool | None = None,
) -> Ints:
    """Predicted classes (F, n) after each of F trainings.

    Training f uses row i `counts[f, i]` times with class `labels[f, i]`. Predictions are for all
    rows, or, unless `everywhere`, only for those left out of training (others are -1). `fast`
    says whether to take the fast way where there is one; by default if it pays to load it.
    """
    result = np.full(labels.shape, -1, dtype=np.int64)
    wanted = np.ones(counts.shape, dtype=bool) if everywhere else counts == 0
    slow = np.arange(len(labels))
    if fast is not False and classes == 2:
        found = decisions(learner, X, labels, counts, everywhere=everywhere, fast=fast)
        if found is not None:
            values, slow = found[0], np.flatnonzero(found[1])
            if isinstance(learner, LinearSVM):
                values[slow], bad = _exactly(learner, X, labels[slow], counts[slow])
                slow = slow[bad]
            result[wanted] = (values > TIE)[wanted]
    rows = np.arange(len(X))
    for f in slow:
        used = np.repeat(rows, counts[f])
        scores = fit_predict(learner, X[used], labels[f][used], X[wanted[f]], classes)
        result[f, wanted[f]] = predicted(scores)
    return result


def cross_validate(
    learner: Learner,
    X: Floats,
    labels: Ints,
    folds: Ints,
    *,
    classes: int = 2,
    fast: bool | None = None,
) -> Ints:
    """Predicted classes (B, n), each row's by the learner trained without its fold."""
    count = int(folds.max()) + 1
    result = np.full(labels.shape, -1, dtype=np.int64)
    todo = np.zeros((len(labels), count), dtype=bool)
    np.put_along_axis(todo, folds, True, axis=1)
    found = None
    if fast is not False and classes == 2:
        found = folded_decisions(learner, X, labels, folds, count, fast=fast)
    if found is not None:
        result[:] = found[0] > TIE
        todo &= found[1]
    for b, test in left_out(folds, todo):
        counts = (~test).astype(np.int64)
        out = fit_many(learner, X, labels[b], counts, classes=classes, everywhere=False, fast=fast)
        f, row = np.nonzero(test)
        result[b[f], row] = out[f, row]
    return result


def left_out(folds: Ints, todo: Bools) -> Iterator[tuple[Ints, Bools]]:
    """The folds (B, V) to do, some at a time: numbers of labellings (F,) and rows tested (F, n)."""
    batch, fold = np.nonzero(todo)
    step = max(1, ENTRIES // folds.shape[1])
    for start in range(0, len(batch), step):
        some = slice(start, start + step)
        yield batch[some], folds[batch[some]] == fold[some, None]
