"""Predictions of a scikit-learn estimator under many labellings, its trainings done together."""

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.learning.from_sklearn import only_class, predict
from abovechance.learning.learners import LDA, TIE, Learner, LinearSVM
from abovechance.learning.training import decisions, folded_decisions, left_out

# ----------------------------------------------------------------------------------------------
# Which scikit-learn estimators are learners of ours, to be trained the fast way.
# ----------------------------------------------------------------------------------------------


UNUSED = (
    "C",
    "tol",
    "cache_size",
    "gamma",
    "degree",
    "coef0",
    "verbose",
    "shrinking",
    "random_state",
)


def recognise(estimator: Any) -> Learner | None:
    """The learner that predicts what a scikit-learn classifier does, or None.

    Known are linear discriminants (the default solver, no shrinkage, shares of classes as prior)
    and linear support vector machines, alone or after a `StandardScaler`, all with default
    settings but for the cost.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> recognise(make_pipeline(StandardScaler(), SVC(kernel="linear", C=10)))
    LinearSVM(cost=10.0, scaling='population')
    >>> recognise(SVC(kernel="rbf"))
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    scaled = False
    if type(estimator) is Pipeline and len(estimator.steps) == 2:
        scaler, estimator = (step for _, step in estimator.steps)
        scaled = _default(scaler, StandardScaler(), but=("copy",))
        if not scaled:
            return None
    if _default(estimator, SVC(kernel="linear"), but=UNUSED):
        return LinearSVM(float(estimator.C), "population" if scaled else "none")
    # Scaling features one by one changes nothing in a discriminant.
    if _default(estimator, LinearDiscriminantAnalysis(), but=("store_covariance",)):
        return LDA("rows" if _divides_by_rows() else "degrees")
    return None


def _default(estimator: Any, plain: Any, but: tuple[str, ...] = ()) -> bool:
    """Whether an estimator is of the class of `plain` and has its parameters, but for some."""
    if type(estimator) is not type(plain):
        return False
    given, usual = estimator.get_params(deep=False), plain.get_params(deep=False)
    return all(np.array_equal(given[name], usual[name]) for name in usual if name not in but)


@cache
def _divides_by_rows() -> bool:
    """Whether the scikit-learn at hand divides the scatter by n rather than by n - K."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = np.array([[0.0], [1.0], [2.0], [4.0], [5.5]]), np.array([0, 0, 0, 1, 1])
    weight = LinearDiscriminantAnalysis().fit(X, y).coef_[0, 0]
    rows, degrees = (np.diff(how.fit(X, y).weights[:, 0])[0] for how in (LDA("rows"), LDA()))
    return bool(abs(weight - rows) < abs(weight - degrees))


# libsvm stops when the conditions of an optimum are missed by less than its tolerance. Decision
# values were then found within 30 times that of the exact ones; inside this many nothing is sure.
TOLERANCES = 40
EXACT = 2.0**53  # whole numbers below it are added without rounding


class Known(NamedTuple):
    """A scikit-learn estimator for which there is a fast way, and features it takes as they are."""

    estimator: Any
    learner: Learner
    X: Floats

    @property
    def varying(self) -> Floats:
        """The features but for those that hold one whole number: scikit-learn leaves them out.

        Means of such a feature are exact; those of a fraction are not, and what rounding leaves
        of it may count.
        """
        first = self.X[0]
        still = (np.ptp(self.X, axis=0) == 0) & (first == np.round(first))
        still &= np.abs(first) * len(self.X) < EXACT
        return self.X if still.all() or not still.any() else self.X[:, ~still]

    @property
    def kind(self) -> str:
        """What it predicts: decision values of machines, else probabilities."""
        return "score" if isinstance(self.learner, LinearSVM) else "probability"

    @property
    def margin(self) -> float:
        """How near zero a decision value leaves it open what scikit-learn would predict."""
        if not isinstance(self.learner, LinearSVM):
            return TIE
        machine = getattr(self.estimator, "steps", [("", self.estimator)])[-1][1]
        return TOLERANCES * float(machine.tol)


def known(estimator: Any, X: Any) -> Known | None:
    """The estimator with a fast way to the same predictions, or None.

    Features must be a table of finite numbers in double precision or whole ones, as scikit-learn
    computes with others in other precision.
    """
    learner = recognise(estimator)
    if learner is None:
        return None
    try:
        features = np.asarray(X)
    except ValueError:
        return None
    whole = features.dtype.kind in "biu"
    if features.ndim != 2 or not (whole or features.dtype == np.float64):
        return None
    features = features.astype(np.float64)
    return Known(estimator, learner, features) if np.isfinite(features).all() else None


def cross_predictions(known: Known, labels: Ints, folds: Ints, *, ranked: bool = False) -> Floats:
    """What the estimator trained without a row's fold predicts for it (B, n), for class 1 of two.

    Probabilities or decision values, by `known.kind`. Trainings whose outcome the fast way cannot
    be sure of are left to scikit-learn. Decision values of machines are exact where scikit-learn's
    are approximate; their signs agree, and if they are to be `ranked`, so does their order within
    folds (of all cases, where a fold has one class) as far as measures of ranks can tell.
    """
    count = int(folds.max()) + 1
    values, unsure = _fold_decisions(known, labels, folds, count)
    near = np.abs(values) < known.margin
    batch, row = np.nonzero(near)
    unsure[batch, folds[batch, row]] = True
    if ranked and known.kind != "probability":
        unsure |= _order_unsure(values, labels, folds, count, 2.0 * known.margin)
    if known.kind == "probability":
        from scipy.special import expit

        values = np.asarray(expit(values))
    if unsure.any():
        _leave_to_scikit_learn(known, labels, folds, unsure, values)
    return values


def _order_unsure(values: Floats, labels: Ints, folds: Ints, count: int, margin: float) -> Bools:
    """Folds (B, V) in which scikit-learn may rank cases otherwise.

    Two cases of different classes that are near have neighbours of different classes between them
    that are nearer, so that neighbours tell all.
    """
    unsure = np.zeros((len(labels), count), dtype=bool)
    size, positives = np.zeros((2, len(labels), count), dtype=np.int64)
    rows = np.broadcast_to(np.arange(len(labels))[:, None], labels.shape)
    np.add.at(size, (rows, folds), 1)
    np.add.at(positives, (rows, folds), labels)
    pooled = ((size > 0) & ((positives == 0) | (positives == size))).any(axis=1)
    of_all = np.zeros(folds.shape, dtype=np.int64)
    for part, some in ((folds, np.arange(len(labels))), (of_all, np.flatnonzero(pooled))):
        order = np.lexsort((values[some], part[some]), axis=-1)
        value, label, within, fold = (
            np.take_along_axis(column[some], order, axis=-1)
            for column in (values, labels, part, folds)
        )
        gap = np.diff(value, axis=-1)
        near = (gap < margin) & (np.diff(label, axis=-1) != 0) | (gap < TIE)
        near &= np.diff(within, axis=-1) == 0
        at, place = np.nonzero(near)
        unsure[some[at], fold[at, place]] = True
        unsure[some[at], fold[at, place + 1]] = True
    return unsure


def _leave_to_scikit_learn(
    known: Known, labels: Ints, folds: Ints, unsure: Bools, values: Floats
) -> None:
    """Put scikit-learn's predictions into the folds (B, V) of `values` that are unsure.

    Where training sees one class, that is predicted.
    """
    from sklearn import config_context
    from sklearn.base import clone

    # A fit to shuffled labels often does not converge; the features are known to be in order.
    trusting = config_context(assume_finite=True, skip_parameter_validation=True)
    with warnings.catch_warnings(), trusting:
        warnings.simplefilter("ignore")
        learner = clone(known.estimator)
        for b, v in np.argwhere(unsure):
            test = folds[b] == v
            seen = np.unique(labels[b, ~test])
            if len(seen) == 1:
                only = only_class(known.kind, seen[0], np.arange(2), int(test.sum()))
                values[b, test] = _second(known.kind, only)
            else:
                values[b, test] = _by_scikit_learn(learner, known.X, labels[b], test)


def _by_scikit_learn(estimator: Any, X: Floats, labels: Ints, test: Bools) -> Floats:
    """What the estimator, fitted again without the rows tested, predicts for them.

    The steps of a pipeline are taken one after the other, which spares its own checks.
    """
    *before, last = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    for step in before:
        X = step.fit(X[~test]).transform(X)
    kind, found = predict(last.fit(X[~test], labels[~test]), X[test], 2)
    return _second(kind, found)


def _second(kind: str, found: Floats) -> Floats:
    """Probabilities or decision values for the second of two classes."""
    return np.asarray(found[:, 1] if kind == "probability" else found)


def _fold_decisions(known: Known, labels: Ints, folds: Ints, count: int) -> tuple[Floats, Bools]:
    """Decision values (B, n) without the row's fold, and folds (B, V) that are not vouched for."""
    X, values = known.varying, np.zeros(labels.shape)
    unsure = np.zeros((len(labels), count), dtype=bool)
    np.put_along_axis(unsure, folds, True, axis=1)
    found = folded_decisions(known.learner, X, labels, folds, count, fast=True)
    if found is not None:
        values, unsure = found[0], unsure & found[1]
    for b, test in left_out(folds, unsure):
        counts = (~test).astype(np.int64)
        found = decisions(known.learner, X, labels[b], counts, everywhere=False, fast=True)
        if found is None:
            break
        training, row = np.nonzero(test)
        values[b[training], row] = found[0][training, row]
        unsure[b, folds[b, test.argmax(axis=1)]] = found[1]
    return values, unsure
