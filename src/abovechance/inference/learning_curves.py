"""Would more cases make it better? `learning_curve`: a learner judged at growing training sizes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.inference.folds import averages, interval_over_cases, interval_over_folds
from abovechance.inference.goals import Goal, goal
from abovechance.inference.method import limits
from abovechance.inference.results import Interval, Result
from abovechance.inference.validation import (
    advice_on_task,
    chance_level,
    relative_overfitting,
    reshuffled,
    to_split,
)
from abovechance.learning.from_sklearn import seeded_splitter
from abovechance.learning.learner_tasks import (
    Fits,
    Task,
    learner_words,
    measures_for,
    split_parts,
    task_of,
)
from abovechance.measures import Measure, find
from abovechance.numerics.exact import critical_value
from abovechance.predictions import Predictions
from abovechance.predictions.checks import aligned
from abovechance.resampling import replicate_blocks
from abovechance.resampling.draws import members
from abovechance.settings import Settings, settled, whole_number

DRAWS = 10  # repeats of the cross-validation, unless stated
SIZES = 8
SMALLEST = 10
AHEAD = 4.0  # times the cases there are: as far as curves are continued
BEYOND = 100.0  # times the cases there are: no number of cases is named beyond
PLACES = 16  # of a continued curve
RATES = np.linspace(0.1, 3.0, 59)  # exponents that are tried
LATE = 3.0  # the law is fitted to sizes from the largest divided by this on, to three at least
MISFIT = (
    0.1  # of what the curve gains over these sizes, or half a standard error: so far off it fits
)
REFITS = 400
LEVELS = 3100  # purpose of the streams of chance levels and of refits


# ----------------------------------------------------------------------------------------------
# Models of growing parts of the cases.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Grown:
    """Predictions for the cases of every fold by models of growing parts of the other cases.

    The smaller parts lie within the larger ones, and all models of a fold are judged on the same
    cases, so that what differs along the curve is the number of cases learned from.
    """

    task: Task
    cv: Any
    sizes: tuple[int, ...]
    measures: tuple[Measure, ...]
    by_fold: tuple[
        bool, ...
    ]  # whether a measure is averaged over folds, or is of all cases at once
    kind: str  # of what is predicted

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        passes = [self._one(rng) for _ in range(size)]
        many = {len(one["row"]) for one in passes}
        if len(many) > 1:
            raise DataError("cv must judge as many cases in every repeat; this splitter does not.")
        return {name: np.array([one[name] for one in passes]) for name in passes[0]}

    def _one(self, rng: np.random.Generator) -> dict[str, Array]:
        task = self.task
        splitter = task.splitter(reshuffled(self.cv, rng), int(rng.integers(2**31)))
        whole_parts, judged = split_parts(splitter, task.X, to_split(task), task.groups)
        grown = [growing(part, self.sizes, task, rng) for part in whole_parts]
        predicted, values, apart, inside, trained = [], [], [], [], []
        for k in range(len(self.sizes)):
            train = np.array([parts[k] for parts in grown])
            fits = task.fits(train)
            made = fits.judged(judged)
            predicted.append(made.predicted)
            apart.append(self._by_fold(fits, judged))
            values.append(self._values(fits, judged, apart[-1]))
            own = fits.values(self.measures, train)
            inside.append([float(np.mean(own[m.label])) for m in self.measures])
            trained.append(float(train.sum(axis=1).mean()))
        return {
            "fold": made.fold,
            "row": made.row,
            "predicted": np.array(predicted),
            "values": np.array(values),
            "apart": np.array(apart),
            "inside": np.array(inside),
            "trained": np.array(trained),
        }

    def _by_fold(self, fits: Fits, judged: Bools) -> list[Floats]:
        """Every fold by every measure; nan by those that are not averaged over folds."""
        none = np.full(len(judged), np.nan)
        return [
            fits.values([m], judged)[m.label] if averaged else none
            for m, averaged in zip(self.measures, self.by_fold, strict=True)
        ]

    def _values(self, fits: Fits, judged: Bools, by_fold: list[Floats]) -> list[float]:
        """One pass by every measure: the mean over folds, or of all cases at once."""
        found = []
        pooled = None
        for m, apart in zip(self.measures, by_fold, strict=True):
            value = float(apart.mean())
            if not np.isfinite(value):
                pooled = fits.pooled(judged) if pooled is None else pooled
                value = m.of(pooled)
            found.append(value)
        return found


def growing(part: Ints, sizes: Sequence[int], task: Task, rng: np.random.Generator) -> list[Ints]:
    """Nested parts of the cases of a part, by their sizes; each holds every class.

    Classes have nearly the same shares in all of them. Of groups whole ones are taken, until there
    are as many cases.
    """
    rows = np.flatnonzero(part)
    if task.group_code is not None:
        groups = rng.permutation(np.unique(task.group_code[rows]))
        return [_whole_groups(rows, size, task, groups) for size in sizes]
    order = rng.permutation(rows)
    if task.code is not None:
        place = np.empty(len(order))
        for some in members(np.unique(task.code[order], return_inverse=True)[1]):
            place[some] = (np.arange(len(some)) + rng.random()) / len(some)
            place[some[0]] -= 1.0  # one of each class comes first
        order = order[np.argsort(place, kind="stable")]
    return [np.bincount(order[:size], minlength=task.n) for size in sizes]


def _whole_groups(rows: Ints, size: int, task: Task, order: Ints) -> Ints:
    """Whole groups in their order until there are enough cases, and all classes among them."""
    assert task.group_code is not None
    taken = np.zeros(task.n, dtype=np.int64)
    classes = None if task.code is None else len(np.unique(task.code[rows]))
    for group in order:
        seen = None if task.code is None else len(np.unique(task.code[taken > 0]))
        if taken.sum() >= size and seen == classes:
            break
        taken[rows[task.group_code[rows] == group]] = 1
    return taken


# ----------------------------------------------------------------------------------------------
# The curve continued: an inverse power law.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Laws:
    """Inverse power laws, one per row: value = limit − gain · size^(−rate)."""

    limit: Floats
    gain: Floats
    rate: Floats

    def at(self, sizes: Any) -> Floats:
        """Values (R, S) at training sizes (S,)."""
        n = np.atleast_1d(np.asarray(sizes, dtype=np.float64))
        return self.limit[:, None] - self.gain[:, None] * n ** -self.rate[:, None]

    def reaching(self, wanted: Floats) -> Floats:
        """The training size at which each law has a value (R,); infinite where it never does."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = (self.limit - wanted) / self.gain
            return np.where(ratio > 0, ratio ** (-1.0 / self.rate), np.inf)


@dataclass(frozen=True, eq=False)
class Extended:
    """Curves, one per row: values at training sizes, and from the largest on by a law."""

    sizes: Floats
    values: Floats
    laws: Laws

    def reaching(self, wanted: float, up: bool) -> Floats:
        """The least training size (R,) at which each curve is beyond a value; infinite if never.

        Between sizes a curve is a line over the logarithm of the size.

        >>> law = Laws(np.array([0.9]), np.array([1.0]), np.array([0.5]))
        >>> curve = Extended(np.array([16.0, 64.0]), np.array([[0.65, 0.775]]), law)
        >>> [float(curve.reaching(goal, up=True)[0]) for goal in (0.6, 0.7125, 0.8, 0.95)]
        [16.0, 32.0, 100.0, inf]
        """
        sign = 1.0 if up else -1.0
        short = sign * (wanted - self.values)  # of the goal, at each size
        there = short <= 0.0
        first = there.argmax(axis=1)
        rows, before = np.arange(len(short)), np.maximum(first - 1, 0)
        gap, left = short[rows, before], -short[rows, first]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(first == 0, 0.0, gap / (gap + left))
        ends = np.log(self.sizes)
        within = np.exp(ends[before] + share * (ends[first] - ends[before]))
        beyond = self.laws.reaching(np.full(len(short), wanted))
        beyond = np.where(sign * self.laws.gain > 0.0, beyond, np.inf)
        return np.where(there.any(axis=1), within, np.maximum(beyond, self.sizes[-1]))


def power_laws(sizes: Floats, values: Floats, ends: tuple[float, float]) -> Laws:
    """The inverse power law nearest to each row of values (R, S) at training sizes (S,).

    Least squares, the exponent searched between 0.1 and 2, the limit kept within the measure's
    range.

    References
    ----------
    Figueroa et al. (2012); Viering & Loog (2023), section 4.

    Examples
    --------
    >>> sizes = np.array([10.0, 20, 40, 80, 160])
    >>> law = power_laws(sizes, 0.8 - 0.9 * sizes[None] ** -0.5, (0.0, 1.0))
    >>> law.limit, law.rate, law.reaching(np.array([0.79]))
    (array([0.8]), array([0.5]), array([8100.]))
    """
    best = np.full(len(values), np.inf)
    found = np.zeros((3, len(values)))
    low, high = ends
    for rate in RATES:
        x = sizes**-rate
        centred = x - x.mean()
        slope = values @ centred / (centred @ centred)
        limit = values.mean(axis=1) - slope * x.mean()
        held = np.clip(limit, low, high)
        # with the limit held at an end of the range the slope is another
        slope = np.where(held == limit, slope, (values - held[:, None]) @ x / (x @ x))
        misfit = ((values - held[:, None] - slope[:, None] * x) ** 2).sum(axis=1)
        nearer = misfit < best - 1e-15
        best = np.where(nearer, misfit, best)
        found[:, nearer] = np.stack([held, -slope, np.full(len(values), rate)])[:, nearer]
    return Laws(*found)


# ----------------------------------------------------------------------------------------------
# What is returned.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class LearningPoint:
    """A measure after training on so many cases: of new cases, and of those trained on."""

    size: float
    value: float
    apparent: float
    interval: Interval | None = None


@dataclass(frozen=True, kw_only=True)
class Continued:
    """What a curve is expected to be at a training size that there are not enough cases for."""

    size: float
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class GoalSize:
    """The training size at which a goal would be met; None where no number of cases would do.

    `low` and `high` are limits of that size; `high` is None where it has none.
    """

    goal: str
    size: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class MeasureCurve:
    """One measure along the sizes, its level of chance, and its inverse power law.

    The law is `limit` − `gain` · size^(−`rate`); `no_band` says why there are no intervals.
    """

    measure: str
    title: str
    family: str
    points: tuple[LearningPoint, ...]
    chance: float | None = None
    no_band: str | None = None
    limit: float | None = None
    gain: float | None = None
    rate: float | None = None
    continued: tuple[Continued, ...] = ()
    goals: tuple[GoalSize, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LearningCurve(Result, kind="learning_curve"):
    """How good a learner is after training on more and more cases."""

    curves: tuple[MeasureCurve, ...]
    n: int
    features: int
    outcome: str
    estimator: str
    folds: int
    draws: int
    groups: int | None
    level: float
    seed: int
    together: bool
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __iter__(self) -> Iterator[MeasureCurve]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __getitem__(self, measure: str) -> MeasureCurve:
        labels = {find(measure).label, find(measure).for_outcome(self.outcome).label, measure}
        for curve in self.curves:
            if curve.measure in labels:
                return curve
        raise NotApplicable(f"{measure!r} is not among the curves.")

    def rows(self) -> list[dict[str, Any]]:
        """Every measure at every size, then where the curve is continued."""
        found = []
        for curve in self.curves:
            about = {"measure": curve.measure, "title": curve.title}
            for point in curve.points:
                inside = point.interval
                found.append(
                    {
                        **about,
                        "size": point.size,
                        "value": point.value,
                        "low": None if inside is None else inside.low,
                        "high": None if inside is None else inside.high,
                        "apparent": point.apparent,
                        "continued": False,
                    }
                )
            found += [
                {**about, **vars(one), "apparent": None, "continued": True}
                for one in curve.continued
            ]
        return found


# ----------------------------------------------------------------------------------------------
# The verb.
# ----------------------------------------------------------------------------------------------


@settled
def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Iterable[int] | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    goals: str | Iterable[str] | None = None,
    cv: Any = 5,
    groups: Any = None,
    event: Any = None,
    times: Any = None,
    pos_label: Any = None,
    feature_names: Any = None,
    fast: bool = True,
    **given: Any,
) -> LearningCurve:
    """How good a learner becomes with more cases, and how many it would take.

    At each size models are trained on so many of the cases outside a fold and judged on the fold;
    the folds are the same for all sizes, and smaller parts lie within larger ones. The curve is
    continued by an inverse power law.

    Parameters
    ----------
    estimator
        Any scikit-learn classifier, regressor or pipeline; of survival one that predicts a risk.
        It is cloned, and stays as it is.
    X
        Features: cases × features, or a dataframe.
    y
        Observed classes or numbers; times of survival, or scikit-survival's table of both.
    sizes
        Numbers of cases to train on; eight from a tenth of the cases to all outside a fold when
        not given.
    measures
        Names or measures, or several; a set that suits the outcome when not given.
    goals
        What shall be reached, as "auc>=.8", or several: adds at which size it would be.
    cv
        Number of folds, or any scikit-learn splitter; 5 unless stated.
    groups
        The cluster of each case: kept together in folds, and trained on as wholes.
    event
        Of survival: whether the event happened, `y` being the time of it or of censoring.
    times
        Of survival: when to predict being event-free, for measures that read it.
    pos_label
        The positive class of two not coded 0/1.
    feature_names
        What to call the features in messages; the columns of a dataframe when not given.
    fast
        As in `validate`: train many at once where there is a way to.

    Returns
    -------
    LearningCurve
        One curve per measure; `curve["auc"].points` are its values with intervals, `continued`
        what more cases would give, `goals` the sizes at which the goals would be met.

    Raises
    ------
    DataError
        If the data are not what they must be, or a size is larger than what folds leave.
    NotApplicable
        If a measure was named that the estimator's predictions do not allow.

    See Also
    --------
    validate : how good the model of all cases is.
    sample_size : how many cases a test or an interval takes.

    Notes
    -----
    Intervals are Nadeau and Bengio's, for the algorithm trained on so many cases, and no narrower
    than by how much each case moves the value; measures that are biased in small folds have none.
    The law is fitted to sizes from a third of the largest on: near as many cases as coefficients
    models do worse than any power law says. Limits of the continued curve are of laws fitted to
    folds drawn with replacement, which vary at the largest size as its interval says. How far a
    power law holds beyond the cases there are, no data tell.

    References
    ----------
    Figueroa et al. (2012); Nadeau & Bengio (2003); Viering & Loog (2023).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(100, 3))
    >>> y = (X[:, 0] + rng.normal(size=100) > 0).astype(int)
    >>> found = learning_curve(GaussianNB(), X, y, sizes=[20, 80], draws=3, rng=1)["auc"]
    >>> [point.size for point in found.points]
    [20.0, 80.0]
    """
    settings = Settings.of("learning_curve", given)
    columns, _, notes = aligned({"X": X, "y": y, "groups": groups, "event": event})
    task = task_of(
        estimator,
        columns["X"],
        columns["y"],
        event=columns["event"],
        times=times,
        groups=columns["groups"],
        pos_label=pos_label,
        names=feature_names,
        seed=settings.seed,
        fast=fast,
    )
    settings = replace(settings, draws=DRAWS if settings.draws is None else settings.draws)
    cv = seeded_splitter(list(cv) if isinstance(cv, Iterator) else cv, settings.seed)
    splitter = task.splitter(cv, settings.seed)
    first, _ = split_parts(splitter, task.X, to_split(task), task.groups)
    steps = sizes_of(sizes, int(first.sum(axis=1).min()), len(task.classes))
    whole_fit = task.fits(np.ones((1, task.n), dtype=np.int64))
    predictions = whole_fit.predictions(0)
    stated = _goals(goals)
    asked = None if measures is None else [*named_measures(measures), *(g.measure for g in stated)]
    chosen, without = measures_for(task, predictions, asked)
    by_fold = tuple(averages(m, predictions) for m in chosen)
    work = Grown(task, cv, steps, chosen, by_fold, whole_fit.kind)
    found = replicate_blocks(work, settings, block=_block(task))
    assert isinstance(found, dict)
    rng = settings.rng(LEVELS)
    curves = [
        _curve(m, k, task, whole_fit.kind, predictions, found, steps, settings, rng, stated)
        for k, m in enumerate(chosen)
    ]
    left = [g.measure for g in stated if not any(_same(g, m) for m in chosen)]
    if left:
        raise NotApplicable(f"goals must be of measures that are judged; {listed(left)} is not.")
    return LearningCurve(
        curves=tuple(curves),
        n=task.n,
        features=int(task.X.shape[1]),
        outcome=predictions.kind,
        estimator=learner_words(estimator),
        folds=len(first),
        draws=settings.flips,
        groups=None if task.group_code is None else int(task.group_code.max()) + 1,
        level=settings.level,
        seed=settings.seed,
        together=task.known is not None,
        advice=(*notes, *advice_on(task, without, curves, stated)),
    )


def _block(task: Task) -> int:
    """Passes that share a stream: each is many fits."""
    return max(1, task.block // 20)


def named_measures(measures: Any) -> list[Any]:
    """Measures one by one, of whatever users name them by."""
    from abovechance.measures.catalogue import named

    return list(named(measures))


def sizes_of(asked: Iterable[int] | None, most: int, classes: int) -> tuple[int, ...]:
    """Training sizes, ascending; refused where folds do not leave as many cases.

    >>> sizes_of(None, 80, 2)
    (10, 13, 18, 24, 33, 44, 59, 80)
    """
    least = max(SMALLEST, 2 * classes)
    if asked is None:
        if most <= least:
            raise DataError(
                f"a learning curve needs more than {least} cases outside a fold; there are {most}."
            )
        steps = np.geomspace(max(least, most / 10), most, SIZES)
        return tuple(sorted({round(float(step)) for step in steps}))
    found = tuple(sorted({whole_number("sizes", size, max(2, classes)) for size in asked}))
    if len(found) < 2:
        raise DataError(f"sizes must be two different numbers or more; got {list(found)}.")
    if found[-1] > most:
        raise DataError(
            f"sizes must not exceed the {most} cases that are outside a fold; got {found[-1]}. Ask "
            "for smaller sizes, or for more folds (cv=, --folds)."
        )
    return found


def _goals(goals: str | Iterable[str] | None) -> list[Goal]:
    if goals is None:
        return []
    found = [goal(text) for text in ([goals] if isinstance(goals, str) else goals)]
    for one in found:
        if one.by is not None or one.banded:
            raise NotApplicable("goals of a learning curve are one limit of one measure: auc>=.8.")
    return found


def _same(stated: Goal, measure: Measure) -> bool:
    """Whether a goal is of a measure, in the version that it has for these predictions."""
    whole_measure = find(stated.measure)
    return measure.label in {
        whole_measure.label,
        *(whole_measure.for_outcome(kind).label for kind in whole_measure.outcomes),
    }


def _curve(
    measure: Measure,
    place: int,
    task: Task,
    kind: str,
    predictions: Predictions,
    draws: Mapping[str, Array],
    sizes: Sequence[int],
    settings: Settings,
    rng: np.random.Generator,
    stated: Sequence[Goal],
) -> MeasureCurve:
    """One measure at every size, and its continuation."""
    points, refused = [], None
    chance = chance_level(measure, predictions, rng)
    passes = len(draws["row"])
    many = int(draws["fold"].max()) + 1
    # a fold of another pass is another fold, though it has the same number
    apart = draws["fold"] + many * np.arange(passes)[:, None]
    for k in range(len(sizes)):
        predicted = draws["predicted"][:, k]
        pooled = task.pooled(
            kind, apart.ravel(), draws["row"].ravel(), predicted.reshape(-1, *predicted.shape[2:])
        )
        given: Interval | None = None
        value = float(np.mean(draws["values"][:, k, place]))
        try:
            inside = interval_over_folds(measure, pooled, confidence_level=settings.level)
            given, value, refused = inside.interval, inside.mean, refused or inside.reason or None
            apparent = float(np.mean(draws["inside"][:, k, place]))
            rich = relative_overfitting(apparent, value, chance, higher=measure.higher_is_better)
            given = _widened(given, measure, pooled, value, rich, settings.level)
        except NotApplicable as why:
            refused = str(why)
        points.append(
            LearningPoint(
                size=float(draws["trained"][:, k].mean()),
                value=value,
                apparent=float(np.mean(draws["inside"][:, k, place])),
                interval=given,
            )
        )
    by_fold = np.moveaxis(draws["apart"][:, :, place], 1, 2).reshape(-1, len(sizes))
    units = by_fold if np.isfinite(by_fold).all() else draws["values"][:, :, place]
    error = _error(points, settings.level)
    made = _extended(measure, points, units, error, rng)
    laws = None if made is None else made.laws
    banded = error is not None
    wanted = [g for g in stated if _same(g, measure)]
    return MeasureCurve(
        measure=measure.label,
        title=measure.title,
        family=measure.family.value,
        points=tuple(points),
        chance=None if np.isnan(chance) else chance,
        no_band=None if refused is None else refused.rstrip("."),
        limit=None if laws is None else float(laws.limit[0]),
        gain=None if laws is None else float(laws.gain[0]),
        rate=None if laws is None else float(laws.rate[0]),
        continued=()
        if laws is None
        else _continued(measure, laws, points, task.n, settings, banded),
        goals=tuple(_reached(g, measure, made, task.n, settings, banded) for g in wanted),
    )


def _widened(
    given: Interval | None,
    measure: Measure,
    pooled: Predictions,
    value: float,
    overfitting: float,
    level: float,
) -> Interval | None:
    """Limits over folds, at least as wide as by how much each case moves the value.

    Folds of one sample say little of how the value varies from sample to sample where models differ
    much: of boosted trees their limits alone covered .89 to .92.
    """
    if given is None:
        return None
    try:
        other = interval_over_cases(
            measure, pooled, value, None, overfitting, confidence_level=level
        )
    except NotApplicable:
        return given
    low, high = min(given.low, other.low), max(given.high, other.high)
    if (low, high) == (given.low, given.high):
        return given
    known = {**given.by, "widened": "the influences of cases"}
    name = known.pop("name")
    return limits(name, low, high, level, **known)


def _error(points: Sequence[LearningPoint], level: float) -> float | None:
    """The standard error at the largest size, as its interval has it; None where it has none."""

    inside, reach = points[-1].interval, critical_value(level)
    if inside is None or reach == 0.0:  # a level next to 0 has limits of no width
        return None
    return (inside.high - inside.low) / (2.0 * reach)


def _extended(
    measure: Measure,
    points: Sequence[LearningPoint],
    units: Floats,
    error: float | None,
    rng: np.random.Generator,
) -> Extended | None:
    """The curve with its law first, then those that other cases might have given.

    These are means of `units` (folds, or passes) drawn with replacement; what they are off is
    stretched so that at the largest size they vary as its interval says. A power law holds for
    large sizes alone (a model with as many coefficients as cases is worse than a smaller one), so
    it is fitted to the larger ones; None where it does not fit three of them.
    """
    sizes, values = (np.array([getattr(p, name) for p in points]) for name in ("size", "value"))
    if len(points) < 3 or not (np.isfinite(units).all() and np.isfinite(values).all()):
        return None
    moved = units[rng.integers(len(units), size=(REFITS, len(units)))].mean(axis=1)
    moved -= units.mean(axis=0)
    spread = float(moved[:, -1].std())
    if error is not None and spread > 0.0:
        moved *= error / spread
    every = np.clip(np.vstack([values, values + moved]), *measure.range)
    first = min(int(np.searchsorted(sizes, sizes[-1] / LATE)), len(sizes) - 3)
    for start in range(first, len(sizes) - 2):
        late = values[start:]
        laws = power_laws(sizes[start:], every[:, start:], measure.range)
        off = float(np.abs(laws.at(sizes[start:])[0] - late).max())
        if off <= max(MISFIT * float(np.ptp(late)), 0.5 * (error or 0.0)):
            return Extended(sizes, every, laws)
    return None


def _continued(
    measure: Measure,
    laws: Laws,
    points: Sequence[LearningPoint],
    n: int,
    settings: Settings,
    banded: bool,
) -> tuple[Continued, ...]:
    """The law from the largest size on."""
    places = np.geomspace(points[-1].size, AHEAD * n, PLACES)
    values = laws.at(places)
    if not banded:
        return tuple(
            Continued(size=float(s), value=float(v)) for s, v in zip(places, values[0], strict=True)
        )
    tail = (1.0 - settings.level) / 2.0
    low, high = np.clip(np.quantile(values, [tail, 1.0 - tail], axis=0), *measure.range)
    low, high = np.minimum(low, values[0]), np.maximum(high, values[0])
    return tuple(
        Continued(size=float(s), value=float(v), low=float(a), high=float(b))
        for s, v, a, b in zip(places, values[0], low, high, strict=True)
    )


def _reached(
    stated: Goal,
    measure: Measure,
    made: Extended | None,
    n: int,
    settings: Settings,
    banded: bool,
) -> GoalSize:
    """At which size the curve reaches a goal, with limits from all curves."""
    text = f"{measure.label} {stated.sign} {stated.ends[0]:g}"
    if made is None:
        return GoalSize(goal=text, size=None)
    sizes = made.reaching(stated.ends[0], stated.sign == ">=")
    sizes = np.where(sizes > BEYOND * n, np.inf, sizes)
    low = high = None
    if banded:
        tail = (1.0 - settings.level) / 2.0
        low, high = (
            _size(np.quantile(sizes, share, method="higher")) for share in (tail, 1.0 - tail)
        )
    return GoalSize(goal=text, size=_size(sizes[0]), low=low, high=high)


def _size(value: Any) -> float | None:
    """Whole cases; what rounding adds is no case more."""
    return float(np.ceil(value * (1.0 - 1e-9))) if np.isfinite(value) else None


def advice_on(
    task: Task, without: Sequence[str], curves: Sequence[MeasureCurve], stated: Sequence[Goal]
) -> Iterator[Advice]:
    """What a reader of a learning curve should know."""
    yield from advice_on_task(task, without, intervals=True)
    if min(len(curve.points) for curve in curves) < 3:
        yield Advice("AC857", "a curve of two sizes cannot be continued; name three or more.")
        return
    short = [curve.title for curve in curves if not curve.continued]
    if short:
        yield Advice(
            "AC860",
            "not continued, because no inverse power law fits the larger sizes or a value is "
            f"missing there: {listed(short)}. Name larger sizes (sizes=, --sizes).",
        )
    if stated:
        yield Advice(
            "AC858",
            "sizes beyond the cases there are rest on an inverse power law that no data here can "
            "test.",
            "Viering & Loog (2023)",
        )
