"""Cases as measures see them, and the one place where formulas are evaluated."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.measures.measure import Form, Law, Measure
from abovechance.measures.sufficient_statistics import condensed, of_moments, permuted_moments
from abovechance.numerics.counts import confusion, one_against_rest, weighted_mean
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import (
    Ranked,
    gather_by_cell,
    pair_aucs,
    sorted_groups,
    tied_groups,
)
from abovechance.predictions import Predictions, View
from abovechance.predictions.checks import spelled_out

# ----------------------------------------------------------------------------------------------
# From one value per class to one for all: macro, micro and weighted averages.
# ----------------------------------------------------------------------------------------------


def class_values(measure: Measure, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
    """The value of each class; 0/0 is undefined."""
    found = measure.formula(tp, fp, fn, tn, **measure.parameters)
    if measure.form is Form.CLASS_RATIO:
        found = np.divide(*found)
    return np.asarray(found if measure.after is None else measure.after(found))


def averaged(measure: Measure, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
    """One value over the classes, the last axis.

    Micro pools the counts. Macro is the mean over the classes where the value is defined;
    weighted weighs those by their prevalence. No class counts as 0 for being undefined.
    """
    if measure.average == "micro":
        pooled = (c.sum(axis=-1) for c in (tp, fp, fn, tn))
        return class_values(measure, *pooled)
    values = class_values(measure, tp, fp, fn, tn)
    return defined_mean(values, tp + fn if measure.average == "weighted" else 1.0)


def defined_mean(values: Floats, weight: Floats | float = 1.0) -> Floats:
    """Weighted mean over the last axis, skipping what is undefined."""
    weight = np.where(np.isnan(values), 0.0, weight)
    terms = np.where(weight > 0, values, 0.0) * weight
    return np.asarray(terms.sum(axis=-1) / weight.sum(axis=-1))


def undefined_classes(measure: Measure, counts: tuple[Floats, ...]) -> Bools:
    """Which classes an average had to leave out."""
    if measure.average in (None, "micro"):
        return np.zeros(counts[0].shape, dtype=np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.isnan(class_values(measure, *counts))


def left_out(measure: Measure, predictions: Any) -> str | None:
    """Which classes a mean over classes had to leave out, and why; None if it has them all."""
    if measure.law is Law.BALANCED and measure.average is None:
        out, why = predictions.prevalences == 0, "no case of the class was observed"
    elif predictions.kind == "multiclass" and measure.average is not None:
        out, why = undefined_classes(measure, predictions.class_counts), measure.undefined
    else:
        return None
    names = [str(c) for c, absent in zip(predictions.classes, out, strict=True) if absent]
    return f"left out {', '.join(names)}: {why}" if names else None


COUNTING = (Form.COUNTS, Form.CLASS_RATIO, Form.CLASS_VALUE)
ROUNDING = 1e-12  # how far sums of weights may lead outside a measure's range
SMALL_FOLDS = 64  # cases in a fold that are put in order one by one
CELLS = 1 << 22  # how many numbers a batch may spread over before it is cut in slices

# How the columns of a sample are read off predictions. Inference asks a sample, never the kind.
_READ: dict[str, dict[str, Callable[[Any], Any]]] = {
    "binary": {
        "outcome": lambda p: p.positive,
        "label": lambda p: p.label,
        "score": lambda p: p.ranking,
        "probability": lambda p: p.probability,
    },
    "multiclass": {
        "outcome": lambda p: p.actual,
        "label": lambda p: p.label,
        "score": lambda p: p.probability,
        "probability": lambda p: p.probability,
    },
    "numeric": {"outcome": lambda p: p.outcome, "value": lambda p: p.value},
    "survival": {
        "outcome": lambda p: np.stack([p.time, p.event.astype(np.float64)]),
        "risk": lambda p: p.risk,
        "survival": lambda p: p.survival,
    },
}
# Columns that have one more axis before the cases: classes, outputs, times, or time and event.
_DEEP: dict[str, frozenset[str]] = {
    "binary": frozenset(),
    "multiclass": frozenset({"score", "probability"}),
    "numeric": frozenset({"outcome", "value"}),
    "survival": frozenset({"outcome", "survival"}),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """Outcomes, predictions and weights of the same cases, each possibly a batch.

    Attributes
    ----------
    kind
        Of the outcome: binary, multiclass, numeric, survival.
    classes
        Number of classes; 0 for other outcomes.
    columns
        What is not as in `source`: "outcome" ((…, n) class numbers, (…, outputs, n) numbers,
        (…, 2, n) times and events), what was predicted ("label", "score", "probability", "value",
        "risk", "survival"), "weight" and "fold".
    source
        Predictions that everything else is read from; None where columns are all there is.
    kept
        Work that the predictions alone decide, shared by all samples that have the same ones.
    shuffled
        Whether outcomes are those of the source in another order.
    """

    kind: str
    classes: int = 0
    columns: Mapping[str, Any] = field(default_factory=dict)
    source: Any = None
    kept: dict[Any, Any] = field(default_factory=dict, compare=False)
    shuffled: bool = False

    @classmethod
    def of(cls, predictions: Predictions) -> "Sample":
        """The sample of predictions as they are; always the same one.

        >>> from abovechance.predictions import Binary
        >>> sample = Sample.of(Binary([0, 1, 1], probability=[0.2, 0.7, 0.4]))
        >>> from abovechance.measures import find
        >>> evaluate(find("accuracy"), sample.reweighted(np.array([[1.0, 1, 2], [1, 1, 0]])))
        array([0.5, 1. ])
        """
        found: Sample = predictions.once("sample", lambda: cls.unkept(predictions))
        return found

    @classmethod
    def unkept(cls, predictions: Predictions) -> "Sample":
        """The same for a single value: predictions that do not keep it are freed at once."""
        classes = len(getattr(predictions, "classes", ()))
        return cls(kind=predictions.kind, classes=classes, source=predictions)

    # ------------------------------------------------------------ other samples of the same cases

    def observed(self, outcome: Array) -> "Sample":
        """The same predictions beside other outcomes."""
        return replace(self._with(outcome=outcome), shuffled=False)

    def permuted(self, orders: Array, *, weights: bool = False) -> "Sample":
        """Outcomes taken in other orders (…, n), with `weights` the weights along with them."""
        found = {"outcome": self._taken("outcome", orders)}
        if weights and self.weight is not None:
            found["weight"] = self.weight[orders]
        whole = self.weight is None and not self.columns and orders.shape[-1] == self.n
        return replace(self._with(**found), shuffled=whole)

    def scaled(self, scale: Callable[[Floats], Floats]) -> "Sample":
        """Numbers on another scale, of outcomes and of predictions as they are."""
        if ("scaled", scale) not in self.kept:
            columns = {
                c: np.stack([scale(row) for row in self.column(c)]) for c in ("outcome", "value")
            }
            found = Sample(kind=self.kind, columns=columns)
            self.kept["scaled", scale] = found
        return self.kept["scaled", scale]

    def reweighted(self, weight: Floats) -> "Sample":
        """Cases that count other than they do: weights (…, n)."""
        return self._with(weight=weight)

    def swapped(self, other: "Sample", mask: Bools, *views: View) -> "Sample":
        """Predictions of another model on the same cases where `mask` (…, n) says so.

        All that was predicted, or some `views` of it.
        """
        found: dict[str, Any] = {}
        for name in views or [name for name in _READ[self.kind] if name != "outcome"]:
            mine, theirs = self.column(name), other.column(name)
            both = mine is not None and theirs is not None
            found[name] = np.where(self._as(name, mask), theirs, mine) if both else None
        return self.predicting(**found)

    def predicting(self, **columns: Any) -> "Sample":
        """The same cases with other predictions."""
        return replace(self, columns={**self.columns, **columns}, kept={})

    def folded(self, folds: Ints) -> "Sample":
        """Cases in folds 0, 1, … (…, n): every fold has a value of its own, the last axis."""
        return self._with(fold=folds)

    def taken(self, rows: Any) -> "Sample":
        """Some of the cases, by mask or by position (which may repeat)."""
        source = None if self.source is None else self.source.take(rows)
        columns = {k: None if v is None else v[..., rows] for k, v in self.columns.items()}
        return replace(self, columns=columns, source=source, kept={})

    def resampled(self, counts: Array) -> "Sample":
        """Every case as often as `counts` (…, n) says, as weights."""
        weight = np.asarray(counts, dtype=np.float64)
        return self.reweighted(weight if self.weight is None else weight * self.weight)

    # ------------------------------------------------------------ columns

    def column(self, name: str) -> Any:
        """One of the columns, batch axes first; None where it was not given."""
        if name in self.columns:
            return self.columns[name]
        return None if self.source is None else _READ[self.kind][name](self.source)

    @property
    def outcome(self) -> Array:
        """What was observed."""
        return self.column("outcome")

    @property
    def weight(self) -> Floats | None:
        """What each case counts; None for one each."""
        if "weight" in self.columns:
            return self.columns["weight"]
        return None if self.source is None else self.source.weight

    @property
    def strata(self) -> Array | None:
        """What parts of the cases may be wanted alike: the class; None where there is none."""
        return self.outcome if self.classes else None

    @property
    def groups(self) -> Array | None:
        """The cluster of each case."""
        return None if self.source is None else self.source.cases.groups

    @property
    def fold(self) -> Ints | None:
        """The fold of each case, where every fold has a value of its own."""
        return self.columns.get("fold")

    @property
    def n(self) -> int:
        """Number of cases."""
        for value in self.columns.values():
            if value is not None:
                return int(value.shape[-1])
        return int(self.source.n)

    @property
    def outputs(self) -> int:
        """How many numbers are predicted for each case; 1 for other outcomes."""
        return int(self.outcome.shape[-2]) if self.kind == "numeric" else 1

    def prediction(self, measure: Measure) -> Array:
        """What a measure's formula reads."""
        name = "probability" if measure.reads is View.LABEL else measure.reads.value
        return self.column(name)

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """The leading axes of all columns together."""
        shapes = [
            self._as_batch(name, value)
            for name, value in self.columns.items()
            if value is not None and name != "fold"
        ]
        return np.broadcast_shapes(*shapes)

    def rows(self) -> Iterator["Sample"]:
        """The samples of a batch, one by one."""
        wide = {
            name: np.broadcast_to(value, (*self.batch, *value.shape[self._depth(name) :]))
            for name, value in self.columns.items()
            if value is not None and self._as_batch(name, value)
        }
        for at in np.ndindex(*self.batch):
            mine = {name: value[at] for name, value in wide.items()}
            yield replace(self, columns={**self.columns, **mine}, kept=self._kept_by_row)

    @cached_property
    def each_row(self) -> list["Sample"]:
        """The same, kept for what several measures share of each."""
        return list(self.rows())

    def parts(self, rows: int) -> Iterator["Sample"]:
        """A batch with one leading axis in slices of so many rows."""
        for start in range(0, self.batch[0], rows):
            mine = {
                name: value[start : start + rows]
                for name, value in self.columns.items()
                if value is not None and self._as_batch(name, value) not in ((), (1,))
            }
            yield replace(self, columns={**self.columns, **mine}, kept=self._kept_by_row)

    def predictions(self) -> Any:
        """A single sample as predictions; always the same ones."""
        return self.source if not self.columns else self._as_predictions

    @cached_property
    def _as_predictions(self) -> Any:
        changes = {k: v for k, v in self.columns.items() if k not in ("weight", "fold", "outcome")}
        if "outcome" in self.columns:
            time, event = self.columns["outcome"]
            changes |= {"time": time, "event": event.astype(np.bool_)}
        found = self.source.replace(**changes)
        if "weight" in self.columns:
            return found.with_cases(sample_weight=self.columns["weight"], counts=None)
        if self.shuffled and self.kind == "survival":  # the same times are censored
            found.known_censoring(self.source)
        return found

    # ------------------------------------------------------------ what measures share

    @cached_property
    def four_points(self) -> "Sample":
        """Four cases with the moments of each row, of numbers beside other outcomes."""
        return made_of(self, permuted_moments(self.outcome, self.column("value")))

    @cached_property
    def confusion(self) -> Floats:
        """Counts (…, K, K), rows actual and columns predicted."""
        if not self.columns:
            return self.source.confusion
        actual, label = (np.asarray(self.column(c)) for c in ("outcome", "label"))
        if self.fold is None:
            actual, label = (c.astype(np.int64, copy=False) for c in (actual, label))
            return confusion(actual, label, self.classes, self.weight)
        cell = self._cells * self.classes**2 + actual * self.classes + label
        counts = np.bincount(cell.ravel(), minlength=self.fold_sizes.size * self.classes**2)
        return counts.astype(np.float64).reshape(*self.fold_sizes.shape, self.classes, self.classes)

    @cached_property
    def class_counts(self) -> tuple[Floats, Floats, Floats, Floats]:
        """TP, FP, FN, TN of each class against the rest, the last axis."""
        return one_against_rest(self.confusion) if self.columns else self.source.class_counts

    @cached_property
    def ranked(self) -> Ranked:
        """Weight of positives and negatives at each distinct score, sorted once for a batch."""
        if not self.columns:
            return self.source.ranked
        if self.fold is not None:
            return self._ranked_by_fold
        if not self.batch or "score" in self.columns:
            return tied_groups(self.column("score"), self.outcome, self.weight)
        if "sorted scores" not in self.kept:
            self.kept["sorted scores"] = sorted_groups(self.column("score"))
        return tied_groups(
            self.column("score"), self.outcome, self.weight, self.kept["sorted scores"]
        )

    @cached_property
    def prevalences(self) -> Floats:
        """Share of each class, the last axis."""
        if not self.columns:
            return self.source.prevalences
        if self.weight is None:
            codes = self.outcome.reshape(-1, self.outcome.shape[-1])
            cells = codes + self.classes * np.arange(len(codes))[:, None]
            counts = np.bincount(cells.ravel(), minlength=len(codes) * self.classes)
            shape = (*self.outcome.shape[:-1], self.classes)
            return np.asarray(counts.reshape(shape) / self.outcome.shape[-1])
        member = self.outcome[..., None, :] == np.arange(self.classes)[:, None]
        weight = self.weight[..., None, :]
        return np.asarray((weight * member).sum(axis=-1) / weight.sum(axis=-1))

    @cached_property
    def pair_areas(self) -> Floats:
        """How well the probability of class i tells it from class j, for every pair (…, K, K)."""
        if not self.columns:
            return self.source.pair_aucs
        return pair_aucs(self.column("score"), self.outcome, self.classes, self.weight)

    @property
    def probability_given(self) -> Floats:
        """The probability that was given to what happened, of one sample."""
        outcome, p = self.outcome, self.column("probability")
        if self.kind == "binary":
            return np.where(outcome, p, 1.0 - p)
        return np.asarray(p[outcome, np.arange(self.n)])

    def formula_columns(self, measure: Measure) -> tuple[Floats, Floats]:
        """Outcome and prediction as a formula takes them: numbers, cases last.

        Several classes are indicators (…, K, n), or the most probable alone; one output has no axis
        of its own.
        """
        outcome, prediction = self.outcome, self.prediction(measure)
        if self.kind == "survival":
            raise NotApplicable(f"{measure.title} is not for survival outcomes.")
        if self.kind == "multiclass" and measure.of_top_label:
            right = outcome == prediction.argmax(axis=-2)
            return right.astype(np.float64), prediction.max(axis=-2)
        if self.kind == "multiclass":
            onehot = outcome[..., None, :] == np.arange(self.classes)[:, None]
            return onehot.astype(np.float64), prediction
        if self.kind == "numeric" and not self.has_outputs(measure):
            return outcome[..., 0, :], prediction[..., 0, :]
        return np.asarray(outcome, dtype=np.float64), prediction

    def formula_weight(self, measure: Measure) -> Floats | None:
        """Weights that broadcast against the columns of a formula."""
        weight = self.weight
        return weight if weight is None or not self.has_outputs(measure) else weight[..., None, :]

    def has_outputs(self, measure: Measure) -> bool:
        """Whether the columns of a formula have an axis of outputs."""
        return self.kind == "numeric" and (measure.many_outputs or self.outputs > 1)

    # ------------------------------------------------------------ inside

    def _with(self, **columns: Any) -> "Sample":
        return replace(self, columns={**self.columns, **columns})

    @cached_property
    def _kept_by_row(self) -> dict[Any, Any]:
        """Shared work goes on to rows where all of them have the same predictions."""
        predicted = [n for n in self.columns if n not in ("outcome", "weight", "fold")]
        return {} if predicted else self.kept

    def _depth(self, name: str) -> int:
        return -2 if name in _DEEP[self.kind] else -1

    def _as_batch(self, name: str, value: Array) -> tuple[int, ...]:
        return tuple(value.shape[: self._depth(name)])

    def _as(self, name: str, mask: Bools) -> Bools:
        return mask[..., None, :] if name in _DEEP[self.kind] else mask

    def _taken(self, name: str, orders: Array) -> Array:
        found = self.column(name)[..., orders]
        return found if self._depth(name) == -1 else np.moveaxis(found, 0, -2)

    @cached_property
    def _cells(self) -> Ints:
        """The number of row and fold in one, (rows, n)."""
        assert self.fold is not None
        fold = np.broadcast_to(self.fold, (*self.batch, self.n)).reshape(-1, self.n)
        return np.asarray(np.arange(len(fold))[:, None] * self._folds + fold)

    @property
    def _folds(self) -> int:
        assert self.fold is not None
        return int(self.fold.max()) + 1

    def fold_sums(self, values: Floats) -> Floats:
        """Sums over the cases of each fold (…, V)."""
        rows = len(self._cells)
        values = np.broadcast_to(values, (*self.batch, self.n))
        found = np.bincount(self._cells.ravel(), values.ravel(), rows * self._folds)
        return found.astype(np.float64).reshape(*self.batch, self._folds)

    @cached_property
    def fold_sizes(self) -> Floats:
        """Number of cases in each fold (…, V)."""
        counts = np.bincount(self._cells.ravel(), minlength=len(self._cells) * self._folds)
        return counts.astype(np.float64).reshape(*self.batch, self._folds)

    @cached_property
    def _ranked_by_fold(self) -> Ranked:
        """Positives and negatives (rows V, m) in ascending order, each tie counted at its first."""
        shape, width = self._cells.shape, int(self.fold_sizes.max())
        columns = (self._cells, self.column("score"), self.outcome)
        cells, score, positive = (np.broadcast_to(c, shape) for c in columns)
        if width <= SMALL_FOLDS and score.dtype == np.float64 and worthwhile(cells.size):
            found = gather_by_cell(cells, score, positive, self.fold_sizes.size, width)
            return Ranked(np.arange(width, dtype=np.float64), *found)
        order = np.lexsort((score, cells), axis=-1)
        fold, value, sign = (
            np.take_along_axis(a, order, axis=-1) for a in (cells, score, positive.astype(np.int64))
        )
        new = np.ones(order.shape, dtype=bool)
        changes = np.diff(fold, axis=-1) != 0
        new[:, 1:] = changes | (np.diff(value, axis=-1) != 0)
        opens = np.ones(order.shape, dtype=bool)
        opens[:, 1:] = changes
        place = last_true(new) - last_true(opens)
        cell = (fold * width + place).ravel()
        positives, negatives = (
            np.bincount(cell, part.ravel(), self.fold_sizes.size * width)
            .astype(np.float64)
            .reshape(self.fold_sizes.size, width)
            for part in (sign, 1 - sign)
        )
        return Ranked(np.arange(width, dtype=np.float64), positives, negatives)


def evaluate(measure: Measure, sample: Sample) -> Floats:
    """The values of a measure: one for every row of the batch, in folds one for each of them.

    `nan` where it is undefined. The plain formula is evaluated wherever it takes a batch; what
    needs the cases of one sample at a time is evaluated row by row.

    >>> from abovechance.measures import find
    >>> from abovechance.predictions import Binary
    >>> cases = Sample.of(Binary([0, 1, 1, 0], probability=[0.2, 0.7, 0.4, 0.5]))
    >>> evaluate(find("auc"), cases.permuted(np.array([[0, 1, 2, 3], [1, 0, 3, 2]])))
    array([0.75, 0.25])
    """
    measure = measure.for_outcome(sample.kind)
    sample = _few_cases(measure, sample) or sample
    if len(sample.batch) == 1 and sample.fold is None:
        most = max(1, CELLS // max(1, _width(measure, sample)))
        if sample.batch[0] > most:
            return np.concatenate([evaluate(measure, part) for part in sample.parts(most)])
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(_evaluated(measure, sample), dtype=np.float64)
    return without_rounding(measure, found)


def evaluate_all(measures: Sequence[Measure], sample: Sample) -> dict[str, Floats]:
    """The values of several measures, by label, which share what they read of each slice.

    >>> from abovechance.measures import find
    >>> from abovechance.predictions import Binary
    >>> cases = Sample.of(Binary([0, 1, 1, 0], probability=[0.2, 0.7, 0.4, 0.5]))
    >>> labels = np.array([[0, 1, 1, 0], [1, 0, 0, 1]], dtype=bool)
    >>> evaluate_all([find("auc"), find("accuracy")], cases.observed(labels))
    {'auc': array([0.75, 0.25]), 'accuracy': array([0.75, 0.25])}
    """
    fitted = [m.for_outcome(sample.kind) for m in measures]
    parts: Iterable[Sample] = [sample]
    if len(sample.batch) == 1 and sample.fold is None and fitted:
        most = max(1, CELLS // max(1, *(_width(m, sample) for m in fitted)))
        if sample.batch[0] > most:
            parts = sample.parts(most)  # one at a time: each holds tables of its rows
    found: dict[str, list[Floats]] = {m.label: [] for m in fitted}
    for part in parts:
        for m in fitted:
            found[m.label].append(evaluate(m, part))
    joined = {m: v[0] if len(v) == 1 else np.concatenate(v) for m, v in found.items()}
    return {m.label: joined[f.label] for m, f in zip(measures, fitted, strict=True)}


def _few_cases(measure: Measure, sample: Sample) -> Sample | None:
    """Few cases that have the values of a batch; None where a measure needs all of them."""
    if measure.sufficient is None or not sample.columns or len(sample.batch) != 1:
        return None
    if set(sample.columns) == {"weight"} and sample.source is not None:
        found, weight = condensed(measure, Sample.of(sample.source)), sample.weight
        columns = None if found is None or weight is None else found.resampled(weight)
        return None if columns is None else made_of(sample, columns)
    if of_moments(measure, sample) and sample.weight is None and sample.column("value").ndim == 2:
        return sample.four_points
    return None


def made_of(sample: Sample, columns: dict[str, Any]) -> Sample:
    """A sample of the same kind that has these columns and nothing else."""
    return Sample(kind=sample.kind, classes=sample.classes, columns=columns)


def _width(measure: Measure, sample: Sample) -> int:
    """How many numbers one row of a batch spreads over: cases, of all classes, or their table."""
    tables = measure.form in COUNTING or measure.form is Form.PAIR_AUCS
    if tables:
        return max(sample.n, sample.classes**2)
    several = sample.kind == "multiclass" and measure.form is Form.SAMPLE
    return sample.n * (sample.classes if several and not measure.of_top_label else 1)


def single(measure: Measure, sample: Sample) -> float:
    """The value of one sample, for callers that silence divisions by zero themselves."""
    found = float(_evaluated(measure, sample))
    low, high = measure.range
    return found if low <= found <= high else float(without_rounding(measure, np.asarray(found)))


def resampled(measure: Measure, sample: Sample, counts: Array) -> Floats:
    """Values on samples that hold every case as often as `counts` (B, n) says.

    As weights; what cannot be weighted gets the cases themselves.
    """
    if not measure.needs_index_draws:
        return evaluate(measure, sample.resampled(counts))
    if _along_curve(measure, sample):
        return resampled_together([measure], sample, counts)[measure.label]
    everyone = np.arange(sample.n)
    each = (np.repeat(everyone, row) for row in np.asarray(counts, dtype=np.int64))
    return np.array([float(evaluate(measure, sample.taken(rows))) for rows in each])


def resampled_together(
    measures: Sequence[Measure], sample: Sample, counts: Array
) -> dict[str, Floats]:
    """The same of several measures, by label; those of one curve, which is fitted once to each."""
    if not all(_along_curve(m, sample) for m in measures):
        return {m.label: resampled(m, sample, counts) for m in measures}
    one = measures[0]
    assert one.resampled_distances is not None
    every = one.resampled_distances(sample, np.asarray(counts, dtype=np.int64), **one.parameters)
    found: dict[str, list[Any]] = {m.label: [] for m in measures}
    for distance in every:
        for m in measures:
            assert m.of_distances is not None
            found[m.label].append(m.of_distances(distance).mean())  # over the classes
    return {label: np.array(values, dtype=np.float64) for label, values in found.items()}


def _along_curve(measure: Measure, sample: Sample) -> bool:
    """Whether a value comes from distances that are known of cases as often as they count."""
    plain = sample.weight is None and not sample.columns
    return measure.resampled_distances is not None and plain


def case_losses(measure: Measure, sample: Sample) -> Floats:
    """One loss per case (…, n); of several outputs (…, outputs, n)."""
    outcome, prediction = sample.outcome, sample.prediction(measure)
    batched = sample.classes > 0 and outcome.ndim > 1
    if not batched or prediction.ndim > (2 if sample.kind == "multiclass" else 1):
        return np.asarray(measure.formula(*sample.formula_columns(measure), **measure.parameters))
    # every case's loss under every class once, then the right ones
    each = [
        case_losses(measure, sample.observed(np.full(sample.n, k))) for k in range(sample.classes)
    ]
    if sample.classes == 2:
        return np.where(outcome, each[1], each[0])
    return np.stack(each)[outcome, np.arange(sample.n)]


def on_counts(measure: Measure, table: Floats) -> Floats:
    """The values of confusion tables (…, K, K); two classes: the second is positive."""
    if measure.form not in COUNTING:
        raise NotApplicable(f"{measure.title} is not a function of a confusion table.")
    if table.shape[-1] > 2:
        measure = measure.for_outcome("multiclass")
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.form is Form.COUNTS:
            return after(measure, measure.formula(table, **measure.parameters))
        return of_class_counts(measure, one_against_rest(table))


def of_class_counts(measure: Measure, counts: tuple[Floats, Floats, Floats, Floats]) -> Floats:
    """The values of TP, FP, FN, TN of each class, the last axis."""
    if measure.average is not None:
        return averaged(measure, *counts)
    at = 1 if counts[0].ndim == 1 else (..., 1)  # plain numbers are faster than arrays of none
    return class_values(measure, *(c[at] for c in counts))


def after(measure: Measure, found: Any) -> Any:
    """What a measure makes of the value of its formula, the root of a mean, say."""
    return found if measure.after is None else measure.after(found)


def without_rounding(measure: Measure, found: Floats) -> Floats:
    """Values that only rounding puts outside a measure's range, at its ends; others as they are."""
    low, high = measure.range
    if not ((found < low) | (found > high)).any():
        return found
    ends = [abs(end) for end in (low, high) if np.isfinite(end)]
    slack = ROUNDING * max([1.0, *ends])
    found = np.where((found > high) & (found <= high + slack), high, found)
    return np.where((found < low) & (found >= low - slack), low, found)


def _evaluated(measure: Measure, sample: Sample) -> Any:
    form = measure.form
    if form is Form.COUNTS:
        return after(measure, measure.formula(sample.confusion, **measure.parameters))
    if form in COUNTING:
        return of_class_counts(measure, sample.class_counts)
    if sample.fold is not None and form not in (Form.RANKS, Form.LOSSES):
        raise NotApplicable(f"{measure.title} is not evaluated in many folds at once.")
    if form is Form.RANKS:
        if sample.columns and sample.fold is None and sample.column("score").ndim > 1:
            return _row_by_row(measure, sample)
        found = measure.formula(sample.ranked, **measure.parameters)
        return after(
            measure, found if sample.fold is None else found.reshape(sample.fold_sizes.shape)
        )
    if form is Form.PAIR_AUCS:
        relabelled = sample.outcome.ndim > 1
        if sample.columns and (
            (relabelled and (sample.weight is not None or sample.outcome.ndim > 2))
            or sample.column("score").ndim > 2
        ):
            return _row_by_row(measure, sample)
        found = measure.formula(sample.pair_areas, sample.prevalences, **measure.parameters)
        return after(measure, found)
    if form is Form.CENSORED:
        if sample.columns and sample.batch:
            return _row_by_row(measure, sample)
        return measure.formula(sample.predictions(), **measure.parameters)
    if form is Form.LOSSES:
        return _of_losses(measure, sample)
    if form is Form.DRAWS:
        return _of_one_row(measure, sample)
    outcome, prediction = sample.formula_columns(measure)
    weight = sample.formula_weight(measure)
    found = measure.formula(outcome, prediction, weight, **measure.parameters)
    if measure.many_outputs:
        return after(measure, np.mean(found, axis=-1))
    found = after(measure, found)
    return np.mean(found, axis=-1) if sample.has_outputs(measure) else found


def _of_losses(measure: Measure, sample: Sample) -> Any:
    losses = case_losses(measure, sample)
    if sample.fold is not None:
        return after(measure, sample.fold_sums(losses) / sample.fold_sizes)
    found = after(measure, weighted_mean(losses, sample.formula_weight(measure)))
    return np.mean(found, axis=-1) if sample.has_outputs(measure) else found


def _of_one_row(measure: Measure, sample: Sample) -> Any:
    """Formulas that take one row of weights, and, unless they say otherwise, one row of cases."""
    if sample.weight is not None and sample.weight.ndim > 1:
        return _row_by_row(measure, sample)
    if measure.distances is not None and measure.of_distances is not None:
        if sample.weight is not None:
            sample = _spelled_out(measure, sample)
        found = measure.of_distances(_distances(measure, sample))
        return found.mean(axis=-1) if sample.kind == "multiclass" else found
    if sample.batch and not (measure.takes_batches and sample.weight is None):
        return _row_by_row(measure, sample)
    sample = _spelled_out(measure, sample)
    outcome, prediction = sample.formula_columns(measure)
    if not sample.has_outputs(measure) and sample.kind != "multiclass":
        return measure.formula(outcome, prediction, sample.weight, **measure.parameters)
    shape = np.broadcast_shapes(outcome.shape, prediction.shape)
    apart = (np.moveaxis(np.broadcast_to(c, shape), -2, 0) for c in (outcome, prediction))
    pairs = zip(*apart, strict=True)
    each = [measure.formula(o, p, sample.weight, **measure.parameters) for o, p in pairs]
    return np.mean(each, axis=0)


def _distances(measure: Measure, sample: Sample) -> Floats:
    """From a curve to the diagonal; of cases as they are found once for all that read them."""
    assert measure.distances is not None
    key = ("distances", measure.distances, *measure.parameters.values())
    if sample.columns:
        return measure.distances(sample, **measure.parameters)
    if key not in sample.kept:
        sample.kept[key] = measure.distances(sample, **measure.parameters)
    return np.asarray(sample.kept[key])


def _row_by_row(measure: Measure, sample: Sample) -> Floats:
    found = [float(_evaluated(measure, row)) for row in sample.each_row]
    return np.reshape(found, sample.batch)


def _spelled_out(measure: Measure, sample: Sample) -> Sample:
    """Frequencies repeated row by row where a formula knows no weights."""
    counts = sample.weight
    if counts is None or measure.weighted:
        return sample
    plain = replace(sample, columns={k: v for k, v in sample.columns.items() if k != "weight"})
    taken = plain.taken(spelled_out(counts))
    source = None if taken.source is None else taken.source.with_cases(counts=None, id=None)
    return replace(taken, source=source)


def last_true(new: Bools) -> Ints:
    """For each place the last one, up to it, where something new began."""
    place = np.arange(new.shape[-1])
    return np.maximum.accumulate(np.where(new, place, 0), axis=-1)
