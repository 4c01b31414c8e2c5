"""The interval each law gets by default, as groups, weights and sampling change it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
            return self.predictions.n <= MOST or measure.form is Form.LOSSES
        told = measure.influence is not None and self.predictions.weight is None
        return self.predictions.cases.groups is not None or self.predictions.n <= MOST or told

    def bootstrap(self, measure: Measure) -> Interval:
        """Leaving out where that serves, else a BCa interval from the common run."""
        if measure.extreme:
            raise NotApplicable(EXTREME)
        if self.leaves_out(measure):
            strata = self.predictions.positive if self.stratified else None
            return jackknifed(measure, self.predictions, confidence_level=self.level, strata=strata)
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


def of_share(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Wilson on the cases of the share's denominator, at their effective number."""
    if measure.form is Form.LOSSES:
        bottom, top = measure.range
        score = (measure.losses(predictions) - bottom) / (top - bottom)
        if measure.after is None and ((score >= 0.0) & (score <= 1.0)).all():
            found = tables.of_mean_score(score, predictions, setting.level)
            low, high = (bottom + (top - bottom) * x for x in (found.low, found.high))
            return clamped(measure, low, high, setting.level, found.method)
    return _of_table(measure, predictions, setting, tables.share)


def of_balanced(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """MOVER with Wilson for two classes, Wilson at the effective number of cases for more."""
    return _of_table(measure, predictions, setting, tables.balanced)


def _of_table(
    measure: Measure,
    predictions: Any,
    setting: Setting,
    by_law: Callable[[Measure, Cells, float], Interval | None] | None = None,
) -> Interval:
    """By law where the formula bears it out, else the posterior of a function of the table."""
    if not tables.of_table(measure):
        return setting.bootstrap(measure)
    cells = setting.cells(predictions)
    stream = partial(setting.rng, 6)
    if setting.prevalence is not None and not measure.prevalence_free:
        return tables.at_prevalence(measure, cells, setting.prevalence, setting.level, stream)
    found = None if by_law is None else by_law(measure, cells, setting.level)
    if found is None:
        return tables.posterior(measure, cells, setting.level, stream, setting.drawn)
    return found


def of_pairs(measure: Measure, predictions: Any, setting: Setting) -> Interval:
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
    """Dirichlet posterior of confusion tables; else cases left out in turn, or resampled."""
    if measure.extreme:
        raise NotApplicable(EXTREME)
    if tables.of_table(measure):
        return _of_table(measure, predictions, setting)
    return setting.bootstrap(measure)


def of_calibration(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Profile likelihood of recalibration lines; distances and test statistics have none."""
    if not has_interval(measure):
        raise NotApplicable(f"{measure.title} has no interval: it would not cover a true 0.")
    if not _of_the_line(measure, predictions):
        return setting.bootstrap(measure)
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


def _of_the_line(measure: Measure, predictions: Any) -> bool:
    """Whether a measure is the aspect of calibration it declares, not that in other units."""
    from abovechance.measures import applicable

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


def of_utility(measure: Measure, predictions: Any, setting: Setting) -> Interval:
    """Shares of the counts that decisions depend on; jackknife over clusters; rows by weight."""
    if setting.prevalence is not None and isinstance(predictions, Binary):
        worth, acted = worth_of(measure, predictions)
        cells = Cells.of(predictions, acted)
        stream = partial(setting.rng, 6)
        return tables.at_prevalence(
            measure, cells, setting.prevalence, setting.level, stream, worth
        )
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


def expanded(predictions: Predictions) -> Predictions:
    """What depends on what, spelled out: a row that stands for k cases becomes k rows.

    Clusters of one case each are no clusters: cases are independent then, and all methods for
    independent cases hold.
    """
    from dataclasses import replace

    counts = predictions.cases.counts
    if counts is not None:
        predictions = predictions.take(np.repeat(np.arange(predictions.n), counts.astype(np.int64)))
        predictions.__dict__["cases"] = replace(predictions.cases, counts=None, id=None)
    groups = predictions.cases.groups
    if groups is not None and len(np.unique(groups)) == len(groups):
        predictions = predictions.take(slice(None))
        predictions.__dict__["cases"] = replace(predictions.cases, groups=None)
    return predictions


def small_class(predictions: Predictions) -> int:
    """Cases in the smaller class, or all cases."""
    if isinstance(predictions, Binary):
        positives = int(predictions.positive.sum())
        return min(positives, predictions.n - positives)
    if isinstance(predictions, Multiclass):
        return int(np.bincount(predictions.actual, minlength=len(predictions.classes)).min())
    return predictions.n
