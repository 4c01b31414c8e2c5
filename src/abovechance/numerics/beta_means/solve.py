"""Quantiles, modes and shortest intervals of a distribution given by its density and tails."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.numerics import beta

SEEN = -40.0  # log tail down to which the Beta distribution of reference is a good one


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
    @property
    def third_moment(self) -> float: ...
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
    constant: float

    @classmethod
    def of(cls, dist: Distribution) -> "Reference":
        low, high = dist.visible
        span = high - low
        centre, spread = (dist.mean - low) / span, (dist.std / span) ** 2
        total = centre * (1.0 - centre) / spread - 1.0
        a, b = centre * total, (1.0 - centre) * total
        return cls(a, b, low, span, float(beta.special().betaln(a, b) + np.log(span)))

    def tail(self, x: Floats, left: Bools) -> Floats:
        point = (x - self.low) / self.span
        point = np.where(left, point, 1.0 - point)
        return np.asarray(beta.special().betainc(*self._shapes(left), point))

    def pdf(self, x: Floats) -> Floats:
        point = (x - self.low) / self.span
        return np.exp(beta.log_shape(point, 1.0 - point, self.a, self.b) - self.constant)

    def point(self, tail: Floats, left: Bools) -> Floats:
        """Where the tail is that large."""
        point = beta.ppf(tail, *self._shapes(left))
        return self.low + self.span * np.where(left, point, 1.0 - point)

    def start(self, dist: Distribution, q: Floats, goal: Floats, left: Bools) -> Floats:
        """Quantiles, moved for the difference in skewness (Cornish and Fisher)."""
        total = self.a + self.b
        own = 2.0 * self.a * self.b * (self.b - self.a) / total**3 / ((total + 1.0) * (total + 2.0))
        gap = dist.third_moment - self.span**3 * own
        shift = gap / (6.0 * dist.std**2)
        normal = beta.special().ndtri(q)
        return self.point(goal, left) + shift * (np.minimum(normal**2, 9.0) - 1.0)

    def _shapes(self, left: Bools) -> tuple[Floats, Floats]:
        return np.where(left, self.a, self.b), np.where(left, self.b, self.a)


class _Seen(NamedTuple):
    """A point that was tried: log tails of the reference and (over the goal) of the sum."""

    model: Floats
    excess: Floats
    slope: Floats  # of the first by the second

    @classmethod
    def at(
        cls, reference: Reference, x: Floats, left: Bools, excess: Floats, ratio: Floats
    ) -> "_Seen":
        model = reference.tail(x, left)
        return cls(np.log(model), excess, ratio * reference.pdf(x) / model)


def quantile(dist: Distribution, q: Floats) -> Floats:
    """Where the distribution function reaches q in (0, 1).

    The log of the nearer tail is almost a straight line in that of a Beta variable with equal
    mean and variance, so that a Newton step and a cubic one through both points do. A step that
    leaves the bracket is replaced by halving it.
    """
    left = q <= 0.5
    goal = np.where(left, q, 1.0 - q)
    reference, kinks = Reference.of(dist), dist.kinks[:, None]
    low, high = (np.asarray(limit) for limit in dist.support)
    x = reference.start(dist, q, goal, left)
    x = np.where((x > low) & (x < high), x, dist.mean)
    seen: _Seen | None = None
    done = np.zeros(q.shape, dtype=np.bool_)
    with np.errstate(all="ignore"):
        for _ in range(100):
            tail, density = dist.both(x, left)
            now = _Seen.at(reference, x, left, np.log(tail / goal), tail / density)
            target, close = _target(now, seen)
            moved = reference.point(np.exp(np.minimum(target, 0.0)), left)
            if not (np.abs(now.excess).max() < 0.5 and now.model.min() > SEEN):
                moved = _far(dist, x, left, now, moved, tail / density)
            if kinks.size:
                # Near a kink there is no cubic to rely on.
                near = np.abs(x - kinks).min(axis=0) < 0.1 * dist.std
                close &= ~near | (np.abs(now.excess) < 1e-9)
            above = (tail > goal) == left
            low, high = np.where(above, low, x), np.where(above, x, high)
            inside = (moved > low) & (moved < high)
            if not inside.all():
                moved = np.where(inside, moved, np.where(close, x, (low + high) / 2.0))
                close |= high - low <= 4e-16 * np.abs(x)
            x = np.where(done, x, moved)
            done |= close
            if done.all():
                break
            seen = now
    return x


def _target(now: _Seen, seen: _Seen | None) -> tuple[Floats, Bools]:
    """The log tail of the reference to go to next, and whether that is near enough."""
    newton = now.model - now.excess * now.slope
    size = np.abs(now.excess)
    if seen is None:
        return newton, size < 1e-6
    # Hermite's cubic through both points, at no excess.
    gap = now.excess - seen.excess
    t = -seen.excess / gap
    other = 1.0 - t
    cubic = seen.model * ((1.0 + 2.0 * t) * other**2) + now.model * (t**2 * (3.0 - 2.0 * t))
    cubic += gap * t * other * (seen.slope * other - now.slope * t)
    # Newton's step is the worse one; they differ by far more than the cubic is wrong.
    error = np.abs(cubic - newton) * np.abs(seen.excess)
    usable = (size < 0.5) & (error < np.inf)
    return np.where(usable, cubic, newton), (size < 1e-6) | (usable & (error < 3e-10))


def _far(
    dist: Distribution, x: Floats, left: Bools, now: _Seen, moved: Floats, ratio: Floats
) -> Floats:
    """The step; beyond the visible range of the reference, as for a power of the distance."""
    end = np.where(left, *dist.support)
    power = end + (x - end) * np.exp(-now.excess * ratio / np.abs(x - end))
    usable = np.isfinite(moved) & (now.model > SEEN) & (now.model < -0.1)
    return np.where(usable, moved, power)


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
