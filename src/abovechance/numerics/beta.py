"""The Beta distribution, accurate to a few units in the thirteenth digit up to shapes of a million.

The textbook density subtracts numbers of size ``a log a`` and loses ten digits for shapes of
10⁶. Written around its mean ``p = a / (a + b)`` it does not:

.. math:: f(x) = \\sqrt{\\frac{ab}{2\\pi (a+b)}}\\;
          \\frac{e^{\\Delta(a+b) - \\Delta(a) - \\Delta(b) - D(x)}}{x (1 - x)}, \\qquad
          D(x) = a \\log\\frac{p}{x} + b \\log\\frac{1 - p}{1 - x},

with Δ the error of Stirling's formula (Loader 2000, for the binomial). Points are given by their
distances from both ends, ``below = x`` and ``above = 1 - x``, so that nothing is lost near 1.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from abovechance.arrays import Floats

MODEST = 300.0  # for shapes with a smaller sum the textbook form is as good, and quicker
HALF_LOG_TWO_PI = 0.9189385332046727
# 1/12, -1/360, ...: B(2k) / (2k (2k - 1)), Bernoulli numbers.
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
ATANH = tuple(1 / (2 * k + 3) for k in range(9, -1, -1))


@cache
def special() -> Any:
    """The module `scipy.special`, loaded when first used; quicker than an import at every call."""
    import scipy.special

    return scipy.special


def stirling_error(z: ArrayLike) -> Floats:
    """How much Stirling's formula for log Γ(z) falls short.

    >>> bool(abs(stirling_error(1.0) - (1 - 0.5 * np.log(2 * np.pi))) < 1e-15)
    True
    """
    z = np.asarray(z, dtype=np.float64)
    large = np.maximum(z, 16.0)
    inverse_square = large**-2.0
    series = np.zeros_like(large)
    for coefficient in reversed(STIRLING):
        series = series * inverse_square + coefficient
    small = np.minimum(z, 16.0)
    direct = special().gammaln(small) - ((small - 0.5) * np.log(small) - small + HALF_LOG_TWO_PI)
    return np.where(z < 16.0, direct, series / large)


def log1p_minus(u: ArrayLike) -> Floats:
    """``log(1 + u) - u`` without cancellation near 0.

    >>> bool(abs(log1p_minus(1e-8) / -5e-17 - 1) < 1e-7)
    True
    """
    u = np.asarray(u, dtype=np.float64)
    largest = np.max(np.abs(u), initial=0.0)
    v = u / (2.0 + u)
    square = v * v
    # Near 0, log(1 + u) = 2 artanh(v), a short series; fewer terms do when u is small.
    first, *others = ATANH if largest > 0.05 else ATANH[5:]
    series = square * first
    for coefficient in others[:-1]:
        series += coefficient
        series *= square
    series += others[-1]
    series *= 2.0 * square
    series -= u
    series *= v
    if largest <= 0.3:
        return np.asarray(series)
    return np.where(np.abs(u) > 0.3, np.log1p(u) - u, series)


def log_constant(a: ArrayLike, b: ArrayLike) -> Floats:
    """``log(p^a q^b / B(a, b))`` at the mean p, the part of the density without x."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    errors = stirling_error(a + b) - stirling_error(a) - stirling_error(b)
    return np.asarray(0.5 * np.log(a / (a + b) * b) - HALF_LOG_TWO_PI + errors)


def log_shape(below: Floats, above: Floats, a: ArrayLike, b: ArrayLike) -> Floats:
    """Log density up to a constant, roughly: enough to find where the density lives."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.asarray((a - 1.0) * np.log(below) + (b - 1.0) * np.log(above))


def log_density(
    below: Floats, above: Floats, a: ArrayLike, b: ArrayLike, constant: Floats | float
) -> Floats:
    """Log density at points strictly inside (0, 1), by their distances from 0 and from 1.

    `constant` is what `log_constant` gives.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    total = a + b
    p, q = a / total, b / total
    if np.max(total) < MODEST:
        offset = constant - a * np.log(p) - b * np.log(q)
        return np.asarray(offset + log_shape(below, above, a, b))
    deviance = a * log1p_minus((below - p) / p) + b * log1p_minus((above - q) / q)
    return np.asarray(constant + deviance - np.log(below * above))


def pdf(x: ArrayLike, a: float, b: float) -> Floats:
    """Density, with its limits at 0 and 1.

    >>> pdf([0.25, 1.0], 2.0, 1.0)
    array([0.5, 2. ])
    """
    x = np.asarray(x, dtype=np.float64)
    inside = (x > 0.0) & (x < 1.0)
    safe = np.where(inside, x, 0.5)
    value = np.exp(log_density(safe, 1.0 - safe, a, b, log_constant(a, b)))
    ends = np.where(x == 0.0, _end(a, b), np.where(x == 1.0, _end(b, a), 0.0))
    return np.where(inside, value, ends)


def _end(near: float, far: float) -> float:
    if near == 1.0:
        return far
    return float("inf") if near < 1.0 else 0.0


def cdf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """Probability of at most x."""
    return np.asarray(special().betainc(a, b, np.clip(x, 0.0, 1.0)))


def sf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """Probability of more than x, accurate when small."""
    return np.asarray(special().betaincc(a, b, np.clip(x, 0.0, 1.0)))


def ppf(q: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """Quantile."""
    return np.asarray(special().betaincinv(a, b, q))
