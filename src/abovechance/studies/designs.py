"""Designs: how data arise, as samples of a size with an effect.

A design draws predictions of one model (`Predicted`), of two (`Pair`), or two groups of rows
(`Groups`). What comes from a user, arrays and parameters of designs, is checked here, once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, log10
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, get_args

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import AboveChanceError, DataError, did_you_mean
from abovechance.predictions import checks


@dataclass(frozen=True, eq=False)
class Predicted:
    """Outcomes and the probabilities one model gives them; above `threshold` it says yes.

    Outcomes are True and False, or 1 and 0.
    """

    positive: Bools
    probability: Floats
    threshold: float = 0.5

    def __post_init__(self) -> None:
        positive = outcomes(self.positive)
        probability = probabilities("probability", self.probability, positive.size)
        settle(self, positive=positive, probability=probability)
        number("threshold", self.threshold, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Pair:
    """Outcomes and the probabilities of two models for the same cases, called above `threshold`."""

    positive: Bools
    first: Floats
    second: Floats
    threshold: float = 0.5

    def __post_init__(self) -> None:
        positive = outcomes(self.positive)
        first = probabilities("first", self.first, positive.size)
        second = probabilities("second", self.second, positive.size)
        settle(self, positive=positive, first=first, second=second)
        number("threshold", self.threshold, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Groups:
    """Features (n, p) of rows that belong to group 0 or 1.

    `covariance` is the true one within groups, for the statistic that knows it.
    """

    X: Floats
    labels: Ints
    covariance: Floats | None = None

    def __post_init__(self) -> None:
        labels = outcomes(self.labels, "labels").astype(np.int64)
        settle(self, X=table("features", self.X, labels.size), labels=labels)
        if self.covariance is not None:
            p = self.X.shape[1]
            settle(self, covariance=table("covariance", self.covariance, p, p))


Sample: TypeAlias = Predicted | Pair | Groups


class Design(Protocol):
    """Anything that draws a sample of n cases with an effect: a function, or a small class."""

    def __call__(self, n: int, effect: float, rng: np.random.Generator, /) -> Sample: ...


UserTest: TypeAlias = Callable[[Sample, np.random.Generator], float]
"""A test of one's own: a sample and a stream in, a p-value out."""


def name_of(thing: object) -> str:
    """What a design or a test is called in a table.

    >>> from functools import partial
    >>> name_of(partial(name_of, 3))
    'name_of'
    """
    thing = getattr(thing, "func", thing)
    return str(getattr(thing, "name", None) or getattr(thing, "__name__", type(thing).__name__))


def classes(n: int, share: float = 0.5) -> Bools:
    """n outcomes, the share of positives fixed, with at least one case of each class.

    >>> classes(5, 0.2).tolist()
    [True, False, False, False, False]
    """
    positives = min(max(round(n * share), 1), n - 1)
    return np.arange(n) < positives


def settle(frozen: object, **values: object) -> None:
    """Give fields of a frozen dataclass the values they were checked to have."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


def outcomes(values: Any, name: str = "outcomes") -> Bools:
    """Outcomes as booleans, from booleans or from zeros and ones.

    >>> outcomes([0, 1, 1])
    array([False,  True,  True])
    """
    array = checks.vector(name, values)
    if array.dtype.kind == "b" and array.size:
        return array
    if not array.size or not checks.is_zero_one(array):
        wrong = ((row, value) for row, value in enumerate(array.tolist(), 1) if value not in (0, 1))
        what = next((f"{value!r} at row {row}" for row, value in wrong), "none")
        raise DataError(
            f"{name} must be True and False, or 1 and 0; got {what}. Compare with the positive "
            "class first."
        )
    return np.asarray(array, dtype=np.bool_)


def probabilities(name: str, values: Any, cases: int) -> Floats:
    """Probabilities as floats, one for each case."""
    array = checks.numbers(name, checks.vector(name, values))
    if array.size != cases:
        raise DataError(f"{name} must hold a value for each of {cases} cases; got {array.size}.")
    if not (array.min() >= 0.0 and array.max() <= 1.0):
        row = int(np.argmin((array >= 0.0) & (array <= 1.0)))
        raise DataError(
            f"{name} must lie in [0, 1]; got {array[row]:g} at row {row + 1}. Leave out "
            "missing predictions, and turn scores into probabilities."
        )
    return array


def table(name: str, values: Any, rows: int, columns: int | None = None) -> Floats:
    """A table of finite numbers as floats, with so many rows and columns."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{name} must be a table of numbers; got text, or rows of unequal length."
        ) from None
    if array.ndim != 2 or not array.size or array.shape != (rows, columns or array.shape[1]):
        raise DataError(
            f"{name} must be a table of {rows} rows and {columns or 'some'} columns; got shape "
            f"{array.shape}."
        )
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise DataError(
            f"{name} must be finite; got {array[row, column]:g} at row {row + 1}, column "
            f"{column + 1}. Leave such rows out or fill them."
        )
    return array


def number(
    name: str, value: Any, low: float = -inf, high: float = inf, *, inside: bool = False
) -> None:
    """Refuse what is not a finite number from `low` to `high`; `inside` leaves the ends out.

    >>> number("effect", 2.0, 0.0, 1.0)
    Traceback (most recent call last):
    ...
    abovechance.errors.AboveChanceError: effect must lie in [0, 1]; got 2.0.
    """
    if isinstance(value, Real) and isfinite(value):
        given = float(value)
        if low < given < high if inside else low <= given <= high:
            return
    if low == -inf:
        must = "be a finite number"
    elif high == inf:
        must = f"be a finite number {'above' if inside else 'not below'} {low:g}"
    else:
        must = f"lie between {low:g} and {high:g}" if inside else f"lie in [{low:g}, {high:g}]"
    raise AboveChanceError(f"{name} must {must}; {_got(value)}")


def whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse what is not a whole number from `least` on, or to `most`."""
    fits = not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least
    if fits and (most is None or value <= most):
        return
    end = "on" if most is None else f"to {most}"
    raise AboveChanceError(f"{name} must be a whole number from {least} {end}; {_got(value)}")


def flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise AboveChanceError(f"{name} must be True or False; {_got(value)}")


def one_of(name: str, value: Any, known: Sequence[str], besides: str = "") -> None:
    """Refuse a word that is not known, with the nearest that is.

    >>> one_of("noise", "AR1", ("identity", "ar1"))
    Traceback (most recent call last):
    ...
    abovechance.errors.AboveChanceError: unknown noise 'AR1'; did you mean 'ar1'?
    """
    if isinstance(value, str) and value in known:
        return
    close = did_you_mean(str(value).lower(), known)
    choice = f"; choose from {', '.join(known)}{besides}."
    raise AboveChanceError(f"unknown {name} {value!r}{close or choice}")


def _got(value: object) -> str:
    return f"got {value if isinstance(value, Real) else repr(value)}."


LEAST = 4
"""Cases in the smallest sample."""

LEAST_NOISE, MOST_NOISE = 1e-4, 5.0
"""With less the two models are one to a formula; with more their probabilities round to 0 and 1."""

AREAS = (0.6, 0.7, 0.8)
"""Areas under the ROC curve that are studied where none is named."""


@dataclass(frozen=True)
class GaussianPredictions:
    """Logits of the two classes are Gaussian, `effect` standard deviations apart.

    Half of the cases are positive; logits are N(±effect/2, 1). The model is calibrated only
    when effect = 1.

    References
    ----------
    Dinga et al., first simulation; their code has effect 0.5 where their text says 1.

    Examples
    --------
    >>> sample = GaussianPredictions()(20, 0.5, np.random.default_rng(1))
    >>> int(sample.positive.sum()), sample.probability.shape
    (10, (20,))
    """

    name: ClassVar[str] = "gaussian predictions"
    kind: ClassVar[type] = Predicted
    effects: ClassVar[tuple[float, ...]] = (0.0, 0.5)
    effect_scale: ClassVar[str] = "standard deviations between the classes' logits"
    prevalence: ClassVar[float] = 0.5
    threshold: ClassVar[float] = 0.5

    def words(self, effect: float) -> str:
        """The design in words."""
        return f"logits of the classes {effect:g} standard deviations apart, {_share(0.5)}"

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Predicted:
        number("effect", effect)
        positive = classes(n)
        logit = rng.standard_normal(n) + np.where(positive, effect / 2, -effect / 2)
        return Predicted(positive, expit(logit))


@dataclass(frozen=True)
class Binormal:
    r"""A calibrated model with a stated area under the ROC curve, which is the effect.

    Scores are N(0, 1) in negatives and N(δ, 1) in positives, :math:`\delta = \sqrt 2 \,
    \Phi^{-1}(AUC)`; the probability is the posterior at the prevalence,
    :math:`\operatorname{logit} p = \operatorname{logit} \pi + \delta s - \delta^2/2`. The
    number of positives is fixed at round(nπ).

    Parameters
    ----------
    prevalence
        Share of positive cases.
    threshold
        Predicted labels are positive above it.
    auc
        The effect where a study names none; without, areas of 0.6, 0.7 and 0.8 are studied.

    See Also
    --------
    BinormalPair : two such models on the same cases.
    Pilot : predictions already made, drawn again.

    References
    ----------
    Hanley & McNeil (1982) for areas of binormal scores.

    Examples
    --------
    >>> sample = Binormal(prevalence=0.2)(1000, 0.7, np.random.default_rng(1))
    >>> float(sample.positive.mean()), round(float(sample.probability.mean()), 2)
    (0.2, 0.2)
    """

    prevalence: float = 0.5
    threshold: float = 0.5
    auc: float | None = None
    name: ClassVar[str] = "binormal"
    kind: ClassVar[type] = Predicted
    effect_scale: ClassVar[str] = "AUC"

    @property
    def effects(self) -> tuple[float, ...]:
        """The effects that are studied where none is named."""
        return AREAS if self.auc is None else (self.auc,)

    def __post_init__(self) -> None:
        if self.auc is not None:
            standard_deviations("the AUC", self.auc)
        number("prevalence", self.prevalence, 0.0, 1.0, inside=True)
        number("threshold", self.threshold, 0.0, 1.0, inside=True)

    def words(self, effect: float) -> str:
        """The design in words."""
        return f"a calibrated model with an AUC of {effect:g}, {_share(self.prevalence)}"

    def distance(self, effect: float) -> float:
        """How many standard deviations apart the classes are for an area of `effect`."""
        return standard_deviations("the AUC", effect)

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Predicted:
        delta = self.distance(effect)
        positive = classes(n, self.prevalence)
        score = rng.standard_normal(n) + delta * positive
        return Predicted(positive, posterior(score, delta, self.prevalence), self.threshold)


@dataclass(frozen=True)
class BinormalPair:
    r"""Two calibrated models with stated areas, seen on the same cases; the second's is the effect.

    Each model is as in `Binormal`; within both classes their scores correlate by `correlation`.
    With an effect of `auc` they are equally good. The number of positives is fixed at round(nπ).

    Parameters
    ----------
    auc
        Of the first model.
    auc2
        Of the second model where a study names no effect.
    prevalence
        Share of positive cases.
    correlation
        Of both models' scores within each class.
    threshold
        Predicted labels are positive above it.

    See Also
    --------
    CorrelatedModels : two models that differ by a constant in logits, as in Dinga et al.

    References
    ----------
    Obuchowski & McClish (1997) for the variance of the difference of two areas.

    Examples
    --------
    >>> pair = BinormalPair(auc=0.7, prevalence=0.2)(1000, 0.75, np.random.default_rng(1))
    >>> float(pair.positive.mean()), round(float(pair.second.mean()), 2)
    (0.2, 0.2)
    """

    auc: float = 0.7
    auc2: float = 0.75
    prevalence: float = 0.5
    correlation: float = 0.5
    threshold: float = 0.5
    name: ClassVar[str] = "binormal pair"
    kind: ClassVar[type] = Pair
    effect_scale: ClassVar[str] = "AUC of the second model"

    @property
    def effects(self) -> tuple[float, ...]:
        """The effects that are studied where none is named."""
        return (self.auc2,)

    def __post_init__(self) -> None:
        standard_deviations("the AUC", self.auc)
        standard_deviations("the second AUC", self.auc2)
        number("prevalence", self.prevalence, 0.0, 1.0, inside=True)
        number("correlation", self.correlation, -1.0, 1.0, inside=True)
        number("threshold", self.threshold, 0.0, 1.0, inside=True)

    def words(self, effect: float) -> str:
        """The design in words."""
        return (
            f"two calibrated models with AUCs of {self.auc:g} and {effect:g} whose scores "
            f"correlate by {self.correlation:g} within classes, {_share(self.prevalence)}"
        )

    def distances(self, effect: float) -> tuple[float, float]:
        """How many standard deviations apart each model sees the classes."""
        first, second = (standard_deviations("the AUC", area) for area in (self.auc, effect))
        return first, second

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Pair:
        positive = classes(n, self.prevalence)
        first, other = rng.standard_normal((2, n))
        second = self.correlation * first + np.sqrt(1.0 - self.correlation**2) * other
        probability = [
            posterior(score + delta * positive, delta, self.prevalence)
            for score, delta in zip((first, second), self.distances(effect), strict=True)
        ]
        return Pair(positive, probability[0], probability[1], self.threshold)


@dataclass(frozen=True)
class CorrelatedModels:
    """Two models that see nearly the same; the second is better by `effect` in logits.

    Half of the cases are positive with latent L ~ N(±½, 1). The models' logits are L + e and
    L − e ± effect with e ~ N(0, 0.1²), the sign that of the class; `noise` is e's standard
    deviation. With `per_class` the size counts the cases of one class, as in the paper.

    References
    ----------
    Dinga et al., comparison of simulated models; improvement 0.05.
    """

    noise: float = 0.1
    per_class: bool = False
    name: ClassVar[str] = "correlated models"
    kind: ClassVar[type] = Pair
    effects: ClassVar[tuple[float, ...]] = (0.0, 0.05)
    effect_scale: ClassVar[str] = "logits by which the second model is better"
    prevalence: ClassVar[float] = 0.5

    def words(self, effect: float) -> str:
        """The design in words."""
        return (
            f"two models that see nearly the same, the second better by {effect:g} in logits, "
            f"{_share(0.5)}"
        )

    def __post_init__(self) -> None:
        number("noise", self.noise, LEAST_NOISE, MOST_NOISE)
        flag("per_class", self.per_class)

    def cases(self, n: int) -> int:
        """How many cases a size stands for."""
        return 2 * n if self.per_class else n

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Pair:
        number("effect", effect)
        positive = classes(self.cases(n))
        side = np.where(positive, 1.0, -1.0)
        latent = rng.standard_normal(side.size) + side / 2
        noise = self.noise * rng.standard_normal(side.size)
        return Pair(positive, expit(latent + noise), expit(latent - noise + side * effect))


@dataclass(frozen=True, eq=False)
class Pilot:
    """Cases drawn again, with replacement and class by class, from predictions already made.

    The effect is the share of cases that keep their own prediction: 1 as in the pilot, 0 no
    better than chance; between them, a model that lost part of its signal. The classes keep
    their shares.

    Examples
    --------
    >>> pilot = Pilot(np.array([True, True, False]), np.array([0.8, 0.6, 0.3]))
    >>> int(pilot(6, 1.0, np.random.default_rng(1)).positive.sum())
    4
    """

    positive: Bools
    probability: Floats
    threshold: float = 0.5
    name: ClassVar[str] = "pilot"
    kind: ClassVar[type] = Predicted
    effects: ClassVar[tuple[float, ...]] = (1.0,)
    effect_scale: ClassVar[str] = "share of cases that keep their own prediction"

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return float(self.positive.mean())

    def words(self, effect: float) -> str:
        """The design in words."""
        kept = "" if effect == 1 else f", of which {effect:.0%} keep their signal"
        return f"predictions like those of the pilot{kept}, {_share(self.prevalence)}"

    def __post_init__(self) -> None:
        positive = outcomes(self.positive)
        probability = probabilities("probability", self.probability, positive.size)
        settle(self, positive=positive, probability=probability)
        number("threshold", self.threshold, 0.0, 1.0)
        if positive.all() or not positive.any():
            raise AboveChanceError("a pilot needs cases of both classes; there is only one.")

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Predicted:
        number("effect", effect, 0.0, 1.0)
        positive = classes(n, float(self.positive.mean()))
        positives = int(positive.sum())
        probability = np.concatenate(
            [
                rng.choice(self.probability[self.positive], positives),
                rng.choice(self.probability[~self.positive], n - positives),
            ]
        )
        astray = np.flatnonzero(rng.random(n) >= effect)
        probability[astray] = probability[rng.permutation(astray)]
        return Predicted(positive, probability, self.threshold)


def standard_deviations(name: str, area: float) -> float:
    """How many standard deviations lie between the classes in the binormal model of an area."""
    from scipy.special import ndtri

    if not 0.5 <= area < 1.0:
        raise AboveChanceError(f"{name} must lie in [0.5, 1); got {area}.")
    return float(np.sqrt(2.0) * ndtri(area))


def posterior(score: Floats, delta: float, prevalence: float) -> Floats:
    """Probabilities of a calibrated model whose scores lie `delta` apart.

    With no effect all would be equal; a tiny slope keeps the order of the scores.
    """
    base = np.log(prevalence / (1.0 - prevalence))
    return expit(base + max(delta, 1e-3) * score - delta**2 / 2)


def _share(prevalence: float) -> str:
    return f"{percent(prevalence)} of the cases positive"


def percent(share: float) -> str:
    """A share in percent, with the decimals that a rare class or its complement needs.

    >>> percent(0.2), percent(1 / 3), percent(0.001), percent(0.9999)
    ('20%', '33%', '0.1%', '99.99%')
    """
    slack = 1e-9
    digits = ceil(-log10(100 * min(share, 1 - share)) - slack)
    return f"{share:.{max(0, digits)}%}"


def expit(logit: Floats) -> Floats:
    """Probabilities of logits."""
    from scipy.special import expit as logistic

    return np.asarray(logistic(logit))


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


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the powers of a design depend on besides sizes; `effect_scale` says what effects are."""

    effect_scale: str | None = None
    prevalence: float | None = None
    threshold: float | None = None


def facts_of(design: Design) -> Facts:
    """What a design says of itself; one's own may say it by attributes of the same names."""
    return Facts(
        effect_scale=getattr(design, "effect_scale", None),
        prevalence=getattr(design, "prevalence", None),
        threshold=getattr(design, "threshold", None),
    )


def setting_of(design: Design, effect: float) -> str:
    """The design at an effect, in words.

    >>> setting_of(Binormal(0.1), 0.7)
    'a calibrated model with an AUC of 0.7, 10% of the cases positive'
    """
    words = getattr(design, "words", None)
    return str(words(effect)) if callable(words) else f"{name_of(design)} with effect {effect:g}"
