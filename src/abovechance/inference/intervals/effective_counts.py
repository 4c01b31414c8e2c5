"""How many independent cases a share is worth when cases have weights or come in clusters.

A share m with standard error s varies like one of m(1 − m)/s² independent cases, and with few
units Student's quantile in place of the normal one is the same as still fewer cases. So counts
are made smaller, and every method for independent cases serves: Wilson, MOVER, a posterior.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.predictions import Binary

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
        if weight is not None and np.ptp(weight) == 0.0:
            table, weight = table / weight[0], None
        if weight is None and unit is None:
            return cls(np.round(table, 9))
        label = predictions.label if acted is None else acted
        actual = predictions.positive if isinstance(predictions, Binary) else predictions.actual
        cell = actual.astype(np.int64) * len(table) + label.astype(np.int64)
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
        if units < 2:
            return _fewer(1.0, 1.0, level)
        apart = ((held - size[:, None] * share) ** 2).sum(axis=1)
        variance = float((apart / (1.0 - size)).sum())
        spread = float((share * (1.0 - share)).sum())
        cases = len(unit) if variance <= NOTHING else min(len(unit), spread / variance)
        return _fewer(cases, degrees_of_freedom(size), level)


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
    if units == n and (weight is None or np.ptp(weight) == 0.0):
        return _of_counts(score, np.ones(n))
    w = np.ones(n) if weight is None else weight
    mean = _snapped(float(w @ score / w.sum()))
    size = np.bincount(code, weights=w) / w.sum()
    if units < 2:
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
