"""Balanced accuracy in a population of subjects, each with a table of their own."""

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import DataError, NotApplicable, Unfinished
from abovechance.inference.posterior.distribution import Draws, Posterior
from abovechance.inference.posterior.from_counts import counts_of
from abovechance.inference.results import Result

# ----------------------------------------------------------------------------------------------
# Shares of many subjects whose logits are normal, two to a subject and correlated.
#
# Subject s has :math:`k_{sj}` of :math:`n_{sj}` right in class j,
#
# .. math:: k_{sj} \sim \mathrm{Bin}(n_{sj}, \sigma(\theta_{sj})), \qquad
#           \theta_s \sim N_2(\mu, \Sigma).
#
# The subjects' logits are integrated out by Gauss–Hermite quadrature around their modes.
# ----------------------------------------------------------------------------------------------


NODES = 7
STEPS = 40


class Population(NamedTuple):
    """Many candidate populations: means (D, 2), standard deviations (D, 2), correlation (D,)."""

    mean: Floats
    deviation: Floats
    correlation: Floats

    @property
    def precision(self) -> Floats:
        """Inverse covariance matrices, as (first, second, mixed) of shape (D, 3)."""
        one, two = self.deviation.T
        free = 1.0 - self.correlation**2
        mixed = -self.correlation / (one * two * free)
        return np.stack([1.0 / (one**2 * free), 1.0 / (two**2 * free), mixed], axis=-1)

    @property
    def log_determinant(self) -> Floats:
        """Of the covariance matrices."""
        spread = 2.0 * np.log(self.deviation).sum(axis=-1)
        return np.asarray(spread + np.log1p(-(self.correlation**2)))


class Peaks(NamedTuple):
    """Where the subjects' logits are most probable (D, S, 2), and the curvatures (D, S, 3)."""

    mode: Floats
    curvature: Floats

    @property
    def factor(self) -> tuple[Floats, Floats, Floats]:
        """Lower triangle of the inverse curvature's Cholesky factor."""
        one, two, mixed = np.moveaxis(self.curvature, -1, 0)
        determinant = one * two - mixed**2
        first = np.sqrt(two / determinant)
        across = -mixed / determinant / first
        return first, across, np.sqrt(one / determinant - across**2)


def log_joint(theta: Floats, right: Floats, total: Floats, population: Population) -> Floats:
    """Log likelihood and normal density of logits (D, S, …, 2), without binomial coefficients."""
    extra = (1,) * (theta.ndim - 3)
    shape = (1, right.shape[0], *extra, 2)
    value = (right.reshape(shape) * theta - total.reshape(shape) * np.logaddexp(0.0, theta)).sum(-1)
    leading = (-1, 1, *extra)
    one, two, mixed = (part.reshape(leading) for part in population.precision.T)
    gap = theta - population.mean.reshape(*leading, 2)
    square = (
        one * gap[..., 0] ** 2 + two * gap[..., 1] ** 2 + 2.0 * mixed * gap[..., 0] * gap[..., 1]
    )
    constant = population.log_determinant.reshape(leading) / 2.0 + np.log(2.0 * np.pi)
    return np.asarray(value - square / 2.0 - constant)


def peaks(right: Floats, total: Floats, population: Population) -> Peaks:
    """Newton's steps to the modes of the subjects' logits; the log density is concave."""
    size = (population.mean.shape[0], right.shape[0], 2)
    theta = np.broadcast_to(population.mean[:, None, :], size).copy()
    one, two, mixed = (part[:, None] for part in population.precision.T)
    curvature = np.empty((*size[:2], 3))
    for _ in range(STEPS):
        share = 1.0 / (1.0 + np.exp(-theta))
        gap = theta - population.mean[:, None, :]
        slope = right - total * share
        slope[..., 0] -= one * gap[..., 0] + mixed * gap[..., 1]
        slope[..., 1] -= mixed * gap[..., 0] + two * gap[..., 1]
        spread = total * share * (1.0 - share)
        curvature[..., 0], curvature[..., 1] = spread[..., 0] + one, spread[..., 1] + two
        curvature[..., 2] = mixed
        determinant = curvature[..., 0] * curvature[..., 1] - curvature[..., 2] ** 2
        step = np.stack(
            [
                curvature[..., 1] * slope[..., 0] - curvature[..., 2] * slope[..., 1],
                curvature[..., 0] * slope[..., 1] - curvature[..., 2] * slope[..., 0],
            ],
            axis=-1,
        )
        step /= determinant[..., None]
        # Longer steps could overshoot where the binomial part is flat.
        theta += np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-9:
            break
    return Peaks(theta, curvature)


@cache
def _grid() -> tuple[Floats, Floats, Floats]:
    root, weight = np.polynomial.hermite_e.hermegauss(NODES)
    first, second = (part.ravel() for part in np.meshgrid(root, root, indexing="ij"))
    log_weight = np.log(np.outer(weight, weight)).ravel() + (first**2 + second**2) / 2.0
    return first, second, log_weight


def log_likelihood(right: Floats, total: Floats, population: Population) -> Floats:
    """Log likelihood of each population (D,), subjects' logits integrated out."""
    found = peaks(right, total, population)
    first, second, log_weight = _grid()
    one, across, two = (part[..., None] for part in found.factor)
    theta = np.stack([one * first, across * first + two * second], axis=-1)
    theta += found.mode[:, :, None, :]
    value = log_joint(theta, right, total, population) + log_weight
    top = value.max(axis=-1, keepdims=True)
    marginal = np.log(np.exp(value - top).sum(axis=-1)) + top[..., 0]
    marginal += np.log(one * two)[..., 0]
    return np.asarray(marginal.sum(axis=1))


def draw_logits(
    right: Floats, total: Floats, population: Population, stream: np.random.Generator
) -> Floats:
    """One draw of every subject's logits for each population, (D, S, 2).

    By resampling: of 24 candidates around the mode, half as wide again as the curvature says,
    one is kept in proportion to its density over the candidates'.
    """
    found, wider, candidates = peaks(right, total, population), 1.5, 24
    size = (*found.mode.shape[:2], candidates)
    first, second = stream.standard_normal((2, *size))
    one, across, two = (wider * part[..., None] for part in found.factor)
    theta = np.stack([one * first, across * first + two * second], axis=-1)
    theta += found.mode[:, :, None, :]
    weight = log_joint(theta, right, total, population) + (first**2 + second**2) / 2.0
    # The largest of weights plus Gumbel noise is a draw in proportion to the weights.
    chosen = (weight + stream.gumbel(size=size)).argmax(axis=-1)
    return np.asarray(np.take_along_axis(theta, chosen[..., None, None], axis=2)[:, :, 0, :])


# ----------------------------------------------------------------------------------------------
# Balanced accuracy in a population of subjects, each with a table of their own.
# ----------------------------------------------------------------------------------------------


SEARCH, SEARCHES = 800, 20  # draws a round, and rounds at most, to find the place
ROUNDS = (1500, 3000)
LEAST = 200.0
KEPT = 4000
FREEDOM = 5.0
# Powers of the real root of x^7 = x + 1, the golden ratio of six dimensions.
GOLDEN = 1.1127756842787055 ** -np.arange(1.0, 7.0)
PRIOR = "flat for the typical subject, half-normal(1) for the spread of logits, flat correlation"


@dataclass(frozen=True, kw_only=True)
class Hierarchical(Result, kind="hierarchical_posterior"):
    """What subjects' tables say of the population they come from, and of each subject.

    Attributes
    ----------
    population
        Balanced accuracy of the typical subject, whose logits are the population's means.
    average
        Mean balanced accuracy over the population's subjects.
    classes
        Accuracy of the typical subject in the first and in the second class.
    subjects
        Balanced accuracy of each subject, drawn towards the population's.
    deviation, correlation
        Posterior means of the logits' standard deviations and of their correlation.
    effective_draws
        How many independent draws the weighted ones are worth.

    See Also
    --------
    hierarchical : makes it.
    """

    population: Posterior
    average: Posterior
    classes: tuple[Posterior, Posterior]
    subjects: tuple[Posterior, ...]
    deviation: tuple[float, float]
    correlation: float
    effective_draws: float

    def __str__(self) -> str:
        return f"{len(self.subjects)} subjects: {self.population}"


def hierarchical(tables: Any, *, rng: Any = None) -> Hierarchical:
    """What is known of balanced accuracy in the population that subjects were drawn from.

    In each subject the numbers right of both classes are binomial; the logits of the two
    accuracies vary between subjects as a bivariate normal distribution, so that a subject who
    favours one class may do worse in the other. Pooling all subjects' cases would take their
    differences for noise of cases, and claim too much. The subjects' logits are integrated out by
    quadrature; the five parameters of the population are sampled by importance, from Student
    distributions fitted in rounds, and the number of independent draws that this is worth is given.

    Parameters
    ----------
    tables
        One 2 × 2 confusion table per subject, rows actual: an array (S, 2, 2), or predictions.
    rng
        Seed of the draws: a number or a numpy Generator; the same draws every time when not given.

    Returns
    -------
    Hierarchical
        Posteriors of the `population`, of its `average`, of both `classes` and of every subject.

    Raises
    ------
    DataError
        If these are not tables of counts.
    NotApplicable
        If there are more than two classes.

    See Also
    --------
    balanced_accuracy : for a single table.

    References
    ----------
    Brodersen et al. (2012), section 2.3, with weaker priors on the spread.

    Examples
    --------
    >>> tables = [[[18, 2], [6, 14]], [[17, 3], [2, 18]], [[12, 8], [7, 13]], [[19, 1], [3, 17]]]
    >>> found = hierarchical(tables)
    >>> round(found.population.mean, 2), found.population.prob_above(0.5) > 0.95
    (0.8, True)
    """
    counts = _stacked(tables)
    right, total = np.einsum("sjj->sj", counts), counts.sum(axis=2)
    stream = np.random.default_rng(0 if rng is None else rng)
    sample = _sampled(right, total, stream)
    kept = _resampled(sample, stream)
    population = _population(kept)
    typical = _share(population.mean)
    logits = draw_logits(right, total, population, stream)
    n = int(total.sum())
    return Hierarchical(
        population=_posterior("balanced accuracy of the typical subject", typical.mean(1), n),
        average=_posterior("mean balanced accuracy", _averages(population), n),
        classes=tuple(  # type: ignore[arg-type]
            _posterior(f"accuracy in the {word} class", typical[:, j], int(total[:, j].sum()), None)
            for j, word in enumerate(("first", "second"))
        ),
        subjects=tuple(
            _posterior("balanced accuracy of a subject", _share(own).mean(1), int(cases))
            for own, cases in zip(np.moveaxis(logits, 1, 0), total.sum(axis=1), strict=True)
        ),
        deviation=(
            float(population.deviation[:, 0].mean()),
            float(population.deviation[:, 1].mean()),
        ),
        correlation=float(population.correlation.mean()),
        effective_draws=sample.effective,
    )


class _Sample(NamedTuple):
    """Weighted draws of (mean 1, mean 2, sd 1, sd 2, Fisher's z of the correlation)."""

    points: Floats
    weights: Floats

    @property
    def effective(self) -> float:
        return float(1.0 / (self.weights**2).sum())


def _stacked(tables: Any) -> Floats:
    try:
        single = [counts_of(table) for table in tables]
    except TypeError:
        raise DataError("tables must be one 2 × 2 confusion table per subject.") from None
    if len(single) < 2:
        raise NotApplicable("a population needs at least two subjects; for one use the others.")
    if any(table.shape != (2, 2) for table in single):
        raise NotApplicable("the hierarchical model is for two classes.")
    return np.stack(single)


def _population(points: Floats) -> Population:
    # A spread below 0.001 cannot be told from none, nor can a correlation that near 1.
    deviation = np.clip(points[:, 2:4], 1e-3, 30.0)
    return Population(points[:, :2], deviation, np.clip(np.tanh(points[:, 4]), -0.9999, 0.9999))


def log_prior(points: Floats) -> Floats:
    """Log density of the prior in the coordinates of the sampler, up to a constant.

    Means are logistic (flat as accuracies), deviations half-normal, the correlation flat.
    """
    means = -np.logaddexp(0.0, points[:, :2]) - np.logaddexp(0.0, -points[:, :2])
    spreads = -(points[:, 2:4] ** 2) / 2.0
    return np.asarray(means.sum(1) + spreads.sum(1) - 2.0 * np.log(np.cosh(points[:, 4])))


def _sampled(right: Floats, total: Floats, stream: np.random.Generator) -> _Sample:
    """Importance sampling in rounds, each from a Student distribution fitted to the last."""
    logits = np.log((right + 0.5) / (total - right + 0.5))
    spread = np.maximum(logits.std(axis=0), 0.3)
    centre = np.concatenate([logits.mean(axis=0), spread, [0.0]])
    scale = np.diag(np.concatenate([spread / np.sqrt(len(right)) + 0.1, spread / 1.5, [0.7]]))
    found: list[tuple[Floats, Floats]] = []
    sizes = [*ROUNDS]
    searches = 0
    while sizes:
        size = sizes[0] if searches >= SEARCHES else SEARCH
        points, log_density = _student(centre, scale, size, stream)
        log_weights = log_prior(points) + log_likelihood(right, total, _population(points))
        log_weights -= log_density
        # Fitted to flattened weights, lest a few draws decide.
        flat = _flattened(log_weights, least=0.1 * size)
        centre = flat @ points
        gap = points - centre
        scale = np.linalg.cholesky((flat * gap.T) @ gap + 1e-10 * np.eye(5))
        if searches < SEARCHES:
            settled = _Sample(points, _weights(log_weights)).effective > 0.2 * size
            searches = SEARCHES if settled else searches + 1
        else:
            found.append((points, log_weights))
            sizes.pop(0)
    points = np.concatenate([part for part, _ in found])
    sample = _Sample(points, _weights(np.concatenate([part for _, part in found])))
    if sample.effective < LEAST:
        raise Unfinished(
            f"the population's posterior could not be sampled well: {sample.effective:.0f} "
            "effective draws. Check for subjects unlike all others, or give them posteriors alone."
        )
    return sample


def _student(
    centre: Floats, scale: Floats, size: int, stream: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draws of a multivariate Student distribution and their log densities up to a constant.

    They fill the space evenly (Roberts' sequence, randomly shifted), for less noise. Standard
    deviations are folded at 0: their density is the sum over both signs.
    """
    from scipy.special import gammaincinv, ndtri

    uniform = (stream.random(6) + np.outer(np.arange(size), GOLDEN)) % 1.0
    uniform = np.clip(uniform, 1e-12, 1.0 - 1e-12)
    stretch = np.sqrt(FREEDOM / (2.0 * gammaincinv(FREEDOM / 2.0, uniform[:, 5])))[:, None]
    points = centre + (ndtri(uniform[:, :5]) * stretch) @ scale.T
    points[:, 2:4] = np.abs(points[:, 2:4])
    inverse, log_scale = np.linalg.inv(scale), np.log(np.diag(scale)).sum()
    log_densities = []
    for signs in product((1.0, -1.0), repeat=2):
        mirrored = points * np.array([1.0, 1.0, *signs, 1.0])
        square = (((mirrored - centre) @ inverse.T) ** 2).sum(axis=1)
        log_densities.append(-(FREEDOM + 5.0) / 2.0 * np.log1p(square / FREEDOM) - log_scale)
    return points, np.asarray(np.logaddexp.reduce(log_densities))


def _weights(log_weights: Floats) -> Floats:
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def _flattened(log_weights: Floats, least: float) -> Floats:
    """Weights raised to the largest power at which they are worth `least` draws."""
    for power in np.linspace(1.0, 0.05, 20):
        weights = _weights(power * log_weights)
        if 1.0 / (weights**2).sum() >= least:
            break
    return weights


def _resampled(sample: _Sample, stream: np.random.Generator) -> Floats:
    """Equally weighted draws, by systematic resampling."""
    positions = (np.arange(KEPT) + stream.random()) / KEPT
    chosen = np.searchsorted(np.cumsum(sample.weights), positions)
    return sample.points[np.minimum(chosen, len(sample.points) - 1)]


def _share(logits: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-logits)))


def _averages(population: Population) -> Floats:
    """Mean over a population's subjects of their balanced accuracy."""
    root, weight = np.polynomial.hermite_e.hermegauss(21)
    logits = population.mean[:, :, None] + population.deviation[:, :, None] * root
    return np.asarray((_share(logits) @ (weight / weight.sum())).mean(axis=1))


def _posterior(quantity: str, values: Floats, n: int, chance: float | None = 0.5) -> Posterior:
    return Posterior(
        quantity=quantity, prior=PRIOR, n=n, distribution=Draws.of(values), chance=chance
    )
