"""From a scikit-learn estimator to predictions, of its labels as they are and of many others."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, listed
from abovechance.gate import Column, Features, Fitted, Outcome, Trainable, errors_of, gated
from abovechance.learning.learners import (
    LDA,
    TIE,
    Learner,
    LinearSVM,
    RidgeLogistic,
    Scaling,
    ShrinkageLDA,
    SquaredHingeSVM,
)
from abovechance.learning.training import decisions, folded_decisions, hat_of, left_out
from abovechance.numerics import machine_room
from abovechance.numerics.covariance import Hat
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, checks
from abovechance.predictions.checks import aligned

# ----------------------------------------------------------------------------------------------
# Chance that scikit-learn's objects would take from elsewhere, taken from one seed.
# ----------------------------------------------------------------------------------------------


LARGEST = 2**32  # scikit-learn takes no larger seed


def seeded(estimator: Any, seed: int) -> Any:
    """The estimator with all that it leaves to chance, nested parts too, set by the seed.

    That is every `random_state` that is None, and every splitter that shuffles without one.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> seeded(RandomForestClassifier(random_state=3), 1).random_state
    3
    >>> seeded(RandomForestClassifier(), 1).random_state is None
    False
    """
    from sklearn.base import clone

    other = clone(estimator)
    given = other.get_params()
    open_ = sorted(name for name, value in given.items() if value is None and _chance(name))
    splitters = sorted(name for name, value in given.items() if hasattr(value, "get_n_splits"))
    states = np.random.SeedSequence(seed).generate_state(len(open_) + len(splitters)).tolist()
    settings: dict[str, Any] = dict(zip(open_, states, strict=False))
    for name, state in zip(splitters, states[len(open_) :], strict=True):
        settings[name] = seeded_splitter(given[name], state)
    return other.set_params(**settings)


def seeded_splitter(cv: Any, seed: int) -> Any:
    """A splitter that shuffles with no `random_state` of its own, given one; else `cv` itself."""
    if getattr(cv, "random_state", seed) is not None or not getattr(cv, "shuffle", True):
        return cv
    other = copy(cv)
    other.random_state = seed % LARGEST
    return other


def _chance(name: str) -> bool:
    return name.rpartition("__")[2] == "random_state"


# ----------------------------------------------------------------------------------------------
# Which rows are tested together: scikit-learn's splitters asked once or for many labellings.
# ----------------------------------------------------------------------------------------------


def splitter_of(estimator: Any, cv: Any, y: Array, groups: Any, rng: Any) -> Any:
    """A scikit-learn splitter: the one given, or one that stratifies and shuffles by `rng`."""
    with errors_of("cv", "must be a number of folds, a splitter, or a list of splits"):
        return _splitter_of(estimator, cv, y, groups, rng)


def splits_of(splitter: Any, X: Any, y: Array, groups: Any = None) -> list[tuple[Any, Any]]:
    """The rows to train on and to test, split by split."""
    with errors_of("cv", "could not split these rows"):
        found = [(train, test) for train, test in splitter.split(X, y, groups)]
        for part in found:
            for rows in part:
                y[rows]  # a list of splits can name rows that are not there
    return found


def _splitter_of(estimator: Any, cv: Any, y: Array, groups: Any, rng: Any) -> Any:
    from sklearn.base import is_classifier
    from sklearn.model_selection import (
        GroupKFold,
        KFold,
        StratifiedGroupKFold,
        StratifiedKFold,
        check_cv,
    )

    classes = is_classifier(estimator)
    if isinstance(cv, int):
        seed = int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else rng
        seed = None if seed is None else seed % 2**32  # scikit-learn takes none larger
        if groups is not None and classes:
            cv = StratifiedGroupKFold(cv, shuffle=True, random_state=seed)
        elif groups is not None:
            cv = GroupKFold(cv)
        else:
            cv = (StratifiedKFold if classes else KFold)(cv, shuffle=True, random_state=seed)
    return check_cv(cv, y, classifier=classes)


def folds_of(splitter: Any, X: Any, y: Array, groups: Any = None) -> Ints | None:
    """Fold numbers (n,) from 0 on, or None unless every row is tested once, by all the others.

    >>> from sklearn.model_selection import KFold, ShuffleSplit
    >>> folds_of(KFold(2), np.zeros((4, 1)), np.array([0, 1, 0, 1]))
    array([0, 0, 1, 1])
    >>> folds_of(ShuffleSplit(2), np.zeros((4, 1)), np.array([0, 1, 0, 1]))
    """
    parts, everyone = splits_of(splitter, X, y, groups), np.arange(len(y))
    if not parts:
        return None
    trained, tested = ([everyone[rows] for rows in side] for side in zip(*parts, strict=True))
    count, number = len(parts), np.arange(len(parts))
    seen, asked = np.zeros((2, count, len(y)), dtype=np.int64)
    for table, rows in ((seen, trained), (asked, tested)):
        np.add.at(table, (np.repeat(number, [len(r) for r in rows]), np.concatenate(rows)), 1)
    if (seen + asked != 1).any() or (asked.sum(axis=0) != 1).any():
        return None
    return np.asarray(asked.argmax(axis=0))


def folds_of_each(
    splitter: Any,
    X: Any,
    labels: Ints,
    groups: Any = None,
    asked: dict[Any, Ints | None] | None = None,
) -> Iterator[tuple[Ints, Ints | None]]:
    """Row numbers of labellings (B, n) of two classes with their folds (·, n), or with None.

    A splitter that does not look at labels has one answer for all of them, and one that deals
    has few. Give the same `asked` again to keep what it has answered.
    """
    kept = {} if asked is None else asked
    if _blind(splitter):
        if not kept:
            kept[None] = folds_of(splitter, X, labels[0], groups)
        one = kept[None]
        yield np.arange(len(labels)), None if one is None else np.tile(one, (len(labels), 1))
    elif _deals(splitter):
        yield from _dealt(splitter, X, labels, groups, kept)
    else:
        for b, row in enumerate(labels):
            found = folds_of(splitter, X, row, groups)
            yield np.array([b]), None if found is None else found[None]


def _dealt(
    splitter: Any, X: Any, labels: Ints, groups: Any, kept: dict[Any, Ints | None]
) -> Iterator[tuple[Ints, Ints | None]]:
    """Folds of a stratified splitter with a fixed seed.

    It deals its folds to each class in the order in which the members come, beginning with the
    class that is seen first; nothing but the size of that class makes two labellings differ.
    """
    others = labels != labels[:, :1]
    behind = others.cumsum(axis=1)  # those of the other class, dealt to after all of the first one
    kinds, everyone = behind[:, -1], np.arange(labels.shape[1])
    for key in np.unique(kinds).tolist():
        alike = np.flatnonzero(kinds == key)
        if key not in kept:
            row = alike[0]
            found = folds_of(splitter, X, labels[row], groups)
            order = np.argsort(others[row], kind="stable")
            kept[key] = None if found is None else found[order]
        one = kept[key]
        if one is None:
            yield alike, None
            continue
        turn, last = behind[alike], labels.shape[1] - key - 1
        yield alike, one[np.where(others[alike], last + turn, everyone - turn)]


def _deals(splitter: Any) -> bool:
    from sklearn.model_selection import StratifiedKFold

    return type(splitter) is StratifiedKFold and _settled(splitter)


def _blind(splitter: Any) -> bool:
    """Whether a splitter gives the same folds again, whatever the labels."""
    from sklearn.model_selection import (
        GroupKFold,
        KFold,
        LeaveOneGroupOut,
        LeaveOneOut,
        PredefinedSplit,
    )

    kinds = (GroupKFold, KFold, LeaveOneGroupOut, LeaveOneOut, PredefinedSplit)
    return type(splitter) in kinds and _settled(splitter)


def _settled(splitter: Any) -> bool:
    shuffles = getattr(splitter, "shuffle", False)
    return not shuffles or isinstance(splitter.random_state, int)


METHODS = {
    "value": "predict",
    "probability": "predict_proba",
    "score": "decision_function",
    "label": "predict",
}
"""Which method of an estimator predicts what."""


@gated
def from_estimator(
    estimator: Fitted,
    X: Features,
    y: Outcome,
    *,
    pos_label: Any = None,
    id: Column | None = None,
    groups: Column | None = None,
    sample_weight: Column | None = None,
) -> Predictions:
    """Predictions of a fitted estimator for cases it has not seen.

    Probabilities where it has `predict_proba`, else decision values of two classes, else labels;
    numbers of a regressor.

    Parameters
    ----------
    estimator
        A fitted scikit-learn classifier or regressor.
    X
        Features of cases that it was not fitted to.
    y
        Their observed classes or numbers.
    pos_label
        The positive class of two not coded 0/1; of more classes, that one against the rest.
    id
        Names of the cases; none when not given.
    groups
        The cluster of each case; independent cases when not given.
    sample_weight
        Sampling weight of each case; none when not given.

    Returns
    -------
    Binary, Multiclass or Numeric
        The predictions, as of an independent test set.

    Raises
    ------
    DataError
        If it is unclear which class is positive.

    See Also
    --------
    from_cv : where all cases are to be predicted, each by a model fitted without it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
    >>> from_estimator(LogisticRegression().fit(X[:6], y[:6]), X[6:], y[6:])
    Binary(2 cases; label, probability, score; origin test)
    """
    given = {"X": X, "y": y, "id": id, "groups": groups, "sample_weight": sample_weight}
    extra, _, notes = aligned(given)
    del extra["X"]
    kind, prediction = predict(estimator, X, len(getattr(estimator, "classes_", ())))
    outcome = extra.pop("y")
    made = assembled(estimator, outcome, kind, prediction, pos_label, {**extra, "origin": "test"})
    return made.with_notes(*notes)


@gated
def from_cv(
    estimator: Trainable,
    X: Features,
    y: Outcome,
    *,
    cv: Any = 5,
    groups: Column | None = None,
    pos_label: Any = None,
    id: Column | None = None,
    sample_weight: Column | None = None,
    rng: Any = None,
) -> Predictions:
    """Cross-validated predictions: every case by a model that was fitted without it.

    Parameters
    ----------
    estimator
        Any scikit-learn classifier or regressor; it is cloned, and stays as it is.
    X
        Features: cases × features.
    y
        Observed classes or numbers.
    cv
        Number of folds (stratified and shuffled for classes), or any scikit-learn splitter, or
        an iterable of (train, test) rows. A splitter that tests cases several times gives
        repeats.
    groups
        Clusters: kept together by a splitter that reads them, and kept with the predictions.
    pos_label
        The positive class of two not coded 0/1; of more classes, that one against the rest.
    id
        Names of the cases; their row numbers when not given.
    sample_weight
        Sampling weight of each case, kept with the predictions; none when not given.
    rng
        Seed of the shuffling when `cv` is a number.

    Returns
    -------
    Binary, Multiclass or Numeric
        The predictions with their folds.

    Raises
    ------
    DataError
        If `cv` gives no split, or it is unclear which class is positive.

    See Also
    --------
    from_estimator : for cases that a fitted model has not seen.
    permutation_test : the test against chance that suits them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
    >>> from_cv(LogisticRegression(), X, y, cv=2, rng=1)
    Binary(8 cases; label, probability, score; origin cv)
    """
    given = {"X": X, "y": y, "groups": groups, "id": id, "sample_weight": sample_weight}
    columns, _, notes = aligned(given)
    found = cross_fitted(estimator, **columns, cv=cv, rng=rng)
    return found.assembled(pos_label).with_notes(*notes)


@gated
def from_cross_validate(
    results: Mapping[str, Any],
    X: Features,
    y: Outcome,
    *,
    groups: Column | None = None,
    pos_label: Any = None,
    id: Column | None = None,
    sample_weight: Column | None = None,
) -> Predictions:
    """Predictions behind the results of scikit-learn's `cross_validate`, nothing fitted again.

    Parameters
    ----------
    results
        What `cross_validate(..., return_estimator=True, return_indices=True)` returned.
    X
        The features it was given, in the same order.
    y
        The observed classes or numbers it was given, in the same order.
    groups
        Clusters, kept with the predictions.
    pos_label
        The positive class of two not coded 0/1; of more classes, that one against the rest.
    id
        Names of the cases; their row numbers when not given.
    sample_weight
        Sampling weight of each case, kept with the predictions; none when not given.

    Returns
    -------
    Binary, Multiclass or Numeric
        The predictions with their folds.

    Raises
    ------
    DataError
        If the results hold no estimators or no indices, if they are of other data, or if it is
        unclear which class is positive.

    See Also
    --------
    from_cv : fits and predicts in one step.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
    >>> kept = {"return_estimator": True, "return_indices": True}
    >>> results = cross_validate(LogisticRegression(), X, y, cv=2, **kept)
    >>> from_cross_validate(results, X, y)
    Binary(8 cases; label, probability, score; origin cv)
    """
    lacking = [name for name in ("estimator", "indices") if name not in results]
    if lacking:
        raise DataError(
            f"results must hold the fitted estimators and the rows of every fold; there is no "
            f"{' and no '.join(map(repr, lacking))}. Call cross_validate(..., "
            "return_estimator=True, return_indices=True), or let from_cv(estimator, X, y) do both."
        )
    given = {"X": X, "y": y, "groups": groups, "id": id, "sample_weight": sample_weight}
    columns, _, notes = aligned(given)
    features, outcome = columns.pop("X"), checks.unmasked(columns.pop("y"), "y")
    outcome = checks.vector("y", outcome) if outcome.ndim == 1 else outcome
    estimators, tested = results["estimator"], results["indices"]["test"]
    rows = 1 + max(int(np.max(part)) for side in results["indices"].values() for part in side)
    if rows != len(outcome):
        raise DataError(
            f"X and y must be the data that cross_validate was given; its folds are of {rows} "
            f"cases, y has {len(outcome)}."
        )
    splits = (
        (test, *_refused_unfitted(fitted, features, outcome, test, fold))
        for fold, (fitted, test) in enumerate(zip(estimators, tested, strict=True), start=1)
    )
    found = _gathered(estimators[0], outcome, splits, **columns)
    return found.assembled(pos_label).with_notes(*notes)


def _refused_unfitted(fitted: Any, X: Any, y: Array, test: Any, fold: int) -> tuple[str, Array]:
    from sklearn.exceptions import NotFittedError

    classes = np.unique(y)
    try:
        kind, prediction = predict(fitted, rows_of(X, test), len(classes))
    except NotFittedError:
        raise DataError(
            f"every fold must have a fitted estimator; that of fold {fold} failed to fit. Call "
            'cross_validate(..., error_score="raise") to see why.'
        ) from None
    return kind, by_class(fitted, kind, prediction, classes)


class CrossFitted(NamedTuple):
    """What models fitted without a case predicted for it, before it is made predictions."""

    estimator: Any
    outcome: Array
    kind: str
    prediction: Array
    columns: dict[str, Any]
    whole: Array

    def assembled(self, pos_label: Any) -> Predictions:
        """Predictions; `whole` is the outcome that says which classes there are."""
        return assembled(
            self.estimator,
            self.outcome,
            self.kind,
            self.prediction,
            pos_label,
            self.columns,
            self.whole,
        )


def cross_fitted(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any,
    groups: Any = None,
    id: Any = None,
    sample_weight: Any = None,
    rng: Any = None,
    lone: bool = False,
) -> CrossFitted:
    """The fits and predictions of `from_cv`.

    `lone` says to predict the only class that a training part holds; else the estimator is asked,
    and many refuse it.
    """
    outcome = np.asarray(y)
    splitter = splitter_of(estimator, cv, outcome, groups, rng)
    splits = (
        (test, *_after_training(estimator, X, outcome, train, test, lone))
        for train, test in splits_of(splitter, X, outcome, groups)
    )
    return _gathered(estimator, outcome, splits, groups, id, sample_weight)


def _gathered(
    estimator: Any,
    outcome: Array,
    splits: Iterable[tuple[Any, str, Array]],
    groups: Any,
    id: Any,
    sample_weight: Any,
) -> CrossFitted:
    """The predictions for the test rows of every split, in the order of the cases."""
    names = np.arange(1, len(outcome) + 1) if id is None else np.asarray(id)
    times_tested = np.zeros(len(outcome), dtype=np.int64)
    rows, folds, repeats, parts, kind = [], [], [], [], ""
    for fold, (test, kind, prediction) in enumerate(splits):  # noqa: B007
        parts.append(prediction)
        rows.append(np.asarray(test))
        repeats.append(times_tested[test] + 1)
        folds.append(np.full(len(test), fold + 1))
        times_tested[test] += 1
    if not rows:
        raise DataError("cv must give at least one split; it gave none.")
    at = np.concatenate(rows)
    order = np.lexsort((at, np.concatenate(repeats)))
    at, repeat = at[order], np.concatenate(repeats)[order]
    extra = {
        "id": names[at],
        "fold": np.concatenate(folds)[order],
        "repeat": repeat if (repeat > 1).any() else None,
        "groups": None if groups is None else np.asarray(groups)[at],
        "sample_weight": None if sample_weight is None else np.asarray(sample_weight)[at],
    }
    prediction = np.concatenate(parts)[order]
    return CrossFitted(estimator, outcome[at], kind, prediction, extra, outcome)


def _after_training(
    estimator: Any, X: Any, y: Array, train: Any, test: Any, lone: bool
) -> tuple[str, Array]:
    """What an estimator fitted to some rows predicts for others; one column per class."""
    from sklearn.base import clone, is_regressor

    classes, seen = np.unique(y), np.unique(y[train])
    if lone and len(seen) == 1 and not is_regressor(estimator):
        kind = _kind(estimator, len(classes))
        return kind, only_class(kind, seen[0], classes, len(y[test]))
    with errors_of(estimator, "could not be fitted to these rows"):
        fitted = clone(estimator).fit(rows_of(X, train), y[train])
    kind, prediction = predict(fitted, rows_of(X, test), len(classes))
    return kind, by_class(fitted, kind, prediction, classes)


def only_class(kind: str, only: Any, classes: Array, number: int) -> Array:
    """The prediction that so many cases belong to the only class a training part held.

    >>> only_class("probability", "b", np.array(["a", "b"]), 1)
    array([[0., 1.]])
    >>> only_class("score", "a", np.array(["a", "b"]), 2)
    array([-1., -1.])
    """
    if kind == "label":
        return np.full(number, only)
    sure = np.tile((classes == only).astype(np.float64), (number, 1))
    return sure if kind == "probability" else 2 * sure[:, -1] - 1


def rows_of(X: Any, index: Any) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[index]
    if hasattr(X, "column_names"):  # Arrow's
        return X.take(index)
    return X[index] if hasattr(X, "shape") else np.asarray(X)[index]


def predict(estimator: Any, X: Any, classes: int) -> tuple[str, Array]:
    """What is predicted and of which kind; `classes` counts those of the whole data."""
    kind = _kind(estimator, classes)
    with errors_of(estimator, "could not predict these rows"):
        return kind, np.asarray(getattr(estimator, METHODS[kind])(X))


def _kind(estimator: Any, classes: int) -> str:
    """The kind of prediction to ask for."""
    from sklearn.base import is_regressor

    if is_regressor(estimator):
        return "value"
    if hasattr(estimator, "predict_proba"):
        return "probability"
    if hasattr(estimator, "decision_function") and classes == 2:
        return "score"
    return "label"


def outcome_lacks(classes: Array, known: Array) -> bool:
    """Whether an estimator knows a class that the outcome has not."""
    return not set(np.asarray(known).tolist()) <= set(classes.ravel().tolist())


def by_class(estimator: Any, kind: str, prediction: Array, classes: Array) -> Array:
    """Probabilities in one column per class of the whole data, even if a fold lacked one."""
    if kind != "probability" or len(estimator.classes_) == len(classes):
        return prediction
    if outcome_lacks(classes, estimator.classes_):
        raise DataError(
            "X and y must be the data that the estimator was fitted to; it knows the classes "
            f"{listed(estimator.classes_.tolist())}, y has {listed(classes.tolist())}."
        )
    wide = np.zeros((len(prediction), len(classes)))
    wide[:, np.searchsorted(classes, estimator.classes_)] = prediction
    return wide


def assembled(
    estimator: Any,
    y: Any,
    kind: str,
    prediction: Array,
    pos_label: Any,
    extra: dict[str, Any],
    whole: Any = None,
) -> Predictions:
    if kind == "value":
        return Numeric(y, prediction, **extra)
    classes = (estimator.classes_ if whole is None else np.unique(whole)).tolist()
    if len(classes) > 2:
        several: dict[str, Any] = {kind: prediction, **extra}
        made = Multiclass(y, labels=classes, **several)
        return made if pos_label is None else made.against_rest(pos_label)
    positive = (
        classes[-1] if pos_label is None and classes in ([0, 1], [False, True]) else pos_label
    )
    if positive is None:
        raise DataError(
            f"pos_label must say which class is positive; the classes are "
            f"{', '.join(map(repr, classes))}. Pass pos_label={classes[-1]!r}, for instance."
        )
    first = checks.same_label(classes[0], positive)
    if kind == "probability":
        prediction = prediction[:, 0 if first else 1]
    elif kind == "score" and first:
        prediction = -prediction
    columns: dict[str, Any] = {kind: prediction, **extra}
    threshold = 0.0 if kind == "score" else None
    return Binary(y, pos_label=positive, labels=classes, threshold=threshold, **columns)


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

UNUSED_BY_LIBLINEAR = ("C", "tol", "dual", "max_iter", "verbose", "random_state", "multi_class")
SHRINKING = ("solver", "shrinkage", "store_covariance", "tol")  # `tol` is of the other solver
UNUSED_BY_NEWTON = (
    "C",
    "penalty",
    "tol",
    "fit_intercept",
    "intercept_scaling",
    "solver",
    "max_iter",
    "verbose",
    "random_state",
    "warm_start",
    "n_jobs",
)
SMOOTH = ("lbfgs", "newton-cg", "newton-cholesky")  # solvers that stop where slopes are small


def recognise(estimator: Any) -> Learner | None:
    """The learner that predicts what a scikit-learn classifier does, or None.

    Known are linear discriminants (the default solver, or another one with shrinkage; shares of
    classes as prior), linear support vector machines (`SVC` and `LinearSVC`) and logistic
    regression (ridge penalty or none, a solver that goes for the optimum), alone or after a
    `StandardScaler`, all with default settings but for the cost.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> recognise(make_pipeline(StandardScaler(), SVC(kernel="linear", C=10)))
    LinearSVM(cost=10.0, scaling='population')
    >>> recognise(SVC(kernel="rbf"))
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, LinearSVC

    scaled = False
    if type(estimator) is Pipeline and len(estimator.steps) == 2:
        scaler, estimator = (step for _, step in estimator.steps)
        scaled = _default(scaler, StandardScaler(), but=("copy",))
        if not scaled:
            return None
    scaling: Scaling = "population" if scaled else "none"
    if _default(estimator, SVC(kernel="linear"), but=UNUSED):
        return LinearSVM(float(estimator.C), scaling)
    if _default(estimator, LinearSVC(), but=UNUSED_BY_LIBLINEAR):
        return SquaredHingeSVM(float(estimator.C), scaling)
    # Scaling features one by one changes nothing in a discriminant.
    if _default(estimator, LinearDiscriminantAnalysis(), but=("store_covariance",)):
        told = isinstance(estimator.store_covariance, bool | np.bool_)
        return LDA("rows" if _divides_by_rows() else "degrees") if told else None
    if _default(estimator, LogisticRegression(), but=UNUSED_BY_NEWTON):
        return _logistic(estimator, scaling)
    if _default(estimator, LinearDiscriminantAnalysis(), but=SHRINKING):
        return _shrunken(estimator, scaled)
    return None


def _shrunken(estimator: Any, scaled: bool) -> ShrinkageLDA | None:
    """A discriminant with shrinkage; a stated share of it depends on the units of features."""
    share = estimator.shrinkage
    if estimator.solver not in ("lsqr", "eigen") or share is None:
        return None
    if isinstance(share, str):
        return ShrinkageLDA("auto") if share == "auto" else None
    return ShrinkageLDA(float(share)) if share > 0 and not scaled else None


def _logistic(estimator: Any, scaling: Scaling) -> RidgeLogistic | None:
    """A logistic regression whose solver ends at the optimum of one of the penalties known."""
    penalties = {"l2": float(estimator.C), "deprecated": float(estimator.C), None: np.inf}
    plain = estimator.fit_intercept or scaling == "none"
    if estimator.solver not in SMOOTH or estimator.penalty not in penalties or not plain:
        return None
    return RidgeLogistic(penalties[estimator.penalty], bool(estimator.fit_intercept), scaling)


def converged(fitted: Any) -> bool:
    """Whether a fitted estimator, or the last step of a pipeline, stayed below `max_iter`.

    One that did not is not at its optimum, which is where the fast way ends.
    """
    last = getattr(fitted, "steps", [("", fitted)])[-1][1]
    limit = getattr(last, "max_iter", -1)
    return limit < 0 or bool(np.max(last.n_iter_) < limit)


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


@dataclass(frozen=True, eq=False)
class Known:
    """A scikit-learn estimator for which there is a fast way, and features it takes as they are."""

    estimator: Any
    learner: Learner
    X: Floats

    @cached_property
    def varying(self) -> Floats:
        """The features but for those that hold one whole number: scikit-learn leaves them out.

        Means of such a feature are exact; those of a fraction are not, and what rounding leaves
        of it may count. To learners that shrink or penalise, a constant is a feature like others.
        """
        if not isinstance(self.learner, LDA | LinearSVM):
            return self.X
        first = self.X[0]
        still = (np.ptp(self.X, axis=0) == 0) & (first == np.round(first))
        still &= np.abs(first) * len(self.X) < EXACT
        return self.X if still.all() or not still.any() else self.X[:, ~still]

    @property
    def one_by_one(self) -> bool:
        """Whether the values of a labelling are the same bits whatever others it is trained with.

        Products of matrices, which other learners need, are not: their order of addition may
        depend on their size.
        """
        return isinstance(self.learner, LDA) and self.hat is not None

    @cached_property
    def hat(self) -> Hat | None:
        """What all labellings share where discriminants are cross-validated."""
        return hat_of(self.learner, self.varying)

    def surely_fits(self, X: Any, y: Array) -> bool:
        """Whether scikit-learn can be known to fit it to these rows without being asked.

        A discriminant of features of full rank has neither a limit of steps nor a setting left
        that it could refuse.
        """
        plain = isinstance(X, np.ndarray) and y.dtype.kind in "biuU" and len(y) > 2
        alone = isinstance(self.learner, LDA) and not hasattr(self.estimator, "steps")
        return plain and alone and self.hat is not None

    @property
    def kind(self) -> str:
        """What it predicts: decision values of machines, else probabilities."""
        machine = isinstance(self.learner, LinearSVM | SquaredHingeSVM)
        return "score" if machine else "probability"

    @property
    def margin(self) -> float:
        """How near zero a decision value leaves it open what scikit-learn would predict."""
        return TOLERANCES * self.tolerance if isinstance(self.learner, LinearSVM) else TIE

    @property
    def tolerance(self) -> float:
        """By how much a machine's conditions of an optimum may be missed where it stops."""
        return float(getattr(self.estimator, "steps", [("", self.estimator)])[-1][1].tol)


def known(estimator: Any, X: Any) -> Known | None:
    """The estimator with a fast way to the same predictions, or None.

    Features must be a table of finite numbers in double precision or whole ones, as scikit-learn
    computes with others in other precision.
    """
    return with_features(estimator, recognise(estimator), X)


def with_features(estimator: Any, learner: Learner | None, X: Any) -> Known | None:
    """A learner and the features, where both are such that the fast way can be gone."""
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
    usual = np.abs(features).max(initial=0.0) <= checks.LARGEST
    return Known(estimator, learner, features) if usual else None


def cross_predictions(
    known: Known, labels: Ints, folds: Ints, *, ranked: bool = False, sides: bool = False
) -> Floats:
    """What the estimator trained without a row's fold predicts for it (B, n), for class 1 of two.

    Probabilities or decision values, by `known.kind`; where only `sides` matter, any numbers that
    are above zero for class 1. Trainings whose outcome the fast way cannot
    be sure of are left to scikit-learn. Logistic regressions are at their optimum, which
    scikit-learn's approach within their tolerance. Decision values of machines are exact where
    scikit-learn's are approximate; their signs agree, and if they are to be `ranked`, so does their
    order within folds (of all cases, where a fold has one class) as far as measures of ranks can
    tell.
    """
    count = int(folds.max()) + 1
    values, unsure = _fold_decisions(known, labels, folds, count)
    near = np.zeros_like(unsure)
    batch, row = np.nonzero(np.abs(values) < known.margin)
    near[batch, folds[batch, row]] = True
    if ranked and known.kind != "probability":
        near |= _order_unsure(values, labels, folds, count, 2.0 * known.margin)
    near &= ~unsure
    if isinstance(known.learner, LinearSVM) and near.any():
        _settle(known, labels, folds, near, values, ranked)
    unsure |= near
    probable = known.kind == "probability"
    if probable and not sides:
        from scipy.special import expit

        values = np.asarray(expit(values))
    if unsure.any():
        _leave_to_scikit_learn(known, labels, folds, unsure, values, 0.5 * (probable and sides))
    return values


def _order_unsure(values: Floats, labels: Ints, folds: Ints, count: int, margin: float) -> Bools:
    """Folds (B, V) in which scikit-learn may rank cases otherwise.

    Two cases of different classes that are near have neighbours of different classes between them
    that are nearer, so that neighbours tell all.
    """
    unsure = np.zeros((len(labels), count), dtype=bool)
    pooled = _has_lone(labels, folds, count)
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


def _has_lone(labels: Ints, folds: Ints, count: int) -> Bools:
    """Which labellings (B,) have a fold of one class."""
    cells = np.arange(len(labels))[:, None] * count + folds
    size = np.bincount(cells.ravel(), minlength=len(labels) * count)
    positives = np.bincount(cells[labels == 1], minlength=len(labels) * count)
    lone = (size > 0) & ((positives == 0) | (positives == size))
    return lone.reshape(-1, count).any(axis=1)


# libsvm stops when slopes of rows that could still move, one up and one down, are within its
# tolerance of each other: with the middle of them as offset no margin is missed by more than half
# of it, and the offset it takes is as near. Slopes come from products in single precision.
STOPPED_WITHIN = 0.5 * 1.2
MOST_RESPONSES = 1 << 22  # numbers in responses that are held at a time
OFF = 1e-6  # how far the values themselves may be off
LARGEST_SYSTEM = 250  # rows above which a fit by libsvm costs less than asking how far it can be


def _settle(
    known: Known, labels: Ints, folds: Ints, near: Bools, values: Floats, ranked: bool
) -> None:
    """Strike out of `near` (B, V) the folds in which libsvm cannot have come to other answers.

    Where it stops, margins are missed by no more than its tolerance; how far decision values, and
    differences of two of them, can move with those tells which signs and orders are certain.
    """
    learner, n = known.learner, labels.shape[1]
    if not isinstance(learner, LinearSVM) or n > LARGEST_SYSTEM:
        return
    moved = STOPPED_WITHIN * known.tolerance
    batch, fold = np.nonzero(near)
    if ranked:  # where values of several machines are ranked together
        apart = ~_has_lone(labels[batch], folds[batch], near.shape[1])
        batch, fold = batch[apart], fold[apart]
    tested = folds[batch] == fold[:, None]
    widest = int(tested.sum(axis=1).max(initial=1))
    step = max(1, MOST_RESPONSES // (n * max(n, widest**2)))
    for start in range(0, len(batch), step):
        some = slice(start, start + step)
        b, test = batch[some], tested[some]
        response, holds = machine_room.svm_responses(
            known.varying,
            labels[b],
            (~test).astype(np.int64),
            learner.cost,
            learner.scaling,
            moved,
        )
        order = np.argsort(~test, axis=1, kind="stable")[:, :widest]
        inside = np.take_along_axis(test, order, axis=1)
        value = np.take_along_axis(values[b], order, axis=1)
        label = np.take_along_axis(labels[b], order, axis=1)
        reply = np.take_along_axis(response, order[:, :, None], axis=1)
        certain = holds & (_beyond(value, reply, moved, moved) | ~inside).all(axis=1)
        if ranked:
            differ = inside[:, :, None] & inside[:, None] & (label[:, :, None] != label[:, None])
            gap, pull = value[:, :, None] - value[:, None], reply[:, :, None] - reply[:, None]
            certain &= (_beyond(gap, pull, moved, 0.0) | ~differ).all(axis=(1, 2))
        near[b[certain], fold[some][certain]] = False


def _beyond(value: Floats, response: Floats, moved: float, offset: float) -> Bools:
    """Whether values stay on their side of zero, however margins and the offset move."""
    return np.asarray(np.abs(value) > moved * np.abs(response).sum(axis=-1) + offset + OFF)


def _leave_to_scikit_learn(
    known: Known, labels: Ints, folds: Ints, unsure: Bools, values: Floats, less: float = 0.0
) -> None:
    """Put scikit-learn's predictions, so much `less`, into the folds (B, V) that are unsure.

    Where training sees one class, that is predicted.
    """
    from sklearn import config_context
    from sklearn.base import clone

    # A fit to shuffled labels often does not converge; the features are known to be in order.
    trusting = config_context(assume_finite=True, skip_parameter_validation=True)
    with warnings.catch_warnings(), trusting:
        warnings.simplefilter("ignore")
        reached = _reaches_libsvm(known)
        refit = _by_libsvm if reached else _by_scikit_learn
        learner = known.estimator if reached else clone(known.estimator)
        for b, v in np.argwhere(unsure):
            test = folds[b] == v
            seen = np.unique(labels[b, ~test])
            if len(seen) == 1:
                only = only_class(known.kind, seen[0], np.arange(2), int(test.sum()))
                values[b, test] = _second(known.kind, only) - less
            else:
                values[b, test] = refit(learner, known.X, labels[b], test) - less


def _by_scikit_learn(estimator: Any, X: Floats, labels: Ints, test: Bools) -> Floats:
    """What the estimator, fitted again without the rows tested, predicts for them.

    The steps of a pipeline are taken one after the other, which spares its own checks.
    """
    *before, last = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    for step in before:
        X = step.fit(X[~test]).transform(X)
    kind, found = predict(last.fit(X[~test], labels[~test]), X[test], 2)
    return _second(kind, found)


def _by_libsvm(estimator: Any, X: Floats, labels: Ints, test: Bools) -> Floats:
    """The decision values of a scikit-learn machine to the last bit, by the same libsvm.

    Of a fit to a few dozen rows scikit-learn spends nine tenths on checks of what is known to be
    in order.
    """
    from sklearn.svm import _libsvm

    machine = getattr(estimator, "steps", [("", estimator)])[-1][1]
    seen, asked = X[~test], X[test]
    if machine is not estimator:
        seen, asked = _standardised(seen, asked)
    how = {"svm_type": 0, "kernel": "linear", "cache_size": machine.cache_size}
    _libsvm.set_verbosity_wrap(0)
    found = _libsvm.fit(
        seen,
        labels[~test].astype(np.float64),
        C=machine.C,
        tol=machine.tol,
        shrinking=machine.shrinking,
        class_weight=np.ones(2),
        sample_weight=np.empty(0),
        random_seed=0,
        **how,
    )
    # scikit-learn turns libsvm's sign, which speaks for the first class
    return -np.asarray(_libsvm.decision_function(asked, *found[:7], **how)).ravel()


def _standardised(seen: Floats, asked: Floats) -> tuple[Floats, Floats]:
    """Rows as a `StandardScaler` leaves them, to the last bit: in the order of its steps."""
    n = len(seen)
    mean = seen.sum(axis=0) / n
    left = seen - mean
    variance = ((left**2).sum(axis=0) - left.sum(axis=0) ** 2 / n) / n
    eps = np.finfo(np.float64).eps
    still = variance <= n * eps * variance + (n * mean * eps) ** 2
    scale = np.where(still, 1.0, np.sqrt(variance))
    return (seen - mean) / scale, (asked - mean) / scale


def _reaches_libsvm(known: Known) -> bool:
    """Whether an estimator is a machine whose fits may be had from libsvm itself."""
    return isinstance(known.learner, LinearSVM) and _libsvm_is_known()


@cache
def _libsvm_is_known() -> bool:
    """Whether `_by_libsvm` gives what the scikit-learn at hand gives, though no name is public."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X = np.sin(np.arange(60.0)).reshape(20, 3) * [1.0, 50.0, 0.0] + 0.1
    labels, test = np.arange(20) % 3 % 2, np.arange(20) % 4 == 0
    for machine in (SVC(kernel="linear"), make_pipeline(StandardScaler(), SVC(kernel="linear"))):
        try:
            found = _by_libsvm(machine, X, labels, test)
        except (ImportError, AttributeError, TypeError, ValueError):
            return False
        if not np.array_equal(found, _by_scikit_learn(machine, X, labels, test)):
            return False
    return True


def _second(kind: str, found: Floats) -> Floats:
    """Probabilities or decision values for the second of two classes."""
    return np.asarray(found[:, 1] if kind == "probability" else found)


def _fold_decisions(known: Known, labels: Ints, folds: Ints, count: int) -> tuple[Floats, Bools]:
    """Decision values (B, n) without the row's fold, and folds (B, V) that are not vouched for."""
    X, values = known.varying, np.zeros(labels.shape)
    found = folded_decisions(
        known.learner, X, labels, folds, count, fast=True, hat=lambda: known.hat
    )
    if found is not None and not found[1].any():
        return found
    unsure = np.zeros((len(labels), count), dtype=bool)
    np.put_along_axis(unsure, folds, True, axis=1)
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
