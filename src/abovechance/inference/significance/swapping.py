"""Two models whose predictions are exchanged case by case, and what measures say of the result."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.influence import influence
from abovechance.inference.significance.sign_flip import totals
from abovechance.measures import Form, Measure
from abovechance.measures.sample import COUNTING, Sample, evaluate
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import midranks
from abovechance.predictions import View

PARTS = 50  # groups of cases of the jackknife
FEW_PARTS = 20  # where every value is computed by itself
SAME = 1e-9  # relative: a value that a change of scale leaves as it is


@dataclass(frozen=True, eq=False)
class Swapped:
    """Two models on the same cases, for a measure of exchanged predictions."""

    measure: Measure
    first: Sample
    second: Sample

    @cached_property
    def parts(self) -> Array:
        """The group of the jackknife that every case belongs to; clusters stay whole."""
        most = PARTS if self._batched else FEW_PARTS
        groups = self.first.groups
        if groups is not None:
            code = np.unique(groups, return_inverse=True)[1]
            return code % min(most, int(code.max()) + 1)
        order = np.argsort(_sorting(self.first), kind="stable")
        parts = np.empty(len(order), dtype=np.int64)  # every group gets its share of every class
        parts[order] = np.arange(len(order)) % max(2, min(most, len(order) // 2))
        return parts

    def pivots(self, swaps: Bools) -> Floats:
        """The difference over its standard error for every row of exchanged cases."""
        if self.measure.additive:  # the sum of squares is the same for every exchange
            return self.values(swaps) - self.values(~swaps)
        if self.measure.influence is not None and not self._batched and not self._several:
            if worthwhile(len(swaps) * self.first.n):
                import_module("abovechance.numerics.kernels.pair_loops")
            return np.array([self._by_influence(row) for row in swaps])
        if self.parts.max() < 1:
            raise NotApplicable("a standard error needs at least two cases (or clusters).")
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = self._left_out(swaps) - self._left_out(~swaps)
        without, defined = gaps[1:], np.isfinite(gaps[1:])
        count = np.maximum(defined.sum(axis=0), 1)
        centre = np.sum(without, axis=0, where=defined) / count
        squares = np.sum((without - centre) ** 2, axis=0, where=defined)
        return studentised(gaps[0], squares * (count - 1) / count)

    def values(self, swaps: Bools) -> Floats:
        """The measure of the model that has the second's predictions where `swaps` says so."""
        return evaluate(self.measure, self.mixed(swaps))

    def mixed(self, swaps: Bools) -> Sample:
        """The first model's cases with the second's predictions where `swaps` says so."""
        return self.first.swapped(self.second, swaps, self.measure.reads)

    def _by_influence(self, swap: Bools) -> float:
        both = [self.mixed(row) for row in (swap, ~swap)]
        one, other = (float(evaluate(self.measure, sample)) for sample in both)
        moved, as_moved = (influence(self.measure, sample) for sample in both)
        parts = totals(moved - as_moved, self.first.groups)
        return float(studentised(np.asarray(one - other), np.asarray((parts**2).sum())))

    def _left_out(self, swaps: Bools) -> Floats:
        """Values of all cases, then without each of the jackknife's groups: (1 + groups, rows)."""
        mixed = self.mixed(swaps)
        if self.measure.form is Form.RANKS:  # sorted once for all groups
            kept = self._kept.astype(np.float64)
            each = [evaluate(self.measure, row.reweighted(kept)) for row in mixed.rows()]
            return np.stack(each, axis=1)
        return np.stack([evaluate(self.measure, mixed.taken(k)) for k in self._kept])

    @cached_property
    def _kept(self) -> Bools:
        """Which cases are in: all of them, then all but one group each."""
        numbers = np.arange(-1, int(self.parts.max()) + 1)
        return self.parts != numbers[:, None]

    @property
    def _several(self) -> bool:
        return self.first.outputs > 1

    @property
    def _batched(self) -> bool:
        """Whether the formula takes all rows at once."""
        if self.measure.form in COUNTING:
            return True
        one_call = self.measure.form is Form.SAMPLE or self.measure.takes_batches
        return one_call and not self._several


def studentised(gap: Floats, variance: Floats) -> Floats:
    """Differences in standard errors; one without spread is infinite, no difference is zero."""
    floor = 1e-14 * np.maximum(1.0, np.abs(gap))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = gap / np.sqrt(np.maximum(variance, 0.0))
        level = np.where(np.abs(gap) <= floor, 0.0, np.sign(gap) * np.inf)
    return np.where(variance > floor**2, found, np.where(np.isnan(gap), np.nan, level))


def swappable(measure: Measure, first: Any, second: Any) -> Swapped:
    """The two models on a scale on which their predictions can be exchanged."""
    both = [Sample.of(p) for p in (first, second)]
    if measure.form is Form.RANKS:
        return Swapped(measure, *(s.predicting(score=midranks(s.column("score"))) for s in both))
    if measure.reads is View.RISK:
        if measure.form is not Form.CENSORED:
            _refuse(measure)
        t = measure.parameters.get("t")
        ranked = [
            p.replace(risk=midranks(p.risk_by(t)), risk_from_curves=False) for p in (first, second)
        ]
        return Swapped(measure, *map(Sample.of, ranked))
    if measure.reads is View.VALUE:
        for scale in (midranks, _standard):
            moved = [s.predicting(value=scale(s.column("value"))) for s in both]
            if all(_alike(measure, s, m) for s, m in zip(both, moved, strict=True)):
                return Swapped(measure, *moved)
    if measure.reads is View.SCORE and any(s.column("probability") is None for s in both):
        _refuse(measure)
    return Swapped(measure, *both)


def _alike(measure: Measure, sample: Sample, moved: Sample) -> bool:
    """Whether a change of scale leaves a value as it is, as ranks do to rank correlations."""
    before, after = (float(evaluate(measure, s)) for s in (sample, moved))
    return bool(abs(before - after) <= SAME * max(1.0, abs(before)))


def _refuse(measure: Measure) -> None:
    raise NotApplicable(
        f"{measure.title} depends on the scale of the scores, and those of the two models are not "
        "known to be the same; give probabilities, or compare by a rank measure."
    )


def _standard(values: Floats) -> Floats:
    spread = values.std(axis=-1, keepdims=True)
    centred = values - values.mean(axis=-1, keepdims=True)
    return centred / np.where(spread > 0, spread, 1.0)


def _sorting(sample: Sample) -> Array:
    """What groups of the jackknife should hold alike: classes, or events."""
    if sample.strata is not None:
        return sample.strata
    return sample.outcome[1] if sample.kind == "survival" else np.zeros(sample.n)
