"""The contrast that a measure's law gives: which test, which interval of the difference."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
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
    of_balanced,
    of_conditional_share,
    of_share,
    turn,
)
from abovechance.inference.intervals.concordance import concordance_influence
from abovechance.inference.results import Interval
from abovechance.inference.significance.delong import EQUAL_AREAS, Components, Gap, components
from abovechance.inference.significance.exchange import affordable, as_test, exchanged
from abovechance.measures import Form, Law, Measure, find
from abovechance.predictions import Survival
from abovechance.resampling import Alternative

FEW = 50  # cases in the smaller class below which DeLong's test is referred to Student's t
VERY_FEW = 10  # below which Satterthwaite's degrees of freedom are still too many
ROUNDING = 1e-14  # relative difference of values that is no difference
WEIGHTED = "sampling weights: tests count cases, so there is an interval and no test"
# Functions of a mean loss once the outcomes are given: equal values are equal mean losses.
LOSS_OF = {
    "cox_snell_r2": "log_loss",
    "d2_absolute_error": "mae",
    "mcfadden_r2": "log_loss",
    "nagelkerke_r2": "log_loss",
    "r2": "mse",
    "rae": "mae",
    "rrse": "mse",
    "rse": "mse",
    "scaled_brier": "brier",
}
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
        untested = measure.law in (Law.CALIBRATION, Law.UTILITY)
        weighted = one.cases.sample_weight is not None
        if (untested or weighted) and identical(one, other) and np.isfinite(mine):
            return Alike()  # every sample has difference 0, so this needs neither test nor draws
        if weighted:
            return Resampled(measure, one, other, self.how, WEIGHTED)
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
            return components(self.models, "auc" if measure.name == "somers_d" else measure.name)
        plain = measure.parameters.get("ties", "harrell") == "harrell"
        if measure.law is Law.CENSORED_PAIRS and isinstance(first, Survival) and plain:
            return concordances(measure, self.models)
        return None

    def _area_contrast(self, found: Components, first: int, second: int) -> Contrast:
        gap, ranked = found.difference(first, second), self.measure.law is Law.PAIRS
        sizes = class_sizes(self.models[0]) if ranked else np.array([FEW])
        least = int(sizes[sizes > 0].min())
        if (gap.error == 0 and gap.difference != 0) or least < 2:
            return self._exchanged(self.models[first], self.models[second])
        name = "DeLong" if ranked else "paired infinitesimal jackknife"
        df = np.inf
        if found.groups is not None:
            df = gap.df
            name = "Obuchowski" if ranked else name
            name += f" over {len(np.unique(found.groups))} clusters"
        elif least < FEW:
            df = gap.df if least >= VERY_FEW else min(gap.df, least - 1.0)
        said = f"{name}, t({df:.1f})" if np.isfinite(df) else name
        scale = 2.0 if self.measure.name == "somers_d" else 1.0
        return Standardised(
            Gap(scale * gap.difference, scale * gap.error, df),
            turn(self.measure),
            said,
            EQUAL_AREAS if ranked else "the concordances are equal",
            said,
            span(self.measure.range),
        )


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
        count = affordable(self.measure, self.first.n, self.how.draws)
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
    moved = measure.parameters.get("reference", "prevalence") != "prevalence"
    if measure.name not in LOSS_OF or measure.dialect or several or moved:
        return None
    return find(LOSS_OF[measure.name]).for_outcome(predictions.kind)


def concordances(measure: Measure, models: Sequence[Any]) -> Components:
    """Concordance indices of models and how much each case moves them."""
    values, influence = [], []
    for p in models:
        tau, weight = measure.parameters.get("tau"), None
        if measure.name == "uno_c":
            from abovechance.measures.ipcw import inverse_before

            opening = p.event if tau is None else p.event & (p.time < tau)
            weight = np.where(opening, inverse_before(p), 0.0) ** 2
        value, moved = concordance_influence(p, tau=tau, pair_weight=weight)
        values.append(value)
        influence.append(moved)
    stratum = np.zeros(models[0].n, dtype=np.int64)
    return Components(np.array(values), np.stack(influence), stratum, models[0].cases.groups)
