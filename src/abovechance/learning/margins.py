"""Linear support vector machines, by the hinge and by its square."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.learning.learner import Linear, Predictor

TOLERANCE = 1e-4  # libsvm stops here; what it found is then refined
EXACT = 1e-7  # what the conditions of an optimum may be missed by
ROUNDING = 1e-12  # of a sum: a rise smaller than this is none
CORRECTIONS = 50  # changes of sides after which rows are taken to run in circles

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
        scaled = (X - centre) * scale
        machine = SVC(kernel="linear", C=self.cost, tol=TOLERANCE).fit(scaled, y)
        if len(machine.classes_) > 2:
            return Votes(machine, centre, scale)
        direction, offset = refined(machine, scaled, np.where(y == 1, 1.0, -1.0))
        weights = np.stack([np.zeros(X.shape[1]), direction * scale])
        return Linear(weights, np.array([0.0, offset - weights[1] @ centre]))


def refined(machine: Any, X: Floats, sign: Floats) -> tuple[Floats, float]:
    """Direction and offset of a fitted libsvm machine, in double precision.

    libsvm stops early and keeps products of rows in single precision. Given which multipliers lie
    between their bounds, these and the offset solve a linear system. Rows that its solution shows
    to be on the wrong side change sides until none is; should that not end, libsvm's own answer
    stands. With no multiplier in between, any offset of an interval is optimal and its middle is
    taken, as libsvm does.
    """
    cost, a = machine.C, np.zeros(len(X))
    a[machine.support_] = np.abs(machine.dual_coef_[0])
    at_zero, at_cost = a < EXACT * cost, a > (1 - EXACT) * cost
    for _ in range(CORRECTIONS):
        free = ~at_zero & ~at_cost
        a, direction = between_bounds(X, sign, free, at_cost, cost)
        # The offset at which each row would lie on its margin bounds the offset from one side.
        limits = sign - X @ direction
        low = limits[free | (at_zero & (sign > 0)) | (at_cost & (sign < 0))].max(initial=-np.inf)
        high = limits[free | (at_zero & (sign < 0)) | (at_cost & (sign > 0))].min(initial=np.inf)
        inside = (a > -EXACT * cost).all() and (a < (1 + EXACT) * cost).all()
        if inside and low <= high + EXACT:
            return direction, float(low + high) / 2
        offset = limits[free].mean() if free.any() else (low + high) / 2
        margin = sign * (X @ direction + offset)
        at_zero = (at_zero & (margin >= 1 - EXACT)) | (free & (a < 0))
        at_cost = (at_cost & (margin <= 1 + EXACT)) | (free & (a > cost))
    return np.asarray(machine.coef_[0]), float(machine.intercept_[0])


def between_bounds(
    X: Floats, sign: Floats, free: Bools, at_cost: Bools, cost: float
) -> tuple[Floats, Floats]:
    """All multipliers and the direction when those that are `free` put their rows on the margin."""
    signed = sign[:, None] * X
    fixed = cost * signed[at_cost].sum(axis=0)
    a = np.where(at_cost, cost, 0.0)
    if not free.any():
        return a, fixed
    border = sign[free][:, None]
    system = np.block([[signed[free] @ signed[free].T, border], [border.T, np.zeros((1, 1))]])
    right = np.append(1 - signed[free] @ fixed, -cost * sign[at_cost].sum())
    a[free] = np.linalg.lstsq(system, right, rcond=None)[0][:-1]
    return a, fixed + a[free] @ signed[free]


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
    bound = start + ROUNDING * start
    while size > 1e-10 and objective(v + size * step) > bound + 1e-4 * size * slope:
        size /= 2
    return size


def standard(X: Floats, scaling: Scaling) -> tuple[Floats, Floats]:
    """Centre and inverse scale of each feature; 0 for one that is constant."""
    if scaling == "none":
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    spread = X.std(axis=0, ddof=1 if scaling == "sample" else 0)
    varying = np.ptp(X, axis=0) > 0
    return X.mean(axis=0), np.where(varying, 1 / np.where(varying, spread, 1.0), 0.0)
