"""Fit on a part, judge on another part, many times: all measures from the same fits.

A `Task` is an estimator with the cases it is to learn from. Parts are drawn as counts (F, n): how
often fit f uses each case. `Task.fits` trains on them, together where there is a fast way, else one
by one in scikit-learn, and has every fit predict every case. `Fits.values` judges these predictions
on any cases by any measures, and `Fits.predictions` hands them out.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import AboveChanceError, DataError, NotApplicable, listed, shown
from abovechance.gate import errors_of
from abovechance.learning.from_sklearn import (
    Known,
    assembled,
    by_class,
    known,
    predict,
    rows_of,
    seeded,
    seeded_splitter,
    splits_of,
    splitter_of,
)
from abovechance.learning.schemes import counts_of
from abovechance.learning.training import decisions
from abovechance.measures.catalogue import named
from abovechance.measures.evaluation import fit as version_for
from abovechance.measures.evaluation import obstacle
from abovechance.measures.measure import Form, Measure
from abovechance.measures.sample import Sample, evaluate
from abovechance.measures.utility import at_threshold
from abovechance.predictions import Predictions, Survival, checks
from abovechance.resampling.draws import codes

# ----------------------------------------------------------------------------------------------
# Parts: how often each of n cases is used by each of F fits, as counts (F, n).
# ----------------------------------------------------------------------------------------------


MOST_TRIES = 1_000  # draws of one part before it is given up that all classes are in it


@dataclass(frozen=True, eq=False)
class Resampled:
    """Bootstrap samples of the cases, of whole groups where there are any.

    A sample that misses a class is drawn again: nothing could be learned about that class.
    """

    n: int
    outcome: Ints | None = None  # class numbers, all of which are wanted
    groups: Ints | None = None  # numbers of groups

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        """How often each case is drawn (size, n)."""
        return np.array([self._with_every_class(rng) for _ in range(size)])

    def _with_every_class(self, rng: np.random.Generator) -> Ints:
        classes = 0 if self.outcome is None else int(self.outcome.max()) + 1
        for _ in range(MOST_TRIES):
            drawn = self._one(rng)
            if self.outcome is None or (np.bincount(self.outcome, drawn, classes) > 0).all():
                return drawn
        raise DataError(
            f"a part to train on must hold every class; {MOST_TRIES} draws in a row missed "
            "one. Collect more cases of the rare class, or more groups that hold it."
        )

    def _one(self, rng: np.random.Generator) -> Ints:
        if self.groups is None:
            return counts_of(rng.integers(self.n, size=(1, self.n)), self.n)[0]
        many = int(self.groups.max()) + 1
        return counts_of(rng.integers(many, size=(1, many)), many)[0][self.groups]


def split_parts(splitter: Any, X: Any, y: Array, groups: Any = None) -> tuple[Ints, Bools]:
    """The parts of one pass of a scikit-learn splitter: trained on (F, n), judged on (F, n).

    >>> from sklearn.model_selection import KFold
    >>> train, judged = split_parts(KFold(2), np.zeros((4, 1)), np.arange(4))
    >>> train.tolist(), judged[0].tolist()
    ([[0, 0, 1, 1], [1, 1, 0, 0]], [True, True, False, False])
    """
    train, judged = [], []
    for first, second in splits_of(splitter, X, y, groups):
        train.append(np.bincount(first, minlength=len(y)))
        judged.append(np.bincount(second, minlength=len(y)) > 0)
    if not train:
        raise DataError("cv must give at least one split; it gave none.")
    return np.array(train), np.array(judged)


# ----------------------------------------------------------------------------------------------
# What is to be learned, and from which cases.
# ----------------------------------------------------------------------------------------------


BLOCK = 8  # fits of an estimator of unknown cost
TOGETHER_BLOCK = 100  # of one for which there is a fast way, whether gone or not


def fast_way(estimator: Any, X: Any) -> Known | None:
    """How to train many at once: discriminants and logistic regressions; None for other estimators.

    Of logistic regressions the optimum is found, which scikit-learn's solvers come near to. The
    decision values of support vector machines are only ranked as scikit-learn's, so not taken.
    """
    found = known(estimator, X)
    return found if found is not None and found.kind == "probability" else None


@dataclass(frozen=True, eq=False)
class Task:
    """An estimator with the cases that it learns from and is judged on; made by `task_of`.

    `kind` is the kind of outcome, `y` what the estimator is fitted to, `code` the number of each
    case's class. `known` is the fast way to the same predictions where there is one and it is
    wanted; `recognised` says that there is one.
    """

    estimator: Any
    X: Any
    y: Array
    kind: str
    classes: tuple[Any, ...] = ()
    pos_label: Any = None
    code: Ints | None = None
    groups: Array | None = None
    times: Floats | None = None
    names: tuple[str, ...] | None = field(default=None, compare=False)
    known: Known | None = None
    recognised: bool = False

    @property
    def block(self) -> int:
        """Draws that share a stream: the same number whether or not the fast way is gone."""
        return TOGETHER_BLOCK if self.recognised else BLOCK

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.y)

    @property
    def table(self) -> Iterator[tuple[str, Array]]:
        """The features one by one, under the names that messages call them by."""
        frame = hasattr(self.X, "columns")
        called = list(self.X.columns) if frame and self.names is None else self.names
        whole = None if frame or hasattr(self.X, "toarray") else np.asarray(self.X)
        for j in range(0 if whole is None and not frame else self.X.shape[1]):
            column = np.asarray(self.X.iloc[:, j] if whole is None else whole[:, j])
            yield f"column {j + 1}" if called is None else repr(str(called[j])), column

    @cached_property
    def group_code(self) -> Ints | None:
        """Groups as numbers."""
        return None if self.groups is None else codes(self.groups)

    def bootstrap(self) -> Resampled:
        """Bootstrap samples of these cases."""
        return Resampled(self.n, self.code, self.group_code)

    def splitter(self, cv: Any, seed: int) -> Any:
        """What makes folds: the splitter given, or one of so many folds that knows the groups."""
        if isinstance(cv, int) and not isinstance(cv, bool):
            self._enough_for(cv)
            if self.kind == "survival":
                from sklearn.model_selection import GroupKFold, KFold

                if self.groups is not None:
                    return GroupKFold(cv)
                return KFold(cv, shuffle=True, random_state=seed % 2**32)
        return splitter_of(self.estimator, seeded_splitter(cv, seed), self.y, self.groups, seed)

    @property
    def units(self) -> int:
        """What folds are made of: groups, cases of the rarest class, or cases."""
        return self._counted[0]

    @property
    def _counted(self) -> tuple[int, str]:
        if self.group_code is not None:
            return int(self.group_code.max()) + 1, "groups"
        if self.code is not None:
            return int(np.bincount(self.code).min()), "cases of the rarest class"
        return self.n, "cases"

    def _enough_for(self, folds: int) -> None:
        units, what = self._counted
        if folds < 2 or units < folds:
            raise DataError(
                f"cross-validation needs 2 folds or more and no more folds than {what}; got "
                f"{folds} folds for {units} {what}. Ask for fewer folds (cv=, --folds)."
            )

    def fits(self, train: Ints) -> "Fits":
        """F fits, each to the cases as often as its row of `train` (F, n) says."""
        predicted: Any = None
        left = np.arange(len(train))
        if self.known is not None:
            predicted, unsure = self._fast_probabilities(self.known, train)
            left = np.flatnonzero(unsure)
        kind = "" if self.known is None else self.known.kind
        for f in left:
            kind, found = self._one(np.repeat(np.arange(self.n), train[f]))
            if predicted is None:
                predicted = np.empty((len(train), *found.shape), dtype=found.dtype)
            predicted[f] = found
        return Fits(self, np.asarray(train), kind, predicted)

    def _fast_probabilities(self, fast: Known, train: Ints) -> tuple[Floats, Bools]:
        from scipy.special import expit

        assert self.code is not None
        labels = np.broadcast_to(self.code, train.shape)
        found = decisions(fast.learner, fast.varying, labels, train, everywhere=True, fast=True)
        if found is None:
            return np.empty((*train.shape, 2)), np.ones(len(train), dtype=bool)
        second = np.asarray(expit(found[0]))
        return np.stack([1 - second, second], axis=-1), found[1]

    def _one(self, rows: Ints) -> tuple[str, Array]:
        """What the estimator fitted to some rows predicts for all, and of which kind that is."""
        from sklearn.base import clone

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of convergence, once for every fit
                fitted = clone(self.estimator).fit(rows_of(self.X, rows), self.y[rows])
                if self.kind == "survival":
                    return "risk", self._risks(fitted)
                kind, found = predict(fitted, self.X, len(self.classes))
        except AboveChanceError:
            raise
        except Exception as why:  # of an estimator of any make
            raise self._unfit(why, rows) from why
        return kind, by_class(fitted, kind, found, np.asarray(self.classes))

    def _risks(self, fitted: Any) -> Floats:
        """Risks (n, 1), and survival at `times` in further columns (n, 1 + T)."""
        found = np.asarray(fitted.predict(self.X), dtype=np.float64).reshape(self.n, 1)
        if not getattr(fitted, "_predict_risk_score", True):  # scikit-survival: it predicts times
            found = -found
        if self.times is None:
            return found
        curves = [
            curve(np.clip(self.times, *getattr(curve, "domain", (-np.inf, np.inf))))
            for curve in fitted.predict_survival_function(self.X)
        ]
        return np.column_stack([found, np.array(curves)])

    def predictions(self, kind: str, predicted: Array, rows: Ints, **facts: Any) -> Predictions:
        """Predictions (m, …), of the kind that the estimator makes, for some cases."""
        if self.groups is not None:
            facts["groups"] = self.groups[rows]
        if self.kind == "survival":
            return Survival(
                self.y["time"][rows],
                self.y["event"][rows],
                risk=predicted[:, 0],
                survival=None if self.times is None else predicted[:, 1:],
                times=self.times,
                **facts,
            )
        whole = None if self.kind == "numeric" else self.y
        extra = {"origin": None if "fold" in facts else "test", **facts}
        return assembled(None, self.y[rows], kind, predicted, self.pos_label, extra, whole)

    def pooled(self, kind: str, fold: Ints, row: Ints, predicted: Array) -> Predictions:
        """Cross-validated predictions, in the order of repeats and cases."""
        repeat = _times_seen(row)
        order = np.lexsort((row, repeat))
        again = {"repeat": repeat[order]} if repeat.max() > 1 else {}
        return self.predictions(kind, predicted[order], row[order], fold=fold[order] + 1, **again)

    def _unfit(self, why: Exception, rows: Ints) -> DataError:
        """The refusal for an estimator that could not be fitted, with the likely cause."""
        text = [name for name, column in self.table if not _numbers(column)]
        if text:
            return DataError(
                f"features must be numbers; {listed(text)} hold{'s' * (len(text) == 1)} text. "
                "Leave such columns out, or encode them inside a pipeline."
            )
        held = () if self.code is None else np.unique(self.code[rows])
        gone = [c for k, c in enumerate(self.classes) if k not in held]
        if gone:
            return DataError(
                f"a part to train on must hold every class; one of {len(rows)} cases has none of "
                f"class {listed(gone)}. Ask for fewer folds, or collect more groups that hold it."
            )
        said = str(why).strip().splitlines()
        raise DataError(
            f"{type(self.estimator).__name__} could not be fitted to {len(rows)} of the {self.n} "
            f"cases: {said[0] if said else type(why).__name__}"
        ) from why


def _numbers(column: Array) -> bool:
    try:
        column.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def learner_words(estimator: Any) -> str:
    """An estimator on one line; the steps of a pipeline in their order.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> learner_words(make_pipeline(StandardScaler(), LogisticRegression(C=2.0)))
    'StandardScaler() followed by LogisticRegression(C=2.0)'
    """
    steps = [step for _, step in getattr(estimator, "steps", ())]
    if steps:
        return " followed by ".join(learner_words(step) for step in steps)
    return " ".join(repr(estimator).split())


def task_of(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    event: Any = None,
    times: Any = None,
    groups: Any = None,
    pos_label: Any = None,
    names: Sequence[str] | None = None,
    seed: int = 0,
    fast: bool = True,
) -> Task:
    """A task from what users give, checked; survival is `y` with `event`, or a structured `y`."""
    from sklearn.base import is_regressor

    if isinstance(estimator, type) or not (
        hasattr(estimator, "fit") and hasattr(estimator, "predict")
    ):
        raise DataError(
            "estimator must have scikit-learn's fit and predict, and not be fitted yet; got "
            f"{shown(estimator)}."
        )
    if hasattr(X, "columns") and not hasattr(X, "iloc"):  # frames of polars and Arrow
        called = getattr(X, "column_names", X.columns)
        names = names or [str(name) for name in called]
        X = np.column_stack([np.asarray(X[name]) for name in called]) if len(called) else ()
    if not isinstance(getattr(X, "shape", None), tuple):
        with errors_of("X", "must be a table of cases and features"):
            X = np.asarray(X)
    if len(X.shape) != 2 or 0 in X.shape:
        raise DataError(
            f"X must be a table of cases and features; got shape {tuple(X.shape)}. "
            "One feature: X.reshape(-1, 1)."
        )
    with errors_of("y", "must hold one value per case"):
        outcome = np.asarray(y)
    if outcome.ndim == 0:
        raise DataError(f"y must hold one value per case; got {shown(y)}.")
    apart = None if groups is None else per_case("groups", groups, len(outcome))
    if len(outcome) != X.shape[0]:
        raise DataError(f"X and y must have as many cases; got {X.shape[0]} and {len(outcome)}.")
    estimator = seeded(estimator, seed)
    called = None if names is None else tuple(str(name) for name in names)
    if called is not None and len(called) != X.shape[1]:
        raise DataError(
            f"feature_names must name each of the {X.shape[1]} features; got {len(called)} names."
        )
    if outcome.dtype.names is not None or event is not None:
        pairs = _survival(outcome, event)
        return Task(
            estimator, X, pairs, "survival", groups=apart, times=_times(times), names=called
        )
    if outcome.ndim != 1:
        raise DataError(f"y must hold one value per case; got shape {outcome.shape}.")
    outcome = per_case("y", outcome, len(outcome))
    if is_regressor(estimator):
        numbers = checks.numbers("y", outcome)
        return Task(estimator, X, numbers, "numeric", groups=apart, names=called)
    classes, code = np.unique(outcome, return_inverse=True)
    few = [str(c) for c, size in zip(classes, np.bincount(code), strict=True) if size < 2]
    if len(classes) < 2 or few:
        found = f"{listed(few)} has 1" if few else f"all {len(outcome)} are {classes[0]}"
        raise DataError(f"a classifier needs two classes of at least 2 cases each; {found}.")
    whole = tuple(classes.tolist())
    kind = "binary" if len(whole) == 2 else "multiclass"
    positive = _positive(whole, pos_label)
    way = fast_way(estimator, X) if kind == "binary" else None
    return Task(
        estimator,
        X,
        outcome,
        kind,
        classes=whole,
        pos_label=positive,
        code=code,
        groups=apart,
        names=called,
        known=way if fast else None,
        recognised=way is not None,
    )


def _positive(classes: tuple[Any, ...], pos_label: Any) -> Any:
    """The positive class of two, never guessed from spelling; None of several classes."""
    if len(classes) > 2:
        if pos_label is not None:
            raise DataError(
                f"pos_label goes with two classes; y has {len(classes)} ({listed(classes)}). "
                "For one class against the rest pass y == that class."
            )
        return None
    if pos_label is None:
        if classes in ((0, 1), (False, True)):
            return classes[-1]
        raise DataError(
            f"pos_label must say which class is positive; the classes are {listed(classes)}. "
            f"Pass pos_label={classes[-1]!r}, for instance (--positive {classes[-1]})."
        )
    for one in classes:
        if checks.same_label(one, pos_label):
            return one
    raise DataError(f"pos_label must be one of {listed(classes)}; got {pos_label!r}.")


def per_case(name: str, values: Any, n: int) -> Array:
    """One value per case, none of them missing."""
    found = checks.vector(name, values)
    if len(found) != n:
        raise DataError(f"{name} must have one value per case; got {len(found)} for {n} cases.")
    gone = checks.missing_mask(found)
    if gone is not None:
        raise DataError(
            f"{name} must not be missing; it is at {checks.rows_of(gone)}. Drop such cases."
        )
    return found


def _survival(y: Array, event: Any) -> Array:
    """Times and events as scikit-survival takes them: a table of an event and a time."""
    if y.dtype.names is not None:
        flags = [name for name in y.dtype.names if y.dtype[name].kind == "b"]
        if len(y.dtype.names) != 2 or len(flags) != 1:
            raise DataError(
                "a structured y must have two fields, one of them true or false (the event); got "
                f"{listed(list(y.dtype.names))}."
            )
        time = next(name for name in y.dtype.names if name != flags[0])
        y, event = y[time], y[flags[0]]
    checked = Survival(y, event, risk=np.zeros(len(y)))
    pairs = np.empty(len(y), dtype=[("event", np.bool_), ("time", np.float64)])
    pairs["event"], pairs["time"] = checked.event, checked.time
    return pairs


def _times(times: Any) -> Floats | None:
    return None if times is None else np.atleast_1d(checks.numbers("times", np.asarray(times)))


# ----------------------------------------------------------------------------------------------
# What the fits predict, and how good that is on any cases by any measure.
# ----------------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """Predictions (m, …) of fits for cases they are judged on: numbers of fit and case (m,)."""

    fold: Ints
    row: Ints
    predicted: Array


@dataclass(frozen=True, eq=False)
class Fits:
    """What F fits predict for every case: `predicted` (F, n, …), as scikit-learn has it."""

    task: Task
    train: Ints
    kind: str
    predicted: Array

    def __len__(self) -> int:
        return len(self.train)

    def predictions(self, f: int, rows: Any = None) -> Predictions:
        """What fit f predicts for some cases, by position or mask; for all when not said."""
        at = np.arange(self.task.n) if rows is None else np.arange(self.task.n)[rows]
        return self.task.predictions(self.kind, self.predicted[f][at], at)

    def judged(self, parts: Bools) -> "Judged":
        """What the fits predict for the cases they are judged on, as `parts` (F, n) says."""
        fold, row = np.nonzero(parts)
        return Judged(fold, row, self.predicted[fold, row])

    def pooled(self, parts: Bools) -> Predictions:
        """Judged cases (F, n), once for each fit that judges them; folds are numbered from 1."""
        return self.task.pooled(self.kind, *self.judged(parts))

    @cached_property
    def sample(self) -> Sample:
        """All cases with the predictions of every fit, as a batch."""
        return Sample.of(self.predictions(0)).predicting(**self._columns())

    def _columns(self) -> dict[str, Array]:
        """What was predicted, under the names that measures know, fits first and cases last."""
        predicted, task = self.predicted, self.task
        if task.kind == "survival":
            found = {"risk": predicted[..., 0]}
            if task.times is not None:
                found["survival"] = np.moveaxis(predicted[..., 1:], -1, -2)
            return found
        if task.kind == "numeric":
            whole = predicted.astype(np.float64)
            return {"value": np.moveaxis(whole, -1, -2) if whole.ndim == 3 else whole[:, None, :]}
        if task.kind == "multiclass":
            if self.kind == "label":
                return {"label": np.searchsorted(np.asarray(task.classes), predicted)}
            by = np.moveaxis(predicted, -1, -2)
            return {"probability": by, "score": by, "label": by.argmax(axis=-2)}
        second = next(k for k, c in enumerate(task.classes) if checks.same_label(c, task.pos_label))
        if self.kind == "label":
            return {"label": predicted == task.classes[second]}
        if self.kind == "score":
            score = predicted if second else -predicted
            return {"score": score, "label": score > 0.0}
        p = predicted[..., second]
        return {"probability": p, "score": p, "label": p > 0.5}

    def values(self, measures: Sequence[Measure], judged: Array | None = None) -> dict[str, Floats]:
        """Measures (F,) by label, each fit judged on the cases as often as `judged` (F, n) says."""
        return {m.label: self._value(m, judged) for m in measures}

    def _value(self, measure: Measure, judged: Array | None) -> Floats:
        if judged is None and measure.form is not Form.RANKS:
            return evaluate(measure, self.sample)
        judged = np.ones(self.train.shape, dtype=np.int64) if judged is None else judged
        counts = np.broadcast_to(judged, self.train.shape).astype(np.int64)
        some = counts.sum(axis=1) > 0
        found = np.full(len(self), np.nan)
        if measure.form is Form.RANKS and self.task.kind == "binary" and some.any():
            return np.where(some, self._ranked(measure, counts), np.nan)
        if measure.needs_index_draws or not measure.weighted:
            for f, one in enumerate(self.sample.rows()):
                if some[f]:
                    rows = np.repeat(np.arange(self.task.n), counts[f])
                    found[f] = float(evaluate(measure, one.taken(rows)))
            return found
        if some.all():
            return evaluate(measure, self.sample.reweighted(counts.astype(np.float64)))
        kept = replace(self, train=self.train[some], predicted=self.predicted[some])
        if some.any():
            found[some] = kept._value(measure, counts[some])
        return found

    def _ranked(self, measure: Measure, counts: Ints) -> Floats:
        """Measures of ranks of all fits at once: cases spelled out, filled up in a fold apart."""
        sizes = counts.sum(axis=1)
        fit, row = np.nonzero(counts)
        times = counts[fit, row]
        fit, row = np.repeat(fit, times), np.repeat(row, times)
        place = np.arange(len(fit)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = np.zeros((len(self), int(sizes.max())), dtype=np.int64)
        rows[fit, place] = row
        filled = np.arange(rows.shape[1]) >= sizes[:, None]
        columns = {
            "outcome": self.sample.outcome.astype(np.int64)[rows],
            "score": np.take_along_axis(self.sample.column("score"), rows, axis=1),
        }
        spelled = Sample(kind="binary", classes=2, columns=columns)
        return evaluate(measure, spelled.folded(filled.astype(np.int64)))[:, 0]


def _times_seen(rows: Ints) -> Ints:
    """How often each entry has occurred, up to and with itself.

    >>> _times_seen(np.array([4, 7, 4, 4]))
    array([1, 1, 2, 3])
    """
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    new = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    sizes = np.diff(np.append(new, len(rows)))
    seen = np.empty(len(rows), dtype=np.int64)
    seen[order] = np.arange(len(rows)) - np.repeat(new, sizes) + 1
    return seen


# ----------------------------------------------------------------------------------------------
# The measures of a task: those named, or those that suit its kind of outcome.
# ----------------------------------------------------------------------------------------------


USUAL = {
    "binary": (
        "auc",
        "brier",
        "log_score",
        "calibration_slope",
        "nagelkerke_r2",
        "balanced_accuracy",
        "sensitivity",
        "specificity",
    ),
    "multiclass": ("auc", "brier", "log_score", "balanced_accuracy", "accuracy"),
    "numeric": ("r2", "rmse", "mae", "linear_calibration_slope"),
    "survival": ("c_index", "uno_c", "integrated_brier"),
}
"""Measures of a model that is yet to be validated, when none are named."""


def measures_for(
    task: Task,
    predictions: Predictions,
    asked: str | Measure | Iterable[str | Measure] | None,
) -> tuple[tuple[Measure, ...], list[str]]:
    """The measures to judge by, in the version for these predictions, and which usual ones cannot.

    One that was asked for and cannot be computed is refused, with what the estimator lacks.
    """
    chosen = named(USUAL[task.kind] if asked is None else asked)
    found, without = [], []
    for m in (at_threshold(m.for_outcome(predictions.kind), predictions) for m in chosen):
        why = obstacle(m, predictions)
        if why is None:
            found.append(version_for(m, predictions))
        elif asked is None:
            without.append(m.title)
        else:
            raise NotApplicable(f"{why} {_lacking(task, predictions)}".strip())
    if not found:
        raise NotApplicable(
            f"no usual measure suits what {type(task.estimator).__name__} predicts."
        )
    return tuple(found), without


def _lacking(task: Task, predictions: Predictions) -> str:
    """What an estimator would need to predict for most measures."""
    if task.kind in ("binary", "multiclass") and "probability" not in predictions.views:
        return (
            f"{type(task.estimator).__name__} has no predict_proba: wrap it in scikit-learn's "
            "CalibratedClassifierCV, or name measures of labels."
        )
    if task.kind == "survival" and task.times is None:
        return "Name the times at which survival is to be predicted (times=)."
    return ""
