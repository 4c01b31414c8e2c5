"""Designs: how data arise, as samples of a size with an effect.

A design draws predictions of one model (`Predicted`), of two (`Pair`), or two groups of rows
(`Groups`). What comes from a user, arrays and parameters of designs, is checked here, once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, log10
from numbers import Integral
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, get_args

import numpy as np

from abovechance.arrays import Bools, Floats, Ints, floats_or_none
from abovechance.errors import AboveChanceError, DataError, did_you_mean, shown
from abovechance.predictions import checks
from abovechance.settings import number_of


@dataclass(frozen=True, eq=False)
class Predicted:
    """Outcomes of some cases, and the probability that one model gives each of them.

    A design of your own returns it, and tests of your own are given it.

    Attributes
    ----------
    positive
        Whether each case had the outcome: True and False, or 1 and 0.
    probability
        The model's probability of the outcome for each case, from 0 to 1.
    threshold
        Cases with a probability above it are called positive, from 0 to 1; the default 0.5 calls
        what is more likely than not.

    Raises
    ------
    DataError
        If outcomes are not True and False or 1 and 0, or probabilities not one per case and in
        [0, 1]; the message names the row.
    AboveChanceError
        If the threshold is not a number in [0, 1].

    See Also
    --------
    Pair : the probabilities of two models for the same cases.
    Design : what returns such samples.

    Examples
    --------
    >>> sample = Predicted([1, 0, 1], [0.8, 0.3, 0.4])
    >>> (sample.probability > sample.threshold).tolist()
    [True, False, False]
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
    """Outcomes of some cases, and the probabilities that two models give each of them.

    Attributes
    ----------
    positive
        Whether each case had the outcome: True and False, or 1 and 0.
    first, second
        Each model's probability of the outcome for each case, from 0 to 1.
    threshold
        Cases with a probability above it are called positive by either model, from 0 to 1; the
        default 0.5 calls what is more likely than not.

    Raises
    ------
    DataError
        If outcomes are not True and False or 1 and 0, or probabilities not one per case and in
        [0, 1]; the message names the row.
    AboveChanceError
        If the threshold is not a number in [0, 1].

    See Also
    --------
    Predicted : the probabilities of one model.
    BinormalPair, CorrelatedModels : designs that draw such pairs.

    Examples
    --------
    >>> pair = Pair([1, 0, 1], [0.8, 0.3, 0.4], [0.9, 0.2, 0.7])
    >>> calls = np.array([pair.first, pair.second]) > pair.threshold
    >>> (calls == pair.positive).sum(axis=1).tolist()
    [2, 3]
    """

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
    """Measurements of cases that belong to one of two groups, to test whether the groups differ.

    Attributes
    ----------
    X
        A table of finite numbers: one row per case, one column per feature.
    labels
        The group of each case, 0 or 1.
    covariance
        The true covariance of the features within groups, one row and one column per feature,
        for the "oracle" statistic that knows it; None, the default, where it is not known, and
        then there is no such statistic.

    Raises
    ------
    DataError
        If the features or the covariance are not tables of finite numbers that fit, or a label
        is not 0 or 1.

    See Also
    --------
    Shift, Scale, Mixture, Logistic : designs that draw such groups.

    Examples
    --------
    >>> groups = Groups([[1.0, 2.0], [1.5, 0.5], [3.0, 4.0]], [0, 0, 1])
    >>> groups.X[groups.labels == 0].mean(axis=0).tolist()
    [1.25, 1.25]
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
    """Anything that draws a sample of n cases with an effect: a function, or a small class.

    It is called with n, the effect and a generator of random numbers, and returns a `Predicted`,
    a `Pair` or `Groups`. The effect is a number on a scale of the design's own.

    See Also
    --------
    Binormal : the usual design of one model.
    power : how often tests find the effect in samples of a design.

    Examples
    --------
    >>> from abovechance import power
    >>> def skewed(n, effect, rng):
    ...     positive = np.arange(n) % 2 == 0
    ...     return Predicted(positive, rng.beta(1.0 + effect * positive, 1.0))
    >>> study = power(skewed, "auc", n=[20, 60], effects=1.0, replications=100, rng=1)
    >>> [cell.power for cell in study.cells]
    [0.31, 0.75]
    """

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
    array = floats_or_none(values)
    if array is None:
        raise DataError(f"{name} must be a table of numbers; got text, or rows of unequal length.")
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
    given = number_of(value)
    if isfinite(given) and (low < given < high if inside else low <= given <= high):
        return
    if low == -inf:
        must = "be a finite number"
    elif high == inf:
        must = f"be a finite number {'above' if inside else 'not below'} {low:g}"
    else:
        must = f"lie between {low:g} and {high:g}" if inside else f"lie in [{low:g}, {high:g}]"
    raise AboveChanceError(f"{name} must {must}; {_got(value)}")


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> None:
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
    return f"got {shown(value)}."


LEAST = 4  # cases in the smallest sample
LEAST_NOISE, MOST_NOISE = 1e-4, 5.0
"""With less the two models are one to a formula; with more their probabilities round to 0 and 1."""

AREAS = (0.6, 0.7, 0.8)  # areas under the ROC curve that are studied where none is named


@dataclass(frozen=True)
class GaussianPredictions:
    """Logits of the two classes are Gaussian, `effect` standard deviations apart.

    Half of the cases are positive; logits are N(±effect/2, 1). The model is calibrated only
    when effect = 1.

    See Also
    --------
    Binormal : a calibrated model whose effect is its area under the ROC curve.

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

    Attributes
    ----------
    prevalence
        Share of positive cases, between 0 and 1; the default 0.5 is as many positive as negative.
    threshold
        Cases with a probability above it are called positive, between 0 and 1; the default 0.5
        calls what is more likely than not.
    auc
        The area under the ROC curve that is studied where a study names no effect, from 0.5,
        chance, to below 1; with None, the default, areas of 0.6, 0.7 and 0.8 are studied.

    Raises
    ------
    AboveChanceError
        If the area is not in [0.5, 1), or prevalence or threshold not between 0 and 1.

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
    """Two calibrated models with stated areas, seen on the same cases; the second's is the effect.

    Each model is as in `Binormal`; within both classes their scores correlate by `correlation`.
    With an effect of `auc` they are equally good. The number of positives is fixed at round(nπ).

    Attributes
    ----------
    auc
        Area under the ROC curve of the first model, from 0.5, chance, to below 1; 0.7 by default.
    auc2
        Area of the second model where a study names no effect, from 0.5 to below 1; the default
        0.75 is 0.05 better than the first's.
    prevalence
        Share of positive cases, between 0 and 1; the default 0.5 is as many positive as negative.
    correlation
        Correlation of both models' scores within each class, between -1 and 1. The higher, the
        fewer cases tell the models apart; 0.5, the default, is for models that share some of
        their information.
    threshold
        Cases with a probability above it are called positive by either model, between 0 and 1;
        the default 0.5 calls what is more likely than not.

    Raises
    ------
    AboveChanceError
        If an area is not in [0.5, 1), the correlation not between -1 and 1, or prevalence or
        threshold not between 0 and 1.

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
    L − e ± effect with e ~ N(0, noise²), the sign that of the class.

    Attributes
    ----------
    noise
        Standard deviation of e, in logits, from 0.0001 to 5: how far each model strays from what
        both see. The default 0.1 is the paper's.
    per_class
        Whether the size counts the cases of one class, as in the paper, so that a sample of size
        n has 2n cases; False, the default, counts all cases.

    Raises
    ------
    AboveChanceError
        If the noise is out of range, or `per_class` neither True nor False.

    See Also
    --------
    BinormalPair : two calibrated models with stated areas under the ROC curve.

    References
    ----------
    Dinga et al., comparison of simulated models; improvement 0.05.

    Examples
    --------
    >>> pair = CorrelatedModels()(1000, 0.05, np.random.default_rng(1))
    >>> round(float(np.corrcoef(pair.first, pair.second)[0, 1]), 2)
    0.98
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

    Attributes
    ----------
    positive
        Whether each case of the pilot had the outcome: True and False, or 1 and 0, with both
        among them.
    probability
        The model's probability of the outcome for each case, from 0 to 1.
    threshold
        Cases with a probability above it are called positive, from 0 to 1; the default 0.5 calls
        what is more likely than not.

    Raises
    ------
    DataError
        If outcomes are not True and False or 1 and 0, or probabilities not one per case and in
        [0, 1]; the message names the row.
    AboveChanceError
        If all cases are of one class, or the threshold is not in [0, 1].

    See Also
    --------
    Binormal : a model known by its area under the ROC curve alone.

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


MOST_FEATURES = 1_000_000


def standard_deviations(name: str, area: float) -> float:
    """How many standard deviations lie between the classes in the binormal model of an area."""
    from scipy.special import ndtri

    known = number_of(area)
    if not 0.5 <= known < 1.0:
        raise AboveChanceError(f"{name} must lie in [0.5, 1); got {shown(area)}.")
    return float(np.sqrt(2.0) * ndtri(known))


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

    The effect is how far apart the means are, in the unit that `scaling` says.

    Attributes
    ----------
    features
        Number of measurements per case; the papers' 23 by default.
    noise
        Covariance within groups: "identity", independent features of variance 1, by default;
        "ar1", :math:`\rho^{|k-l|}`; "brownian", :math:`\min(k,l)/\sqrt{kl}`; "heteroskedastic",
        variances 1 … p.
    rho
        Correlation of neighbouring features in "ar1" noise, between -1 and 1, by default 0.6;
        other noise has no use for it.
    tails
        Degrees of freedom of a multivariate t with that scale matrix, above 0: the fewer, the
        more outliers. None, the default, is Gaussian noise.
    direction
        "equal" in all features, the default; in the "first" or "last" feature only; or along an
        eigenvector of the covariance: "first_axis" (largest eigenvalue) or "last_axis". A number
        names the eigenvector, 1 the largest.
    scaling
        "coordinate", the default: the effect times the direction (all ones for "equal"). "snr":
        the effect is the root of (n/2) μ'Σ⁻¹μ. "norm": μ has length effect·√p.
    decimals
        Round the covariance to so many decimals, as was done for Figure 10b of 2016; None, the
        default, does not round.

    Raises
    ------
    AboveChanceError
        If a word is unknown, a number out of range, or the covariance not positive definite; the
        message says what to choose from.

    See Also
    --------
    Scale : the groups differ in their spread.
    Mixture : both groups come from two clouds, in unequal shares.
    Logistic : the features decide which group a row belongs to.

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
        whole_number("features", self.features, 1, MOST_FEATURES)
        one_of("noise", self.noise, get_args(Noise))
        one_of("scaling", self.scaling, get_args(Scaling))
        number("rho", self.rho, -1.0, 1.0, inside=True)
        if self.tails is not None:
            number("tails", self.tails, 0.0, inside=True)
        if self.decimals is not None:
            whole_number("decimals", self.decimals, 0)
        self._known_direction()
        self._positive_definite()

    def _known_direction(self) -> None:
        if isinstance(self.direction, str):
            axes = f", or the number of an eigenvector, 1 to {self.features}"
            one_of("direction", self.direction, get_args(Direction), axes)
        else:
            whole_number("direction", self.direction, 1, self.features)

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

    The effect is the ratio of standard deviations: 1 is no difference.

    Attributes
    ----------
    features
        Number of measurements per case, independent and Gaussian; the paper's 23 by default.

    Raises
    ------
    AboveChanceError
        If the number of features is not a whole number from 1 on.

    See Also
    --------
    Shift : the groups differ in their means.

    References
    ----------
    Rosenblatt et al. (2016), Figure 8a.

    Examples
    --------
    >>> groups = Scale(features=1)(10_000, 1.5, np.random.default_rng(1))
    >>> [round(float(groups.X[groups.labels == k].std()), 1) for k in (0, 1)]
    [1.0, 1.5]
    """

    features: int = 23
    name: ClassVar[str] = "scale"
    kind: ClassVar[type] = Groups
    effects: ClassVar[tuple[float, ...]] = (1.0, 1.1, 1.2)

    def __post_init__(self) -> None:
        whole_number("features", self.features, 1, MOST_FEATURES)

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Groups:
        number("effect", effect, 0.0, inside=True)
        y = classes(n)
        X = rng.standard_normal((n, self.features)) * np.where(y, effect, 1.0)[:, None]
        return Groups(X, y.astype(np.int64), np.eye(self.features))


@dataclass(frozen=True)
class Mixture:
    """Rows of both groups come from two clouds; `effect` is how unequally.

    x = χ·(distance/√p)·1 + N(0, I), χ = ±1, with P(χ = 1) = ½ − effect in group 1 and
    ½ + effect in group 0. The effect lies in [−½, ½]: with 0 the groups are alike, with ½ each
    group is a cloud of its own.

    Attributes
    ----------
    features
        Number of measurements per case; the paper's 23 by default.
    distance
        How far each cloud's centre lies from the point between them, in standard deviations of a
        cloud, from 0 on; the paper's 3 by default, so that the clouds are 6 apart.

    Raises
    ------
    AboveChanceError
        If the number of features is not a whole number from 1 on, or the distance below 0.

    See Also
    --------
    Shift : one cloud for each group.

    References
    ----------
    Rosenblatt et al. (2016), Figure 4.

    Examples
    --------
    >>> groups = Mixture(features=1)(10_000, 0.25, np.random.default_rng(1))
    >>> [round(float((groups.X[groups.labels == k] > 0).mean()), 2) for k in (0, 1)]
    [0.75, 0.25]
    """

    features: int = 23
    distance: float = 3.0
    name: ClassVar[str] = "mixture"
    kind: ClassVar[type] = Groups
    effects: ClassVar[tuple[float, ...]] = (0.0, 0.25, 0.5)

    def __post_init__(self) -> None:
        whole_number("features", self.features, 1, MOST_FEATURES)
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

    η = effect·(Σx_j·main + Σx_j²·square), less its sample median; P(y = 1) = logistic(η).

    Attributes
    ----------
    features
        Number of measurements per case, p; 23 by default.
    main
        Logits per standard deviation of each feature, times the effect. When neither it nor
        `square` is given it is the paper's 1/√p; beside squares it is 0 unless given.
    square
        Logits per squared standard deviation of each feature, times the effect; the paper has 1/p.
        With 0, the default, there are no squares; with `main=0` too the labels are tosses of a
        coin, whatever the effect.
    augmented
        Whether the tests see the features and all their products, standardised; False, the
        default, shows them the features alone.

    Raises
    ------
    AboveChanceError
        If the number of features is not a whole number from 1 on, `main` or `square` not a finite
        number, or `augmented` neither True nor False.

    See Also
    --------
    Shift : the groups' means differ, with other noise to choose from.

    References
    ----------
    Rosenblatt et al. (2019), logistic designs; main 1/√p and square 1/p.

    Examples
    --------
    >>> groups = Logistic(features=4, main=0.5)(1000, 5.0, np.random.default_rng(1))
    >>> [round(float(groups.X[groups.labels == k].mean()), 1) for k in (0, 1)]
    [-0.4, 0.4]
    >>> Logistic(features=3, augmented=True)(40, 5.0, np.random.default_rng(1)).X.shape
    (40, 9)
    """

    features: int = 23
    main: float | None = None
    square: float = 0.0
    augmented: bool = False
    name: ClassVar[str] = "logistic"
    kind: ClassVar[type] = Groups
    effects: ClassVar[tuple[float, ...]] = (0.0, 5.0, 10.0)

    def __post_init__(self) -> None:
        whole_number("features", self.features, 1, MOST_FEATURES)
        number("square", self.square)
        if self.main is None:
            object.__setattr__(self, "main", 0.0 if self.square else 1.0 / self.features**0.5)
        number("main", self.main)
        flag("augmented", self.augmented)

    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Groups:
        number("effect", effect)
        assert self.main is not None  # made a number above
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
