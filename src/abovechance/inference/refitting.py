"""Measures of a learner refitted under permuted outcomes, fold by fold or all together."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.learning.from_sklearn import assembled, from_cv
from abovechance.learning.splits import folds_of_each, splitter_of
from abovechance.learning.together import Known, cross_predictions
from abovechance.measures import Measure
from abovechance.measures.evaluation import COUNTING
from abovechance.predictions import Binary, Multiclass, Predictions, checks


@dataclass(frozen=True, eq=False)
class Refits:
    """Measures of a learner refitted under permuted outcomes, as work for blocks."""

    estimator: Any
    X: Any
    y: Array
    cv: Any
    cv_groups: Any
    measures: tuple[Measure, ...]
    pos_label: Any
    seed: int
    scheme: Any

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        orders = self.scheme.draw(rng, size)
        rows = [self.values(self.y[order]) for order in orders]
        return {m.label: np.array([row[m.label] for row in rows]) for m in self.measures}

    def values(self, y: Array) -> dict[str, float]:
        """The mean over folds of each measure when the learner is fitted to these outcomes."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fit to shuffled outcomes often does not converge
            made = from_cv(
                self.estimator,
                self.X,
                y,
                cv=self.cv,
                groups=self.cv_groups,
                pos_label=self.pos_label,
                rng=self.seed,
            )
        return {m.label: over_folds(m, made) for m in self.measures}


@dataclass(frozen=True, eq=False)
class TogetherRefits:
    """The same measures of an estimator that has a fast way, for an outcome of two classes.

    Measures other than those of labels are for estimators that predict probabilities.
    """

    known: Known
    singly: Refits

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return self.values(self.codes[self.singly.scheme.draw(rng, size)])

    def observed(self) -> dict[str, float]:
        """The measures for the outcomes as they are."""
        return {name: float(value[0]) for name, value in self.values(self.codes[None]).items()}

    @property
    def classes(self) -> Array:
        """The two classes, sorted."""
        return np.unique(self.singly.y)

    @property
    def codes(self) -> Ints:
        """Outcomes as numbers 0 and 1 of the sorted classes."""
        return np.searchsorted(self.classes, self.singly.y)

    def values(self, labels: Ints) -> dict[str, Array]:
        """The mean over folds of each measure (B,) for labellings (B, n)."""
        alone = self.singly
        splitter = splitter_of(alone.estimator, alone.cv, alone.y, alone.cv_groups, alone.seed)
        found = {m.label: np.empty(len(labels)) for m in alone.measures}
        for rows, folds in folds_of_each(splitter, alone.X, labels, alone.cv_groups):
            for m, values in zip(alone.measures, self._of(labels[rows], folds), strict=True):
                found[m.label][rows] = values
        return found

    def _of(self, labels: Ints, folds: Ints | None) -> list[Any]:
        measures = self.singly.measures
        if folds is None:  # rows tested twice or never
            each = [self.singly.values(self.classes[row]) for row in labels]
            return [[row[m.label] for row in each] for m in measures]
        predicted = cross_predictions(self.known, labels, folds)
        if all(m.form in COUNTING for m in measures):
            return self._counted(labels, predicted, folds)
        made = [self._assembled(*row) for row in zip(labels, predicted, folds, strict=True)]
        return [[over_folds(m, one) for one in made] for m in measures]

    def _counted(self, labels: Ints, predicted: Floats, folds: Ints) -> list[Floats]:
        """Measures of labels from the confusion tables (B, V, 2, 2) of all folds at once."""
        actual, probability = labels, self.known.kind == "probability"
        if checks.same_label(self.classes[0], self.singly.pos_label):
            actual, predicted = 1 - labels, 1 - predicted if probability else -predicted
        label = (predicted > (0.5 if probability else 0.0)).astype(np.int64)
        count, batch = int(folds.max()) + 1, len(labels)
        cell = ((np.arange(batch)[:, None] * count + folds) * 2 + actual) * 2 + label
        table = np.bincount(cell.ravel(), minlength=batch * count * 4).astype(float)
        table = table.reshape(batch, count, 2, 2)
        return [_over_tables(m, table) for m in self.singly.measures]

    def _assembled(self, labels: Ints, predicted: Floats, folds: Ints) -> Any:
        """One labelling's predictions with probabilities."""
        return assembled(
            None,
            self.classes[labels],
            "probability",
            np.stack([1 - predicted, predicted], axis=1),
            self.singly.pos_label,
            {"fold": folds + 1},
            self.classes,
        )


def _over_tables(measure: Measure, table: Floats) -> Floats:
    """Mean over folds (B,); of all cases together where a fold leaves the measure undefined."""
    values, there = measure.on_counts(table), table.sum(axis=(2, 3)) > 0
    defined = (np.isfinite(values) | ~there).all(axis=1)
    mean = np.where(there, values, 0.0).sum(axis=1) / there.sum(axis=1)
    return np.where(defined, mean, measure.on_counts(table.sum(axis=1)))


def over_folds(measure: Measure, predictions: Predictions) -> float:
    """Mean over folds; of all cases together where a fold leaves the measure undefined."""
    fold = predictions.cases.fold
    assert fold is not None
    if isinstance(predictions, Binary | Multiclass):
        seen = predictions.prevalences > 0
        if seen.sum() < 2:
            return float("nan")
    values = [measure.of(predictions.take(fold == k)) for k in np.unique(fold)]
    return float(np.mean(values)) if np.isfinite(values).all() else measure.of(predictions)
