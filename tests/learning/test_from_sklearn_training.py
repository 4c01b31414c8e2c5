"""scikit-learn estimators with a fast way predict as scikit-learn does."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

from abovechance.learning import (
    LDA,
    LinearSVM,
    RidgeLogistic,
    ShrinkageLDA,
    SquaredHingeSVM,
    cross_validate,
    recognise,
)
from abovechance.learning.from_sklearn import (
    _by_libsvm,
    _libsvm_is_known,
    converged,
    cross_predictions,
    known,
)
from abovechance.learning.training import decisions
from abovechance.numerics.covariance import folded_discriminants

KNOWN = {
    "discriminant": LinearDiscriminantAnalysis(),
    "scaled discriminant": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    "machine": SVC(kernel="linear", C=0.1, tol=1e-6),
    "scaled machine": make_pipeline(StandardScaler(), SVC(kernel="linear", C=10, tol=1e-6)),
    "regression": LogisticRegression(C=0.5, tol=1e-9, max_iter=1_000),
    "no intercept": LogisticRegression(fit_intercept=False, solver="newton-cg", tol=1e-9),
    "scaled regression": make_pipeline(
        StandardScaler(), LogisticRegression(C=10, tol=1e-9, max_iter=1_000)
    ),
    "shrunken": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "shrunken by another solver": LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    "shrunken by a share": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    "scaled and shrunken": make_pipeline(
        StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    ),
    "liblinear": LinearSVC(C=0.1, tol=1e-10, max_iter=100_000),
    "scaled liblinear": make_pipeline(
        StandardScaler(), LinearSVC(C=2.0, dual=False, tol=1e-10, max_iter=100_000)
    ),
}
UNKNOWN = [
    LogisticRegression(class_weight="balanced"),
    LogisticRegression(l1_ratio=1.0, solver="saga"),
    LogisticRegression(solver="liblinear"),
    make_pipeline(StandardScaler(), LogisticRegression(fit_intercept=False)),
    SVC(),
    SVC(kernel="linear", class_weight="balanced"),
    LinearDiscriminantAnalysis(solver="lsqr"),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.0),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", priors=[0.5, 0.5]),
    make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2)),
    LinearSVC(loss="hinge"),
    LinearSVC(fit_intercept=False),
    LinearDiscriminantAnalysis(priors=[0.5, 0.5]),
    make_pipeline(MinMaxScaler(), SVC(kernel="linear")),
    make_pipeline(StandardScaler(with_mean=False), SVC(kernel="linear")),
]


@pytest.mark.part(3)
@pytest.mark.parametrize("name", KNOWN)
def test_recognised_estimators_predict_as_they_do_in_scikit_learn(name):
    rng = np.random.default_rng(3)
    y = np.arange(45) % 3 == 0
    X = rng.normal(size=(45, 12)) + 0.4 * y[:, None]
    labels = rng.permuted(np.tile(y, (130, 1)), axis=1).astype(np.int64)
    folds = rng.permuted(np.tile(np.arange(45) % 6, (130, 1)), axis=1)
    ours = cross_validate(recognise(KNOWN[name]), X, labels, folds)
    for b in range(10):
        split = PredefinedSplit(folds[b])
        theirs = cross_val_predict(KNOWN[name], X, labels[b], cv=split)
        np.testing.assert_array_equal(ours[b], theirs)


def test_recognised_estimators_are_learners_of_ours():
    assert isinstance(recognise(KNOWN["discriminant"]), LDA)
    assert recognise(KNOWN["machine"]) == LinearSVM(0.1, "none")
    assert recognise(KNOWN["scaled machine"]) == LinearSVM(10.0, "population")
    assert recognise(LogisticRegression(C=np.inf)) == RidgeLogistic(np.inf)
    assert recognise(KNOWN["scaled and shrunken"]) == ShrinkageLDA("auto")
    assert recognise(KNOWN["shrunken by a share"]) == ShrinkageLDA(0.2)
    assert recognise(KNOWN["scaled liblinear"]) == SquaredHingeSVM(2.0, "population")
    assert recognise(KNOWN["no intercept"]) == RidgeLogistic(1.0, intercept=False)
    assert recognise(KNOWN["scaled regression"]) == RidgeLogistic(10.0, scaling="population")


def test_an_estimator_that_ran_out_of_steps_is_seen():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)) * [1.0, 100.0, 0.01], np.arange(60) % 2
    y[:20] = X[:20, 1] > 0
    with pytest.warns(UserWarning, match="failed to converge"):
        short = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2)).fit(X, y)
    assert not converged(short)
    for estimator in (LogisticRegression(), SVC(kernel="linear"), LinearDiscriminantAnalysis()):
        assert converged(make_pipeline(StandardScaler(), estimator).fit(X, y))


@pytest.mark.parametrize("estimator", UNKNOWN, ids=str)
def test_others_are_left_to_scikit_learn(estimator):
    assert recognise(estimator) is None


TABLES = {
    "numbers": lambda rng: rng.normal(size=(40, 23)),
    "whole numbers": lambda rng: rng.integers(0, 3, (60, 4)).astype(float),
    "a constant": lambda rng: np.c_[rng.normal(size=(30, 40)), np.full(30, 0.1)],
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("cost", [0.1, 10.0])
def test_machines_by_libsvm_itself_decide_as_scikit_learn_s_to_the_last_bit(table, cost):
    rng = np.random.default_rng(5)
    X = TABLES[table](rng)
    machine = SVC(kernel="linear", C=cost, shrinking=False)
    for estimator in (machine, make_pipeline(StandardScaler(), machine)):
        for _ in range(5):
            labels = rng.permutation(np.arange(len(X)) % 2)
            test = rng.permutation(np.arange(len(X)) % 5 == 0)
            found = _by_libsvm(estimator, X, labels, test)
            fitted = clone(estimator).fit(X[~test], labels[~test])
            np.testing.assert_array_equal(found, fitted.decision_function(X[test]))


def test_a_libsvm_that_is_not_as_known_is_left_alone(monkeypatch):
    from sklearn.svm import _libsvm

    assert _libsvm_is_known()
    _libsvm_is_known.cache_clear()
    try:
        with monkeypatch.context() as other:
            other.setattr(_libsvm, "fit", lambda *given, **settings: None)
            assert not _libsvm_is_known()
    finally:
        _libsvm_is_known.cache_clear()


@pytest.mark.parametrize(("n", "by_rows"), [(40, True), (56, False)])
def test_the_hat_matrix_is_made_only_where_it_is_used_and_both_ways_agree(n, by_rows):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 2))
    labels = rng.permuted(np.tile(np.arange(n) % 2, (6, 1)), axis=1)
    folds = np.tile(np.arange(n) % 8, (6, 1))
    found = known(LinearDiscriminantAnalysis(), X)
    predicted = cross_predictions(found, labels, folds)
    assert ("hat" in vars(found)) == by_rows
    assert found.learner == LDA("rows")  # so that no degrees of freedom are lost
    through_rows, unsure = folded_discriminants(found.hat, labels, folds, 8, lost=0)
    assert not unsure.any()
    through_features = np.empty(labels.shape)
    for v in range(8):
        test = folds == v
        counts = (~test).astype(np.int64)
        values, doubtful = decisions(found.learner, X, labels, counts, everywhere=False, fast=True)
        assert not doubtful.any()
        through_features[test] = values[test]
    np.testing.assert_allclose(through_features, through_rows, rtol=0, atol=1e-12)
    np.testing.assert_allclose(predicted, 1 / (1 + np.exp(-through_rows)), rtol=0, atol=1e-12)
