"""Shares of many subjects whose logits are normal, two to a subject and correlated.

Subject s has :math:`k_{sj}` of :math:`n_{sj}` right in class j,

.. math:: k_{sj} \\sim \\mathrm{Bin}(n_{sj}, \\sigma(\\theta_{sj})), \\qquad
          \\theta_s \\sim N_2(\\mu, \\Sigma).

The subjects' logits are integrated out by Gauss–Hermite quadrature around their modes.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Floats

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
