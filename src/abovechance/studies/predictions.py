"""Designs of predictions: how outcomes and a model's probabilities hang together."""

from dataclasses import dataclass
from math import ceil, log10
from typing import ClassVar

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError
from abovechance.studies.samples import (
    Pair,
    Predicted,
    classes,
    flag,
    number,
    outcomes,
    probabilities,
    settle,
)

LEAST_NOISE, MOST_NOISE = 1e-4, 5.0
"""With less the two models are one to a formula; with more their probabilities round to 0 and 1."""


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

    Examples
    --------
    >>> sample = Binormal(prevalence=0.2)(1000, 0.7, np.random.default_rng(1))
    >>> float(sample.positive.mean()), round(float(sample.probability.mean()), 2)
    (0.2, 0.2)
    """

    prevalence: float = 0.5
    threshold: float = 0.5
    name: ClassVar[str] = "binormal"
    kind: ClassVar[type] = Predicted
    effects: ClassVar[tuple[float, ...]] = (0.7,)
    effect_scale: ClassVar[str] = "AUC"

    def __post_init__(self) -> None:
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

    Examples
    --------
    >>> pair = BinormalPair(auc=0.7, prevalence=0.2)(1000, 0.75, np.random.default_rng(1))
    >>> float(pair.positive.mean()), round(float(pair.second.mean()), 2)
    (0.2, 0.2)
    """

    auc: float = 0.7
    prevalence: float = 0.5
    correlation: float = 0.5
    threshold: float = 0.5
    name: ClassVar[str] = "binormal pair"
    kind: ClassVar[type] = Pair
    effects: ClassVar[tuple[float, ...]] = (0.75,)
    effect_scale: ClassVar[str] = "AUC of the second model"

    def __post_init__(self) -> None:
        standard_deviations("the AUC", self.auc)
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
        found = [
            posterior(score + delta * positive, delta, self.prevalence)
            for score, delta in zip((first, second), self.distances(effect), strict=True)
        ]
        return Pair(positive, found[0], found[1], self.threshold)


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
            raise AboveChanceError("a pilot needs cases of both classes; only one was found.")

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
