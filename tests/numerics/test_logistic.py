"""Many logistic regressions at once are scikit-learn's, run to convergence, one by one."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from abovechance.numerics.logistic import fit_alone, fit_logistics, fit_together


def table(n=60, p=5, fits=12, seed=0):
    """Features of unlike size, outcomes with some signal, and bootstrap counts."""
    rng = np.random.default_rng([n, p, seed])
    X = rng.normal(size=(n, p)) * np.geomspace(0.1, 20.0, p) + np.arange(p)
    signal = X[:, 0] * 8 - 0.1 * X[:, -1]
    y = (rng.random((fits, n)) < 1 / (1 + np.exp(-(signal - signal.mean())))).astype(int)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=fits)
    return X, y, counts


def reference(X, y, counts, cost, intercept=True):
    """Weights and offset by scikit-learn's most exact solver."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = LogisticRegression(
            C=cost,
            solver="newton-cholesky",
            tol=1e-12,
            max_iter=1_000,
            fit_intercept=intercept,
        ).fit(X, y, sample_weight=counts)
    return np.append(made.coef_[0], made.intercept_)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0, np.inf])
def test_fits_are_scikit_learn_s(cost, intercept):
    X, y, counts = table()
    found = fit_together(X, y, counts, penalty=1 / cost, intercept=intercept)
    assert not found.doubtful.any()
    scale = np.append(X.std(axis=0), 1.0)
    for f in range(len(y)):
        ours = np.append(found.weights[f], found.offsets[f])
        np.testing.assert_allclose(
            ours * scale, reference(X, y[f], counts[f], cost, intercept) * scale, atol=2e-8
        )


@pytest.mark.parametrize(("n", "p"), [(40, 23), (25, 40), (300, 2), (10, 1)])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_plain_form_gives_the_same(n, p, intercept):
    X, y, counts = table(n, p)
    counts[:, :2], y[:, :2] = 1, [0, 1]
    found = fit_together(X, y, counts, penalty=0.3, intercept=intercept)
    assert not found.doubtful.any()
    for f in range(len(y)):
        alone = fit_alone(X, y[f], counts[f], penalty=0.3, intercept=intercept)
        assert alone.finite.all()
        np.testing.assert_allclose(found.log_odds(X)[f], alone.log_odds(X)[0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.likelihood[f], alone.likelihood[0], rtol=1e-10)


def test_the_plain_form_is_where_the_slopes_vanish():
    X, y, counts = table(30, 4, 1)
    penalty = np.array([0.0, 1.0, 5.0, 0.2])
    found = fit_alone(X, y[0], counts[0], penalty=penalty)
    residual = counts[0] * (y[0] - 1 / (1 + np.exp(-found.log_odds(X)[0])))
    np.testing.assert_allclose(residual @ X, penalty * found.weights[0], atol=1e-9)
    np.testing.assert_allclose(residual.sum(), 0.0, atol=1e-9)


def test_columns_of_its_own_for_every_fit():
    X, y, counts = table(80, 6, 7)
    rng = np.random.default_rng(1)
    columns = np.full((7, 4), -1)
    for f, size in enumerate([4, 1, 2, 3, 0, 4, 2]):
        columns[f, :size] = rng.permutation(6)[:size]
    penalty = rng.uniform(0.1, 2.0, size=(7, 6))
    found = fit_together(X, y, counts, penalty=penalty, columns=columns)
    assert not found.doubtful.any()
    for f in range(7):
        used = columns[f][columns[f] >= 0]
        alone = fit_alone(X[:, used], y[f], counts[f], penalty=penalty[f, used])
        np.testing.assert_allclose(found.weights[f, used], alone.weights[0], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(found.offsets[f], alone.offsets[0], rtol=1e-8, atol=1e-8)
        assert (np.delete(found.weights[f], used) == 0).all()
        np.testing.assert_allclose(found.likelihood[f], alone.likelihood[0], rtol=1e-10)


def test_one_outcome_and_many_subsets():
    X, y, _ = table(80, 6, 1)
    columns = np.array([[0, k] for k in range(1, 6)])
    found = fit_together(X, y[0], columns=columns)
    for f, pair in enumerate(columns):
        np.testing.assert_allclose(
            found.weights[f, pair], reference(X[:, pair], y[0], None, np.inf)[:-1], rtol=1e-7
        )


def test_weights_need_not_be_whole():
    X, y, counts = table()
    weights = counts * np.random.default_rng(3).uniform(0.2, 1.8, size=counts.shape)
    found = fit_together(X, y, weights, penalty=1.0)
    np.testing.assert_allclose(
        found.weights[3], reference(X, y[3], weights[3], 1.0)[:-1], rtol=1e-7
    )


def test_a_start_changes_the_way_and_not_the_end():
    X, y, counts = table()
    whole = fit_logistics(X, y[0], penalty=0.5)
    cold = fit_together(X, y[0], counts, penalty=0.5)
    warm = fit_together(X, y[0], counts, penalty=0.5, start=(whole.weights[0], whole.offsets[0]))
    np.testing.assert_allclose(warm.weights, cold.weights, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(warm.offsets, cold.offsets, rtol=1e-9, atol=1e-11)


def test_many_fits_in_pieces_are_those_of_one_piece(monkeypatch):
    X, y, counts = table(50, 4, 30)
    whole = fit_together(X, y, counts, penalty=1.0)
    monkeypatch.setattr("abovechance.numerics.logistic.ENTRIES", 100)
    monkeypatch.setattr("abovechance.numerics.logistic.MOST_PRODUCTS", 10)
    pieces = fit_together(X, y, counts, penalty=1.0)
    np.testing.assert_allclose(pieces.weights, whole.weights, rtol=1e-10)


def test_separated_classes_have_no_finite_maximum_without_a_penalty():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1], [1, 1, 0, 0, 0, 0]])
    assert fit_together(X, y).doubtful.tolist() == [True, False, True]
    found = fit_logistics(X, y)
    assert found.finite.tolist() == [False, True, False]
    chance = 1 / (1 + np.exp(-found.log_odds(X)))
    np.testing.assert_allclose(chance[[0, 2]], y[[0, 2]], atol=1e-8)
    assert fit_together(X, y, penalty=1e-3).finite.all()


def test_quasi_separation_is_found():
    X = np.array([[0.0, 1], [0, 2], [0, 1], [1, 3], [1, 2], [1, 1]])
    y = np.array([0, 1, 0, 1, 1, 1])  # the first column is 1 in positives alone
    assert fit_together(X, y[None]).doubtful.all()
    assert not fit_logistics(X, y[None]).finite.any()


def test_columns_that_depend_on_each_other_are_left_to_the_plain_form():
    X, y, counts = table(60, 3, 4)
    twice = np.column_stack([X, X[:, 0] + X[:, 1]])
    assert fit_together(twice, y, counts).doubtful.all()
    found, single = fit_logistics(twice, y, counts), fit_logistics(X, y, counts)
    assert found.finite.all()
    np.testing.assert_allclose(found.log_odds(twice), single.log_odds(X), rtol=1e-6, atol=1e-7)
    assert fit_together(twice, y, counts, penalty=1.0).finite.all()


def test_one_class_is_doubtful_and_the_others_are_not():
    X, y, _ = table(20, 2, 3)
    y[1] = 1
    found = fit_together(X, y, penalty=1.0)
    assert found.doubtful.tolist() == [False, True, False]


def test_far_away_features_lose_no_digits():
    X, y, counts = table()
    near, far = (fit_together(X + shift, y, counts, penalty=1.0) for shift in (0.0, 1e6))
    np.testing.assert_allclose(far.weights, near.weights, rtol=1e-6)


def test_a_constant_feature_has_no_weight():
    X, y, counts = table(40, 3, 5)
    wide = np.column_stack([X, np.full(40, 7.0)])
    found = fit_together(wide, y, counts, penalty=1.0)
    assert (np.abs(found.weights[:, 3]) < 1e-12).all()
    np.testing.assert_allclose(
        found.weights[:, :3], fit_together(X, y, counts, penalty=1.0).weights, rtol=1e-8
    )
