"""Permutation with sampling weights, and when it is refused.

A weight may belong to its prediction (cases were sampled by what is known of them beforehand) or
to its outcome. A permutation that leaves weights with predictions holds its level in the first
case only, one that moves them with outcomes in the second only; so both are done and the larger
p-value is given. Weights that are seen to depend on the outcome are refused.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.significance.null import constant_within, outcomes
from abovechance.measures import Measure
from abovechance.measures.evaluation import fit
from abovechance.measures.sample import Sample, evaluate
from abovechance.numerics.ranks import midranks
from abovechance.predictions import Predictions
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
        found: dict[str, Floats] = {}
        for way in WAYS:
            sample = Sample.of(self.predictions).permuted(index, weights=way == "move")
            found |= {key(way, m): evaluate(m, sample) for m in fitted}
        return found


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
