"""Mergeable summaries of predictions of several classes: a confusion table and sums of losses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.measures.catalogue import find
from abovechance.measures.evaluation import COUNTING
from abovechance.measures.information import _cox_snell, _mcfadden, _nagelkerke
from abovechance.measures.loss_sums import LossSums
from abovechance.measures.measure import Measure
from abovechance.measures.quadratic import _gain
from abovechance.measures.summary import NEEDS_CASES, BinarySummary, Summarised
from abovechance.numerics.binned_ranks import BinnedRanks
from abovechance.numerics.counts import ClassSums, confusion
from abovechance.predictions import Multiclass, View
from abovechance.predictions.base import Cases


@dataclass(frozen=True, eq=False)
class ClassSummary:
    """What is kept of predictions of K classes; `+` joins the summaries of two parts.

    `table` has actual classes in rows and predicted ones in columns; `losses` are by actual class,
    and empty when labels alone were predicted.

    Examples
    --------
    >>> first = ClassSummary.of([], np.array([0, 1, 2]), np.array([0, 1, 1]), 3)
    >>> (first + first).table
    array([[2., 0., 0.],
           [0., 2., 0.],
           [0., 2., 0.]])
    """

    table: Floats
    losses: LossSums

    @classmethod
    def of(
        cls, measures: Sequence[Measure], actual: Ints, prediction: Array, classes: int
    ) -> "ClassSummary":
        """The summary of classes by number and of predictions: labels, or probabilities (K, n)."""
        if prediction.ndim == 1:
            return cls(confusion(actual, prediction, classes), LossSums(np.zeros(classes)))
        onehot = (actual == np.arange(classes)[:, None]).astype(np.float64)
        return cls(
            confusion(actual, prediction.argmax(axis=0), classes),
            LossSums.of(measures, onehot, prediction, actual, classes),
        )

    def __add__(self, other: "ClassSummary") -> "ClassSummary":
        return ClassSummary(self.table + other.table, self.losses + other.losses)


class SummarisedClasses(Multiclass):
    """Predictions of several classes of which only a summary is left."""

    summary: ClassSummary

    def __init__(self, summary: ClassSummary, classes: Sequence[Any]) -> None:
        self._settle(
            summary=summary,
            classes=tuple(classes),
            cases=Cases(),
            origin="test",
            origin_stated=False,
            kept=None,
            notes=(),
            described="",
        )

    @property
    def n(self) -> int:
        return int(self.summary.table.sum())

    @cached_property
    def views(self) -> frozenset[View]:
        if not self.summary.losses.sums:
            return frozenset({View.LABEL})
        return frozenset({View.LABEL, View.SCORE, View.PROBABILITY})

    @cached_property
    def confusion(self) -> Floats:
        return self.summary.table

    @cached_property
    def prevalences(self) -> Floats:
        return np.asarray(self.summary.table.sum(axis=1) / self.n)

    def against_rest(self, label: Any) -> Summarised:
        """One class against all others together, as far as labels go."""
        k = self.classes.index(label)
        tp, fp, fn, tn = (int(c[k]) for c in self.class_counts)
        return Summarised(
            BinarySummary(
                positives=ClassSums(n=tp + fn, called=tp),
                negatives=ClassSums(n=fp + tn, called=fp),
                ranks=BinnedRanks.empty(),
                probabilities=False,
            )
        )

    @property
    def actual(self) -> NoReturn:
        raise NotApplicable(f"this {NEEDS_CASES}.")

    probability = stated_label = label = pair_aucs = actual


def from_classes(measure: Measure, predictions: SummarisedClasses) -> float:
    """The value of a measure; refused with the reason where it needs the cases."""
    losses = predictions.summary.losses
    if measure.label in losses.sums:
        return losses.mean(measure.label)
    if measure.form in COUNTING:
        return measure.of(predictions)
    gain = _GAINS.get(measure.name)
    if gain is None or measure.label != measure.name or "brier" not in losses.sums:
        raise NotApplicable(f"{measure.title} {NEEDS_CASES}.")
    base = find("brier" if measure.name == "scaled_brier" else "log_score")
    base = base.for_outcome("multiclass")
    assert base.reference is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        reference = np.float64(base.reference(predictions, base))
        return float(gain(np.float64(losses.mean(base.label)), reference))


# From a mean loss and that of the class frequencies.
_GAINS: dict[str, Callable[[Any, Any], Any]] = {
    "scaled_brier": _gain,
    "cox_snell_r2": _cox_snell,
    "nagelkerke_r2": _nagelkerke,
    "mcfadden_r2": _mcfadden,
}
