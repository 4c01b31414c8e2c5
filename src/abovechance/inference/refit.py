"""Is a learner better than chance? `permutation_test` refits it under permuted outcomes."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.gate import Column, Features, Trainable, errors_of
from abovechance.inference.permutation import null_values, scheme_of
from abovechance.inference.results import Result, Sequel
from abovechance.learning.from_sklearn import (
    Known,
    assembled,
    converged,
    cross_fitted,
    cross_predictions,
    folds_of_each,
    known,
    seeded,
    seeded_splitter,
    splits_of,
    splitter_of,
)
from abovechance.learning.learners import LDA, LinearSVM
from abovechance.measures import Measure, find
from abovechance.measures.catalogue import named
from abovechance.measures.measure import Form, Law
from abovechance.measures.sample import COUNTING, Sample, evaluate, last_true
from abovechance.numerics.kernels import worthwhile
from abovechance.predictions import Binary, Predictions, checks
from abovechance.predictions.checks import aligned
from abovechance.resampling import tail
from abovechance.resampling.draws import codes, labellings, members
from abovechance.resampling.replicates import CELLS, JOINED
from abovechance.settings import Settings, settled
from abovechance.signal import present

# ----------------------------------------------------------------------------------------------
# Measures of many labellings of two classes at once: fold by fold, then their mean.
# ----------------------------------------------------------------------------------------------


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
    level = np.atleast_2d(probability)
    ordered = np.sort(level, axis=-1)
    apart = ordered[:, 1:] - ordered[:, :-1] > TIED * np.minimum(ordered, 1 - ordered)[:, 1:]
    some = np.flatnonzero(~apart.all(axis=-1))
    if not len(some):
        return probability
    ordered = ordered[some]
    new = np.ones(ordered.shape, dtype=bool)
    new[:, 1:] = apart[some] | (np.diff(np.sign(ordered - 0.5), axis=-1) != 0)
    first = np.take_along_axis(ordered, last_true(new), axis=-1)
    rows, level = level[some], level.copy()
    order = np.argsort(rows, axis=-1, kind="stable")
    np.put_along_axis(rows, order, first, axis=-1)
    level[some] = rows
    return level.reshape(probability.shape)


def fold_means(measure: Measure, sample: Sample) -> Floats:
    """Mean over folds of every labelling (B,); of all cases where a fold leaves it undefined.

    A mean over classes is undefined in a fold that lacks one.
    """
    values, there = evaluate(measure, sample), sample.fold_sizes > 0
    mean = np.where(there, values, 0.0).sum(axis=-1) / there.sum(axis=-1)
    wanting = ~np.isfinite(values)
    if over_classes(measure):
        positives = sample.fold_sums(sample.outcome.astype(np.float64))
        wanting |= (positives == 0) | (positives == sample.fold_sizes)
    undefined = np.asarray((there & wanting).any(axis=-1))
    if undefined.any():
        some = {name: column[undefined] for name, column in sample.columns.items()}
        pooled = replace(sample, columns={**some, "fold": np.zeros_like(some["fold"])})
        mean[undefined] = evaluate(measure, pooled)[:, 0]
    return np.asarray(mean)


def labelled(positive: Ints, predicted: Floats, threshold: float) -> Sample:
    """Labellings of two classes (B, n), and what was predicted for the cases of each."""
    columns = {
        "outcome": positive,
        "label": predicted > threshold,
        "score": predicted,
        "probability": predicted,
    }
    return Sample(kind="binary", classes=2, columns=columns)


# ----------------------------------------------------------------------------------------------
# Measures of a learner refitted under permuted outcomes, fold by fold or all together.
# ----------------------------------------------------------------------------------------------


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

    Measures other than those of labels and of ranks are for estimators that predict probabilities.
    """

    known: Known
    singly: Refits

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return self.values(self.drawn(rng, size))

    def drawn(self, rng: np.random.Generator, size: int) -> Ints:
        """Labellings (size, n)."""
        return self.codes[self.singly.scheme.draw(rng, size)]

    def observed(self) -> dict[str, float]:
        """The measures for the outcomes as they are."""
        values = self._of(self.codes[None], self.first_folds, self._first)
        labels = [m.label for m in self.singly.measures]
        return {name: float(value[0]) for name, value in zip(labels, values, strict=True)}

    def predictions(self) -> Predictions:
        """Predictions for the outcomes as they are."""
        assert self.first_folds is not None
        return self._assembled(self.codes, self._first[0], self.first_folds[0])

    @cached_property
    def first_folds(self) -> Ints | None:
        """The folds (1, n) of the outcomes as they are; None unless all are tested once."""
        return next(iter(self._folds_of(self.codes[None])))[1]

    @cached_property
    def _first(self) -> Floats:
        """What is predicted (1, n) for the outcomes as they are."""
        assert self.first_folds is not None
        return self._predicted(self.codes[None], self.first_folds)

    @cached_property
    def classes(self) -> Array:
        """The two classes, sorted."""
        return np.unique(self.singly.y)

    @cached_property
    def codes(self) -> Ints:
        """Outcomes as numbers 0 and 1 of the sorted classes."""
        return np.searchsorted(self.classes, self.singly.y)

    @cached_property
    def _answered(self) -> dict[Any, Ints | None]:
        """What the splitter has answered."""
        return {}

    def values(self, labels: Ints) -> dict[str, Array]:
        """The mean over folds of each measure (B,) for labellings (B, n)."""
        found = {m.label: np.empty(len(labels)) for m in self.singly.measures}
        parts: list[tuple[Ints, Ints | None]] = list(self._folds_of(labels))
        known = [folds for _, folds in parts if folds is not None]
        if len(known) == len(parts) > 1:  # all at once
            parts = [(np.concatenate([rows for rows, _ in parts]), np.concatenate(known))]
        for rows, folds in parts:
            for m, values in zip(self.singly.measures, self._of(labels[rows], folds), strict=True):
                found[m.label][rows] = values
        return found

    def _folds_of(self, labels: Ints) -> Iterator[tuple[Ints, Ints | None]]:
        alone = self.singly
        return folds_of_each(alone.splitter, alone.X, labels, alone.cv_groups, self._answered)

    def _predicted(self, labels: Ints, folds: Ints, sides: bool = False) -> Floats:
        ranked = any(m.form is Form.RANKS for m in self.singly.measures)
        return cross_predictions(self.known, labels, folds, ranked=ranked, sides=sides)

    def _of(self, labels: Ints, folds: Ints | None, known: Floats | None = None) -> list[Any]:
        """The measures of labellings, of predictions that are `known` already, if any."""
        measures = self.singly.measures
        if folds is None:  # rows tested twice or never
            each = [self.singly.values(self.classes[row]) for row in labels]
            return [[row[m.label] for row in each] for m in measures]
        sides = known is None and all(m.form in COUNTING for m in measures)
        predicted = self._predicted(labels, folds, sides) if known is None else known
        probable = self.known.kind == "probability" and not sides
        if probable and not all(m.form in COUNTING for m in measures):
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

    The numbers are the same, to the tolerance of scikit-learn's solver where it stops before its
    optimum, so a stored run goes on either way.
    """

    singly: Refits
    together: TogetherRefits | None = field(compare=False)

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return (self.together or self.singly)(rng, size)

    @property
    def joins(self) -> bool:
        """Whether labellings of several blocks can be done as one, bit for bit the same."""
        small = len(self.singly.y) * JOINED <= CELLS
        return small and self.together is not None and self.together.known.one_by_one

    def drawn(self, rng: np.random.Generator, size: int) -> Ints:
        """Labellings (size, n)."""
        assert self.together is not None
        return self.together.drawn(rng, size)

    def of(self, draws: Sequence[Ints]) -> Iterator[dict[str, Array]]:
        """The measures of the labellings of several blocks."""
        assert self.together is not None
        found, end = self.together.values(np.concatenate(draws)), 0
        for labels in draws:
            begin, end = end, end + len(labels)
            yield {name: values[begin:end] for name, values in found.items()}


def _both_classes(second: Floats) -> Floats:
    """Probabilities (n, 2) of both classes from those of the second."""
    return np.stack([1 - second, second], axis=1)


def over_folds(measure: Measure, predictions: Predictions) -> float:
    """Mean over folds; of all cases together where a fold leaves the measure undefined.

    A mean over classes is undefined in a fold that lacks one of those tested.
    """
    fold = predictions.cases.fold
    assert fold is not None
    if predictions.one_class:
        return float("nan")
    if over_classes(measure) and _class_missing(predictions.codes, fold):
        return measure.of(predictions)
    values = [measure.of(predictions.take(fold == k)) for k in np.unique(fold)]
    return float(np.mean(values)) if np.isfinite(values).all() else measure.of(predictions)


def _class_missing(actual: Array | None, fold: Array) -> bool:
    """Whether a fold lacks a class that another one has."""
    if actual is None:
        return False
    classes, code = np.unique(actual, return_inverse=True)
    folds, at = np.unique(fold, return_inverse=True)
    return len(np.unique(at * len(classes) + code)) < len(folds) * len(classes)


# ----------------------------------------------------------------------------------------------
# What must hold before a learner is refitted under permuted outcomes, and what to say of it.
# ----------------------------------------------------------------------------------------------


FEW = 100  # labellings
SMALL = 1e-9
CODED = ([0, 1], [False, True])
HYPOTHESES = {
    "labels": "features and outcome are independent",
    "within": "within blocks, features and outcome are independent",
    "blocks": "features and outcome of whole blocks are independent",
}


def positive_class(measures: Sequence[Measure], y: Array, pos_label: Any) -> Any:
    """The class to call positive: as stated, else the last one where it makes no difference."""
    classes = np.unique(y).tolist()
    if pos_label is not None or len(classes) != 2 or classes in CODED:
        return pos_label
    needing = [m.label for m in measures if "binary" in m.outcomes and not symmetric(m)]
    if needing:
        raise DataError(
            f"pos_label must say which class is positive for {listed(needing)}; the classes are "
            f"{listed(classes)}. Pass pos_label={classes[-1]!r}, for instance."
        )
    return classes[-1]


def symmetric(measure: Measure) -> bool:
    """Whether a measure of two classes is the same whichever of them is called positive.

    >>> from abovechance.measures import find
    >>> [symmetric(find(name)) for name in ("accuracy", "auc", "sensitivity")]
    [True, True, False]
    """
    if not measure.directed:
        return True
    one, other = (measure.of(made) for made in _witnesses())
    return bool(abs(one - other) <= SMALL)


@cache
def _witnesses() -> tuple[Binary, Binary]:
    """Predictions in which the classes have nothing in common, and the same the other way round."""
    rng = np.random.default_rng(0)
    y = (np.arange(60) % 10 < 3).astype(np.int64)
    p = np.clip(0.5 * rng.random(60) + 0.3 * y, 0.01, 0.99)
    return Binary(y, probability=p), Binary(1 - y, probability=1 - p)


def check_groups(y: Array, permute: str, blocks: Any, cv_groups: Any, word: str) -> None:
    """Refuse to exchange outcomes between parts of groups that have one outcome each.

    `word` is what the caller called them, `groups` or `cv_groups`.
    """
    if cv_groups is None:
        return
    groups = np.asarray(cv_groups)
    if groups.shape[:1] != y.shape[:1]:
        raise DataError(f"{word} must hold one value for each of the {len(y)} cases.")
    group = codes(groups)
    if not _constant(y, group) or not _several_units(group, permute, blocks):
        return
    raise NotApplicable(
        f"outcomes are constant within every group of {word}, so groups and not their parts "
        f"are exchangeable; permute whole groups instead (permute='blocks', blocks={word})."
    )


def _constant(y: Array, group: Ints) -> bool:
    """Whether the outcome is the same in all cases of each group."""
    return all((y[part] == y[part[0]]).all() for part in members(group))


def _several_units(group: Ints, permute: str, blocks: Any) -> bool:
    """Whether some group holds more than one of the units that exchange outcomes."""
    unit = codes(blocks) if permute == "blocks" else np.arange(len(group))
    return len(np.unique(np.stack([group, unit]), axis=1).T) > group.max() + 1


def splits_blocks(splitter: Any, X: Any, y: Array, blocks: Any, cv_groups: Any) -> bool:
    """Whether some block is trained on and tested at once."""
    block = codes(blocks)
    splits = splits_of(splitter, X, y, cv_groups)
    return any(np.isin(block[test], block[train]).any() for train, test in splits)


def refit_advice(
    y: Array,
    permute: str,
    blocks: Any,
    cv_groups: Any,
    measures: Sequence[Measure],
    split_blocks: bool,
    word: str,
) -> Iterator[Advice]:
    """What a reader of a refit test should know; `word` is what the caller called the groups."""
    number = labellings(y, permute, blocks)
    if number < FEW:
        yield Advice(
            "AC645",
            f"permuting gives {number:.0f} different labellings, so p cannot fall much below "
            f"{1 / number:.2g}.",
        )
    if permute == "within":
        yield Advice("AC646", "outcomes moved within blocks: this tests prediction within them.")
    if len(measures) > 1:
        yield Advice("AC647", "several measures of one learner: name the primary one beforehand.")
    if split_blocks:
        yield Advice(
            "AC648",
            "cases of one block are both trained on and tested, so a learner can recognise the "
            f"block instead of predicting the outcome; keep blocks together ({word}=blocks, and "
            "folds by number or by a splitter that reads them).",
        )
    if permute == "labels" and cv_groups is not None and _several_units(codes(cv_groups), "", None):
        yield Advice(
            "AC649",
            f"outcomes moved between groups of {word}, which is right only if cases of one group "
            "are no more alike than others; else permute within them (permute='within', "
            f"blocks={word}).",
        )


# ----------------------------------------------------------------------------------------------
# Is a learner better than chance? Refit it under permuted outcomes and compare.
# ----------------------------------------------------------------------------------------------


BLOCK = 8  # refits of an estimator of unknown cost
TOGETHER_BLOCK = 128  # refits of one for which there is a fast way, whether taken or not
LARGE_BLOCKS = (LDA, LinearSVM)  # the others keep the draws they had before there was a way


@dataclass(frozen=True, kw_only=True)
class RefitRow:
    """One measure of a refit permutation test.

    `undefined` says why the outcomes as they are have no value, and then no p.
    """

    measure: str
    title: str
    value: float
    p_value: float
    draws: int
    null_mean: float
    null_sd: float
    stopped: Sequel | None = None
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class RefitTest(Result, kind="permutation_test"):
    """A learner under cross-validation, tested by refitting it under permuted outcomes.

    `together` says whether the learner was trained by the fast way for all permutations at once,
    or by scikit-learn one by one; the numbers are the same, but for what the tolerance of a
    logistic regression or `LinearSVC` leaves open. `described` names learner and folds.
    """

    tests: tuple[RefitRow, ...]
    n: int
    permute: str
    hypothesis: str
    seed: int
    together: bool
    null: dict[str, Floats]
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __iter__(self) -> Iterator[RefitRow]:
        return iter(self.tests)

    def __len__(self) -> int:
        return len(self.tests)

    def __getitem__(self, measure: str) -> RefitRow:
        labels = {find(measure).label, find(measure).for_outcome("multiclass").label, measure}
        for row in self.tests:
            if row.measure in labels:
                return row
        raise NotApplicable(f"{measure!r} was not tested.")

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in super().to_dict().items() if key != "null"}

    def rows(self) -> list[dict[str, Any]]:
        """The tests as rows of a table; `stopped` is what a sequential test decided."""
        return [
            vars(row) | {"stopped": None if row.stopped is None else row.stopped.decision}
            for row in self.tests
        ]


@settled
def permutation_test(
    estimator: Trainable,
    X: Features,
    y: Column,
    *,
    cv: Any = 5,
    measures: str | Measure | Iterable[str | Measure] = ("balanced_accuracy",),
    permute: str = "labels",
    blocks: Column | None = None,
    groups: Column | None = None,
    cv_groups: Column | None = None,
    pos_label: Any = None,
    fast: bool = True,
    **given: Any,
) -> RefitTest:
    """Test whether a learner predicts better than chance, refitting it under permuted outcomes.

    The whole cross-validation is repeated for every permutation, splitting and preprocessing
    included, so dependence between folds is in the null as it is in the observed value. A value
    is the mean over folds; of all cases where folds are too small for the measure: it is undefined
    in one, or averages classes of which one is missing there. Where a training part holds a single
    class, that one is predicted.

    Parameters
    ----------
    estimator
        Any scikit-learn estimator or pipeline.
    X
        Features: cases × features.
    y
        Observed classes or numbers.
    cv
        Number of folds or a scikit-learn splitter, which splits anew for every permutation.
    measures
        A name or measure, or several; all are computed from the same refits.
    permute
        "labels": outcomes move freely. "within": within each block (repeated measures of a
        subject). "blocks": blocks exchange their outcomes as wholes (labels constant per block).
    blocks
        The block of each case, for `permute="within"` and `permute="blocks"`.
    groups, cv_groups
        Clusters that cross-validation keeps together, as scikit-learn means `groups`. Where
        outcomes are constant within all of them, they are also what can be permuted:
        `permute="blocks", blocks=groups`.
    pos_label
        The positive class of two that are not coded 0/1; needed for measures that depend on it.
    fast
        Train linear discriminants, linear support vector machines and logistic regressions
        (`learning.recognise`) on all permutations together where this gives scikit-learn's own
        numbers: two classes, every case tested once, measures of labels, of ranks and, but for
        machines, of probabilities. Logistic regressions and `LinearSVC` are trained to their
        optimum, where scikit-learn's solvers stop within their `tol` of it. False always refits
        one by one.

    Returns
    -------
    RefitTest
        One row per measure; `test["auc"]` has its value, p-value and null mean.

    Raises
    ------
    DataError
        If the values are not what they must be, or both `groups` and `cv_groups` are given.
    NotApplicable
        If a measure has no better direction, or the permutation does not suit the blocks.

    See Also
    --------
    detect : whether classes differ in their features, by statistics made for it.
    significance.permutation : of predictions that are there, without refits.

    References
    ----------
    Ojala & Garriga (2010), test 1; Gandy (2009).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> permutation_test(GaussianNB(), X[:60], y[:60], cv=3, draws=19, rng=1)["bac"].p_value
    0.05
    """
    from sklearn.base import clone

    settings = Settings.of("permutation_test", given)
    if groups is not None and cv_groups is not None:
        raise DataError("give groups= or cv_groups=, two words for the same; not both.")
    word = "groups" if cv_groups is None else "cv_groups"
    cv_groups = groups if cv_groups is None else cv_groups
    columns, _, notes = aligned({"X": X, "y": y, "blocks": blocks, word: cv_groups})
    outcome, blocks, cv_groups = (columns[name] for name in ("y", "blocks", word))
    outcome = present("outcomes", outcome)
    blocks = None if blocks is None else present("blocks", blocks)
    cv_groups = None if cv_groups is None else present(word, cv_groups)
    scheme = scheme_of(outcome, permute, blocks)
    check_groups(outcome, permute, blocks, cv_groups, word)
    named = _named(measures)
    singly = Refits(
        estimator=seeded(estimator, settings.seed),
        X=X,
        y=outcome,
        cv=seeded_splitter(list(cv) if isinstance(cv, Iterator) else cv, settings.seed),
        cv_groups=cv_groups,
        measures=named,
        pos_label=positive_class(named, outcome, pos_label),
        seed=settings.seed,
        scheme=scheme,
    )
    recognised = known(singly.estimator, X) if len(np.unique(outcome)) == 2 else None
    if recognised is not None:
        singly = replace(singly, level=recognised.kind == "probability")
    together = _fast_refits(recognised, singly)
    block = BLOCK
    if together is not None and isinstance(together.known.learner, LARGE_BLOCKS):
        block = TOGETHER_BLOCK
    if not fast or not worthwhile(settings.flips * len(outcome)):
        together = None
    elif together is not None and not together.known.surely_fits(X, outcome):
        with errors_of(estimator, "could not be fitted to these rows"):
            fitted = clone(singly.estimator).fit(X, outcome)  # it may refuse them
        together = together if converged(fitted) else None
    if together is None:
        first = singly.predictions(outcome)
        chosen = _fitted(named, first)
        observed = {m.label: over_folds(m, first) for m in chosen}
    else:  # by the same arithmetic as under permutation
        chosen = _fitted(named, together.predictions())
        observed = together.observed()
    singly = replace(singly, measures=chosen)
    main = chosen[0]
    null, sequel = null_values(
        EitherWay(singly, together),
        settings,
        block,
        first=(main.label, observed[main.label], _side(main)),
    )
    rows = [
        _row(m, observed[m.label], null[m.label], sequel if m is main else None) for m in chosen
    ]
    leaks = permute == "blocks" and splits_blocks(singly.splitter, X, outcome, blocks, cv_groups)
    return RefitTest(
        tests=tuple(rows),
        n=len(outcome),
        permute=permute,
        hypothesis=HYPOTHESES[permute],
        seed=settings.seed,
        together=together is not None,
        null=null,
        advice=(*notes, *refit_advice(outcome, permute, blocks, cv_groups, chosen, leaks, word)),
        described=f"{_text(estimator)}, cross-validated by {_text(singly.splitter)}",
    )


def _row(measure: Measure, value: float, null: Floats, sequel: Sequel | None) -> RefitRow:
    """A value against those under permutation; what is undefined there is left out of the mean."""
    found = tail(value, null, alternative=_side(measure))
    defined = null[~np.isnan(null)]
    with np.errstate(invalid="ignore"):  # infinite values have no spread
        mean, sd = (defined.mean(), defined.std()) if len(defined) else (np.nan, np.nan)
    why = (measure.undefined or "not defined for these cases") if np.isnan(value) else None
    return RefitRow(
        measure=measure.label,
        title=measure.title,
        value=value,
        p_value=found.p_value,
        draws=found.draws,
        null_mean=float(mean),
        null_sd=float(sd),
        stopped=sequel if why is None else None,
        undefined=why,
    )


def _fast_refits(found: Known | None, singly: Refits) -> TogetherRefits | None:
    """The fast way to the same numbers, where there is one."""
    if found is None:
        return None
    ordering = all(m.form in (*COUNTING, Form.RANKS) for m in singly.measures)
    if found.kind != "probability" and not ordering:
        return None
    together = TogetherRefits(found, singly)
    return None if together.first_folds is None else together


def _side(measure: Measure) -> Any:
    return "greater" if measure.higher_is_better else "less"


def _named(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    return tuple(named(measures))


def _fitted(measures: Iterable[Measure], predictions: Predictions) -> tuple[Measure, ...]:
    from abovechance.measures.evaluation import fit

    found = tuple(fit(m, predictions) for m in measures)
    for m in found:
        if m.higher_is_better is None:
            raise NotApplicable(f"{m.title} has no better direction to test.")
    return found


def _text(thing: Any) -> str:
    """A learner or splitter in one line."""
    splits = getattr(thing, "cv", None)
    if isinstance(splits, list):
        return f"{len(splits)} given splits"
    return " ".join(repr(thing).split())
