"""Four problems in one register: each comes out as it does alone."""

import numpy as np
import pytest

from abovechance.numerics.covariance import schafer_strimmer
from abovechance.numerics.machine_room import (
    shrunken_distances,
    squared_hinge_decisions,
    svm_decisions,
    svm_responses,
    weighted_discriminants,
)
from abovechance.numerics.machine_room.linear_systems import (
    ROWS_AT_ONCE,
    cross_products,
    factor,
    factor_features,
    inverse_trace,
    multiply,
    row_products,
    solve,
    solve_two,
)

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 23, 24, 35]


def matrices(m, seed=0):
    """Four positive definite matrices (4, m, m) and their packed lower triangles."""
    rng = np.random.default_rng([m, seed])
    roots = rng.normal(size=(4, m, m + 2))
    full = roots @ roots.transpose(0, 2, 1)
    return full, packed(full)


def packed(full):
    i, j = np.tril_indices(full.shape[1])
    return full[:, i, j].T.flatten()


def unpacked(flat, m):
    full = np.zeros((4, m, m))
    i, j = np.tril_indices(m)
    full[:, i, j] = flat.reshape(-1, 4).T
    return full


def side_by_side(vectors):
    return np.moveaxis(vectors, 0, -1).flatten()


@pytest.mark.parametrize("m", SIZES)
def test_factors_are_those_of_cholesky_with_one_over_the_diagonal(m):
    full, flat = matrices(m)
    factor(flat, m)
    expected = np.linalg.cholesky(full)
    diagonal = np.einsum("lii->li", expected)
    diagonal[...] = 1 / diagonal
    np.testing.assert_allclose(unpacked(flat, m), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("m", SIZES)
def test_systems_are_solved(m):
    full, flat = matrices(m)
    right = np.random.default_rng(m).normal(size=(2, 4, m))
    expected = np.linalg.solve(full, right[..., None])[..., 0]
    factor(flat, m)
    g, h = side_by_side(right[0]), side_by_side(right[1])
    solve(flat, m, g)
    np.testing.assert_allclose(g, side_by_side(expected[0]), rtol=1e-8, atol=1e-10)
    g = side_by_side(right[0])
    solve_two(flat, m, g, h)
    np.testing.assert_allclose(g, side_by_side(expected[0]), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(h, side_by_side(expected[1]), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("m", SIZES)
def test_products_of_a_packed_matrix_and_a_vector(m):
    full, flat = matrices(m)
    v = np.random.default_rng(m).normal(size=(4, m))
    out = np.ones(4 * m)
    multiply(flat, m, side_by_side(v), out)
    expected = 1 + (full @ v[:, :, None])[:, :, 0]
    np.testing.assert_allclose(out, side_by_side(expected), rtol=1e-10)


@pytest.mark.parametrize("p", SIZES)
@pytest.mark.parametrize("m", [1, 4, 11, 60])
def test_products_of_features_and_of_rows(m, p):
    T = np.random.default_rng([m, p]).normal(size=(4, m, p))
    flat, F = side_by_side(T), np.empty(2 * p * (p + 1))
    cross_products(flat, m, p, F)
    np.testing.assert_allclose(F, packed(T.transpose(0, 2, 1) @ T), rtol=1e-10, atol=1e-12)
    G = np.empty(2 * m * (m + 1))
    row_products(flat, m, p, G)
    np.testing.assert_allclose(G, packed(T @ T.transpose(0, 2, 1)), rtol=1e-10, atol=1e-12)


def test_sum_of_inverse_eigenvalues():
    from numba import njit

    from abovechance.numerics.machine_room.linear_systems import store

    @njit
    def stored(A, m, columns, out):
        store(out, 0, inverse_trace(A, m, columns))

    for m in SIZES:
        full, flat = matrices(m)
        factor(flat, m)
        out = np.empty(4)
        stored(flat, m, np.empty(16 * m), out)
        expected = np.trace(np.linalg.inv(full), axis1=1, axis2=2)
        np.testing.assert_allclose(out, expected, rtol=1e-7)


@pytest.mark.parametrize("m", [12, 24, 61])
def test_few_features_are_factored_with_the_ridge_inverted(m):
    p = 5
    rng = np.random.default_rng(1)
    Z, D = rng.normal(size=(4, m, p)), rng.uniform(0.5, 2, size=(4, m))
    F = np.empty(2 * p * (p + 1))
    factor_features(side_by_side(Z), m, p, side_by_side(D), F, np.empty(4 * p * ROWS_AT_ONCE))
    full = np.eye(p) + np.einsum("lmp,lm,lmq->lpq", Z, 1 / D, Z)
    expected = np.linalg.cholesky(full)
    diagonal = np.einsum("lii->li", expected)
    diagonal[...] = 1 / diagonal
    np.testing.assert_allclose(unpacked(F, p), expected, rtol=1e-9, atol=1e-12)


def test_responses_of_machines_are_those_of_their_free_support_vectors():
    """The plain formula: decision values interpolate what free support vectors are held to."""
    from sklearn.svm import SVC

    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 6))
    labels = rng.permuted(np.tile(np.arange(30) % 2, (5, 1)), axis=1)
    counts = (rng.random((5, 30)) < 0.8).astype(np.int64)
    found, holds = svm_responses(X, labels, counts, 0.5, "none", 1e-6)
    assert holds.all()
    for f in range(5):
        used = counts[f] == 1
        machine = SVC(kernel="linear", C=0.5, tol=1e-10).fit(X[used], labels[f, used])
        free = machine.support_[np.abs(machine.dual_coef_[0]) < 0.5 * (1 - 1e-6)]
        rows, k = X[used][free], len(free)
        system = np.block([[rows @ rows.T, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        response = np.linalg.solve(system, np.vstack([rows @ X.T, np.ones(30)])).T[:, :k]
        np.testing.assert_allclose(
            np.abs(found[f]).sum(axis=1), np.abs(response).sum(axis=1), rtol=1e-6, atol=1e-8
        )


def test_responses_do_not_hold_where_a_margin_could_reach_a_support_vector():
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(30, 6)), np.arange(30)[None] % 2
    counts = np.ones((1, 30), dtype=np.int64)
    values = svm_decisions(X, labels, counts, 0.5, "none")[0][0]
    room = np.abs(np.where(labels[0] == 1, values, -values) - 1.0)
    near = room[room > 1e-6].min()
    assert svm_responses(X, labels, counts, 0.5, "none", 1e-6)[1].all()
    assert not svm_responses(X, labels, counts, 0.5, "none", near)[1].any()


@pytest.mark.parametrize("p", [2, 5, 30])
@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("cost", [0.05, 3.0])
def test_machines_are_those_of_libsvm_with_rows_repeated(p, everywhere, cost):
    """Five samples, which do not fill the registers, of rows drawn with replacement."""
    from sklearn.svm import SVC

    rng = np.random.default_rng(5)
    X, n = rng.normal(size=(16, p)) * np.linspace(0.5, 2.0, p), 16
    labels = rng.permuted(np.tile(np.arange(n) % 2, (5, 1)), axis=1)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=5)
    found, failed = svm_decisions(X, labels, counts, cost, everywhere=everywhere)
    assert not failed.any()
    for f in range(5):
        order = np.repeat(np.arange(n), counts[f])
        Z = (X - X[order].mean(axis=0)) / X[order].std(axis=0, ddof=1)
        machine = SVC(kernel="linear", C=cost, tol=1e-7).fit(Z[order], labels[f, order])
        shown = everywhere | (counts[f] == 0)
        wanted = np.where(shown, machine.decision_function(Z), found[f])
        # free support vectors of libsvm miss their margin of 1 by up to 1e-6
        np.testing.assert_allclose(found[f], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("p", [1, 3, 6, 25])
@pytest.mark.parametrize("lost", [0, 2])
def test_discriminants_of_counted_rows_are_those_of_the_covariance_within_classes(p, lost):
    """Where features outnumber the rows, by the inverse of what of their correlations is there."""
    rng = np.random.default_rng(6)
    X, n = rng.normal(size=(18, p)) * np.linspace(0.5, 2.0, p), 18
    labels = rng.permuted(np.tile(np.arange(n) % 2, (7, 1)), axis=1)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=7)
    found, doubtful = weighted_discriminants(X, labels, counts, lost)
    assert not doubtful.any()
    for f in range(7):
        order = np.repeat(np.arange(n), counts[f])
        rows, y = X[order], labels[f, order]
        means = np.array([rows[y == k].mean(axis=0) for k in (0, 1)])
        within = rows - means[y]
        spread = np.sqrt((within**2).sum(axis=0) / (n - 1))
        covariance = (within / spread).T @ (within / spread) / (n - lost)
        inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
        direction = inverse @ ((means[1] - means[0]) / spread) / spread
        wanted = (X - means.mean(axis=0)) @ direction + np.log(y.sum() / (n - y.sum()))
        np.testing.assert_allclose(found[f], wanted, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("p", [1, 2, 5, 9])
@pytest.mark.parametrize("groups", [(9, 9), (7, 13)])
def test_shrunken_distances_are_those_of_both_covariances_pooled(p, groups):
    rng = np.random.default_rng(7)
    n = sum(groups)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    X -= X.mean(axis=0)
    orders = np.array([rng.permutation(n) for _ in range(6)])
    ones, zeros = np.sort(orders[:, : groups[0]]), np.sort(orders[:, groups[0] :])
    found = shrunken_distances(X, ones, zeros)
    for b in range(6):
        parts = X[ones[b]], X[zeros[b]]
        pooled = sum((len(x) - 1) * schafer_strimmer(x).covariance for x in parts) / (n - 2)
        d = parts[0].mean(axis=0) - parts[1].mean(axis=0)
        assert found[b] == pytest.approx(d @ np.linalg.solve(pooled, d), rel=1e-9)


@pytest.mark.parametrize("p", [3, 20])
@pytest.mark.parametrize("scaling", ["none", "sample"])
def test_squared_hinges_of_counted_rows_are_those_of_repeated_ones(p, scaling):
    rng = np.random.default_rng(4)
    X, labels = rng.normal(size=(12, p)), np.arange(12)[None] % 2
    times = np.array([1, 3, 2, 0, 1, 1, 4, 2, 1, 1, 2, 5])
    counted, failed = squared_hinge_decisions(X, labels, times[None], 0.3, scaling)
    order = np.repeat(np.arange(12), times)
    once = np.ones((1, order.size), dtype=np.int64)
    repeated, _ = squared_hinge_decisions(X[order], labels[:, order], once, 0.3, scaling)
    assert not failed.any()
    np.testing.assert_allclose(counted[:, order], repeated, rtol=1e-6, atol=1e-8)
