"""Two classes, one of them positive."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import DataError, NotApplicable, listed, shown
from abovechance.numerics.counts import (
    ProbabilitySums,
    confusion,
    one_against_rest,
    probability_sums,
)
from abovechance.numerics.ranks import Ranked, RankSummary, rank_summary, tied_groups
from abovechance.predictions import checks
from abovechance.predictions.base import (
    Cases,
    Predictions,
    View,
    gathered,
    settled_facts,
)
from abovechance.predictions.checks import aligned
from abovechance.settings import number_of


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Binary(Predictions):
    """Predictions of an outcome with two classes, one of them positive.

    Parameters
    ----------
    y_true
        Observed classes: 0/1, booleans, or any two labels with `pos_label`.
    probability, score, label
        What was predicted, at least one: the probability of the positive class, a score that
        grows with it, or the class itself.
    pos_label
        The positive class. Needed unless the outcome is coded 0/1; never guessed from spelling.
    labels
        The two declared classes, when one of them might not occur.
    threshold
        A label is positive when the probability lies above it: 0.5 unless stated. Scores get
        labels only when a threshold is stated.

    Raises
    ------
    DataError
        If the values are not what they must be; the message names the row and the remedy.

    See Also
    --------
    Multiclass : more than two classes.
    read : the same from a file or a dataframe.

    Examples
    --------
    >>> Binary(["sick", "well", "sick"], probability=[0.9, 0.2, 0.4], pos_label="sick")
    Binary(3 cases; label, probability, score; origin test)
    """

    kind: ClassVar[str] = "binary"
    case_arrays: ClassVar[tuple[str, ...]] = ("positive", "probability", "score", "stated_label")

    positive: Bools
    probability: Floats | None
    score: Floats | None
    stated_label: Bools | None
    classes: tuple[Any, Any]
    threshold: float | None

    def __init__(
        self,
        y_true: Any,
        *,
        probability: Any = None,
        score: Any = None,
        label: Any = None,
        pos_label: Any = None,
        labels: Any = None,
        threshold: float | None = None,
        id: Any = None,
        fold: Any = None,
        repeat: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        counts: Any = None,
        order: Any = None,
        origin: str | None = None,
        missing: str = "refuse",
    ) -> None:
        if probability is None and score is None and label is None:
            raise DataError("nothing was predicted; give probability=, score= or label=.")
        given = {"outcome": y_true, "probability": probability, "score": score, "label": label}
        facts = (id, fold, repeat, groups, sample_weight, counts, order)
        about = dict(zip(Cases.ARRAYS, facts, strict=True))
        columns, index, notes = aligned({**given, **about})
        if y_true is None:
            raise DataError("y_true must hold what was observed, one value per case; got None.")
        arrays = {k: None if v is None else checks.vector(k, columns[k]) for k, v in given.items()}
        cases = Cases.of(index, columns)
        arrays, cases, kept = gathered(arrays, cases, missing)
        outcome = arrays["outcome"]
        assert outcome is not None
        classes = two_classes(outcome, arrays["label"], pos_label, labels)
        self._settle(
            positive=_is_positive("outcome", outcome, classes),
            probability=_probability(arrays["probability"]),
            score=None if arrays["score"] is None else checks.numbers("score", arrays["score"]),
            stated_label=None
            if arrays["label"] is None
            else _is_positive("label", arrays["label"], classes),
            classes=classes,
            threshold=_threshold(threshold, probability),
            **settled_facts(cases, origin, kept, notes),
        )

    @cached_property
    def n(self) -> int:
        return len(self.positive)

    @property
    def pos_label(self) -> Any:
        """The positive class."""
        return self.classes[1]

    @cached_property
    def views(self) -> frozenset[View]:
        found = set()
        if self.probability is not None:
            found |= {View.PROBABILITY, View.SCORE}
        if self.score is not None:
            found.add(View.SCORE)
        if self.label is not None:
            found.add(View.LABEL)
        return frozenset(found)

    @cached_property
    def label(self) -> Bools | None:
        """Whether each case was predicted positive: as stated, else above the threshold."""
        if self.stated_label is not None:
            return self.stated_label
        basis = self.probability if self.probability is not None else self.score
        return None if basis is None or self.threshold is None else basis > self.threshold

    @property
    def labels_stated(self) -> bool:
        """Whether labels were given rather than made by a threshold."""
        return self.stated_label is not None

    def called(self, factors: Floats) -> Self | None:
        """The same cases called by a model to which each class seems so much more frequent.

        >>> cases = Binary([0, 1], probability=[0.2, 0.4])
        >>> cases.called(np.array([1.0, 2.0])).label
        array([False,  True])
        """
        p, cut = self.probability, 0.5 if self.threshold is None else self.threshold
        if p is None or (self.stated_label is not None and (self.stated_label != (p > cut)).any()):
            return None
        odds = p * factors[1], (1.0 - p) * factors[0]
        return self.replace(
            probability=odds[0] / (odds[0] + odds[1]), stated_label=None, threshold=cut
        )

    @property
    def codes(self) -> Bools:
        return self.positive

    @property
    def happened(self) -> Bools:
        return self.positive

    @property
    def all_columns(self) -> list[Array]:
        return [] if self.ranking is None else [self.positive, self.ranking]

    def uninformed(self) -> Self:
        return self.replace(probability=np.full(self.n, self.prevalences[1]))

    def in_classes_of(self, models: Sequence[Any]) -> Self:
        theirs = models[0].classes  # a positive class is never reinterpreted
        if [str(c) for c in self.classes] != [str(c) for c in theirs]:
            raise DataError(
                "models must agree on the classes and on which is positive; got "
                f"{listed(theirs)} and {listed(self.classes)} (positive last)."
            )
        return self

    def at_prevalence(self, share: float | None) -> Self:
        if share is None:
            return self
        seen = self.prevalences[1]
        if seen in (0.0, 1.0):
            raise NotApplicable("a stated prevalence needs cases of both classes.")
        weight = np.where(self.positive, share / seen, (1 - share) / (1 - seen))
        return self.with_cases(
            sample_weight=weight if self.weight is None else weight * self.weight
        )

    @cached_property
    def ranking(self) -> Floats | None:
        """What orders the cases: the score, else the probability."""
        return self.score if self.score is not None else self.probability

    @cached_property
    def confusion(self) -> Floats:
        """Counts, rows actual and columns predicted, the positive class second."""
        if self.weight is None and self.stated_label is None and self.probability is not None:
            sums = self.sums
            tp, fp, positives = float(sums.tp), float(sums.fp), float(sums.n_positive)
            return np.array([[self.n - positives - fp, fp], [positives - tp, tp]])
        assert self.label is not None
        return confusion(self.positive.view(np.uint8), self.label.view(np.uint8), 2, self.weight)

    @cached_property
    def class_counts(self) -> tuple[Floats, Floats, Floats, Floats]:
        """TP, FP, FN, TN of each class against the other."""
        return one_against_rest(self.confusion)

    @cached_property
    def prevalences(self) -> Floats:
        """Share of each class among the cases."""
        positives = (
            np.count_nonzero(self.positive) / self.n
            if self.weight is None
            else self.weight[self.positive].sum() / self.weight.sum()
        )
        return np.array([1.0 - positives, positives])

    @cached_property
    def sums(self) -> ProbabilitySums:
        """Sums over the cases that the quadratic and information measures need."""
        assert self.probability is not None
        return probability_sums(self.positive, self.probability, self.threshold or 0.0)

    @cached_property
    def ranked(self) -> Ranked:
        """Weight of positives and negatives at each distinct score."""
        assert self.ranking is not None
        return tied_groups(self.ranking, self.positive, self.weight)

    @cached_property
    def rank_summary(self) -> RankSummary:
        """Pair counts and placements from one sort; for cases that count one each."""
        assert self.ranking is not None
        return rank_summary(self.ranking, self.positive)


def two_classes(
    outcome: Array, label: Array | None, pos_label: Any, labels: Any
) -> tuple[Any, Any]:
    """The negative and the positive class, never guessed from spelling."""
    known = None if labels is None else checks.names("labels", labels)
    if known is not None and len(known) != 2:
        raise DataError(f"labels must name two classes; got {listed(known)}.")
    if known is None:
        together = outcome if label is None else checks.stacked(outcome, label)
        if checks.is_zero_one(outcome) and (label is None or checks.is_zero_one(label)):
            known = [False, True] if outcome.dtype.kind == "b" else [0, 1]
        else:
            known = checks.distinct(together)
    if len(known) > 2:
        raise DataError(
            f"two classes are needed; found {len(known)}: {listed(known)}. "
            "Use Multiclass, or choose one class against the rest before building Binary."
        )
    if pos_label is None:
        if [float(k) for k in known if isinstance(k, int | float)] == [0.0, 1.0]:
            return known[0], known[1]
        raise DataError(
            f"pos_label must say which class is positive; the classes are {listed(known)}. "
            f"Pass pos_label={known[-1]!r}, for instance (--positive {known[-1]})."
        )
    rest = [k for k in known if not checks.same_label(k, pos_label)]
    found = [k for k in known if checks.same_label(k, pos_label)]
    if len(rest) > 1:
        raise DataError(f"pos_label must be one of {listed(known)}; got {shown(pos_label)}.")
    return (rest[0] if rest else f"not {pos_label}"), (found[0] if found else pos_label)


def _is_positive(name: str, values: Array, classes: tuple[Any, Any]) -> Bools:
    if values.dtype.kind == "b" and classes == (False, True):
        return values
    if values.dtype.kind in "iu" and classes == (0, 1):
        if values.min() < 0 or values.max() > 1:
            checks.codes(name, values, classes)
        return values.astype(np.bool_)
    return checks.codes(name, values, classes).astype(np.bool_)


def _probability(values: Array | None) -> Floats | None:
    if values is None:
        return None
    probability = checks.numbers("probability", values)
    remedy = " If these are decision scores, pass them as score=."
    checks.within_unit("probability", probability, remedy)
    return probability


def _threshold(threshold: Any, probability: Any) -> float | None:
    if threshold is None:
        return None if probability is None else 0.5
    found = number_of(threshold)
    if found != found:
        raise DataError(f"threshold must be a number; got {shown(threshold)}.")
    return found
