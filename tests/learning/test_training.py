"""The fast ways to train many learners predict what training them one by one predicts."""

import numpy as np
import pytest

from abovechance.learning import training
from abovechance.learning.learners import (
    LDA,
    DiagonalLDA,
    LinearSVM,
    RegularisedDA,
    RidgeLogistic,
    ShrinkageLDA,
    ShrunkenDiagonalLDA,
    SquaredHingeSVM,
    fit_predict,
)
from abovechance.learning.schemes import bootstrap_counts
from abovechance.learning.training import cross_validate, decisions, fit_many, folded_decisions

LEARNERS = {
    "lda": LDA(),
    "dlda": DiagonalLDA(),
    "dlda of sparsediscrim": DiagonalLDA("sparsediscrim"),
    "sdlda": ShrunkenDiagonalLDA(),
    "sdlda of sparsediscrim": ShrunkenDiagonalLDA("sparsediscrim"),
    "svm.c10": LinearSVM(10.0),
    "svm.c0.1": LinearSVM(0.1),
    "svm, features as they are": LinearSVM(1.0, scaling="none"),
    "svm, scaled as scikit-learn does": LinearSVM(1.0, scaling="population"),
    "l2svm": SquaredHingeSVM(0.1),
    "l2svm, scaled as scikit-learn does": SquaredHingeSVM(0.1, scaling="population"),
    "lda, shrunken after Ledoit and Wolf": ShrinkageLDA(),
    "lda, shrunken by a share": ShrinkageLDA(0.3),
    "logistic, features as they are": RidgeLogistic(),
    "logistic, scaled as scikit-learn does": RidgeLogistic(1.0, scaling="population"),
    "logistic, no intercept": RidgeLogistic(10.0, intercept=False),
}
EVERY = pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))


def table(n, p, batch, *, ones=None, seed=0, tied=False):
    """Features with a little signal, and labellings with the same group sizes."""
    rng = np.random.default_rng([n, p, seed])
    y = (np.arange(n) < (n // 2 if ones is None else ones)).astype(np.int64)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + 0.3 * y[:, None]
    if tied:
        X = np.round(X)
    return X, rng.permuted(np.tile(y, (batch, 1)), axis=1), rng


@pytest.mark.part(5)
@EVERY
def test_many_labellings_in_eight_unequal_folds_agree(learner):
    X, labels, rng = table(40, 23, 300)
    folds = rng.permuted(np.repeat(np.arange(8), [3, 4, 4, 5, 5, 6, 6, 7])[None], axis=1)
    folds = rng.permuted(np.tile(folds, (300, 1)), axis=1)
    fast = cross_validate(learner, X, labels, folds)
    slow = cross_validate(learner, X, labels[::6], folds[::6], fast=False)
    np.testing.assert_array_equal(fast[::6], slow)


@pytest.mark.parametrize("unit", [1.0, 0.3, 1e-4])
def test_a_discriminant_that_regularises_nothing_agrees_in_any_unit(unit):
    X, labels, rng = table(40, 23, 150)
    X[:, 3] *= unit  # the smaller, the more directions are left out
    folds = rng.permuted(np.tile(np.arange(40) % 8, (150, 1)), axis=1)
    fast = cross_validate(RegularisedDA(), X, labels, folds)[:40]
    slow = cross_validate(RegularisedDA(), X, labels[:40], folds[:40], fast=False)
    np.testing.assert_array_equal(fast, slow)
    _, unsure = folded_decisions(RegularisedDA(), X, labels, folds, 8)
    assert unsure.all() == (unit < 1e-3)


SHAPES = {
    "few features": (40, 5, 300, 20),
    "one feature": (30, 1, 200, 15),
    "unequal classes": (45, 10, 150, 9),
    "training rows fewer than features": (24, 23, 250, 12),
    "more features than rows": (20, 40, 300, 10),
    "as many as the rank allows": (40, 30, 150, 20),
}


@pytest.mark.part(5)
@EVERY
@pytest.mark.parametrize("shape", SHAPES)
def test_other_shapes_agree(learner, shape):
    n, p, batch, ones = SHAPES[shape]
    X, labels, rng = table(n, p, batch, ones=ones)
    folds = rng.integers(4, size=labels.shape)
    fast = cross_validate(learner, X, labels, folds)[:25]
    slow = cross_validate(learner, X, labels[:25], folds[:25], fast=False)
    np.testing.assert_array_equal(fast, slow)


@EVERY
def test_bootstrap_samples_agree_singular_or_not(learner):
    X, labels, rng = table(40, 23, 200)
    counts = bootstrap_counts(1, 200, 40, rng)[0]
    fast = fit_many(learner, X, labels, counts, everywhere=False)
    assert (fast[counts > 0] == -1).all()
    slow = fit_many(learner, X, labels[:80], counts[:80], everywhere=False, fast=False)
    np.testing.assert_array_equal(fast[:80], slow)


@EVERY
def test_resubstitution_agrees(learner):
    X, labels, _ = table(40, 23, 150)
    ones = np.ones_like(labels)
    fast = fit_many(learner, X, labels, ones)[:50]
    slow = fit_many(learner, X, labels[:50], ones[:50], fast=False)
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.part(5)
@EVERY
def test_whole_numbers_with_ties_and_features_that_stand_still_agree(learner):
    X, labels, rng = table(30, 6, 200, tied=True)
    X[:, 4] = np.arange(30) < 3  # constant in many training parts
    X[:, 5] = X[:, 0] + X[:, 1]  # collinear
    folds = rng.integers(5, size=labels.shape)
    fast = cross_validate(learner, X, labels, folds)[:60]
    slow = cross_validate(learner, X, labels[:60], folds[:60], fast=False)
    np.testing.assert_array_equal(fast, slow)


@EVERY
def test_samples_with_one_class_predict_it(learner):
    X, labels, _ = table(40, 3, 150)
    counts = np.where(labels == 1, 1, 0)
    assert (fit_many(learner, X, labels, counts) == 1).all()
    assert (fit_many(learner, X, labels, 1 - counts) == 0).all()


@pytest.mark.parametrize("cost", [0.001, 0.01, 1.0, 100.0])
def test_decision_values_of_machines_are_exact(cost):
    X, labels, rng = table(40, 23, 160)
    counts = bootstrap_counts(1, 160, 40, rng)[0]
    counts[80:] = rng.permuted(np.tile(np.arange(40) < 35, (80, 1)), axis=1)
    values, bad = decisions(LinearSVM(cost), X, labels, counts, everywhere=True)
    assert bad.mean() < 0.05
    for f in range(0, 160, 5):
        used = np.repeat(np.arange(40), counts[f])
        scores = fit_predict(LinearSVM(cost), X[used], labels[f][used], X)
        if not bad[f]:
            np.testing.assert_allclose(values[f], scores[:, 1] - scores[:, 0], atol=1e-6)


def test_many_rows_are_solved_through_the_features():
    X, labels, rng = table(300, 8, 20)
    counts = (rng.random(labels.shape) < 0.75).astype(np.int64)
    for learner in (LinearSVM(10.0), LDA()):
        values, bad = decisions(learner, X, labels, counts, everywhere=True)
        assert bad.mean() < 0.2
        for f in np.flatnonzero(~bad)[:3]:
            used = counts[f] > 0
            scores = fit_predict(learner, X[used], labels[f][used], X)
            np.testing.assert_allclose(values[f], scores[:, 1] - scores[:, 0], atol=1e-6)


@pytest.mark.parametrize("scaling", ["sample", "population", "none"])
def test_machines_whose_signs_are_in_doubt_are_settled_without_libsvm(monkeypatch, scaling):
    X, labels, rng = table(60, 7, 24)
    counts = bootstrap_counts(1, 24, 60, rng)[0]
    learner = LinearSVM(3.0, scaling)
    one_by_one = fit_many(learner, X, labels, counts, fast=False)
    values, unsettled = training._exactly(learner, X, labels, counts)
    assert not unsettled.any()
    for f in range(24):
        used = np.repeat(np.arange(60), counts[f])
        scores = fit_predict(learner, X[used], labels[f][used], X)
        np.testing.assert_allclose(values[f], scores[:, 1] - scores[:, 0], atol=1e-9)
    monkeypatch.setattr(training, "CLOSE", 100.0)  # now every sign is
    monkeypatch.setattr(LinearSVM, "fit", None)
    np.testing.assert_array_equal(fit_many(learner, X, labels, counts, fast=True), one_by_one)


def test_a_machine_that_libsvm_leaves_too_early_is_exact_too():
    """Refining what libsvm finds here at its first tolerance runs in circles."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 23))
    y = rng.permutation(np.arange(400) % 2)
    scores = fit_predict(LinearSVM(10.0), X, y, X)
    values, bad = training._exactly(LinearSVM(10.0), X, y[None], np.ones((1, 400), dtype=int))
    assert not bad.any()
    np.testing.assert_allclose(values[0], scores[:, 1] - scores[:, 0], atol=1e-9)


def test_accuracies_of_machines_equal_libsvms_own():
    from sklearn.svm import SVC

    X, labels, rng = table(40, 23, 130)
    folds = rng.permuted(np.tile(np.arange(40) % 8, (130, 1)), axis=1)
    ours = cross_validate(LinearSVM(10.0, scaling="none"), X, labels, folds)
    for b in range(40):
        for v in range(8):
            test = folds[b] == v
            machine = SVC(kernel="linear", C=10.0, tol=1e-6).fit(X[~test], labels[b][~test])
            np.testing.assert_array_equal(ours[b][test], machine.predict(X[test]))


@pytest.mark.parametrize("word", ["off", "0", "False"])
def test_the_machine_room_can_be_closed(monkeypatch, word):
    X, labels, rng = table(24, 3, 6)
    counts = bootstrap_counts(1, 6, 24, rng)[0]
    svm, hinge, lda = LinearSVM(1.0), SquaredHingeSVM(0.1), LDA()
    through = [fit_many(learner, X, labels, counts, fast=True) for learner in (svm, hinge, lda)]
    for learner in (svm, hinge, lda):
        assert decisions(learner, X, labels, counts, everywhere=True, fast=True) is not None
    monkeypatch.setenv("ABOVECHANCE_MACHINE_ROOM", word)
    for learner, expected in zip((svm, hinge, lda), through, strict=True):
        assert decisions(learner, X, labels, counts, everywhere=True, fast=True) is None
        found = fit_many(learner, X, labels, counts, fast=True)
        np.testing.assert_array_equal(found, expected)
