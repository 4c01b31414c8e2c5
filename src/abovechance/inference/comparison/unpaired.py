"""Differences between models, or subgroups, whose cases are not the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.comparison.areas import AreaContrast, correlation_of
from abovechance.inference.comparison.by_law import (
    FEW,
    VERY_FEW,
    WEIGHTED,
    asked_for,
    concordances,
)
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
from abovechance.inference.comparison.contributions import (
    class_sizes,
    classes_of,
    of_one_class,
    right,
)
from abovechance.inference.comparison.shares import is_share_right, turn
from abovechance.inference.influence import Components, NotLinear, components
from abovechance.inference.intervals.areas import area_in
from abovechance.inference.intervals.proportions import newcombe
from abovechance.inference.intervals.replicates import replicates
from abovechance.inference.method import (
    Fact,
    Kind,
    Takes,
    answer,
    comparison,
    declared,
    first_of,
    limits,
    suited,
)
from abovechance.inference.results import Interval
from abovechance.inference.significance.counts import fisher_counts
from abovechance.inference.significance.delong import Gap
from abovechance.measures import Form, Law, Measure
from abovechance.resampling import Alternative

EQUAL = "both have the same value in the populations the cases come from"

for _kind in (Kind.TEST, Kind.INTERVAL):
    declared(
        _kind,
        name="welch",
        models=2,
        title="Welch t[ over {clusters} clusters], unpaired[, t({df:.1f})]",
        words=f"Welch's t{'-test' if _kind is Kind.TEST else ''}[ over {{clusters}} clusters]"
        "[ ({df:.1f} degrees of freedom)]",
        source="welch1947",
        hypothesis=EQUAL,
        laws=[Law.MEAN, Law.SHARE],
        needs=[Fact.UNPAIRED],
        allows=[Fact.CLUSTERS],
        takes=Takes.PARTS,
        origin=__name__,
    )
    declared(
        _kind,
        name="jackknife_unpaired",
        models=2,
        title="infinitesimal jackknife[ over {clusters} clusters], unpaired[, t({df:.1f})]",
        words="the infinitesimal jackknife for different cases[ over {clusters} clusters]"
        "[ ({df:.1f} degrees of freedom)]",
        source="therneau2015",
        hypothesis=EQUAL,
        laws=[Law.CENSORED_PAIRS],
        needs=[Fact.UNPAIRED],
        allows=[Fact.CLUSTERS],
        takes=Takes.PARTS,
        origin=__name__,
    )
WALD = declared(
    Kind.TEST,
    name="wald_unpaired",
    models=2,
    title="Wald with bootstrap standard error, unpaired",
    words="Wald's test with bootstrap standard errors for different cases",
    source="efron1993",
    hypothesis=EQUAL,
    laws=tuple(Law),
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    origin=__name__,
)
BOTH = declared(
    Kind.INTERVAL,
    name="bootstrap_unpaired",
    models=2,
    title="bootstrap of both parts, percentile[, {draws} draws], unpaired",
    words="a bootstrap of both parts, by percentiles[, with {draws} draws]",
    source="efron1993",
    laws=tuple(Law),
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS],
    takes=Takes.PARTS,
    origin=__name__,
)


def unpaired(measure: Measure, first: Any, second: Any, how: How) -> Contrast:
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
    chosen = how.chosen.get(measure.label)
    if chosen is not None:
        return asked_for(chosen, measure, first, second, how)
    facts = _facts(first, second)
    for method in suited(first_of(Kind.COMPARISON, measure.law, facts), measure, first, facts):
        assert method.function is not None
        found = method.function(measure, first, second, how)
        if found is not None:
            return cast(Contrast, found)
    raise NotApplicable(f"{measure.title} cannot be compared on such cases.")


def _facts(first: Any, second: Any) -> frozenset[Fact]:
    """Clusters where both have them, weights where one has."""
    facts = {Fact.UNPAIRED}
    if _grouped(first, second):
        facts.add(Fact.CLUSTERS)
    if first.cases.sample_weight is not None or second.cases.sample_weight is not None:
        facts.add(Fact.WEIGHTS)
    return frozenset(facts)


def _grouped(first: Any, second: Any) -> bool:
    return first.cases.groups is not None and second.cases.groups is not None


@dataclass(frozen=True)
class TwoShares:
    """Two shares of different cases: x of n each."""

    x: tuple[int, int]
    n: tuple[int, int]
    turned: float

    @property
    def difference(self) -> float:
        return self.turned * (self.x[0] / self.n[0] - self.x[1] / self.n[1])

    def test(self, alternative: Alternative) -> Answer:
        wrong = [n - x for x, n in zip(self.x, self.n, strict=True)]
        table = [[wrong[1], self.x[1]], [wrong[0], self.x[0]]]
        found = fisher_counts(table, alternative=alternative)
        tested = answer(
            "fisher",
            statistic=found.statistic,
            p_value=found.p_value,
            alternative=alternative,
            hypothesis="both shares are equal",
            unpaired=True,
        )
        return Answer(tested)

    def interval(self, level: float) -> Interval:
        found = newcombe(self.x[0], self.n[0], self.x[1], self.n[1], confidence_level=level)
        low, high = sorted((self.turned * found.low, self.turned * found.high))
        return limits("newcombe", low, high, level, unpaired=True)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


@dataclass(frozen=True, eq=False)
class Independent:
    """A difference with a bootstrap of each part by itself."""

    measure: Measure
    first: Any
    second: Any
    how: How
    reason: str = ""

    @property
    def difference(self) -> float:
        return self.measure.of(self.first) - self.measure.of(self.second)

    def test(self, alternative: Alternative) -> Answer:
        if self.reason:
            raise NotApplicable(self.reason)
        gaps = self._gaps()
        gap = Gap(self.difference, float(gaps.std(ddof=1)), np.inf)
        return Standardised(gap, turn(self.measure), "wald_unpaired", EQUAL, {}).test(alternative)

    def interval(self, level: float) -> Interval:
        gaps = self._gaps()
        low, high = np.quantile(gaps, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        least, most = span(self.measure.range)
        low, high = max(float(low), least), min(float(high), most)
        return limits("bootstrap_unpaired", low, high, level, draws=len(gaps))

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None

    def _gaps(self) -> Floats:
        slow = self.measure.needs_index_draws or self.measure.form is Form.PAIR_AUCS
        size = 499 if slow and self.how.draws is None else self.how.bootstraps
        parts = []
        for number, p in enumerate((self.first, self.second)):
            groups = p.cases.groups
            stratified = self.measure.prevalence_free and groups is None
            drawn = replicates(
                p,
                [self.measure],
                self.how.rng(4 + number),
                size,
                stratified=stratified,
                groups=groups,
            )
            parts.append(drawn[self.measure.label])
        with np.errstate(invalid="ignore"):
            gaps = parts[0] - parts[1]
        kept = gaps[np.isfinite(gaps)]
        if len(kept) < 0.99 * len(gaps):
            raise NotApplicable(
                f"{self.measure.title} is undefined in {len(gaps) - len(kept)} of {len(gaps)} "
                "bootstrap samples."
            )
        return kept


@comparison(
    name="two_shares",
    title="Fisher's exact test, limits by Newcombe",
    words="Fisher's exact test for different cases, with Newcombe's limits",
    source=("fisher1935", "newcombe1998"),
    hypothesis="both shares are equal",
    default=[Law.SHARE, Law.CONDITIONAL],
    needs=[Fact.UNPAIRED],
    otherwise="welch",
)
def of_two_shares(measure: Measure, first: Any, second: Any, how: How) -> TwoShares | None:
    """Shares of different cases, as far as they count cases."""
    if measure.law is Law.SHARE and all(is_share_right(measure, p) for p in (first, second)):
        inside = [np.ones(p.n, dtype=np.bool_) for p in (first, second)]
    elif measure.law is Law.CONDITIONAL:
        counted = of_one_class(measure)
        if counted is None:
            return _predictive(measure, first, second)
        inside = [counted[classes_of(p)] for p in (first, second)]
    else:
        return None
    parts = [(p, rows) for p, rows in zip((first, second), inside, strict=True)]
    x, y = (int(right(p)[rows].sum()) for p, rows in parts)
    n, m = (int(rows.sum()) for _, rows in parts)
    return TwoShares((x, y), (n, m), turn(measure))


def _predictive(measure: Measure, first: Any, second: Any) -> TwoShares:
    """Predictive values of different cases are shares of different denominators."""
    parts = [
        measure.formula(*(c[1] for c in p.class_counts), **measure.parameters)
        for p in (first, second)
    ]
    (x, n), (y, m) = ((int(hits), int(total)) for hits, total in parts)
    if turn(measure) < 0:
        x, y = n - x, m - y
    return TwoShares((x, y), (n, m), turn(measure))


@comparison(
    name="welch",
    title="Welch t",
    words="Welch's t of what every case adds",
    source="welch1947",
    hypothesis=EQUAL,
    default=[Law.MEAN, Law.CENSORED_PAIRS],
    laws=[Law.SHARE],
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS],
    otherwise="independent",
)
def of_influences(measure: Measure, first: Any, second: Any, how: How) -> Contrast | None:
    """Values whose influences are known in closed form, with Welch's degrees of freedom."""
    moved = [_influence(measure, p) for p in (first, second)]
    if moved[0] is None or moved[1] is None:
        return None
    values = [measure.of(p) for p in (first, second)]
    grouped = _grouped(first, second)
    found = _standardised(measure, first, second, values, moved[0], moved[1], grouped)
    if measure.after is None:
        return found
    return Combined(found, Independent(measure, first, second, how))


@comparison(
    name="independent",
    title="bootstrap of both parts",
    words="independent bootstraps of both parts",
    source="efron1993",
    hypothesis=EQUAL,
    default=[Law.BALANCED, Law.UNKNOWN, Law.CALIBRATION, Law.UTILITY],
    laws=tuple(Law),
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS, Fact.WEIGHTS],
)
def of_both_parts(measure: Measure, first: Any, second: Any, how: How) -> Contrast:
    """Any measure: each part is resampled by itself."""
    weighted = Fact.WEIGHTS in _facts(first, second)
    return Independent(measure, first, second, how, WEIGHTED if weighted else "")


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
        total, df = _welch([_variance(i) for i in (one, other)])
        gap = Gap(difference, float(np.sqrt(total)), df)
        known = {"df": df}
    return Standardised(gap, turn(measure), name, EQUAL, known, span(measure.range))


def _variance(influence: Floats) -> tuple[float, float]:
    """Variance of a value, and its degrees of freedom."""
    n = len(influence)
    if n < 2:
        raise NotApplicable("one case shows no spread.")
    return float((influence**2).sum() * n / (n - 1)), n - 1.0


def _welch(parts: Sequence[tuple[float, float]], at_most: float = np.inf) -> tuple[float, float]:
    """The sum of independent variances, with Welch's and Satterthwaite's degrees of freedom."""
    total, below = sum(v for v, _ in parts), sum(v**2 / df for v, df in parts)
    return total, min(total**2 / below if below > 0 else np.inf, at_most)


@comparison(
    name="delong_unpaired",
    title="DeLong, limits by MOVER",
    words="DeLong's test for different cases, with limits by MOVER from those of both areas",
    source=("delong1988", "zou2008"),
    hypothesis=EQUAL,
    default=[Law.PAIRS],
    needs=[Fact.UNPAIRED],
    allows=[Fact.CLUSTERS],
    otherwise="independent",
)
def of_areas(measure: Measure, first: Any, second: Any, how: How) -> Contrast | None:
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
        total, df = _welch(parts, at_most)
        gap = Gap(gap.difference, float(np.sqrt(total)), df)
        known = {"unpaired": True, "df": df}
    return Standardised(gap, turn(measure), "delong", EQUAL, known, span(measure.range))


def _common_clusters(first: Any, second: Any) -> Array | None:
    """The cluster of every case of both parts; None where no two cases share one."""
    groups = [p.cases.groups for p in (first, second)]
    if groups[0] is None or groups[1] is None:
        return None
    names = np.concatenate([g.astype(str) for g in groups])
    code = np.unique(names, return_inverse=True)[1]
    return None if code.max() + 1 == len(code) else np.asarray(code)
