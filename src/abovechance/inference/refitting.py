"""Measures of a learner refitted under permuted outcomes, fold by fold or all together."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.inference.fold_values import (
    BATCHED,
    fold_means,
    labelled,
    levelled,
    over_classes,
)
from abovechance.learning.from_sklearn import assembled, cross_fitted, folds_of_each, splitter_of
from abovechance.learning.sklearn_training import Known, cross_predictions
from abovechance.measures import Measure
from abovechance.predictions import Binary, Multiclass, Predictions, checks


@dataclass(frozen=True, eq=False)
class Refits:
    """Measures of a learner refitted under permuted outcomes, as work for blocks.

    `level` says that probabilities of two classes that differ by rounding only are to be equal.
    """

    estimator: Any
    X: Any
    y: Array
    cv: Any
    cv_groups: Any
    measures: tuple[Measure, ...]
    pos_label: Any
    seed: int
    scheme: Any
    level: bool = False

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        orders = self.scheme.draw(rng, size)
        rows = [self.values(self.y[order]) for order in orders]
        return {m.label: np.array([row[m.label] for row in rows]) for m in self.measures}

    def values(self, y: Array) -> dict[str, float]:
        """The mean over folds of each measure when the learner is fitted to these outcomes."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fit to shuffled outcomes often does not converge
            made = self.predictions(y)
        return {m.label: over_folds(m, made) for m in self.measures}

    def predictions(self, y: Array) -> Predictions:
        """Cross-validated predictions of the learner fitted to these outcomes."""
        found = cross_fitted(
            self.estimator,
            self.X,
            y,
            cv=self.cv,
            groups=self.cv_groups,
            rng=self.seed,
            lone=True,
        )
        if self.level:
            found = found._replace(prediction=_both_classes(levelled(found.prediction[:, 1])))
        return found.assembled(self.pos_label)

    @cached_property
    def splitter(self) -> Any:
        """What makes the folds."""
        return splitter_of(self.estimator, self.cv, self.y, self.cv_groups, self.seed)


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

    def predictions(self) -> Predictions:
        """Predictions for the outcomes as they are."""
        alone = self.singly
        parts = folds_of_each(
            alone.splitter, alone.X, self.codes[None], alone.cv_groups, self._asked
        )
        folds = next(iter(parts))[1]
        assert folds is not None
        predicted = cross_predictions(self.known, self.codes[None], folds)
        return self._assembled(self.codes, predicted[0], folds[0])

    @cached_property
    def classes(self) -> Array:
        """The two classes, sorted."""
        return np.unique(self.singly.y)

    @cached_property
    def codes(self) -> Ints:
        """Outcomes as numbers 0 and 1 of the sorted classes."""
        return np.searchsorted(self.classes, self.singly.y)

    @cached_property
    def _asked(self) -> dict[Any, Ints | None]:
        """What the splitter has answered."""
        return {}

    def values(self, labels: Ints) -> dict[str, Array]:
        """The mean over folds of each measure (B,) for labellings (B, n)."""
        alone = self.singly
        found = {m.label: np.empty(len(labels)) for m in alone.measures}
        parts = folds_of_each(alone.splitter, alone.X, labels, alone.cv_groups, self._asked)
        for rows, folds in parts:
            for m, values in zip(alone.measures, self._of(labels[rows], folds), strict=True):
                found[m.label][rows] = values
        return found

    def _of(self, labels: Ints, folds: Ints | None) -> list[Any]:
        measures = self.singly.measures
        if folds is None:  # rows tested twice or never
            each = [self.singly.values(self.classes[row]) for row in labels]
            return [[row[m.label] for row in each] for m in measures]
        predicted = cross_predictions(self.known, labels, folds)
        probable = self.known.kind == "probability"
        if probable:
            predicted = levelled(predicted)
        made = []
        if any(m.form not in BATCHED for m in measures):
            made = [self._assembled(*row) for row in zip(labels, predicted, folds, strict=True)]
        if checks.same_label(self.classes[0], self.singly.pos_label):
            labels, predicted = 1 - labels, 1 - predicted if probable else -predicted
        sample = labelled(labels, predicted, 0.5 if probable else 0.0).folded(folds)
        return [
            fold_means(m, sample) if m.form in BATCHED else [over_folds(m, one) for one in made]
            for m in measures
        ]

    def _assembled(self, labels: Ints, predicted: Floats, folds: Ints) -> Predictions:
        """One labelling's predictions."""
        kind = self.known.kind
        return assembled(
            None,
            self.classes[labels],
            kind,
            _both_classes(predicted) if kind == "probability" else predicted,
            self.singly.pos_label,
            {"fold": folds + 1},
            self.classes,
        )


@dataclass(frozen=True, eq=False)
class EitherWay:
    """Refits as work for blocks, done together if there is a way to, else one by one.

    The numbers are the same, so a stored run goes on either way.
    """

    singly: Refits
    together: TogetherRefits | None = field(compare=False)

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return (self.together or self.singly)(rng, size)


def _both_classes(second: Floats) -> Floats:
    """Probabilities (n, 2) of both classes from those of the second."""
    return np.stack([1 - second, second], axis=1)


def over_folds(measure: Measure, predictions: Predictions) -> float:
    """Mean over folds; of all cases together where a fold leaves the measure undefined.

    A mean over classes is undefined in a fold that lacks one of those tested.
    """
    fold = predictions.cases.fold
    assert fold is not None
    if isinstance(predictions, Binary | Multiclass):
        seen = predictions.prevalences > 0
        if seen.sum() < 2:
            return float("nan")
        if over_classes(measure) and _class_missing(predictions, fold):
            return measure.of(predictions)
    values = [measure.of(predictions.take(fold == k)) for k in np.unique(fold)]
    return float(np.mean(values)) if np.isfinite(values).all() else measure.of(predictions)


def _class_missing(predictions: Binary | Multiclass, fold: Array) -> bool:
    """Whether a fold lacks a class that another one has."""
    actual = predictions.positive if isinstance(predictions, Binary) else predictions.actual
    classes, code = np.unique(actual, return_inverse=True)
    folds, at = np.unique(fold, return_inverse=True)
    return len(np.unique(at * len(classes) + code)) < len(folds) * len(classes)
