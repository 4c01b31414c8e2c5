"""Can the cross-validation be believed? `reliability`: beside what held-out cases say, often."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable, listed, shown
from abovechance.inference.multiplicity import adjusted
from abovechance.inference.refit import over_folds, positive_class
from abovechance.inference.results import Interval, Result
from abovechance.learning.from_sklearn import rows_of
from abovechance.learning.learner_tasks import learner_words, measures_for, split_parts, task_of
from abovechance.measures import Measure
from abovechance.measures.catalogue import named
from abovechance.numerics.exact import critical_value
from abovechance.numerics.ranks import midranks
from abovechance.predictions.checks import aligned, vector
from abovechance.resampling import child_seed, replicate_blocks
from abovechance.settings import Settings, settled, whole_number
from abovechance.signal import present

USUAL = {
    "classes": ("accuracy", "auc", "brier", "log_score"),
    "numeric": ("r2", "mse", "mae"),
}
HOLDOUT = 1000  # cases held out, if there are so many
FEW_HELD_OUT = 200
BLOCK = 4  # repetitions that share a stream
JACKKNIFE = "jackknife over repetitions, Fisher's z"
DIFFERENCE = "jackknife over repetitions, Student's t"

# ----------------------------------------------------------------------------------------------
# One repetition: cases to learn from and cases held out, some labels flipped in both.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Repetitions:
    """Cross-validated and held-out values of a learner, as work for blocks; a row a repetition."""

    estimator: Any
    X: Any
    y: Array
    codes: Ints | None
    measures: tuple[Measure, ...]
    n: int
    holdout: int
    flips: tuple[float, ...]
    cv: Any
    balanced: bool
    pos_label: Any
    seed: int

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        rows = [self.one(rng) for _ in range(size)]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def one(self, rng: np.random.Generator) -> dict[str, Any]:
        """The values of one repetition, and what share of its labels was flipped."""
        train, held = self.drawn(rng)
        flip = float(rng.choice(self.flips))
        y = np.concatenate([self.flipped(rows, flip, rng) for rows in (train, held)])
        seed = int(rng.integers(2**31))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fits to few cases often do not converge
            inside = task_of(
                self.estimator,
                rows_of(self.X, train),
                y[: self.n],
                pos_label=self.pos_label,
                seed=self.seed,
            )
            whole = task_of(
                self.estimator,
                rows_of(self.X, np.concatenate([train, held])),
                y,
                pos_label=self.pos_label,
                seed=self.seed,
            )
            counts = np.arange(len(y)) < self.n
            once = whole.fits(counts[None].astype(np.int64))
            trained, judged = split_parts(inside.splitter(self.cv, seed), inside.X, inside.y)
            folds = inside.fits(trained).pooled(judged)
        values = once.values(self.measures, ~counts[None])
        return {
            "flip": flip,
            "cv": np.array([over_folds(m, folds) for m in self.measures]),
            "holdout": np.array([float(values[m.label][0]) for m in self.measures]),
        }

    def drawn(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Cases to learn from and to hold out; classes as they are, or as many of each."""
        if self.codes is None:
            order = rng.permutation(len(self.y))
            return order[: self.n], order[self.n : self.n + self.holdout]
        counts = np.bincount(self.codes)
        share = np.full(len(counts), 1 / len(counts)) if self.balanced else counts / counts.sum()
        parts: tuple[list[Ints], list[Ints]] = ([], [])
        sizes = [apportioned(share, size) for size in (self.n, self.holdout)]
        for k in range(len(counts)):
            rows = rng.permutation(np.flatnonzero(self.codes == k))
            first, second = (int(one[k]) for one in sizes)
            parts[0].append(rows[:first])
            parts[1].append(rows[first : first + second])
        train, held = (np.concatenate(part) for part in parts)
        return rng.permutation(train), rng.permutation(held)

    def flipped(self, rows: Ints, share: float, rng: np.random.Generator) -> Array:
        """The outcomes of rows, a share of them exchanged for another class."""
        y = self.y[rows].copy()
        if self.codes is None or share == 0:
            return y
        classes = np.unique(self.y)
        some = rng.permutation(len(rows))[: round(share * len(rows))]
        turn = rng.integers(1, len(classes), size=len(some))
        y[some] = classes[(np.searchsorted(classes, y[some]) + turn) % len(classes)]
        return y


def apportioned(share: Floats, total: int) -> Ints:
    """Whole numbers that add up to a total, in these shares; the largest remainders go up.

    >>> apportioned(np.array([0.5, 0.3, 0.2]), 11)
    array([6, 3, 2])
    """
    exact = share * total
    found = np.floor(exact).astype(np.int64)
    up = np.argsort(found - exact, kind="stable")[: total - int(found.sum())]
    found[up] += 1
    return found


# ----------------------------------------------------------------------------------------------
# Rank correlations over repetitions, by leaving each of them out.
# ----------------------------------------------------------------------------------------------


DIGITS = 12  # means over folds that differ beyond them differ by rounding


def spearman_without(first: Floats, second: Floats) -> tuple[float, Floats]:
    """Spearman's correlation, and what it is without each of the cases (R,).

    >>> spearman_without(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4]))
    (0.8, array([0.5, 1. , 1. , 0.5]))
    """
    count = len(first)
    others = np.nonzero(~np.eye(count, dtype=bool))[1].reshape(count, count - 1)
    pairs = [np.round(values, DIGITS) for values in (first, second)]
    whole = _correlation(*(midranks(values) for values in pairs))
    each = _correlation(*(midranks(values[others]) for values in pairs))
    return float(whole), each


def _correlation(x: Floats, y: Floats) -> Floats:
    """Pearson's correlation along the last axis; undefined where something does not vary."""
    x, y = (part - part.mean(axis=-1, keepdims=True) for part in (x, y))
    spread = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((x * y).sum(axis=-1) / spread)


def jackknife_error(without: Floats) -> float:
    """The standard error of a statistic from its values without each of R cases."""
    count = len(without)
    return float(np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum()))


def correlation_interval(value: float, without: Floats, level: float) -> Interval | None:
    """Student's t on Fisher's z scale; None where a correlation has no error to be seen."""

    if not np.isfinite(without).all() or abs(value) >= 1 or (np.abs(without) >= 1).any():
        return None
    error = jackknife_error(np.arctanh(without))
    half = critical_value(level, len(without) - 1) * error
    low, high = (float(np.tanh(np.arctanh(value) + sign * half)) for sign in (-1, 1))
    return Interval(low, high, level, JACKKNIFE)


# ----------------------------------------------------------------------------------------------
# What is found: of every measure at every number of cases, and between measures.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ReliabilityRow:
    """How well cross-validation of so many cases tells what held-out cases say, by one measure.

    `bias` is the mean of cross-validated minus held-out values, `spread` the standard deviation
    of these differences over repetitions, `error` the root of their mean square.
    """

    measure: str
    title: str
    n: int
    spearman: float
    interval: Interval | None
    cv: float
    holdout: float
    bias: float
    bias_interval: Interval | None
    spread: float
    error: float
    repetitions: int
    left_out: int = 0  # repetitions in which the measure is undefined
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class SpearmanDifference:
    """The correlations of two measures over the same repetitions, first minus second."""

    n: int
    first: str
    second: str
    difference: float
    interval: Interval | None
    p_value: float | None
    p_adjusted: float | None = None


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """All repetitions at one number of cases: flipped shares, and values by measure."""

    n: int
    flip: tuple[float, ...]
    cv: Mapping[str, tuple[float, ...]]
    holdout: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, kw_only=True)
class Reliability(Result, kind="reliability"):
    """Whether cross-validation tells what held-out cases say, as `reliability` gives it.

    `result["brier"]` is the row of a measure at the first number of cases, `result["brier", 100]`
    that at 100.

    Attributes
    ----------
    measures
        One row per measure and number of cases: Spearman's correlation with its interval, bias
        and spread.
    comparisons
        Differences of the correlation between measures, at each number of cases.
    repeated
        The repetitions themselves.
    n
        Number of cases there were to draw from.
    drawn
        Numbers of cases that were cross-validated.
    holdout
        Number of cases held out.
    flips
        Shares of labels that were flipped, one drawn for each repetition.
    balanced
        Whether classes were drawn in equal numbers.
    repetitions
        Repetitions for each number of cases.
    level
        Of the intervals.
    learner, folds
        What was fitted, and how it was cross-validated.
    seed
        Seed of all draws.

    See Also
    --------
    reliability : makes it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from abovechance import reliability
    >>> rng = np.random.default_rng(1)
    >>> X, y = rng.normal(size=(400, 3)), np.repeat([0, 1], 200)
    >>> X[:, 0] += 2 * y
    >>> found = reliability(GaussianNB(), X, y, n=40, flips=0.3, draws=12, rng=1)
    >>> found["brier"].repetitions, found["brier"].spearman > 0
    (12, True)
    """

    measures: tuple[ReliabilityRow, ...]
    comparisons: tuple[SpearmanDifference, ...]
    repeated: tuple[Repeated, ...]
    n: int
    drawn: tuple[int, ...]
    holdout: int
    flips: tuple[float, ...]
    balanced: bool
    repetitions: int
    level: float
    learner: str
    folds: str
    seed: int
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __iter__(self) -> Iterator[ReliabilityRow]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __getitem__(self, key: str | tuple[str, int]) -> ReliabilityRow:
        from abovechance.measures import find

        measure, n = (key, self.drawn[0]) if isinstance(key, str) else key
        labels = {measure, find(measure).label, find(measure).for_outcome("multiclass").label}
        for row in self.measures:
            if row.measure in labels and row.n == n:
                return row
        raise NotApplicable(
            f"there is no {measure!r} at n = {n}; there are "
            f"{listed(sorted({row.measure for row in self.measures}))} at n = {listed(self.drawn)}."
        )

    def rows(self) -> list[dict[str, Any]]:
        """Measures and numbers of cases as rows of a table."""
        found = []
        for row in self.measures:
            flat = dict(vars(row))
            for name in ("interval", "bias_interval"):
                limits = flat.pop(name)
                for end in ("low", "high"):
                    flat[f"{name}_{end}"] = getattr(limits, end, None)
            found.append(flat)
        return found


# ----------------------------------------------------------------------------------------------
# The verb.
# ----------------------------------------------------------------------------------------------


@settled
def reliability(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    n: int | Sequence[int] = 50,
    holdout: int | None = None,
    flips: float | Sequence[float] = 0.2,
    cv: Any = 10,
    balanced: bool = False,
    pos_label: Any = None,
    **given: Any,
) -> Reliability:
    """See whether cross-validation of a few cases tells what many held-out cases say.

    In every repetition some cases are drawn to learn from and others are held out; a share of the
    labels is flipped in both, so that models of the repetitions differ in how good they are. The
    learner is cross-validated on the first and, fitted to all of them, judged on the others. How
    well the two values go together over repetitions is Spearman's correlation.

    Parameters
    ----------
    estimator
        Any scikit-learn estimator or pipeline.
    X
        Features: cases × features. There must be many more cases than are learned from.
    y
        Observed classes, or numbers for a regressor.
    measures
        Names or measures, all from the same fits; accuracy, AUC, Brier score and log score when
        not given, of numbers R², MSE and MAE.
    n
        How many cases are learned from; several numbers for several rows.
    holdout
        How many cases are held out; 1000 when not given, or all that are left.
    flips
        The dial: the largest share of labels that is flipped (drawn from 20 equal steps from 0
        on), or the shares themselves; 0 flips none.
    cv
        Number of folds or a scikit-learn splitter; 10 folds unless stated.
    balanced
        Whether classes are drawn in equal numbers; else as they are.
    pos_label
        The positive class of two that are not coded 0/1; needed for measures that depend on it.

    Returns
    -------
    Reliability
        Correlation with its interval, bias and spread of every measure, and the differences
        between measures.

    Raises
    ------
    DataError
        If there are too few cases, or the values are not what they must be.
    NotApplicable
        If a measure cannot be computed from what the estimator predicts.

    See Also
    --------
    stability : whether the same features are selected again.
    permutation_test : whether a learner is better than chance.

    References
    ----------
    Dinga et al. (2019); Varoquaux et al. (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(1)
    >>> X, y = rng.normal(size=(400, 3)), np.repeat([0, 1], 200)
    >>> X[:, 0] += 2 * y
    >>> found = reliability(GaussianNB(), X, y, measures="brier", n=40, draws=12, rng=1)
    >>> found["brier"].n, found.holdout
    (40, 360)
    """
    from sklearn.base import is_regressor

    settings = Settings.of("reliability", given)
    columns, _, moved = aligned({"X": X, "y": y})
    outcome = vector("y", present("outcomes", columns["y"]))
    # what is no estimator is refused where tasks are made
    numeric = hasattr(estimator, "get_params") and is_regressor(estimator)
    asked = USUAL["numeric" if numeric else "classes"] if measures is None else measures
    dial = _dial(flips, numeric)
    sizes = tuple(_sizes(n))
    codes = None if numeric else np.unique(outcome, return_inverse=True)[1]
    held = _held_out(holdout, max(sizes), outcome, codes, balanced)
    pos_label = None if numeric else positive_class(named(asked), outcome, pos_label)
    first = task_of(estimator, X, outcome, pos_label=pos_label, seed=settings.seed)
    probe = Repetitions(
        estimator=first.estimator,
        X=first.X,
        y=outcome,
        codes=codes,
        measures=(),
        n=min(sizes),
        holdout=held,
        flips=dial,
        cv=list(cv) if isinstance(cv, Iterator) else cv,
        balanced=balanced,
        pos_label=pos_label,
        seed=settings.seed,
    )
    some, _ = probe.drawn(settings.rng(0))
    small = task_of(
        estimator, rows_of(first.X, some), outcome[some], pos_label=pos_label, seed=settings.seed
    )
    small.splitter(cv, 0)  # it refuses more folds than cases
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        once = small.fits(np.ones((1, len(some)), dtype=np.int64)).predictions(0)
    chosen, _ = measures_for(small, once, asked)
    repeated = []
    for size in sizes:
        work = replace(probe, measures=chosen, n=size)
        run = replace(settings, seed=child_seed(settings.seed, "reliability", size))
        found = replicate_blocks(work, run, block=BLOCK)
        assert isinstance(found, dict)
        repeated.append((size, found))
    rows = [
        _row(m, k, size, found, settings.level)
        for size, found in repeated
        for k, m in enumerate(chosen)
    ]
    return Reliability(
        measures=tuple(rows),
        comparisons=tuple(
            line for size, found in repeated for line in _compared(chosen, size, found, settings)
        ),
        repeated=tuple(_kept(chosen, size, found) for size, found in repeated),
        n=len(outcome),
        drawn=sizes,
        holdout=held,
        flips=dial,
        balanced=balanced,
        repetitions=settings.flips,
        level=settings.level,
        learner=learner_words(estimator),
        folds=f"{cv} folds" if isinstance(cv, int) else " ".join(repr(cv).split()),
        seed=settings.seed,
        advice=(*moved, *_advice(sizes, held, dial, len(outcome))),
    )


def _dial(flips: Any, numeric: bool) -> tuple[float, ...]:
    """The shares of labels to flip."""
    several = isinstance(flips, Iterable) and not isinstance(flips, str)
    given = list(flips) if several else [flips]
    if not all(isinstance(one, Real) for one in given):
        raise DataError(f"flips must be a share of the labels, or several; got {shown(flips)}.")
    values = [float(one) for one in given]
    if not values or not all(0 <= one < 1 for one in values):
        raise DataError(f"flips must be shares of labels from 0 to below 1; got {shown(flips)}.")
    if numeric:
        return (0.0,)  # there is no other class to take
    if several:
        return tuple(values)
    return tuple(np.linspace(0.0, values[0], 20).tolist()) if values[0] else (0.0,)


def _sizes(n: Any) -> list[int]:
    several = list(n) if isinstance(n, Iterable) else [n]
    if not several:
        raise DataError("n must say how many cases are learned from; got none.")
    return [
        whole_number("n", int(one) if isinstance(one, np.integer) else one, 4) for one in several
    ]


def _held_out(holdout: int | None, most: int, y: Array, codes: Ints | None, balanced: bool) -> int:
    """How many cases are held out, of those that the largest part to learn from leaves."""
    left, of = len(y) - most, ""
    if balanced and codes is not None:
        counts = np.bincount(codes)
        left = int(counts.min()) * len(counts) - most
        of = f" in classes of equal size (the smallest has {counts.min()})"
    if left < 2:
        raise DataError(
            f"there must be cases left to hold out; of {len(y)}{of} {most} are learned from. "
            "Learn from fewer (n=, --n)."
        )
    if holdout is None:
        return min(HOLDOUT, left)
    if whole_number("holdout", holdout, 2) > left:
        raise DataError(
            f"holdout must be at most the {left} cases that are left{of}; got {holdout}."
        )
    return holdout


def _kept(measures: Sequence[Measure], size: int, found: Mapping[str, Array]) -> Repeated:
    values = {
        name: {m.label: tuple(found[name][:, k].tolist()) for k, m in enumerate(measures)}
        for name in ("cv", "holdout")
    }
    return Repeated(n=size, flip=tuple(found["flip"].tolist()), **values)


def _row(
    measure: Measure, k: int, size: int, found: Mapping[str, Array], level: float
) -> ReliabilityRow:
    inside, outside = found["cv"][:, k], found["holdout"][:, k]
    there = ~(np.isnan(inside) | np.isnan(outside))
    inside, outside = inside[there], outside[there]
    value, without = float("nan"), np.full(1, np.nan)
    undefined = None
    if len(inside) >= 4:
        value, without = spearman_without(inside, outside)
    if np.isnan(value):
        few = len(inside) < 4
        undefined = (
            f"{measure.undefined or 'undefined'} in nearly all repetitions"
            if few
            else "the values do not vary over repetitions"
        )
    with np.errstate(invalid="ignore"):  # infinite values have no difference
        apart = inside - outside
        bias = float(apart.mean()) if len(apart) else float("nan")
        spread = float(apart.std(ddof=1)) if len(apart) > 1 else float("nan")
        error = float(np.sqrt((apart**2).mean())) if len(apart) else float("nan")
    return ReliabilityRow(
        measure=measure.label,
        title=measure.title,
        n=size,
        spearman=value,
        interval=correlation_interval(value, without, level),
        cv=float(inside.mean()) if len(inside) else float("nan"),
        holdout=float(outside.mean()) if len(outside) else float("nan"),
        bias=bias,
        bias_interval=_mean_interval(bias, spread, len(apart), level),
        spread=spread,
        error=error,
        repetitions=len(inside),
        left_out=int((~there).sum()),
        undefined=undefined,
    )


def _mean_interval(mean: float, spread: float, count: int, level: float) -> Interval | None:

    if count < 2 or not np.isfinite(spread) or not np.isfinite(mean):
        return None
    half = critical_value(level, count - 1) * spread / np.sqrt(count)
    return Interval(float(mean - half), float(mean + half), level, "Student's t")


def _compared(
    measures: Sequence[Measure], size: int, found: Mapping[str, Array], settings: Settings
) -> Iterator[SpearmanDifference]:
    """Differences of all pairs of measures over the repetitions in which all are defined."""
    from scipy.special import stdtr

    whole = ~(np.isnan(found["cv"]) | np.isnan(found["holdout"])).any(axis=1)
    count = int(whole.sum())
    if count < 4 or len(measures) < 2:
        return
    each = [
        spearman_without(found["cv"][whole, k], found["holdout"][whole, k])
        for k in range(len(measures))
    ]
    made = []
    for i, j in combinations(range(len(measures)), 2):
        difference, without = each[i][0] - each[j][0], each[i][1] - each[j][1]
        error = jackknife_error(without)
        limits, p = None, None
        if error > 0 and np.isfinite(difference):
            half = critical_value(settings.level, count - 1) * error
            ends = (max(-2.0, difference - half), min(2.0, difference + half))
            limits = Interval(float(ends[0]), float(ends[1]), settings.level, DIFFERENCE)
            p = float(2 * stdtr(count - 1, -abs(difference) / error))
        made.append((measures[i].label, measures[j].label, float(difference), limits, p))
    together = adjusted([np.nan if p is None else p for *_, p in made])
    for (first, second, difference, limits, p), many in zip(made, together, strict=True):
        yield SpearmanDifference(
            n=size,
            first=first,
            second=second,
            difference=difference,
            interval=limits,
            p_value=p,
            p_adjusted=None if p is None or len(made) == 1 else float(many),
        )


def _advice(
    sizes: Sequence[int], held: int, flips: Sequence[float], available: int
) -> Iterator[Advice]:
    if held < FEW_HELD_OUT:
        yield Advice(
            "AC741",
            f"{held} cases held out say little themselves, which lowers every correlation; hold "
            "out several hundred.",
        )
    if max(flips) == min(flips):
        yield Advice(
            "AC742",
            "no dial: all repetitions are equally hard, so cross-validated and held-out values "
            "differ by chance alone and need not go together; set flips=.",
            "Dinga et al. (2019)",
        )
    if max(sizes) + held > available / 2:
        yield Advice(
            "AC743",
            "repetitions share most of their cases, so intervals hold for draws from this table, "
            "not for new ones.",
        )
