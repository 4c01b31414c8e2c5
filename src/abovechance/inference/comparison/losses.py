"""Differences of mean losses."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.inference.comparison.contrasts import (
    Answer,
    Combined,
    Contrast,
    How,
    Standardised,
    Unanswerable,
    less,
)
from abovechance.inference.comparison.contributions import contributions
from abovechance.inference.comparison.resampled import Resampled
from abovechance.inference.comparison.shares import Clustered, flipped, turn
from abovechance.inference.intervals.bootstrap import studentised_limits
from abovechance.inference.results import Interval, Test
from abovechance.inference.significance.delong import Gap
from abovechance.inference.significance.sign_flip import (
    EQUAL_MEANS,
    SYMMETRIC,
    flips,
    method_name,
    resample_means,
)
from abovechance.measures import Measure
from abovechance.resampling import Alternative

LARGE = 50_000  # cases, from which the bootstrap would only repeat Student's limits


@dataclass(frozen=True, eq=False)
class MeanGain:
    """The mean over cases of how much less the first model loses; `gains` one a case."""

    gains: Floats
    turned: float
    how: How

    @property
    def difference(self) -> float:
        return self.turned * float(self.gains.mean()) + 0.0  # never minus zero

    def test(self, alternative: Alternative) -> Answer:
        return mean_test(self.gains, None, alternative, self.how)

    def interval(self, level: float) -> Interval:
        if len(self.gains) > LARGE:
            return self._by_t.interval(level)
        low, high = sorted(self.turned * limit + 0.0 for limit in self._limits(level))
        return Interval(low, high, level, f"studentised bootstrap, {self.how.bootstraps} draws")

    def beyond(self, margin: float) -> tuple[float, float]:
        shifted = (self.gains + margin, margin - self.gains)
        first, second = (
            flips(values, alternative="greater", resampling=self.how.flips).p_value
            for values in shifted
        )
        return first, second

    @property
    def _by_t(self) -> Standardised:
        n = len(self.gains)
        gap = Gap(self.difference, float(self.gains.std(ddof=1) / np.sqrt(n)), n - 1.0)
        return Standardised(gap, self.turned, "", EQUAL_MEANS, "Student's t")

    def _limits(self, level: float) -> tuple[float, float]:
        return studentised_limits(self.gains, level, self.how.bootstraps, self.how.rng(2))


def of_mean(measure: Measure, first: Any, second: Any, how: How) -> Contrast:
    """Sign flips and the studentised bootstrap; over clusters Student's t."""
    turned = turn(measure)
    parts = contributions(measure, first, second)
    apart = int((~np.isfinite(parts)).sum())
    if apart:
        difference = less(measure.of(first), measure.of(second))
        plural = "s" * (apart != 1)
        return Unanswerable(
            difference, f"the loss of {apart} case{plural} is infinite, so losses do not compare"
        )
    groups = first.cases.groups
    if groups is None:
        tested: Contrast = MeanGain(turned * parts * first.n, turned, how)
    else:
        tested = ClusteredMean(turned * parts, np.zeros(first.n, np.int64), groups, turned, how)
    if measure.after is None:
        return tested
    return Combined(tested, Resampled(measure, first, second, how))


@dataclass(frozen=True, eq=False)
class ClusteredMean(Clustered):
    """The same over clusters; the test may be studentised."""

    def test(self, alternative: Alternative) -> Answer:
        return mean_test(self.gains, self.groups, alternative, self.how)


def mean_test(gains: Floats, groups: Any, alternative: Alternative, how: How) -> Answer:
    """Sign flips of gains, or resampling them about their mean where that was asked for."""
    if not how.studentised:
        return flipped(gains, groups, alternative, how, SYMMETRIC)
    found = resample_means(gains, groups=groups, alternative=alternative, resampling=how.flips)
    test = Test(
        statistic=float(gains.sum()),
        p_value=found.p_value,
        alternative=alternative,
        hypothesis=EQUAL_MEANS,
        method=method_name(found, groups, studentised=True),
        draws=found.draws,
    )
    return Answer(test, least=found.least)
