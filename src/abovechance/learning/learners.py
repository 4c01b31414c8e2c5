"""Learners: discriminants, machines, logistic regression, and any scikit-learn classifier."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.numerics.logistic import fit_alone

# ----------------------------------------------------------------------------------------------
# What a learner is: it looks at rows and their classes and returns a predictor.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Inverse variances of many features, each drawn towards the common one.
# ----------------------------------------------------------------------------------------------


SHARES_COMPARED = 101  # shares of shrinkage 0, 0.01, …, 1 are compared
VARIANCES_AT_ONCE = 16_384  # variances worked on at a time, so that they stay in the cache


def shrunken_precision(variance: Floats, degrees: int, legacy: bool = False) -> Floats:
    r"""Inverse variances (B, p) shrunken towards the inverse of their geometric mean.

    .. math:: \tilde\sigma_j^{-2} = \{h_p / \bar v\}^\alpha \{h_1 / v_j\}^{1 - \alpha}, \quad
        h_P = \frac{2}{\nu} \left[\frac{\Gamma(\nu/2)}{\Gamma(\nu/2 - 1/P)}\right]^P

    with :math:`\bar v` the geometric mean and :math:`\alpha` minimising the estimated Stein risk,
    whose only part that depends on the data is :math:`\bar v^{-\alpha}\,\overline{v^\alpha}`.
    `legacy` repeats the R package sparsediscrim, which has :math:`\bar v^{+\alpha}` there and
    then :math:`\{\bar v / h_p\}^\alpha \{1 / (h_1 v_j)\}^{1 - \alpha}`: the geometric mean is
    inverted twice, so the result depends on the unit of measurement.

    References
    ----------
    Pang, Tong and Zhao (2009), equations 3 to 5, with t = -1.

    Examples
    --------
    >>> shrunken_precision(np.array([[1.0, 1.0, 4.0]]), degrees=10)
    array([[0.72197, 0.72197, 0.26243]])
    """
    p = variance.shape[1]
    if degrees <= 2 or p == 0:
        return np.asarray(1 / variance)
    step = max(1, VARIANCES_AT_ONCE // p)
    pieces = [variance[k : k + step] for k in range(0, len(variance), step)]
    return np.concatenate([_shrink(np.log(piece), degrees, legacy) for piece in pieces])


def _shrink(logs: Floats, degrees: int, legacy: bool) -> Floats:
    """Shrunken inverse variances (B, p) from logarithms of variances."""
    factor, constant, log_common, log_own = _risk_parts(degrees, logs.shape[1])
    common = logs.mean(axis=1, keepdims=True)
    # v^(k/100) by repeated multiplication: 1 exponential a feature instead of 101.
    root = np.exp((logs if legacy else logs - common) / (SHARES_COMPARED - 1))
    power, means = np.ones_like(root), np.empty((SHARES_COMPARED, len(logs)))
    average = np.full(logs.shape[1], 1 / logs.shape[1])
    for step in range(SHARES_COMPARED):
        means[step] = power @ average
        power *= root
    shares = np.arange(SHARES_COMPARED)[:, None] / (SHARES_COMPARED - 1)
    if legacy:
        means *= np.exp(common[:, 0] * shares)
    risk = factor[:, None] * means + constant[:, None]
    share = risk.argmin(axis=0)[:, None] / (SHARES_COMPARED - 1)
    if legacy:
        return np.asarray(np.exp(share * (common - log_common) - (1 - share) * (logs + log_own)))
    return np.asarray(np.exp(share * (log_common - common) + (1 - share) * (log_own - logs)))


@lru_cache(maxsize=256)
def _risk_parts(degrees: int, p: int) -> tuple[Floats, Floats, float, float]:
    """The parts of the risk that do not depend on the data, for every share of shrinkage."""
    from scipy.special import gammaln, psi

    half = degrees / 2

    def log_h(t: Floats | float, parts: int) -> Floats:
        """log h of degrees and `parts` at t."""
        gammas = gammaln(half) - gammaln(half + np.asarray(t) / parts)
        return np.asarray(np.asarray(t) * np.log(half) + parts * gammas)

    alpha = np.arange(SHARES_COMPARED) / (SHARES_COMPARED - 1)
    log_common, log_own = float(log_h(-1.0, p)), float(log_h(-1.0, 1))
    mixed = alpha * log_common + (1 - alpha) * log_own
    below = (p - 1) * log_h(-alpha / p, 1) + log_h(-(1 - alpha + alpha / p), 1)
    factor = np.exp(mixed - below)
    constant = -mixed + float(psi(half)) - np.log(half) - 1
    factor.setflags(write=False)
    constant.setflags(write=False)
    return factor, constant, log_common, log_own


# ----------------------------------------------------------------------------------------------
# Linear and diagonal discriminants: classes with their own means and shared spread.
# ----------------------------------------------------------------------------------------------


CONSTANT = 1e-14  # share of a feature's scatter within classes below which it does not vary
RANK = 1e-4  # singular values below this, in units of standard deviations, count as zero

Dialect = Literal["published", "sparsediscrim"]


@dataclass(frozen=True)
class LDA:
    """Fisher's linear discriminant with the training part's class shares as prior.

    Class 1 is predicted when :math:`w^T x - w^T (\\bar x_1 + \\bar x_0)/2 + \\log(n_1/n_0) > 0`,
    :math:`w = S^{-1} (\\bar x_1 - \\bar x_0)`, S the pooled covariance with divisor n - K.

    A singular S follows the rule of the R package MASS: features are divided by their standard
    deviation within classes and S is replaced by its pseudo-inverse, directions with a singular
    value below 1e-4 left out. A feature that does not vary within the classes of the training
    part is left out too (MASS stops there). `divisor="rows"` divides S by n, as scikit-learn does
    now; that only matters beside the prior.

    References
    ----------
    Venables and Ripley (2002), section 12.1; Rosenblatt et al., Table 1.
    """

    divisor: Literal["degrees", "rows"] = "degrees"

    def fit(self, X: Floats, y: Ints) -> Linear:
        means, sizes = class_means(X, y)
        left = X - means[y]
        varying = varies(left, X)
        degrees = self.divisor == "degrees"
        spread = np.sqrt((left[:, varying] ** 2).sum(axis=0) / max(len(X) - degrees, 1))
        standard = left[:, varying] / spread
        standard /= np.sqrt(max(len(X) - degrees * len(sizes), 1))
        _, values, axes = np.linalg.svd(standard, full_matrices=False)
        kept = values > RANK
        sphere = axes[kept].T / values[kept] / spread[:, None]
        weights = np.zeros_like(means)
        # Centred at the overall mean, far-away features lose no digits in the offsets.
        centre = X[:, varying].mean(axis=0)
        scaled = (means[:, varying] - centre) @ sphere
        weights[:, varying] = scaled @ sphere.T
        offsets = np.log(sizes / len(X)) - (scaled**2).sum(axis=1) / 2
        return Linear(weights, offsets - weights[:, varying] @ centre)


@dataclass(frozen=True)
class DiagonalLDA:
    """Linear discriminant that ignores correlations between features (naive Bayes).

    The class with the smallest :math:`\\sum_j (x_j - \\bar x_{kj})^2 / v_j - 2 \\log \\pi_k` is
    predicted, v the pooled variances with divisor n. The R package sparsediscrim adds
    :math:`+ \\log \\pi_k`, the wrong sign, which matters when classes differ in size;
    `dialect="sparsediscrim"` repeats it. Features that do not vary within classes are left out.

    References
    ----------
    Dudoit, Fridlyand and Speed (2002), section 3.2.
    """

    dialect: Dialect = "published"

    def fit(self, X: Floats, y: Ints) -> Linear:
        means, _ = class_means(X, y)
        left = X - means[y]
        varying = varies(left, X)
        variance = (left**2).mean(axis=0)
        return diagonal(X, y, np.where(varying, 1 / np.where(varying, variance, 1.0), 0.0), self)


@dataclass(frozen=True)
class ShrunkenDiagonalLDA:
    """Diagonal discriminant whose variances borrow strength from each other.

    The inverse variances of `DiagonalLDA` are replaced by Pang, Tong and Zhao's estimates, which
    lie between each feature's own and the common one. `dialect="sparsediscrim"` repeats that
    package's sign of the prior and its risk, which makes the amount of shrinkage depend on the
    unit of measurement. With fewer than K + 3 training rows there is no such estimate and the
    variances are taken as they are.

    References
    ----------
    Pang, Tong and Zhao (2009), sections 2 and 3.
    """

    dialect: Dialect = "published"

    def fit(self, X: Floats, y: Ints) -> Linear:
        means, sizes = class_means(X, y)
        left = X - means[y]
        varying = varies(left, X)
        precision = np.zeros(X.shape[1])
        variance = (left[:, varying] ** 2).mean(axis=0)
        legacy = self.dialect == "sparsediscrim"
        precision[varying] = shrunken_precision(variance[None], len(X) - len(sizes), legacy)[0]
        return diagonal(X, y, precision, self)


@dataclass(frozen=True)
class ShrinkageLDA:
    """Linear discriminant whose covariances are drawn towards the identity, class by class.

    The covariance of each class (divisor its size) keeps a share :math:`1 - \\lambda` of itself
    and gets :math:`\\lambda` times its mean variance on the diagonal; weighted by the shares of the
    classes they add up to S of `LDA`. "auto" estimates :math:`\\lambda` after Ledoit and Wolf in
    each class, with features at unit spread there; a number takes features as they are. A feature
    that does not vary in a class has no spread to be divided by.

    References
    ----------
    Ledoit and Wolf (2004), section 3.3.
    """

    shrinkage: float | Literal["auto"] = "auto"

    def fit(self, X: Floats, y: Ints) -> Linear:
        means, sizes = class_means(X, y)
        p = X.shape[1]
        pooled = np.zeros((p, p))
        for k, size in enumerate(sizes):
            left = X[y == k] - means[k]
            spread = np.ones(p)
            if self.shrinkage == "auto":
                spread = left.std(axis=0)
                spread = np.where(spread > 0, spread, 1.0)
            z = left / spread
            covariance = z.T @ z / size
            level = np.trace(covariance) / p
            part = self.shrinkage
            if part == "auto":
                noise = ((z**2).sum(axis=1) ** 2).sum() / size - (covariance**2).sum()
                signal = (covariance**2).sum() - p * level**2
                part = _shrunken_share(noise / size, signal) if p > 1 else 0.0
            shrunken = (1 - part) * covariance + part * level * np.eye(p)
            pooled += size / len(X) * shrunken * np.outer(spread, spread)
        centre = X.mean(axis=0)
        weights = np.linalg.lstsq(pooled, (means - centre).T, rcond=None)[0].T
        offsets = np.log(sizes / len(X)) - ((means - centre) * weights).sum(axis=1) / 2
        return Linear(weights, offsets - weights @ centre)


def _shrunken_share(noise: float, signal: float) -> float:
    """Noise over signal, no more than all of it."""
    noise = min(noise, signal)
    return noise / signal if noise != 0 else 0.0


def diagonal(
    X: Floats, y: Ints, precision: Floats, learner: DiagonalLDA | ShrunkenDiagonalLDA
) -> Linear:
    """The discriminant of features weighted one by one."""
    means, sizes = class_means(X, y)
    centre = X.mean(axis=0)
    weights = (means - centre) * precision
    prior = np.log(sizes / len(X)) * prior_sign(learner.dialect)
    offsets = prior - ((means - centre) * weights).sum(axis=1) / 2
    return Linear(weights, offsets - weights @ centre)


def prior_sign(dialect: Dialect) -> float:
    """What the log prior is multiplied by when half the distance is taken away."""
    return -0.5 if dialect == "sparsediscrim" else 1.0


def varies(left: Floats, X: Floats) -> Bools:
    """Which features vary within classes, by more than rounding."""
    total = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    rounding = CONSTANT**2 * (X**2).sum(axis=0)
    return np.asarray((left**2).sum(axis=0) > np.maximum(CONSTANT * total, rounding))


# ----------------------------------------------------------------------------------------------
# Regularised discriminant analysis for more features than rows.
# ----------------------------------------------------------------------------------------------


LEAST_SHARE = 1e-6  # eigenvalues below this share of the largest count as zero


@dataclass(frozen=True)
class Quadratic:
    """Scores from distances to each class in its own metric."""

    means: Floats
    whiteners: Floats
    offsets: Floats

    def scores(self, X: Floats) -> Floats:
        apart = np.einsum("kpq,nkp->nkq", self.whiteners, X[:, None, :] - self.means)
        return np.asarray(self.offsets - (apart**2).sum(axis=-1) / 2)


@dataclass(frozen=True)
class RegularisedDA:
    """Discriminant between pooled and own covariances, with a ridge (HDRDA).

    In the q directions in which the pooled covariance :math:`\\hat\\Sigma` (divisor n) is not
    zero, class k has the covariance

    .. math:: W_k = (1 - \\lambda) \\hat\\Sigma_k + \\lambda \\hat\\Sigma + \\gamma I

    and the class with the smallest
    :math:`(x - \\bar x_k)^T W_k^{-1} (x - \\bar x_k) + \\log |W_k| - 2 \\log \\pi_k` is predicted.
    The defaults of the R package, :math:`\\lambda = 1` and :math:`\\gamma = 0`, regularise
    nothing: that is `LDA` but for the divisor, and what the papers ran.

    References
    ----------
    Ramey, Stein, Young and Young (2016), equations 9 and 14.
    """

    pooling: float = 1.0
    ridge: float = 0.0

    def fit(self, X: Floats, y: Ints) -> Quadratic:
        means, sizes = class_means(X, y)
        left = X - means[y]
        _, values, axes = np.linalg.svd(left / np.sqrt(len(X)), full_matrices=False)
        axes = axes[values**2 > LEAST_SHARE * values[0] ** 2]
        whiteners, logs = [], []
        for k, size in enumerate(sizes):
            own = left[y == k] @ axes.T
            pooled = left @ axes.T
            covariance = (1 - self.pooling) * own.T @ own / size
            covariance += self.pooling * pooled.T @ pooled / len(X)
            spread, turn = np.linalg.eigh(covariance)
            # With pooling = ridge = 0 a small class is singular: keep what varies in it.
            spread = spread + self.ridge
            kept = spread > LEAST_SHARE * spread.max(initial=0.0)
            whitener = np.zeros((X.shape[1], len(axes)))
            whitener[:, kept] = (axes.T @ turn[:, kept]) / np.sqrt(spread[kept])
            whiteners.append(whitener)
            logs.append(np.log(spread[kept]).sum())
        offsets = np.log(sizes / len(X)) - np.array(logs) / 2
        return Quadratic(means, np.stack(whiteners), offsets)


# ----------------------------------------------------------------------------------------------
# Linear support vector machines, by the hinge and by its square.
# ----------------------------------------------------------------------------------------------


TOLERANCE = 1e-4  # libsvm stops here; what it found is then refined
EXACT = 1e-7  # what the conditions of an optimum may be missed by
ROUNDING = 1e-12  # of a sum: a rise smaller than this is none
CORRECTIONS = 200  # changes of sides after which rows are taken to run in circles

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
        sign, caps = np.where(y == 1, 1.0, -1.0), np.full(len(X), self.cost)
        machine = SVC(kernel="linear", C=self.cost, tol=TOLERANCE).fit(scaled, y)
        if len(machine.classes_) > 2:
            return Votes(machine, centre, scale)
        a = np.zeros(len(X))
        a[machine.support_] = np.abs(machine.dual_coef_[0])
        found = refined(a, scaled, sign, caps)
        direction, offset = found or (machine.coef_[0], float(machine.intercept_[0]))
        weights = np.stack([np.zeros(X.shape[1]), direction * scale])
        return Linear(weights, np.array([0.0, offset - weights[1] @ centre]))


def refined(a: Floats, X: Floats, sign: Floats, caps: Floats) -> tuple[Floats, float] | None:
    """Direction and offset in double precision, from multipliers nearly at the optimum.

    libsvm stops early and keeps products of rows in single precision. Given which multipliers lie
    between 0 and their `caps`, these and the offset solve a linear system. One that meets a bound
    on the way to the solution stays there; from the solution the row furthest on the wrong side
    of its margin is let go, until none is. None should that not end. With no multiplier in
    between, any offset of an interval is optimal and its middle is taken, as libsvm does.
    """
    signed = sign[:, None] * X
    free = (a > EXACT * caps) & (a < (1 - EXACT) * caps)
    a = np.where(free, a, np.where(a > caps / 2, caps, 0.0))
    for _ in range(CORRECTIONS):
        at = np.flatnonzero(free)
        step, end = towards_margin(signed[at], sign[at], a @ signed, float(a @ sign))
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step > 0, (caps[at] - a[at]) / step, -a[at] / step)
        far = room[step != 0].min(initial=end)
        if far == np.inf:
            return None
        a[at] += far * step
        if far < end:
            met = at[np.where(step != 0, room, np.inf).argmin()]
            free[met], a[met] = False, caps[met] if a[met] > caps[met] / 2 else 0.0
            continue
        # The offset at which each row would lie on its margin bounds the offset from one side.
        direction = a @ signed
        limits = sign - X @ direction
        low = np.where(free | ((a > 0) == (sign < 0)), limits, -np.inf)
        high = np.where(free | ((a > 0) == (sign > 0)), limits, np.inf)
        if low.max() <= high.min() + EXACT:
            return direction, float(low.max() + high.min()) / 2
        offset = limits[free].mean() if free.any() else low.max()
        free[np.where(free, -np.inf, np.maximum(low - offset, offset - high)).argmax()] = True
    return None


def towards_margin(
    signed: Floats, sign: Floats, direction: Floats, excess: float
) -> tuple[Floats, float]:
    """The step of multipliers that puts their rows on the margin, to be taken once.

    Where no step does (more rows than can lie there), one that only helps, to be taken as far as
    the bounds allow.
    """
    n = len(sign)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n], system[:n, n], system[n, :n] = signed @ signed.T, sign, sign
    right = np.append(1 - signed @ direction, -excess)
    found = np.linalg.lstsq(system, right, rcond=None)[0]
    missing = right - system @ found
    whole = bool((np.abs(missing[:n]) < EXACT / 4).all())
    return (found[:n], 1.0) if whole else (missing[:n], np.inf)


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
    """Support vector machine with squared hinge loss and a penalised offset.

    .. math:: \\min_{v} \\tfrac12 \\lVert v \\rVert^2
        + C \\sum_i \\max(0, 1 - s_i v^T (x_i, 1))^2

    is what LIBLINEAR's types 1 and 2 solve. Newton's method finds it exactly, as the loss is
    quadratic once it is known which rows lie inside the margin. One against the rest with more
    than two classes. Features are as given, or scaled as those of `LinearSVM`.

    References
    ----------
    Fan et al. (2008), appendix A; Mangasarian (2002); Rosenblatt et al., Table 3.
    """

    cost: float = 1.0
    scaling: Scaling = "none"

    def fit(self, X: Floats, y: Ints) -> Linear:
        centre, scale = standard(X, self.scaling)
        extended = np.column_stack([(X - centre) * scale, np.ones(len(X))])
        classes = int(y.max()) + 1
        if classes == 2:
            signs = np.where(y == 1, 1.0, -1.0)
            found = squared_hinge(extended, signs, np.full(len(X), self.cost))
            solutions = np.stack([np.zeros_like(found), found])
        else:
            costs = np.full(len(X), self.cost)
            each = (np.where(y == k, 1.0, -1.0) for k in range(classes))
            solutions = np.stack([squared_hinge(extended, sign, costs) for sign in each])
        weights = solutions[:, :-1] * scale
        return Linear(weights, solutions[:, -1] - weights @ centre)


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


# ----------------------------------------------------------------------------------------------
# Logistic regression, penalised or not.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RidgeLogistic:
    """Logistic regression with a ridge penalty, at its optimum.

    .. math:: \\min_{w, b} \\tfrac12 \\lVert w \\rVert^2
        + C \\sum_i \\log(1 + e^{-s_i (w^T x_i + b)})

    with C the `cost`, infinite for maximum likelihood, and b unpenalised (0 unless `intercept`).
    Features are as given, or brought to mean 0 and unit spread on the training part as `LinearSVM`
    does. Two classes alone; `numerics.logistic` fits many at once.

    References
    ----------
    le Cessie and van Houwelingen (1992).
    """

    cost: float = 1.0
    intercept: bool = True
    scaling: Scaling = "none"

    def fit(self, X: Floats, y: Ints) -> Linear:
        if y.max() > 1:
            raise NotApplicable("RidgeLogistic is for two classes; for more use scikit-learn's.")
        centre, scale = standard(X, self.scaling)
        found = fit_alone((X - centre) * scale, y, penalty=self.penalty, intercept=self.intercept)
        weights = np.stack([np.zeros(X.shape[1]), found.weights[0] * scale])
        return Linear(weights, np.array([0.0, found.offsets[0] - weights[1] @ centre]))

    @property
    def penalty(self) -> float:
        """What multiplies half the squared weights beside the plain log-likelihood."""
        return 1 / self.cost


def standard(X: Floats, scaling: Scaling) -> tuple[Floats, Floats]:
    """Centre and inverse scale of each feature; 0 for one that is constant."""
    if scaling == "none":
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    spread = X.std(axis=0, ddof=1 if scaling == "sample" else 0)
    varying = (np.ptp(X, axis=0) > 0) & (spread > 0)  # squares of the smallest numbers are 0
    return X.mean(axis=0), np.where(varying, 1 / np.where(varying, spread, 1.0), 0.0)


# ----------------------------------------------------------------------------------------------
# Any scikit-learn classifier as a learner.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimator:
    """A scikit-learn classifier or pipeline, cloned before every fit.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = Estimator(DecisionTreeClassifier(random_state=0))
    >>> import numpy as np
    >>> tree.fit(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])).scores(np.array([[0.9]]))
    array([[0., 1.]])
    """

    estimator: Any

    def fit(self, X: Floats, y: Ints) -> Predictor:
        from sklearn.base import clone

        return Votes(clone(self.estimator).fit(X, y))
