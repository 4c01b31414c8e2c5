"""The sum of two independent bounded quantities, by quadrature over the narrower one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.numerics.beta_means.rule import peak, rule
from abovechance.numerics.beta_means.shares import Share

FAINT = 1e-6  # below this a value is recomputed around its own peak, to keep its relative accuracy
ROWS = 256


class Density(Protocol):
    """What is needed of the narrower summand."""

    @property
    def width(self) -> float: ...
    @property
    def edges(self) -> Floats: ...
    @property
    def powers(self) -> tuple[float, float]: ...
    @property
    def window(self) -> tuple[float, float]: ...
    @property
    def mean(self) -> float: ...
    @property
    def variance(self) -> float: ...
    def log_pdf(self, below: Floats, above: Floats) -> Floats: ...
    def log_shape(self, below: Floats, above: Floats) -> Floats: ...
    def tail(self, below: Floats, above: Floats, left: Bools) -> Floats: ...


Kernel = Callable[[Floats, Floats], Floats]


class _Nodes(NamedTuple):
    """Log density of the first summand, where the second must be, and weights: (x, piece, node)."""

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
    def edges(self) -> Floats:
        """Inner points where the density is not smooth: edges of the two meet."""
        inner = np.concatenate([[0.0], self.first.edges, [self.first.width]])
        edges = np.unique(np.concatenate([inner, inner + self.second.width]))
        return edges[(edges > 1e-12 * self.width) & (edges < (1.0 - 1e-12) * self.width)]

    def pdf(self, x: Floats) -> Floats:
        """Density."""
        return self._by_rows(x, None)[1]

    def tail(self, x: Floats, left: Bools, *, careful: bool = True) -> Floats:
        """Probability of at most x (where `left`) or of more; if `careful`, relatively exact."""
        value = self._by_rows(x, left, density=False)[0]
        faint = value < FAINT
        if careful and faint.any():
            value[faint] = self._far_tail(x[faint], left[faint])
        return value

    def both(self, x: Floats, left: Bools) -> tuple[Floats, Floats]:
        """Tail and density, for the price of little more than one of them."""
        tail, density = self._by_rows(x, left)
        faint = tail < FAINT
        if faint.any():
            tail[faint] = self._far_tail(x[faint], left[faint])
        return tail, density

    def log_pdf(self, x: Floats) -> Floats:
        """Log density with small relative error however far out."""
        second = self.second
        pieces = [
            self._around_peak(x[start : start + ROWS], second.log_shape, second.log_pdf)
            for start in range(0, x.size, ROWS)
        ]
        return np.concatenate(pieces)

    def _by_rows(
        self, x: Floats, left: Bools | None, density: bool = True
    ) -> tuple[Floats, Floats]:
        tail, pdf = np.zeros(x.shape), np.zeros(x.shape)
        low, high = self._span(x)
        below, above = self.first.window
        low, high = np.maximum(low, below), np.minimum(high, self.first.width - above)
        some = np.flatnonzero(high > low)
        for start in range(0, some.size, ROWS):
            rows = some[start : start + ROWS]
            with np.errstate(all="ignore"):
                nodes = self._nodes(x[rows], low[rows], high[rows])
                if left is not None:
                    second = self.second.tail(nodes.below, nodes.above, left[rows])
                    tail[rows] = _total(np.exp(nodes.first) * second, nodes.weight)
                if density:
                    second = self.second.log_pdf(nodes.below, nodes.above)
                    pdf[rows] = _total(np.exp(nodes.first + second), nodes.weight)
        if left is not None:
            tail += self._sure(x, left)
        faint = pdf * np.sqrt(self.variance) < FAINT
        if density and faint.any():
            pdf[faint] = np.exp(self.log_pdf(x[faint]))
        return tail, pdf

    def _sure(self, x: Floats, left: Bools) -> Floats:
        """Probability that the first summand alone settles on which side of x the sum is."""
        point = np.where(left, x - self.second.width, x)
        some = np.where(left, point > 0.0, point < self.first.width)
        value = np.zeros(x.shape)
        if some.any():
            point = np.minimum(point[some], self.first.width)
            value[some] = self.first.tail(point, self.first.width - point, left[some])
        return value

    def _span(self, x: Floats) -> tuple[Floats, Floats]:
        """Between which values of `first` the sum can be x."""
        return np.maximum(0.0, x - self.second.width), np.minimum(self.first.width, x)

    def _nodes(self, x: Floats, low: Floats, high: Floats) -> _Nodes:
        edges = self.first.edges
        if edges.size:
            inner = np.clip(edges, low[:, None], high[:, None])
            cuts = np.concatenate([low[:, None], inner, high[:, None]], axis=1)
            low, high = cuts[:, :-1, None], cuts[:, 1:, None]
        else:
            low, high = low[:, None, None], high[:, None, None]
        off, rest, weight = rule(self.nodes)
        length = high - low
        off, rest, x = length * off, length * rest, x[:, None, None]
        return _Nodes(
            first=self.first.log_pdf(low + off, (self.first.width - high) + rest),
            below=np.maximum(x - high, 0.0) + rest,
            above=np.maximum(self.second.width - x + low, 0.0) + off,
            weight=length * weight,
        )

    def _far_tail(self, x: Floats, left: Bools) -> Floats:
        """A small tail, with nodes where its integrand is."""

        def log_tail(below: Floats, above: Floats) -> Floats:
            return np.log(self.second.tail(below, above, left))

        value = np.exp(self._around_peak(x, log_tail, log_tail))
        return np.asarray(value + self._sure(x, left))

    def _around_peak(self, x: Floats, shape: Kernel, kernel: Kernel) -> Floats:
        """Log of the integral of the first density times the exponential of `kernel`.

        `shape` is the kernel up to a factor, and may be rough.
        """
        low, high = self._span(x)
        length = (high - low)[:, None]
        top = (self.first.width - high)[:, None]
        below = np.maximum(x - high, 0.0)[:, None]
        above = np.maximum(self.second.width - x + low, 0.0)[:, None]

        def log_shape(off: Floats, rest: Floats) -> Floats:
            off, rest = length * off, length * rest
            first = self.first.log_shape(low[:, None] + off, top + rest)
            return first + shape(below + rest, above + off)

        with np.errstate(all="ignore"):
            start, stop = peak(log_shape, x.size)
            near = low + length[:, 0] * np.sin(start) ** 2
            far = np.where(stop >= np.pi / 2.0, high, high - length[:, 0] * np.cos(stop) ** 2)
            nodes = self._nodes(x, near, far)
            value = nodes.first + kernel(nodes.below, nodes.above)
            largest = np.max(value, axis=(1, 2), where=nodes.weight > 0.0, initial=-np.inf)
            value = np.exp(value - largest[:, None, None])
            return np.log(_total(value, nodes.weight)) + largest


def _total(value: Floats, weight: Floats) -> Floats:
    """Sum over pieces and nodes; pieces without length do not count, whatever is there."""
    value *= weight
    if value.shape[1] > 1:
        value[np.broadcast_to(weight == 0.0, value.shape)] = 0.0
    return np.asarray(value.sum(axis=(1, 2)))
