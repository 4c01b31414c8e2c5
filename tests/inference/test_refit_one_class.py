"""Folds and training parts that hold one class only: what is measured and predicted there."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut
from sklearn.svm import SVC, LinearSVC

from abovechance import permutation_test
from abovechance.inference.refit import fold_means, labelled, over_folds
from abovechance.measures import find
from abovechance.predictions import Binary, Multiclass

RARE = (np.arange(30) < 3).astype(int)
X = np.random.default_rng(0).normal(size=(30, 3))


@pytest.fixture(autouse=True)
def always_worthwhile(monkeypatch) -> None:
    """Take the fast way for few permutations too."""
    monkeypatch.setattr("abovechance.inference.refit.worthwhile", lambda size: True)


def assert_same(found, alone) -> None:
    assert (found.together, alone.together) == (True, False)
    for row, other in zip(found.tests, alone.tests, strict=True):
        assert row.value == pytest.approx(other.value, rel=1e-10)
        assert row.p_value == other.p_value
        np.testing.assert_allclose(found.null[row.measure], alone.null[row.measure], rtol=1e-10)


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("cv", [LeaveOneOut(), 5, KFold(5)], ids=["one out", "number", "blind"])
def test_a_constant_prediction_has_a_balanced_accuracy_of_one_half(cv) -> None:
    constant = DummyClassifier(strategy="most_frequent")
    measures = ["balanced_accuracy", "balanced_error_rate"]
    found = permutation_test(constant, X, RARE, cv=cv, measures=measures, draws=9, rng=1)
    for row in found.tests:
        assert row.value == 0.5
        assert row.p_value == 1
        np.testing.assert_array_equal(found.null[row.measure], 0.5)


@pytest.mark.parametrize("cv", [LeaveOneOut(), 5, KFold(5)], ids=["one out", "number", "blind"])
def test_small_folds_agree_both_ways(cv) -> None:
    y = (np.arange(30) % 6 == 0).astype(int)
    settings = {"cv": cv, "measures": ["balanced_accuracy", "accuracy"], "draws": 20, "rng": 1}
    found = permutation_test(LinearDiscriminantAnalysis(), X, y, **settings)
    assert_same(found, permutation_test(LinearDiscriminantAnalysis(), X, y, fast=False, **settings))


@pytest.mark.parametrize("name", ["balanced_accuracy", "balanced_error_rate", "accuracy"])
def test_a_batch_with_folds_of_one_class_has_the_values_of_each_labelling(name) -> None:
    rng = np.random.default_rng(2)
    positive = rng.permuted(np.tile(np.arange(30) % 6 == 0, (12, 1)), axis=1).astype(np.int64)
    probability = rng.random((12, 30))
    folds = np.tile(np.arange(30) % 4, (12, 1))
    each = [
        over_folds(find(name), Binary(y, probability=p, fold=k))
        for y, p, k in zip(positive, probability, folds, strict=True)
    ]
    found = fold_means(find(name), labelled(positive, probability, 0.5).folded(folds))
    np.testing.assert_allclose(found, each, rtol=1e-12)


def test_means_over_classes_are_of_all_cases_where_a_fold_lacks_one_of_three() -> None:
    y = np.array([0, 0, 1, 1, 0, 1, 2, 2])
    label = np.array([0, 1, 1, 1, 0, 0, 2, 1])
    made = Multiclass(y, label=label, fold=np.repeat([1, 2], 4), labels=[0, 1, 2])
    for name in ("balanced_accuracy", "f1_macro"):
        assert over_folds(find(name), made) == find(name).of(made)
    assert over_folds(find("accuracy"), made) == 0.625


BLOCKS = np.repeat(np.arange(12), 3)
WHOLE = {"permute": "blocks", "blocks": BLOCKS, "cv_groups": BLOCKS, "cv": GroupKFold(4)}


@pytest.mark.parametrize(
    "estimator",
    [LinearDiscriminantAnalysis(), SVC(kernel="linear"), LogisticRegression(), LinearSVC()],
    ids=["discriminant", "machine", "regression", "liblinear"],
)
def test_the_only_class_of_a_training_part_is_predicted(estimator) -> None:
    rng = np.random.default_rng(0)
    features, y = rng.normal(size=(36, 3)), np.zeros(36, dtype=int)
    y[next(GroupKFold(4).split(features, y, BLOCKS))[1]] = 1
    measures = ["balanced_accuracy", "accuracy"]
    settings = WHOLE | {"measures": measures, "draws": 40, "rng": 1}
    found = permutation_test(estimator, features, y, **settings)
    alone = permutation_test(estimator, features, y, fast=False, **settings)
    assert found.together
    assert_same(found, alone)


def test_a_rare_class_that_training_lacks_leaves_the_test_valid() -> None:
    p = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        features = rng.normal(size=(12, 2))
        y = rng.permutation((np.arange(12) < 2).astype(int))
        settings = {"cv": KFold(3), "draws": 19, "rng": seed}
        p.append(permutation_test(LinearDiscriminantAnalysis(), features, y, **settings).tests[0])
    # binomial(60, .1) exceeds 16 with probability below 1e-4
    assert sum(row.p_value <= 0.1 for row in p) <= 16
