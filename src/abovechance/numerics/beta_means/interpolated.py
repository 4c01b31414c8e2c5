"""A density learnt once: the sum of some shares, kept as polynomials in its logarithm."""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Bools, Floats
from abovechance.numerics.beta_means.convolution import Convolution
from abovechance.numerics.beta_means.rule import NEGLIGIBLE, rule

DEGREE = 20
TOLERANCE = 5e-13
NARROWEST = 1e-7
PANELS = 500
FAR = 740.0  # beyond e^-740 a double is zero
LARGE = 200.0  # dividing by a larger power of the distance from an end would cost digits


@cache
def _chebyshev() -> tuple[Floats, Floats]:
    """Nodes on [-1, 1] and the matrix from values there to coefficients."""
    angle = (np.arange(DEGREE) + 0.5) * np.pi / DEGREE
    matrix = np.cos(np.outer(np.arange(DEGREE), angle)) * (2.0 / DEGREE)
    matrix[0] /= 2.0
    return np.cos(angle), matrix


@dataclass(frozen=True)
class Interpolated:
    """The density of a sum, cheap to evaluate: one polynomial per panel between `bounds`.

    What is interpolated is the log density less the powers of the distances from the two ends;
    positive functions keep their relative accuracy that way, down to the smallest double.
    """

    width: float
    powers: tuple[float, float]
    mean: float
    variance: float
    bounds: Floats
    coefficients: Floats
    divided: tuple[float, float]

    @property
    def edges(self) -> Floats:
        return self.bounds[1:-1]

    @cached_property
    def window(self) -> tuple[float, float]:
        """Distances from the ends within which the density is not negligible."""
        below = np.concatenate(
            [np.linspace(a, b, 12)[:-1] for a, b in pairwise(self.bounds)] + [self.bounds[-1:]]
        )
        value = np.nan_to_num(self.log_pdf(below, self.width - below), nan=np.inf, neginf=-FAR)
        seen = np.flatnonzero(value > min(value.max(), FAR) - NEGLIGIBLE)
        low, high = below[max(seen[0] - 1, 0)], below[min(seen[-1] + 1, below.size - 1)]
        return float(low), max(float(self.width - high), 0.0)

    def log_pdf(self, below: Floats, above: Floats) -> Floats:
        panel = self._panel(below)
        low, high = self.bounds[panel], self.bounds[panel + 1]
        point = np.clip((2.0 * below - low - high) / (high - low), -1.0, 1.0)
        value = _clenshaw(np.moveaxis(self.coefficients[panel], -1, 0), point)
        return value + _ends(below, above, self.divided)

    def log_shape(self, below: Floats, above: Floats) -> Floats:
        return self.log_pdf(below, above)

    def tail(self, below: Floats, above: Floats, left: Bools) -> Floats:
        """Probability on the left (rows where `left`) or on the right of each point."""
        panel = self._panel(below)
        before = np.concatenate([[0.0], np.cumsum(self._masses)])[panel]
        after = np.concatenate([np.cumsum(self._masses[::-1])[::-1], [0.0]])[panel + 1]
        low, high = self.bounds[panel], self.bounds[panel + 1]
        point = np.clip(below, low, high)
        part = self._between(np.where(left, low, point), np.where(left, point, high))
        return np.where(left, before, after) + part

    def _panel(self, below: Floats) -> npt.NDArray[np.intp]:
        return np.clip(np.searchsorted(self.bounds, below) - 1, 0, self.bounds.size - 2)

    @cached_property
    def _masses(self) -> Floats:
        return self._between(self.bounds[:-1], self.bounds[1:])

    def _between(self, low: Floats, high: Floats) -> Floats:
        off, rest, weight = rule(40)
        low, length = low[..., None], (high - low)[..., None]
        above = (self.width - high)[..., None] + length * rest
        value = np.exp(self.log_pdf(low + length * off, above))
        return np.asarray(np.where(length > 0.0, value * length, 0.0) @ weight)


def _clenshaw(coefficients: Floats, point: Floats) -> Floats:
    twice = 2.0 * point
    one, two = np.zeros_like(point), np.zeros_like(point)
    for coefficient in coefficients[:0:-1]:
        one, two = coefficient + twice * one - two, one
    return np.asarray(coefficients[0] + point * one - two)


def _ends(below: Floats, above: Floats, powers: tuple[float, float]) -> Floats:
    low, high = powers
    value = np.zeros(np.broadcast(below, above).shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        if low:
            value = value + low * np.log(below)
        if high:
            value = value + high * np.log(above)
    return value


def interpolate(source: Convolution) -> Interpolated:
    """Learn a density: halve the panels until the polynomials have converged."""
    low, high = _reach(source)
    divided = tuple(power - 1.0 if power < LARGE else 0.0 for power in source.powers)
    edges = source.edges
    cuts = np.concatenate([[low], edges[(edges > low) & (edges < high)], [high]])
    pending = np.stack([cuts[:-1], cuts[1:]], axis=1)
    kept: list[tuple[float, Floats]] = []
    nodes, matrix = _chebyshev()
    while pending.size:
        half = np.diff(pending, axis=1) / 2.0
        points = pending[:, :1] + half * (1.0 + nodes)
        above = (source.width - pending[:, 1:]) + half * (1.0 - nodes)
        raw = source.log_pdf(points.ravel()).reshape(points.shape)
        coefficients = (raw - _ends(points, above, (divided[0], divided[1]))) @ matrix.T
        # What the log density itself is known to; no polynomial can be better.
        noise = TOLERANCE + 5e-15 * np.abs(raw).max(axis=1) + 1e-14 * np.sqrt(sum(source.powers))
        good = np.abs(coefficients[:, -3:]).max(axis=1) < noise
        good |= (half[:, 0] < NARROWEST * (high - low)) | (len(kept) > PANELS)
        kept += list(zip(pending[good, 0].tolist(), coefficients[good], strict=True))
        split = pending[~good]
        middle = split.mean(axis=1)
        pending = np.concatenate(
            [np.stack([split[:, 0], middle], axis=1), np.stack([middle, split[:, 1]], axis=1)]
        )
    kept.sort(key=lambda panel: panel[0])
    return Interpolated(
        width=source.width,
        powers=source.powers,
        mean=source.mean,
        variance=source.variance,
        bounds=np.array([start for start, _ in kept] + [high]),
        coefficients=np.stack([coefficients for _, coefficients in kept]),
        divided=(divided[0], divided[1]),
    )


def _reach(source: Convolution) -> tuple[float, float]:
    """The part of the support where the density is not zero in double precision."""
    top = float(source.log_pdf(np.array([source.mean]))[0])
    ends = []
    for end in (0.0, source.width):
        # Distances from the end on a log scale, so that an end the density reaches is kept.
        near, far = np.log(1e-9 * source.width), np.log(abs(source.mean - end))
        for _ in range(2):
            distance = np.linspace(near, far, 24)
            value = source.log_pdf(end + np.sign(source.mean - end) * np.exp(distance))
            first = int((value > top - FAR).argmax())
            if first == 0:
                break
            near, far = distance[first - 1], distance[first]
        ends.append(end if first == 0 else end + float(np.sign(source.mean - end) * np.exp(near)))
    return ends[0], ends[1]
