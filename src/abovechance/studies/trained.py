"""Designs with a model that is really trained: on simulated features, or on rows of a table."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError
from abovechance.settings import one_of
from abovechance.studies.designs import (
    Pair,
    Predicted,
    classes,
    flag,
    number,
    outcomes,
    settle,
    table,
    whole_number,
)

WIDTH = 0.01  # of the Gaussian process's kernel exp(−σ‖x − x'‖²), as in the paper's code


@dataclass(frozen=True)
class Features:
    """Simulated rows: some features are higher in positives by the effect, the others are noise.

    There are as many rows for training as for testing, half of them positive. Features are
    independent, Gaussian, with standard deviation 1.

    Attributes
    ----------
    signal
        Number of features that are shifted in positives, 3 by default; the shift is in standard
        deviations.
    noise
        Number of features that say nothing, 3 by default.
    per_class
        Rows of each class in each half, for a size of 1; with 1, the default, a size of n is n
        positives and n negatives to train with, and as many to test with.

    Raises
    ------
    AboveChanceError
        If these are not whole numbers, or there is no feature at all.

    See Also
    --------
    Table : rows of a real table instead.
    Trained, TrainedOnLess : designs that train models with these rows.

    Examples
    --------
    >>> halves = Features(signal=1, noise=1)(5000, 2.0, np.random.default_rng(1))
    >>> higher = halves.X[halves.y].mean(axis=0) - halves.X[~halves.y].mean(axis=0)
    >>> halves.X.shape, [abs(round(float(shift), 1)) for shift in higher]
    ((10000, 2), [2.0, 0.0])
    """

    signal: int = 3
    noise: int = 3
    per_class: int = 1

    def __post_init__(self) -> None:
        whole_number("signal", self.signal, 0)
        whole_number("noise", self.noise, 0)
        whole_number("per_class", self.per_class, 1)
        whole_number("signal and noise features together", self.signal + self.noise, 1)

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

    Attributes
    ----------
    X
        A table of finite numbers: one row per case, one column per feature.
    positive
        Whether each case had the outcome: True and False, or 1 and 0. A size of n takes n of
        each class, half for training and half for testing.

    Raises
    ------
    DataError
        If the features are not a table of finite numbers with a row per outcome, or outcomes are
        not True and False or 1 and 0.

    See Also
    --------
    Features : simulated rows instead.
    Trained, TrainedOnLess : designs that train models with these rows.

    Examples
    --------
    >>> rows = Table(np.arange(20.0).reshape(10, 2), np.arange(10) < 5)
    >>> halves = rows(4, 1, np.random.default_rng(1))
    >>> halves.X.shape, int(halves.y.sum()), int(halves.y_test.sum())
    ((4, 2), 2, 2)
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

    The model is a support vector machine with C = 1, a linear kernel or a Gaussian one whose width
    follows from the distances between rows, and Platt's probabilities by 3-fold cross-validation.
    The effect is that of the rows.

    Attributes
    ----------
    rows
        Where rows come from: `Features`, whose effect is a shift in standard deviations, or a
        `Table`, whose effect is 0 or 1. By default 3 features with signal and 3 of noise.
    effects
        The effects that are studied where none is named; by default no shift and one of 0.3
        standard deviations. Give (0, 1) with a `Table`.
    kernel
        "gaussian", the default, or "linear".

    Raises
    ------
    AboveChanceError
        If there is no such kernel.

    See Also
    --------
    Features, Table : where rows come from.
    TrainedOnLess : two trained models compared.

    References
    ----------
    Dinga et al., second simulation; their text says linear, their code Gaussian.

    Examples
    --------
    >>> sample = Trained()(40, 2.0, np.random.default_rng(1))
    >>> sample.positive.size, float(((sample.probability > 0.5) == sample.positive).mean())
    (80, 0.9)
    """

    rows: Features | Table = Features(per_class=1)
    effects: tuple[float, ...] = (0.0, 0.3)
    kernel: Literal["gaussian", "linear"] = "gaussian"
    name: ClassVar[str] = "trained model"
    kind: ClassVar[type] = Predicted

    def __post_init__(self) -> None:
        one_of("kernel", self.kernel, ("gaussian", "linear"))

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Predicted:
        halves = self.rows(n, effect, rng)
        return Predicted(halves.y_test, _svm(halves, rng, self.kernel))


@dataclass(frozen=True, eq=False)
class TrainedOnLess:
    """A model trained on all rows against the same model trained on a share of them, the effect.

    The model is a Gaussian process. With an effect of 1 both models are the same.

    Attributes
    ----------
    rows
        Where rows come from: `Features` or a `Table`, whose labels stay. By default 50 features
        with signal and 50 of noise.
    shift
        How much higher the features with signal are in positives, in standard deviations; 0.4 by
        default. A table has no use for it.
    effects
        The shares of rows, from 0 to 1, that are studied where none is named; by default 0.1 to
        0.9 in steps of 0.2.
    exchanged
        Whether each case's two predictions change places with probability ½, so that no model is
        better than the other; False, the default, leaves them as they are.

    Raises
    ------
    AboveChanceError
        If the shift is not a finite number, or `exchanged` neither True nor False.

    See Also
    --------
    Features, Table : where rows come from.
    Trained : one trained model against chance.

    References
    ----------
    Dinga et al., comparison of trained models; their caption says SVM, their code is a Gaussian
    process with kernel exp(−0.01‖x − x'‖²).

    Examples
    --------
    >>> pair = TrainedOnLess()(40, 0.3, np.random.default_rng(1))
    >>> [float(((p > 0.5) == pair.positive).mean()) for p in (pair.first, pair.second)]
    [0.9125, 0.8125]
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


def _svm(halves: Halves, rng: np.random.Generator, kernel: str) -> Floats:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import SVC

    train, test = _standardised(halves)
    folds = min(3, int(min(halves.y.sum(), (~halves.y).sum())))
    if folds < 2:
        return np.full(halves.y_test.size, float(halves.y.mean()))
    parts = StratifiedKFold(folds, shuffle=True, random_state=int(rng.integers(2**31)))
    linear = kernel == "linear"
    machine = SVC(kernel="linear") if linear else SVC(gamma=kernel_width(train))
    model = CalibratedClassifierCV(machine, cv=parts, ensemble=False)
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
