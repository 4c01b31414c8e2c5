"""Curves a picture can show: points in order, with limits where they are known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.plots.shapes import kept_vertices
from abovechance.predictions import Binary, Predictions

UNSEEN = 0.0015  # of the axis: what dropping a vertex may move a curve by
MOST = 64  # points of a curve, in the drawing and in the table under it


class HasCurve(Protocol):
    """Anything with x, y and limits of y (or None)."""

    @property
    def x(self) -> Floats: ...
    @property
    def y(self) -> Floats: ...
    @property
    def low(self) -> Floats | None: ...
    @property
    def high(self) -> Floats | None: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """Points in order, with pointwise limits where they are known."""

    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None


def simple(curve: HasCurve, tolerance: float = UNSEEN) -> Curve:
    """A curve without the vertices whose absence nobody could see, limits kept at the others.

    >>> simple(Curve(x=np.array([0.0, 1.0, 2.0]), y=np.array([0.0, 3.0, 6.0]))).x
    array([0., 2.])
    """
    width, height = np.ptp(curve.x) or 1.0, np.ptp(curve.y) or 1.0
    return _taken(curve, kept_vertices(curve.x / width, curve.y / height, tolerance, MOST))


def fewer_steps(curve: HasCurve, most: int = MOST) -> Curve:
    """A step function with at most so many steps, evenly spaced among them: too small to be seen.

    >>> fewer_steps(Curve(x=np.arange(9.0), y=np.arange(9.0)), 3).x
    array([0., 4., 8.])
    """
    size = len(curve.x)
    kept = np.unique(np.rint(np.linspace(0, size - 1, min(size, most))).astype(np.int64))
    return _taken(curve, kept)


def _taken(curve: HasCurve, kept: Array) -> Curve:
    return Curve(
        x=curve.x[kept],
        y=curve.y[kept],
        low=None if curve.low is None else curve.low[kept],
        high=None if curve.high is None else curve.high[kept],
    )


def roc_points(predictions: Binary) -> Curve:
    """The ROC curve: rates of true against false positives over all thresholds.

    Examples
    --------
    >>> curve = roc_points(Binary([0, 1, 0, 1], score=[1, 2, 3, 4]))
    >>> curve.x, curve.y
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    tp, fp = _called_positive(predictions)
    return Curve(x=fp / fp[-1], y=tp / tp[-1])


def precision_recall_points(predictions: Binary) -> Curve:
    """Precision over recall, from the highest score down: the precision at which a recall is had.

    Examples
    --------
    >>> curve = precision_recall_points(Binary([1, 0, 1], score=[1, 2, 3]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.666, 0.666])
    """
    tp, fp = _called_positive(predictions)
    return until(Curve(x=tp[1:] / tp[-1], y=tp[1:] / (tp + fp)[1:]))


def until(curve: HasCurve) -> Curve:
    """A curve whose values hold up to their place, as one whose values hold from it."""

    def held(values: Floats) -> Floats:
        return np.concatenate([values, values[-1:]])

    return Curve(
        x=np.concatenate([[0.0], curve.x]),
        y=held(curve.y),
        low=None if curve.low is None else held(curve.low),
        high=None if curve.high is None else held(curve.high),
    )


def _called_positive(predictions: Binary) -> tuple[Floats, Floats]:
    """True and false positives when none, then the highest score, then ever more are called."""
    if predictions.ranking is None:
        raise NotApplicable("this curve needs scores or probabilities; only labels were predicted.")
    ranked = predictions.ranked
    tp = np.concatenate([[0.0], np.cumsum(ranked.positives[::-1])])
    fp = np.concatenate([[0.0], np.cumsum(ranked.negatives[::-1])])
    if tp[-1] == 0 or fp[-1] == 0:
        raise NotApplicable("this curve needs cases of both classes.")
    return tp, fp


def named(things: Any) -> dict[str, Any]:
    """One thing or several by name, as a dictionary.

    >>> named("x"), named({"a": 1})
    ({'': 'x'}, {'a': 1})
    """
    return dict(things) if isinstance(things, Mapping) else {"": things}


def all_binary(predictions: Any, what: str) -> dict[str, Binary]:
    """Predictions by name, refused where an outcome does not have two classes."""
    found = named(predictions)
    for one in found.values():
        if not isinstance(one, Binary):
            kind = one.kind if isinstance(one, Predictions) else type(one).__name__
            raise NotApplicable(f"{what} is for outcomes with two classes; got {kind}.")
    return found
