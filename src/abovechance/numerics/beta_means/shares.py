"""One independent share, scaled: the building block of a weighted mean."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.numerics import beta

NONE = np.empty(0)


@dataclass(frozen=True)
class Share:
    """`width` times a Beta(a, b) variable, on [0, width]; points by distance from both ends."""

    a: float
    b: float
    width: float = 1.0

    @property
    def kinks(self) -> Floats:
        """Inner points where the density is not smooth: none."""
        return NONE

    @property
    def cuts(self) -> tuple[Floats, Floats]:
        """Inner points where an integral over this share is cut: none."""
        return NONE, NONE

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
        low, high = beta.special().betaincinv([self.a, self.b], [self.b, self.a], 1e-18).tolist()
        # An end that the density reaches is kept exactly, or its power would not be resolved.
        small = 1e-3 * float(self.variance) ** 0.5 / self.width
        low, high = (0.0 if gap < small else gap * self.width for gap in (low, high))
        return low, high

    @cached_property
    def _constant(self) -> float:
        """The part of the log density that does not depend on the point."""
        if self._modest:
            return float(
                -beta.special().betaln(self.a, self.b)
                - (self.a + self.b - 1.0) * np.log(self.width)
            )
        return float(beta.log_constant(self.a, self.b) - np.log(self.width))

    @property
    def _modest(self) -> bool:
        return self.a + self.b < beta.MODEST

    def log_pdf(self, below: Floats, above: Floats) -> Floats:
        if self._modest:
            return self.log_shape(below, above) + self._constant
        scale = 1.0 / self.width
        return beta.log_density(below * scale, above * scale, self.a, self.b, self._constant)

    def log_shape(self, below: Floats, above: Floats) -> Floats:
        """Log density up to a constant, roughly if there are many cases."""
        value = np.log(below)
        value *= self.a - 1.0
        if self.b != 1.0:
            value += (self.b - 1.0) * np.log(above)
        return value

    def tail(self, below: Floats, above: Floats, left: Bools) -> Floats:
        """Probability on the left (rows where `left`) or on the right of each point.

        The incomplete beta function reads the point from the end where it is known best.
        """
        special = beta.special()
        a: Floats | float
        b: Floats | float
        if left.all():
            a, b, near, far = self.a, self.b, below, above
        elif not left.any():
            a, b, near, far = self.b, self.a, above, below
        else:
            left = left.reshape(left.shape + (1,) * (below.ndim - 1))
            a, b = np.where(left, self.a, self.b), np.where(left, self.b, self.a)
            near, far = np.where(left, below, above), np.where(left, above, below)
        near = near / self.width
        value = np.asarray(special.betainc(a, b, np.minimum(near, 1.0, out=near)))
        close = far < 1e-3 * self.width
        if close.any():
            a, b = np.broadcast_to(a, far.shape)[close], np.broadcast_to(b, far.shape)[close]
            value[close] = special.betaincc(b, a, far[close] / self.width)
        return value
