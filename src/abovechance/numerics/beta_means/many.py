"""Three shares or more: whichever of two ways is quicker for them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.numerics.beta_means.convolution import Convolution
from abovechance.numerics.beta_means.fourier import SMALLEST, Series, Shares, saddlepoint, series
from abovechance.numerics.beta_means.interpolated import interpolate
from abovechance.numerics.beta_means.shares import Share

LAYERS = 8
FAINT = 1e-4  # below this the series has lost digits


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
        faint = value * self._plain.deviation < FAINT
        if faint.any():
            value[faint] = self._far(x[faint], Series.pdf, Convolution.pdf)
        return value

    def tail(self, x: Floats, left: Bools, *, careful: bool = True) -> Floats:
        if self._plain is None:
            return self._layered.tail(x, left, careful=careful)
        value = self._plain.tail(x, left)
        faint = value < FAINT
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
