"""The sum of two independent bounded quantities, by quadrature over the narrower one.

Points are given by their distances from both ends of the support, `below` and `above`: with a
million cases and no error all that matters happens within 1e-6 of one end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Bools, Floats
from abovechance.numerics.beta_means.rule import peak, rule
from abovechance.numerics.beta_means.shares import Share

FAINT = 1e-6  # below this a value is recomputed around its own peak, to keep its relative accuracy
ROWS = 256

Kernel = Callable[[Floats, Floats], Floats]


class Density(Protocol):
    """What is needed of the narrower summand."""

    @property
    def width(self) -> float: ...
    @property
    def powers(self) -> tuple[float, float]: ...
    @property
    def kinks(self) -> Floats: ...
    @property
    def cuts(self) -> tuple[Floats, Floats]: ...
    @property
    def window(self) -> tuple[float, float]: ...
    @property
    def mean(self) -> float: ...
    @property
    def variance(self) -> float: ...
    def log_pdf(self, below: Floats, above: Floats) -> Floats: ...
    def log_shape(self, below: Floats, above: Floats) -> Floats: ...
    def tail(self, below: Floats, above: Floats, left: Bools) -> Floats: ...


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

    first: Density
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
            off, rest, weight = rule(self.nodes)
            off, rest, weight = start + piece * off, stop + piece * rest, piece * weight
        low, top, below, above, _ = (part[:, None] for part in span)
        first = self.first.log_pdf(low + off, top + rest)
        return _Nodes(first, below + rest, above + off, weight)

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
        off, rest, weight = rule(self.nodes)
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
