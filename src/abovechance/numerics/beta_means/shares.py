"""One independent share, scaled: the building block of a weighted mean."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.numerics import beta


@dataclass(frozen=True)
class Share:
    """`width` times a Beta(a, b) variable, on [0, width]; points by distance from both ends."""

    a: float
    b: float
    width: float = 1.0

    @property
    def kinks(self) -> Floats:
        """Inner points where the density is not smooth: none."""
        return np.empty(0)

    @property
    def cuts(self) -> tuple[Floats, Floats]:
        """Inner points where an integral over this share is cut: none."""
        return np.empty(0), np.empty(0)

    @property
    def powers(self) -> tuple[float, float]:
        """The density behaves like these powers, less one, of the distances from its ends."""
        return self.a, self.b

    @property
    def mean(self) -> float:
        return self.width * self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        total = self.a + self.b
        return self.width**2 * (self.a / total) * (self.b / total) / (total + 1.0)

    @cached_property
    def window(self) -> tuple[float, float]:
        """Distances from the ends within which all but 1e-18 of the probability lies."""
        from scipy.special import betaincinv

        low, high = betaincinv([self.a, self.b], [self.b, self.a], 1e-18).tolist()
        # An end that the density reaches is kept exactly, or its power would not be resolved.
        small = 1e-3 * float(self.variance) ** 0.5 / self.width
        low, high = (0.0 if gap < small else gap * self.width for gap in (low, high))
        return low, high

    @cached_property
    def _constant(self) -> float:
        return float(beta.log_constant(self.a, self.b) - np.log(self.width))

    def log_pdf(self, below: Floats, above: Floats) -> Floats:
        scale = 1.0 / self.width
        return beta.log_density(below * scale, above * scale, self.a, self.b, self._constant)

    def log_shape(self, below: Floats, above: Floats) -> Floats:
        """Log density up to a constant, roughly."""
        return beta.log_shape(below, above, self.a, self.b)

    def tail(self, below: Floats, above: Floats, left: Bools) -> Floats:
        """Probability on the left (rows where `left`) or on the right of each point.

        The incomplete beta function reads the point from the end where it is known best.
        """
        from scipy.special import betainc, betaincc

        left = left.reshape(left.shape + (1,) * (below.ndim - 1))
        a, b = np.where(left, self.a, self.b), np.where(left, self.b, self.a)
        near, far = np.where(left, below, above), np.where(left, above, below)
        near /= self.width
        value = np.asarray(betainc(a, b, np.minimum(near, 1.0, out=near)))
        close = far < 1e-3 * self.width
        if close.any():
            a, b = np.broadcast_to(a, far.shape)[close], np.broadcast_to(b, far.shape)[close]
            value[close] = betaincc(b, a, far[close] / self.width)
        return value
