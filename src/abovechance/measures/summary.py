"""Mergeable summaries of predictions, for data larger than memory: counts, sums, binned ranks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.measures.catalogue import find
from abovechance.measures.measure import Form, Measure, Statistic
from abovechance.measures.probability import _cox_snell, _gain, _mcfadden, _nagelkerke
from abovechance.measures.sample import COUNTING, Sample, evaluate
from abovechance.measures.utility import threshold_of
from abovechance.numerics.binned_ranks import (
    UNIT,
    BinnedRanks,
    Counter,
    Grid,
    RankTotals,
    Stretches,
)
from abovechance.numerics.counts import ClassSums, ProbabilitySums, class_sums, confusion
from abovechance.numerics.ranks import Ranked, RankSummary
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, View
from abovechance.predictions.base import Cases
from abovechance.predictions.checks import within_unit

# ----------------------------------------------------------------------------------------------
# Sums of losses, mergeable, for every measure that is a mean of one loss per case.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LossSums:
    """Sums of losses and of their squares by measure and group of cases; `+` joins two parts.

    `cases` counts the cases of each group; every entry of `sums` and `squares` has one sum a group.
    """

    cases: Floats
    sums: Mapping[str, Floats] = field(default_factory=dict)
    squares: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        measures: Sequence[Measure],
        outcome: Floats,
        prediction: Floats,
        group: Array | None = None,
        groups: int = 1,
    ) -> "LossSums":
        """The sums over some cases, by their group if there are any.

        >>> from abovechance.measures import find
        >>> LossSums.of([find("mse")], np.array([1.0, 2.0]), np.array([2.0, 5.0])).mean("mse")
        5.0
        """
        n = outcome.shape[-1]
        code = np.zeros(n, dtype=np.int64) if group is None else group
        sums, squares = {}, {}
        with np.errstate(divide="ignore", invalid="ignore"):
            for m in measures:
                if m.form is Form.LOSSES:
                    losses = np.asarray(m.formula(outcome, prediction, **m.parameters))
                    sums[m.label] = _by_group(code, losses, groups)
                    squares[m.label] = _by_group(code, losses**2, groups)
        return cls(_by_group(code, np.ones(n), groups), sums, squares)

    def __add__(self, other: "LossSums") -> "LossSums":
        with np.errstate(invalid="ignore"):
            return LossSums(
                self.cases + other.cases,
                {name: sums + other.sums[name] for name, sums in self.sums.items()},
                {name: squares + other.squares[name] for name, squares in self.squares.items()},
            )

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.cases.sum())

    def mean(self, label: str) -> float:
        """The mean loss of a measure."""
        return float(self.sums[label].sum() / self.n)

    def error(self, label: str, reference: Any = 0.0) -> float | None:
        """Standard error of the mean loss, or of its difference from one known loss a group."""
        n, known = self.n, np.asarray(reference)
        if n < 2 or not np.isfinite(self.sums[label]).all():
            return None
        mean = float((self.sums[label] - known * self.cases).sum() / n)
        squares = self.squares[label] - 2.0 * known * self.sums[label] + known**2 * self.cases
        return float(np.sqrt(max(float(squares.sum()) / n - mean**2, 0.0) / (n - 1)))


def _by_group(code: Array, losses: Floats, groups: int) -> Floats:
    if groups == 1:
        return np.array([losses.sum()])
    return np.bincount(code, weights=losses, minlength=groups).astype(np.float64)


# ----------------------------------------------------------------------------------------------
# Mergeable summaries of predictions: counts, sums and binned ranks, for data larger than memory.
#
# A summary of a part of the data is small, and the sum of two is the summary of both parts,
# whatever their order. What can be computed from it is; what needs the cases themselves says so.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Mergeable summaries of predictions of several classes: a confusion table and sums of losses.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Mergeable summaries of predicted numbers: means, squares and products, and sums of losses.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberSummary:
    """What is kept of predicted numbers; `+` joins the summaries of two parts.

    `means` and `scatter` are of outcome and error (outcome minus prediction): the sums of squares
    and products are of deviations from the means. Parts are joined by their difference in means,
    so that numbers far from zero lose no digits.

    References
    ----------
    Chan, Golub & LeVeque (1983), eq. 2.1.

    Examples
    --------
    >>> first = NumberSummary.of([], np.array([1.0, 2.0]), np.array([1.5, 2.0]))
    >>> both = first + NumberSummary.of([], np.array([4.0]), np.array([3.0]))
    >>> both.n, both.means.tolist(), both.largest
    (3, [2.333, 0.167], 1.0)
    """

    n: int
    means: Floats
    scatter: Floats
    largest: float
    losses: LossSums

    @classmethod
    def of(cls, measures: Sequence[Measure], outcome: Floats, value: Floats) -> "NumberSummary":
        """The summary of some cases."""
        columns = np.stack([outcome, outcome - value])
        moved = columns - columns[:, :1]  # equal numbers then deviate by exactly nothing
        offset = moved.mean(axis=1, keepdims=True)
        apart = moved - offset
        return cls(
            n=outcome.size,
            means=(columns[:, :1] + offset)[:, 0],
            scatter=apart @ apart.T,
            largest=float(np.abs(columns[1]).max()),
            losses=LossSums.of(measures, outcome, value),
        )

    @classmethod
    def gather(
        cls, measures: Sequence[Measure], pieces: Iterable[tuple[Floats, Floats]]
    ) -> "NumberSummary | None":
        """The summary of a stream of outcomes and predictions; None if there are none."""
        found = None
        for outcome, value in pieces:
            more = cls.of(measures, outcome, value)
            found = more if found is None else found + more
        return found

    def __add__(self, other: "NumberSummary") -> "NumberSummary":
        n, apart = self.n + other.n, other.means - self.means
        return NumberSummary(
            n=n,
            means=self.means + apart * (other.n / n),
            scatter=self.scatter + other.scatter + np.outer(apart, apart) * (self.n * other.n / n),
            largest=max(self.largest, other.largest),
            losses=self.losses + other.losses,
        )

    @property
    def four_points(self) -> tuple[Floats, Floats, Floats]:
        """Outcomes, predictions and weights of four cases with the same n, means and scatter."""
        (a, c), (_, b) = self.scatter / self.n
        along = np.sqrt([a, 0.0]) if a > 0 else np.zeros(2)
        along[1] = c / along[0] if a > 0 else 0.0
        across = np.array([0.0, np.sqrt(max(b - along[1] ** 2, 0.0))])
        steps = np.sqrt(2.0) * np.stack([along, -along, across, -across], axis=1)
        outcome, error = self.means[:, None] + steps
        return outcome, outcome - error, np.full(4, self.n / 4.0)


class SummarisedNumbers(Numeric):
    """Predicted numbers of which only a summary is left."""

    summary: NumberSummary

    def __init__(self, summary: NumberSummary, *, name: str = "output 1") -> None:
        self._settle(
            summary=summary,
            outputs=(name,),
            cases=Cases(),
            origin="test",
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
        return frozenset({View.VALUE})

    @cached_property
    def centre_and_spread(self) -> tuple[Floats, Floats]:
        (y, error), scatter = self.summary.means, self.summary.scatter / self.n
        given = scatter[0, 0] - 2.0 * scatter[0, 1] + scatter[1, 1]
        spread = np.sqrt(np.maximum([[scatter[0, 0]], [given]], 0.0))
        return np.array([[y], [y - error]]), spread

    @property
    def representative(self) -> Sample:
        """Four weighted cases with the means, variances and covariance of all."""
        outcome, value, weight = self.summary.four_points
        columns = {"outcome": outcome[None], "value": value[None], "weight": weight}
        return Sample(kind="numeric", columns=columns)

    @property
    def outcome(self) -> NoReturn:
        raise NotApplicable(f"this {NEEDS_CASES}.")

    value = outcome


def from_numbers(measure: Measure, predictions: SummarisedNumbers) -> float:
    """The value of a measure; refused with the reason where it needs the cases.

    Examples
    --------
    >>> from abovechance.measures import find
    >>> summary = NumberSummary.of([], np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.0, 3.0]))
    >>> from_numbers(find("r2"), SummarisedNumbers(summary))
    0.732
    """
    summary = predictions.summary
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.label in summary.losses.sums:
            found = np.asarray(summary.losses.mean(measure.label))
        elif measure.sufficient is Statistic.MOMENTS:
            return float(evaluate(measure, predictions.representative))
        elif measure.sufficient is Statistic.LARGEST:
            found = np.asarray(summary.largest)
        else:
            raise NotApplicable(f"{measure.title} {NEEDS_CASES}.")
        return float(found if measure.after is None else measure.after(found))


# ----------------------------------------------------------------------------------------------
# Labels of which each row stands for many cases: all there is to know is their table.
# ----------------------------------------------------------------------------------------------


def tabled(predictions: Predictions) -> Summarised | SummarisedClasses | None:
    """The table of predicted labels of independent cases; None of anything else."""
    facts = predictions.cases
    alike = all(x is None for x in (facts.groups, facts.fold, facts.order, facts.sample_weight))
    if predictions.views != {View.LABEL} or not alike or predictions.origin != "test":
        return None
    if isinstance(predictions, Binary):
        return Summarised(of_table(predictions.confusion), classes=predictions.classes)
    if isinstance(predictions, Multiclass):
        losses = LossSums(np.zeros(len(predictions.classes)))
        return SummarisedClasses(ClassSummary(predictions.confusion, losses), predictions.classes)
    return None


def of_table(table: Floats) -> BinarySummary:
    """The summary of a confusion table of two classes, the positive second."""
    (tn, fp), (fn, tp) = table.astype(np.int64).tolist()
    return BinarySummary(
        positives=ClassSums(n=fn + tp, called=tp),
        negatives=ClassSums(n=tn + fp, called=fp),
        ranks=BinnedRanks.empty(),
        probabilities=False,
    )
