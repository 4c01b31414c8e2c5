"""Differences between models, or subgroups, whose cases are not the same."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.comparison.by_law import FEW, VERY_FEW, WEIGHTED, concordances
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
from abovechance.inference.comparison.shares import turn
from abovechance.inference.intervals.proportions import newcombe
from abovechance.inference.intervals.replicates import replicates
from abovechance.inference.results import Interval
from abovechance.inference.significance.counts import fisher_counts
from abovechance.inference.significance.delong import Gap, components
from abovechance.measures import Form, Law, Measure
from abovechance.resampling import Alternative

EQUAL = "both have the same value in the populations the cases come from"


def unpaired(measure: Measure, first: Any, second: Any, how: How) -> Contrast:
    """The contrast of a measure's law for different cases.

    Shares: Newcombe's interval and Fisher's test. Areas: DeLong's variances, concordances the
    infinitesimal jackknife's, means of losses their own, all with Welch's degrees of freedom.
    Others: independent bootstraps. Cases of one cluster that fall into both parts keep their
    dependence: clusters are summed over both.
    """
    values = [measure.of(p) for p in (first, second)]
    if not np.isfinite(values).all():
        if values[0] == values[1]:
            return Alike(infinite=True)
        gap = less(values[0], values[1])
        return Unanswerable(gap, measure.undefined or f"{measure.title} is not finite here")
    if first.cases.sample_weight is not None or second.cases.sample_weight is not None:
        return Independent(measure, first, second, how, WEIGHTED)
    grouped = first.cases.groups is not None and second.cases.groups is not None
    if not grouped:
        counted = _counts(measure, first, second)
        if counted is not None:
            return counted
    moved = [_influence(measure, p) for p in (first, second)]
    if moved[0] is None or moved[1] is None:
        return Independent(measure, first, second, how)
    found = _standardised(measure, first, second, values, moved[0], moved[1], grouped)
    if measure.after is None:
        return found
    return Combined(found, Independent(measure, first, second, how))


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
        from dataclasses import replace

        said = "Fisher's exact test, unpaired"
        return Answer(replace(found, method=said, hypothesis="both shares are equal"))

    def interval(self, level: float) -> Interval:
        found = newcombe(self.x[0], self.n[0], self.x[1], self.n[1], confidence_level=level)
        low, high = sorted((self.turned * found.low, self.turned * found.high))
        return Interval(low, high, level, "Newcombe, unpaired")

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
        name = "Wald with bootstrap standard error, unpaired"
        return Standardised(gap, turn(self.measure), name, EQUAL, name).test(alternative)

    def interval(self, level: float) -> Interval:
        gaps = self._gaps()
        low, high = np.quantile(gaps, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        least, most = span(self.measure.range)
        name = f"bootstrap of both parts, percentile, {len(gaps)} draws, unpaired"
        return Interval(max(float(low), least), min(float(high), most), level, name)

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


def _counts(measure: Measure, first: Any, second: Any) -> TwoShares | None:
    if measure.law is Law.SHARE and measure.name in ("accuracy", "error_rate"):
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


def _influence(measure: Measure, predictions: Any) -> Floats | None:
    """How much every case moves a measure; None where that is not known in closed form."""
    if measure.law is Law.MEAN and measure.form is Form.LOSSES:
        losses = measure.losses(predictions)
        return (losses - losses.mean()) / predictions.n
    if measure.law is Law.PAIRS:
        halved = measure.name == "somers_d"
        moved = components([predictions], "auc" if halved else measure.name).influence[0]
        return 2.0 * moved if halved else moved
    if measure.law is Law.CENSORED_PAIRS and measure.parameters.get("ties") in (None, "harrell"):
        return concordances(measure, [predictions]).influence[0]
    grouped = predictions.cases.groups is not None
    if grouped and measure.law is Law.SHARE and measure.name in ("accuracy", "error_rate"):
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
    names = {Law.PAIRS: "DeLong", Law.CENSORED_PAIRS: "infinitesimal jackknife"}
    name = names.get(measure.law, "Welch t")
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
        said = f"{name} over {units} clusters, unpaired"
    else:
        total, df = _spread(measure, (first, second), (one, other))
        gap = Gap(difference, float(np.sqrt(total)), df)
        said = f"{name}, unpaired, t({df:.1f})"
    return Standardised(gap, turn(measure), said, EQUAL, said, span(measure.range))


def _spread(
    measure: Measure, models: tuple[Any, Any], moved: tuple[Floats, Floats]
) -> tuple[float, float]:
    """Variance of a difference and its degrees of freedom: Welch's, as in pROC.

    Areas of few cases have Satterthwaite's over the classes of both models, as when paired: with
    5 positives of 20 cases each, Welch's over all cases reject .08 at .05.
    """
    parts = [_variances(measure, p, i) for p, i in zip(models, moved, strict=True)]
    total = sum(v for part in parts for v, _ in part)
    whole = [(sum(v for v, _ in part), p.n - 1.0) for part, p in zip(parts, models, strict=True)]
    at_most = np.inf
    if measure.law is Law.PAIRS:
        smallest = [min(n for n in class_sizes(p).tolist() if n > 0) for p in models]
        if min(smallest) < FEW:
            whole = [pair for part in parts for pair in part]
        if min(smallest) < VERY_FEW:
            at_most = max(sum(smallest) - 2.0, 1.0)
    below = sum(v**2 / df for v, df in whole)
    return total, min(total**2 / below if below > 0 else np.inf, at_most)


def _variances(measure: Measure, predictions: Any, influence: Floats) -> list[tuple[float, float]]:
    """Parts of the variance of a value, class by class for areas, with degrees of freedom."""
    stratum: Array = np.zeros(predictions.n, dtype=np.int64)
    if measure.law is Law.PAIRS and measure.name in ("auc", "somers_d"):
        stratum = classes_of(predictions)
    sizes = np.bincount(stratum)
    squares = np.bincount(stratum, weights=influence**2)
    return [
        (float(squares[k] * sizes[k] / (sizes[k] - 1)), float(sizes[k] - 1))
        for k in np.flatnonzero(sizes > 1)
    ]
