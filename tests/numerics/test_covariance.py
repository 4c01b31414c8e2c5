"""Covariances of groups."""

import numpy as np

from abovechance.numerics.covariance import pooled_covariance


def test_the_pooled_covariance_is_the_mean_of_the_groups_by_their_degrees_of_freedom() -> None:
    rng = np.random.default_rng(3)
    y = np.array([0, 1, 1, 2, 0, 2, 2, 1, 0, 2, 2])
    X = rng.normal(size=(11, 3)) + y[:, None]
    parts = [(np.sum(y == k) - 1) * np.cov(X[y == k].T) for k in range(3)]
    np.testing.assert_allclose(pooled_covariance(X, y), sum(parts) / 8, rtol=1e-12)
