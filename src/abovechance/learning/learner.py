"""What a learner is: it looks at rows and their classes and returns a predictor."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from abovechance.arrays import Floats, Ints

TIE = 1e-6  # scores closer than this are equal, so that rounding decides no prediction


class Predictor(Protocol):
    """What fitting returns: one score per class, the largest of which names the prediction."""

    def scores(self, X: Floats) -> Floats:
        """Scores (n, K) of rows (n, p)."""
        ...


class Learner(Protocol):
    """A recipe for a predictor. Classes are numbered 0 to K - 1 and all occur in `y`."""

    def fit(self, X: Floats, y: Ints) -> Predictor:
        """A predictor from rows (n, p) and their classes (n,)."""
        ...


@dataclass(frozen=True)
class Linear:
    """Scores that are straight functions of the features: weights (K, p), offsets (K,)."""

    weights: Floats
    offsets: Floats

    def scores(self, X: Floats) -> Floats:
        return np.asarray(X @ self.weights.T + self.offsets)


def fit_predict(learner: Learner, X: Floats, y: Ints, rows: Floats, classes: int = 2) -> Floats:
    """Scores (m, K) of new rows (m, p) after training on `X`, `y`.

    A class without a training row is never predicted; with a single class in training there is
    nothing to learn and that class is always predicted.
    """
    seen, codes = np.unique(y, return_inverse=True)
    scores = np.full((len(rows), classes), -np.inf)
    if len(seen) == 1:
        scores[:, seen[0]] = 0.0
    else:
        scores[:, seen] = learner.fit(X, codes).scores(rows)
    return scores


def predicted(scores: Floats) -> Ints:
    """The class with the largest score; the first of several that differ by rounding only.

    >>> predicted(np.array([[0.0, 1.5], [0.0, -0.2], [0.0, 1e-12]]))
    array([1, 0, 0])
    """
    return np.asarray((scores >= scores.max(axis=-1, keepdims=True) - TIE).argmax(axis=-1))


def class_means(X: Floats, y: Ints) -> tuple[Floats, Ints]:
    """Means (K, p) and sizes (K,) of the classes."""
    sizes = np.bincount(y)
    return np.stack([X[y == k].mean(axis=0) for k in range(len(sizes))]), sizes
