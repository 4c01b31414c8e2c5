"""Where to put the nodes: a rule kind to both ends, and a search for where an integrand lives."""

from collections.abc import Callable
from functools import cache

import numpy as np

from abovechance.arrays import Floats

LONGEST = 96  # a longer rule is put together from shorter ones, which are quick to make
NEGLIGIBLE = 42.0  # e^-42 is 6e-19


@cache
def rule(nodes: int) -> tuple[Floats, Floats, Floats]:
    """Gauss–Legendre in the angle of ``sin²``: distances from either end of [0, 1], and weights.

    The substitution makes half-integer powers at the ends (Jeffreys' prior) smooth.

    >>> below, above, weight = rule(40)
    >>> round(float(weight @ (below * above) ** -0.5), 12) == round(float(np.pi), 12)
    True
    """
    pieces = -(-nodes // LONGEST)
    root, weight = np.polynomial.legendre.leggauss(-(-nodes // pieces))
    step = np.pi / 2.0 / pieces
    angle = (step * (np.arange(pieces)[:, None] + (root + 1.0) / 2.0)).ravel()
    weight = np.tile(weight, pieces) * (step / 2.0) * np.sin(2.0 * angle)
    return np.sin(angle) ** 2, np.cos(angle) ** 2, weight


def peak(
    log_integrand: Callable[[Floats, Floats], Floats],
    rows: int,
    *,
    rounds: int = 3,
    points: int = 21,
    depth: float = NEGLIGIBLE,
) -> tuple[Floats, Floats]:
    """Angles between which a log-concave function on [0, 1] is within `depth` of its maximum.

    `log_integrand` takes distances from 0 and from 1, of shape (rows, points). Each round keeps
    the grid cells that touch that region, so that nothing of it is ever cut off.
    """
    low, high = np.zeros(rows), np.full(rows, np.pi / 2.0)
    fraction = (np.arange(points) + 0.5) / points
    row = np.arange(rows)
    for _ in range(rounds):
        angle = low[:, None] + (high - low)[:, None] * fraction
        value = log_integrand(np.sin(angle) ** 2, np.cos(angle) ** 2)
        value = np.where(np.isnan(value), -np.inf, value)
        kept = value > value.max(axis=1, keepdims=True) - depth
        first = kept.argmax(axis=1)
        last = points - 1 - kept[:, ::-1].argmax(axis=1)
        low = np.where(first > 0, angle[row, np.maximum(first - 1, 0)], low)
        high = np.where(last < points - 1, angle[row, np.minimum(last + 1, points - 1)], high)
    return low, high
