"""Two models whose predictions are exchanged case by case, and what measures say of the result."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.significance.sign_flip import totals
from abovechance.measures import Form, Measure
from abovechance.measures.correlation import pearson
from abovechance.measures.evaluation import COUNTING
from abovechance.numerics.censoring import concordance_by_case
from abovechance.numerics.counts import confusion
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import midranks
from abovechance.predictions import Binary, Multiclass, Numeric, Survival, View

PARTS = 50  # groups of cases of the jackknife
FEW_PARTS = 20  # where every value is computed by itself
ADDITIVE = ("brier_at", "integrated_brier")  # sums over cases: their exchange is a sign flip
SAME = 1e-9  # relative: a value that a change of scale leaves as it is


@dataclass(frozen=True, eq=False)
class Swapped:
    """Two models on the same cases, for a measure of exchanged predictions."""

    measure: Measure
    first: Any
    second: Any

    @cached_property
    def parts(self) -> Array:
        """The group of the jackknife that every case belongs to; clusters stay whole."""
        most = PARTS if self._batched else FEW_PARTS
        groups = self.first.cases.groups
        if groups is not None:
            code = np.unique(groups, return_inverse=True)[1]
            return code % min(most, int(code.max()) + 1)
        order = np.argsort(_sorting(self.first), kind="stable")
        parts = np.empty(len(order), dtype=np.int64)  # every group gets its share of every class
        parts[order] = np.arange(len(order)) % max(2, min(most, len(order) // 2))
        return parts

    def pivots(self, swaps: Bools) -> Floats:
        """The difference over its standard error for every row of exchanged cases."""
        if self.measure.name in ADDITIVE:  # the sum of squares is the same for every exchange
            everyone = np.arange(self.first.n)
            return self._of(swaps, everyone) - self._of(~swaps, everyone)
        if self.measure.name == "kendall" and not self._several:
            if worthwhile(len(swaps) * self.first.n):
                import_module("abovechance.numerics.kernels.pair_loops")
            return np.array([self._kendall(row) for row in swaps])
        if self.parts.max() < 1:
            raise NotApplicable("a standard error needs at least two cases (or clusters).")
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = self._values(swaps) - self._values(~swaps)
        without, defined = gaps[1:], np.isfinite(gaps[1:])
        count = np.maximum(defined.sum(axis=0), 1)
        centre = np.sum(without, axis=0, where=defined) / count
        squares = np.sum((without - centre) ** 2, axis=0, where=defined)
        return studentised(gaps[0], squares * (count - 1) / count)

    def _kendall(self, swap: Bools) -> float:
        everyone = np.arange(self.first.n)
        (one, moved), (other, as_moved) = (
            kendall_influence(self._mixed(row, everyone)) for row in (swap, ~swap)
        )
        parts = totals(moved - as_moved, self.first.cases.groups)
        return float(studentised(np.asarray(one - other), np.asarray((parts**2).sum())))

    def _values(self, swaps: Bools) -> Floats:
        """The measure of the model that has the second's predictions where `swaps` says so.

        First of all cases, then without each of the jackknife's groups: (1 + groups, rows).
        """
        if self.measure.form is Form.RANKS:
            kept = self._kept.astype(np.float64)
            everyone = np.arange(self.first.n)
            mixed = (self._mixed(row, everyone) for row in swaps)
            return np.stack([self.measure.batch(p, kept) for p in mixed], axis=1)
        return np.stack([self._of(swaps[:, k], np.flatnonzero(k)) for k in self._kept])

    @cached_property
    def _kept(self) -> Bools:
        """Which cases are in: all of them, then all but one group each."""
        numbers = np.arange(-1, int(self.parts.max()) + 1)
        return self.parts != numbers[:, None]

    def _of(self, swaps: Bools, cases: Array) -> Floats:
        measure, p = self.measure, self.first
        if measure.form in COUNTING:
            label = np.where(swaps, self.second.label[cases], p.label[cases])
            actual = p.positive if isinstance(p, Binary) else p.actual
            table = confusion(actual[cases].astype(np.int64), label.astype(np.int64), self.classes)
            return measure.on_counts(table)
        if self._batched:
            outcome, one, other = self._columns
            mixed = np.where(
                swaps if one.ndim == 1 else swaps[:, None, :], other[..., cases], one[..., cases]
            )
            if measure.name == "spearman":
                return pearson.formula(midranks(outcome[cases]), midranks(mixed), None)
            found = measure.formula(outcome[..., cases], mixed, None, **measure.parameters)
            return np.asarray(found if measure.after is None else measure.after(found))
        return np.array([measure.of(self._mixed(row, cases)) for row in swaps])

    @property
    def classes(self) -> int:
        return len(self.first.classes)

    @property
    def _several(self) -> bool:
        return isinstance(self.first, Numeric) and len(self.first.outputs) > 1

    @property
    def _batched(self) -> bool:
        if self.measure.form in COUNTING:
            return True
        one_call = self.measure.form is Form.SAMPLE or self.measure.name == "spearman"
        return one_call and not self._several

    @cached_property
    def _columns(self) -> tuple[Any, Any, Any]:
        p, q = self.first, self.second
        if isinstance(p, Numeric):
            return p.outcome[0], p.value[0], q.value[0]
        if isinstance(p, Binary):
            return p.positive.astype(np.float64), p.probability, q.probability
        onehot = (p.actual == np.arange(len(p.classes))[:, None]).astype(np.float64)
        return onehot, p.probability, q.probability

    def _mixed(self, swap: Bools, cases: Array) -> Any:
        one, other = self.first.take(cases), self.second.take(cases)
        for name in PREDICTED[type(one)]:
            mine, theirs = getattr(one, name), getattr(other, name)
            both = mine is not None and theirs is not None
            one.__dict__[name] = np.where(swap, theirs, mine) if both else None
        return one


def kendall_influence(predictions: Numeric) -> tuple[float, Floats]:
    r"""Kendall's τ_b and how much every case moves it: the derivative by the case's weight.

    .. math:: \tau_b \left( \frac{n_i}{n} - \frac{a_i}{2a} - \frac{b_i}{2b} \right)

    with n the surplus of rightly ordered pairs, a and b the pairs not tied in outcome and in
    prediction, and the index i for those of case i.
    """
    outcome, value = predictions.outcome[0], predictions.value[0]
    counts = concordance_by_case(-outcome, np.ones(len(outcome), dtype=np.bool_), value)
    surplus = counts.concordant - counts.discordant
    apart = [len(x) - _times(x) for x in (outcome, value)]
    below = np.sqrt(apart[0].sum() * apart[1].sum()) / 2.0
    if below == 0:
        return float("nan"), np.zeros(len(outcome))
    tau = float(surplus.sum() / 2.0 / below)
    ties = apart[0] / apart[0].sum() + apart[1] / apart[1].sum()
    return tau, surplus / below - tau * ties


def _times(values: Floats) -> Array:
    """How many cases have the same value as each, itself included."""
    _, code, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(count[code])


def studentised(gap: Floats, variance: Floats) -> Floats:
    """Differences in standard errors; one without spread is infinite, no difference is zero."""
    floor = 1e-14 * np.maximum(1.0, np.abs(gap))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = gap / np.sqrt(np.maximum(variance, 0.0))
        level = np.where(np.abs(gap) <= floor, 0.0, np.sign(gap) * np.inf)
    return np.where(variance > floor**2, found, np.where(np.isnan(gap), np.nan, level))


PREDICTED: dict[type, tuple[str, ...]] = {
    Binary: ("probability", "score", "stated_label"),
    Multiclass: ("probability", "stated_label"),
    Numeric: ("value",),
    Survival: ("risk", "survival"),
}


def swappable(measure: Measure, first: Any, second: Any) -> Swapped:
    """The two models on a scale on which their predictions can be exchanged."""
    one, other = (_plain(p) for p in (first, second))
    if measure.form is Form.RANKS:
        return Swapped(measure, *(_with(p, score=midranks(p.ranking)) for p in (one, other)))
    if measure.reads is View.RISK:
        if measure.form is not Form.CENSORED:
            _refuse(measure)
        return Swapped(measure, *(_with(p, risk=midranks(p.risk)) for p in (one, other)))
    if isinstance(one, Numeric):
        for scale in (midranks, _standard):
            moved = [_with(p, value=scale(p.value)) for p in (one, other)]
            if all(map(partial(_alike, measure), (one, other), moved)):
                return Swapped(measure, *moved)
    raw = isinstance(one, Binary) and (one.probability is None or other.probability is None)
    if measure.reads is View.SCORE and raw:
        _refuse(measure)
    return Swapped(measure, one, other)


def _alike(measure: Measure, predictions: Any, moved: Any) -> bool:
    """Whether a change of scale leaves a value as it is, as ranks do to rank correlations."""
    with np.errstate(divide="ignore", invalid="ignore"):
        before, after = measure.of(predictions), measure.of(moved)
    return bool(abs(before - after) <= SAME * max(1.0, abs(before)))


def _refuse(measure: Measure) -> None:
    raise NotApplicable(
        f"{measure.title} depends on the scale of the scores, and those of the two models are not "
        "known to be the same; give probabilities, or compare by a rank measure."
    )


def _plain(predictions: Any) -> Any:
    """The same without names and folds, which a measure does not read."""
    copy = predictions.take(slice(None))
    kept = replace(predictions.cases, id=None, fold=None, repeat=None)
    copy.__dict__["cases"] = kept
    return copy


def _with(predictions: Any, **columns: Floats) -> Any:
    copy = predictions.take(slice(None))
    copy.__dict__.update(columns)
    return copy


def _standard(values: Floats) -> Floats:
    spread = values.std(axis=-1, keepdims=True)
    centred = values - values.mean(axis=-1, keepdims=True)
    return centred / np.where(spread > 0, spread, 1.0)


def _sorting(predictions: Any) -> Array:
    if isinstance(predictions, Binary):
        return predictions.positive
    if isinstance(predictions, Multiclass):
        return predictions.actual
    if isinstance(predictions, Survival):
        return predictions.event
    return np.zeros(predictions.n)
