"""Limits and round marks of axes, and numbers as text."""

import math
from collections.abc import Sequence

import numpy as np

from abovechance.plots.chart import Axis

LINE = 22  # letters of a row's label on one line
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def unit(title: str) -> Axis:
    """An axis of shares or probabilities, from 0 to 1.

    >>> unit("True positive rate").ticks
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    """
    return Axis(title=title, low=0.0, high=1.0, ticks=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0))


def spanning(title: str, *values: object, room: float = 0.04, count: int = 5) -> Axis:
    """An axis that holds all finite values, with round marks and some room at both ends.

    >>> spanning("Time", [0.0, 9.7], room=0.0).ticks
    (0.0, 2.0, 4.0, 6.0, 8.0)
    """
    together = [np.ravel(np.asarray(v, dtype=np.float64)) for v in values if v is not None]
    found = np.concatenate(together) if together else np.zeros(0)
    found = found[np.isfinite(found)]
    low, high = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
    if low == high:
        margin = abs(low) * 0.1 or 0.5
        low, high = low - margin, high + margin
    margin = (high - low) * room
    low, high = low - margin, high + margin
    return Axis(title=title, low=low, high=high, ticks=round_marks(low, high, count))


def rows(labels: Sequence[str], title: str = "") -> Axis:
    """An axis of named rows, the first on top.

    >>> rows(["AUC", "Brier"]).ticks
    (1.0, 0.0)
    """
    n = len(labels)
    places = tuple(float(n - 1 - i) for i in range(n))
    return Axis(title=title, low=-0.6, high=n - 0.4, ticks=places, labels=tuple(labels), grid=False)


def room_for(labels: Sequence[str]) -> float:
    """Lines of text that a chart with these rows needs, so that no label stands on another.

    >>> room_for(["AUC", "Brier"]) < room_for(["AUC", "a label that is longer than its line is"])
    True
    """
    lines = max((-(-len(label) // LINE) for label in labels), default=1)
    return max(1.3, 0.8 * lines + 0.1) * len(labels) + 0.6


def round_marks(low: float, high: float, count: int = 5) -> tuple[float, ...]:
    """About `count` round numbers between two limits.

    >>> round_marks(0.0, 1.0)
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    """
    raw = (high - low) / count
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(s * scale for s in STEPS if s * scale >= 0.75 * raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(i * step, 12) + 0.0 for i in range(first, last + 1))


def mark_labels(axis: Axis) -> tuple[str, ...]:
    """What stands at the marks of an axis, all with the same number of digits.

    >>> mark_labels(Axis(title="", low=0, high=1, ticks=(0.0, 0.25, 0.5)))
    ('0.00', '0.25', '0.50')
    """
    if axis.labels:
        return axis.labels
    digits = max((_digits(t) for t in axis.ticks), default=0)
    return tuple(f"{t:,.{digits}f}".replace(",", "\u202f").replace("-", "−") for t in axis.ticks)


def _digits(value: float) -> int:
    text = f"{value:.10f}".rstrip("0")
    return min(len(text) - text.index(".") - 1, 6)
