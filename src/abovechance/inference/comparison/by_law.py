"""The contrast that a measure's law gives: which test, which interval of the difference."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.comparison.areas import AreaContrast, correlation_of
from abovechance.inference.comparison.contrasts import (
    Alike,
    Answer,
    Combined,
    Contrast,
    How,
    Standardised,
    Unanswerable,
    less,
    span,
)
from abovechance.inference.comparison.contributions import class_sizes
from abovechance.inference.comparison.losses import of_mean
from abovechance.inference.comparison.pairs import identical
from abovechance.inference.comparison.resampled import Resampled
from abovechance.inference.comparison.shares import (
    Agreeing,
    of_balanced,
    of_conditional_share,
    of_share,
    turn,
)
from abovechance.inference.influence import Components, NotLinear, components
from abovechance.inference.intervals.areas import area_in
from abovechance.inference.intervals.concordance import concordance_influence
from abovechance.inference.ordering import differences_in_order
from abovechance.inference.results import Interval
from abovechance.inference.significance.delong import EQUAL_AREAS, Gap
from abovechance.inference.significance.exchange import affordable, as_test, exchanged
from abovechance.measures import Form, Law, Measure, find
from abovechance.measures.area_scale import concordance_scale
from abovechance.measures.evaluation import COUNTING
from abovechance.measures.measure import defaults
from abovechance.numerics.ranks import midranks
from abovechance.predictions import Binary, Survival
from abovechance.resampling import Alternative

FEW = 50  # cases in the smaller class below which DeLong's test is referred to Student's t
VERY_FEW = 10  # below which Satterthwaite's degrees of freedom are still too many
SOME = 500  # cases enough to see whether a number grows with them
ROUNDING = 1e-14  # relative difference of values that is no difference
WEIGHTED = "sampling weights: tests count cases, so there is an interval and no test"
COUNTED = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED)
OVER_TIME = "both models have the same expected value over time"
NO_TEST = "no test for differences of this measure"


@dataclass(frozen=True, eq=False)
class Family:
    """Models on the same cases with one measure: what all pairs of them share."""

    measure: Measure
    models: Sequence[Any]
    how: How

    def contrast(self, first: int, second: int) -> Contrast:
        """The contrast of two of the models."""
        measure, one, other = self.measure, self.models[first], self.models[second]
        mine, theirs = measure.of(one), measure.of(other)
        if measure.law is not Law.MEAN and not np.isfinite([mine, theirs]).all():
            if mine == theirs:
                return Alike(infinite=True)
            reason = measure.undefined or f"{measure.title} is not finite here"
            return Unanswerable(less(mine, theirs), reason)
        weighted = one.cases.sample_weight is not None
        counted = measure.law in COUNTED and not weighted  # no disagreement has an interval there
        if not counted and identical(one, other) and not np.isnan(mine):
            if measure.form in COUNTING and coarse(one):
                return Agreeing(measure, one)
            return Alike(infinite=not np.isfinite(mine), coarse=coarse(one))
        if measure.law is Law.CALIBRATION and grows_with_cases(measure, one):
            reason = (
                f"{measure.title} grows with the number of cases, so a difference has no meaning"
            )
            return Unanswerable(less(mine, theirs), reason)
        if weighted:
            return Resampled(measure, one, other, self.how, WEIGHTED)
        if one.cases.order is not None:
            return in_order(measure, one, other)
        found = self._by_law(first, second)
        if found is None:
            found = self._exchanged(one, other)
        apart = abs(less(mine, theirs))
        if found.difference != 0.0 and apart <= ROUNDING * abs(mine) < np.inf:
            return Combined(found, found, value=0.0)  # else a sum of parts decides who is better
        return found

    def _by_law(self, first: int, second: int) -> Contrast | None:
        measure, how = self.measure, self.how
        one, other = self.models[first], self.models[second]
        if measure.law in (Law.CALIBRATION, Law.UTILITY):
            return Resampled(measure, one, other, how, NO_TEST)
        if measure.law is Law.SHARE:
            return of_share(measure, one, other, how)
        if measure.law is Law.CONDITIONAL:
            return of_conditional_share(measure, one, other, how)
        if measure.law is Law.BALANCED:
            return of_balanced(measure, one, other, how)
        if measure.law is Law.MEAN and measure.form is Form.LOSSES:
            return of_mean(measure, one, other, how)
        if self.areas is not None:
            return self._area_contrast(self.areas, first, second)
        loss = same_question(measure, one)
        if loss is None:
            return None
        return Combined(of_mean(loss, one, other, how), Resampled(measure, one, other, how))

    def _exchanged(self, one: Any, other: Any) -> Contrast:
        tested = Exchange(self.measure, one, other, self.how)
        return Combined(tested, Resampled(self.measure, one, other, self.how))

    @cached_property
    def areas(self) -> Components | None:
        """Areas or concordances of all models at once, where their components are known."""
        measure, first = self.measure, self.models[0]
        if measure.law is Law.PAIRS:
            try:
                return components(self.models, measure)
            except NotLinear:
                return None
        if measure.law is Law.CENSORED_PAIRS and isinstance(first, Survival):
            return concordances(measure, self.models)
        return None

    def _area_contrast(self, found: Components, first: int, second: int) -> Contrast:
        one, other = self.models[first], self.models[second]
        ranked = self.measure.law is Law.PAIRS
        if ranked and same_order(one, other):
            return Alike(read="order of all cases", coarse=coarse(one))
        tested = self._area_test(found, first, second)
        if not ranked or isinstance(tested, Unanswerable):
            return tested
        pair = [first, second]
        try:
            parts = found.spread(found.influence[pair])
            spread = np.asarray(sum(part.matrix for part in parts))
        except NotApplicable:
            spread = np.zeros((2, 2))
        apart = spread[0, 0] + spread[1, 1] - 2.0 * spread[0, 1]
        varies = bool(apart > ROUNDING * np.trace(spread))
        return AreaContrast(
            tested,
            area_in(found, first),
            area_in(found, second),
            correlation_of(spread) if varies else 0.0,
            found.scale,
            turn(self.measure),
            varies,
        )

    def _area_test(self, found: Components, first: int, second: int) -> Contrast:
        ranked = self.measure.law is Law.PAIRS
        try:
            gap = found.difference(first, second)
        except NotApplicable as reason:
            if found.groups is None:
                return self._exchanged(self.models[first], self.models[second])
            return Unanswerable(float(found.areas[first] - found.areas[second]), str(reason))
        if gap.error == 0 and gap.difference != 0:
            return self._exchanged(self.models[first], self.models[second])
        sizes = class_sizes(self.models[0]) if ranked else np.array([FEW])
        least = int(sizes[sizes > 0].min())
        name = "DeLong" if ranked else "paired infinitesimal jackknife"
        df = np.inf
        if found.groups is not None:
            df = gap.df
            name = "Obuchowski" if ranked else name
            name += f" over {len(np.unique(found.groups))} clusters"
        elif least < FEW:
            df = gap.df if least >= VERY_FEW else min(gap.df, least - 1.0)
        said = f"{name}, t({df:.1f})" if np.isfinite(df) else name
        return Standardised(
            Gap(gap.difference, gap.error, df),
            turn(self.measure),
            said,
            EQUAL_AREAS if ranked else "the concordances are equal",
            said,
            span(self.measure.range),
        )


def in_order(measure: Measure, first: Any, second: Any) -> Contrast:
    """The contrast of models on cases in time order, whose neighbours may be alike."""
    gap = less(measure.of(first), measure.of(second))
    if not np.isfinite(gap):
        return Unanswerable(gap, f"{measure.title} is not finite here")
    try:
        found = differences_in_order(measure, first, second)
    except NotApplicable as reason:
        return Unanswerable(gap, str(reason).removesuffix("."))
    if found.error == 0.0:
        return Unanswerable(gap, "the models differ alike at all times, so nothing varies")
    said = found.method
    spread = Gap(gap, found.error, found.df)
    return Standardised(spread, turn(measure), said, OVER_TIME, said, span(measure.range))


@dataclass(frozen=True, eq=False)
class Exchange:
    """A difference tested by exchanging predictions; its interval is another's business."""

    measure: Measure
    first: Any
    second: Any
    how: How

    @property
    def difference(self) -> float:
        return self.measure.of(self.first) - self.measure.of(self.second)

    def test(self, alternative: Alternative) -> Answer:
        classes = len(getattr(self.first, "classes", ()))
        count = affordable(self.measure, self.first.n, self.how.draws, max(classes, 2))
        found = exchanged(
            self.measure,
            self.first,
            self.second,
            alternative=alternative,
            resampling=replace(self.how.resampling, draws=count),
        )
        return Answer(as_test(found, alternative, self.first.cases.groups), least=found.least)

    def interval(self, level: float) -> Interval:
        raise NotApplicable("an exchange gives no interval.")

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


def same_question(measure: Measure, predictions: Any) -> Measure | None:
    """The mean loss whose comparison answers the question about a measure, if there is one."""
    several = len(getattr(predictions, "outputs", ())) > 1
    usual = defaults(measure.formula).get("reference")
    moved = measure.parameters.get("reference") != usual
    if not measure.monotone_in or measure.dialect or several or moved:
        return None
    return find(measure.monotone_in).for_outcome(predictions.kind)


def grows_with_cases(measure: Measure, predictions: Any) -> bool:
    """Whether a number rises when every case is there twice, as test statistics do.

    >>> p = Binary([0, 1, 0, 1], probability=[0.2, 0.3, 0.4, 0.9])
    >>> grows_with_cases(find("hosmer_lemeshow"), p), grows_with_cases(find("ece"), p)
    (True, False)
    """
    some = np.arange(min(predictions.n, SOME))
    once, twice = (measure.of(predictions.take(rows)) for rows in (some, np.tile(some, 2)))
    return bool(abs(twice) > 1.3 * abs(once))


def coarse(predictions: Any) -> bool:
    """Whether predictions take so few values that two models may agree on all cases by chance.

    >>> coarse(Binary([0, 1, 0, 1, 1], probability=[0.2, 0.8, 0.2, 0.8, 0.8]))
    True
    """
    for name in ("probability", "score", "value", "risk", "survival", "predicted_time"):
        column = getattr(predictions, name, None)
        if column is not None:
            rows = np.atleast_2d(column).T if np.ndim(column) > 1 else np.asarray(column)
            return bool(2 * len(np.unique(rows, axis=0)) < len(rows))
    return True


def same_order(first: Any, second: Any) -> bool:
    """Whether two models order all cases alike, and so have the same areas in any sample."""
    if not isinstance(first, Binary):
        return identical(first, second)
    if first.ranking is None or second.ranking is None:
        return False
    return np.array_equal(midranks(first.ranking), midranks(second.ranking))


def concordances(measure: Measure, models: Sequence[Any]) -> Components | None:
    """Concordances of models and how much each case moves them; None if they are no such thing."""
    found = []
    for p in models:
        tau, weight = measure.parameters.get("tau"), None
        if measure.pair_weight is not None:
            weight = measure.pair_weight(p, **measure.parameters)
        value, moved = concordance_influence(p, tau=tau, pair_weight=weight)
        scale = concordance_scale(measure, measure.of(p), value)
        if scale is None:
            return None
        found.append((scale.of(value), scale.slope * moved))
    values, influence = zip(*found, strict=True)
    stratum = np.zeros(models[0].n, dtype=np.int64)
    return Components(np.array(values), np.stack(influence), stratum, models[0].cases.groups)
