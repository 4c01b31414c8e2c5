"""Designs of two groups of rows: what differs between them, in what noise."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError
from abovechance.studies.samples import Groups, classes, flag, number, one_of, whole

Noise = Literal["identity", "ar1", "brownian", "heteroskedastic"]
Direction = Literal["equal", "first", "last", "first_axis", "last_axis"]
Scaling = Literal["coordinate", "snr", "norm"]


@dataclass(frozen=True)
class Shift:
    r"""The groups' means differ; everything else is the same.

    Parameters
    ----------
    noise
        Covariance within groups: "identity"; "ar1", :math:`\rho^{|k-l|}`; "brownian",
        :math:`\min(k,l)/\sqrt{kl}`; "heteroskedastic", variances 1 … p.
    tails
        Degrees of freedom of a multivariate t with that scale matrix; None for Gaussian noise.
    direction
        "equal" in all features, in the "first" or "last" feature only, or along an eigenvector
        of the covariance: "first_axis" (largest eigenvalue) or "last_axis". A number names the
        eigenvector, 1 the largest.
    scaling
        "coordinate": the effect times the direction (all ones for "equal"). "snr": the effect
        is the root of (n/2) μ'Σ⁻¹μ. "norm": μ has length effect·√p.
    decimals
        Round the covariance to so many decimals, as was done for Figure 10b of 2016.

    References
    ----------
    Rosenblatt et al. (2016), section 3; (2019), section 4.

    Examples
    --------
    >>> Shift(features=3).mean(40, 0.5)
    array([0.5, 0.5, 0.5])
    >>> mu = Shift(features=3, noise="ar1", rho=0.6, scaling="snr").mean(40, 5.0)
    >>> sigma = Shift(features=3, noise="ar1", rho=0.6).covariance()
    >>> float(20 * mu @ np.linalg.solve(sigma, mu))
    25.0
    """

    features: int = 23
    noise: Noise = "identity"
    rho: float = 0.6
    tails: float | None = None
    direction: Direction | int = "equal"
    scaling: Scaling = "coordinate"
    decimals: int | None = None
    name: ClassVar[str] = "shift"
    kind: ClassVar[type] = Groups
    effects: ClassVar[tuple[float, ...]] = (0.0, 0.25, 0.5)

    def __post_init__(self) -> None:
        whole("features", self.features, 1)
        one_of("noise", self.noise, get_args(Noise))
        one_of("scaling", self.scaling, get_args(Scaling))
        number("rho", self.rho, -1.0, 1.0, inside=True)
        if self.tails is not None:
            number("tails", self.tails, 0.0, inside=True)
        if self.decimals is not None:
            whole("decimals", self.decimals, 0)
        self._known_direction()
        self._positive_definite()

    def _known_direction(self) -> None:
        if isinstance(self.direction, str):
            axes = f", or the number of an eigenvector, 1 to {self.features}"
            one_of("direction", self.direction, get_args(Direction), axes)
        else:
            whole("direction", self.direction, 1, self.features)

    def _positive_definite(self) -> None:
        if self.noise == "identity":
            return
        try:
            np.linalg.cholesky(self.covariance())
        except np.linalg.LinAlgError:
            raise AboveChanceError(
                f"the covariance must be positive definite; {self.noise} with rho {self.rho:g} "
                f"and decimals {self.decimals} is not. Keep more decimals or lower rho."
            ) from None

    def covariance(self) -> Floats:
        """The scale matrix of the noise."""
        k = np.arange(1.0, self.features + 1)
        match self.noise:
            case "ar1":
                sigma = self.rho ** np.abs(k[:, None] - k)
            case "brownian":
                sigma = np.minimum(k[:, None], k) / np.sqrt(k[:, None] * k)
            case "heteroskedastic":
                sigma = np.diag(k)
            case _:
                sigma = np.eye(self.features)
        return np.asarray(sigma if self.decimals is None else np.round(sigma, self.decimals))

    def mean(self, n: int, effect: float) -> Floats:
        """The difference μ between the groups' means."""
        number("effect", effect)
        toward = self._direction()
        if self.scaling == "snr":
            weight = toward @ np.linalg.solve(self.covariance(), toward)
            return np.asarray(effect * toward / np.sqrt(n / 2 * weight))
        if self.scaling == "norm":
            return np.asarray(effect * np.sqrt(self.features) * toward / np.linalg.norm(toward))
        return np.asarray(effect * toward)

    def _direction(self) -> Floats:
        axes = {"first_axis": 1, "last_axis": self.features}
        axis = axes.get(self.direction) if isinstance(self.direction, str) else self.direction
        if axis is not None:
            return np.asarray(np.linalg.eigh(self.covariance())[1][:, -int(axis)])
        toward = np.zeros(self.features)
        ends = {"first": slice(1), "last": slice(-1, None), "equal": slice(None)}
        toward[ends[str(self.direction)]] = 1.0
        return toward

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Groups:
        y, sigma = classes(n), self.covariance()
        X = rng.standard_normal((n, self.features))
        if self.noise != "identity":
            X = X @ np.linalg.cholesky(sigma).T
        if self.tails is not None:
            X = X / np.sqrt(rng.chisquare(self.tails, (n, 1)) / self.tails)
        return Groups(X + np.outer(y, self.mean(n, effect)), y.astype(np.int64), sigma)


@dataclass(frozen=True)
class Scale:
    """The second group is spread `effect` times as wide; the means are equal.

    References
    ----------
    Rosenblatt et al. (2016), Figure 8a.
    """

    features: int = 23
    name: ClassVar[str] = "scale"
    kind: ClassVar[type] = Groups
    effects: ClassVar[tuple[float, ...]] = (1.0, 1.1, 1.2)

    def __post_init__(self) -> None:
        whole("features", self.features, 1)

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Groups:
        number("effect", effect, 0.0, inside=True)
        y = classes(n)
        X = rng.standard_normal((n, self.features)) * np.where(y, effect, 1.0)[:, None]
        return Groups(X, y.astype(np.int64), np.eye(self.features))


@dataclass(frozen=True)
class Mixture:
    """Rows of both groups come from two clouds; `effect` is how unequally.

    x = χ·(distance/√p)·1 + N(0, I), χ = ±1, with P(χ = 1) = ½ − effect in group 1 and
    ½ + effect in group 0.

    References
    ----------
    Rosenblatt et al. (2016), Figure 4.
    """

    features: int = 23
    distance: float = 3.0
    name: ClassVar[str] = "mixture"
    kind: ClassVar[type] = Groups
    effects: ClassVar[tuple[float, ...]] = (0.0, 0.25, 0.5)

    def __post_init__(self) -> None:
        whole("features", self.features, 1)
        number("distance", self.distance, 0.0)

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Groups:
        number("effect", effect, -0.5, 0.5)
        y = classes(n)
        first = rng.random(n) < np.where(y, 0.5 - effect, 0.5 + effect)
        centre = np.where(first, 1.0, -1.0) * self.distance / np.sqrt(self.features)
        X = rng.standard_normal((n, self.features)) + centre[:, None]
        return Groups(X, y.astype(np.int64))


@dataclass(frozen=True)
class Logistic:
    """Labels follow a logistic model of the features, with main effects, squares, or both.

    η = effect·(Σx_j·main + Σx_j²·square), less its sample median; P(y = 1) = logistic(η). With
    `augmented` the tests see the features and all their products, standardised.

    References
    ----------
    Rosenblatt et al. (2019), logistic designs; main 1/√p and square 1/p.
    """

    features: int = 23
    main: float = 0.0
    square: float = 0.0
    augmented: bool = False
    name: ClassVar[str] = "logistic"
    kind: ClassVar[type] = Groups
    effects: ClassVar[tuple[float, ...]] = (0.0, 5.0, 10.0)

    def __post_init__(self) -> None:
        whole("features", self.features, 1)
        number("main", self.main)
        number("square", self.square)
        flag("augmented", self.augmented)

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Groups:
        number("effect", effect)
        X = rng.standard_normal((n, self.features))
        eta = effect * (self.main * X.sum(axis=1) + self.square * (X**2).sum(axis=1))
        chance = 1.0 / (1.0 + np.exp(np.median(eta) - eta))
        y = self._both(rng.random(n) < chance)
        if self.augmented:
            rows, columns = np.triu_indices(self.features)
            X = np.concatenate([X, X[:, rows] * X[:, columns]], axis=1)
            X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        return Groups(X, y.astype(np.int64))

    @staticmethod
    def _both(y: Bools) -> Bools:
        """At least two rows in each group, which fails once in 10⁹ samples of 40."""
        y = y.copy()
        if y.sum() < 2:
            y[:2] = True
        if (~y).sum() < 2:
            y[:2] = False
        return y
