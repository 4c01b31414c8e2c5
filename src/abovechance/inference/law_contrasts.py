"""The contrast that a measure's law gives, for models on the same cases and on different ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.area_differences import AreaContrast, correlation_of
from abovechance.inference.areas import area_in
from abovechance.inference.bootstrap import MEAN_ROUNDING, freedom_of, span
from abovechance.inference.concordance import EQUAL_CONCORDANCES, concordances
from abovechance.inference.contrasts import (
    EQUAL_AREAS,
    Alike,
    Answer,
    Combined,
    Contrast,
    Declared,
    Resampled,
    Standardised,
    Unanswerable,
    class_sizes,
    less,
    recovered,
    right,
)
from abovechance.inference.exchange import EQUAL, affordable, as_test, exchanged
from abovechance.inference.influence import Components, Gap, NotLinear, components, influence
from abovechance.inference.interval_choice import Shared, interval_by_law
from abovechance.inference.method import (
    Fact,
    Kind,
    Method,
    Takes,
    comparison,
    declared_difference,
    facts_of,
    find,
    first_of,
    limits,
    suited,
)
from abovechance.inference.miscalibration import depends_on_size
from abovechance.inference.pairing import identical
from abovechance.inference.results import Interval
from abovechance.inference.shares import Agreeing, is_share_right, turn
from abovechance.measures import Form, Law, Measure
from abovechance.measures.sample import COUNTING, Sample
from abovechance.numerics.exact import critical_value
from abovechance.numerics.ranks import midranks
from abovechance.resampling import Alternative
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# The contrast that a measure's law gives: which test, which interval of the difference.
# ----------------------------------------------------------------------------------------------


FEW = 50  # cases in the smaller class below which DeLong's test is referred to Student's t
VERY_FEW = 10  # below which Satterthwaite's degrees of freedom are still too many
SOME = 500  # cases enough to see whether a number grows with them
ROUNDING = 1e-14  # relative difference of values that is no difference
WEIGHTED = "sampling weights: tests count cases, so there is an interval and no test"
COUNTED = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED)
NO_TEST = "no test for differences of this measure"

declared_difference(
    name="paired_jackknife",
    title="paired infinitesimal jackknife[ over {clusters} clusters][, t({df:.1f})]",
    words="the paired infinitesimal jackknife[ over {clusters} clusters]"
    "[ with Student's t ({df:.1f} degrees of freedom)]",
    source="therneau2015",
    hypothesis=EQUAL_CONCORDANCES,
    laws=[Law.CENSORED_PAIRS],
    allows=[Fact.CLUSTERS],
    origin=__name__,
)


@dataclass(frozen=True, eq=False)
class ModelFamily:
    """Models on the same cases with one measure: what all pairs of them share."""

    measure: Measure
    models: Sequence[Any]
    settings: Settings

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
        measure, settings = self.measure, self.settings
        one, other = self.models[first], self.models[second]
        chosen = settings.chosen(Kind.COMPARISON).get(measure.label)
        if chosen is not None:
            return contrast_by_name(chosen, measure, one, other, settings)
        for method in suited(first_of(Kind.COMPARISON, measure.law, facts), measure, one, facts):
            assert method.function is not None
            if method.takes is Takes.FAMILY:
                found = method.function(self, first, second)
            else:
                found = method.function(measure, one, other, settings)
            if found is not None:
                return cast(Contrast, found)
        raise NotApplicable(f"{measure.title} cannot be compared on such cases.")

    def exchanged(self, first: int, second: int) -> Contrast:
        """Tested by exchanging predictions."""
        return difference_by_exchange(
            self.measure, self.models[first], self.models[second], self.settings
        )

    @cached_property
    def areas(self) -> Components | None:
        """Areas or concordances of all models at once, where their components are known."""
        measure = self.measure
        if measure.law is Law.PAIRS:
            try:
                return components(self.models, measure)
            except NotLinear:
                return None
        if measure.law is Law.CENSORED_PAIRS:
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


def contrast_by_name(
    method: Method, measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast:
    """The contrast of a method that was asked for by name: refused where data are not its own."""
    assert method.function is not None
    gap = less(measure.of(first), measure.of(second))
    try:
        for predictions in (first, second):
            method.refuse(predictions, measure)
        if method.takes is Takes.FAMILY:
            found = method.function(ModelFamily(measure, [first, second], settings), 0, 1)
        else:
            found = method.function(measure, first, second, settings)
    except NotApplicable as reason:
        return Unanswerable(gap, str(reason))
    if found is None:
        return Unanswerable(gap, f"{method.worded()} is not for {measure.title}")
    if hasattr(found, "test"):
        return cast(Contrast, found)
    difference, error, *df = found
    spread = Gap(float(difference), float(error), float(df[0]) if df else np.inf)
    bounds = span(measure.range)
    return Declared(spread, turn(measure), method.name, method.hypothesis, spread.freedom, bounds)


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
def difference_by_exchange(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast:
    """A test by exchanging predictions, with the interval of any measure."""
    tested = Exchange(measure, first, second, settings)
    return Combined(tested, Resampled(measure, first, second, settings))


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
def difference_by_resampling(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast:
    """An interval of the difference and no test."""
    weighted = first.cases.sample_weight is not None
    return Resampled(measure, first, second, settings, WEIGHTED if weighted else NO_TEST)


@dataclass(frozen=True, eq=False)
class Exchange:
    """A difference tested by exchanging predictions; it has no interval of its own."""

    measure: Measure
    first: Any
    second: Any
    settings: Settings

    @property
    def difference(self) -> float:
        return self.measure.of(self.first) - self.measure.of(self.second)

    def test(self, alternative: Alternative) -> Answer:
        classes = len(getattr(self.first, "classes", ()))
        count = affordable(self.measure, self.first.n, self.settings.draws, max(classes, 2))
        found = exchanged(
            self.measure,
            self.first,
            self.second,
            alternative=alternative,
            settings=replace(self.settings, draws=count),
        )
        return Answer(as_test(found, alternative, self.first.cases.groups), least=found.least)

    def interval(self, level: float) -> Interval:
        raise NotApplicable("an exchange gives no interval.")

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


def grows_with_cases(measure: Measure, predictions: Any) -> bool:
    """Whether a number rises when every case is there twice, as test statistics do.

    >>> from abovechance import Binary
    >>> from abovechance.measures import find
    >>> p = Binary([0, 1, 0, 1], probability=[0.2, 0.3, 0.4, 0.9])
    >>> grows_with_cases(find("hosmer_lemeshow"), p), grows_with_cases(find("ece"), p)
    (True, False)
    """
    some = np.arange(min(predictions.n, SOME))
    once, twice = (measure.of(predictions.take(rows)) for rows in (some, np.tile(some, 2)))
    return bool(abs(twice) > 1.3 * abs(once))


def coarse(predictions: Any) -> bool:
    """Whether predictions take so few values that two models may agree on all cases by chance.

    >>> from abovechance import Binary
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
    if first.ranking is None or second.ranking is None:
        return identical(first, second)
    return np.array_equal(midranks(first.ranking), midranks(second.ranking))


# ----------------------------------------------------------------------------------------------
# Differences between models, or subgroups, whose cases are not the same.
# ----------------------------------------------------------------------------------------------


EQUAL_EXPECTED = "both have the same value in the populations the cases come from"

for _kind, _words in ((Kind.TEST, "Welch's t-test"), (Kind.INTERVAL, "Welch's t")):
    declared_difference(
        _kind,
        name="welch",
        title="Welch t[ over {clusters} clusters], unpaired[, t({df:.1f})]",
        words=f"{_words}[ over {{clusters}} clusters][ ({{df:.1f}} degrees of freedom)]",
        source="welch1947",
        hypothesis=EQUAL_EXPECTED,
        laws=[Law.MEAN, Law.SHARE],
        needs=[Fact.UNPAIRED],
        allows=[Fact.CLUSTERS],
        origin=__name__,
    )
declared_difference(
    name="jackknife_unpaired",
    title="infinitesimal jackknife[ over {clusters} clusters], unpaired[, t({df:.1f})]",
    words="the infinitesimal jackknife for different cases[ over {clusters} clusters]"
    "[ ({df:.1f} degrees of freedom)]",
    source="therneau2015",
    hypothesis=EQUAL_EXPECTED,
    laws=[Law.CENSORED_PAIRS],
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS],
    origin=__name__,
)
declared_difference(
    name="mover_unpaired",
    title="MOVER of both intervals[ ({both})], unpaired[, t({df:.1f})]",
    words="the MOVER method with the limits that both parts have by themselves[ ({both})]"
    "[ and Student's t ({df:.1f} degrees of freedom)]",
    source="zou2008",
    hypothesis=EQUAL_EXPECTED,
    laws=tuple(Law),
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS, Fact.ORDER],
    origin=__name__,
)


def unpaired(measure: Measure, first: Any, second: Any, settings: Settings) -> Contrast:
    """The contrast of a measure's law for different cases.

    Cases of one cluster that fall into both parts keep their dependence: clusters are summed over
    both.
    """
    values = [measure.of(p) for p in (first, second)]
    if not np.isfinite(values).all():
        if values[0] == values[1]:
            return Alike(infinite=True)
        gap = less(values[0], values[1])
        return Unanswerable(gap, measure.undefined or f"{measure.title} is not finite here")
    if depends_on_size(measure):
        return Unanswerable(
            less(values[0], values[1]),
            f"{measure.title} changes with the number of cases alone, so that of different cases "
            "is not compared",
        )
    chosen = settings.chosen(Kind.COMPARISON).get(measure.label)
    if chosen is not None:
        return contrast_by_name(chosen, measure, first, second, settings)
    facts = _facts(first, second)
    for method in suited(first_of(Kind.COMPARISON, measure.law, facts), measure, first, facts):
        assert method.function is not None
        found = method.function(measure, first, second, settings)
        if found is not None:
            return cast(Contrast, found)
    raise NotApplicable(f"{measure.title} cannot be compared on such cases.")


def _facts(first: Any, second: Any) -> frozenset[Fact]:
    """Clusters where both have them, weights and an order where one has."""
    facts = {Fact.UNPAIRED}
    if _grouped(first, second):
        facts.add(Fact.CLUSTERS)
    if any(p.cases.sample_weight is not None for p in (first, second)):
        facts.add(Fact.WEIGHTS)
    if any(p.cases.order is not None for p in (first, second)):
        facts.add(Fact.ORDER)
    return frozenset(facts)


def _grouped(first: Any, second: Any) -> bool:
    return first.cases.groups is not None and second.cases.groups is not None


@dataclass(frozen=True, eq=False)
class Independent:
    """A difference of parts that have nothing to do with each other, by the limits of each.

    Its p is that of the limit on the side of 0, and falls below 1 − level where the interval leaves
    0 out. Where a part has no interval, the difference has none.

    References
    ----------
    Zou & Donner (2008), the method of variance estimates recovery.
    """

    measure: Measure
    first: Any
    second: Any
    settings: Settings
    reason: str = ""

    @property
    def difference(self) -> float:
        return self.measure.of(self.first) - self.measure.of(self.second)

    def test(self, alternative: Alternative) -> Answer:
        if self.reason:
            raise NotApplicable(self.reason)
        gap, level = self.difference, self.settings.level
        below, above, known = self._recovered(level)
        df = known.get("df", np.inf)
        error = (below if gap > 0 else above) / critical_value(level, df)
        spread = Gap(gap, error, df)
        tested = Standardised(spread, turn(self.measure), "mover_unpaired", EQUAL_EXPECTED, known)
        return tested.test(alternative)

    def interval(self, level: float) -> Interval:
        gap, (least, most) = self.difference, span(self.measure.range)
        below, above, known = self._recovered(level)
        low, high = max(gap - below, least), min(gap + above, most)
        return limits("mover_unpaired", low, high, level, **known)

    def _recovered(self, level: float) -> tuple[float, float, dict[str, Any]]:
        """How far below and above its value the difference may lie, and by what limits."""
        settings = Settings(level=level, seed=self.settings.seed, draws=self.settings.draws)
        measure, parts = self.measure, (self.first, self.second)
        one, other = (
            interval_by_law(measure, p, Shared.among(settings, p, [measure]), _own_facts(p))
            for p in parts
        )
        values = measure.of(self.first), measure.of(self.second)
        below, above = recovered(values, (one, other))
        if not min(below, above) > 0.0:
            raise NotApplicable(
                f"{measure.title} varies in neither part, so nothing says how the difference "
                "varies."
            )
        df = self._freedom((one, other))
        wider = critical_value(level, df) / critical_value(level)
        known = {"both": one.method, **({"df": df} if np.isfinite(df) else {})}
        return wider * below, wider * above, known

    def _freedom(self, found: tuple[Interval, Interval]) -> float:
        """Welch's degrees of freedom of parts whose limits are a posterior's, else infinite.

        A posterior of few cases takes the spread it has seen for known. (MCC of 80 and 40 cases, a
        fifth positive: .062 of tests at .05 rejected, with these .051.)
        """
        parts = (self.first, self.second)
        if not all(find(str(i.by["name"]), Kind.INTERVAL).posterior for i in found) or any(
            _own_facts(p) for p in parts
        ):
            return np.inf
        moved = [influence(self.measure, Sample.of(p)) for p in parts]
        spreads = [
            ((i.high - i.low) ** 2, freedom_of(m)) for i, m in zip(found, moved, strict=True)
        ]
        return Gap.of_parts(0.0, spreads).df

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


def _own_facts(predictions: Any) -> frozenset[Fact]:
    """What of the data the interval of one part must allow for."""
    return facts_of(predictions) & {Fact.CLUSTERS, Fact.WEIGHTS, Fact.ORDER}


@comparison(
    name="welch",
    title="Welch t",
    words="Welch's t of what every case adds",
    source="welch1947",
    hypothesis=EQUAL_EXPECTED,
    default=[Law.MEAN, Law.CENSORED_PAIRS],
    laws=[Law.SHARE],
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS],
    otherwise="independent",
)
def difference_of_influences(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast | None:
    """Values whose influences are known in closed form, with Welch's degrees of freedom."""
    moved = [_influence(measure, p) for p in (first, second)]
    if moved[0] is None or moved[1] is None:
        return None
    values = [measure.of(p) for p in (first, second)]
    grouped = _grouped(first, second)
    found = _standardised(measure, first, second, values, moved[0], moved[1], grouped)
    if found.gap.error <= MEAN_ROUNDING * max(abs(v) for v in values):
        return Unanswerable(values[0] - values[1], "the cases of neither part show a spread")
    if measure.after is None:
        return found
    return Combined(found, Independent(measure, first, second, settings))


@comparison(
    name="independent",
    title="limits of both parts by MOVER",
    words="the limits that both parts have by themselves",
    source="zou2008",
    hypothesis=EQUAL_EXPECTED,
    default=[Law.BALANCED, Law.UNKNOWN, Law.CALIBRATION, Law.UTILITY],
    laws=tuple(Law),
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS, Fact.ORDER],
)
def difference_of_both_parts(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast:
    """Any measure: each part has limits by itself."""
    weighted = Fact.WEIGHTS in _facts(first, second)
    return Independent(measure, first, second, settings, WEIGHTED if weighted else "")


def _influence(measure: Measure, predictions: Any) -> Floats | None:
    """How much every case moves a measure; None where that is not known in closed form."""
    if measure.law is Law.MEAN and measure.form is Form.LOSSES:
        losses = measure.losses(predictions)
        return (losses - losses.mean()) / predictions.n
    if measure.law is Law.CENSORED_PAIRS:
        found = concordances(measure, [predictions])
        return None if found is None else found.influence[0]
    grouped = predictions.cases.groups is not None
    if grouped and measure.law is Law.SHARE and is_share_right(measure, predictions):
        hits = right(predictions).astype(np.float64)
        return turn(measure) * (hits - hits.mean()) / predictions.n
    return None


def _standardised(
    measure: Measure,
    first: Any,
    second: Any,
    values: list[float],
    one: Floats,
    other: Floats,
    grouped: bool,
) -> Standardised:
    name = "welch" if measure.decomposable or measure.law is Law.SHARE else "jackknife_unpaired"
    difference = values[0] - values[1]
    if measure.after is not None:
        difference = float(measure.losses(first).mean() - measure.losses(second).mean())
    if grouped:
        code = np.unique(
            np.concatenate([p.cases.groups.astype(str) for p in (first, second)]),
            return_inverse=True,
        )[1]
        sums = np.bincount(code, weights=np.concatenate([one, -other]))
        units = len(sums)
        if units < 2:
            raise NotApplicable("a comparison over clusters needs at least two of them.")
        gap = Gap(difference, float(np.sqrt((sums**2).sum() * units / (units - 1))), units - 1.0)
        known: dict[str, Any] = {"clusters": units}
    else:
        gap = Gap.of_parts(difference, [_variance(i) for i in (one, other)])
        known = gap.freedom
    return Standardised(gap, turn(measure), name, EQUAL_EXPECTED, known, span(measure.range))


def _variance(influence: Floats) -> tuple[float, float]:
    """Variance of a value, and its degrees of freedom."""
    n = len(influence)
    if n < 2:
        raise NotApplicable("one case shows no spread.")
    return float((influence**2).sum() * n / (n - 1)), n - 1.0


@comparison(
    name="delong_unpaired",
    title="DeLong, limits by MOVER",
    words="DeLong's test for different cases, with limits by MOVER from those of both areas",
    source=("delong1988", "zou2008"),
    hypothesis=EQUAL_EXPECTED,
    default=[Law.PAIRS],
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS],
    otherwise="independent",
)
def difference_of_unpaired_areas(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast | None:
    """Areas of different cases; clusters that fall into both parts make them depend."""
    try:
        found = [components([p], measure) for p in (first, second)]
    except NotLinear:
        return None
    difference = float(found[0].areas[0] - found[1].areas[0])
    code = _common_clusters(first, second)
    n = [len(f.stratum) for f in found]
    apart = np.zeros((2, sum(n)))
    apart[0, : n[0]], apart[1, n[0] :] = (f.influence[0] for f in found)
    stratum = np.concatenate([found[0].stratum, found[1].stratum + found[0].stratum.max() + 1])
    together = Components(np.array([f.areas[0] for f in found]), apart, stratum, code)
    tested: Contrast
    try:
        spread = np.asarray(sum(part.matrix for part in together.spread(apart)))
        tested = _tested_areas(measure, first, second, together)
        areas = [area_in(f, 0) for f in found]
    except NotApplicable as reason:
        if code is not None:
            return Unanswerable(difference, str(reason))
        spread, tested = np.zeros((2, 2)), Unanswerable(difference, str(reason))
        areas = [area_in(f, 0) for f in found]
    varies = bool(np.trace(spread) > 0.0)
    return AreaContrast(
        tested,
        areas[0],
        areas[1],
        correlation_of(spread),
        found[0].scale,
        turn(measure),
        varies,
    )


def _tested_areas(measure: Measure, first: Any, second: Any, found: Components) -> Standardised:
    """DeLong's test of different cases, with Welch's degrees of freedom as in pROC.

    Of few cases with Satterthwaite's over the classes of both models, as when paired: with 5
    positives of 20 cases each, Welch's over all cases reject .08 at .05.
    """
    gap = found.difference(0, 1)
    if found.groups is not None:
        known: dict[str, Any] = {"clusters": len(np.unique(found.groups)), "unpaired": True}
    else:
        models = (first, second)
        parts = [(float(p.matrix.sum()), p.df) for p in found.spread(found.influence)]
        smallest = [min(n for n in class_sizes(p).tolist() if n > 0) for p in models]
        if min(smallest) >= FEW:
            whole = found.spread(found.influence)
            mine = sum(float(p.matrix[0, 0]) for p in whole)
            theirs = sum(float(p.matrix[1, 1]) for p in whole)
            parts = [(mine, first.n - 1.0), (theirs, second.n - 1.0)]
        at_most = max(sum(smallest) - 2.0, 1.0) if min(smallest) < VERY_FEW else np.inf
        gap = Gap.of_parts(gap.difference, parts, at_most)
        known = {"unpaired": True, **gap.freedom}
    return Standardised(gap, turn(measure), "delong", EQUAL_EXPECTED, known, span(measure.range))


def _common_clusters(first: Any, second: Any) -> Array | None:
    """The cluster of every case of both parts; None where no two cases share one."""
    groups = [p.cases.groups for p in (first, second)]
    if groups[0] is None or groups[1] is None:
        return None
    names = np.concatenate([g.astype(str) for g in groups])
    code = np.unique(names, return_inverse=True)[1]
    return None if code.max() + 1 == len(code) else np.asarray(code)
