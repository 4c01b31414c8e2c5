"""The interval each law gets by default, as groups, weights and sampling change it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.influence import NotLinear, components
from abovechance.inference.intervals import calibration as lines
from abovechance.inference.intervals.areas import area_in, area_of
from abovechance.inference.intervals.bootstrap import (
    DRAWS,
    clamped,
    from_replicates,
    studentised_mean,
)
from abovechance.inference.intervals.clusters import cluster_mean, cluster_ratio
from abovechance.inference.intervals.concordance import concordance_influence, jackknife
from abovechance.inference.intervals.left_out import MOST, jackknifed, spread_of_clusters
from abovechance.inference.intervals.proportions import effective_wilson, mover, wilson
from abovechance.inference.intervals.replicates import replicates
from abovechance.inference.intervals.utility import utility
from abovechance.inference.results import Interval
from abovechance.measures import Calibration, Form, Law, Measure
from abovechance.measures.area_scale import area_scale, concordance_scale
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival

EXTREME = (
    "chance alone makes a largest distance greater than it is, so no limits would hold; compare "
    "it with what chance gives."
)


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
        ones (percentiles and BCa cover .85 to .93 where this has .92 to .96). Classes drawn apart
        are resampled apart; of many cases, and of quantiles, resamples tell more.
        """
        if not measure.smooth or self.stratified:
            return False
        told = measure.influence is not None and self.predictions.weight is None
        return self.predictions.cases.groups is not None or self.predictions.n <= MOST or told

    def bootstrap(self, measure: Measure) -> Interval:
        """Leaving out where that serves, else a BCa interval from the common run."""
        if measure.extreme:
            raise NotApplicable(EXTREME)
        if self.leaves_out(measure):
            return jackknifed(measure, self.predictions, confidence_level=self.level)
        if measure.label in self.replicates:
            values = self.replicates[measure.label]
        else:
            values = replicates(
                self.predictions,
                [measure],
                self.rng(9),
                min(self.bootstrap_draws, 499),
                groups=self.predictions.cases.groups,
            )[measure.label]
        if self.predictions.cases.groups is not None:
            return spread_of_clusters(
                measure, self.predictions, values, confidence_level=self.level
            )
        return from_replicates(measure, self.predictions, values, confidence_level=self.level)


def by_bootstrap(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Resample the cases."""
    return setting.bootstrap(measure)


def of_share(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Wilson on all cases; pooled averages through accuracy, of which they are functions."""
    groups = predictions.cases.groups
    actual = predictions.positive if isinstance(predictions, Binary) else predictions.actual
    right = np.asarray(predictions.label == actual)
    if groups is None:
        found = wilson(float(right.sum()), predictions.n, confidence_level=setting.level)
    else:
        found = cluster_mean(
            right.astype(float), groups, confidence_level=setting.level, bounds=(0.0, 1.0)
        )
    classes = len(predictions.classes)
    ends = sorted(float(_of_accuracy(measure, a, classes)) for a in (found.low, found.high))
    return Interval(ends[0], ends[1], setting.level, found.method)


def of_conditional_share(measure: Measure, predictions: Binary, setting: Setting) -> Interval:
    """Wilson on the share's own denominator."""
    groups = predictions.cases.groups
    if groups is not None:
        return _clustered_share(measure, predictions, setting)
    hits, total = measure.formula(*(c[1] for c in predictions.class_counts))
    return wilson(float(hits), float(total), confidence_level=setting.level)


def of_balanced(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """MOVER with Wilson for two classes, Wilson at the effective number of cases for more."""
    if predictions.cases.groups is not None:
        return setting.bootstrap(measure)
    if measure.parameters.get("weight") is not None:
        weights = (1.0 - measure.parameters["weight"], measure.parameters["weight"])
    else:
        weights = None
    table = predictions.confusion
    right, total = np.diag(table), table.sum(axis=1)
    seen = total > 0
    if len(table) == 2:
        found = mover(right, total, weights=weights, confidence_level=setting.level)
    else:
        found = effective_wilson(right[seen], total[seen], confidence_level=setting.level)
    ends = sorted(_of_balanced_accuracy(measure, x) for x in (found.low, found.high))
    return Interval(ends[0], ends[1], setting.level, found.method)


def of_pairs(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Newcombe's and logit DeLong's limits, the wider on each side; of several classes too.

    Every measure that is linear in areas has them on its own scale; others are bootstrapped.
    """
    try:
        if isinstance(predictions, Binary):
            area = area_of(predictions)
            scale = area_scale(measure, measure.of(predictions), area.value)
        else:
            found = components([predictions], measure)
            area, scale = area_in(found, 0), found.scale
    except NotLinear:
        scale = None
    if scale is None:
        return setting.bootstrap(measure)
    limits = area.interval(setting.level)
    return Interval(*scale.limits(limits.low, limits.high), setting.level, limits.method)


def of_censored_pairs(measure: Measure, predictions: Survival, setting: Setting) -> Interval:
    """Infinitesimal jackknife on the logit scale."""
    tau, weight = measure.parameters.get("tau"), None
    if measure.pair_weight is not None:
        weight = measure.pair_weight(predictions, **measure.parameters)
    concordance, _ = concordance_influence(predictions, tau=tau, pair_weight=weight)
    scale = concordance_scale(measure, measure.of(predictions), concordance)
    if scale is None:
        return setting.bootstrap(measure)
    found = jackknife(predictions, confidence_level=setting.level, tau=tau, pair_weight=weight)
    return Interval(*scale.limits(found.low, found.high), setting.level, found.method)


def of_mean(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Studentised bootstrap; over clusters each is left out in turn."""
    groups = predictions.cases.groups
    if groups is None:
        return studentised_mean(
            measure,
            predictions,
            confidence_level=setting.level,
            draws=setting.bootstrap_draws,
            rng=setting.rng(5),
        )
    if not np.isfinite(measure.losses(predictions)).all():
        raise NotApplicable("a mean with infinite losses has no interval.")
    return jackknifed(measure, predictions, confidence_level=setting.level)


def of_unknown(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Dirichlet posterior of 2 × 2 tables; else cases left out in turn, or resampled."""
    independent = predictions.cases.groups is None
    if independent and isinstance(predictions, Binary) and _of_table(measure):
        return _dirichlet(measure, predictions, setting)
    return setting.bootstrap(measure)


def of_calibration(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Profile likelihood of recalibration lines; distances and test statistics have none."""
    if not has_interval(measure):
        raise NotApplicable(f"{measure.title} has no interval: it would not cover a true 0.")
    level, aspect = setting.level, measure.calibration
    if isinstance(predictions, Numeric):
        return lines.linear_calibration(
            predictions, str(measure.calibration), confidence_level=level
        )
    if isinstance(predictions, Survival):
        return _at_horizon(measure, predictions, level)
    if aspect is Calibration.RATIO:
        return lines.observed_expected(predictions, confidence_level=level)
    if aspect is Calibration.DIFFERENCE:
        return of_mean(measure, predictions, setting)
    parameter = "in_the_large" if aspect is Calibration.LEVEL else str(aspect)
    return lines.recalibration(predictions, parameter, confidence_level=level)


def has_interval(measure: Measure) -> bool:
    """Whether a measure has an interval at all: calibration distances and statistics have not."""
    if measure.law is not Law.CALIBRATION:
        return True
    return measure.calibration not in (None, Calibration.DISTANCE, Calibration.SCORE)


def of_utility(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Bootstrap of the counts that decisions depend on; jackknife over clusters; rows by weight."""
    if predictions.weight is not None:
        return setting.bootstrap(measure)
    return utility(
        predictions,
        measure,
        confidence_level=setting.level,
        draws=setting.bootstrap_draws,
        rng=setting.rng(7),
    )


def _at_horizon(measure: Measure, predictions: Survival, level: float) -> Interval:
    from abovechance.measures.horizon import at_horizon

    if predictions.weight is not None or predictions.cases.groups is not None:
        raise NotApplicable(f"{measure.title} has an interval for independent cases only.")
    known = at_horizon(predictions, measure.parameters["t"])
    if measure.calibration is Calibration.RATIO:
        value = measure.of(predictions)
        return lines.observed_expected_at(predictions, value, known.time, confidence_level=level)
    seen = known.weight > 0
    outcome = known.happened[seen].astype(np.float64)
    return lines.weighted_slope(
        outcome, known.risk[seen], known.weight[seen], confidence_level=level
    )


def _of_table(measure: Measure) -> bool:
    return measure.form in (Form.COUNTS, Form.CLASS_RATIO, Form.CLASS_VALUE)


def _dirichlet(measure: Measure, predictions: Binary, setting: Setting) -> Interval:
    """Equal-tailed limits of the posterior under Jeffreys' prior, half a case per cell."""
    cells = predictions.confusion.ravel() + 0.5
    draws = setting.rng(6).dirichlet(cells, size=20_000).reshape(-1, 2, 2)
    values = measure.on_counts(draws)
    tail = (1.0 - setting.level) / 2.0
    low, high = np.quantile(values, [tail, 1.0 - tail])
    # a value at its best or worst lies beyond equal tails: the limit goes up to it
    value = measure.of(predictions)
    low, high = min(float(low), value), max(float(high), value)
    return clamped(measure, low, high, setting.level, "Dirichlet posterior, Jeffreys")


def _clustered_share(measure: Measure, predictions: Binary, setting: Setting) -> Interval:
    """Ratio of totals over clusters: hits and denominator of every case."""
    label = predictions.label
    assert label is not None
    positive = predictions.positive
    cell = [positive & label, ~positive & label, positive & ~label, ~positive & ~label]
    hits, total = measure.formula(*(c.astype(float) for c in cell))
    return cluster_ratio(
        np.asarray(hits),
        np.asarray(total),
        np.asarray(predictions.cases.groups),
        confidence_level=setting.level,
        bounds=(0.0, 1.0),
    )


def _of_accuracy(measure: Measure, accuracy: float, classes: int) -> Floats:
    """A measure that is a function of accuracy alone, at one accuracy."""
    k = classes
    table = np.full((k, k), (1.0 - accuracy) / (k * (k - 1)))
    np.fill_diagonal(table, accuracy / k)
    return measure.on_counts(table)


def _of_balanced_accuracy(measure: Measure, value: float) -> float:
    """Measures that are linear in balanced accuracy, at one value of it."""
    if measure.name in ("balanced_error_rate", "false_negative_rate_macro"):
        return 1.0 - value
    if measure.name in ("youden_j", "informedness"):
        return 2.0 * value - 1.0
    return value


def expanded(predictions: Predictions) -> Predictions:
    """Frequencies spelled out: a row that stands for k cases becomes k rows."""
    counts = predictions.cases.counts
    if counts is None:
        return predictions
    whole = predictions.take(np.repeat(np.arange(predictions.n), counts.astype(np.int64)))
    from dataclasses import replace

    whole.__dict__["cases"] = replace(whole.cases, counts=None, id=None)
    return whole


def small_class(predictions: Predictions) -> int:
    """Cases in the smaller class, or all cases."""
    if isinstance(predictions, Binary):
        positives = int(predictions.positive.sum())
        return min(positives, predictions.n - positives)
    if isinstance(predictions, Multiclass):
        return int(np.bincount(predictions.actual, minlength=len(predictions.classes)).min())
    return predictions.n
