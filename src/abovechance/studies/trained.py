"""Designs with a model that is really trained: on simulated features, or on rows of a table."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError
from abovechance.studies.designs import (
    Pair,
    Predicted,
    classes,
    flag,
    number,
    outcomes,
    settle,
    table,
    whole,
)

WIDTH = 0.01  # of the Gaussian process's kernel exp(−σ‖x − x'‖²), as in the paper's code


@dataclass(frozen=True)
class Features:
    """Simulated rows: `signal` features shifted by the effect in positives, and noise features.

    As many rows for training as for testing, `per_class`·n of each class in each.
    """

    signal: int = 3
    noise: int = 3
    per_class: int = 1

    def __post_init__(self) -> None:
        whole("signal", self.signal, 0)
        whole("noise", self.noise, 0)
        whole("per_class", self.per_class, 1)
        whole("signal and noise features together", self.signal + self.noise, 1)

    def __call__(self, n: int, shift: float, rng: np.random.Generator) -> "Halves":
        number("shift", shift)
        y = classes(2 * self.per_class * n)
        return Halves(self._rows(y, shift, rng), y, self._rows(y, shift, rng), y)

    def _rows(self, y: Bools, shift: float, rng: np.random.Generator) -> Floats:
        X = rng.standard_normal((y.size, self.signal + self.noise))
        X[:, : self.signal] += shift * y[:, None]
        return X


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a real table: n of a balanced draw for training, n others for testing.

    With effect 0 the labels of each half are shuffled; with 1 they stay.
    """

    X: Floats
    positive: Bools

    def __post_init__(self) -> None:
        positive = outcomes(self.positive)
        settle(self, positive=positive, X=table("features", self.X, positive.size))

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> "Halves":
        if effect not in (0, 1):
            raise AboveChanceError(
                "the effect in a table must be 0, labels shuffled, or 1, labels as they are; "
                f"got {effect}."
            )
        half = n // 2
        rows = [rng.permutation(np.flatnonzero(self.positive == side)) for side in (True, False)]
        if min(part.size for part in rows) < 2 * half:
            raise AboveChanceError(
                f"the table has too few rows of a class for n = {n}; "
                f"the smaller has {min(part.size for part in rows)}."
            )
        train, test = (
            np.concatenate([part[start : start + half] for part in rows]) for start in (0, half)
        )
        y, y_test = self.positive[train], self.positive[test]
        if not effect:
            y, y_test = rng.permutation(y), rng.permutation(y_test)
        return Halves(self.X[train], y, self.X[test], y_test)


@dataclass(frozen=True, eq=False)
class Halves:
    """Rows to learn from and rows to predict."""

    X: Floats
    y: Bools
    X_test: Floats
    y_test: Bools


@dataclass(frozen=True, eq=False)
class Trained:
    """A model trained on one half of the rows predicts the other half.

    "svm": a support vector machine with C = 1 and a Gaussian kernel whose width follows from
    the distances between rows, and Platt's probabilities by 3-fold cross-validation.

    References
    ----------
    Dinga et al., second simulation; their text says linear, their code Gaussian.
    """

    rows: Features | Table = Features(per_class=1)
    effects: tuple[float, ...] = (0.0, 0.3)
    name: ClassVar[str] = "trained model"
    kind: ClassVar[type] = Predicted

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Predicted:
        halves = self.rows(n, effect, rng)
        return Predicted(halves.y_test, _svm(halves, rng))


@dataclass(frozen=True, eq=False)
class TrainedOnLess:
    """A Gaussian process trained on all rows against the same trained on a share, the effect.

    `shift` is that of simulated rows; those of a table keep their labels. With `exchanged` each
    case's two predictions change places with probability ½, so that no model is better than the
    other.

    References
    ----------
    Dinga et al., comparison of trained models; their caption says SVM, their code is a Gaussian
    process with kernel exp(−0.01‖x − x'‖²).
    """

    rows: Features | Table = Features(signal=50, noise=50, per_class=1)
    shift: float = 0.4
    effects: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    exchanged: bool = False
    name: ClassVar[str] = "trained on less"
    kind: ClassVar[type] = Pair

    def __post_init__(self) -> None:
        number("shift", self.shift)
        flag("exchanged", self.exchanged)

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Pair:
        number("effect", effect, 0.0, 1.0)
        halves = self.rows(n, 1.0 if isinstance(self.rows, Table) else self.shift, rng)
        some = np.concatenate(
            [
                rng.permutation(part)[: max(1, round(effect * part.size))]
                for part in (np.flatnonzero(halves.y), np.flatnonzero(~halves.y))
            ]
        )
        less = Halves(halves.X[some], halves.y[some], halves.X_test, halves.y_test)
        first, second = _gaussian_process(halves), _gaussian_process(less)
        if self.exchanged:
            turned = rng.random(first.size) < 0.5
            first, second = np.where(turned, second, first), np.where(turned, first, second)
        return Pair(halves.y_test, first, second)


def _standardised(halves: Halves) -> tuple[Floats, Floats]:
    mean, spread = halves.X.mean(axis=0), halves.X.std(axis=0, ddof=1)
    spread = np.where(spread > 0, spread, 1.0)
    return (halves.X - mean) / spread, (halves.X_test - mean) / spread


def kernel_width(X: Floats) -> float:
    """The mean of 1/q over the .1 and .9 quantiles of squared distances between rows.

    >>> round(kernel_width(np.random.default_rng(1).standard_normal((200, 6))), 2)
    0.14
    """
    from scipy.spatial.distance import pdist

    squared = pdist(X, "sqeuclidean")
    return float(np.mean(1.0 / np.quantile(squared[squared > 0], (0.1, 0.9))))


def _svm(halves: Halves, rng: np.random.Generator) -> Floats:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import SVC

    train, test = _standardised(halves)
    folds = min(3, int(min(halves.y.sum(), (~halves.y).sum())))
    if folds < 2:
        return np.full(halves.y_test.size, float(halves.y.mean()))
    parts = StratifiedKFold(folds, shuffle=True, random_state=int(rng.integers(2**31)))
    model = CalibratedClassifierCV(SVC(gamma=kernel_width(train)), cv=parts, ensemble=False)
    return _positive_column(model.fit(train, halves.y), test)


def _gaussian_process(halves: Halves) -> Floats:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF

    train, test = _standardised(halves)
    kernel = RBF(float(np.sqrt(1 / (2 * WIDTH))))
    model = GaussianProcessClassifier(kernel, optimizer=None)
    return _positive_column(model.fit(train, halves.y), test)


def _positive_column(model: Any, X: Floats) -> Floats:
    return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64)
