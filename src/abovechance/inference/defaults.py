"""The interval each law gets by default, as groups, weights and sampling change it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.influence import NotLinear, components
from abovechance.inference.intervals import calibration as lines
from abovechance.inference.intervals import tables
from abovechance.inference.intervals.areas import area_in, area_of
from abovechance.inference.intervals.bootstrap import (
    DRAWS,
    clamped,
    from_replicates,
    studentised_mean,
)
from abovechance.inference.intervals.concordance import concordance_influence, jackknife
from abovechance.inference.intervals.effective_counts import Cells
from abovechance.inference.intervals.left_out import (
    EXTREME,
    MOST,
    jackknifed,
    spread_of_clusters,
)
from abovechance.inference.intervals.replicates import replicates
from abovechance.inference.intervals.utility import utility, worth_of
from abovechance.inference.method import (
    Fact,
    Kind,
    Method,
    Takes,
    declared,
    facts_of,
    find,
    first_of,
    interval,
    suited,
)
from abovechance.inference.results import Interval
from abovechance.measures import Calibration, Form, Law, Measure
from abovechance.measures.area_scale import area_scale, concordance_scale
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival


@dataclass(frozen=True)
class Setting:
    """What every interval of one assessment shares: level, draws, seed, one bootstrap run."""

    predictions: Any
    measures: Sequence[Measure]
    level: float = 0.95
    draws: int | None = None
    seed: int = 0
    stratified: bool = False
    needed: set[str] = field(default_factory=set)
    prevalence: float | None = None  # as stated, of classes that were sampled apart
    drawn: dict[Any, Floats] = field(default_factory=dict)  # tables of the posterior
    counted: dict[int, Cells] = field(default_factory=dict)

    def cells(self, predictions: Any) -> Cells:
        """The cases by cell of their confusion table, gathered once."""
        key = id(predictions)
        if key not in self.counted:
            self.counted[key] = Cells.of(predictions)
        return self.counted[key]

    @property
    def bootstrap_draws(self) -> int:
        return DRAWS if self.draws is None else self.draws

    def rng(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(1000, purpose)))

    @cached_property
    def replicates(self) -> dict[str, Floats]:
        """Bootstrap replicates of all measures that need them, from one run of each kind."""
        groups = self.predictions.cases.groups
        wanted = [m for m in self.measures if m.label in self.needed and m.form is not Form.DRAWS]
        inside = [m for m in wanted if (m.prevalence_free or self.stratified) and groups is None]
        across = [m for m in wanted if m not in inside]
        found: dict[str, Floats] = {}
        for purpose, (chosen, stratified) in enumerate(((inside, True), (across, False))):
            if chosen:
                found |= replicates(
                    self.predictions,
                    chosen,
                    self.rng(purpose),
                    self.bootstrap_draws,
                    stratified=stratified,
                    groups=groups,
                )
        return found

    def leaves_out(self, measure: Measure) -> bool:
        """Whether an interval comes from leaving out cases or clusters rather than drawing them.

        Few clusters make few different bootstrap samples, rows of unequal weight hardly better
        ones (percentiles and BCa cover .85 to .93 where this has .92 to .96); of classes sampled
        apart BCa covers .80 to .87. Of many cases, and of quantiles, resamples tell more.
        """
        if not measure.smooth:
            return False
        if self.stratified:
            return self.predictions.n <= 3 * MOST or measure.form is Form.LOSSES
        told = measure.influence is not None and self.predictions.weight is None
        return self.predictions.cases.groups is not None or self.predictions.n <= MOST or told

    def bootstrap(self, measure: Measure) -> Interval:
        """What serves any measure: leaving out cases, else a bootstrap."""
        return chosen_interval(find("left_out", Kind.INTERVAL), measure, self.predictions, self)


def interval_by_law(
    measure: Measure, predictions: Any, setting: Setting, facts: frozenset[Fact] | None = None
) -> Interval:
    """The interval that a measure's law has for such data; unless stated, as sampled at random."""
    if facts is None:
        facts = facts_of(predictions) & {Fact.CLUSTERS, Fact.WEIGHTS}
    first = first_of(Kind.INTERVAL, _law_of(measure, predictions), facts)
    return chosen_interval(first, measure, predictions, setting, facts)


def _law_of(measure: Measure, predictions: Any) -> Law:
    """The law of a measure; of unknown ones of a table that which the formula turns out to have."""
    if measure.law is not Law.UNKNOWN or measure.extreme or not tables.of_table(measure):
        return measure.law
    return tables.law_of(measure, len(predictions.prevalences))


def chosen_interval(
    first: Method,
    measure: Measure,
    predictions: Any,
    setting: Setting,
    facts: frozenset[Fact] = frozenset(),
) -> Interval:
    """The interval of a method, or of what stands in for it where it has none."""
    for method in suited(first, measure, predictions, facts):
        found = limits_of(method, measure, predictions, setting)
        if found is not None:
            return found
    raise NotApplicable(f"{first.worded()} is not for {measure.title}.")


def asked_interval(
    method: Method, measure: Measure, predictions: Any, setting: Setting
) -> Interval:
    """The interval of a method that was asked for by name, and of nothing that stands in for it."""
    method.refuse(predictions)
    if (
        setting.stratified
        and not measure.prevalence_free
        and Fact.CASE_CONTROL not in method.allows
    ):
        raise NotApplicable(
            f"{method.worded()} does not allow for classes sampled separately; leave methods= out."
        )
    found = limits_of(method, measure, predictions, setting)
    if found is None:
        raise NotApplicable(f"{method.worded()} is not for {measure.title}.")
    return found


def limits_of(
    method: Method, measure: Measure, predictions: Any, setting: Setting
) -> Interval | None:
    """What a method's function says, under the method's name unless it has another."""
    assert method.function is not None
    if method.takes is Takes.SHARE:
        return tables.share_by(method, measure, setting.cells(predictions), setting.level)
    found = method.function(measure, predictions, setting)
    if found is None or getattr(found, "by", None):
        return found
    low, high = (found.low, found.high) if isinstance(found, Interval) else found
    return method.limits(low, high, setting.level)


EVERY = tuple(Law)
SAMPLED = (Fact.CLUSTERS, Fact.WEIGHTS, Fact.CASE_CONTROL)


def _told_by_counts(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    """Whether a share is one of a table, or of scores of cases that were sampled at random."""
    return tables.of_table(measure) or Fact.CASE_CONTROL not in facts


@interval(
    name="wilson",
    title="Wilson[ at the effective n{effective}][ over {clusters} clusters]"
    "[, sampling weights{weights}]",
    words="Wilson's score method[ at the effective sample size{effective}]"
    "[ over {clusters} clusters][ under the weights{weights}]",
    source="wilson1927",
    default=[Law.SHARE, Law.CONDITIONAL],
    laws=[Law.BALANCED],
    allows=SAMPLED,
    fits=_told_by_counts,
    otherwise="dirichlet",
)
def of_share(measure: Measure, predictions: Any, setting: Setting) -> Interval | None:
    """Wilson on the cases of the share's denominator, at their effective number."""
    if measure.form is Form.LOSSES:
        bottom, top = measure.range
        score = (measure.losses(predictions) - bottom) / (top - bottom)
        if measure.after is None and ((score >= 0.0) & (score <= 1.0)).all():
            found = tables.of_mean_score(score, predictions, setting.level)
            low, high = (bottom + (top - bottom) * x for x in (found.low, found.high))
            return clamped(measure, replace(found, low=low, high=high))
    return _of_table(measure, predictions, setting, tables.share)


@interval(
    name="mover",
    title="MOVER with Wilson[ over {clusters} clusters][, sampling weights{weights}]",
    words="the MOVER method with Wilson's limits[ over {clusters} clusters]"
    "[ under the weights{weights}]",
    source=("zou2008", "wilson1927"),
    default=[Law.BALANCED],
    allows=SAMPLED,
    otherwise="dirichlet",
)
def of_balanced(measure: Measure, predictions: Any, setting: Setting) -> Interval | None:
    """MOVER with Wilson for two classes, Wilson at the effective number of cases for more."""
    return _of_table(measure, predictions, setting, tables.balanced)


@interval(
    name="dirichlet",
    title="Dirichlet posterior[, Jeffreys{jeffreys}][, one case over all cells{one_case}]"
    "[, effective n{effective}][ over {clusters} clusters][, sampling weights{weights}]",
    words="the Dirichlet posterior[ under Jeffreys' prior{jeffreys}]"
    "[ under a prior worth one case{one_case}][ at the effective sample size{effective}]"
    "[ over {clusters} clusters]",
    source="gelman2013",
    default=[Law.UNKNOWN],
    laws=[Law.SHARE, Law.CONDITIONAL, Law.BALANCED],
    allows=SAMPLED,
    otherwise="left_out",
)
def of_unknown(measure: Measure, predictions: Any, setting: Setting) -> Interval | None:
    """Dirichlet posterior of confusion tables."""
    if measure.extreme:
        raise NotApplicable(EXTREME)
    return _of_table(measure, predictions, setting, None)


def _of_table(
    measure: Measure,
    predictions: Any,
    setting: Setting,
    by_law: Callable[[Measure, Cells, float], Interval | None] | None,
) -> Interval | None:
    """By law, or the posterior; at a stated prevalence from both classes."""
    if not tables.of_table(measure):
        return None
    cells = setting.cells(predictions)
    stream = partial(setting.rng, 6)
    if setting.prevalence is not None and not measure.prevalence_free:
        return tables.at_prevalence(measure, cells, setting.prevalence, setting.level, stream)
    if by_law is None:
        return tables.posterior(measure, cells, setting.level, stream, setting.drawn)
    return by_law(measure, cells, setting.level)


@interval(
    name="newcombe_delong",
    heading="the wider limits of Newcombe and logit DeLong",
    title="Newcombe[ and logit {variance}][ over {clusters} clusters][, binned{binned}]",
    words="[{variance:?}the wider limits of ]Newcombe's method[ and {variance}'s on the logit "
    "scale][ over {clusters} clusters][, binned{binned}]",
    source=("newcombe2006", "[{variance:?}delong1988]", "[{clusters:?}obuchowski1997]"),
    default=[Law.PAIRS],
    allows=SAMPLED,
    otherwise="left_out",
)
def of_pairs(measure: Measure, predictions: Any, setting: Setting) -> Interval | None:
    """Newcombe's and logit DeLong's limits, the wider on each side; of several classes too.

    Every measure that is linear in areas has them on its own scale; others are bootstrapped.
    Weighted cases count as many as would tell as much.
    """
    try:
        if isinstance(predictions, Binary) and predictions.weight is None:
            area = area_of(predictions)
            scale = area_scale(measure, measure.of(predictions), area.value)
        else:
            found = components([predictions], measure, weighted=True)
            area, scale = area_in(found, 0), found.scale
    except NotLinear:
        scale = None
    if scale is None:
        return None
    found_limits = area.interval(setting.level)
    low, high = scale.limits(found_limits.low, found_limits.high)
    return replace(found_limits, low=low, high=high)


@interval(
    name="jackknife",
    title="infinitesimal jackknife[ over {clusters} clusters], logit scale",
    words="the infinitesimal jackknife[ over {clusters} clusters] on the logit scale",
    source="therneau2015",
    default=[Law.CENSORED_PAIRS],
    allows=[Fact.CLUSTERS],
    otherwise="left_out",
)
def of_censored_pairs(measure: Measure, predictions: Survival, setting: Setting) -> Interval | None:
    """Infinitesimal jackknife on the logit scale."""
    tau, weight = measure.parameters.get("tau"), None
    if measure.pair_weight is not None:
        weight = measure.pair_weight(predictions, **measure.parameters)
    concordance, _ = concordance_influence(predictions, tau=tau, pair_weight=weight)
    scale = concordance_scale(measure, measure.of(predictions), concordance)
    if scale is None:
        return None
    found = jackknife(predictions, confidence_level=setting.level, tau=tau, pair_weight=weight)
    low, high = scale.limits(found.low, found.high)
    return replace(found, low=low, high=high)


def _a_mean(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    if measure.law is Law.MEAN:
        return True
    return measure.calibration is Calibration.DIFFERENCE and _of_the_line(measure, predictions)


@interval(
    name="studentised_bootstrap",
    title="studentised bootstrap[ of {clusters} clusters][, {draws} draws]",
    words="a studentised bootstrap[ of {clusters} clusters][ with {draws} draws]",
    source="efron1993",
    default=[Law.MEAN],
    laws=[Law.CALIBRATION],
    fits=_a_mean,
    otherwise="left_out",
)
def of_mean(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Studentised bootstrap of a mean of independent cases."""
    return studentised_mean(
        measure,
        predictions,
        confidence_level=setting.level,
        draws=setting.bootstrap_draws,
        rng=setting.rng(5),
    )


@interval(
    name="left_out",
    title="jackknife[ over {clusters} clusters][ within classes{strata}], Student's t",
    words="leaving out[{cases:?} each case][ each of {clusters} clusters] in turn"
    "[ within classes{strata}], with Student's t",
    source="efron1993",
    laws=EVERY,
    allows=SAMPLED,
    otherwise="bootstrap",
)
def by_leaving_out(measure: Measure, predictions: Any, setting: Setting) -> Interval | None:
    """Each case or cluster is left out in turn, where that tells more than drawing them."""
    if measure.extreme:
        raise NotApplicable(EXTREME)
    if not setting.leaves_out(measure):
        return None
    strata = setting.predictions.positive if setting.stratified else None
    return jackknifed(measure, setting.predictions, confidence_level=setting.level, strata=strata)


@interval(
    name="bootstrap",
    title="bootstrap[ {kind}][ of counts{counts}][ of {clusters} clusters, Student's t]"
    "[, {draws} draws]",
    words="a[ {kind}] bootstrap[ of counts{counts}][ of {clusters} clusters with Student's t]"
    "[ with {draws} draws]",
    source="efron1987",
    laws=EVERY,
    allows=SAMPLED,
)
def by_bootstrap(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """BCa from the run that all measures share; whole clusters with Student's t."""
    if measure.extreme:
        raise NotApplicable(EXTREME)
    cases, level = setting.predictions, setting.level
    groups = cases.cases.groups
    if measure.label in setting.replicates:
        values = setting.replicates[measure.label]
    else:
        draws = min(setting.bootstrap_draws, 499)
        drawn = replicates(cases, [measure], setting.rng(9), draws, groups=groups)
        values = drawn[measure.label]
    if groups is not None:
        return spread_of_clusters(measure, cases, values, confidence_level=level)
    return from_replicates(measure, cases, values, confidence_level=level)


def _line_of_classes(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return (
        isinstance(predictions, Binary | Multiclass)
        and measure.calibration in (Calibration.LEVEL, Calibration.INTERCEPT, Calibration.SLOPE)
        and _of_the_line(measure, predictions)
    )


@interval(
    name="recalibration",
    title="profile likelihood[, unbounded on one side{unbounded}]",
    words="the profile likelihood[, unbounded on one side{unbounded}]",
    source="venzon1988",
    default=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS],
    fits=_line_of_classes,
    otherwise="observed_expected",
)
def of_recalibration(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Profile likelihood of the recalibration line."""
    aspect = measure.calibration
    parameter = "in_the_large" if aspect is Calibration.LEVEL else str(aspect)
    return lines.recalibration(predictions, parameter, confidence_level=setting.level)


def _ratio_of_classes(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return (
        isinstance(predictions, Binary | Multiclass)
        and measure.calibration is Calibration.RATIO
        and _of_the_line(measure, predictions)
    )


@interval(
    name="observed_expected",
    heading="Student's t on the log scale",
    title="log scale[, t over {cases} cases][, t over {clusters} clusters]",
    words="Student's t on the log scale[ over {cases} cases][ over {clusters} clusters]",
    source="cochran1977",
    laws=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS],
    fits=_ratio_of_classes,
    otherwise="linear_calibration",
)
def of_ratio(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Observed to expected outcomes, on the log scale."""
    return lines.observed_expected(predictions, confidence_level=setting.level)


def _line_of_numbers(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return isinstance(predictions, Numeric) and _of_the_line(measure, predictions)


@interval(
    name="linear_calibration",
    title="sandwich[ HC3{cases:?}][ over {clusters} clusters], Student's t",
    words="the sandwich estimate[ HC3{cases:?}][ over {clusters} clusters] with Student's t",
    source=("[{cases:?}mackinnon1985]", "[{clusters:?}bell2002]"),
    laws=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS],
    fits=_line_of_numbers,
    otherwise="observed_expected_at",
)
def of_linear_calibration(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """The line of outcomes on predicted numbers."""
    aspect = str(measure.calibration)
    return lines.linear_calibration(predictions, aspect, confidence_level=setting.level)


def _by_a_time(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return isinstance(predictions, Survival) and _of_the_line(measure, predictions)


@interval(
    name="observed_expected_at",
    title="Greenwood, log scale",
    words="Greenwood's variance on the log scale",
    source="greenwood1926",
    laws=[Law.CALIBRATION],
    allows=[Fact.CLUSTERS],  # to be refused there: nothing stands in for it
    fits=_by_a_time,
    otherwise="studentised_bootstrap",
)
def at_horizon(measure: Measure, predictions: Survival, setting: Setting) -> Interval:
    """Calibration at a time: observed to expected events, or the slope of weighted cases."""
    from abovechance.measures.horizon import at_horizon

    if predictions.weight is not None or predictions.cases.groups is not None:
        raise NotApplicable(f"{measure.title} has an interval for independent cases only.")
    level = setting.level
    known = at_horizon(predictions, measure.parameters["t"])
    if measure.calibration is Calibration.RATIO:
        value = measure.of(predictions)
        return lines.observed_expected_at(predictions, value, known.time, confidence_level=level)
    seen = known.weight > 0
    outcome = known.happened[seen].astype(np.float64)
    return lines.weighted_slope(
        outcome, known.risk[seen], known.weight[seen], confidence_level=level
    )


@interval(
    name="two_shares",
    title="MOVER of the two shares' Wilson limits",
    words="the MOVER method with Wilson's limits of the two shares",
    source=("zou2008", "wilson1927"),
    default=[Law.UTILITY],
    allows=SAMPLED,
    otherwise="left_out",
)
def of_utility(measure: Measure, predictions: Any, setting: Setting) -> Interval | None:
    """MOVER of two shares, else a bootstrap of counts; over clusters each left out in turn."""
    if setting.prevalence is not None and isinstance(predictions, Binary):
        worth, acted = worth_of(measure, predictions)
        cells = Cells.of(predictions, acted)
        stream = partial(setting.rng, 6)
        return tables.at_prevalence(
            measure, cells, setting.prevalence, setting.level, stream, worth
        )
    if predictions.weight is not None:
        return None
    return utility(
        predictions,
        measure,
        confidence_level=setting.level,
        draws=setting.bootstrap_draws,
        rng=setting.rng(7),
    )


STUDENT = declared(
    Kind.INTERVAL,
    name="student",
    title="Student's t[, padded{padded}][ of {clusters} clusters]",
    words="Student's t[ after Bonett and Price{padded}][ of {clusters} clusters]",
    source=("student1908", "[{padded:?}bonett2012]"),
    laws=[Law.MEAN],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    origin=__name__,
)
NORMAL = declared(
    Kind.INTERVAL,
    name="normal",
    title="normal",
    words="the normal approximation",
    source="wald1943",
    laws=[Law.MEAN],
    takes=Takes.PARTS,
    origin=__name__,
)


def _of_the_line(measure: Measure, predictions: Any) -> bool:
    """Whether a measure is the aspect of calibration it declares, not that in other units."""
    from abovechance.measures import applicable

    if measure.calibration is None:
        return False
    known = [m for m in applicable(predictions) if m.calibration is measure.calibration]
    if any(m.formula is measure.formula for m in known):
        return True
    value = measure.of(predictions)
    return any(bool(np.isclose(m.of(predictions), value, rtol=1e-9)) for m in known)


def has_interval(measure: Measure) -> bool:
    """Whether a measure has an interval at all: calibration distances and statistics have not."""
    if measure.law is not Law.CALIBRATION:
        return True
    return measure.calibration not in (None, Calibration.DISTANCE, Calibration.SCORE)


def expanded(predictions: Predictions) -> Predictions:
    """What depends on what, spelled out: a row that stands for k cases becomes k rows.

    Clusters of one case each are no clusters: cases are independent then, and all methods for
    independent cases hold.
    """
    counts = predictions.cases.counts
    if counts is not None:
        rows = np.repeat(np.arange(predictions.n), counts.astype(np.int64))
        predictions = predictions.take(rows).with_cases(counts=None, id=None)
    groups = predictions.cases.groups
    if groups is not None and len(np.unique(groups)) == len(groups):
        predictions = predictions.with_cases(groups=None)
    return predictions


def small_class(predictions: Predictions) -> int:
    """Cases in the smaller class, or all cases."""
    if isinstance(predictions, Binary):
        positives = int(predictions.positive.sum())
        return min(positives, predictions.n - positives)
    if isinstance(predictions, Multiclass):
        return int(np.bincount(predictions.actual, minlength=len(predictions.classes)).min())
    return predictions.n
