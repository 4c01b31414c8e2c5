"""Permutation with sampling weights, and when it is refused.

A weight may belong to its prediction (cases were sampled by what is known of them beforehand) or
to its outcome. A permutation that leaves weights with predictions holds its level in the first
case only, one that moves them with outcomes in the second only; so both are done and the larger
p-value is given. Weights that are seen to depend on the outcome are refused.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.significance.null import constant_within, outcomes, reordered
from abovechance.measures import Form, Measure
from abovechance.measures.evaluation import COUNTING, fit
from abovechance.numerics.counts import weighted_mean
from abovechance.numerics.ranks import midranks
from abovechance.predictions import Binary, Numeric, Predictions, View
from abovechance.resampling import WholeBlocks

LEVEL = 0.05  # of each of two tests, of the weights' places and of their spread
PARTS = 5  # into which numbers and times are cut, so that no shape of dependence is missed
NOT_BOTH = "weights may depend on one of them, not on both"
WAYS = ("stay", "move")  # what weights do when outcomes are permuted
REFUSED = (
    "weights depend on the outcome{how}, so outcomes cannot be permuted among the cases: that "
    "would find the weights. Take the weighted value with its bootstrap interval "
    "(intervals.bootstrap), or leave the weights out."
)


@dataclass(frozen=True, eq=False)
class Weighted:
    """Weighted measures with outcomes in other orders, weights staying and moving, as work."""

    predictions: Any
    measures: tuple[Measure, ...]
    scheme: Any

    def __post_init__(self) -> None:
        weight, groups = self.predictions.cases.sample_weight, self.predictions.cases.groups
        if not isinstance(self.scheme, WholeBlocks) or constant_within(weight, groups):
            return
        if len(np.unique(np.unique(groups, return_counts=True)[1])) > 1:
            raise NotApplicable(
                "clusters of different sizes cannot exchange weights that differ within them. "
                "Take the weighted value with its bootstrap interval (intervals.bootstrap)."
            )

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return self.of(self.scheme.draw(rng, size))

    def of(self, index: Array) -> dict[str, Floats]:
        """Values in given orders (draws, n), by what weights do and by label."""
        fitted = [fit(m, self.predictions) for m in self.measures]
        at_once = [m for m in fitted if self._vectorised(m)]
        counting = [m for m in fitted if m.form in COUNTING]
        others = [m for m in fitted if m not in at_once and m not in counting]
        found = {key(way, m): np.empty(len(index)) for way in WAYS for m in others}
        with np.errstate(divide="ignore", invalid="ignore"):
            for way in WAYS:
                found |= {key(way, m): self._of_all(m, index, way) for m in at_once}
                tables = []
                for draw, row in enumerate(index if counting or others else ()):
                    other = self._arranged(row, way)
                    for m in others:
                        found[key(way, m)][draw] = m.of(other)
                    if counting:
                        tables.append(other.confusion)
                found |= {key(way, m): m.on_counts(np.stack(tables)) for m in counting}
        return found

    def _vectorised(self, measure: Measure) -> bool:
        """Whether a formula takes all orders together."""
        if isinstance(self.scheme, WholeBlocks):  # an order may repeat cases
            return False
        if isinstance(self.predictions, Binary):
            return measure.form is Form.LOSSES
        single = len(getattr(self.predictions, "outputs", ())) == 1 and not measure.many_outputs
        return single and measure.form in (Form.LOSSES, Form.SAMPLE)

    def _of_all(self, measure: Measure, index: Array, way: str) -> Floats:
        """Formulas take one row of weights: predictions move where weights go with outcomes."""
        cases, weight = self.predictions, self.predictions.cases.sample_weight
        if isinstance(cases, Numeric):
            outcome, prediction = cases.outcome[0], cases.value[0]
        else:
            outcome = cases.positive.astype(np.float64)
            read = measure.reads is View.PROBABILITY
            prediction = cases.probability if read else cases.ranking
        if way == "stay":
            outcome = outcome[index]
        else:
            prediction = prediction[np.argsort(index, axis=1)]
        if measure.form is Form.LOSSES:
            losses = measure.formula(outcome, prediction, **measure.parameters)
            values = weighted_mean(losses, weight)
        else:
            values = measure.formula(outcome, prediction, weight, **measure.parameters)
        return np.asarray(values if measure.after is None else measure.after(values))

    def _arranged(self, row: Array, way: str) -> Any:
        other = reordered(self.predictions, row)
        if way == "move":
            weight = self.predictions.cases.sample_weight[row]
            other.__dict__["cases"] = replace(other.cases, sample_weight=weight)
        return other


def key(way: str, measure: Measure) -> str:
    """The name of a measure's replicates."""
    return f"{way} {measure.label}"


def refuse_related(predictions: Predictions) -> None:
    """Refuse weights that are seen to depend on the outcome.

    Weights are compared between classes, or between fifths of the outcome, by the rank test of
    Kruskal and Wallis, and their distances from the middle rank likewise. Clusters of constant
    outcome count once; else weights are compared within clusters, as outcomes are permuted.

    References
    ----------
    Kruskal & Wallis (1952); spread: Mood (1954).
    """
    weight = predictions.cases.sample_weight
    if weight is None or np.ptp(weight) == 0:
        return
    weight, observed = _units(weight, outcomes(predictions), predictions.cases.groups)
    if np.ptp(weight) == 0:
        return
    for row in observed:
        part = _parts(row)
        if len(np.unique(part)) < 2:
            continue
        if constant_within(weight, part):
            raise NotApplicable(REFUSED.format(how=" (they are a function of it)"))
        p = min(related(weight, part))
        if p <= LEVEL:
            raise NotApplicable(REFUSED.format(how=f" (p = {p:.2g})"))


def related(weight: Floats, part: Array) -> tuple[float, float]:
    """How probable such different places, and such different spreads, are between parts.

    >>> related(np.array([1.0, 1.2, 1.4, 2.0, 2.2, 2.4]), np.array([0, 0, 0, 1, 1, 1]))
    (0.0495, 1.0)
    """
    rank = midranks(weight)
    return _kruskal_wallis(rank, part), _kruskal_wallis((rank - rank.mean()) ** 2, part)


def _kruskal_wallis(score: Floats, part: Array) -> float:
    """The permutation variance between parts of any scores, as χ²."""
    from scipy.special import chdtrc

    code = np.unique(part, return_inverse=True)[1]
    size = np.bincount(code)
    gap = np.bincount(code, weights=score - score.mean()) / size
    total = ((score - score.mean()) ** 2).sum()
    if total == 0:
        return 1.0
    return float(chdtrc(len(size) - 1, (len(score) - 1) * (size * gap**2).sum() / total))


def _parts(outcome: Array) -> Array:
    """Classes as they are; numbers cut into fifths, ties together."""
    if len(np.unique(outcome)) <= PARTS:
        return outcome
    return np.ceil(midranks(outcome.astype(np.float64)) * PARTS / len(outcome)).astype(np.int64)


def _units(weight: Floats, outcome: Array, groups: Array | None) -> tuple[Floats, Array]:
    """Weights and outcomes of what is permuted: cases, clusters, or cases within clusters."""
    if groups is None:
        return weight, outcome
    code = np.unique(groups, return_inverse=True)[1]
    mean = np.bincount(code, weights=weight) / np.bincount(code)
    if all(constant_within(row, groups) for row in outcome):
        return mean, outcome[:, np.unique(groups, return_index=True)[1]]
    return weight - mean[code], outcome
