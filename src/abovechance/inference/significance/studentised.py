"""Means in their own standard errors: limits and p-values from the same resamples.

Flipping signs asks whether differences are symmetric about zero. Models with equal mean losses, one
of which is rarely far off, break that. Resampling cases (or clusters) about their mean, each mean
divided by its own standard error, asks for the means alone.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.resampling import DEFAULT, Alternative, Resampling, Tail, replicate_blocks, tail

FEW = 30  # cases or clusters, below which a resampled standard error is too unsteady to test with
MANY = 5000  # above which fewer resamples do
FEWER = 1999
LARGE = 50_000  # from which the resamples would only repeat Student's limits
LEAST_SPREAD = 1e-6  # of the spread of all: a resample with less has no standard error to speak of
MOST_DEGENERATE = 0.01
ROUNDING = 1e-12
CELLS = 1 << 21
BLOCK = 256
SAME = "the difference is the same in every case, so it has no standard error."


@dataclass(frozen=True, eq=False)
class Units:
    """What varies: cases, or clusters with the sums of their cases, one row a quantity.

    The mean of a row is its total over `sizes.sum()`.
    """

    totals: Floats
    sizes: Floats

    @classmethod
    def of(cls, values: Floats, groups: Array | None = None) -> "Units":
        """From one value a case, or several rows of them."""
        rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
        if groups is None:
            return cls(rows, np.ones(rows.shape[1]))
        code = np.unique(groups, return_inverse=True)[1]
        sums = np.stack([np.bincount(code, weights=row) for row in rows]).astype(np.float64)
        return cls(sums, np.bincount(code).astype(np.float64))

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def means(self) -> Floats:
        return np.asarray(self.totals.sum(axis=1) / self.sizes.sum())

    @cached_property
    def residuals(self) -> Floats:
        """Totals less what units of their sizes have on average."""
        return np.asarray(self.totals - self.means[:, None] * self.sizes)

    @cached_property
    def errors(self) -> Floats:
        """Standard errors of the means."""
        count = len(self)
        squares = (self.residuals**2).sum(axis=1)
        return np.asarray(np.sqrt(squares * count / (count - 1)) / self.sizes.sum())

    @cached_property
    def vary(self) -> Bools:
        """Which rows differ between units by more than rounding."""
        scale = np.abs(self.totals).max(axis=1)
        return np.asarray(np.abs(self.residuals).max(axis=1) > ROUNDING * scale)

    def checked(self) -> "Units":
        """Refused where there is no standard error."""
        if len(self) < 2:
            raise NotApplicable("a standard error needs at least two cases (or clusters).")
        if not self.vary.all():
            raise NotApplicable(SAME)
        return self


@dataclass(frozen=True, eq=False)
class Pivots:
    """Means of resamples about the mean, in standard errors of their own, as work for blocks."""

    residuals: Floats
    sizes: Floats
    greatest: bool = False

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        rows = max(1, CELLS // len(self.sizes))
        parts = [self._drawn(rng, min(rows, size - at)) for at in range(0, size, rows)]
        found = np.concatenate(parts)
        return np.abs(found).max(axis=1) if self.greatest else found[:, 0]

    def _drawn(self, rng: np.random.Generator, size: int) -> Floats:
        count, rows = len(self.sizes), self.residuals
        drawn = rng.integers(count, size=(size, count))
        drawn += np.arange(size)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count)
        times = times.astype(np.float64)
        whole = (times @ self.sizes)[:, None]
        means = times @ rows.T / whole
        squares = times @ (rows**2).T
        if np.ptp(self.sizes) == 0:
            spread = squares - means**2 * whole * self.sizes[0]
        else:
            spread = squares - 2.0 * means * (times @ (rows * self.sizes).T)
            spread += means**2 * (times @ self.sizes**2)[:, None]
        spread[spread <= LEAST_SPREAD * (rows**2).sum(axis=1)] = np.nan
        return np.asarray(means * whole / np.sqrt(spread * count / (count - 1)))


@dataclass(frozen=True, eq=False)
class Studentised:
    """A mean with its standard error, beside the pivots of its resamples."""

    mean: float
    error: float
    pivots: Floats  # sorted, undefined ones left out
    df: float

    def limits(self, level: float) -> tuple[float, float]:
        """Symmetric about the mean: what the two-sided test does not reject.

        References
        ----------
        Hall (1988), On symmetric bootstrap confidence intervals.
        """
        if not len(self.pivots):
            reach = self._student(0.5 + level / 2.0)
        else:
            reach = self._largest(np.sort(np.abs(self.pivots)), 1.0 - level)
        return self.mean - reach * self.error, self.mean + reach * self.error

    def bounds(self, level: float) -> tuple[float, float]:
        """Two one-sided bounds, each at (1 + level) / 2: what the one-sided tests reject beyond."""
        if not len(self.pivots):
            return self.limits(level)
        outside = (1.0 - level) / 2.0
        above = self._largest(self.pivots, outside)
        below = self._largest(-self.pivots[::-1], outside)
        return self.mean - above * self.error, self.mean + below * self.error

    def p_value(self, alternative: Alternative = "two-sided", against: float = 0.0) -> float:
        """p of the hypothesis that the mean is `against` (or beyond it, one-sided)."""
        if not len(self.pivots):
            from abovechance.inference.significance.delong import p_of

            return p_of((self.mean - against) / self.error, self.df, alternative)
        return self.tail(alternative, against).p_value

    def tail(self, alternative: Alternative = "two-sided", against: float = 0.0) -> Tail:
        """Where the mean lies among its resamples."""
        center = 0.0 if alternative == "two-sided" else None
        pivot = (self.mean - against) / self.error
        return tail(pivot, self.pivots, alternative=alternative, center=center)

    @property
    def least(self) -> float:
        """The smallest p-value that the draws allow."""
        return 1.0 / (len(self.pivots) + 1) if len(self.pivots) else 0.0

    def _largest(self, ascending: Floats, outside: float) -> float:
        """The k-th largest pivot, so that a limit excludes what (b + 1) / (m + 1) rejects."""
        k = max(int(round((len(ascending) + 1) * outside, 9)), 1)
        return float(ascending[-k])

    def _student(self, at: float) -> float:
        from scipy.special import stdtrit

        return float(stdtrit(self.df, at))


def studentised(units: Units, resampling: Resampling = DEFAULT) -> Studentised | None:
    """A mean with its resamples; None where too many of these have no standard error.

    Of very many cases there are no resamples: their pivots are Student's.
    """
    units.checked()
    mean, error, count = float(units.means[0]), float(units.errors[0]), len(units)
    if count > LARGE:
        return Studentised(mean, error, np.empty(0), count - 1.0)
    work = Pivots(units.residuals, units.sizes)
    found = np.asarray(replicate_blocks(work, fewer(resampling, count), block=BLOCK))
    defined = found[~np.isnan(found)]
    if len(found) - len(defined) > MOST_DEGENERATE * len(found):
        return None
    return Studentised(mean, error, np.sort(defined), count - 1.0)


def enough(units: Units) -> bool:
    """Whether means can be tested."""
    return len(units) >= FEW


def fewer(resampling: Resampling, count: int) -> Resampling:
    """The settings with no more draws than many units need."""
    if count <= MANY or resampling.draws <= FEWER:
        return resampling
    return replace(resampling, draws=FEWER)


@dataclass(frozen=True)
class Padded:
    """A mean of values few of which are not alike: Student's t after Bonett and Price.

    Resamples would often hold equal values only. Instead one value of the largest size is added on
    either side, as Bonett and Price (2012) add one case on either side for paired shares.
    """

    mean: float
    centre: float
    error: float
    df: float

    @classmethod
    def of(cls, units: Units) -> "Padded":
        units.checked()
        rows = units.totals[0]
        most = float(np.abs(rows).max())
        size = float(units.sizes.mean())
        padded = Units(
            np.concatenate([rows, [most, -most]])[None],
            np.concatenate([units.sizes, [size, size]]),
        )
        return cls(
            float(units.means[0]),
            float(padded.means[0]),
            float(padded.errors[0]),
            len(units) - 1.0,
        )

    def limits(self, level: float) -> tuple[float, float]:
        from scipy.special import stdtrit

        half = float(stdtrit(self.df, 0.5 + level / 2.0)) * self.error
        return min(self.centre - half, self.mean), max(self.centre + half, self.mean)

    def p_value(self, alternative: Alternative = "two-sided", against: float = 0.0) -> float:
        from abovechance.inference.significance.delong import p_of

        return p_of((self.centre - against) / self.error, self.df, alternative)


def span(bounds: tuple[float, float]) -> tuple[float, float]:
    """Between which numbers a difference of two values within bounds lies."""
    reach = bounds[1] - bounds[0]
    return (-reach, reach) if np.isfinite(reach) else (-np.inf, np.inf)
