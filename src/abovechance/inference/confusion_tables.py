"""Functions of a confusion table: what they are, how many cases they are worth, their intervals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference import method
from abovechance.inference.influence import frequency_variance, table_slopes
from abovechance.inference.proportions import score_limits
from abovechance.inference.results import Interval
from abovechance.measures import Form, Law, Measure
from abovechance.measures.sample import COUNTING, of_class_counts
from abovechance.numerics.counts import one_against_rest, table_blocks
from abovechance.numerics.roots import crossing
from abovechance.settings import ONE_MODEL, Settings

if TYPE_CHECKING:
    from abovechance.inference.interval_choice import Shared

# ----------------------------------------------------------------------------------------------
# How many independent cases a share is worth when cases have weights or come in clusters.
#
# A share m with standard error s varies like one of m(1 − m)/s² independent cases, and with few
# units Student's quantile in place of the normal one is the same as still fewer cases. So counts
# are made smaller, and every method for independent cases serves: Wilson, MOVER, a posterior.
# ----------------------------------------------------------------------------------------------


FEW = 10  # independent cases off the nearer bound, below which their spread is not trusted
NOTHING = 1e-22  # a variance of a share below this is rounding
ONE_CLUSTER = "all its cases come from one cluster; an interval over clusters needs at least two."


@dataclass(frozen=True)
class Worth:
    """A mean of scores from 0 to 1, and the number of independent cases it is worth."""

    mean: float
    cases: float
    units: int  # cases, or clusters, that hold any of its denominator


@dataclass(frozen=True)
class Cells:
    """Cases by cell of their confusion table; by case only where they weigh or cluster."""

    table: Floats  # (K, K), weighted
    cell: Ints | None = None  # row · K + column of each case
    weight: Floats | None = None  # of each case
    unit: Ints | None = None  # the cluster of each case

    @classmethod
    def of(cls, predictions: Any, acted: Bools | None = None) -> "Cells":
        """Equal weights are none, and so are clusters of one case each.

        `acted` takes the place of the labels where a measure has a threshold of its own.
        """
        weight, groups = predictions.weight, predictions.cases.groups
        table = np.asarray(predictions.confusion, dtype=np.float64)
        if acted is not None:
            cell = 2 * predictions.positive + acted
            table = np.bincount(cell, weights=weight, minlength=4).reshape(2, 2).astype(np.float64)
        kept = slice(None) if weight is None else weight > 0
        weight = None if weight is None else weight[kept]
        unit = None if groups is None else np.unique(groups[kept], return_inverse=True)[1]
        if unit is not None and unit.max() + 1 == len(unit):
            unit = None
        if weight is not None and alike(weight):
            table, weight = table / weight[0], None
        if weight is None and unit is None:
            return cls(np.round(table, 9))
        label = predictions.label if acted is None else acted
        cell = predictions.codes.astype(np.int64) * len(table) + label.astype(np.int64)
        return cls(table, cell[kept], weight, unit)

    @property
    def independent(self) -> bool:
        """Whether every case counts one and varies by itself, so that the table tells all."""
        return self.cell is None

    @property
    def known(self) -> dict[str, Any]:
        """Whose number the effective one is: what a method knows of its use."""
        if self.unit is None:
            return {} if self.weight is None else {"weights": True}
        return {"clusters": int(self.unit.max()) + 1}

    def worth(self, score: Floats, inside: Bools, level: float) -> Worth:
        """What the mean of a score (K, K) over the cells inside is worth."""
        if self.cell is None:
            return _of_counts(score[inside], self.table[inside])
        here = inside.ravel()[self.cell]
        weight = None if self.weight is None else self.weight[here]
        unit = None if self.unit is None else self.unit[here]
        return worth(score.ravel()[self.cell[here]], weight, unit, level)

    def beside_usual(self, score: Floats, inside: Bools) -> tuple["Cells", float] | None:
        """The same cases, weights beside those usual for them, and how much heavier hits are.

        Of precision and its like hits are of one class and misses of others, of sensitivity hits
        are of one call: where weights go with these, a case that was not seen would weigh what
        others like it do. None where hits and misses are alike in both, or nothing tells.
        """
        if self.weight is None or self.cell is None or not np.isin(score[inside], (0.0, 1.0)).all():
            return None
        for axis, of_case in enumerate((self.cell % len(self.table), self.cell // len(self.table))):
            hit, miss = ((inside & (score == x)).any(axis=axis) for x in (1.0, 0.0))
            if not (hit & miss).any():
                sides = [miss[of_case], hit[of_case]]
                heavier = self._heavier(sides, inside.ravel()[self.cell], of_class=axis == 1)
                return None if heavier is None else self._beside(heavier, sides[1])
        return None

    def _heavier(self, sides: list[Bools], inside: Bools, *, of_class: bool = True) -> float | None:
        """How many times as much the second of two sides of a denominator usually weighs.

        What a case weighs may go with its class and with how it was called, so that where one side
        has none others are asked only how weights compare. Where none can be: what its class
        weighs, but no less than what was seen.
        """
        assert self.weight is not None
        here, beyond = (
            [self.weight[side & place] for side in sides] for place in (inside, ~inside)
        )
        seen = [len(w) > 0 for w in here]
        if all(seen):
            return _times(*here)
        known = 0 if seen[0] else 1
        unseen = beyond[1 - known]
        if not any(seen) or not len(unseen):
            return None
        if len(beyond[known]):
            return _times(*beyond)
        if not of_class:
            return None
        times = max(_times(here[known], unseen), 1.0)
        return times if known == 0 else 1.0 / times

    def _beside(self, heavier: float, second: Bools) -> tuple["Cells", float]:
        """Weights beside those usual on two sides, and how much heavier the second is."""
        assert self.weight is not None
        assert self.cell is not None
        weight = np.where(second, self.weight / heavier, self.weight)
        weight = np.ones(len(weight)) if alike(weight) else weight
        size = len(self.table)
        table = np.bincount(self.cell, weights=weight, minlength=size**2).astype(np.float64)
        return replace(self, table=table.reshape(size, size), weight=weight), heavier

    def prevalence(self, level: float) -> tuple[Worth, float]:
        """What the share of positives would be worth were both classes sampled alike.

        And how much heavier positives are: it multiplies the odds.
        """
        like, heavier = self, 1.0
        if self.cell is not None and self.weight is not None:
            positive = self.cell // 2 == 1
            like, heavier = self._beside(
                _times(self.weight[~positive], self.weight[positive]), positive
            )
        size = like.table.sum(axis=1)
        return Worth(float(size[1] / size.sum()), like.margin_worth(level), 2), heavier

    def _over_units(self, values: Floats) -> Floats:
        if self.unit is None:
            return values
        return np.asarray(np.bincount(self.unit, weights=values), dtype=np.float64)

    def with_prevalence(self) -> Floats:
        """How specificity and sensitivity go together with how frequent positives are: (2,).

        They do where heavy cases are called otherwise than light ones of their class.
        """
        if self.weight is None or self.cell is None:
            return np.zeros(2)
        actual, right = self.cell // 2, self.cell // 2 == self.cell % 2
        frequency = self.weight * (actual - self.table[1].sum() / self.table.sum())
        frequency = self._over_units(frequency)
        found = []
        for k in (0, 1):
            share = self.table[k, k] / self.table[k].sum()
            moves = self._over_units(self.weight * (actual == k) * (right - share))
            size = float(np.sqrt((moves @ moves) * (frequency @ frequency)))
            found.append(float(moves @ frequency) / size if size > 0.0 else 0.0)
        return np.array(found)

    def row_worth(self, row: int, score: Floats, level: float) -> Worth:
        """What the mean of a score over the cases of one class is worth."""
        inside = np.zeros(self.table.shape, dtype=np.bool_)
        inside[row] = True
        return self.worth(np.broadcast_to(score, self.table.shape), inside, level)

    @cached_property
    def _codes(self) -> tuple[Ints, Floats, int]:
        assert self.cell is not None
        unit = np.arange(len(self.cell)) if self.unit is None else self.unit
        weight = np.ones(len(self.cell)) if self.weight is None else self.weight
        return unit, weight, int(unit.max()) + 1

    def sums(self, score: Floats) -> Floats:
        """Weighted sums of a score (K, K) over the cases of each class in each unit: (units, K)."""
        assert self.cell is not None
        unit, weight, units = self._codes
        k = len(self.table)
        place = unit * k + self.cell // k
        values = weight * score.ravel()[self.cell]
        found = np.bincount(place, weights=values, minlength=units * k)
        return np.asarray(found.reshape(units, k), dtype=np.float64)

    def correlations(self, score: Floats) -> Floats:
        """How the mean scores of the classes go together over clusters: (K, K).

        Classes that go against each other narrow an interval; with few clusters that may be
        chance, so such a correlation is taken one standard error nearer to 0.
        """
        k = len(self.table)
        if self.unit is None:
            return np.asarray(np.eye(k), dtype=np.float64)
        total = self.table.sum(axis=1, keepdims=True)
        centre = (self.table * score).sum(axis=1, keepdims=True) / np.where(total > 0, total, 1.0)
        apart = self.sums(score - centre)
        spread = np.sqrt((apart**2).sum(axis=0))
        spread = np.where(spread > 1e-9 * total[:, 0], spread, np.inf)  # rounding is no spread
        found = np.clip(apart.T @ apart / np.outer(spread, spread), -1.0, 1.0)
        holds = (self.sums(np.ones((k, k))) > 0).astype(np.float64)
        both = holds.T @ holds
        against = np.clip(found, -1.0 + 1e-12, 0.0)
        careful = np.minimum(np.tanh(np.arctanh(against) + _error(both)), 0.0)
        found = np.where(found < 0, careful, found)
        np.fill_diagonal(found, 1.0)
        return found

    def margin_worth(self, level: float) -> float:
        """What the frequencies of the classes are worth: the number of independent cases."""
        if self.cell is None:
            return float(self.table.sum())
        unit, weight, units = self._codes
        k = len(self.table)
        share = self.table.sum(axis=1) / self.table.sum()
        held = self.sums(np.ones((k, k))) / weight.sum()
        size = held.sum(axis=1)
        if units < 2 or size.max() == 1.0:  # one has all the weight
            return _fewer(1.0, 1.0, level)
        apart = ((held - size[:, None] * share) ** 2).sum(axis=1)
        variance = float((apart / (1.0 - size)).sum())
        spread = float((share * (1.0 - share)).sum())
        cases = len(unit) if variance <= NOTHING else min(len(unit), spread / variance)
        return _fewer(cases, degrees_of_freedom(size), level)


def _times(first: Floats, second: Floats) -> float:
    """How many times as much the second cases weigh, as far as that is not their own variation."""
    one, other = float(first.mean()), float(second.mean())
    apart = np.concatenate([first / one, second / other]) - 1.0
    spread = float(apart @ apart) / max(len(apart) - 2, 1)
    found = float(np.log(other / one))
    chance = spread * (1.0 / len(first) + 1.0 / len(second))
    return float(np.exp(found * max(1.0 - chance / found**2, 0.0))) if found else 1.0


def alike(weight: Floats) -> bool:
    """Whether weights differ by rounding alone."""
    return bool(np.ptp(weight) <= CLOSE * np.abs(weight).max())


def worth(score: Floats, weight: Floats | None, unit: Ints | None, level: float) -> Worth:
    r"""What the (weighted) mean of scores from 0 to 1 is worth, a value each case.

    With :math:`a_g` the share of weight in unit g and :math:`z_g = \sum_{i \in g} w_i (x_i - m) /
    \sum w`, the variance is :math:`\sum z_g^2 / (1 - a_g)`, with Satterthwaite's degrees of
    freedom. Where nothing varies the units themselves are counted, by their weight: no spread was
    estimated, so Student's quantile has nothing to allow for.

    References
    ----------
    Bell & McCaffrey (2002); Pustejovsky & Tipton (2018); Korn & Graubard (1998).
    """
    n = len(score)
    if n == 0:
        raise NotApplicable("a share needs at least one case; there is none.")
    code = np.arange(n) if unit is None else np.unique(unit, return_inverse=True)[1]
    units = int(code.max()) + 1
    if units == n and (weight is None or alike(weight)):
        return _of_counts(score, np.ones(n))
    w = np.ones(n) if weight is None else weight
    mean = _snapped(float(w @ score / w.sum()))
    size = np.bincount(code, weights=w) / w.sum()
    if units < 2 or size.max() == 1.0:  # one has all the weight
        return Worth(mean, _fewer(1.0, 1.0, level), 1)
    variance = float((np.bincount(code, weights=w * (score - mean)) ** 2 / (1.0 - size)).sum())
    variance /= float(w.sum()) ** 2
    kish = 1.0 / float((size**2).sum())
    # few errors with small weights would make cases seem worth more than they are
    most = kish if units == n else float(n)
    if variance <= NOTHING:
        return Worth(mean, kish, units)
    cases = min(mean * (1.0 - mean) / variance, most)
    return Worth(mean, _fewer(cases, degrees_of_freedom(size), level), units)


def degrees_of_freedom(size: Floats) -> float:
    """Satterthwaite's, of a mean over units that hold these shares of the weight.

    >>> degrees_of_freedom(np.full(8, 1 / 8))
    7.0
    """
    square = size**2 / (1.0 - size)
    crossed = square.sum() ** 2 - (square**2).sum()
    return float(1.0 / ((size**2).sum() + crossed))


def _of_counts(score: Floats, count: Floats) -> Worth:
    """Independent cases that count one each."""
    n = float(count.sum())
    if n <= 0:
        raise NotApplicable("a share needs at least one case; there is none.")
    mean = float(score @ count / n)
    if np.isin(score, (0.0, 1.0)).all():
        return Worth(mean, n, int(n))
    mean = _snapped(mean)
    off = min(float(count[score < 1.0].sum()), float(count[score > 0.0].sum()))
    variance = float(count @ (score - mean) ** 2) / n**2
    cases = n if off < FEW or variance <= NOTHING else mean * (1.0 - mean) / variance
    return Worth(mean, cases, int(n))


def _snapped(mean: float) -> float:
    """A mean that rounding alone keeps from its bound is at its bound."""
    return float(np.round(mean)) if min(mean, 1.0 - mean) < 1e-12 else mean


def _fewer(cases: float, df: float, level: float) -> float:
    """So few that the normal quantile gives what Student's would."""
    from scipy.special import ndtri, stdtrit

    at = 0.5 + level / 2.0
    return float(cases * (ndtri(at) / stdtrit(max(df, 1.0), at)) ** 2)


def _error(both: Floats) -> Floats:
    """Standard error of Fisher's z from so many clusters with cases of both classes."""
    return np.where(both > 3, 1.0 / np.sqrt(np.maximum(both - 3.0, 1e-9)), np.inf)


# ----------------------------------------------------------------------------------------------
# What a formula on confusion tables is, found by evaluating it: facts decide, never a name.
#
# A share, a mean of class recalls or a function of accuracy keeps its law when it is scaled,
# turned round or declared under another name. Each is recognised by its values on a few tables
# and checked on others; what a law promises and the values do not bear out is not taken for
# granted.
# ----------------------------------------------------------------------------------------------


CLOSE = 1e-9  # relative
CROSSED = 1e-6  # relative: cross-ratios that rounding may set apart
BENT = 1e-8  # relative: a value between two others that rounding may put off their line
GRID = 33  # points at which a function must keep rising or falling
EACH_TRIED = 50  # classes up to which what a formula does is tried with each of them


@dataclass(frozen=True)
class Share:
    """A mean of one score a cell over the cases of some cells: the value of a measure."""

    score: Floats  # (K, K); 0 outside
    inside: Bools  # (K, K): the cells that make up the denominator

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest score."""
        within = self.score[self.inside]
        return float(within.min()), float(within.max())


@dataclass(frozen=True)
class Rows:
    """A value that is linear in where the cases of each class end up, their number being given."""

    base: float  # the value when every case is predicted rightly
    change: Floats  # (K, K): what it changes by when a whole class is called by another

    @property
    def bottom(self) -> float:
        """The least value."""
        return float(self.base + self.change.min(axis=1).sum())

    @property
    def reach(self) -> Floats:
        """How far each class can move the value."""
        return np.asarray(np.ptp(self.change, axis=1))

    @property
    def scores(self) -> Floats:
        """Scores of the cells, from 0 to 1 within each class that matters."""
        reach = np.where(self.reach > 0, self.reach, 1.0)
        return np.asarray((self.change - self.change.min(axis=1, keepdims=True)) / reach[:, None])


@lru_cache(maxsize=256)
def as_share(measure: Measure, classes: int) -> Share | None:
    """The scores whose mean over a denominator a measure is; None when it is no such mean.

    A table with a single case shows the case's score, or that it is outside the denominator.
    """
    if not _could_be_a_share(measure, classes):
        return None
    score = _score_of_each(measure, classes)
    inside = np.isfinite(score)
    if not inside.any() or np.ptp(score[inside]) == 0.0:
        return None
    found = Share(np.where(inside, score, 0.0), inside)
    tables = _any_tables(classes)
    means = (tables * found.score).sum(axis=(-2, -1)) / (tables * inside).sum(axis=(-2, -1))
    return found if _all_close(measure.on_counts(tables), means) else None


def _score_of_each(measure: Measure, classes: int) -> Floats:
    """The values (K, K) of tables with one case; of many classes, those of three stand for all."""
    tried = (
        np.arange(classes) if classes <= EACH_TRIED else np.array([0, classes // 2, classes - 1])
    )
    score = np.full((len(tried), len(tried)), np.nan)
    for row, k in enumerate(tried):
        for some in table_blocks(len(tried), classes):
            single = np.zeros((len(some), classes, classes))
            single[np.arange(len(some)), k, tried[some]] = 1.0
            score[row, some] = measure.on_counts(single)
    if classes <= EACH_TRIED:
        return score
    every = np.full((classes, classes), score[0, 1])
    np.fill_diagonal(every, score[0, 0])
    return every


def _could_be_a_share(measure: Measure, classes: int) -> bool:
    """Whether values along a line of tables are the ratio of two lines, as those of any mean are.

    Four values tell (their cross-ratio is that of the places), where K² tables would have to.
    """
    first, _, _, other = _any_tables(classes)
    at = np.array([0.0, 1.0, 4.0, 16.0])
    values = measure.on_counts(first + at[:, None, None] * other**4)
    if not np.isfinite(values).all() or np.ptp(values) <= CROSSED * np.abs(values).max():
        return True  # nothing is told
    wanted, found = (
        np.array([(x[0] - x[1]) * (x[2] - x[3]), (x[0] - x[2]) * (x[1] - x[3])])
        for x in (at, values)
    )
    off = abs(found[0] * wanted[1] - found[1] * wanted[0])
    return bool(off <= CROSSED * np.abs(found * wanted[::-1]).max())


@lru_cache(maxsize=256)
def of_accuracy_alone(measure: Measure, classes: int) -> bool:
    """Whether a measure depends on a table only through accuracy, and always in one direction."""
    tables = _any_tables(classes)
    right = np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))
    even = np.stack([evenly(share, classes) for share in right])
    if not _all_close(measure.on_counts(tables), measure.on_counts(even)):
        return False
    grid = (evenly(share, classes) for share in np.linspace(0.0, 1.0, GRID))
    return one_way(np.array([float(measure.on_counts(table)) for table in grid]))


def as_rows(measure: Measure, totals: Floats) -> Rows | None:
    """How given numbers of cases of each class make up a value; None where not linearly."""
    k = len(totals)
    right = np.diag(totals)
    base = float(measure.on_counts(right))
    if not np.isfinite(base):
        return None
    shares = _any_tables(k)
    shares = shares / shares.sum(axis=-1, keepdims=True)
    one, other, *_ = shares * totals[:, None]
    lower, middle, upper = measure.on_counts(np.stack([one, (one + other) / 2.0, other]))
    if abs(lower + upper - 2.0 * middle) > BENT * max(abs(lower), abs(middle), abs(upper)):
        return None  # before every class is moved to every other
    if k <= EACH_TRIED:
        change, close = _each_class_moved(measure, totals, base), CLOSE
    else:  # what is linear changes by its derivatives, which are not exact to the last digits
        slopes = table_slopes(measure, one)
        change, close = totals[:, None] * (slopes - np.diag(slopes)[:, None]), CROSSED
    if not np.isfinite(change).all() or not change.any():
        return None
    found = Rows(base, change)
    values = base + (shares * change).sum(axis=(-2, -1))
    return found if _all_close(measure.on_counts(shares * totals[:, None]), values, close) else None


def _each_class_moved(measure: Measure, totals: Floats, base: float) -> Floats:
    """What a value changes by (K, K) when all cases of one class, all right, are called another."""
    k, right = len(totals), np.diag(totals)
    change = np.zeros((k, k))
    for row in np.flatnonzero(totals > 0):
        for some in table_blocks(k, k):
            moved = np.repeat(right[None], len(some), axis=0)
            moved[:, row, row] = 0.0
            moved[np.arange(len(some)), row, some] = totals[row]
            change[row, some] = measure.on_counts(moved) - base
    return change


@lru_cache(maxsize=256)
def only_when_right(measure: Measure) -> bool:
    """Whether any single error keeps a measure from its best value."""
    right = np.repeat(np.diag([3.0, 4.0])[None], 2, axis=0)
    right[0, 0, 1] = right[1, 1, 0] = 1.0
    return bool((measure.on_counts(right) != measure.best).all())


@lru_cache(maxsize=256)
def free_of_prevalence(measure: Measure) -> bool:
    """Whether a measure of two classes stays the same when one of them has more cases."""
    tables = _any_tables(2)
    more = tables * np.array([[1.0], [3.0]])
    return _all_close(measure.on_counts(tables), measure.on_counts(more))


@lru_cache(maxsize=256)
def linear_in_rows(measure: Measure, classes: int) -> bool:
    """Whether a value is linear in the cases of each class however many there are of each.

    Of equally frequent classes kappa is so by accident. Many classes are no other than some.
    """
    return as_rows(measure, np.arange(2.0, min(classes, EACH_TRIED) + 2.0) ** 2) is not None


def evenly(accuracy: float, classes: int) -> Floats:
    """A table of equally frequent classes with some accuracy, errors spread evenly."""
    table = np.full((classes, classes), (1.0 - accuracy) / (classes * (classes - 1)))
    np.fill_diagonal(table, accuracy / classes)
    return table


def one_way(values: Floats) -> bool:
    """Whether values along the last axis only rise or only fall; undefined ones are passed over."""
    steps = np.diff(values, axis=-1)
    steps = steps[np.isfinite(steps)]
    slack = CLOSE * max(1.0, float(np.abs(steps).max(initial=0.0)))
    return bool((steps >= -slack).all() or (steps <= slack).all())


def _any_tables(classes: int) -> Floats:
    """Tables without any regularity, all cells filled."""
    return np.random.default_rng(0).uniform(0.5, 1.5, size=(4, classes, classes))


def _all_close(first: Floats, second: Floats, close: float = CLOSE) -> bool:
    return bool(np.allclose(first, second, rtol=close, atol=close * np.abs(second).max(initial=0)))


# ----------------------------------------------------------------------------------------------
# Intervals of everything that is a function of a confusion table, whatever the cases are like.
#
# Independent, weighted or clustered cases and classes sampled apart differ in one thing only: how
# many independent cases each class is worth (`worth`, above). The rest follows from what the
# formula is (`table_facts`): a share, a mean of class recalls, or any other function.
# ----------------------------------------------------------------------------------------------


DRAWS = 20_000
NUMBERS = 16_000_000  # drawn at most for tables with many cells, and kept for other measures
LEAST_DRAWS = 2_000
MOST_UNDEFINED = 0.01
GRADE = 1.05  # measures that vary alike share their draws
STEP = 1e-6  # of numerical derivatives, relative to the number of cases
LAWS = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.UNKNOWN)
SMALL_TABLE = 25  # cells of which posteriors are drawn in milliseconds


def of_table(measure: Measure) -> bool:
    """Whether the intervals here are for this measure."""
    return measure.form in COUNTING and measure.law in LAWS


def of_mean_score(score: Floats, predictions: Any, level: float) -> Interval:
    """Wilson's interval of the mean of scores from 0 to 1, one per case."""
    groups = predictions.cases.groups
    unit = None if groups is None else np.unique(groups, return_inverse=True)[1]
    found = worth(score, predictions.weight, unit, level)
    known = {} if groups is None else {"clusters": found.units}
    return _wilson(found, level, effective=True, **known)


def share(measure: Measure, cells: Cells, level: float) -> Interval | None:
    """Wilson's interval of a share, or of a function of accuracy; None for what is neither."""
    k = len(cells.table)
    found = as_share(measure, k)
    if found is not None:
        low, high = found.bounds
        score = np.where(found.inside, (found.score - low) / (high - low), 0.0)
        share = _of_scores(cells, score, found.inside, level)
        ends = [low + (high - low) * x for x in (share.low, share.high)]
    elif of_accuracy_alone(measure, k):
        share = _of_scores(cells, np.eye(k), np.ones((k, k), dtype=np.bool_), level)
        ends = [float(measure.on_counts(evenly(x, k))) for x in (share.low, share.high)]
    else:
        return None
    return _around(measure, cells, replace(share, low=min(ends), high=max(ends)))


def balanced(measure: Measure, cells: Cells, level: float) -> Interval | None:
    """MOVER for two classes, Wilson at the effective n for more; None when not linear in recalls.

    References
    ----------
    Zou & Donner (2008); with dependent parts: Zou (2008).
    """
    rows = as_rows(measure, cells.table.sum(axis=1))
    if rows is None:
        return None
    parts = [k for k, reach in enumerate(rows.reach) if reach > 0]
    scores = rows.scores
    worths = [cells.row_worth(k, scores[k], level) for k in parts]
    if all(worth.units < 2 for worth in worths) and cells.unit is not None:
        raise NotApplicable(ONE_CLUSTER)
    together = cells.correlations(scores)[np.ix_(parts, parts)]
    if len(cells.table) == 2:
        low, high = _mover(rows, parts, worths, together, level)
        found = method.limits("mover", low, high, level, **cells.known)
    else:
        extra = _of_frequencies(measure, cells, level)
        low, high = _effective(rows, parts, worths, together, extra, level)
        found = method.limits("wilson", low, high, level, effective=True, **cells.known)
    return _around(measure, cells, found)


RECALLS = 65  # pairs of recalls that give one value, among which the least favourable is sought
TIED = 1e-9  # of a case: values that rounding alone tells apart
MOST_COUNTED = 1000  # cases of a class up to which tables are counted


@dataclass(frozen=True)
class TwoRecalls:
    """A value that is linear in the recalls of two classes of independent cases, counted exactly.

    How probable a value as far from a goal as the one seen is depends on both recalls, of which the
    goal states only what they add up to: the pair that makes it most probable counts.

    References
    ----------
    Barnard (1947), Significance tests for 2 × 2 tables.
    """

    bottom: float
    reach: tuple[float, float]
    right: tuple[int, int]
    sizes: tuple[int, int]

    @classmethod
    def of(cls, measure: Measure, cells: Cells) -> "TwoRecalls | None":
        """None for other measures, dependent or weighted cases, and large or empty classes."""
        sizes = cells.table.sum(axis=1)
        if not cells.independent or len(sizes) != 2 or not (0 < sizes.min() <= sizes.max()):
            return None
        if sizes.max() > MOST_COUNTED or not free_of_prevalence(measure):
            return None
        rows = as_rows(measure, sizes)
        if rows is None or not (rows.reach > 0).all():
            return None
        right = (cells.table * rows.scores).sum(axis=1)
        return cls(
            rows.bottom,
            (float(rows.reach[0]), float(rows.reach[1])),
            (round(right[0]), round(right[1])),
            (round(sizes[0]), round(sizes[1])),
        )

    @property
    def value(self) -> float:
        parts = (r * x / n for r, x, n in zip(self.reach, self.right, self.sizes, strict=True))
        return self.bottom + sum(parts)

    def tails(self, end: float) -> tuple[float, float]:
        """How probable at most a value as seen or more is, and or less, were `end` the true one."""
        from scipy.stats import binom

        (a, b), (n, m) = self.reach, self.sizes
        sum_of = min(max(end - self.bottom, 0.0), a + b)
        first = np.linspace(max(0.0, (sum_of - b) / a), min(1.0, sum_of / a), RECALLS)[:, None]
        second = np.clip((sum_of - a * first) / b, 0.0, 1.0)
        x = np.arange(n + 1)
        left = (self.value - self.bottom - a * x / n) * m / b  # of the other class, for this value
        chance = binom.pmf(x, n, first)
        above = chance * binom.sf(np.ceil(left - TIED) - 1.0, m, second)
        below = chance * binom.cdf(np.floor(left + TIED), m, second)
        more, less = (min(1.0, float(each.sum(axis=1).max())) for each in (above, below))
        return more, less

    def limits(self, level: float) -> tuple[float, float]:
        """Values that neither tail rejects."""
        least, most, risk = self.bottom, self.bottom + sum(self.reach), (1.0 - level) / 2.0

        def above(end: float) -> float:
            return self.tails(end)[0] - risk

        def below(end: float) -> float:
            return self.tails(end)[1] - risk

        low = least if above(least) >= 0 else crossing(above, least, self.value, 1e-9)
        high = most if below(most) >= 0 else crossing(below, self.value, most, 1e-9)
        return low, high


def law_of(measure: Measure, classes: int) -> Law:
    """The law that a formula of tables turns out to have: a share's, a mean of shares' or none.

    Of two classes MOVER holds their sizes fixed: only for what does not depend on these.
    """
    if as_share(measure, classes) is not None or of_accuracy_alone(measure, classes):
        return Law.SHARE
    if linear_in_rows(measure, classes) and (classes > 2 or free_of_prevalence(measure)):
        return Law.BALANCED
    return Law.UNKNOWN


def posterior(
    measure: Measure,
    cells: Cells,
    settings: "Shared",
) -> Interval:
    """Equal-tailed limits of the posterior of any function of a table.

    The prior is half a case per cell for two classes; for more it is one case over all cells, for
    half a case in each of many cells would outweigh the data. Each class has as many cases as it
    is worth, and so have the frequencies of the classes. `settings.drawn` keeps the draws for the
    other measures; where classes are so many that these would fill the memory, their values.
    """
    if cells.unit is not None and cells.unit.max() == 0:
        raise NotApplicable(ONE_CLUSTER)
    slower = _variance_factor(measure, cells)
    k = len(cells.table)
    draws = max(LEAST_DRAWS, min(DRAWS, NUMBERS // k**2))
    if draws * k**2 > NUMBERS:
        values = _values_by_blocks(measure, cells, slower, settings, draws)
    else:
        kept = settings.drawn
        if slower not in kept:
            kept[slower] = _drawn_tables(cells, slower, settings, _stream(cells, settings), draws)
        values = _on_tables(measure, kept, slower)
    found = _of_draws(measure, cells, values, settings.level)
    _refuse_what_hangs_on_one_case(measure, cells.table, found)
    return found


def _on_tables(measure: Measure, kept: dict[Any, Any], slower: float) -> Floats:
    """Values on tables that are kept, and with them what each class has in them."""
    tables = kept[slower]
    own = measure.for_outcome("multiclass") if tables.shape[-1] > 2 else measure
    if own.form is Form.COUNTS or tables.shape[-1] == 2:
        return measure.on_counts(tables)
    if ("classes", slower) not in kept:
        kept["classes", slower] = one_against_rest(tables)
    with np.errstate(divide="ignore", invalid="ignore"):
        return of_class_counts(own, kept["classes", slower])


def _stream(cells: Cells, settings: Settings) -> np.random.Generator:
    """Random numbers for tables or shares; quick settings have them for small tables alone."""
    return settings.rng(ONE_MODEL, 6, cheap=cells.table.size <= SMALL_TABLE)


def _values_by_blocks(
    measure: Measure, cells: Cells, slower: float, settings: "Shared", draws: int
) -> Floats:
    """Values on drawn tables of which few are held at once, of all measures that will be asked."""
    kept = settings.drawn
    if (slower, measure.label) not in kept:
        k = len(cells.table)
        asked = [
            m for m in settings.measures if of_table(m) and m.law is Law.UNKNOWN and not m.extreme
        ]
        asked = [
            m for m in asked if law_of(m, k) is Law.UNKNOWN and _variance_factor(m, cells) == slower
        ]
        every = {m.label: m for m in (*asked, measure)}
        parts: dict[str, list[Floats]] = {label: [] for label in every}
        for tables in _tables_by_blocks(cells, slower, settings, draws):
            with np.errstate(divide="ignore", invalid="ignore"):
                counts = one_against_rest(tables)
                for label, m in every.items():
                    whole = m.form is Form.COUNTS
                    own = m.for_outcome("multiclass")
                    parts[label].append(
                        m.on_counts(tables) if whole else of_class_counts(own, counts)
                    )
        kept |= {(slower, label): np.concatenate(values) for label, values in parts.items()}
    return kept[slower, measure.label]


STICKS = 32
"""Parts into which what empty cells hold together is broken: the rest is some 2⁻³² of it."""

FEW_EMPTY = 1_000  # cells that are drawn one by one


def _tables_by_blocks(
    cells: Cells, slower: float, settings: Settings, draws: int
) -> Iterator[Floats]:
    """Tables (B, K, K) drawn from their posterior, as few at a time as are held at once.

    Of independent cases a number is drawn for each cell that holds any, and one for all that are
    empty. How empty cells share it is drawn in the order of their shares, the largest first on
    the whole (size-biased): the first gets a share of Beta(1 + a, (m − 1) a), the next of what is
    left Beta(1 + a, (m − 2) a), with m empty cells of a prior a each. Few hold nearly all of it.

    References
    ----------
    Pitman (1996), Some developments of the Blackwell-MacQueen urn scheme, section 3.
    """
    table, rng = cells.table, _stream(cells, settings)
    k, prior = len(table), 1.0 / table.size
    filled, empty = np.flatnonzero(table), np.flatnonzero(table == 0.0)
    if not cells.independent or len(empty) <= FEW_EMPTY:
        for some in table_blocks(draws, k):
            yield _drawn_tables(cells, slower, settings, rng, len(some))
        return
    left = prior * (len(empty) - 1.0 - np.arange(STICKS))
    for some in table_blocks(draws, k):
        b = len(some)
        tables = np.zeros((b, table.size))
        tables[:, filled] = rng.standard_gamma(table.flat[filled] + prior, (b, len(filled)))
        share = rng.beta(1.0 + prior, left, (b, STICKS))
        share[:, 1:] *= np.cumprod(1.0 - share[:, :-1], axis=1)
        share *= rng.standard_gamma(prior * len(empty), (b, 1))
        for row, part in zip(tables, share, strict=True):
            row[empty[rng.choice(len(empty), STICKS, replace=False)]] = part
        tables /= tables.sum(axis=1, keepdims=True)
        yield tables.reshape(b, k, k)


def _refuse_what_hangs_on_one_case(measure: Measure, table: Floats, found: Interval) -> None:
    """Of several classes: a product of recalls is 0 when no case of one class is right.

    Where one case more or less that is right takes the value farther than half of the limits'
    distance, a few cases of one class decide it, and limits mean nothing (they cover .40 to .63).
    """
    if len(table) == 2:
        return
    value, half = float(measure.on_counts(table)), (found.high - found.low) / 2.0
    never = np.flatnonzero((np.diag(table) == 0) & (table.sum(axis=1) > 0))
    if len(never):  # of several such classes one case more in each
        other = table.copy()
        other[never, table[never].argmax(axis=1)] -= 1.0
        other[never, never] += 1.0
        changed = float(measure.on_counts(np.maximum(other, 0.0)))
        if abs(changed - value) > half:
            raise NotApplicable(
                f"no case of {len(never)} class{'es' * (len(never) > 1)} is predicted rightly; "
                f"with one of each {measure.title} would be {changed:.2g}, not {value:.2g}."
            )
    for row in np.flatnonzero(table.sum(axis=1) > 0).tolist():
        wrong = table[row].copy()
        wrong[row] = -1.0
        at = int(np.argmax(wrong))
        for step in (min(1.0, float(table[row, at])), -min(1.0, float(table[row, row]))):
            other = table.copy()
            other[row, at] -= step
            other[row, row] += step
            changed = float(measure.on_counts(other))
            if step and abs(changed - value) > half:
                raise NotApplicable(
                    f"one case of a class decides: with one {'more' if step > 0 else 'less'} that "
                    f"is predicted rightly {measure.title} would be {changed:.2g}, not {value:.2g}."
                )


NO_WEIGHT = "of one class no case has any weight, so how it is called is not known."


def at_prevalence(
    measure: Measure,
    cells: Cells,
    settings: Settings,
    of_counts: Callable[[Floats], Floats] | None = None,
) -> Interval:
    """Interval where positives are as frequent as stated, from classes sampled apart.

    `of_counts` is the measure as a function of tables where its formula takes something else. A
    function that rises or falls throughout with sensitivity and with specificity has MOVER's
    limits from Wilson's of both; any other, those of the posterior of both. Where nothing is stated
    how frequent positives are is a third share, with limits of its own.

    References
    ----------
    Zou & Donner (2008); Mercaldo, Lau & Zhou (2007).
    """
    right, worth_of, level = np.eye(2), of_counts or measure.on_counts, settings.level
    if not cells.table.sum(axis=1).all():
        raise NotApplicable(NO_WEIGHT)
    parts = [(cells.row_worth(k, right[k], level), 1.0) for k in (0, 1)]
    for found, _ in parts:
        if found.units < 2 and cells.unit is not None:
            raise NotApplicable(ONE_CLUSTER)
    if settings.prevalence is None:
        parts.append(cells.prevalence(level))

    def value(*shares: Any) -> Floats:
        specificity, sensitivity, *positive = shares
        stated = positive[0] if positive else settings.prevalence
        return np.asarray(worth_of(_stated(specificity, sensitivity, stated)))

    means = [_odds_times(heavier, w.mean) for w, heavier in parts]
    limits: list[Any] = [
        _odds_times(heavier, np.array(score_limits(w.mean * w.cases, w.cases, level)))
        for w, heavier in parts
    ]
    between = [np.linspace(low, high, 9) for low, high in limits]
    grid = value(*np.meshgrid(*between, indexing="ij"))
    centre = float(value(*means))
    if not all(one_way(np.moveaxis(grid, axis, -1)) for axis in range(grid.ndim)):
        rng = _stream(cells, settings)
        drawn = [
            _odds_times(
                heavier, rng.beta(w.mean * w.cases + 0.5, (1 - w.mean) * w.cases + 0.5, DRAWS)
            )
            for w, heavier in parts
        ]
        return _of_draws(measure, cells, value(*drawn), level, centre)
    ends = np.array(
        [
            [float(value(*means[:part], x, *means[part + 1 :])) for x in limits[part]]
            for part in range(len(parts))
        ]
    )
    rising = np.where(ends[:, 1] >= ends[:, 0], 1.0, -1.0)
    together = np.eye(len(parts))
    together[:2, :2] = cells.correlations(right)
    if len(parts) == 3:
        together[2, :2] = together[:2, 2] = cells.with_prevalence()
    together = together * np.outer(rising, rising)
    below, above = centre - ends.min(axis=1), ends.max(axis=1) - centre
    low = max(centre - _joined(below, together), float(np.nanmin(grid)))
    high = min(centre + _joined(above, together), float(np.nanmax(grid)))
    return _around(measure, cells, method.limits("mover", low, high, level, **cells.known), centre)


def _odds_times(factor: float, share: Any) -> Any:
    """A share whose odds are so many times those of another."""
    return factor * share / (factor * share + 1.0 - share)


def _of_scores(cells: Cells, score: Floats, inside: Any, level: float) -> Interval:
    """Wilson's limits of a mean score; of hits that weigh otherwise than misses, on their odds.

    With sampling weights that go with the class or the call the odds of a hit are those of equal
    weights times how much heavier hits are. By their own effective number of cases, precision of
    150 cases with negatives sampled one in fifty covered .28, for no false positive was seen, and
    sensitivity where one in ten was verified of those not called .60.
    """
    beside = cells.beside_usual(score, inside)
    if beside is not None:
        like, heavier = beside
        found = _of_mean(like, score, inside, level)
        low, high = (_odds_times(heavier, x) for x in (found.low, found.high))
        return replace(found, low=low, high=high)
    return _of_mean(cells, score, inside, level)


def _of_mean(cells: Cells, score: Floats, inside: Any, level: float) -> Interval:
    found = cells.worth(score, inside, level)
    if found.units < 2 and cells.unit is not None:
        raise NotApplicable(ONE_CLUSTER)
    if cells.independent and np.isin(score[inside], (0.0, 1.0)).all():
        return _wilson(found, level)
    known = cells.known if cells.unit is None else {"clusters": found.units}
    return _wilson(found, level, effective=True, **known)


def _wilson(found: Worth, level: float, **known: Any) -> Interval:
    low, high = score_limits(found.mean * found.cases, found.cases, level)
    low = 0.0 if found.mean == 0.0 else min(float(low), found.mean)
    high = 1.0 if found.mean == 1.0 else max(float(high), found.mean)
    return method.limits("wilson", low, high, level, **known)


def _mover(
    rows: Rows, parts: list[int], worths: list[Worth], together: Floats, level: float
) -> tuple[float, float]:
    reach, means = rows.reach[parts], np.array([w.mean for w in worths])
    limits = [_wilson(w, level) for w in worths]
    below = reach * (means - np.array([x.low for x in limits]))
    above = reach * (np.array([x.high for x in limits]) - means)
    centre = rows.bottom + float(reach @ means)
    return (
        centre - float(np.sqrt(max(below @ together @ below, 0.0))),
        centre + float(np.sqrt(max(above @ together @ above, 0.0))),
    )


def _effective(
    rows: Rows,
    parts: list[int],
    worths: list[Worth],
    together: Floats,
    extra: float,
    level: float,
) -> tuple[float, float]:
    """Wilson's limits of a mean of shares at its effective number of cases."""
    reach = rows.reach[parts]
    whole = float(reach.sum())
    means, cases = np.array([w.mean for w in worths]), np.array([w.cases for w in worths])
    moved = (means * cases + 0.5) / (cases + 1.0)
    spread = reach / whole * np.sqrt(moved * (1.0 - moved) / cases)
    centre = float(reach @ moved) / whole
    variance = float(spread @ together @ spread) + extra / whole**2
    count = centre * (1.0 - centre) / variance
    value = float(reach @ means) / whole
    low, high = score_limits(value * count, count, level)
    return rows.bottom + whole * float(low), rows.bottom + whole * float(high)


def _of_frequencies(measure: Measure, cells: Cells, level: float) -> float:
    """Variance that comes from how frequent the classes happen to be, when these count."""
    if measure.prevalence_free:
        return 0.0
    table = cells.table
    share = table.sum(axis=1) / table.sum()
    seen = share > 0
    if len(table) > EACH_TRIED:
        slopes = (table * table_slopes(measure, table)).sum(axis=1)[seen]
        return float((slopes**2 / share[seen]).sum() / cells.margin_worth(level))

    def value(factors: Floats) -> Floats:
        grown = np.ones((len(factors), len(table)))
        grown[:, seen] = factors
        return measure.on_counts(table * grown[:, :, None])

    return frequency_variance(value, share[seen], cells.margin_worth(level))


def _drawn_tables(
    cells: Cells, slower: float, settings: Settings, rng: np.random.Generator, draws: int
) -> Floats:
    table, level = cells.table, settings.level
    k = len(table)
    prior = 0.5 if k == 2 else 1.0 / k**2
    size = (draws, k, k)
    if cells.independent:
        drawn = rng.standard_gamma(table + prior, size=size)
        return np.asarray(drawn / drawn.sum(axis=(-2, -1), keepdims=True))
    totals = table.sum(axis=1)
    seen = totals > 0
    right = np.eye(k)
    rows = np.zeros(k)
    for row in np.flatnonzero(seen).tolist():
        rows[row] = cells.row_worth(row, right[row], level).cases / slower
    inner = table / np.where(seen, totals, 1.0)[:, None] * rows[:, None]
    drawn = rng.standard_gamma(inner + prior, size=size)
    drawn /= np.maximum(drawn.sum(axis=-1, keepdims=True), np.finfo(float).tiny)
    margin = totals / totals.sum() * cells.margin_worth(level) / slower
    frequency = rng.standard_gamma(margin + prior * k, size=size[:2])
    frequency /= frequency.sum(axis=-1, keepdims=True)
    return np.asarray(drawn * frequency[..., None])


def _variance_factor(measure: Measure, cells: Cells) -> float:
    """How many times a value varies as much as if classes varied independently over clusters."""
    if cells.unit is None:
        return 1.0
    slope = _slopes(measure, cells.table)
    if slope is None:
        return 1.0
    total = cells.table.sum(axis=1, keepdims=True)
    centre = (cells.table * slope).sum(axis=1, keepdims=True) / np.where(total > 0, total, 1.0)
    inner = cells.sums(slope - centre)
    outer = cells.sums(np.broadcast_to(centre, slope.shape)).sum(axis=1)
    apart = float((inner**2).sum() + (outer**2).sum())
    if apart <= 1e-18 * float((np.abs(slope) * cells.table).sum()) ** 2:
        return 1.0
    found = max(1.0, float(((inner.sum(axis=1) + outer) ** 2).sum()) / apart)
    return float(GRADE ** np.ceil(np.log(found) / np.log(GRADE) - 1e-6))


def _slopes(measure: Measure, table: Floats) -> Floats | None:
    """How a value changes with one case more in each cell; None where that is undefined."""
    k, step = len(table), STEP * float(table.sum())
    if k > EACH_TRIED:
        found = table_slopes(measure, table)
        return found if np.isfinite(found).all() else None
    value = float(measure.on_counts(table))
    found = np.empty((k, k))
    for row in range(k):
        more = np.repeat(table[None], k, axis=0)
        more[np.arange(k), row, np.arange(k)] += step
        found[row] = (measure.on_counts(more) - value) / step
    return found if np.isfinite(found).all() else None


def _of_draws(
    measure: Measure, cells: Cells, values: Floats, level: float, value: float | None = None
) -> Interval:
    defined = values[~np.isnan(values)]
    if len(values) - len(defined) > MOST_UNDEFINED * len(values):
        raise NotApplicable(
            f"{measure.title} is undefined for too many tables that the cases do not rule out."
        )
    tail = (1.0 - level) / 2.0
    whole = bool(np.isfinite(defined).all())
    ends = np.quantile(defined, [tail, 1.0 - tail], method="linear" if whole else "inverted_cdf")
    prior = "jeffreys" if len(cells.table) == 2 else "one_case"
    known = {} if cells.independent else {"effective": True, **cells.known}
    found = method.limits("dirichlet", ends[0], ends[1], level, **{prior: True}, **known)
    return _around(measure, cells, found, value)


def _around(
    measure: Measure, cells: Cells, found: Interval, value: float | None = None
) -> Interval:
    """Limits within the measure's range that go up to its value."""
    if value is None:
        value = float(measure.on_counts(cells.table))
    bottom, top = measure.range
    low, high = max(found.low, bottom), min(found.high, top)
    if np.isfinite(value):
        low, high = min(low, value), max(high, value)
    return replace(found, low=float(low), high=float(high))


def _stated(specificity: Any, sensitivity: Any, prevalence: Any) -> Floats:
    """Tables of classes that are as frequent as stated."""
    c, s, positive = (np.asarray(x) for x in (specificity, sensitivity, prevalence))
    table = np.empty((*np.broadcast(c, s, positive).shape, 2, 2))
    table[..., 0, 0], table[..., 0, 1] = (1 - positive) * c, (1 - positive) * (1 - c)
    table[..., 1, 0], table[..., 1, 1] = positive * (1 - s), positive * s
    return table


def _joined(parts: Floats, together: Floats) -> float:
    return float(np.sqrt(max(float(parts @ together @ parts), 0.0)))


@dataclass(frozen=True)
class Counted:
    """A measure that is x of n cases, on a scale from `low` (none) to `high` (all)."""

    x: float
    n: float
    low: float
    high: float
    whole: bool  # whether each case counts for all or for nothing

    def share(self, value: float) -> float:
        """A value of the measure as a share of the cases."""
        return (value - self.low) / (self.high - self.low)


def counted(measure: Measure, cells: Cells) -> Counted | None:
    """How many cases a share counts, of how many; None for what is no share of single cases."""
    found = as_share(measure, len(cells.table))
    if found is None or not cells.independent:
        return None
    low, high = found.bounds
    score = (found.score - low) / (high - low)
    hits = float((cells.table * score)[found.inside].sum())
    whole = bool(np.isin(score[found.inside], (0.0, 1.0)).all())
    return Counted(hits, float(cells.table[found.inside].sum()), low, high, whole)


def share_by(method_: Any, measure: Measure, cells: Cells, level: float) -> Interval | None:
    """An interval of x of n cases, for any measure that is a share; None for what is none."""
    found = counted(measure, cells)
    if found is None:
        return None
    low, high = found.low, found.high
    limits = method_.function(found.x, found.n, confidence_level=level)
    ends = sorted(low + (high - low) * x for x in (limits.low, limits.high))
    return _around(measure, cells, replace(limits, low=ends[0], high=ends[1]))
