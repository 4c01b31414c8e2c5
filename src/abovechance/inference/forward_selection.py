"""Which features, and in which order? `select`: greedy forward selection by any measure."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable, listed, shown
from abovechance.inference.refit import (
    BATCHED,
    fold_means,
    labelled,
    levelled,
    over_folds,
    positive_class,
)
from abovechance.inference.results import Result
from abovechance.learning.from_sklearn import (
    assembled,
    cross_fitted,
    seeded,
    seeded_splitter,
)
from abovechance.learning.learner_tasks import per_case
from abovechance.learning.learners import RidgeLogistic
from abovechance.measures import Measure
from abovechance.measures.catalogue import named
from abovechance.measures.evaluation import fit
from abovechance.numerics.logistic import fit_logistics
from abovechance.predictions import Predictions
from abovechance.predictions.checks import aligned, same_label
from abovechance.resampling.draws import codes, members
from abovechance.settings import Settings, settled, whole_number
from abovechance.signal import classes_of, features_of, holds_numbers, numbers_of

Split = tuple[Ints, Ints]  # rows to fit on, and rows to judge on

# ----------------------------------------------------------------------------------------------
# Cases to fit on and cases to judge on: a part held out, folds, or what a splitter says.
# ----------------------------------------------------------------------------------------------


def splits_of(
    cv: Any,
    rows: Ints,
    y: Array,
    strata: Ints | None,
    rng: Any,
    groups: Ints | None = None,
) -> list[Split]:
    """The splits of some rows: a share of them held out once, so many folds, or a splitter's.

    Shares and folds have their part of every class; groups stay whole.

    >>> rng = np.random.default_rng(1)
    >>> [(train, test)] = splits_of(0.25, np.arange(8), np.zeros(8), np.repeat([0, 1], 4), rng)
    >>> len(train), test
    (6, array([0, 7]))
    """
    if not isinstance(cv, int | float):
        own = None if groups is None else groups[rows]
        given = cv.split(rows[:, None], y[rows], own) if hasattr(cv, "get_n_splits") else cv
        return [(rows[train], rows[test]) for train, test in given]
    unit, layer = units_of(rows, strata, groups)

    def dealt() -> list[Split]:
        fold, before = np.empty(len(layer), dtype=np.int64), 0
        for place in (rng.permutation(some) for some in members(layer)):
            if cv < 1:
                fold[place] = np.arange(len(place)) >= held_out(float(cv), len(place))
            else:
                fold[place] = (before + np.arange(len(place))) % int(cv)
                before += len(place)
        parts = range(1 if cv < 1 else int(cv))
        return [(rows[fold[unit] != part], rows[fold[unit] == part]) for part in parts]

    if groups is None:
        return dealt()
    return with_every_class(dealt, strata)


def units_of(rows: Ints, strata: Ints | None, groups: Ints | None) -> tuple[Ints, Ints]:
    """The number of each row's unit, which is its group or itself, and a layer for every unit.

    Layers are the classes; all groups are in one where some of them hold several classes.

    >>> units_of(np.arange(4), np.array([0, 0, 1, 1]), np.array([5, 5, 7, 8]))
    (array([0, 0, 1, 2]), array([0, 1, 1]))
    """
    own = np.arange(len(rows)) if groups is None else groups[rows]
    _, first, unit = np.unique(own, return_index=True, return_inverse=True)
    unit = unit.ravel()
    layer = np.zeros(len(first), dtype=np.int64)
    if strata is not None and (strata[rows][first][unit] == strata[rows]).all():
        layer = strata[rows][first]
    return unit, layer


TRIES = 1_000  # draws of parts of whole groups before it is given up that all hold every class


def with_every_class(draw: Callable[[], list[Split]], strata: Ints | None) -> list[Split]:
    """Parts of whole groups, drawn again while one of them misses a class or has no case."""
    everything = 1 if strata is None else int(strata.max()) + 1
    for _ in range(TRIES):
        found = draw()
        held = [
            min(1, len(part)) if strata is None else len(np.unique(strata[part]))
            for split in found
            for part in split
        ]
        if min(held) == everything:
            return found
    raise DataError(
        f"every part must hold all classes; {TRIES} draws of whole groups in a row left one out. "
        "Collect more groups, or ask for fewer folds (cv=, --cv)."
    )


def held_out(share: float, cases: int) -> int:
    """How many of so many cases are judged on: their share, but at least one.

    >>> held_out(1 / 3, 134), held_out(0.1, 4)
    (45, 1)
    """
    return max(1, round(share * cases))


WHOLE = 2**53  # beyond it a number of folds is none


def checked_cv(cv: Any, seed: int) -> Any:
    """A share, a number of folds or a splitter; what is left to chance set by the seed."""
    if isinstance(cv, bool) or not (isinstance(cv, Real) or hasattr(cv, "get_n_splits")):
        if isinstance(cv, list | tuple | Iterator):
            return [_checked_split(one) for one in cv] or _no_split()
        raise DataError(
            "cv must be a share of cases to hold out, as 1/3, a number of folds, as 5, or a "
            f"scikit-learn splitter; got {shown(cv)}."
        )
    if isinstance(cv, Real):
        number = float(cv) if cv < WHOLE else float("inf")
        if not 0 < number < 1 and not (number.is_integer() and number >= 2):
            raise DataError(
                "cv must be a share between 0 and 1 to hold out, or a number of folds from 2 on; "
                f"got {shown(cv)}."
            )
        return number if number < 1 else int(number)
    return seeded_splitter(cv, seed)


def _checked_split(given: Any) -> Split:
    """Rows to fit on and rows to judge on, by number; neither empty."""
    try:
        train, test = (np.asarray(rows, dtype=np.int64) for rows in given)
    except (TypeError, ValueError):
        train = test = np.zeros(0, dtype=np.int64)
    if train.ndim != 1 or test.ndim != 1 or not len(train) or not len(test):
        raise DataError(
            "splits in cv must be pairs of row numbers, to fit on and to judge on; got "
            f"{shown(given)}."
        )
    return train, test


def _no_split() -> Any:
    raise DataError("cv must give at least one split; it gave none.")


def fewest(cv: Any) -> int:
    """How many cases of a class there must be for every part to have one of it."""
    return cv if isinstance(cv, int) else 2


def enough_of_each(y: Array, needed: int, why: str) -> None:
    """Refuse classes with fewer cases than are needed."""
    classes, counts = np.unique(y, return_counts=True)
    least = int(counts.argmin())
    if counts[least] < needed:
        raise DataError(
            f"every class must have at least {needed} cases, {why}; {classes[least].item()!r} has "
            f"{counts[least]}. Collect more, or merge it with another class."
        )


def cv_words(cv: Any) -> str:
    """How models were judged, as the end of a sentence.

    >>> cv_words(1 / 3), cv_words(5)
    ('on a third of the cases, held out', 'in 5 folds')
    """
    if isinstance(cv, list):
        return f"by {len(cv)} given splits"
    if isinstance(cv, int):
        return f"in {cv} folds"
    if not isinstance(cv, float):
        return f"by {' '.join(repr(cv).split())}"
    known = {1 / 2: "half", 1 / 3: "a third", 1 / 4: "a quarter", 1 / 5: "a fifth"}
    return f"on {known.get(cv, f'{cv:.0%}')} of the cases, held out"


# ----------------------------------------------------------------------------------------------
# Models fitted to some features on some rows, judged on others: one by one, or many at once.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Judge:
    """Measures of a learner that sees some of the features, as often as is asked.

    `together` predicts for many fits at once, where there is a way to; the numbers are the same.
    """

    learner: Any
    X: Floats
    y: Array
    measures: tuple[Measure, ...]
    pos_label: Any = None
    together: "Logistics | None" = field(default=None, compare=False)

    def values(self, splits: Sequence[Sequence[Split]], sample: Ints, chosen: Bools) -> Floats:
        """Values (C, M) of fits to the splits of a sample (C,), by features (C, p)."""
        found = np.empty((len(sample), len(self.measures)))
        rest: Bools = np.ones(len(sample), dtype=bool)
        if self.together is not None:
            rest = np.asarray(~chosen.any(axis=1))
            found[~rest] = self.together.values(self, splits, sample[~rest], chosen[~rest])
        for at in np.flatnonzero(rest):
            made = self.predictions(splits[sample[at]], chosen[at])
            found[at] = [over_folds(m, made) for m in self.measures]
        return found

    def predictions(self, splits: Sequence[Split], chosen: Bools) -> Predictions:
        """Predictions for the rows judged on; without features the same one for all of them."""
        learner, X = (self.learner, self.X[:, chosen]) if chosen.any() else (self.same, self.X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fits to few cases often do not converge
            made = cross_fitted(learner, X, self.y, cv=list(splits), lone=True)
        if self.together is not None:  # two roads to one probability must not differ in ranks
            second = levelled(made.prediction[:, 1])
            made = made._replace(prediction=np.stack([1 - second, second], axis=1))
        return made.assembled(self.pos_label)

    @cached_property
    def same(self) -> Any:
        """What predicts the same for every case: the shares of the classes, or the mean."""
        from sklearn.base import is_regressor
        from sklearn.dummy import DummyClassifier, DummyRegressor

        if is_regressor(self.learner):
            return DummyRegressor()
        return DummyClassifier(strategy="prior")


FITS = 2048  # logistic regressions at a time, so that their tables do not fill the memory


@dataclass(frozen=True, eq=False)
class Logistics:
    """Logistic regressions of many selections and many parts of the cases, all at once."""

    learner: RidgeLogistic
    codes: Ints
    classes: Array

    def values(
        self, judge: Judge, splits: Sequence[Sequence[Split]], sample: Ints, chosen: Bools
    ) -> Floats:
        """As `Judge.values`; samples that are split alike are worked on together."""
        found = np.empty((len(sample), len(judge.measures)))
        shape = np.array([[len(one), sum(len(test) for _, test in one)] for one in splits])
        for like in np.unique(shape, axis=0):
            rows = np.flatnonzero((shape[sample] == like).all(axis=1))
            for low in range(0, len(rows), max(1, FITS // int(like[0]))):
                some = rows[low : low + max(1, FITS // int(like[0]))]
                found[some] = self._some(judge, splits, sample[some], chosen[some])
        return found

    def _some(
        self, judge: Judge, splits: Sequence[Sequence[Split]], sample: Ints, chosen: Bools
    ) -> Floats:
        used, place = np.unique(sample, return_inverse=True)
        folds = [splits[s] for s in used]
        judged = np.array([np.concatenate([test for _, test in one]) for one in folds])
        fold = np.array(
            [np.repeat(np.arange(len(one)), [len(test) for _, test in one]) for one in folds]
        )
        predicted = levelled(self.predicted(judge.X, folds, place.ravel(), chosen, judged.shape[1]))
        labels, fold = self.codes[judged[place.ravel()]], fold[place.ravel()]
        first = same_label(self.classes[0], judge.pos_label)
        batch = labelled(*((1 - labels, 1 - predicted) if first else (labels, predicted)), 0.5)
        batch = batch.folded(fold)
        found = np.empty((len(sample), len(judge.measures)))
        alone = [m for m in judge.measures if m.form not in BATCHED]
        made = [
            assembled(
                None,
                self.classes[labels[at]],
                "probability",
                np.stack([1 - predicted[at], predicted[at]], axis=1),
                judge.pos_label,
                {"fold": fold[at] + 1},
                self.classes,
            )
            for at in range(len(sample) if alone else 0)
        ]
        for column, m in enumerate(judge.measures):
            together = m.form in BATCHED
            found[:, column] = (
                fold_means(m, batch) if together else [over_folds(m, one) for one in made]
            )
        return found

    def predicted(
        self,
        X: Floats,
        splits: Sequence[Sequence[Split]],
        sample: Ints,
        chosen: Bools,
        judged: int,
    ) -> Floats:
        """Probabilities (C, N) of the second class for the cases judged on, part by part.

        All selections from one part are fitted at once: they share its rows.
        """
        from scipy.special import expit

        found = np.empty((len(sample), judged))
        for s, one in enumerate(splits):
            mine, place = np.flatnonzero(sample == s), 0
            columns = _padded(chosen[mine])
            for train, test in one:
                fits = fit_logistics(
                    X[train],
                    self.codes[train],
                    penalty=self.learner.penalty * self._spread(X[train]),
                    columns=columns,
                )
                found[mine, place : place + len(test)] = expit(fits.log_odds(X[test]))
                place += len(test)
        return found

    def _spread(self, X: Floats) -> Floats:
        """What scaling the features makes of a penalty (p,)."""
        if self.learner.scaling == "none":
            return np.ones(X.shape[1])
        return np.asarray(X.var(axis=0, ddof=int(self.learner.scaling == "sample")))


def _padded(chosen: Bools) -> Ints:
    """The numbers of chosen columns (C, q), filled up with −1.

    >>> _padded(np.array([[True, False, True], [False, True, False]]))
    array([[ 0,  2],
           [ 1, -1]])
    """
    most = int(chosen.sum(axis=1).max())
    order = np.argsort(~chosen, axis=1, kind="stable")[:, :most]
    return np.where(np.take_along_axis(chosen, order, axis=1), order, -1)


def known_fits(judge: Judge) -> "Logistics | None":
    """The fast way to the same numbers, where there is one: logistic regression of two classes."""
    classes, codes = np.unique(judge.y, return_inverse=True)
    learner = logistic_of(judge.learner) if len(classes) == 2 else None
    return None if learner is None else Logistics(learner, codes, classes)


WAYS = ("lbfgs", "newton-cg", "newton-cholesky")  # to the one optimum, intercept unpenalised
NO_MATTER = ("C", "solver", "tol", "max_iter", "random_state", "n_jobs", "verbose", "warm_start")


def logistic_of(estimator: Any) -> RidgeLogistic | None:
    """The logistic regression with a ridge penalty that an estimator is, or None.

    Alone or after a `StandardScaler`. How near to the optimum scikit-learn would stop makes no
    difference: these are fitted to it.

    >>> from sklearn.linear_model import LogisticRegression
    >>> logistic_of(LogisticRegression(C=5))
    RidgeLogistic(cost=5.0, intercept=True, scaling='none')
    >>> logistic_of(LogisticRegression(class_weight="balanced"))
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    scaling: Literal["none", "population"] = "none"
    if type(estimator) is Pipeline and len(estimator.steps) == 2:
        (_, scaler), (_, estimator) = estimator.steps
        if type(scaler) is not StandardScaler or not (scaler.with_mean and scaler.with_std):
            return None
        scaling = "population"
    if type(estimator) is not LogisticRegression or estimator.solver not in WAYS:
        return None
    given, usual = estimator.get_params(), LogisticRegression().get_params()
    if any(given[name] != usual[name] for name in usual if name not in NO_MATTER):
        return None
    return RidgeLogistic(float(estimator.C), scaling=scaling)


def closeness(measure: Measure, values: Floats) -> Floats:
    """Values of which the larger are the better; undefined ones are worst.

    >>> from abovechance.measures import find
    >>> closeness(find("brier"), np.array([0.2, np.nan])), closeness(
    ...     find("calibration_slope"), np.array([0.9, 1.2]))
    (array([-0.2, -inf]), array([-0.1, -0.2]))
    """
    up = measure.higher_is_better
    near = values if up else -values if up is False else -np.abs(values - measure.best)
    return np.where(np.isnan(near), -np.inf, near)


# ----------------------------------------------------------------------------------------------
# Greedy forward selection of many samples and measures at once.
# ----------------------------------------------------------------------------------------------


TIED = 1e-10  # values that differ by no more, in units of their size, differ by rounding


class Paths(NamedTuple):
    """Features in the order of selection (S, M, steps), −1 after the end, and values after each.

    `values` (S, M, steps + 1) begin with those of no feature.
    """

    order: Ints
    values: Floats


def forward(
    judge: Judge,
    splits: Sequence[Sequence[Split]],
    steps: int,
    *,
    gain: float | None = None,
    first: Ints | None = None,
) -> Paths:
    """Greedy forward selection of each measure in each sample.

    In every step each feature that is left joins those selected, and the one with the best value
    stays. With a `gain`, selection ends when the best value is not better by more than it; else
    after so many steps. Of features whose values are equal but for rounding, the one that stands
    first in `first` (S, p) is taken; the first column, when not given. What several measures ask
    for is fitted once.
    """
    samples, features, measures = len(splits), judge.X.shape[1], len(judge.measures)
    order = np.full((samples, measures, steps), -1, dtype=np.int64)
    values = np.full((samples, measures, steps + 1), np.nan)
    chosen = np.zeros((samples, measures, features), dtype=bool)
    rank = np.tile(np.arange(features), (samples, 1)) if first is None else np.argsort(first)
    everyone = np.arange(samples)
    values[:, :, 0] = judge.values(splits, everyone, np.zeros((samples, features), dtype=bool))
    going = np.ones((samples, measures), dtype=bool)
    for step in range(steps):
        s, m = np.nonzero(going)
        if not len(s):
            break
        found = _joined(judge, splits, s, m, chosen[s, m])
        near = np.empty(found.shape)
        before = np.empty(len(s))
        for k, measure in enumerate(judge.measures):
            near[m == k] = closeness(measure, found[m == k])
            before[m == k] = closeness(measure, values[s[m == k], k, step])
        near[chosen[s, m]] = -np.inf
        best = near.max(axis=1)
        room = TIED * np.where(np.isfinite(best), 1 + np.abs(best), 0.0)
        free = (near >= (best - room)[:, None]) & ~chosen[s, m]
        taken = np.where(free, rank[s], features).argmin(axis=1)
        if gain is not None:
            # what is undefined before and after is no gain
            with np.errstate(invalid="ignore"):
                better = best - before > gain + room
            going[s[~better], m[~better]] = False
            s, m, taken, found = s[better], m[better], taken[better], found[better]
        chosen[s, m, taken] = True
        order[s, m, step] = taken
        values[s, m, step + 1] = found[np.arange(len(s)), taken]
    return Paths(order, values)


def _joined(
    judge: Judge, splits: Sequence[Sequence[Split]], s: Ints, m: Ints, chosen: Bools
) -> Floats:
    """Values (A, p) of each selection with each feature that is not in it; what is the same, once.

    `chosen` (A, p) are the selections of samples s by measures m.
    """
    count, features = chosen.shape
    asked = np.repeat(chosen[:, None, :], features, axis=1) | np.eye(features, dtype=bool)
    at, new = np.nonzero(~chosen)
    packed = np.packbits(asked[at, new], axis=1)
    keys = np.column_stack([s[at].astype(np.int64).view(np.uint8).reshape(-1, 8), packed])
    _, one, back = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    each = judge.values(splits, s[at[one]], asked[at[one], new[one]])
    found = np.full((count, features), np.nan)
    found[at, new] = each[back.ravel(), m[at]]
    return found


# ----------------------------------------------------------------------------------------------
# The verb.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Step:
    """One selected feature, and the value of the measure with it and all before it."""

    feature: str
    column: int
    value: float
    gain: float


@dataclass(frozen=True, kw_only=True)
class Selection(Result, kind="selection"):
    """Features in the order in which forward selection took them; `select` makes it.

    Attributes
    ----------
    steps
        One row per selected feature, first to last: its name and column, the value of the measure
        with it, and by how much that is better.
    measure, title
        The measure that was to be improved.
    start
        Its value without any feature, the same prediction for every case.
    stopped
        Why no further feature was taken.
    n
        Number of cases.
    features
        Number of features there were to choose from.
    learner, judged
        What was fitted, and on what it was judged.
    seed
        Seed of splits and ties.

    See Also
    --------
    select : makes it.

    Examples
    --------
    >>> import numpy as np
    >>> from abovechance import select
    >>> rng = np.random.default_rng(1)
    >>> X, y = rng.normal(size=(80, 3)), np.repeat([0, 1], 40)
    >>> X[:, 2] += 2 * y
    >>> select(X, y, features=1, rng=1).selected
    ['feature 3']
    """

    steps: tuple[Step, ...]
    measure: str
    title: str
    start: float
    stopped: str
    n: int
    features: int
    learner: str
    judged: str
    seed: int
    advice: tuple[Advice, ...] = ()
    described: str = ""

    @property
    def selected(self) -> list[str]:
        """The features in the order of selection."""
        return [step.feature for step in self.steps]

    def rows(self) -> list[dict[str, Any]]:
        """The steps as rows of a table."""
        return [{"step": i, **vars(step)} for i, step in enumerate(self.steps, 1)]


@settled
def select(
    X: Any,
    y: Any,
    *,
    measure: str | Measure = "log_score",
    learner: Any = None,
    cv: Any = 5,
    groups: Any = None,
    features: int | None = None,
    gain: float = 0.0,
    ties: str = "random",
    feature_names: Sequence[str] | None = None,
    kind: str | None = None,
    pos_label: Any = None,
    **given: Any,
) -> Selection:
    """Select features one by one, each time the one that improves a measure most.

    Selection begins with no feature, the same prediction for every case, and ends when no feature
    that is left improves the measure by more than `gain`, or after `features` of them. All are
    judged on the same held-out cases or folds.

    Parameters
    ----------
    X
        Features: cases × features, or a dataframe; numbers, none of them constant.
    y
        Class of each case, or a number.
    measure
        Any measure of the catalogue, by name or as declared. One whose best value lies between its
        extremes, as the calibration slope's 1, is to come as near to that as possible.
    learner
        Any scikit-learn estimator or pipeline; when not given, logistic regression of standardised
        features with next to no penalty (C = 10 000), and least squares for numbers.
    cv
        A share of the cases to hold out once, a number of folds, or a splitter.
    groups
        The cluster of each case: cases of one are never fitted to and judged on at once.
    features
        So many features are taken, whether they improve the measure or not; by the rule when not
        given.
    gain
        By more than this the measure must improve for a feature to be taken; 0 unless stated.
    ties
        Which of features with equal values is taken: "random", or "first" for the first column,
        which favours the columns that happen to stand first.
    kind
        "classes" or "numeric"; when not given, fractions and more than 20 different numbers are
        numeric.
    pos_label
        The positive class of two that are not coded 0/1; needed for measures that depend on it.

    Returns
    -------
    Selection
        The features in the order of selection, with the value after each.

    Raises
    ------
    DataError
        If features are not numbers or do not vary, or a class has too few cases.
    NotApplicable
        If the measure cannot be computed from what the learner predicts.

    See Also
    --------
    stability : which features are selected again and again.
    abovechance.assess : how good predictions are.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X, y = rng.normal(size=(80, 3)), np.repeat([0, 1], 40)
    >>> X[:, 2] += 2 * y
    >>> found = select(X, y, measure="brier", features=2, rng=1)
    >>> found.selected[0], found.start, found.steps[0].value
    ('feature 3', 0.25, 0.112)
    """
    settings = Settings.of("select", given)
    task = Task.of(
        X,
        y,
        measures=measure,
        learner=learner,
        groups=groups,
        feature_names=feature_names,
        kind=kind,
        pos_label=pos_label,
        seed=settings.seed,
    )
    count = task.judge.X.shape[1]
    if features is not None and whole_number("features", features) > count:
        raise DataError(f"features must be at most the {count} there are; got {features}.")
    if gain < 0:
        raise DataError(f"gain must not be negative; got {gain:g}.")
    cv = checked_cv(cv, settings.seed)
    task.enough(fewest(cv), "so that every part to fit on and to judge on has one")
    rng = settings.rng(0)
    every = np.arange(len(task.y))
    splits = [splits_of(cv, every, task.y, task.strata, rng, task.groups)]
    found = forward(
        task.judge,
        splits,
        count if features is None else features,
        gain=gain if features is None else None,
        first=task.first(ties, rng)[None, :],
    )
    chosen = task.judge.measures[0]
    steps = tuple(task.steps(found, chosen))
    if np.isnan(found.values[0, 0, 0]) and not steps:
        raise NotApplicable(
            f"{chosen.title} is undefined on these cases: {chosen.undefined or 'no value'}. "
            "Choose another measure."
        )
    return Selection(
        steps=steps,
        measure=chosen.label,
        title=chosen.title,
        start=float(found.values[0, 0, 0]),
        stopped=_why(chosen, features, gain, len(steps), count),
        n=len(task.y),
        features=count,
        learner=task.learner,
        judged=cv_words(cv),
        seed=settings.seed,
        advice=(
            *task.moved,
            Advice(
                "AC731",
                "features were chosen by these values, so the last of them flatters the model; "
                "judge it on other cases, or repeat the selection inside cross-validation.",
            ),
        ),
    )


def _why(measure: Measure, features: int | None, gain: float, taken: int, count: int) -> str:
    if features is not None:
        return f"{features} features were asked for"
    if taken == count:
        return "all features were taken"
    more = f" by more than {gain:g}" if gain else ""
    return f"no feature that is left improves {measure.label}{more}"


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be selected from: checked features and outcomes, and who judges them."""

    judge: Judge
    strata: Ints | None
    names: tuple[str, ...]
    learner: str
    moved: tuple[Advice, ...]
    groups: Ints | None = None  # as numbers

    @property
    def y(self) -> Array:
        """The outcome as it was given."""
        return self.judge.y

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        *,
        measures: Any,
        learner: Any,
        feature_names: Sequence[str] | None,
        kind: str | None,
        pos_label: Any,
        seed: int,
        groups: Any = None,
        check: bool = True,
    ) -> "Task":
        """A task from the arguments of a verb; `check` that the measures suit the learner."""
        columns, _, moved = aligned({"X": X, "y": y, "groups": groups})
        names = feature_names
        if names is None and hasattr(X, "columns"):
            names = [str(name) for name in X.columns]
        features = features_of(X, names)
        called = names or [f"feature {column + 1}" for column in range(features.shape[1])]
        if kind not in (None, "classes", "numeric"):
            raise DataError(f"kind must be 'classes' or 'numeric'; got {shown(kind)}.")
        numeric = kind == "numeric" or (kind is None and holds_numbers(columns["y"]))
        outcome: Array
        if numeric:
            outcome, strata = numbers_of(columns["y"], len(features)), None
        else:
            strata, classes = classes_of(columns["y"], len(features))
            if len(classes) < 2:
                raise DataError(
                    f"the outcome must have two classes or more; all cases are {classes[0]!r}."
                )
            outcome = np.asarray(classes)[strata]
            if pos_label is not None and not any(same_label(c, pos_label) for c in classes):
                raise DataError(
                    f"pos_label must be one of the classes {listed(classes.tolist())}; got "
                    f"{shown(pos_label)}."
                )
        chosen = tuple(named(measures))
        if learner is not None and not (
            hasattr(learner, "get_params") and hasattr(learner, "predict")
        ):
            raise DataError(
                f"learner must be a scikit-learn estimator, not fitted yet; got {shown(learner)}."
            )
        fitted = seeded(usual_learner(numeric) if learner is None else learner, seed)
        pos_label = None if numeric else positive_class(chosen, outcome, pos_label)
        judge = Judge(fitted, features, outcome, chosen, pos_label)
        if check:
            judge = replace(judge, measures=_fitting(judge), together=known_fits(judge))
        told = USUAL_WORDS[numeric] if learner is None else " ".join(repr(learner).split())
        clusters = (
            None if groups is None else codes(per_case("groups", columns["groups"], len(features)))
        )
        return cls(judge, strata, tuple(map(str, called)), told, moved, clusters)

    def with_features(self, X: Floats, names: tuple[str, ...]) -> "Task":
        """The same with other features."""
        return replace(self, judge=replace(self.judge, X=X), names=names)

    def enough(self, needed: int, why: str) -> None:
        """Refuse too few cases of a class, or in all; too few groups."""
        clusters = 0 if self.groups is None else int(self.groups.max()) + 1
        if self.groups is not None and clusters < needed:
            raise DataError(
                f"there must be at least {needed} groups, {why}; got {clusters}. Collect more "
                "groups, or ask for fewer folds (cv=, --cv)."
            )
        if self.strata is not None:
            enough_of_each(self.y, needed, why)
        elif len(self.y) < max(needed, 4):
            raise DataError(f"there must be at least {max(needed, 4)} cases; got {len(self.y)}.")

    def first(self, ties: str, rng: np.random.Generator) -> Ints:
        """The order in which features with equal values are preferred."""
        if ties not in ("random", "first"):
            raise DataError(f"ties must be 'random' or 'first'; got {shown(ties)}.")
        count = self.judge.X.shape[1]
        return rng.permutation(count) if ties == "random" else np.arange(count)

    def steps(self, found: Paths, measure: Measure) -> Iterable[Step]:
        """The rows of a selection."""
        near = closeness(measure, found.values[0, 0])
        for step, column in enumerate(found.order[0, 0]):
            if column < 0:
                return
            yield Step(
                feature=self.names[column],
                column=int(column),
                value=float(found.values[0, 0, step + 1]),
                gain=float(near[step + 1] - near[step]),
            )


USUAL_WORDS = {
    False: "logistic regression of standardised features, C = 10 000",
    True: "linear regression by least squares",
}


def usual_learner(numeric: bool) -> Any:
    """What is fitted where no learner is named."""
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if numeric:
        return LinearRegression()
    exact = LogisticRegression(C=1e4, solver="newton-cholesky", tol=1e-10)
    return make_pipeline(StandardScaler(), exact)


def _fitting(judge: Judge) -> tuple[Measure, ...]:
    """The measures for what the learner predicts, or the reason why there is none."""
    rows = np.arange(len(judge.y))
    made = judge.predictions([(rows, rows)], np.ones(judge.X.shape[1], dtype=bool))
    return tuple(fit(m, made) for m in judge.measures)
