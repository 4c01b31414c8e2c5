"""Measures of many labellings of two classes at once: fold by fold, then their mean."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.measures import Measure
from abovechance.measures.evaluation import COUNTING
from abovechance.measures.measure import Form, Law
from abovechance.numerics.ranks import Ranked

BATCHED = (*COUNTING, Form.RANKS, Form.LOSSES)
TIED = 1e-9  # probabilities whose log-odds differ by no more differ by rounding


def over_classes(measure: Measure) -> bool:
    """Whether a measure is a mean over classes, and so another one where a class is missing.

    >>> from abovechance.measures import find
    >>> [over_classes(find(name)) for name in ("balanced_accuracy", "accuracy", "sensitivity")]
    [True, False, False]
    """
    averaged = measure.law is Law.BALANCED or measure.average == "macro"
    return averaged or measure.form is Form.PAIR_AUCS


def levelled(probability: Floats) -> Floats:
    """Probabilities (…, n) in which those that differ by rounding only are equal.

    Two roads to one probability end a few last digits apart, and a rank must not depend on the
    road. None is moved to the other side of one half.

    >>> levelled(np.array([0.3, 0.6, 0.3 + 1e-12])) - 0.3
    array([0. , 0.3, 0. ])
    """
    order = np.argsort(probability, axis=-1, kind="stable")
    ordered = np.take_along_axis(probability, order, axis=-1)
    side = np.sign(ordered - 0.5)
    room = TIED * np.minimum(ordered, 1 - ordered)[..., 1:]
    new = np.ones(ordered.shape, dtype=bool)
    new[..., 1:] = (np.diff(ordered, axis=-1) > room) | (np.diff(side, axis=-1) != 0)
    level = np.empty_like(ordered)
    first = _first_of_each(new)
    np.put_along_axis(level, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return level


@dataclass(frozen=True, eq=False)
class FoldedBatch:
    """Which cases are positive (B, n), what was predicted for them and in which of V folds."""

    positive: Ints
    predicted: Floats
    folds: Ints
    threshold: float

    def means(self, measure: Measure) -> Floats:
        """Mean over folds (B,); of all cases together where a fold leaves it undefined.

        A mean over classes is undefined in a fold that lacks one.
        """
        values, there = self._values(measure), self._sizes > 0
        mean = np.where(there, values, 0.0).sum(axis=1) / there.sum(axis=1)
        wanting = ~np.isfinite(values)
        if over_classes(measure):
            positives = self._sums(self.positive.astype(np.float64))
            wanting |= (positives == 0) | (positives == self._sizes)
        undefined = np.asarray((there & wanting).any(axis=1))
        if undefined.any():
            mean[undefined] = self._pooled(undefined)._values(measure)[:, 0]
        return np.asarray(mean)

    def _pooled(self, some: Bools) -> "FoldedBatch":
        """Some labellings with all cases in one fold."""
        positive, predicted = self.positive[some], self.predicted[some]
        return FoldedBatch(positive, predicted, np.zeros_like(positive), self.threshold)

    def _values(self, measure: Measure) -> Floats:
        """The measure in each fold (B, V)."""
        if measure.form in COUNTING:
            return measure.on_counts(self._tables)
        with np.errstate(divide="ignore", invalid="ignore"):
            if measure.form is Form.RANKS:
                found = measure.formula(self._ranked, **measure.parameters)
                found = np.reshape(found, self._sizes.shape)
            else:
                outcome = self.positive.astype(np.float64)
                losses = measure.formula(outcome, self.predicted, **measure.parameters)
                found = self._sums(np.asarray(losses)) / self._sizes
            return np.asarray(found if measure.after is None else measure.after(found))

    @cached_property
    def _cells(self) -> Ints:
        """The number of labelling and fold in one."""
        count = int(self.folds.max()) + 1
        return np.asarray(np.arange(len(self.folds))[:, None] * count + self.folds)

    def _sums(self, values: Floats) -> Floats:
        """Sums over the cases of each fold (B, V)."""
        count = int(self.folds.max()) + 1
        found = np.bincount(self._cells.ravel(), values.ravel(), len(self.folds) * count)
        return found.astype(np.float64).reshape(-1, count)

    @cached_property
    def _sizes(self) -> Floats:
        return self._sums(np.ones(self.folds.shape))

    @cached_property
    def _tables(self) -> Floats:
        """Confusion tables (B, V, 2, 2), rows actual, positive last."""
        label = self.predicted > self.threshold
        cell = (self._cells * 2 + self.positive) * 2 + label
        table = np.bincount(cell.ravel(), minlength=self._sizes.size * 4).astype(float)
        return table.reshape(*self._sizes.shape, 2, 2)

    @cached_property
    def _ranked(self) -> Ranked:
        """Positives and negatives (B V, m) in ascending order, each tie counted at its first."""
        order = np.lexsort((self.predicted, self._cells), axis=-1)
        fold, value, sign = (
            np.take_along_axis(a, order, axis=-1)
            for a in (self._cells, self.predicted, self.positive)
        )
        new = np.ones(order.shape, dtype=bool)
        changes = np.diff(fold, axis=-1) != 0
        new[:, 1:] = changes | (np.diff(value, axis=-1) != 0)
        opens = np.ones(order.shape, dtype=bool)
        opens[:, 1:] = changes
        place = _first_of_each(new) - _first_of_each(opens)
        width = int(self._sizes.max())
        cell = (fold * width + place).ravel()
        positives, negatives = (
            np.bincount(cell, part.ravel(), self._sizes.size * width)
            .astype(np.float64)
            .reshape(self._sizes.size, width)
            for part in (sign, 1 - sign)
        )
        return Ranked(np.arange(width, dtype=np.float64), positives, negatives)


def _first_of_each(new: Bools) -> Ints:
    """For each place the last one, up to it, where something new began."""
    place = np.arange(new.shape[-1])
    return np.maximum.accumulate(np.where(new, place, 0), axis=-1)
