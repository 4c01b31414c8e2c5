"""Which features can be relied on? `stability`: selection repeated on halves of the cases."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable, shown
from abovechance.inference.forward_selection import (
    Judge,
    Split,
    Task,
    checked_cv,
    closeness,
    cv_words,
    fewest,
    forward,
    splits_of,
    units_of,
    with_every_class,
)
from abovechance.inference.multiplicity import adjusted
from abovechance.inference.results import Interval, Result
from abovechance.learning.from_sklearn import seeded
from abovechance.measures import Measure
from abovechance.numerics.exact import critical_value
from abovechance.numerics.roots import crossing
from abovechance.resampling import replicate_blocks
from abovechance.resampling.draws import members
from abovechance.settings import Settings, one_of, positive, settled, whole_number

# ----------------------------------------------------------------------------------------------
# How alike sets of selected features are: Nogueira, Sechidis and Brown's index.
# ----------------------------------------------------------------------------------------------


def set_stability(chosen: Bools) -> float:
    r"""How alike M sets of d features are, rows of True and False (M, d).

    .. math:: 1 - \frac{\frac1d \sum_f \frac{M}{M-1} \hat p_f (1 - \hat p_f)}
        {\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    with :math:`\hat p_f` how often feature f was selected and :math:`\bar k` the mean size. 1 if
    all are the same, 0 on average if they are as different as chance makes them, down to
    −1/(M − 1). Undefined where every set is empty, or every one is full.

    References
    ----------
    Nogueira, Sechidis & Brown (2018), definition 4.

    >>> set_stability(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool))
    -0.5
    """
    count, features = chosen.shape
    often = chosen.mean(axis=0)
    share = often.sum() / features
    if share in (0.0, 1.0):
        return float("nan")
    apart = count / (count - 1) * (often * (1 - often)).mean()
    return float(1 - apart / (share * (1 - share)))


def set_influences(chosen: Bools) -> Floats:
    """What each set contributes to the index (M,); the index has twice their mean's variance.

    References
    ----------
    Nogueira, Sechidis & Brown (2018), theorem 7.
    """
    features = chosen.shape[1]
    often = chosen.mean(axis=0)
    share, own = often.sum() / features, chosen.mean(axis=1)
    shared = (chosen * often).mean(axis=1) - own * share
    index = set_stability(chosen)
    return np.asarray(
        (shared + index / 2 * (2 * own * share - own - share + 1)) / (share * (1 - share))
    )


def influence_variance(influence: Floats, unit: Ints | None = None) -> float:
    r"""The variance of an index, or of a difference, from the contributions of the sets.

    .. math:: \frac{4}{M^2} \sum_i (\hat\phi_i - \bar\phi)^2

    Sets of one `unit`, such as the two halves of the cases, are not independent of each other;
    their contributions are added before they are squared.

    >>> one = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool)
    >>> influence_variance(set_influences(one))
    0.0
    """
    left = influence - influence.mean()
    if unit is not None:
        left = np.bincount(unit, weights=left)
    return float(4 / len(influence) ** 2 * (left**2).sum())


# ----------------------------------------------------------------------------------------------
# How many features that say little are selected by stability selection, at most on average.
# ----------------------------------------------------------------------------------------------


Assumption = Literal["none", "unimodal", "r-concave"]

BOTH, SINGLE = -1 / 2, -1 / 4
"""The r of r-concavity: of how often both halves select a feature, and of how often one does."""

POINTS = 400  # places at which a tail is looked at before the search narrows
ROUNDS = 5  # times that it does
WIDEST = 1e5  # a distribution (a + i)^(1/r) with an a beyond it is flat


def false_selections(
    features: int, selected: float, cutoff: float, pairs: int, assumption: Assumption = "unimodal"
) -> float:
    r"""The mean number of features of low selection probability in the stable set, at most.

    With p features of which q are selected on average in each half of the cases, those chosen no
    more often than a choice blind to the outcome (:math:`\theta = q/p`) make up at most

    .. math:: \frac{q^2}{p\,(2\pi - 1)}

    of the stable set on average without any assumption. If the share of pairs of halves in which
    both select a feature has one mode, a bound is :math:`q^2/p` divided by
    :math:`2\,(2\pi - 1 - 1/(2B))` up to a cut-off :math:`\pi` of 3/4 and multiplied by
    :math:`4\,(1 - \pi + 1/(2B))/(1 + 1/B)` above it. If that share is r-concave with r = −1/2, and
    the share of halves with r = −1/4, it is p times the largest tail that any such distribution
    has. Never more than all p; all p where a bound does not reach.

    References
    ----------
    Meinshausen & Bühlmann (2010), theorem 1; Shah & Samworth (2013), equations 3, 8 and 9.

    Examples
    --------
    >>> [false_selections(100, 10, 0.6, 50, kind) for kind in ("none", "unimodal", "r-concave")]
    [5.0, 2.6316, 1.1413]
    """
    share = selected / features
    if assumption == "r-concave":
        steps = steps_of(cutoff, 2 * pairs)
        tails = (
            concave_tail(share**2, steps - pairs, pairs, BOTH),
            concave_tail(share, steps, 2 * pairs, SINGLE),
        )
        return features * min(tails)
    if cutoff <= 0.5:
        return float(features)
    plain = selected**2 / features
    if assumption == "none":
        return min(float(features), plain / (2 * cutoff - 1))
    if cutoff > 3 / 4:
        return min(float(features), plain * 4 * (1 - cutoff + 1 / (2 * pairs)) / (1 + 1 / pairs))
    reach = 0.5 + min(share**2, 1 / (2 * pairs) + 0.75 * share**2)
    room = 2 * (2 * cutoff - 1 - 1 / (2 * pairs))
    if cutoff <= reach or room <= 0:
        return float(features)
    return min(float(features), plain / room)


def most_selected(
    features: int, errors: float, cutoff: float, pairs: int, assumption: Assumption = "unimodal"
) -> int:
    """How many features each half may select, so that the bound is met; 0 if not even one.

    >>> [most_selected(200, 0.2, 0.6, 50, kind) for kind in ("unimodal", "r-concave")]
    [3, 6]
    """
    found = 0
    while found < features and (
        false_selections(features, found + 1, cutoff, pairs, assumption) <= errors
    ):
        found += 1
    return found


def least_cutoff(
    features: int, selected: float, errors: float, pairs: int, assumption: Assumption = "unimodal"
) -> float | None:
    """The lowest share of halves above one half at which the bound is met; None if there is none.

    >>> [least_cutoff(200, 7, 0.2, 50, kind) for kind in ("unimodal", "r-concave")]
    [0.81, 0.62]
    """
    for steps in range(pairs + 1, 2 * pairs + 1):
        if false_selections(features, selected, steps / (2 * pairs), pairs, assumption) <= errors:
            return steps / (2 * pairs)
    return None


def steps_of(cutoff: float, halves: int) -> int:
    """How many of the halves must select a feature that is to be stable; rounding forgiven."""
    return math.ceil(round(cutoff * halves, 9))


def concave_tail(mean: float, least: int, steps: int, r: float) -> float:
    r"""The largest P(N ≥ least) of an r-concave N on 0, 1, …, `steps` whose mean/steps is `mean`.

    The worst distribution is :math:`c\,(a + i)^{1/r}` up to some k, and what is left at k + 1;
    given a, the mean fixes k and c, so that one number is to be looked for.

    References
    ----------
    Shah & Samworth (2013), appendix A.4.

    >>> concave_tail(0.01, 20, 100, -1 / 4)
    0.002
    """
    if least <= math.ceil(2 * mean * steps):
        return 1.0
    if least > steps:
        return 0.0
    low, high = math.log(_flattest(mean, steps, 1 / r)), math.log(WIDEST)
    best = 0.0
    for _ in range(ROUNDS):
        places = np.linspace(low, high, POINTS)
        tails = _tails(np.exp(places), mean * steps, least, steps, 1 / r)
        at = int(tails.argmax())
        best = max(best, float(tails[at]))
        low, high = places[max(at - 1, 0)], places[min(at + 1, POINTS - 1)]
    return best


def _flattest(mean: float, steps: int, power: float) -> float:
    """The smallest a at which all steps together have no less than the mean."""

    i = np.arange(steps + 1)

    def above(log_a: float) -> float:
        weight = (1 + i / math.exp(log_a)) ** power
        return float(i @ weight / weight.sum() - mean * steps)

    return math.exp(crossing(above, math.log(1e-9), math.log(WIDEST), xtol=1e-13))


def _tails(a: Floats, mean: float, least: int, steps: int, power: float) -> Floats:
    """P(N ≥ least) of the distributions with these a (…,)."""
    i = np.arange(steps + 1)
    weight = (1 + i / a[:, None]) ** power
    mass, moment = weight.cumsum(axis=1), (i * weight).cumsum(axis=1)
    # the last k of which all mass up to it still has no more than the mean; one step is left over
    k = np.minimum((moment <= mean * mass * (1 + 1e-12)).sum(axis=1) - 1, steps - 1)
    rows = np.arange(len(a))
    spread = (k + 1) * mass[rows, k] - moment[rows, k]
    below = np.where(least > k, mass[rows, k], mass[rows, np.minimum(least - 1, k)])
    return np.asarray(np.where(least > k + 1, 0.0, 1 - (k + 1 - mean) * below / spread))


ASSUMPTIONS: tuple[Assumption, ...] = ("none", "unimodal", "r-concave")
CUTOFF, ERRORS = 0.75, 1.0
"""What share of halves makes a feature stable, and how many false ones are allowed; if not said."""

BLOCK = 5  # pairs of halves that share a stream
PAIRS = 25  # fewer than this say little
T_METHOD = "Student's t over pairs of halves"

# ----------------------------------------------------------------------------------------------
# Complementary pairs: the cases in two halves, features selected in each.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pairs:
    """Selections in both halves of the cases, as work for blocks; one row per pair of halves.

    Classes have half of their cases in each half; a case too many is left out of both. Groups stay
    whole, half of them in each half.
    """

    judge: Judge | None
    selectors: tuple[Any, ...]
    X: Floats
    y: Array
    strata: Ints | None
    cv: Any
    steps: int
    ties: str
    groups: Ints | None = None

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        halves: list[Ints] = []
        splits: list[list[Split]] = []
        first: list[Ints] = []
        for _ in range(size):
            for half in self.halves(rng):
                halves.append(half)
                if self.judge is not None:
                    splits.append(splits_of(self.cv, half, self.y, self.strata, rng, self.groups))
                    first.append(self._first(rng))
        found: dict[str, Array] = {}
        if self.judge is not None:
            paths = forward(self.judge, splits, self.steps, first=np.array(first))
            found["order"] = paths.order.reshape(size, 2, *paths.order.shape[1:])
            found["values"] = paths.values.reshape(size, 2, *paths.values.shape[1:])
        if self.selectors:
            chosen = np.array([[self._chosen(one, h) for one in self.selectors] for h in halves])
            found["chosen"] = chosen.reshape(size, 2, *chosen.shape[1:])
        return found

    def halves(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Two halves of the cases that have none in common."""
        every = np.arange(len(self.y))
        unit, layer = units_of(every, self.strata, self.groups)

        def halved() -> list[Split]:
            side = np.full(len(layer), 2)
            for some in (rng.permutation(one) for one in members(layer)):
                half = len(some) // 2
                side[some[:half]], side[some[half : 2 * half]] = 0, 1
            return [(every[side[unit] == 0], every[side[unit] == 1])]

        [found] = halved() if self.groups is None else with_every_class(halved, self.strata)
        return found

    def _first(self, rng: np.random.Generator) -> Ints:
        count = self.X.shape[1]
        return rng.permutation(count) if self.ties == "random" else np.arange(count)

    def _chosen(self, selector: Any, rows: Ints) -> Bools:
        from sklearn.base import clone

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return support_of(clone(selector).fit(self.X[rows], self.y[rows]), self.X.shape[1])


def support_of(fitted: Any, features: int) -> Bools:
    """Which features a fitted selector, or a pipeline that ends with one, has chosen."""
    last = fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted
    chosen = np.asarray(last.get_support(), dtype=bool)
    if chosen.shape != (features,):
        raise NotApplicable(
            f"a selector must choose among the {features} features as they are given; it chose "
            f"among {chosen.size}. Leave out of its pipeline what makes new columns."
        )
    return chosen


# ----------------------------------------------------------------------------------------------
# What is found: of every selector, of every feature, and between selectors.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SelectorRow:
    """How stable one way to select features is.

    `index` is Nogueira, Sechidis and Brown's; `bounds` on the mean number of false selections in
    the stable set by what they assume, `bound` the one asked for.
    """

    selector: str
    title: str
    size: float
    index: float
    interval: Interval | None
    cutoff: float
    stable: tuple[str, ...]
    bound: float
    bounds: Mapping[str, float]
    gained: float | None = None  # features before the first that does not improve the measure
    noise_stable: int | None = None  # permuted copies in the stable set
    noise_selected: float | None = None  # permuted copies among those selected in a half, mean
    noise_error: float | None = None  # its standard error over pairs of halves
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class FrequencyRow:
    """How often one feature was selected; `path` is how often among the first 1, 2, … of them."""

    selector: str
    feature: str
    frequency: float
    stable: bool
    noise: bool
    path: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class IndexDifference:
    """The indices of two selectors on the same halves, first minus second."""

    first: str
    second: str
    difference: float
    interval: Interval | None
    p_value: float | None
    p_adjusted: float | None = None


@dataclass(frozen=True, kw_only=True)
class Stability(Result, kind="stability"):
    """Which features are selected again and again, as `stability` gives it.

    `result["log_score"]` is the row of a selector; `stable("log_score")` its stable features.

    Attributes
    ----------
    selectors
        One row per measure or selector: stable set, bound on false selections, index, interval.
    frequencies
        One row per selector and feature: how often it was selected, and its path.
    comparisons
        Differences of the index between selectors.
    n, features
        Number of cases and of features, permuted copies included.
    groups
        Number of groups, which stayed whole; None without.
    selected
        How many features forward selection took in each half; None of selectors alone.
    pairs
        Pairs of halves.
    assumption
        What the bound asked for assumes.
    copies
        Number of permuted copies, known to be noise.
    level
        Of the intervals.
    learner, judged
        What forward selection fitted, and on what it judged it.
    seed
        Seed of all draws.

    See Also
    --------
    stability : makes it.

    Examples
    --------
    >>> import numpy as np
    >>> from abovechance import stability
    >>> rng = np.random.default_rng(1)
    >>> X, y = rng.normal(size=(80, 4)), np.repeat([0, 1], 40)
    >>> X[:, 2] += 2 * y
    >>> stability(X, y, measure="brier", draws=10, rng=1)["brier"].stable
    ('feature 3',)
    """

    selectors: tuple[SelectorRow, ...]
    frequencies: tuple[FrequencyRow, ...]
    comparisons: tuple[IndexDifference, ...]
    n: int
    features: int
    selected: int | None
    pairs: int
    assumption: str
    copies: int
    level: float
    learner: str | None
    judged: str | None
    seed: int
    advice: tuple[Advice, ...] = ()
    described: str = ""
    groups: int | None = None

    def __iter__(self) -> Iterator[SelectorRow]:
        return iter(self.selectors)

    def __len__(self) -> int:
        return len(self.selectors)

    def __getitem__(self, selector: str) -> SelectorRow:
        from abovechance.measures import find

        rows = {row.selector: row for row in self.selectors}
        if selector not in rows:
            known = {row.selector for row in self.selectors}
            label = find(selector).label if selector not in known else selector
            if label not in rows:
                raise NotApplicable(f"{selector!r} did not select; these did: {', '.join(rows)}.")
            selector = label
        return rows[selector]

    def stable(self, selector: str | None = None) -> list[str]:
        """The stable features of a selector; of the first when none is named."""
        return list(self.selectors[0].stable if selector is None else self[selector].stable)

    def rows(self) -> list[dict[str, Any]]:
        """How often every feature was selected, as rows of a table."""
        return [
            {key: value for key, value in vars(row).items() if key != "path"}
            for row in self.frequencies
        ]


# ----------------------------------------------------------------------------------------------
# The verb.
# ----------------------------------------------------------------------------------------------


@settled
def stability(
    X: Any,
    y: Any,
    *,
    measure: str | Measure | Iterable[str | Measure] | None = None,
    selector: Any = None,
    learner: Any = None,
    cv: Any = 1 / 3,
    groups: Any = None,
    features: int | None = None,
    cutoff: float | None = None,
    errors: float | None = None,
    assumption: Assumption = "unimodal",
    steps: int | None = None,
    copies: bool = False,
    ties: str = "random",
    feature_names: Sequence[str] | None = None,
    kind: str | None = None,
    pos_label: Any = None,
    **given: Any,
) -> Stability:
    """Find the features that are selected again and again on halves of the cases.

    The cases are cut into two halves many times (complementary pairs), features are selected in
    each half, and those selected in a large share of the halves are stable. How many of them may
    be there by accident has a bound; how alike the selections are has an index.

    Parameters
    ----------
    X
        Features: cases × features, or a dataframe; numbers, none of them constant.
    y
        Class of each case, or a number.
    measure
        What greedy forward selection is to improve; several measures share halves and fits and are
        compared. The log score when neither this nor `selector` is given.
    selector
        Any scikit-learn selector (with `get_support`), a pipeline that ends with one, or several
        by name in a dictionary; fitted to each half. It may stand beside `measure`.
    learner
        What forward selection fits, as in `select`.
    cv
        How each half is judged within: a share of it held out, a number of folds, or a splitter.
    groups
        The cluster of each case: half of the clusters are in each half, whole, and what is judged
        within a half is never of a cluster that was fitted to.
    features
        How many features forward selection takes in each half; when not given, as many as the
        bound on `errors` allows at this `cutoff`.
    cutoff
        Share of the halves in which a stable feature is selected; 0.75 when not given, and with
        `features` and `errors` the lowest that keeps the bound.
    errors
        How many features of low selection probability may be in the stable set on average, at
        most; 1 when not given.
    assumption
        Of which bound this is meant: "unimodal" (default), "r-concave", or "none", which holds for
        any selector but is the widest. All three are in the result.
    steps
        How far paths are followed; twice `features` when not given.
    copies
        Whether a permuted copy of every feature joins them, known to be noise.
    ties
        As in `select`: "random", or "first".
    kind
        "classes" or "numeric"; seen from the outcome when not given.
    pos_label
        The positive class of two that are not coded 0/1; needed for measures that depend on it.

    Returns
    -------
    Stability
        Stable features with their bound, selection frequencies and paths, the index of stability
        of every selector with its interval, and the differences between selectors.

    Raises
    ------
    DataError
        If features are not numbers or do not vary, or a class has too few cases for halves.
    NotApplicable
        If no number of features or no cut-off keeps the bound.

    See Also
    --------
    select : one selection on all cases.

    References
    ----------
    Meinshausen & Bühlmann (2010); Shah & Samworth (2013); Nogueira, Sechidis & Brown (2018).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X, y = rng.normal(size=(80, 4)), np.repeat([0, 1], 40)
    >>> X[:, 2] += 2 * y
    >>> found = stability(X, y, measure=["accuracy", "brier"], features=1, draws=20, rng=1)
    >>> found.stable("brier"), found["brier"].bounds["unimodal"]
    (['feature 3'], 0.263)
    """
    settings = Settings.of("stability", given)
    one_of("assumption", assumption, ASSUMPTIONS)
    chosen = _selectors(selector, settings.seed)
    by_measure = measure is not None or not chosen
    task = Task.of(
        X,
        y,
        measures="log_score" if measure is None else measure,
        learner=learner,
        groups=groups,
        feature_names=feature_names,
        kind=kind,
        pos_label=pos_label,
        seed=settings.seed,
        check=by_measure,
    )
    names = list(task.names)
    table = task.judge.X
    if copies:
        table = np.column_stack([table, settings.rng(1).permuted(table, axis=0)])
        names += [f"{name} (permuted)" for name in task.names]
        task = task.with_features(table, tuple(names))
    count, pairs = table.shape[1], settings.flips
    cv = checked_cv(cv, settings.seed)
    task.first(ties, settings.rng(0))  # it checks the word
    task.enough(2 * fewest(cv), "so that each half can be fitted and judged on")
    plan = Plan.of(count, features, cutoff, errors, pairs, assumption, by_measure)
    work = Pairs(
        judge=task.judge if by_measure else None,
        selectors=tuple(chosen.values()),
        X=table,
        y=task.y,
        strata=task.strata,
        cv=cv,
        steps=plan.followed(steps) if by_measure else 0,
        ties=ties,
        groups=task.groups,
    )
    found = replicate_blocks(work, settings, block=BLOCK)
    assert isinstance(found, dict)
    ways = list(_ways(task, chosen, found, plan, by_measure))
    noise = np.arange(count) >= count // 2 if copies else np.zeros(count, dtype=bool)
    rows = [_row(way, plan, names, noise if copies else None, settings) for way in ways]
    return Stability(
        selectors=tuple(rows),
        frequencies=tuple(
            line
            for way, row in zip(ways, rows, strict=True)
            for line in _frequencies(way, row, names, noise)
        ),
        comparisons=tuple(_comparisons(ways, settings)),
        n=len(task.y),
        features=count,
        selected=plan.selected,
        pairs=pairs,
        assumption=assumption,
        copies=count // 2 if copies else 0,
        level=settings.level,
        learner=task.learner if by_measure else None,
        judged=cv_words(cv) if by_measure else None,
        seed=settings.seed,
        advice=(*task.moved, *_advice(rows, pairs)),
        groups=None if task.groups is None else int(task.groups.max()) + 1,
    )


def _selectors(selector: Any, seed: int) -> dict[str, Any]:
    """Selectors by name, what they leave to chance set by the seed."""
    if selector is None:
        return {}
    given = selector if isinstance(selector, Mapping) else {_name(selector): selector}
    found = {}
    for name, one in given.items():
        last = one.steps[-1][1] if hasattr(one, "steps") else one
        if isinstance(one, type) or not (hasattr(one, "fit") and hasattr(last, "get_support")):
            raise DataError(
                "selector must be a scikit-learn feature selector, with fit and get_support, or "
                f"several by name; got {shown(one)}."
            )
        found[str(name)] = seeded(one, seed)
    if not found:
        raise DataError("selector names none; leave it out for forward selection.")
    return found


def _name(selector: Any) -> str:
    last = selector.steps[-1][1] if hasattr(selector, "steps") else selector
    return type(last).__name__


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How many features each half selects, and in how many halves a stable one must be."""

    features: int
    selected: int | None
    cutoff: float | None
    errors: float
    pairs: int
    assumption: Assumption

    @classmethod
    def of(
        cls,
        count: int,
        features: int | None,
        cutoff: float | None,
        errors: float | None,
        pairs: int,
        assumption: Assumption,
        by_measure: bool,
    ) -> "Plan":
        """From what was said: two of number, cut-off and errors, or fewer."""
        if features is not None and cutoff is not None and errors is not None:
            raise DataError(
                "of features, cutoff and errors two decide the third; leave one of them out."
            )
        if features is not None and not by_measure:
            raise DataError("features= is of forward selection; a selector chooses how many.")
        if cutoff is not None and not 0.5 < cutoff <= 1.0:
            raise DataError(f"cutoff must be above 0.5 and at most 1; got {cutoff:g}.")
        allowed = ERRORS if errors is None else positive("errors", errors)
        most = features
        if features is not None and not 1 <= whole_number("features", features) < count:
            raise DataError(
                f"features must be from 1 to {count - 1}, one fewer than there are; got {features}."
            )
        if by_measure and features is None:
            most = most_selected(count, allowed, cutoff or CUTOFF, pairs, assumption)
            most = min(most, count - 1)
            if not most:
                raise NotApplicable(
                    f"not even one feature of {count} can be selected in each half so that at most "
                    f"{allowed:g} are false on average at a cut-off of {cutoff or CUTOFF:g}; raise "
                    "errors= or cutoff= (--errors, --cutoff), or state features= (--take) and "
                    "accept its bound."
                )
        at: float | None = CUTOFF if cutoff is None else float(cutoff)
        if cutoff is None and errors is not None and (features is not None or not by_measure):
            at = None  # the lowest that keeps the bound
        return cls(
            features=count,
            selected=most,
            cutoff=at,
            errors=allowed,
            pairs=pairs,
            assumption=assumption,
        )

    def followed(self, steps: int | None) -> int:
        """How many features paths are followed for."""
        assert self.selected is not None
        if steps is None:
            return min(self.features, 2 * self.selected)
        if not self.selected <= whole_number("steps", steps) <= self.features:
            raise DataError(
                f"steps must be from {self.selected}, which are selected, to {self.features}; "
                f"got {steps}."
            )
        return steps

    def cutoff_for(self, size: float) -> float:
        """The cut-off for selections of so many features on average."""
        if self.cutoff is not None:
            return self.cutoff
        found = least_cutoff(self.features, size, self.errors, self.pairs, self.assumption)
        if found is None:
            raise NotApplicable(
                f"no cut-off keeps false selections below {self.errors:g} when {size:.3g} of "
                f"{self.features} features are selected; select fewer, or raise errors= (--errors)."
            )
        return found


@dataclass(frozen=True, eq=False)
class Way:
    """What one selector chose: rows of both halves of each pair (2B, p), and its paths."""

    name: str
    title: str
    chosen: Bools
    path: Floats | None = None  # (steps, p)
    gained: float | None = None

    @property
    def pair(self) -> Ints:
        """The pair that each half belongs to."""
        return np.repeat(np.arange(len(self.chosen) // 2), 2)


def _ways(
    task: Task, selectors: Mapping[str, Any], found: Mapping[str, Array], plan: Plan, measured: bool
) -> Iterator[Way]:
    """What each measure and each selector chose, halves of one pair next to each other."""
    if measured:
        order, values = (found[k].reshape(-1, *found[k].shape[2:]) for k in ("order", "values"))
        for m, measure in enumerate(task.judge.measures):
            # the inverse of an order: at which step each feature was taken
            place = np.argsort(_completed_orders(order[:, m], plan.features), axis=1)
            steps = np.arange(1, order.shape[2] + 1)
            near = closeness(measure, values[:, m])
            with np.errstate(invalid="ignore"):
                better = np.diff(near, axis=1) > 0
            gained = np.where(better.all(axis=1), better.shape[1], (~better).argmax(axis=1))
            yield Way(
                measure.label,
                measure.title,
                place < (plan.selected or 0),
                (place[None] < steps[:, None, None]).mean(axis=1),
                float(gained.mean()),
            )
    for k, name in enumerate(selectors):
        chosen = found["chosen"].reshape(-1, *found["chosen"].shape[2:])[:, k]
        yield Way(name, name, chosen)


def _completed_orders(order: Ints, features: int) -> Ints:
    """Orders (R, steps) completed by the features that were never taken, at the end."""
    left = np.ones((len(order), features), dtype=bool)
    np.put_along_axis(left, order, False, axis=1)
    rest = np.argsort(~left, axis=1, kind="stable")[:, : features - order.shape[1]]
    return np.concatenate([order, rest], axis=1)


def _row(
    way: Way, plan: Plan, names: Sequence[str], noise: Bools | None, settings: Settings
) -> SelectorRow:
    size = float(way.chosen.sum(axis=1).mean())
    cutoff = plan.cutoff_for(size)
    stable = way.chosen.sum(axis=0) >= steps_of(cutoff, len(way.chosen))
    bounds: dict[str, float] = {
        kind: false_selections(plan.features, size, cutoff, plan.pairs, kind)
        for kind in ASSUMPTIONS
    }
    index = set_stability(way.chosen)
    undefined = None
    if np.isnan(index):
        every = "no half selected a feature" if size == 0 else "every half selected all features"
        undefined = f"{every}, so there is nothing to compare"
    return SelectorRow(
        selector=way.name,
        title=way.title,
        size=size,
        index=index,
        interval=_limits(
            index,
            set_influences(way.chosen),
            way.pair,
            settings.level,
            (-1 / (len(way.chosen) - 1), 1.0),
        ),
        cutoff=cutoff,
        stable=tuple(name for name, yes in zip(names, stable, strict=True) if yes),
        bound=bounds[plan.assumption],
        bounds=bounds,
        gained=way.gained,
        undefined=undefined,
        **({} if noise is None else _noise(way, stable, noise)),
    )


def _noise(way: Way, stable: Bools, noise: Bools) -> dict[str, Any]:
    """How many permuted copies were selected."""
    each = way.chosen[:, noise].sum(axis=1).reshape(-1, 2).mean(axis=1)
    return {
        "noise_stable": int((stable & noise).sum()),
        "noise_selected": float(each.mean()),
        "noise_error": float(each.std(ddof=1) / np.sqrt(len(each))),
    }


def _limits(
    value: float, influence: Floats, pair: Ints, level: float, reach: tuple[float, float]
) -> Interval | None:
    """Student's t over pairs of halves, within reach; None where they do not differ."""

    error, pairs = np.sqrt(influence_variance(influence, pair)), int(pair[-1]) + 1
    if not error > 0 or not np.isfinite(value):
        return None
    half = critical_value(level, pairs - 1) * error
    low, high = max(reach[0], value - half), min(reach[1], value + half)
    return Interval(low, high, level, T_METHOD)


def _frequencies(
    way: Way, row: SelectorRow, names: Sequence[str], noise: Bools
) -> Iterator[FrequencyRow]:
    often = way.chosen.mean(axis=0)
    for j in np.argsort(-often, kind="stable"):
        yield FrequencyRow(
            selector=way.name,
            feature=names[j],
            frequency=float(often[j]),
            stable=names[j] in row.stable,
            noise=bool(noise[j]),
            path=() if way.path is None else tuple(way.path[:, j].tolist()),
        )


def _comparisons(ways: Sequence[Way], settings: Settings) -> Iterator[IndexDifference]:
    """Differences of all pairs of selectors, which saw the same halves."""
    from scipy.special import stdtr

    made = []
    for one, other in combinations(ways, 2):
        difference = set_stability(one.chosen) - set_stability(other.chosen)
        influence = set_influences(one.chosen) - set_influences(other.chosen)
        spread = np.sqrt(influence_variance(influence, one.pair))
        pairs = len(one.chosen) // 2
        p = None
        if spread > 0 and np.isfinite(difference):
            p = float(2 * stdtr(pairs - 1, -abs(difference) / spread))
        limits = _limits(difference, influence, one.pair, settings.level, (-2.0, 2.0))
        made.append((one.name, other.name, difference, limits, p))
    together = adjusted([np.nan if p is None else p for *_, p in made])
    for (first, second, difference, limits, p), many in zip(made, together, strict=True):
        yield IndexDifference(
            first=first,
            second=second,
            difference=float(difference),
            interval=limits,
            p_value=p,
            p_adjusted=None if p is None or len(made) == 1 else float(many),
        )


def _advice(rows: Sequence[SelectorRow], pairs: int) -> Iterator[Advice]:
    if pairs < PAIRS:
        yield Advice(
            "AC732",
            f"{pairs} pairs of halves are few; ask for 50 (draws=50), so that frequencies and "
            "bounds mean something.",
        )
    unshown = [row.title for row in rows if row.stable and row.bound >= len(row.stable)]
    if unshown:
        yield Advice(
            "AC733",
            f"{', '.join(unshown)}: as many false selections are allowed on average as there are "
            "stable features, so none of them is shown to matter; select fewer features, or raise "
            "the cut-off.",
            "Shah & Samworth (2013)",
        )
    false = [f"{row.title} ({row.noise_stable})" for row in rows if row.noise_stable]
    if false:
        yield Advice(
            "AC734",
            f"permuted copies, which are noise, are in the stable set of {', '.join(false)}.",
        )
    if any(row.interval is not None for row in rows):
        yield Advice(
            "AC735",
            "an interval of the index says how exactly these pairs of halves measure it on these "
            "cases, not what other cases would give.",
        )
