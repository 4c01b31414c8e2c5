"""Mergeable summaries of predictions: counts, sums and binned ranks, for data larger than memory.

A summary of a part of the data is small, and the sum of two is the summary of both parts, whatever
their order. What can be computed from it is; what needs the cases themselves says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.measures.measure import Measure, Statistic
from abovechance.measures.sample import Sample, evaluate
from abovechance.measures.utility import threshold_of
from abovechance.numerics.binned_ranks import (
    UNIT,
    BinnedRanks,
    Counter,
    Grid,
    RankTotals,
    Stretches,
)
from abovechance.numerics.counts import ClassSums, ProbabilitySums, class_sums
from abovechance.numerics.ranks import Ranked, RankSummary
from abovechance.predictions import Binary, View
from abovechance.predictions.base import Cases
from abovechance.predictions.checks import within_unit

NEEDS_CASES = "needs all cases at once, and a summary of a stream holds none"


@dataclass(frozen=True, eq=False, kw_only=True)
class BinarySummary:
    """What is kept of predictions of two classes; `+` joins the summaries of two parts.

    Attributes
    ----------
    positives, negatives
        Counts and sums over the cases of each class.
    ranks
        Class counts in narrow cells of the score axis.
    threshold
        Cases above it are called positive; None when scores get no labels.
    probabilities
        Whether the scores are probabilities, so that the sums mean something.

    Examples
    --------
    >>> first = BinarySummary.of([0, 1, 1], [0.2, 0.7, 0.4])
    >>> second = BinarySummary.of([1, 0], [0.9, 0.6])
    >>> both = first + second
    >>> both.n, both.confusion.tolist(), both.totals.summary.auc
    (5, [[1.0, 1.0], [1.0, 2.0]], 0.833)
    """

    positives: ClassSums
    negatives: ClassSums
    ranks: BinnedRanks
    threshold: float | None = 0.5
    probabilities: bool = True

    @classmethod
    def of(cls, positive: Any, probability: Any, *, threshold: float = 0.5) -> "BinarySummary":
        """The summary of outcomes (0 or 1) and predicted probabilities."""
        return cls.gather([(np.asarray(positive), np.asarray(probability))], threshold=threshold)

    @classmethod
    def gather(
        cls,
        pieces: Iterable[tuple[Array, Array]],
        *,
        threshold: float | None = 0.5,
        grid: Grid = UNIT,
        probabilities: bool = True,
    ) -> "BinarySummary":
        """The summary of a stream of pieces, each the outcomes and probabilities of some cases.

        With `probabilities=False` the second of a piece are scores, which must lie on the grid.
        """
        counter, positives, negatives = Counter(grid), ClassSums(), ClassSums()
        for outcome, prediction in pieces:
            positive = np.asarray(outcome, dtype=np.bool_)
            score = np.ascontiguousarray(prediction, dtype=np.float64)
            if probabilities:
                more = class_sums(positive, score, np.inf if threshold is None else threshold)
            else:
                more = _counts(positive, score, threshold)
            if more is None:
                within_unit("probability", score)
                raise DataError("probability must not be missing.")
            positives, negatives = positives + more[0], negatives + more[1]
            counter.add(score, positive)
        return cls(
            positives=positives,
            negatives=negatives,
            ranks=counter.ranks,
            threshold=threshold,
            probabilities=probabilities,
        )

    def __add__(self, other: "BinarySummary") -> "BinarySummary":
        if (self.threshold, self.probabilities) != (other.threshold, other.probabilities):
            raise DataError("summaries can be added when they were made alike: same threshold.")
        return replace(
            self,
            positives=self.positives + other.positives,
            negatives=self.negatives + other.negatives,
            ranks=self.ranks + other.ranks,
        )

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.positives.n + self.negatives.n

    @cached_property
    def confusion(self) -> Floats:
        """Counts, rows actual and columns predicted, the positive class second."""
        n1, tp = self.positives.n, self.positives.called
        n0, fp = self.negatives.n, self.negatives.called
        return np.array([[n0 - fp, fp], [n1 - tp, tp]], dtype=np.float64)

    @property
    def totals(self) -> RankTotals:
        """Sums over ranks, with bounds."""
        return self.ranks.totals

    @property
    def sums(self) -> ProbabilitySums:
        """Sums over all cases, as one reading of the cases gives them."""
        both, ranks = self.positives + self.negatives, self.ranks
        return ProbabilitySums(
            n=self.n,
            n_positive=self.positives.n,
            sum_p=both.p,
            sum_p_positive=self.positives.p,
            sum_squares=both.losses,
            sum_log=-np.inf if both.impossible else both.logs,
            impossible=both.impossible,
            tp=self.positives.called,
            fp=self.negatives.called,
            lowest=float(ranks.grid.edge(ranks.cell[0])) if ranks.cell.size else np.inf,
            highest=float(ranks.grid.edge(ranks.cell[-1] + 1)) if ranks.cell.size else -np.inf,
            nans=0,
        )

    def table_from(self, threshold: float) -> Floats | None:
        """Counts with cases at or above a threshold called positive; None if it cuts a cell."""
        ranks = self.ranks
        cell = int(ranks.grid.cell(np.asarray(threshold)))
        if float(ranks.grid.edge(np.asarray(cell))) != threshold:
            return None
        above = ranks.cell >= cell
        tp, fp = int(ranks.positives[above].sum()), int(ranks.negatives[above].sum())
        n1, n0 = self.positives.n, self.negatives.n
        return np.array([[n0 - fp, fp], [n1 - tp, tp]], dtype=np.float64)


class Summarised(Binary):
    """Predictions of two classes of which only a summary is left.

    Measures take it like any other predictions; asking for the cases themselves is refused.
    `stretches` are finer cells than those of the summary, `totals` better known ranks, where
    further readings have given them.
    """

    summary: BinarySummary
    groups: BinnedRanks | Stretches
    totals: RankTotals

    def __init__(
        self,
        summary: BinarySummary,
        *,
        stretches: Stretches | None = None,
        totals: RankTotals | None = None,
        classes: tuple[Any, Any] = (0, 1),
        origin: str = "test",
    ) -> None:
        groups = summary.ranks if stretches is None else stretches
        self._settle(
            summary=summary,
            groups=groups,
            totals=groups.totals if totals is None else totals,
            classes=classes,
            threshold=summary.threshold,
            cases=Cases(),
            origin=origin,
            origin_stated=False,
            kept=None,
            notes=(),
            described="",
        )

    @property
    def n(self) -> int:
        return self.summary.n

    @cached_property
    def views(self) -> frozenset[View]:
        found = {View.SCORE} if self.summary.ranks.cell.size else set()
        found |= {View.PROBABILITY} if self.summary.probabilities else set()
        return frozenset(found if self.threshold is None else {*found, View.LABEL})

    @cached_property
    def confusion(self) -> Floats:
        return self.summary.confusion

    @cached_property
    def prevalences(self) -> Floats:
        positives = self.summary.positives.n / self.n
        return np.array([1.0 - positives, positives])

    @cached_property
    def sums(self) -> ProbabilitySums:
        return self.summary.sums

    @cached_property
    def ranked(self) -> Ranked:
        """Cells as if the cases in each were tied, at places that only say their order."""
        positives = self.groups.positives.astype(np.float64)
        negatives = self.groups.negatives.astype(np.float64)
        return Ranked(np.arange(float(positives.size)), positives, negatives)

    @cached_property
    def rank_summary(self) -> RankSummary:
        return self.totals.summary

    def moved(self, kind: str, mean: float, share: float) -> "Summarised":
        """As if the mean of "losses" or "logs", or the share of positives, were another one."""
        sums = {"losses": {"sum_squares": mean * self.n}, "logs": {"sum_log": mean * self.n}}[kind]
        changed = replace(self.sums, n_positive=share * self.n, **sums)  # type: ignore[arg-type]
        other = Summarised(self.summary, stretches=None, totals=self.totals, classes=self.classes)
        # cached facts that come before those of the summary
        other._settle(sums=changed, prevalences=np.array([1.0 - share, share]))
        return other

    def representative(self, measure: Measure) -> Sample | None:
        """A few weighted cases that have the value of all, where the measure says it may be so.

        Of means of each class two, of decisions at a threshold four; None where there are none.
        """
        summary = self.summary
        if measure.sufficient is Statistic.CLASS_MEANS and summary.probabilities:
            parts = (summary.negatives, summary.positives)
            means = [part.p / part.n if part.n else 0.0 for part in parts]
            return _two_classes([0, 1], means, [part.n for part in parts])
        if measure.sufficient is Statistic.DECISIONS:
            table = summary.table_from(threshold_of(measure))
            if table is not None:
                return _two_classes([0, 0, 1, 1], [0.0, 1.0, 0.0, 1.0], table.ravel())
        return None

    @property
    def labels_stated(self) -> bool:
        return False

    @property
    def positive(self) -> NoReturn:
        raise NotApplicable(f"this {NEEDS_CASES}.")

    probability = score = stated_label = label = positive


def from_summary(measure: Measure, predictions: Summarised) -> float:
    """The value of a measure; refused with the reason where it needs the cases.

    Examples
    --------
    >>> from abovechance.measures import find
    >>> summary = BinarySummary.of([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    >>> from_summary(find("brier"), Summarised(summary))
    0.085
    """
    alike = predictions.representative(measure)
    try:
        return measure.of(predictions) if alike is None else float(evaluate(measure, alike))
    except NotApplicable as reason:
        if NEEDS_CASES not in str(reason):
            raise
        raise NotApplicable(f"{measure.title} {NEEDS_CASES}.") from None


def error_bound(measure: Measure, predictions: Summarised) -> float:
    """By how much a value may be off at most because cells hide the order of the scores."""
    totals = predictions.totals
    if measure.name == "partial_auc":
        # In each cell the curve stays within a rectangle, of which ties take the diagonal.
        most, off = measure.parameters["max_fpr"], predictions.groups.totals.auc_bound
        return off / (2.0 * most - most**2) if measure.parameters["standardised"] else off
    bounds = {
        "auc": totals.auc_bound,
        "somers_d": 2.0 * totals.auc_bound,
        "average_precision": totals.precision_bound,
        "ks": totals.ks_bound,
    }
    return bounds.get(measure.name, 0.0)


def _two_classes(positive: Any, probability: Any, weight: Any) -> Sample:
    columns = {
        "outcome": np.array(positive, dtype=np.bool_),
        "probability": np.array(probability),
        "weight": np.array(weight, dtype=np.float64),
    }
    return Sample(kind="binary", classes=2, columns=columns)


def _counts(
    positive: Bools, score: Floats, threshold: float | None
) -> tuple[ClassSums, ClassSums] | None:
    if not np.isfinite(score).all():
        raise DataError("score must be finite in a stream.")
    called = np.zeros(score.shape, bool) if threshold is None else score > threshold
    return (
        ClassSums(n=int(np.count_nonzero(positive)), called=int((called & positive).sum())),
        ClassSums(n=int(np.count_nonzero(~positive)), called=int((called & ~positive).sum())),
    )
