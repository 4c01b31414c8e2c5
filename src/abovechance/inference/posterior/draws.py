"""A posterior known by a sample of it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from abovechance.arrays import Floats

BINS = 2048


@dataclass(frozen=True, eq=False)
class Draws:
    """A distribution given by independent draws, sorted; the density by a Gaussian kernel."""

    values: Floats

    @classmethod
    def of(cls, values: ArrayLike) -> "Draws":
        """From draws in any order."""
        return cls(np.sort(np.asarray(values, dtype=np.float64)))

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def std(self) -> float:
        return float(self.values.std(ddof=1))

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the mean."""
        return float(self.std / np.sqrt(self.values.size))

    @property
    def support(self) -> tuple[float, float]:
        return float(self.values[0]), float(self.values[-1])

    @cached_property
    def mode(self) -> float:
        centres, heights = self._smoothed
        return float(centres[heights.argmax()])

    def pdf(self, x: ArrayLike) -> Floats:
        """Density by a Gaussian kernel with Silverman's bandwidth."""
        return np.interp(np.asarray(x, dtype=np.float64), *self._smoothed, left=0.0, right=0.0)

    def cdf(self, x: ArrayLike) -> Floats:
        return np.searchsorted(self.values, x, side="right") / self.values.size

    def sf(self, x: ArrayLike) -> Floats:
        return 1.0 - self.cdf(x)

    def ppf(self, q: ArrayLike) -> Floats:
        return np.asarray(np.quantile(self.values, np.asarray(q, dtype=np.float64)))

    def shortest(self, level: float) -> tuple[float, float]:
        """The narrowest interval that holds a share `level` of the draws."""
        inside = min(int(np.ceil(level * self.values.size)), self.values.size - 1)
        widths = self.values[inside:] - self.values[: self.values.size - inside]
        start = int(widths.argmin())
        return float(self.values[start]), float(self.values[start + inside])

    @cached_property
    def _smoothed(self) -> tuple[Floats, Floats]:
        low, high = self.support
        quarters = np.quantile(self.values, [0.25, 0.75])
        spread = min(self.std, float(quarters[1] - quarters[0]) / 1.349) or self.std
        width = max(0.9 * spread * self.values.size**-0.2, 1e-12)
        edges = np.linspace(low - 4.0 * width, high + 4.0 * width, BINS + 1)
        step = edges[1] - edges[0]
        counts = np.histogram(self.values, edges)[0] / (self.values.size * step)
        reach = int(np.ceil(5.0 * width / step))
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
        heights = np.convolve(counts, kernel / kernel.sum(), mode="full")
        return (edges[:-1] + edges[1:]) / 2.0, heights[reach : reach + BINS]
