"""The contrast that a measure's law gives: which test, which interval of the difference."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.comparison.areas import AreaContrast, correlation_of
from abovechance.inference.comparison.contrasts import (
    Alike,
    Answer,
    Combined,
    Contrast,
    Declared,
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
from abovechance.inference.comparison.shares import Agreeing, turn
from abovechance.inference.influence import Components, NotLinear, components
from abovechance.inference.intervals.areas import area_in
from abovechance.inference.intervals.concordance import concordance_influence
from abovechance.inference.method import (
    Fact,
    Kind,
    Method,
    Takes,
    comparison,
    declared,
    facts_of,
    first_of,
    suited,
)
from abovechance.inference.ordering import differences_in_order
from abovechance.inference.results import Interval
from abovechance.inference.significance.delong import EQUAL_AREAS, Gap
from abovechance.inference.significance.exchange import EQUAL, affordable, as_test, exchanged
from abovechance.inference.significance.sign_flip import EQUAL_MEANS
from abovechance.measures import Law, Measure, find
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
EQUAL_CONCORDANCES = "the concordances are equal"
OVER_TIME = "both models have the same expected value over time"
NO_TEST = "no test for differences of this measure"

for _kind in (Kind.TEST, Kind.INTERVAL):
    declared(
        _kind,
        name="paired_jackknife",
        models=2,
        title="paired infinitesimal jackknife[ over {clusters} clusters][, t({df:.1f})]",
        words="the paired infinitesimal jackknife[ over {clusters} clusters]"
        "[ with Student's t ({df:.1f} degrees of freedom)]",
        source="therneau2015",
        hypothesis=EQUAL_CONCORDANCES,
        laws=[Law.CENSORED_PAIRS],
        allows=[Fact.CLUSTERS],
        takes=Takes.PARTS,
        origin=__name__,
    )


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
        facts = facts_of(one) - {Fact.FOLDS}  # one test set, or compared fold by fold elsewhere
        # no disagreement has an interval there
        counted = measure.law in COUNTED and Fact.WEIGHTS not in facts
        if not counted and identical(one, other) and not np.isnan(mine):
            if measure.form in COUNTING and coarse(one):
                return Agreeing(measure, one)
            return Alike(infinite=not np.isfinite(mine), coarse=coarse(one))
        if measure.law is Law.CALIBRATION and grows_with_cases(measure, one):
            reason = (
                f"{measure.title} grows with the number of cases, so a difference has no meaning"
            )
            return Unanswerable(less(mine, theirs), reason)
        found = self._by_method(first, second, facts)
        apart = abs(less(mine, theirs))
        if found.difference != 0.0 and apart <= ROUNDING * abs(mine) < np.inf:
            return Combined(found, found, value=0.0)  # else a sum of parts decides who is better
        return found

    def _by_method(self, first: int, second: int, facts: frozenset[Fact]) -> Contrast:
        """By the method asked for, else by that of the law and what stands in for it."""
        measure, how = self.measure, self.how
        one, other = self.models[first], self.models[second]
        chosen = how.chosen.get(measure.label)
        if chosen is not None:
            return asked_for(chosen, measure, one, other, how)
        for method in suited(first_of(Kind.COMPARISON, measure.law, facts), measure, one, facts):
            assert method.function is not None
            if method.takes is Takes.FAMILY:
                found = method.function(self, first, second)
            else:
                found = method.function(measure, one, other, how)
            if found is not None:
                return cast(Contrast, found)
        raise NotApplicable(f"{measure.title} cannot be compared on such cases.")

    def exchanged(self, first: int, second: int) -> Contrast:
        """Tested by exchanging predictions."""
        return of_exchange(self.measure, self.models[first], self.models[second], self.how)

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

    def area_contrast(self, found: Components, first: int, second: int) -> Contrast:
        """The contrast of two areas, or concordances."""
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
                return self.exchanged(first, second)
            return Unanswerable(float(found.areas[first] - found.areas[second]), str(reason))
        if gap.error == 0 and gap.difference != 0:
            return self.exchanged(first, second)
        sizes = class_sizes(self.models[0]) if ranked else np.array([FEW])
        least = int(sizes[sizes > 0].min())
        name, df = "delong" if ranked else "paired_jackknife", np.inf
        known: dict[str, Any] = {}
        if found.groups is not None:
            name, df = "obuchowski" if ranked else name, gap.df
            known["clusters"] = len(np.unique(found.groups))
        elif least < FEW:
            df = gap.df if least >= VERY_FEW else min(gap.df, least - 1.0)
        if np.isfinite(df):
            known["df"] = float(df)
        return Standardised(
            Gap(gap.difference, gap.error, df),
            turn(self.measure),
            name,
            EQUAL_AREAS if ranked else EQUAL_CONCORDANCES,
            known,
            span(self.measure.range),
        )


def asked_for(method: Method, measure: Measure, first: Any, second: Any, how: How) -> Contrast:
    """The contrast of a method that was asked for by name: refused where data are not its own."""
    assert method.function is not None
    gap = less(measure.of(first), measure.of(second))
    try:
        for predictions in (first, second):
            method.refuse(predictions)
        if method.takes is Takes.FAMILY:
            found = method.function(Family(measure, [first, second], how), 0, 1)
        else:
            found = method.function(measure, first, second, how)
    except NotApplicable as reason:
        return Unanswerable(gap, str(reason))
    if found is None:
        return Unanswerable(gap, f"{method.worded()} is not for {measure.title}")
    if hasattr(found, "test"):
        return cast(Contrast, found)
    difference, error, *df = found
    spread = Gap(float(difference), float(error), float(df[0]) if df else np.inf)
    known = {"df": spread.df} if df else {}
    bounds = span(measure.range)
    return Declared(spread, turn(measure), method.name, method.hypothesis, known, bounds)


def of_areas(family: Family, first: int, second: int) -> Contrast | None:
    """Of measures whose areas, or concordances, are sums over cases; None of others."""
    if family.areas is None:
        return None
    return family.area_contrast(family.areas, first, second)


DELONG = comparison(
    name="delong",
    title="DeLong, limits by MOVER",
    words="DeLong's test, with limits by MOVER from those of both areas",
    source=("delong1988", "zou2008", "obuchowski1997"),
    hypothesis=EQUAL_AREAS,
    default=[Law.PAIRS],
    allows=[Fact.CLUSTERS],
    takes=Takes.FAMILY,
    otherwise="mean_loss",
)(of_areas)
JACKKNIFE = comparison(
    name="paired_jackknife",
    title="paired infinitesimal jackknife",
    words="the paired infinitesimal jackknife",
    source="therneau2015",
    hypothesis=EQUAL_CONCORDANCES,
    default=[Law.CENSORED_PAIRS],
    allows=[Fact.CLUSTERS],
    takes=Takes.FAMILY,
    otherwise="mean_loss",
)(of_areas)


@comparison(
    name="mean_loss",
    drawn=True,
    title="its mean loss",
    words="the comparison of the mean loss that the measure is a function of",
    source=("hall1988", "dinga2019"),
    hypothesis=EQUAL_MEANS,
    default=[Law.UNKNOWN],
    laws=[Law.PAIRS, Law.CENSORED_PAIRS, Law.MEAN],
    allows=[Fact.CLUSTERS],
    otherwise="exchange",
)
def of_mean_loss(measure: Measure, first: Any, second: Any, how: How) -> Contrast | None:
    """The test of a mean loss with the interval of the measure itself; None where none is known."""
    loss = same_question(measure, first)
    if loss is None:
        return None
    return Combined(of_mean(loss, first, second, how), Resampled(measure, first, second, how))


@comparison(
    name="exchange",
    drawn=True,
    title="studentised exchange",
    words="a studentised exchange of predictions",
    source="chung2013",
    hypothesis=EQUAL,
    laws=tuple(law for law in Law if law not in (Law.CALIBRATION, Law.UTILITY)),
    allows=[Fact.CLUSTERS],
    otherwise="resampled",
)
def of_exchange(measure: Measure, first: Any, second: Any, how: How) -> Contrast:
    """A test by exchanging predictions, with the interval of any measure."""
    tested = Exchange(measure, first, second, how)
    return Combined(tested, Resampled(measure, first, second, how))


@comparison(
    name="resampled",
    title="limits alone, by leaving out or resampling",
    words="leaving out or resampling cases",
    source=("efron1993", "efron1987"),
    hypothesis="none is tested",
    default=[Law.CALIBRATION, Law.UTILITY],
    laws=tuple(Law),
    allows=[Fact.CLUSTERS, Fact.WEIGHTS],
)
def of_resamples(measure: Measure, first: Any, second: Any, how: How) -> Contrast:
    """An interval of the difference and no test."""
    weighted = first.cases.sample_weight is not None
    return Resampled(measure, first, second, how, WEIGHTED if weighted else NO_TEST)


@comparison(
    name="ordered",
    title="EWC with Student's t",
    words="slow cosines of the series (EWC) with Student's t",
    source="lazarus2018",
    hypothesis=OVER_TIME,
    default=tuple(Law),
    needs=[Fact.ORDER],
    allows=[Fact.CLUSTERS],
)
def in_order(measure: Measure, first: Any, second: Any, how: How) -> Contrast:
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
    spread = Gap(gap, found.error, found.df)
    bounds = span(measure.range)
    return Standardised(spread, turn(measure), "ordered", OVER_TIME, found.known, bounds)


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
