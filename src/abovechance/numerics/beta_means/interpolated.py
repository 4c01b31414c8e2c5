"""A density learnt once: the sum of some shares, kept as polynomials in its logarithm."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Bools, Floats
from abovechance.numerics.beta_means.convolution import Convolution
from abovechance.numerics.beta_means.rule import NEGLIGIBLE, rule

DEGREE = 20
TOLERANCE = 5e-13
NOISE = 1e-9
FAINT_TOLERANCE = 1e-6  # where the density is below e^-80 of its peak
VISIBLE = 80.0
NARROWEST = 1e-11
PANELS = 150
DEPTH = 700.0  # nothing is kept where the density is below e^-700 of its peak
RANGE = 30.0  # a panel whose visible density varies by more than e^30 takes too many nodes
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
    """The density of a sum, cheap to evaluate: one polynomial per panel.

    What is interpolated is the log density less the powers of the distances from the two ends;
    positive functions keep their relative accuracy that way, far into the tails. A panel
    is known by its length and its distances from both ends of the support.
    """

    width: float
    powers: tuple[float, float]
    kinks: Floats
    mean: float
    variance: float
    below: Floats
    above: Floats
    length: Floats
    coefficients: Floats
    divided: tuple[float, float]
    depth: float

    @property
    def cuts(self) -> tuple[Floats, Floats]:
        """Where the polynomials change, by distance from either end."""
        return self.below[1:], self.above[:-1]

    @cached_property
    def window(self) -> tuple[float, float]:
        """Distances from the ends within which the density is not negligible."""
        part = np.linspace(0.0, 1.0, 12)
        below = (self.below[:, None] + self.length[:, None] * part).ravel()
        above = (self.above[:, None] + self.length[:, None] * part[::-1]).ravel()
        value = np.nan_to_num(self.log_pdf(below, above), nan=DEPTH, neginf=-DEPTH, posinf=DEPTH)
        seen = np.flatnonzero(value > value.max() - NEGLIGIBLE)
        first, last = max(seen[0] - 1, 0), min(seen[-1] + 1, below.size - 1)
        return float(below[first]), float(above[last])

    def log_pdf(self, below: Floats, above: Floats) -> Floats:
        panel = self._panel(below, above)
        length = self.length[panel]
        low, high = below - self.below[panel], above - self.above[panel]
        point = np.where(low < high, 2.0 * low / length - 1.0, 1.0 - 2.0 * high / length)
        value = _clenshaw(np.moveaxis(self.coefficients[panel], -1, 0), np.clip(point, -1.0, 1.0))
        value += _ends(below, above, self.divided)
        return np.where(np.abs(point) < 1.0 + 1e-9, value, -np.inf)

    def log_shape(self, below: Floats, above: Floats) -> Floats:
        return self.log_pdf(below, above)

    def tail(self, below: Floats, above: Floats, left: Bools) -> Floats:
        """Probability on the left (where `left`) or on the right of each point."""
        panel = self._panel(below, above)
        low = np.clip(below - self.below[panel], 0.0, self.length[panel])
        high = np.clip(above - self.above[panel], 0.0, self.length[panel])
        before = np.concatenate([[0.0], np.cumsum(self._masses)])[panel]
        after = np.concatenate([np.cumsum(self._masses[::-1])[::-1], [0.0]])[panel + 1]
        start = np.where(left, self.below[panel], below)
        stop = np.where(left, above, self.above[panel])
        part = self._between(start, stop, np.where(left, low, high))
        return np.where(left, before, after) + part

    def _panel(self, below: Floats, above: Floats) -> npt.NDArray[np.intp]:
        panel = np.searchsorted(self.below, below, side="right") - 1
        if (above < below).any():
            # Near the upper end the distance from it tells the panel better.
            other = self.above.size - np.searchsorted(self.above[::-1], above, side="right")
            panel = np.where(above < below, other, panel)
        return np.clip(panel, 0, self.below.size - 1)

    @cached_property
    def _masses(self) -> Floats:
        return self._between(self.below, self.above, self.length)

    def _between(self, below: Floats, above: Floats, length: Floats) -> Floats:
        off, rest, weight = rule(40)
        below, above, length = below[..., None], above[..., None], length[..., None]
        value = np.exp(self.log_pdf(below + length * off, above + length * rest))
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
    powers = source.powers
    divided = tuple(power - 1.0 if power < LARGE else 0.0 for power in powers)
    top = _log_pdf_at_mean(source)
    # An integrand is followed down to e^-42 of its peak: so much less is known of the next sum.
    depth = min(DEPTH, getattr(source.first, "depth", np.inf) - 1.5 * NEGLIGIBLE)
    pending = _panels(source, top - depth)
    before = np.full(len(pending), np.inf)
    kept: list[Floats] = []
    nodes, matrix = _chebyshev()
    while pending.size:
        start, stop, length = pending[:, :1], pending[:, 1:2], pending[:, 2:]
        below, above = start + length * (1.0 + nodes) / 2.0, stop + length * (1.0 - nodes) / 2.0
        raw = source.log_pdf(below.ravel(), above.ravel()).reshape(below.shape)
        raw = np.maximum(raw, top - depth - NEGLIGIBLE)
        coefficients = (raw - _ends(below, above, (divided[0], divided[1]))) @ matrix.T
        error = np.abs(coefficients[:, -3:]).max(axis=1)
        good = error < np.where(raw.max(axis=1) > top - VISIBLE, TOLERANCE, FAINT_TOLERANCE)
        # Halving helps no more: this is what the log density itself is known to.
        good |= (error > 0.1 * before) & (error < NOISE)
        good &= np.ptp(np.maximum(raw, top - NEGLIGIBLE), axis=1) < RANGE
        good |= (length[:, 0] < NARROWEST * source.width) | (len(kept) + len(pending) > PANELS)
        kept += list(np.concatenate([pending, coefficients], axis=1)[good])
        half = pending[~good, 2] / 2.0
        start, stop = pending[~good, 0], pending[~good, 1]
        lower = np.stack([start, stop + half, half], axis=1)
        pending = np.concatenate([lower, np.stack([start + half, stop, half], axis=1)])
        before = np.tile(error[~good], 2)
    # In order of their position; near the upper end the distance from it tells better.
    kept.sort(key=lambda panel: (panel[0], -panel[1]))
    panels = np.stack(kept)
    return Interpolated(
        width=source.width,
        powers=powers,
        kinks=source.kinks,
        mean=source.mean,
        variance=source.variance,
        below=panels[:, 0],
        above=panels[:, 1],
        length=panels[:, 2],
        coefficients=panels[:, 3:],
        divided=(divided[0], divided[1]),
        depth=depth,
    )


def _log_pdf_at_mean(source: Convolution) -> float:
    return float(source.log_pdf(np.array([source.mean]), np.array([source.width - source.mean]))[0])


def _panels(source: Convolution, faintest: float) -> Floats:
    """First panels, between the kinks of what is visible: distance below, above, length."""
    low, high = _reach(source, faintest)
    kinks = source.kinks[(source.kinks > low) & (source.kinks < source.width - high)]
    below = np.concatenate([[low], kinks])
    above = np.concatenate([source.width - kinks, [high]])
    return np.stack([below, above, source.width - below - above], axis=1)


def _reach(source: Convolution, faintest: float) -> tuple[float, float]:
    """Distances from the ends beyond which the density is not worth keeping."""
    mean, width = source.mean, source.width
    ends = []
    for turned in (False, True):
        # On a log scale, so that an end that the density reaches is kept.
        near, far = np.log(1e-9 * width), np.log(width - mean if turned else mean)
        first = 0
        for _ in range(8):
            grid = np.linspace(near, far, 24)
            distance = np.exp(grid)
            points = (width - distance, distance) if turned else (distance, width - distance)
            value = source.log_pdf(*points)
            first = int((value > faintest).argmax())
            if first == 0:
                break
            near, far = grid[first - 1], grid[first]
            if value[first] < faintest + NEGLIGIBLE:
                break
        ends.append(0.0 if first == 0 else float(np.exp(far)))
    return ends[0], ends[1]
