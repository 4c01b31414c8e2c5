"""What a formula on confusion tables is, found by evaluating it: facts decide, never a name.

A share, a mean of class recalls or a function of accuracy keeps its law when it is scaled, turned
round or declared under another name. Each is recognised by its values on a few tables and checked
on others; what a law promises and the values do not bear out is not taken for granted.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.measures import Measure

CLOSE = 1e-9  # relative
GRID = 33  # points at which a function must keep rising or falling


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
    score = np.full((classes, classes), np.nan)
    for k in range(classes):
        single = np.zeros((classes, classes, classes))
        single[np.arange(classes), k, np.arange(classes)] = 1.0
        score[k] = measure.on_counts(single)
    inside = np.isfinite(score)
    if not inside.any() or np.ptp(score[inside]) == 0.0:
        return None
    found = Share(np.where(inside, score, 0.0), inside)
    tables = _any_tables(classes)
    means = (tables * found.score).sum(axis=(-2, -1)) / (tables * inside).sum(axis=(-2, -1))
    return found if _alike(measure.on_counts(tables), means) else None


@lru_cache(maxsize=256)
def of_accuracy_alone(measure: Measure, classes: int) -> bool:
    """Whether a measure depends on a table only through accuracy, and always in one direction."""
    tables = _any_tables(classes)
    right = np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))
    even = np.stack([evenly(share, classes) for share in right])
    if not _alike(measure.on_counts(tables), measure.on_counts(even)):
        return False
    grid = np.stack([evenly(share, classes) for share in np.linspace(0.0, 1.0, GRID)])
    return one_way(np.asarray(measure.on_counts(grid)))


def as_rows(measure: Measure, totals: Floats) -> Rows | None:
    """How the cases of each class, so many as given, make up a value; None when not linearly."""
    k = len(totals)
    right = np.diag(totals)
    base = float(measure.on_counts(right))
    if not np.isfinite(base):
        return None
    change = np.zeros((k, k))
    for row in np.flatnonzero(totals > 0):
        moved = np.repeat(right[None], k, axis=0)
        moved[:, row, row] = 0.0
        moved[np.arange(k), row, np.arange(k)] = totals[row]
        change[row] = measure.on_counts(moved) - base
    if not np.isfinite(change).all() or not change.any():
        return None
    found = Rows(base, change)
    shares = _any_tables(k)
    shares = shares / shares.sum(axis=-1, keepdims=True)
    values = base + (shares * change).sum(axis=(-2, -1))
    return found if _alike(measure.on_counts(shares * totals[:, None]), values) else None


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
    return _alike(measure.on_counts(tables), measure.on_counts(more))


@lru_cache(maxsize=256)
def linear_in_rows(measure: Measure, classes: int) -> bool:
    """Whether a value is linear in the cases of each class however many there are of each.

    Of equally frequent classes kappa is so by accident.
    """
    return as_rows(measure, np.arange(2.0, classes + 2.0) ** 2) is not None


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


def _alike(first: Floats, second: Floats) -> bool:
    return bool(np.allclose(first, second, rtol=CLOSE, atol=CLOSE * np.abs(second).max(initial=0)))
