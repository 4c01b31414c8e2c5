"""Covariances of groups, and the discriminants made of them, beside plain ways to the same."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from abovechance.numerics.covariance import (
    class_moments,
    folded_discriminants,
    hat_matrix,
    pooled_covariance,
    resubstituted_discriminants,
    schafer_strimmer,
    shrunken_discriminants,
    shrunken_stack,
)


def test_the_pooled_covariance_is_the_mean_of_the_groups_by_their_degrees_of_freedom() -> None:
    rng = np.random.default_rng(3)
    y = np.array([0, 1, 1, 2, 0, 2, 2, 1, 0, 2, 2])
    X = rng.normal(size=(11, 3)) + y[:, None]
    parts = [(np.sum(y == k) - 1) * np.cov(X[y == k].T) for k in range(3)]
    np.testing.assert_allclose(pooled_covariance(X, y), sum(parts) / 8, rtol=1e-12)


def samples(seed: int, n: int = 14, features: int = 3) -> tuple[np.ndarray, ...]:
    """Features in unlike units, and some samples of the rows: classes and how often each counts."""
    rng = np.random.default_rng(seed)
    labels = np.array([rng.permutation(np.arange(n) % 2) for _ in range(5)])
    X = rng.normal(size=(n, features)) * np.array([1.0, 20.0, 0.3])[:features] + 2.0
    counts = rng.multinomial(3 * n, np.full(n, 1.0 / n), size=5)
    return X, labels, counts


@pytest.mark.parametrize("seed", range(3))
def test_moments_of_counted_rows_are_those_of_repeated_ones(seed: int) -> None:
    X, labels, counts = samples(seed)
    X -= X.mean(axis=0)
    found = class_moments(X, labels, counts)
    for f, (y, times) in enumerate(zip(labels, counts, strict=True)):
        rows, own = np.repeat(X, times, axis=0), np.repeat(y, times)
        parts = [rows[own == k] for k in (0, 1)]
        assert found.sizes[f].tolist() == [len(part) for part in parts]
        assert found.means[f] == pytest.approx(np.stack([p.mean(axis=0) for p in parts]))
        scatter = sum(((part - part.mean(axis=0)) ** 2).sum(axis=0) for part in parts)
        assert found.within[f] == pytest.approx(scatter, rel=1e-9)
    assert not found.unsure.any()


def test_a_feature_that_stands_still_within_classes_is_unsure() -> None:
    X, labels, counts = samples(1)
    X[:, 1] = labels[0] - 0.5
    assert class_moments(X, labels[:1], counts[:1]).unsure.tolist() == [[False, True, False]]


@pytest.mark.parametrize("shape", [(6, 12), (12, 4), (5, 5)])
def test_stacked_covariances_are_shrunken_as_each_alone(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(4, *shape)) * np.linspace(0.5, 3.0, shape[1]) + 1.0
    rows[2, :, 1] = 7.0  # a feature that does not vary
    found = shrunken_stack(rows)
    covariances = found.covariance()
    for k, one in enumerate(rows):
        alone = schafer_strimmer(one)
        assert covariances[k] == pytest.approx(alone.covariance, rel=1e-10, abs=1e-12)
        assert found.kept[k] == pytest.approx(1.0 - alone.correlation_share, abs=1e-12)
        factors = found.factors()[k]
        parts = factors.T @ factors / (shape[0] - 1) + np.diag(found.diagonal()[k])
        assert parts == pytest.approx(alone.covariance, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("shrinkage", ["auto", 0.0, 0.3, 1.0])
@pytest.mark.parametrize("features", [1, 3])
def test_shrunken_discriminants_are_those_of_repeated_rows(
    shrinkage: float | str, features: int
) -> None:
    X, labels, counts = samples(7, features=features)
    values, doubtful = shrunken_discriminants(X, labels, counts, shrinkage)  # type: ignore[arg-type]
    for f in np.flatnonzero(~doubtful):
        learner = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
        if shrinkage == "auto" and features == 1:
            learner = LinearDiscriminantAnalysis(solver="lsqr")
        learner.fit(np.repeat(X, counts[f], axis=0), np.repeat(labels[f], counts[f]))
        assert values[f] == pytest.approx(learner.decision_function(X), rel=1e-7, abs=1e-9)
    assert (~doubtful).sum() >= 4


@pytest.mark.parametrize("lost", [0, 2])
def test_discriminants_from_the_hat_matrix_are_those_that_are_fitted(lost: int) -> None:
    X, labels, _ = samples(9)
    n = len(X)
    hat, folds = hat_matrix(X), np.arange(n) // 2 % 3
    assert hat is not None
    whole, unsure = resubstituted_discriminants(hat, labels, lost)
    everyone = np.tile(folds, (len(labels), 1))
    parts, doubtful = folded_discriminants(hat, labels, everyone, 3, lost)
    assert not unsure.any()
    assert not doubtful.any()

    def fitted(train: np.ndarray, y: np.ndarray) -> np.ndarray:
        learner = LinearDiscriminantAnalysis(solver="lsqr").fit(X[train], y[train])
        prior = np.log(y[train].mean() / (1.0 - y[train].mean()))
        size = train.sum()
        return prior + (learner.decision_function(X) - prior) * (size - lost) / size

    for k, y in enumerate(labels):
        assert whole[k] == pytest.approx(fitted(np.ones(n, dtype=bool), y), rel=1e-9)
        for fold in range(3):
            left_out = folds == fold
            assert parts[k, left_out] == pytest.approx(fitted(~left_out, y)[left_out], rel=1e-8)


def test_collinear_and_constant_features_have_no_hat_matrix() -> None:
    X, _, _ = samples(2)
    assert hat_matrix(np.column_stack([X, X[:, 0] + 2.0 * X[:, 1]])) is None
    assert hat_matrix(np.column_stack([X, np.full(len(X), 3.0)])) is None
    assert hat_matrix(X[:4]) is None
    assert hat_matrix(X[:5]) is not None
