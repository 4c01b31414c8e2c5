"""Linear support vector machines, by the hinge and by its square."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.learning.learner import Linear, Predictor

TOLERANCE = 1e-8  # libsvm's own 1e-3 leaves decision values uncertain in the third digit

Scaling = Literal["sample", "population", "none"]


@dataclass(frozen=True)
class LinearSVM:
    """Support vector machine with a linear kernel and hinge loss, as libsvm solves it.

    .. math:: \\min_{w, b} \\tfrac12 \\lVert w \\rVert^2 + C \\sum_i \\max(0, 1 - s_i (w^T x_i + b))

    Features are brought to mean 0 and standard deviation 1 (divisor n - 1; "population": n) on
    the training part, as the R package e1071 does without being asked and the papers do not say;
    a feature constant there is left out. More than two classes vote pair by pair.

    References
    ----------
    Cortes and Vapnik (1995); Chang and Lin (2011), section 2.1; Rosenblatt et al., Table 1.
    """

    cost: float = 1.0
    scaling: Scaling = "sample"

    def fit(self, X: Floats, y: Ints) -> Predictor:
        from sklearn.svm import SVC

        centre, scale = standard(X, self.scaling)
        machine = SVC(kernel="linear", C=self.cost, tol=TOLERANCE).fit((X - centre) * scale, y)
        if len(machine.classes_) > 2:
            return Votes(machine, centre, scale)
        weights = np.stack([np.zeros(X.shape[1]), machine.coef_[0] * scale])
        return Linear(weights, np.array([0.0, machine.intercept_[0] - weights[1] @ centre]))


@dataclass(frozen=True)
class Votes:
    """Predictions of a fitted scikit-learn classifier, as scores 0 and 1."""

    machine: Any
    centre: Floats | float = 0.0
    scale: Floats | float = 1.0

    def scores(self, X: Floats) -> Floats:
        labels = self.machine.predict((X - self.centre) * self.scale)
        return np.asarray(labels[:, None] == self.machine.classes_, dtype=float)


@dataclass(frozen=True)
class SquaredHingeSVM:
    """Support vector machine with squared hinge loss and a penalised offset, features as given.

    .. math:: \\min_{v} \\tfrac12 \\lVert v \\rVert^2
        + C \\sum_i \\max(0, 1 - s_i v^T (x_i, 1))^2

    is what LIBLINEAR's types 1 and 2 solve. Newton's method finds it exactly, as the loss is
    quadratic once it is known which rows lie inside the margin. One against the rest with more
    than two classes.

    References
    ----------
    Fan et al. (2008), appendix A; Mangasarian (2002); Rosenblatt et al., Table 3.
    """

    cost: float = 1.0

    def fit(self, X: Floats, y: Ints) -> Linear:
        extended = np.column_stack([X, np.ones(len(X))])
        classes = int(y.max()) + 1
        if classes == 2:
            signs = np.where(y == 1, 1.0, -1.0)
            found = squared_hinge(extended, signs, np.full(len(X), self.cost))
            solutions = np.stack([np.zeros_like(found), found])
        else:
            costs = np.full(len(X), self.cost)
            each = (np.where(y == k, 1.0, -1.0) for k in range(classes))
            solutions = np.stack([squared_hinge(extended, sign, costs) for sign in each])
        return Linear(solutions[:, :-1], solutions[:, -1])


def squared_hinge(Z: Floats, sign: Floats, costs: Floats) -> Floats:
    """Minimiser of ½‖v‖² + Σ costs max(0, 1 - sign Z v)², by Newton steps with a line search."""
    v: Floats = np.zeros(Z.shape[1])
    rows = sign[:, None] * Z
    inside = np.ones(len(Z), dtype=bool)
    for _ in range(200):
        active = rows[inside]
        weight = 2 * costs[inside]
        target = np.linalg.solve(
            np.eye(Z.shape[1]) + active.T @ (weight[:, None] * active), active.T @ weight
        )
        size = _line_search(rows, costs, v, target - v)
        v = np.asarray(target if size == 1 else v + size * (target - v))
        now = rows @ v < 1
        if size == 1 and (now == inside).all():
            break
        inside = now
    return v


def _line_search(rows: Floats, costs: Floats, v: Floats, step: Floats) -> float:
    """Halve the step until the objective falls by enough."""

    def objective(u: Floats) -> float:
        return float(u @ u / 2 + (costs * np.maximum(0, 1 - rows @ u) ** 2).sum())

    slack = 2 * costs * np.maximum(0, 1 - rows @ v)
    slope = float(step @ (v - rows.T @ slack))
    start, size = objective(v), 1.0
    while size > 1e-10 and objective(v + size * step) > start + 1e-4 * size * slope:
        size /= 2
    return size


def standard(X: Floats, scaling: Scaling) -> tuple[Floats, Floats]:
    """Centre and inverse scale of each feature; 0 for one that is constant."""
    if scaling == "none":
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    spread = X.std(axis=0, ddof=1 if scaling == "sample" else 0)
    varying = np.ptp(X, axis=0) > 0
    return X.mean(axis=0), np.where(varying, 1 / np.where(varying, spread, 1.0), 0.0)
