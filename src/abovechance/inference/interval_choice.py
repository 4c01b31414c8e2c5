"""Which interval a measure gets: its law's first, or what stands in for it on such data.

The intervals of each law stand in the law's module; here are those that serve any measure, and
what all intervals of one assessment share.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference import confusion_tables
from abovechance.inference.bootstrap import (
    EXTREME,
    MOST,
    from_replicates,
    jackknifed,
    mean_pivots,
    replicates,
    spread_of_clusters,
)
from abovechance.inference.confusion_tables import Cells
from abovechance.inference.influence import declares_influence
from abovechance.inference.method import (
    Fact,
    Kind,
    Method,
    Takes,
    facts_of,
    find,
    first_of,
    interval,
    suited,
)
from abovechance.inference.results import Interval
from abovechance.inference.unseen_errors import held_value, refuse_without_errors
from abovechance.measures import Form, Law, Measure
from abovechance.measures import find as find_measure
from abovechance.measures.evaluation import obstacle
from abovechance.measures.sample import COUNTING, Sample
from abovechance.predictions import Predictions
from abovechance.predictions.checks import spelled_out
from abovechance.settings import ONE_MODEL, Settings


@dataclass(frozen=True, kw_only=True)
class Shared(Settings):
    """The settings of one assessment, with what all its intervals share: one bootstrap run."""

    predictions: Any  # with the weights that a stated prevalence asks for
    measures: Sequence[Measure] = ()
    needed: set[str] = field(default_factory=set)
    drawn: dict[Any, Floats] = field(default_factory=dict)  # tables of the posterior
    gains: dict[str, Any] = field(default_factory=dict)  # over the uninformative forecast
    counted: dict[int, Cells] = field(default_factory=dict)

    @classmethod
    def among(
        cls, settings: Settings, predictions: Any, measures: Sequence[Measure] = ()
    ) -> "Shared":
        """Shared by the intervals of these measures."""
        own = {one.name: getattr(settings, one.name) for one in fields(Settings)}
        return cls(**own, predictions=predictions, measures=measures)

    @classmethod
    def beside(cls, settings: Settings, predictions: Any, measure: Measure) -> "Shared":
        """For one of several measures that are asked for one after the other, as in a comparison.

        Tables that were drawn for one of them are kept with the predictions until `forget_tables`.
        """
        asked = predictions.derived.get("asked", ())
        found = cls.among(settings, predictions, asked if measure in asked else [measure])
        # tables of independent cases are the same at every level
        counts = measure.form in COUNTING and found.cells(predictions).independent
        key = settings.seed if counts else settings.key
        vars(found)["drawn"] = predictions.once("tables", dict).setdefault(key, {})
        return found

    def at(self, level: float) -> "Shared":
        """The same at another level, with the draws that there are."""
        if level == self.level:
            return self
        other = copy(self)
        vars(other)["level"] = level
        return other

    def cells(self, predictions: Any) -> Cells:
        """The cases by cell of their confusion table, gathered once."""
        key = id(predictions)
        if key not in self.counted:
            self.counted[key] = Cells.of(predictions)
        return self.counted[key]

    @cached_property
    def replicates(self) -> dict[str, Floats]:
        """Bootstrap replicates of all measures that need them, from one run of each kind."""
        groups = self.predictions.cases.groups
        # not those that have limits of their own; whatever fails there is drawn by itself
        wanted = [m for m in self.measures if m.label in self.needed and m.form is not Form.DRAWS]
        wanted = [m for m in wanted if not m.extreme]
        own = (Law.MEAN, Law.PAIRS, Law.CENSORED_PAIRS)
        plain = self.predictions.weight is None and not self.case_control
        wanted = [m for m in wanted if not (plain and m.law in own) and not self.leaves_out(m)]
        inside = [m for m in wanted if (m.prevalence_free or self.case_control) and groups is None]
        across = [m for m in wanted if m not in inside]
        found: dict[str, Floats] = {}
        for purpose, (chosen, stratified) in enumerate(((inside, True), (across, False))):
            if chosen:
                found |= replicates(
                    self.predictions,
                    chosen,
                    self.rng(ONE_MODEL, purpose),
                    self.bootstraps,
                    stratified=stratified,
                    groups=groups,
                )
        return found

    @cached_property
    def mean_pivots(self) -> dict[str, Floats]:
        """Resampled means of losses in their own standard errors, of all measures at once."""
        means = [m for m in self.measures if m.law is Law.MEAN and m.form is Form.LOSSES]
        if self.predictions.weight is not None:
            return {}
        return mean_pivots(
            means,
            self.predictions,
            self.bootstraps,
            self.rng(ONE_MODEL, 5),
            undrawn=self.draws is None,
        )

    def leaves_out(self, measure: Measure) -> bool:
        """Whether an interval comes from leaving out cases or clusters rather than drawing them.

        Few clusters make few different bootstrap samples, rows of unequal weight hardly better
        ones (percentiles and BCa cover .85 to .93 where this has .92 to .96); of classes sampled
        apart BCa covers .80 to .87. Of many cases, and of quantiles, resamples tell more.
        """
        if not measure.smooth:
            return False
        if self.case_control:
            return self.predictions.n <= 3 * MOST or measure.form is Form.LOSSES
        if self.predictions.cases.groups is not None or self.predictions.n <= MOST:
            return True
        return declares_influence(measure, Sample.of(self.predictions))

    def bootstrap(self, measure: Measure) -> Interval:
        """What serves any measure: leaving out cases, else a bootstrap."""
        return chosen_interval(find("left_out", Kind.INTERVAL), measure, self.predictions, self)


def forget_tables(predictions: Any) -> None:
    """Free what `Shared.beside` kept; the limits that were made of it are kept still."""
    predictions.derived.pop("tables", None)


SAME = 1e-9  # relative: losses that rounding alone tells apart


def interval_by_law(
    measure: Measure,
    predictions: Any,
    settings: Shared,
    facts: frozenset[Fact] | None = None,
    value: float | None = None,
) -> Interval:
    """The interval that a measure's law has for such data; unless stated, as sampled at random.

    A law's limits are those of its own quantity: a measure that was declared on another scale is
    resampled. Cases that do not vary at all say nothing about how much others would.
    """
    if facts is None:
        facts = facts_of(predictions) & {Fact.CLUSTERS, Fact.WEIGHTS, Fact.SUMMARY}
    first = first_of(Kind.INTERVAL, _law_of(measure, predictions), facts)
    found = chosen_interval(first, measure, predictions, settings, facts)
    value = measure.of(predictions) if value is None else value
    slack = SLACK * max(1.0, abs(value))
    if np.isfinite(value) and not found.low - slack <= value <= found.high + slack:
        found = settings.bootstrap(measure)
    if not found.low < found.high:
        raise NotApplicable("these cases do not vary, which says nothing of how much others would.")
    if measure.monotone_in and _same_losses(measure, settings.predictions):
        raise NotApplicable("every case has the same loss: the cases show no spread.")
    if Fact.SUMMARY in facts:
        refuse_without_errors(measure, predictions)
        return found
    cases = settings.predictions  # with the weights that a stated prevalence asks for
    return held_value(measure, cases, found, settings.cells)


def _same_losses(measure: Measure, cases: Any) -> bool:
    """Whether the loss that a measure scales is the same for every case.

    What varies then is the reference alone, and tells nothing of how far the predictions may err.
    """
    loss = find_measure(measure.monotone_in).for_outcome(cases.kind)
    if obstacle(loss, cases) is not None:
        return False
    try:
        return bool(cases.once(("same losses", loss), lambda: _alike(loss.losses(cases))))
    except NotApplicable:  # only a summary is left
        return False


def _alike(losses: Floats) -> bool:
    each = np.atleast_2d(losses)
    return bool((np.ptp(each, axis=-1) <= SAME * np.abs(each).max(axis=-1)).all())


def _law_of(measure: Measure, predictions: Any) -> Law:
    """The law of a measure; of unknown ones of a table that which the formula turns out to have."""
    if measure.law is not Law.UNKNOWN or measure.extreme or not confusion_tables.of_table(measure):
        return measure.law
    return confusion_tables.law_of(measure, len(predictions.prevalences))


def chosen_interval(
    first: Method,
    measure: Measure,
    predictions: Any,
    settings: Shared,
    facts: frozenset[Fact] = frozenset(),
) -> Interval:
    """The interval of a method, or of what stands in for it where it has none."""
    for method in suited(first, measure, predictions, facts):
        found = limits_of(method, measure, predictions, settings)
        if found is not None:
            return found
    raise NotApplicable(f"{first.worded()} is not for {measure.title}.")


def requested_interval(
    method: Method, measure: Measure, predictions: Any, settings: Shared
) -> Interval:
    """The interval of a method that was asked for by name, and of nothing that stands in for it."""
    method.refuse(predictions, measure)
    if (
        settings.case_control
        and not measure.prevalence_free
        and Fact.CASE_CONTROL not in method.allows
    ):
        raise NotApplicable(
            f"{method.worded()} does not allow for classes sampled separately; leave methods= out."
        )
    found = limits_of(method, measure, predictions, settings)
    if found is None:
        raise NotApplicable(f"{method.worded()} is not for {measure.title}.")
    return found


def limits_of(
    method: Method, measure: Measure, predictions: Any, settings: Shared
) -> Interval | None:
    """What a method's function says, under the method's name unless it has another."""
    assert method.function is not None
    if method.takes is Takes.SHARE:
        return confusion_tables.share_by(
            method, measure, settings.cells(predictions), settings.level
        )
    found = method.function(measure, predictions, settings)
    if found is None or getattr(found, "by", None):
        return found
    low, high = (found.low, found.high) if isinstance(found, Interval) else found
    value = float(measure.of(predictions))
    slack = SLACK * max(1.0, abs(value))
    if not low - slack <= value <= high + slack:
        raise NotApplicable(
            f"{method.worded()} gave limits {low:g} to {high:g}, which do not hold the value "
            f"{value:g}."
        )
    return method.limits(low, high, settings.level)


EVERY = tuple(Law)
SLOW_DRAWS = 499  # where every bootstrap sample is evaluated by itself
SLACK = 1e-9  # relative: what rounding may put between a value and its own limit
SAMPLED = (Fact.CLUSTERS, Fact.WEIGHTS, Fact.CASE_CONTROL)


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
def by_leaving_out(measure: Measure, predictions: Any, settings: Shared) -> Interval | None:
    """Each case or cluster is left out in turn, where that tells more than drawing them."""
    if measure.extreme:
        raise NotApplicable(EXTREME)
    if not settings.leaves_out(measure):
        return None
    strata = settings.predictions.positive if settings.case_control else None
    return jackknifed(measure, settings.predictions, confidence_level=settings.level, strata=strata)


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
def by_bootstrap(measure: Measure, predictions: Any, settings: Shared) -> Interval:
    """BCa from the run that all measures share; whole clusters with Student's t."""
    if measure.extreme:
        raise NotApplicable(EXTREME)
    cases, level = settings.predictions, settings.level
    groups = cases.cases.groups
    if measure.label in settings.replicates:
        values = settings.replicates[measure.label]
    else:
        draws = settings.bootstraps if settings.draws else SLOW_DRAWS
        drawn = replicates(cases, [measure], settings.rng(ONE_MODEL, 9), draws, groups=groups)
        values = drawn[measure.label]
    if groups is not None:
        return spread_of_clusters(measure, cases, values, confidence_level=level)
    return from_replicates(measure, cases, values, confidence_level=level)


def one_run(predictions: Predictions) -> Predictions:
    """Each case once: the first run of those that were repeated."""
    repeat = predictions.cases.repeat
    if repeat is None:
        return predictions
    found: Predictions = predictions.once("one run", lambda: predictions.take(repeat == repeat[0]))
    return found


def expanded(predictions: Predictions) -> Predictions:
    """What depends on what, spelled out: a row that stands for k cases becomes k rows.

    Clusters of one case each are no clusters: cases are independent then, and all methods for
    independent cases hold.
    """
    counts = predictions.cases.counts
    if counts is not None:
        predictions = predictions.take(spelled_out(counts)).with_cases(counts=None, id=None)
    groups = predictions.cases.groups
    if groups is not None and len(np.unique(groups)) == len(groups):
        predictions = predictions.with_cases(groups=None)
    return predictions


def small_class(predictions: Predictions) -> int:
    """Cases in the smaller class, or all cases."""
    sample = Sample.of(predictions)
    if not sample.classes:
        return predictions.n
    outcome = np.asarray(sample.outcome, dtype=np.int64)
    return int(np.bincount(outcome, minlength=sample.classes).min())
