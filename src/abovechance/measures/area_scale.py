"""Measures that are linear in areas under ROC curves, found by evaluating their formulas."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.evaluation import value
from abovechance.measures.measure import Form, Measure
from abovechance.predictions import Binary, Survival

TOLERANCE = 1e-9  # how far a measure may stray from a straight line by rounding
STEP = 1e-5  # of numerical derivatives by the classes' shares


@dataclass(frozen=True)
class AreaScale:
    """A straight line from an area to a measure: its values at reversed and at perfect order.

    >>> gini = AreaScale(-1.0, 1.0)
    >>> gini.of(0.75), gini.area(0.5), gini.limits(0.7, 0.8)
    (0.5, 0.75, (0.4, 0.6))
    """

    reversed: float = 0.0
    perfect: float = 1.0

    @property
    def slope(self) -> float:
        return self.perfect - self.reversed

    def of(self, area: Any) -> Any:
        """The measure at an area."""
        return self.reversed + self.slope * area

    def area(self, value: float) -> float:
        """The area at a value of the measure, never outside 0 and 1."""
        return min(max((value - self.reversed) / self.slope, 0.0), 1.0)

    def limits(self, low: float, high: float) -> tuple[float, float]:
        """Two areas as values, the smaller first: a measure may fall as the area rises."""
        one, other = float(self.of(low)), float(self.of(high))
        return min(one, other), max(one, other)


AREA = AreaScale()


def area_scale(measure: Measure, found: float, area: float) -> AreaScale | None:
    """The line of a measure of two classes; None if `found` does not lie on it at `area`.

    Whatever a measure is called, it is an area up to scale if it has the value of a perfect order,
    that of a reversed one, and lies between them as the area does.

    >>> from abovechance.measures import find
    >>> area_scale(find("somers_d"), 0.5, 0.75)
    AreaScale(reversed=-1.0, perfect=1.0)
    >>> area_scale(find("average_precision"), 0.8, 0.75) is None
    True
    """
    score = np.array([0.2, 0.4, 0.6, 0.8])
    orders = [Binary([0, 0, 1, 1], probability=p) for p in (score[::-1], score)]
    return _line(measure, orders, found, area)


def concordance_scale(measure: Measure, found: float, concordance: float) -> AreaScale | None:
    """The line from a concordance to a measure of survival; None if `found` does not lie on it."""
    time, seen = [1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1]
    risk = np.array([4.0, 3.0, 2.0, 1.0])
    return _line(
        measure, [Survival(time, seen, risk=r) for r in (risk[::-1], risk)], found, concordance
    )


def _line(measure: Measure, orders: list[Any], found: float, area: float) -> AreaScale | None:
    ends = [value(measure, p) for p in orders]
    if not np.isfinite(ends).all() or ends[0] == ends[1]:
        return None
    scale = AreaScale(*ends)
    near = abs(scale.of(area) - found) <= TOLERANCE * max(abs(ends[0]), abs(ends[1]))
    return scale if near else None


@dataclass(frozen=True, eq=False)
class PairScale:
    """A measure linear in the areas of pairs of classes, at the shares the classes have.

    `slopes` (K, K): what every area adds; `by_class` (K,): what more cases of a class add, all
    zero where the measure does not depend on how frequent classes are.
    """

    value: float
    slopes: Floats
    by_class: Floats
    scale: AreaScale

    @property
    def parts(self) -> Floats:
        """How much of the measure's span the areas of each class hold; of two classes all."""
        size = np.abs(self.slopes)
        return np.asarray((size.sum(axis=0) + size.sum(axis=1)) / abs(self.scale.slope))


def pair_scale(measure: Measure, areas: Floats, shares: Floats) -> PairScale | None:
    """How a measure of several classes depends on the areas of their pairs; None if not linearly.

    >>> from abovechance.measures import find
    >>> hand_till = find("auc").for_outcome("multiclass")
    >>> found = pair_scale(hand_till, np.full((3, 3), 0.8), np.array([0.2, 0.3, 0.5]))
    >>> found.value, found.parts
    (0.8, array([0.667, 0.667, 0.667]))
    """
    if measure.form is not Form.PAIR_AUCS:
        return None
    k = len(shares)
    at = np.argwhere(~np.eye(k, dtype=bool) & np.isfinite(areas))
    steps = np.where(areas[tuple(at.T)] < 0.5, 0.5, -0.5)
    moved = np.repeat(areas[None], len(at), axis=0)
    moved[np.arange(len(at)), at[:, 0], at[:, 1]] += steps
    seen = np.where(np.isfinite(areas), 1.0, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        base, low, high = (float(_at(measure, x, shares)) for x in (areas, 0.0 * seen, seen))
        slopes = np.zeros((k, k))
        slopes[tuple(at.T)] = (_at(measure, moved, shares) - base) / steps
        by_class = _by_class(measure, areas, shares)
    line = low + float((slopes * np.where(np.isfinite(areas), areas, 0.0)).sum())
    reach = TOLERANCE * max(abs(low), abs(high))
    if not np.isfinite([base, low, high]).all() or low == high or not abs(line - base) <= reach:
        return None
    return PairScale(base, slopes, by_class, AreaScale(low, high))


def _by_class(measure: Measure, areas: Floats, shares: Floats) -> Floats:
    k = len(shares)
    towards = (np.eye(k) - shares) * (shares > 0)[:, None]
    step = STEP * float(shares[shares > 0].min())
    many = np.repeat(areas[None], k, axis=0)
    up, down = (_at(measure, many, shares + side * step * towards) for side in (1.0, -1.0))
    found = (up - down) / (2.0 * step)
    flat = np.abs(found).max() <= 1e-6 * max(abs(measure.range[0]), abs(measure.range[1]), 1e-300)
    return np.zeros(k) if flat else np.asarray(found)


def _at(measure: Measure, areas: Floats, shares: Floats) -> Any:
    found = measure.formula(areas, shares, **measure.parameters)
    return found if measure.after is None else measure.after(found)
