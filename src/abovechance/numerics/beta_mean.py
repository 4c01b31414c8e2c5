"""A weighted mean of independent Beta variables: its density, tails, quantiles and mode.

Exact to about 1e-13 in about a millisecond, and relatively so (1e-10) far into the tails. There
are two ways, and neither suffices alone. Convolution by quadrature, one share after the other,
holds for any shapes, but its cost grows with every share: twelve take seventy times as long as the
other way. A Fourier series of the sum takes all shares at once and needs 32
terms for twelve classes; but its terms die away as slowly as the density is rough, and shares
without errors have kinks: five of them take 4,000 terms, three 240,000, and two of which nothing is
known 8 million. So two shares are convolved, many are a series, and three to eight whichever is
quicker; where a value is small, the series is of tilted shares, or digits would be lost.

From top to bottom: quadrature, one share, two, several, all that follows from a density and its
tails, and `BetaMean`, which is what others use.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from abovechance.arrays import Bools, Floats
from abovechance.numerics import beta

# ----------------------------------------------------------------------------------------------
# Where to put the nodes: a rule kind to both ends, and a search for where an integrand lives.
# ----------------------------------------------------------------------------------------------


LONGEST = 96  # a longer rule is put together from shorter ones, which are quick to make
NEGLIGIBLE = 42.0  # e^-42 is 6e-19


@cache
def rule(nodes: int, steep: int = 1) -> tuple[Floats, Floats, Floats]:
    """Gauss–Legendre in the angle of ``sin²``: distances from either end of [0, 1], and weights.

    The substitution makes half-integer powers at the ends (Jeffreys' prior) smooth. A `steep` one
    has the angle itself leave its ends as slowly as that power, which makes any power smooth.

    >>> below, above, weight = rule(40)
    >>> round(float(weight @ (below * above) ** -0.5), 12) == round(float(np.pi), 12)
    True
    """
    pieces = -(-nodes // LONGEST)
    root, weight = np.polynomial.legendre.leggauss(-(-nodes // pieces))
    step = 1.0 / pieces
    at = (step * (np.arange(pieces)[:, None] + (root + 1.0) / 2.0)).ravel()
    weight = np.tile(weight, pieces) * (np.pi / 4.0 * step)
    if steep == 1:
        angle = np.pi / 2.0 * at
        return np.sin(angle) ** 2, np.cos(angle) ** 2, weight * np.sin(2.0 * angle)
    up, down = at**steep, (1.0 - at) ** steep
    weight *= steep * up * down / (at * (1.0 - at) * (up + down) ** 2)
    # from either end, each known best at its own
    low, high = np.pi / 2.0 * up / (up + down), np.pi / 2.0 * down / (up + down)
    below, above = np.sin(low) ** 2, np.sin(high) ** 2
    return below, above, weight * 2.0 * np.sqrt(below * above)


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


# ----------------------------------------------------------------------------------------------
# One independent share, scaled: the building block of a weighted mean.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# The sum of two independent bounded quantities, by quadrature over the narrower one.
#
# Points are given by their distances from both ends of the support, `below` and `above`: with a
# million cases and no error all that matters happens within 1e-6 of one end.
# ----------------------------------------------------------------------------------------------


FAINT = 1e-6  # below this a value is recomputed around its own peak, to keep its relative accuracy
ROWS = 256
ROUGH = 12.0  # twice a power above which the sine alone makes its end smooth enough
STEEP = 6

Kernel = Callable[[Floats, Floats], Floats]


class _Span(NamedTuple):
    """Which values of the first summand make the sum x possible, and those of the second then."""

    low: Floats  # smallest value of the first
    top: Floats  # its largest value, as a distance from its upper end
    below: Floats  # smallest value of the second
    above: Floats  # its largest value, as a distance from its upper end
    length: Floats

    def rows(self, rows: npt.NDArray[np.intp] | slice) -> "_Span":
        return _Span(*(part[rows] for part in self))


class _Nodes(NamedTuple):
    """Log density of the first summand, where the second must be, and weights: (x, node)."""

    first: Floats
    below: Floats
    above: Floats
    weight: Floats


@dataclass(frozen=True)
class Convolution:
    """Density and tails of ``first + second`` strictly inside [0, width].

    All integrands are positive, so that small values keep their relative accuracy; where the
    usual nodes miss the peak of the integrand (far tails), the peak is looked for.
    """

    first: "Share | Interpolated"
    second: Share
    nodes: int = 72

    @property
    def width(self) -> float:
        return self.first.width + self.second.width

    @property
    def powers(self) -> tuple[float, float]:
        low, high = zip(self.first.powers, self.second.powers, strict=True)
        return sum(low), sum(high)

    @property
    def mean(self) -> float:
        return self.first.mean + self.second.mean

    @property
    def variance(self) -> float:
        return self.first.variance + self.second.variance

    @cached_property
    def kinks(self) -> Floats:
        """Inner points where the density is not smooth: an end of one at an end of the other."""
        if not self.first.kinks.size:
            return np.array(sorted({self.first.width, self.second.width}))
        inner = np.concatenate([[0.0], self.first.kinks, [self.first.width]])
        kinks = np.sort(np.concatenate([inner, inner + self.second.width]))
        # Sums that differ by rounding are one kink, and the ends are none.
        kinks = kinks[np.diff(kinks, prepend=-1.0) > 1e-10 * self.width]
        return kinks[(kinks > 1e-10 * self.width) & (kinks < (1.0 - 1e-10) * self.width)]

    def pdf(self, x: Floats) -> Floats:
        """Density."""
        return self._by_window(x, self.width - x, None)[1]

    def tail(self, x: Floats, left: Bools, *, careful: bool = True) -> Floats:
        """Probability of at most x (where `left`) or of more; if `careful`, relatively exact."""
        value = self._by_window(x, self.width - x, left, density=False)[0]
        return self._careful(x, left, value) if careful else value

    def both(self, x: Floats, left: Bools) -> tuple[Floats, Floats]:
        """Tail and density, for the price of little more than one of them."""
        tail, density = self._by_window(x, self.width - x, left)
        return self._careful(x, left, tail), density

    def log_pdf(self, below: Floats, above: Floats) -> Floats:
        """Log density with small relative error however far out."""
        span, value = self._span(below, above), np.empty(below.shape)
        for start in range(0, below.size, ROWS):
            rows = slice(start, start + ROWS)
            second = self.second
            value[rows] = self._around_peak(span.rows(rows), second.log_shape, second.log_pdf)
        return value

    def _careful(self, x: Floats, left: Bools, value: Floats) -> Floats:
        faint = value < FAINT
        if faint.any():
            value[faint] = self._far_tail(x[faint], left[faint])
        return value

    def _span(self, below: Floats, above: Floats) -> _Span:
        first, second = self.first.width, self.second.width
        return _Span(
            low=np.maximum(below - second, 0.0),
            top=np.maximum(first - below, 0.0),
            below=np.maximum(below - first, 0.0),
            above=np.maximum(second - below, 0.0),
            length=np.minimum(np.minimum(below, above), min(first, second)),
        )

    def _by_window(
        self, below: Floats, above: Floats, left: Bools | None, *, density: bool = True
    ) -> tuple[Floats, Floats]:
        """Tail and density with nodes over what is probable of the first summand."""
        tail, pdf = np.zeros(below.shape), np.zeros(below.shape)
        span = self._span(below, above)
        start = np.maximum(self.first.window[0] - span.low, 0.0)
        stop = np.maximum(self.first.window[1] - span.top, 0.0)
        some = start + stop < span.length
        with np.errstate(all="ignore"):
            for rows in _blocks(some):
                whole = isinstance(rows, slice)
                part = span if whole else span.rows(rows)
                nodes = self._nodes(part, start[rows], stop[rows])
                if left is not None:
                    second = self.second.tail(nodes.below, nodes.above, left[rows])
                    second *= np.exp(nodes.first)
                    tail[rows] = _total(second, nodes.weight)
                if density:
                    second = self.second.log_pdf(nodes.below, nodes.above)
                    second += nodes.first
                    pdf[rows] = _total(np.exp(second, out=second), nodes.weight)
        if left is not None:
            tail += self._sure(below, left, self.first.window)
        if density:
            faint = pdf < FAINT / self.variance**0.5
            if faint.any():
                pdf[faint] = np.exp(self.log_pdf(below[faint], above[faint]))
        return tail, pdf

    def _sure(self, x: Floats, left: Bools, window: tuple[float, float] = (0.0, 0.0)) -> Floats:
        """Probability that the first summand alone settles on which side of x the sum is.

        Nothing where the first summand would have to be outside its window.
        """
        point = np.where(left, x - self.second.width, x)
        some = np.where(left, point > window[0], point < self.first.width - window[1])
        value = np.zeros(x.shape)
        if some.any():
            point = np.minimum(point[some], self.first.width)
            value[some] = self.first.tail(point, self.first.width - point, left[some])
        return value

    def _nodes(self, span: _Span, start: Floats, stop: Floats) -> _Nodes:
        """Nodes from `start` after the low end of the span to `stop` before its high end."""
        cuts, _ = self.first.cuts
        if cuts.size:
            off, rest, weight = self._cut(span, start, stop)
        else:
            start, stop = start[:, None], stop[:, None]
            piece = span.length[:, None] - start - stop
            off, rest, weight = self._rule
            off, rest, weight = start + piece * off, stop + piece * rest, piece * weight
        low, top, below, above, _ = (part[:, None] for part in span)
        first = self.first.log_pdf(low + off, top + rest)
        return _Nodes(first, below + rest, above + off, weight)

    @cached_property
    def _rule(self) -> tuple[Floats, Floats, Floats]:
        """Steep where a density meets its ends with a power that is neither whole nor a half."""
        powers = 2.0 * np.array([*self.first.powers, *self.second.powers])
        rough = (powers < ROUGH) & (np.abs(powers - np.round(powers)) > 1e-9)
        return rule(2 * self.nodes, STEEP) if rough.any() else rule(self.nodes)

    def _cut(self, span: _Span, start: Floats, stop: Floats) -> tuple[Floats, Floats, Floats]:
        """Offsets of the nodes from both ends of the span, and weights, piece by piece."""
        low, top, _, _, length = (part[:, None] for part in span)
        start, stop = start[:, None], stop[:, None]
        from_low, from_top = self.first.cuts
        # Offsets of the cuts from either end, each known best at its own.
        left = np.clip(from_low - low, start, length - stop)
        right = np.clip(from_top - top, stop, length - start)
        left = np.concatenate([start, left, length - stop], axis=1)
        right = np.concatenate([length - start, right, stop], axis=1)
        near = left[:, 1:] < right[:, :-1]
        piece = np.where(near, np.diff(left, axis=1), -np.diff(right, axis=1))[..., None]
        off, rest, weight = self._rule
        off = left[:, :-1, None] + piece * off
        rest = right[:, 1:, None] + piece * rest
        flat = (len(piece), -1)
        return off.reshape(flat), rest.reshape(flat), (piece * weight).reshape(flat)

    def _far_tail(self, x: Floats, left: Bools) -> Floats:
        """A small tail, with nodes where its integrand is."""

        def log_tail(below: Floats, above: Floats) -> Floats:
            return np.log(self.second.tail(below, above, left))

        value = np.exp(self._around_peak(self._span(x, self.width - x), log_tail, log_tail))
        return np.asarray(value + self._sure(x, left))

    def _around_peak(self, span: _Span, shape: Kernel, kernel: Kernel) -> Floats:
        """Log of the integral of the first density times the exponential of `kernel`.

        `shape` is the kernel up to a factor, and may be rough.
        """
        low, top, below, above, length = (part[:, None] for part in span)

        def log_shape(off: Floats, rest: Floats) -> Floats:
            off, rest = length * off, length * rest
            return self.first.log_shape(low + off, top + rest) + shape(below + rest, above + off)

        with np.errstate(all="ignore"):
            start, stop = peak(log_shape, span.length.size)
            stop = np.where(stop >= np.pi / 2.0, 0.0, span.length * np.cos(stop) ** 2)
            nodes = self._nodes(span, span.length * np.sin(start) ** 2, stop)
            value = nodes.first + kernel(nodes.below, nodes.above)
            largest = np.max(value, axis=1, where=nodes.weight > 0.0, initial=-np.inf)
            value = np.exp(value - largest[:, None])
            found = np.log(_total(value, nodes.weight)) + largest
        # Where no double is small enough for the integrand there is nothing to add up.
        return np.where(largest > -np.inf, found, -np.inf)


def _blocks(some: Bools) -> list[npt.NDArray[np.intp] | slice]:
    """The rows that are to be computed, not too many at a time."""
    if 0 < some.size <= ROWS and some.all():
        return [slice(None)]
    rows = np.flatnonzero(some)
    return [rows[start : start + ROWS] for start in range(0, rows.size, ROWS)]


def _total(value: Floats, weight: Floats) -> Floats:
    """Sum over nodes; pieces without length do not count, whatever is there."""
    total = np.einsum("ij,ij->i", value, weight)
    if np.isnan(total).any():
        total = np.where(weight > 0.0, value * weight, 0.0).sum(axis=1)
    return np.asarray(total)


# ----------------------------------------------------------------------------------------------
# A density learnt once: the sum of some shares, kept as polynomials in its logarithm.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Many shares at once: a Fourier series of their sum, tilted where the sum is improbable.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Three shares or more: whichever of two ways is quicker for them.
# ----------------------------------------------------------------------------------------------


LAYERS = 8
SERIES_FAINT = 1e-4  # below this the series has lost digits


@dataclass(frozen=True)
class Many:
    """Sum of three or more shares on [0, width].

    A Fourier series where the characteristic function dies away soon; otherwise (few classes,
    hardly any errors: kinks in the density) the shares are added one by one. Where the sum is
    very improbable the series is taken of the tilted shares, which are at home there.
    """

    shares: Shares

    @property
    def width(self) -> float:
        return float(self.shares.width.sum())

    @property
    def kinks(self) -> Floats:
        """Inner points where the density may have a kink; none is worth naming for many shares."""
        widths = self.shares.width
        if widths.size > 5:
            return np.empty(0)
        sums = [sum(some) for size in range(1, widths.size) for some in combinations(widths, size)]
        return np.unique(np.round(sums, 14))

    @cached_property
    def _plain(self) -> Series | None:
        return series(self.shares, force=self.shares.a.size > LAYERS)

    @cached_property
    def _layered(self) -> Convolution:
        shapes = zip(self.shares.a, self.shares.b, self.shares.width, strict=True)
        shares = [Share(float(a), float(b), float(width)) for a, b, width in shapes]
        first, second, *others = sorted(shares, key=lambda share: share.variance)
        return reduce(
            lambda total, share: Convolution(interpolate(total), share, nodes=48),
            others,
            Convolution(first, second),
        )

    def pdf(self, x: Floats) -> Floats:
        if self._plain is None:
            return self._layered.pdf(x)
        value = self._plain.pdf(x)
        faint = value * self._plain.deviation < SERIES_FAINT
        if faint.any():
            value[faint] = self._far(x[faint], Series.pdf, Convolution.pdf)
        return value

    def tail(self, x: Floats, left: Bools, *, careful: bool = True) -> Floats:
        if self._plain is None:
            return self._layered.tail(x, left, careful=careful)
        value = self._plain.tail(x, left)
        faint = value < SERIES_FAINT
        for side in (True, False):
            rows = faint & (left == side)
            if careful and rows.any():
                value[rows] = self._far(
                    x[rows],
                    lambda fourier, at: fourier.tail(at, np.full(at.shape, side)),  # noqa: B023
                    lambda layered, at: layered.tail(at, np.full(at.shape, side)),  # noqa: B023
                )
        return value

    def both(self, x: Floats, left: Bools) -> tuple[Floats, Floats]:
        if self._plain is None:
            return self._layered.both(x, left)
        return self.tail(x, left), self.pdf(x)

    def _far(
        self,
        x: Floats,
        by_series: Callable[[Series, Floats], Floats],
        by_layers: Callable[[Convolution, Floats], Floats],
    ) -> Floats:
        """Values far out, by series tilted to where they are; side by side, outwards."""
        value = np.zeros(x.shape)
        many = self.shares.a.size > LAYERS
        centre = float((self.shares.width * self.shares.a / (self.shares.a + self.shares.b)).sum())
        for todo in (x < centre, x >= centre):
            tilt = 0.0
            while todo.any():
                anchor = float(x[todo][np.abs(x[todo] - centre).argmin()])
                tilt, bound = saddlepoint(self.shares, anchor, tilt)
                if bound < SMALLEST:
                    break
                tilted = series(self.shares, tilt, force=many)
                if tilted is None:
                    # So close to an end of so many shares there is nothing left to compute.
                    value[todo] = 0.0 if many else by_layers(self._layered, x[todo])
                    break
                near = todo & (np.abs(x - tilted.centre) < 3.0 * tilted.deviation)
                near |= x == anchor
                value[near] = by_series(tilted, x[near])
                todo &= ~near
        return value


# ----------------------------------------------------------------------------------------------
# Quantiles, modes and shortest intervals of a distribution given by its density and tails.
# ----------------------------------------------------------------------------------------------


SEEN = -40.0  # log tail down to which the Beta distribution of reference is a good one


@dataclass(frozen=True)
class Reference:
    """The Beta distribution with the visible range, mean and variance of another one."""

    a: float
    b: float
    low: float
    span: float
    constant: float

    @classmethod
    def of(cls, dist: "BetaMean") -> "Reference":
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

    def start(self, dist: "BetaMean", q: Floats, goal: Floats, left: Bools) -> Floats:
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


def quantile(dist: "BetaMean", q: Floats) -> Floats:
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
    dist: "BetaMean", x: Floats, left: Bools, now: _Seen, moved: Floats, ratio: Floats
) -> Floats:
    """The step; beyond the visible range of the reference, as for a power of the distance."""
    end = np.where(left, *dist.support)
    power = end + (x - end) * np.exp(-now.excess * ratio / np.abs(x - end))
    usable = np.isfinite(moved) & (now.model > SEEN) & (now.model < -0.1)
    return np.where(usable, moved, power)


def mode(dist: "BetaMean") -> float:
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


def _stationary(dist: "BetaMean", low: float, high: float) -> Floats:
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


def shortest(dist: "BetaMean", level: float) -> tuple[float, float]:
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


@dataclass(frozen=True)
class _One:
    """A single share."""

    share: Share

    @property
    def kinks(self) -> Floats:
        return self.share.kinks

    def pdf(self, x: Floats) -> Floats:
        return np.exp(self.share.log_pdf(x, self.share.width - x))

    def tail(self, x: Floats, left: Bools, *, careful: bool = True) -> Floats:
        return self.share.tail(x, self.share.width - x, left)

    def both(self, x: Floats, left: Bools) -> tuple[Floats, Floats]:
        return self.tail(x, left), self.pdf(x)


@dataclass(frozen=True, eq=False)
class BetaMean:
    r"""The distribution of :math:`\sum_j w_j A_j` with independent :math:`A_j \sim B(a_j, b_j)`.

    Weights may be negative (a difference); they need not sum to 1. Absolute error about 1e-13,
    relative error about 1e-11 far into the tails, for shapes up to 10⁶ and a hundred terms.

    Examples
    --------
    >>> both = BetaMean([41.0, 3.0], [6.0, 9.0], [0.5, 0.5])
    >>> both.mean, float(both.sf(0.5)), float(both.ppf(0.5))
    (0.5611702127659575, 0.8259924, 0.5553431)
    """

    a: Floats
    b: Floats
    weights: Floats

    def __init__(self, a: ArrayLike, b: ArrayLike, weights: ArrayLike) -> None:
        parts = [np.array(v, dtype=np.float64, ndmin=1) for v in (a, b, weights)]
        if len({part.shape for part in parts}) > 1:
            parts = [part.copy() for part in np.broadcast_arrays(*parts)]
        for name, part in zip(("a", "b", "weights"), parts, strict=True):
            object.__setattr__(self, name, part)

    @cached_property
    def _moments(self) -> tuple[float, float, float, float, float]:
        """Mean, second and third central moment, and the ends of what is visible."""
        total, w = self.a + self.b, self.weights
        right, wrong = self.a / total, self.b / total
        spread = right * wrong / (total + 1.0)
        third = spread * (wrong - right) * (2.0 / (total + 2.0))
        reach = 9.0 * np.sqrt(spread)
        low, high = w * (right - np.minimum(right, reach)), w * (right + np.minimum(wrong, reach))
        square = w * w
        found = (w @ right, square @ spread, (square * w) @ third)
        ends = (np.minimum(low, high).sum(), np.maximum(low, high).sum())
        return tuple(float(part) for part in (*found, *ends))  # type: ignore[return-value]

    @property
    def mean(self) -> float:
        return self._moments[0]

    @property
    def variance(self) -> float:
        return self._moments[1]

    @property
    def std(self) -> float:
        return float(self.variance**0.5)

    @property
    def third_moment(self) -> float:
        return self._moments[2]

    @property
    def visible(self) -> tuple[float, float]:
        """The support, less what lies nine standard deviations out in every term."""
        return self._moments[3:]

    @cached_property
    def support(self) -> tuple[float, float]:
        weights = self.weights.tolist()
        return sum(w for w in weights if w < 0.0), sum(w for w in weights if w > 0.0)

    @property
    def kinks(self) -> Floats:
        """Inner points where the density may have a kink."""
        return self.support[0] + self._engine.kinks

    def pdf(self, x: ArrayLike) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        low, high = self.support
        inside = (x > low) & (x < high)
        value = np.zeros(x.shape)
        value[inside] = self._engine.pdf(x[inside] - low)
        for end, power, inwards in zip((low, high), self._powers, (1.0, -1.0), strict=True):
            at = x == end
            if at.any() and power <= 1.0:
                near = np.array([1e-13 * (high - low)]) if inwards > 0 else np.array([high - low])
                limit = self._engine.pdf(near if inwards > 0 else near * (1.0 - 1e-13))
                value[at] = np.inf if power < 1.0 else limit[0]
        return value

    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of at most x."""
        return self._tail(x, upper=False)

    def sf(self, x: ArrayLike) -> Floats:
        """Probability of more than x, accurate when small."""
        return self._tail(x, upper=True)

    def ppf(self, q: ArrayLike) -> Floats:
        """Quantile; nan for a q outside [0, 1]."""
        q = np.asarray(q, dtype=np.float64)
        flat = np.atleast_1d(q)
        low, high = self.support
        value = np.where(flat == 0.0, low, np.where(flat == 1.0, high, np.nan))
        inner = (flat > 0.0) & (flat < 1.0)
        if self.a.size == 1:
            value[inner] = self._one_quantile(flat[inner])
        elif inner.any():
            value[inner] = quantile(self, flat[inner])
        return value.reshape(q.shape)

    def _one_quantile(self, q: Floats) -> Floats:
        weight = float(self.weights[0])
        return weight * beta.ppf(q if weight > 0.0 else 1.0 - q, self.a[0], self.b[0])

    @cached_property
    def mode(self) -> float:
        """Where the density is largest; nan where it is constant."""
        if self.a.size > 1:
            return mode(self)
        a, b = float(self.a[0]), float(self.b[0])
        if a == b == 1.0:
            return float("nan")
        share = float(np.clip((a - 1.0) / (a + b - 2.0), 0.0, 1.0)) if max(a, b) > 1.0 else 1.0
        share = share if min(a, b) > 1.0 else float(a > b or a == b)
        return share * float(self.weights[0])

    def shortest(self, level: float) -> tuple[float, float]:
        """The shortest interval that holds probability `level`."""
        return shortest(self, level)

    def both(self, x: Floats, left: Bools) -> tuple[Floats, Floats]:
        """Tail on the left or right of x, and density, strictly inside the support."""
        return self._engine.both(x - self.support[0], left)

    def _tail(self, x: ArrayLike, *, upper: bool) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        low, high = self.support
        inside = (x > low) & (x < high)
        if inside.all():
            return self._inner_tail(x.ravel() - low, upper=upper).reshape(x.shape)
        value = np.where(x <= low, 1.0, 0.0) if upper else np.where(x >= high, 1.0, 0.0)
        value[inside] = self._inner_tail(x[inside] - low, upper=upper)
        return np.where(np.isnan(x), np.nan, value)

    def _inner_tail(self, point: Floats, *, upper: bool) -> Floats:
        """The smaller tail is computed; when it is not the one asked for, 1 less it."""
        left = point < self.mean - self.support[0]
        turned = left == upper
        tail = self._engine.tail(point, left, careful=not turned.all())
        return np.where(turned, 1.0 - tail, tail)

    @cached_property
    def _powers(self) -> tuple[float, float]:
        """The density behaves like these powers, less one, of the distances from its ends."""
        turned = self.weights < 0.0
        used = self.weights != 0.0
        low, high = np.where(turned, self.b, self.a), np.where(turned, self.a, self.b)
        return float(low[used].sum()), float(high[used].sum())

    @cached_property
    def _engine(self) -> Convolution | Many | _One:
        shapes = zip(self.a.tolist(), self.b.tolist(), self.weights.tolist(), strict=True)
        # A negative weight turns its share around: -A is (1 - A) - 1.
        shares = [Share(a, b, w) if w > 0.0 else Share(b, a, -w) for a, b, w in shapes if w]
        if len(shares) > 2:
            parts = ([share.a, share.b, share.width] for share in shares)
            return Many(Shares(*np.array(list(parts)).T))
        if len(shares) == 1:
            return _One(shares[0])
        first, second = sorted(shares, key=lambda share: share.variance)
        return Convolution(first, second)
