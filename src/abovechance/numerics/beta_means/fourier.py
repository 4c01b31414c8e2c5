"""Many shares at once: a Fourier series of their sum, tilted where the sum is improbable."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Bools, Floats
from abovechance.numerics import beta
from abovechance.numerics.beta_means.rule import peak, rule

Complexes = npt.NDArray[np.complex128]

SMALLEST = -745.0  # e^-745 is the smallest double
FEW = 8  # shares of which equal ones are not looked for
DECAY = 33.0  # the series stops where the characteristic function is below e^-33
AFFORDABLE = 6_000_000  # classes × nodes × terms: twenty milliseconds, for other ways take longer


@dataclass(frozen=True)
class Shares:
    """Independent scaled Beta variables: shapes `a`, `b` and widths, one per class."""

    a: Floats
    b: Floats
    width: Floats

    @cached_property
    def distinct(self) -> tuple["Shares", Floats]:
        """The shares that differ, and how often each occurs: many classes have few counts."""
        if self.a.size < FEW:
            return self, np.ones(self.a.size)
        parts = np.stack([self.a, self.b, self.width])
        rows, times = np.unique(parts, axis=1, return_counts=True)
        return Shares(*rows), times.astype(np.float64)

    def window(self, tilt: float) -> tuple[Floats, Floats]:
        """Distances from the two ends, of the shares with density times ``exp(tilt y)``."""
        a, b, width = self.a[:, None], self.b[:, None], self.width[:, None]

        def log_shape(below: Floats, above: Floats) -> Floats:
            return beta.log_shape(below, above, a, b) + _pull(tilt, width, below, above)

        with np.errstate(all="ignore"):
            # A strong tilt leaves all that matters in a tiny part of the range.
            start, stop = peak(log_shape, self.a.size, rounds=6 if tilt else 3)
        low, high = np.sin(start)[:, None] ** 2, np.cos(stop)[:, None] ** 2
        return low, np.where(stop[:, None] >= np.pi / 2.0, 0.0, high)

    def nodes(
        self, tilt: float, window: tuple[Floats, Floats], count: int
    ) -> tuple[Floats, Floats, Floats]:
        """Nodes and weights of every share with density multiplied by ``exp(tilt y)``.

        Returns the distances from the share's mean under the tilt, the weights (which sum to
        1), and as rows of one array the logs of what they summed to, the means and variances.
        """
        a, b, width = self.a[:, None], self.b[:, None], self.width[:, None]
        low, high = window
        off, rest, weight = rule(count)
        length = 1.0 - low - high
        below, above = low + length * off, high + length * rest
        # Without a tilt the weights are normalised by their own sum, and that is 1.
        constant = beta.log_constant(a, b) if tilt else 0.0
        with np.errstate(divide="ignore"):
            value = beta.log_density(below, above, a, b, constant)
        value += _pull(tilt, width, below, above)
        top = value.max(axis=1, keepdims=True)
        mass = np.exp(value - top) * weight * length
        total = mass.sum(axis=1, keepdims=True)
        mass /= total
        point = np.where(below < 0.5, below, 1.0 - above) * width
        mean = (mass * point).sum(axis=1)
        point -= mean[:, None]
        variance = (mass * point**2).sum(axis=1)
        log_total = (np.log(total) + top)[:, 0] + np.maximum(tilt, 0.0) * self.width
        return point, mass, np.stack([log_total if tilt else 0.0 * mean, mean, variance])


def _pull(tilt: float, width: Floats, below: Floats, above: Floats) -> Floats | float:
    """The tilt, taken from the end it favours, where it is 0."""
    return tilt * width * (below if tilt < 0.0 else -above) if tilt else 0.0


@dataclass(frozen=True)
class Series:
    """The sum as a Fourier series on an interval that holds all but 1e-16 of it."""

    tilt: float
    log_total: float
    centre: float
    deviation: float
    start: float
    period: float
    terms: Complexes

    def pdf(self, x: Floats) -> Floats:
        value = 1.0 + 2.0 * (self._waves(x) @ self.terms).real
        value = np.where(self._inside(x), np.maximum(value, 0.0), 0.0)
        return value / self.period * np.exp(self.log_total - self.tilt * x)

    def _inside(self, x: Floats) -> Bools:
        return (x > self.start) & (x < self.start + self.period)

    def tail(self, x: Floats, left: Bools) -> Floats:
        """Probability of at most x (where `left`) or of more."""
        frequency = (2.0 * np.pi / self.period) * np.arange(1, self.terms.size + 1)
        pull = abs(self.tilt)
        side = np.where(left, -1.0, 1.0)
        value = np.empty(x.shape)
        for sign in set(side.tolist()):
            rows, terms = side == sign, self.terms / (pull + sign * 1j * frequency)
            value[rows] = 2.0 * (self._waves(x[rows]) @ terms).real / self.period
            if not pull:
                end = self.start if sign < 0.0 else self.start + self.period
                wave = (self._waves(np.array([end])) @ terms).real
                value[rows] += (sign * (end - x[rows]) - 2.0 * wave) / self.period
        if pull:
            value += 1.0 / (pull * self.period)
            return np.maximum(value, 0.0) * np.exp(self.log_total - self.tilt * x)
        outside = np.where(left == (x > self.centre), 1.0, 0.0)
        return np.where(self._inside(x), np.clip(value, 0.0, 1.0), outside)

    def _waves(self, x: Floats) -> Complexes:
        order = np.arange(1, self.terms.size + 1)
        return np.exp(np.outer(x - self.centre, (-2j * np.pi / self.period) * order))


def series(shares: Shares, tilt: float = 0.0, *, force: bool = False) -> Series | None:
    """The Fourier series under a tilt; None if it converges too slowly to be worth it."""
    shares, times = shares.distinct
    window = shares.window(tilt)
    point, mass, moments = shares.nodes(tilt, window, 40)
    _, centre, variance = moments @ times
    if not 0.0 < variance < np.inf:
        return None
    low, high = _bounds(point, mass, times, float(np.sqrt(variance)))
    low, high = max(low, -centre), min(high, shares.width @ times - centre)
    if not low < high:
        return None
    frequency = _highest_frequency(shares, moments, times)
    terms = int(frequency * (high - low) / (2.0 * np.pi)) + 2
    # The longest arc that a share's nodes must resolve, in radians, and the nodes for that.
    count = int(0.8 * frequency * float(np.ptp(point, axis=1).max())) + 40
    if not force and count * terms * shares.a.size > (5 if tilt else 1) * AFFORDABLE:
        return None
    point, mass, moments = shares.nodes(tilt, window, -(-min(count, 2000) // 16) * 16)
    shift, (log_total, centre, variance) = centre, moments @ times
    step = 2.0 * np.pi / (high - low)
    return Series(
        tilt=tilt,
        log_total=float(log_total),
        centre=float(centre),
        deviation=float(np.sqrt(variance)),
        start=float(shift + low),
        period=float(high - low),
        terms=_characteristic(point, mass, times, step, min(terms, 2000)),
    )


def _characteristic(
    point: Floats, mass: Floats, times: Floats, step: float, terms: int
) -> Complexes:
    """Product over the shares of their characteristic functions at multiples of `step`."""
    block = min(8, terms)
    turns = np.exp(1j * step * point * np.arange(1, block + 1)[:, None, None])
    power = mass.astype(np.complex128)
    values = np.empty((-(-terms // block) * block, point.shape[0]), dtype=np.complex128)
    for start in range(0, terms, block):
        np.einsum("bkm,km->bk", turns, power, out=values[start : start + block])
        power *= turns[-1]
    if times.max() == 1.0:
        return np.asarray(values[:terms].prod(axis=1))
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.log(values[:terms]) @ times))


def _bounds(point: Floats, mass: Floats, times: Floats, deviation: float) -> tuple[float, float]:
    """Chernoff's bounds: outside these distances from the mean lies less than e^-37."""
    ends = []
    for side in (-1.0, 1.0):
        pull = side * np.array([0.9, 2.0, 4.0, 8.0])[:, None, None] / deviation
        with np.errstate(over="ignore"):
            logs = np.log((mass * np.exp(pull * point)).sum(axis=2)) @ times
        bound = (logs + 37.0) / pull[:, 0, 0]
        ends.append(float(bound.max() if side < 0.0 else bound.min()))
    return ends[0], ends[1]


def _highest_frequency(shares: Shares, moments: Floats, times: Floats) -> float:
    """Where the characteristic function has died away, judged by Gamma variables.

    A share with shapes (a, b) decays like a Gamma variable of shape min(a, b): slowly when a
    class has (almost) no errors.
    """
    _, mean, variance = moments
    nearest = np.minimum(mean, shares.width - mean)
    shape = np.maximum(np.minimum(shares.a, shares.b), nearest**2 / variance / 3.0)
    grid = np.geomspace(1.0, 1e7, 141)
    scale = variance / (variance @ times)
    decay = 0.5 * np.log1p(np.outer(grid**2, scale / shape)) @ (shape * times)
    enough = decay > DECAY
    reached = grid[int(enough.argmax())] if enough.any() else 1e7
    return float(reached / np.sqrt(variance @ times))


def saddlepoint(shares: Shares, x: float, tilt: float = 0.0) -> tuple[float, float]:
    """A tilt that brings the mean within half a standard deviation of x, and a bound.

    The bound is on the log of the probability of being as far out as x (Chernoff). `tilt` is a
    first guess.
    """
    shares, times = shares.distinct
    bound, low, high = 0.0, -np.inf, np.inf
    for _ in range(60):
        _, _, moments = shares.nodes(tilt, shares.window(tilt), 32)
        log_total, mean, variance = (float(part) for part in moments @ times)
        bound = log_total - tilt * x
        if not (abs(mean - x) > 0.5 * np.sqrt(variance) > 0.0) or bound < SMALLEST:
            break
        low, high = (tilt, high) if mean < x else (low, tilt)
        # Newton's steps; the mean grows with the tilt, so that a bracket keeps them from straying.
        tilt += (x - mean) / variance
        if not low < tilt < high:
            tilt = (low + high) / 2.0
    return tilt, bound
