"""Quantiles, modes and shortest intervals of a distribution given by its density and tails."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.numerics import beta


class Distribution(Protocol):
    """A distribution on [low, high] with accurate tails."""

    @property
    def support(self) -> tuple[float, float]: ...
    @property
    def visible(self) -> tuple[float, float]: ...
    @property
    def kinks(self) -> Floats: ...
    @property
    def mean(self) -> float: ...
    @property
    def std(self) -> float: ...
    def pdf(self, x: Floats) -> Floats: ...
    def both(self, x: Floats, left: Bools) -> tuple[Floats, Floats]: ...


class Quantiles(Protocol):
    """A distribution with quantiles."""

    @property
    def support(self) -> tuple[float, float]: ...
    def pdf(self, x: Floats) -> Floats: ...
    def ppf(self, q: Floats) -> Floats: ...


@dataclass(frozen=True)
class Reference:
    """The Beta distribution with the visible range, mean and variance of another one."""

    a: float
    b: float
    low: float
    span: float

    @classmethod
    def of(cls, dist: Distribution) -> "Reference":
        low, high = dist.visible
        span = high - low
        centre, spread = (dist.mean - low) / span, (dist.std / span) ** 2
        total = centre * (1.0 - centre) / spread - 1.0
        return cls(centre * total, (1.0 - centre) * total, low, span)

    def tail(self, x: Floats, left: Bools) -> Floats:
        point = (x - self.low) / self.span
        point = np.where(left, point, 1.0 - point)
        return beta.cdf(point, *self._shapes(left))

    def pdf(self, x: Floats) -> Floats:
        return beta.pdf((x - self.low) / self.span, self.a, self.b) / self.span

    def point(self, tail: Floats, left: Bools) -> Floats:
        """Where the tail is that large."""
        point = beta.ppf(tail, *self._shapes(left))
        return self.low + self.span * np.where(left, point, 1.0 - point)

    def _shapes(self, left: Bools) -> tuple[Floats, Floats]:
        return np.where(left, self.a, self.b), np.where(left, self.b, self.a)


def quantile(dist: Distribution, q: Floats) -> Floats:
    """Where the distribution function reaches q in (0, 1).

    Newton's steps, for the log of the nearer tail as a function of the same of a Beta variable
    with equal mean and variance: almost a straight line, so that two or three steps do. A step
    that leaves the bracket is replaced by halving it.
    """
    left = q <= 0.5
    wanted = np.where(left, q, 1.0 - q)
    reference = Reference.of(dist)
    low, high = (np.full(q.shape, end) for end in dist.support)
    x = reference.point(wanted, left)
    x = np.where((x > low) & (x < high), x, dist.mean)
    active = np.ones(q.shape, dtype=np.bool_)
    for _ in range(100):
        at, side, goal = x[active], left[active], wanted[active]
        tail, density = dist.both(at, side)
        end = np.where(side, *dist.support)
        moved = _newton(reference, at, side, tail, density, goal, end)
        above = np.where(side, tail > goal, tail < goal)
        low[active] = np.where(above, low[active], at)
        high[active] = np.where(above, at, high[active])
        inside = (moved > low[active]) & (moved < high[active])
        # A Newton step about squares the relative error of the tail.
        done = np.abs(tail - goal) < 1e-6 * goal
        halved = np.where(done, at, (low[active] + high[active]) / 2.0)
        x[active] = np.where(inside, moved, halved)
        done |= high[active] - low[active] <= 4e-16 * np.abs(at)
        active[active] = ~done
        if not active.any():
            break
    return x


def _newton(
    reference: Reference,
    x: Floats,
    left: Bools,
    tail: Floats,
    density: Floats,
    goal: Floats,
    end: Floats,
) -> Floats:
    """One step; beyond the visible range of the reference, as for a power of the distance."""
    with np.errstate(all="ignore"):
        excess = np.log(tail / goal)
        model = reference.tail(x, left)
        slope = density / tail * (model / reference.pdf(x))
        moved = reference.point(np.minimum(model * np.exp(-excess / slope), 1.0), left)
        distance = x - end
        plain = end + distance * np.exp(-excess * tail / (density * np.abs(distance)))
        return np.where(np.isfinite(moved) & (model > 1e-200) & (model < 0.9), moved, plain)


def mode(dist: Distribution) -> float:
    """Where the density is largest."""
    low, high = dist.support
    ends = dist.pdf(np.array([low, high]))
    if np.isinf(ends).any():
        return high if ends[1] >= ends[0] else low
    left, right = max(low, dist.mean - 4.0 * dist.std), min(high, dist.mean + 4.0 * dist.std)
    points = np.unique(np.concatenate([np.linspace(left, right, 65), dist.kinks]))
    points = points[(points >= left) & (points <= right)]
    # Closer and closer around the best point, until the density is nearly level there.
    for _ in range(30):
        values = dist.pdf(points)
        best = int(values.argmax())
        around = [max(best - 1, 0), min(best + 1, points.size - 1)]
        left, right = points[around]
        if values[around].min() > 0.98 * values[best] or right - left < 1e-14 * (high - low):
            break
        points = np.unique(np.append(np.linspace(left, right, 17), points[best]))
    if points[best] in (low, high):
        return float(points[best])
    # The density may have a kink: look on either side of it.
    cuts = dist.kinks[(dist.kinks > left) & (dist.kinks < right)]
    cuts = np.concatenate([[left], cuts, [right]])
    found = np.concatenate([_stationary(dist, a, b) for a, b in pairwise(cuts)])
    # Cuts come first: a kink wins over points that are no better in double precision.
    found = np.concatenate([cuts, found])
    values = dist.pdf(found)
    return float(found[(values > values.max() * (1.0 - 1e-13)).argmax()])


def _stationary(dist: Distribution, low: float, high: float) -> Floats:
    """Zeros of the derivative of the log density's interpolating polynomial."""
    nodes = np.cos((np.arange(13) + 0.5) * np.pi / 13)
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    with np.errstate(divide="ignore"):
        values = np.log(dist.pdf(middle + half * nodes))
    if not np.isfinite(values).all():
        return np.empty(0)
    polynomial = np.polynomial.chebyshev.Chebyshev.fit(nodes, values, 12)
    roots = polynomial.deriv().roots()
    real = roots[np.abs(roots.imag) < 1e-9].real
    return np.asarray(middle + half * real[np.abs(real) <= 1.0], dtype=np.float64)


def shortest(dist: Quantiles, level: float) -> tuple[float, float]:
    """The shortest interval that holds probability `level`: equally high at both ends.

    With p below it, the difference of the log densities at its ends grows with p; where it does
    not cross zero the interval begins or ends with the support.
    """
    low, high = dist.support

    def ends(below: float) -> tuple[float, float, float]:
        limits = dist.ppf(np.array([below, below + level]))
        with np.errstate(divide="ignore"):
            heights = np.log(dist.pdf(limits))
        return float(heights[0] - heights[1]), float(limits[0]), float(limits[1])

    spare = 1.0 - level
    start, stop = 1e-12 * spare, (1.0 - 1e-12) * spare
    at_start, at_stop = ends(start)[0], ends(stop)[0]
    if at_start >= 0.0:
        return low, float(dist.ppf(np.array([level]))[0])
    if at_stop <= 0.0:
        return float(dist.ppf(np.array([spare]))[0]), high
    left = right = spare / 2.0
    for _ in range(200):
        # Secant steps, kept inside the bracket; halving where they hardly move it.
        middle = stop - at_stop * (stop - start) / (at_stop - at_start)
        if not start + 0.01 * (stop - start) < middle < stop - 0.01 * (stop - start):
            middle = (start + stop) / 2.0
        value, left, right = ends(middle)
        if value < 0.0:
            start, at_start = middle, value
        else:
            stop, at_stop = middle, value
        if abs(value) < 1e-11 or stop - start < 1e-14:
            break
    return left, right
