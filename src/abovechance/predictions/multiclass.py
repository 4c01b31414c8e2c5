"""Any number of classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, NotApplicable, listed, shown
from abovechance.format import thousands
from abovechance.limits import gigabytes, most_bytes
from abovechance.numerics.counts import confusion, one_against_rest
from abovechance.numerics.ranks import pair_aucs
from abovechance.predictions import checks
from abovechance.predictions.base import (
    Cases,
    Predictions,
    View,
    gathered,
    settled_facts,
)
from abovechance.predictions.binary import Binary
from abovechance.predictions.checks import aligned

TABLES = 2  # tables of classes against classes that are held at once, at the least
MOST_RESAMPLED = 500
"""Classes of which curves, areas and differences are drawn again: more would take hours."""

MOST_IN_TABLES = 2_000
"""Classes of which tables are drawn, few at a time: those of 1 000 take a minute or two."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Multiclass(Predictions):
    """Predictions of an outcome with any number of classes.

    Parameters
    ----------
    y_true
        Observed classes.
    probability
        A mapping from class to its column, a dataframe whose columns are called after the
        classes, or an array of cases × classes with `labels` in column order. An array without
        `labels` needs an outcome coded 0, 1, …, K − 1.
    label
        Predicted classes; the most probable class when not given (the first of tied ones).
    labels
        The declared classes; those that occur when not given.

    Raises
    ------
    DataError
        If the values are not what they must be; the message names the row and the remedy.

    See Also
    --------
    Binary : two classes.

    Examples
    --------
    >>> Multiclass(["a", "b", "c"], label=["a", "b", "b"])
    Multiclass(3 cases; label; origin test)
    """

    kind: ClassVar[str] = "multiclass"
    case_arrays: ClassVar[tuple[str, ...]] = ("actual", "probability", "stated_label")

    actual: Array
    probability: Floats | None
    stated_label: Array | None
    classes: tuple[Any, ...]

    def __init__(
        self,
        y_true: Any,
        *,
        probability: Any = None,
        label: Any = None,
        labels: Any = None,
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
        if probability is None and label is None:
            raise DataError("nothing was predicted; give probability= or label=.")
        columns = named_columns(probability)
        facts = (id, fold, repeat, groups, sample_weight, counts, order)
        about = dict(zip(Cases.ARRAYS, facts, strict=True))
        given = {"outcome": y_true, "label": label, **about}
        parts = _parts(probability, columns)
        found, index, notes = aligned({**given, **parts})
        if columns is not None:
            part = {name: checks.vector(name, found[name]) for name in parts}
            checks.same_length(part)
            probability = np.column_stack(list(part.values()))
            labels = columns if labels is None else labels
        elif probability is not None:
            probability = found["probability"]
        arrays: dict[str, Array | None] = {
            "outcome": checks.vector("outcome", y_true),
            "label": None if label is None else checks.vector("label", found["label"]),
            "probability": None if probability is None else _columns(probability),
        }
        cases = Cases.of(index, found)
        arrays, cases, kept = gathered(arrays, cases, missing)
        outcome, predicted, p = arrays["outcome"], arrays["label"], arrays["probability"]
        assert outcome is not None
        classes = declared_classes(outcome, predicted, p if columns is None else None, labels)
        if p is not None:
            p = _checked_rows(_matched(p, columns, classes))
        self._settle(
            actual=checks.codes("outcome", outcome, classes),
            probability=p,
            stated_label=None if predicted is None else checks.codes("label", predicted, classes),
            classes=tuple(classes),
            **settled_facts(cases, origin, kept, notes),
        )

    @cached_property
    def n(self) -> int:
        return len(self.actual)

    @cached_property
    def views(self) -> frozenset[View]:
        if self.probability is None:
            return frozenset({View.LABEL})
        return frozenset({View.LABEL, View.SCORE, View.PROBABILITY})

    @cached_property
    def label(self) -> Array:
        """The predicted class of each case, by position."""
        if self.stated_label is not None:
            return self.stated_label
        assert self.probability is not None
        return np.asarray(self.probability.argmax(axis=0))

    def called(self, factors: Floats) -> Self | None:
        """The same cases called by a model to which each class seems so much more frequent.

        >>> cases = Multiclass([0, 1, 2], probability=np.full((3, 3), 1 / 3))
        >>> cases.called(np.array([1.0, 1.0, 2.0])).label
        array([2, 2, 2])
        """
        p = self.probability
        if p is None or (self.stated_label is not None and (self.label != p.argmax(axis=0)).any()):
            return None
        moved = p * factors[:, None]
        return self.replace(probability=moved / moved.sum(axis=0), stated_label=None)

    @cached_property
    def confusion(self) -> Floats:
        """Counts, rows actual and columns predicted."""
        return confusion(self.actual, self.label, len(self.classes), self.weight)

    @cached_property
    def class_counts(self) -> tuple[Floats, Floats, Floats, Floats]:
        """TP, FP, FN, TN of each class against the rest."""
        return one_against_rest(self.confusion)

    @cached_property
    def prevalences(self) -> Floats:
        """Share of each class among the cases."""
        counts = np.bincount(self.actual, weights=self.weight, minlength=len(self.classes))
        return np.asarray(counts / counts.sum())

    @property
    def each_class(self) -> tuple[Any, ...]:
        return self.classes

    @property
    def codes(self) -> Array:
        return self.actual

    @property
    def all_columns(self) -> list[Array]:
        return [] if self.probability is None else [self.actual, *self.probability]

    def in_classes_of(self, models: Sequence[Any]) -> Self:
        own = [str(c) for c in self.classes]
        names = list(dict.fromkeys(str(c) for p in models for c in p.classes))
        if own == names:
            return self
        place = np.array([names.index(c) for c in own])
        columns = self.probability
        if columns is not None:
            columns = np.zeros((len(names), self.n))
            columns[place] = self.probability
        return self.replace(
            actual=place[self.actual],
            stated_label=None if self.stated_label is None else place[self.stated_label],
            probability=columns,
            classes=tuple(names),
        )

    def uninformed(self) -> Self:
        return self.replace(probability=np.repeat(self.prevalences[:, None], self.n, axis=1))

    @cached_property
    def pair_aucs(self) -> Floats:
        """How well column i tells class i from class j, for every pair."""
        assert self.probability is not None
        return pair_aucs(self.probability, self.actual, len(self.classes), self.weight)

    @cached_property
    def _number_of_class(self) -> dict[Any, int]:
        """The number of each class; of labels that are the same class the first."""
        return {checks.label_key(c): k for k, c in reversed(list(enumerate(self.classes)))}

    def against_rest(self, label: Any) -> Binary:
        """One class against all others together."""
        k = self._number_of_class.get(checks.label_key(label))
        if k is None:
            raise DataError(f"pos_label must be one of {listed(self.classes)}; got {shown(label)}.")
        other = Binary(
            self.actual == k,
            probability=None if self.probability is None else self.probability[k],
            label=self.label == k,
            origin=self.origin,
        )
        other.__dict__.update(
            cases=self.cases,
            classes=(f"not {self.classes[k]}", self.classes[k]),
            kept=self.kept,
            notes=self.notes,
        )
        return other


def named_columns(probability: Any) -> list[Any] | None:
    """The names of the columns of a mapping or a dataframe; None for plain arrays."""
    if isinstance(probability, Mapping):
        return list(probability)
    if not hasattr(probability, "columns"):
        return None
    names = list(getattr(probability, "column_names", probability.columns))  # Arrow's, others'
    return None if names == list(range(len(names))) else names  # pandas numbers nameless columns


def _parts(probability: Any, columns: list[Any] | None) -> dict[str, Any]:
    """The columns of probability by what messages call them; an array is one part."""
    if probability is None:
        return {}
    if columns is None:
        return {"probability": probability}
    if not columns:
        raise DataError("probability must have one column per class; it has none.")
    return {f"probability of {k}": probability[k] for k in columns}


def declared_classes(
    outcome: Array, label: Array | None, p: Array | None, labels: Any
) -> list[Any]:
    """The classes: as declared, else those that occur."""
    if labels is not None:
        classes = checks.names("labels", labels)
        refuse_many_classes(len(classes))
        repeated = [c for i, c in enumerate(classes) if c in classes[:i]]
        if repeated:
            raise DataError(f"labels must name every class once; {repeated[0]!r} stands twice.")
        if p is not None and len(classes) != len(p):
            raise DataError(
                f"labels must name the {len(p)} columns of probability; got {len(classes)} names."
            )
        return classes
    if p is not None:
        k = len(p)
        coded = outcome.dtype.kind in "iub" and outcome.min() >= 0 and outcome.max() < k
        if not coded:
            raise DataError(
                f"labels must say which class each of the {k} columns of probability belongs to; "
                f"the outcome's classes are {listed(checks.distinct(outcome))}. Pass labels=."
            )
        return list(range(k))
    if label is None:
        found = checks.distinct(outcome)
    else:
        checks.refuse_no_labels(outcome, label)
        found = checks.distinct(checks.stacked(outcome, label))
    refuse_many_classes(len(found))
    return found


def refuse_many_classes(classes: int) -> None:
    """Refuse so many classes that one table of them does not fit the memory."""
    size = TABLES * np.dtype(np.float64).itemsize * classes**2
    if size > most_bytes():
        raise DataError(
            "there must be few enough classes for a table of each against each; "
            f"{thousands(classes)} would take {gigabytes(size)} and there is room for "
            f"{gigabytes(most_bytes())}. Join rare classes, or assess one class against the "
            "rest; if these are numbers, use Numeric."
        )


def refuse_to_resample(predictions: Predictions, most: int = MOST_RESAMPLED) -> None:
    """Refuse intervals and tests of so many classes that drawing their tables takes hours."""
    if isinstance(predictions, Multiclass) and len(predictions.classes) > most:
        raise NotApplicable(
            f"intervals and tests draw tables of classes against classes and take at most "
            f"{thousands(most)} of them; these are {thousands(len(predictions.classes))}. Ask for "
            "values alone (inference=False, --no-inference), join rare classes, or assess one "
            "class against the rest."
        )


def _columns(probability: Any) -> Array:
    array = checks.unmasked(probability, "probability")
    if array.ndim != 2:
        raise DataError(
            "probability must have one column per class; got one value per case. "
            "For two classes use Binary(y, probability=…, pos_label=…)."
        )
    return np.ascontiguousarray(array.T)


def _matched(p: Array, columns: list[Any] | None, classes: list[Any]) -> Array:
    """Columns given by name, put into the order of the classes."""
    if columns is None or columns == classes:
        return p
    for column in columns:
        if not any(checks.same_label(column, label) for label in classes):
            raise DataError(
                f"every column of probability must be called after a class; got {column!r}, "
                f"the classes are {listed(classes)}."
            )
    order = []
    for label in classes:
        at = [i for i, c in enumerate(columns) if checks.same_label(c, label)]
        if not at:
            raise DataError(
                f"probability must have a column for every class; none for {label!r} "
                f"among {listed(columns)}."
            )
        order.append(at[0])
    return p[order]


def _checked_rows(values: Array) -> Floats:
    probability = checks.numbers("probability", values)
    checks.within_unit("probability", probability)
    checks.sums_to_one(probability.sum(axis=0))
    return probability
