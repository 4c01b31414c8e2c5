"""Differences of mean losses."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.comparison.contrasts import (
    Answer,
    Combined,
    Contrast,
    How,
    Standardised,
    Unanswerable,
    enough_for_a_margin,
    less,
    span,
)
from abovechance.inference.comparison.contributions import contributions
from abovechance.inference.comparison.resampled import Resampled
from abovechance.inference.comparison.shares import flipped, turn
from abovechance.inference.method import Fact, answer, comparison, limits
from abovechance.inference.results import Interval
from abovechance.inference.significance.delong import Gap
from abovechance.inference.significance.sign_flip import EQUAL_MEANS, SYMMETRIC
from abovechance.inference.significance.studentised import (
    FEW,
    Padded,
    Studentised,
    Units,
    studentised,
)
from abovechance.measures import Form, Law, Measure
from abovechance.resampling import Alternative

ANYWHERE = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class MeanGain:
    """The mean over cases of how much less the first model loses; `gains` one a case.

    From 30 cases (or clusters) on the test is studentised and the interval is what it does not
    reject. Below, signs are flipped, and the interval of few clusters is Student's. Limits stay
    within `bounds`, what a difference of the measure can reach.
    """

    gains: Floats
    turned: float
    how: How
    groups: Array | None = None
    bounds: tuple[float, float] = ANYWHERE

    @property
    def difference(self) -> float:
        return self.turned * float(self.gains.mean()) + 0.0  # never minus zero

    @cached_property
    def units(self) -> Units:
        return Units.of(self.gains, self.groups)

    @cached_property
    def spread(self) -> Studentised | Padded:
        """What says how the mean varies; refused where nothing does."""
        few = self.groups is not None and len(self.units) < FEW
        found = None if few else studentised(self.units, self.how.flips)
        return Padded.of(self.units) if found is None else found

    def test(self, alternative: Alternative) -> Answer:
        if not self._tests_means:
            return flipped(self.gains, self.groups, alternative, self.how, SYMMETRIC)
        found = self.spread
        assert isinstance(found, Studentised)
        drawn = len(found.pivots) > 0
        tested = answer(
            "studentised_bootstrap" if drawn else "student",
            statistic=float(self.gains.sum()),
            p_value=found.p_value(alternative),
            alternative=alternative,
            draws=len(found.pivots) if drawn else None,
            **self._clusters,
        )
        return Answer(tested, least=found.least or None)

    @cached_property
    def _tests_means(self) -> bool:
        """Whether means are tested, not symmetry: as asked for, else where units are enough."""
        wanted = len(self.units) >= FEW if self.how.studentised is None else self.how.studentised
        if not wanted or not self.units.vary.all():
            return False
        try:
            return isinstance(self.spread, Studentised)
        except NotApplicable:
            return False

    def interval(self, level: float) -> Interval:
        if self._few_clusters:
            return self._over_few.interval(level)
        return self._within(self.spread.limits(level), level)

    def one_sided(self, level: float) -> Interval:
        """The interval whose ends are one-sided bounds: what margins are held against."""
        enough_for_a_margin(self.units.residuals[0])
        found = self.spread
        if self._few_clusters or isinstance(found, Padded):
            return self.interval(level)
        return self._within(found.bounds(level), level)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        if self._few_clusters:
            return self._over_few.beyond(margin)
        found = self.spread
        return found.p_value("greater", -margin), found.p_value("less", margin)

    @property
    def _few_clusters(self) -> bool:
        return self.groups is not None and len(self.units) < FEW

    @cached_property
    def _over_few(self) -> Standardised:
        units = self.units.checked()
        gap = Gap(self.difference, float(units.errors[0]), len(units) - 1.0)
        known = {"clusters": len(units)}
        return Standardised(gap, self.turned, "cluster_mean", EQUAL_MEANS, known, self.bounds)

    def _within(self, ends: tuple[float, float], level: float) -> Interval:
        low, high = sorted(self.turned * limit + 0.0 for limit in ends)
        low, high = max(low, self.bounds[0]), min(high, self.bounds[1])
        if isinstance(self.spread, Padded):
            return limits("student", low, high, level, padded=True, **self._clusters)
        drawn = len(self.spread.pivots)
        if not drawn:
            return limits("student", low, high, level, **self._clusters)
        return limits("studentised_bootstrap", low, high, level, draws=drawn, **self._clusters)

    @property
    def _clusters(self) -> dict[str, Any]:
        return {} if self.groups is None else {"clusters": len(self.units)}


def _of_losses(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return measure.form is Form.LOSSES


@comparison(
    name="mean_difference",
    drawn=True,
    title="studentised bootstrap, or sign flip",
    words="a studentised bootstrap of the differences of loss, or their signs flipped",
    source=("hall1988", "dinga2019"),
    hypothesis=EQUAL_MEANS,
    default=[Law.MEAN],
    allows=[Fact.CLUSTERS],
    fits=_of_losses,
    otherwise="mean_loss",
)
def of_mean(measure: Measure, first: Any, second: Any, how: How) -> Contrast:
    """Studentised bootstrap, sign flips of few; over few clusters Student's t."""
    turned = turn(measure)
    parts = contributions(measure, first, second)
    apart = int((~np.isfinite(parts)).sum())
    if apart:
        difference = less(measure.of(first), measure.of(second))
        plural = "s" * (apart != 1)
        return Unanswerable(
            difference, f"the loss of {apart} case{plural} is infinite, so losses do not compare"
        )
    bounds = ANYWHERE if measure.after is not None else span(measure.range)
    tested = MeanGain(turned * parts * first.n, turned, how, first.cases.groups, bounds)
    if measure.after is None:
        return tested
    return Combined(tested, Resampled(measure, first, second, how))


def mean_test(gains: Floats, groups: Any, alternative: Alternative, how: How) -> Answer:
    """The test of gains, one a case, as `compare` runs it: "greater" when the first loses less."""
    return MeanGain(np.asarray(gains, dtype=np.float64), 1.0, how, groups).test(alternative)
