"""Learners quick enough to be fitted a million times: boosted trees of two levels, and Cox's model.

The trees are those of scikit-learn's GradientBoostingClassifier, which a test compares.
"""

from typing import Any

import numba
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


@numba.njit(cache=True)
def _best_split(X, order, rest, at, node):  # type: ignore[no-untyped-def]
    """The feature and cut that part the cases of a node so that their rests differ most."""
    total, size = 0.0, 0
    for i in range(len(X)):
        if at[i] == node:
            total += rest[i]
            size += 1
    best, feature, cut = -1.0, -1, 0.0
    for j in range(X.shape[1]):
        left, k, last = 0.0, 0, 0.0
        for s in range(len(X)):
            i = order[s, j]
            if at[i] != node:
                continue
            if k > 0 and X[i, j] > last:
                apart = left / k - (total - left) / (size - k)
                gain = apart * apart * k * (size - k) / size
                if gain > best:
                    best, feature, cut = gain, j, (X[i, j] + last) / 2
            left += rest[i]
            k += 1
            last = X[i, j]
    return feature, cut


@numba.njit(cache=True)
def _leaf(x, features, cuts):  # type: ignore[no-untyped-def]
    side = 1 if features[0] >= 0 and x[features[0]] <= cuts[0] else 2
    feature = features[side]
    return 2 * (side - 1) + (0 if feature < 0 or x[feature] <= cuts[side] else 1)


@numba.njit(cache=True)
def _boost(X, order, y, trees, rate):  # type: ignore[no-untyped-def]
    n, share = len(X), y.mean()
    start = np.log(share / (1 - share))
    odds = np.full(n, start)
    features, cuts = np.full((trees, 3), -1), np.zeros((trees, 3))
    leaves = np.zeros((trees, 4))
    for t in range(trees):
        p = 1 / (1 + np.exp(-odds))
        rest = y - p
        at = np.zeros(n, dtype=np.int64)
        features[t, 0], cuts[t, 0] = _best_split(X, order, rest, at, 0)
        for i in range(n):
            at[i] = 1 if features[t, 0] >= 0 and X[i, features[t, 0]] <= cuts[t, 0] else 2
        for side in (1, 2):
            features[t, side], cuts[t, side] = _best_split(X, order, rest, at, side)
        above, below = np.zeros(4), np.zeros(4)
        for i in range(n):
            at[i] = _leaf(X[i], features[t], cuts[t])
            above[at[i]] += rest[i]
            below[at[i]] += p[i] * (1 - p[i])
        for k in range(4):
            leaves[t, k] = 0.0 if below[k] < 1e-150 else above[k] / below[k]
        for i in range(n):
            odds[i] += rate * leaves[t, at[i]]
    return start, features, cuts, leaves


@numba.njit(cache=True)
def _boosted(X, rate, start, features, cuts, leaves):  # type: ignore[no-untyped-def]
    odds = np.full(len(X), start)
    for t in range(len(features)):
        for i in range(len(X)):
            odds[i] += rate * leaves[t, _leaf(X[i], features[t], cuts[t])]
    return odds


class BoostedTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Gradient boosting of trees with four leaves, of two classes."""

    def __init__(self, trees: int = 20, rate: float = 0.2) -> None:
        self.trees, self.rate = trees, rate

    def fit(self, X: Any, y: Any) -> "BoostedTrees":
        X = np.ascontiguousarray(X)
        self.classes_, code = np.unique(y, return_inverse=True)
        order = np.argsort(X, axis=0, kind="stable")
        self.fitted_ = _boost(X, order, code.astype(float), self.trees, self.rate)
        return self

    def predict_proba(self, X: Any) -> Any:
        p = 1 / (1 + np.exp(-_boosted(np.ascontiguousarray(X), self.rate, *self.fitted_)))
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


class Cox(BaseEstimator):  # type: ignore[misc]
    """Proportional hazards by partial likelihood, with next to no ridge."""

    def __init__(self, ridge: float = 1e-3) -> None:
        self.ridge = ridge

    def fit(self, X: Any, y: Any) -> "Cox":
        order = np.argsort(-y["time"], kind="stable")  # those at risk with a case are before it
        X, event, small = X[order], y["event"][order], self.ridge * len(X)
        b, now = np.zeros(X.shape[1]), self._height(X, event, np.zeros(X.shape[1]), small)
        for _ in range(30):
            height, weight, sums = now
            means = np.cumsum(weight[:, None] * X, axis=0)[event] / sums[event][:, None]
            slope = X[event].sum(axis=0) - means.sum(axis=0) - small * b
            often = np.cumsum((event / sums)[::-1])[::-1]
            bend = (X * (weight * often)[:, None]).T @ X - means.T @ means
            step = np.linalg.solve(bend + small * np.eye(len(b)), slope)
            for half in 0.5 ** np.arange(20):
                now = self._height(X, event, b + half * step, small)
                if now[0] >= height - 1e-10:
                    break
            b = b + half * step
            if now[0] - height < 1e-8:
                break
        self.coef_ = b
        return self

    def _height(self, X: Any, event: Any, b: Any, small: float) -> tuple[float, Any, Any]:
        risk = X @ b
        weight = np.exp(risk - risk.max())
        sums = np.cumsum(weight)
        terms = risk - risk.max() - np.log(sums)
        return float(terms[event].sum() - small * b @ b / 2), weight, sums

    def predict(self, X: Any) -> Any:
        return X @ self.coef_
