"""What to draw, as data: axes and layers that every renderer understands."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from abovechance.arrays import Array, Floats, Ints

# ----------------------------------------------------------------------------------------------
# What to draw, as data: axes and layers that every renderer understands.
#
# A chart is described once and drawn by matplotlib for papers and as SVG for the report. Colours
# are roles, not paint: "0" to "5" are the series, "ink" is text, "muted" what is in the
# background.
# ----------------------------------------------------------------------------------------------


Readout: TypeAlias = Literal["along", "nearest", "none"]


@dataclass(frozen=True, kw_only=True)
class Axis:
    """The title of an axis, its limits, and where it is marked."""

    title: str
    low: float
    high: float
    ticks: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    grid: bool = True

    def share(self, value: Array | float) -> Floats:
        """How far along the axis a value lies, from 0 to 1."""
        return (np.asarray(value, dtype=np.float64) - self.low) / (self.high - self.low)


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A line through points, or steps between them."""

    x: Floats
    y: Floats
    colour: str = "0"
    dashed: bool = False
    thin: bool = False
    steps: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Band:
    """The area between two lines; opaque where it is the thing shown, not its uncertainty."""

    x: Floats
    low: Floats
    high: Floats
    colour: str = "0"
    steps: bool = False
    solid: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Points:
    """Marks, with upright limits (`low`, `high`) or lying ones (`left`, `right`) when known."""

    x: Floats
    y: Floats
    colour: str = "0"
    shape: Literal["dot", "diamond", "tick"] = "dot"
    size: float = 6.0
    faint: bool = False
    low: Floats | None = None
    high: Floats | None = None
    left: Floats | None = None
    right: Floats | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Bars:
    """Upright bars from 0, each from a left to a right edge."""

    left: Floats
    right: Floats
    height: Floats
    colour: str = "0"
    faint: bool = False


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A line across the whole chart at one value of an axis."""

    at: float
    axis: Literal["x", "y"] = "x"
    text: str = ""
    colour: str = "muted"
    dashed: bool = True


@dataclass(frozen=True, kw_only=True)
class Text:
    """A word at a place: `anchor` says which of its ends stands there."""

    x: float
    y: float
    text: str
    anchor: Literal["left", "middle", "right"] = "middle"
    colour: str = "ink"
    above: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """A table of shaded cells: shade from 0 to 1, and what stands in each."""

    shade: Floats
    texts: tuple[tuple[str, ...], ...]
    notes: tuple[tuple[str, ...], ...] = ()
    colour: str = "0"


@dataclass(frozen=True, kw_only=True, eq=False)
class Raster:
    """A picture of many small cells: shades from 0 to 1, rows from below, nan where there is none.

    `left` and `bottom` are the outer edges of the first cell, `right` and `top` of the last.
    """

    shade: Floats
    left: float
    right: float
    bottom: float
    top: float
    colour: str = "0"
    faint: bool = False


Layer: TypeAlias = Line | Band | Points | Bars | Rule | Text | Cells | Raster


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """The numbers behind a part of a chart: what the data table and the read-out show.

    The first two columns are the place of a mark in the chart unless `place` gives it.
    """

    name: str
    headings: tuple[str, ...]
    columns: tuple[Sequence[float] | Sequence[str] | Floats, ...]
    colour: str = "0"
    note: str = ""
    place: tuple[Floats, Floats] | None = None

    def __len__(self) -> int:
        return len(self.columns[0])


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart:
    """A picture as data: what it is called, its axes, its layers and the numbers behind it.

    `readout` says how a pointer reads it: "along" the horizontal axis, the "nearest" mark, or
    not at all. `height` is that of the plot as a share of its width; `rows` is the number of
    text lines it needs instead, for charts with one line per row.
    """

    title: str
    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    series: tuple[Series, ...] = ()
    caption: str = ""
    readout: Readout = "along"
    height: float = 0.75
    rows: float = 0.0
    name: str = ""
    legend: bool = True


# Colours that readers with any colour vision can tell apart, on light and on dark paper. The first
# three series are those of Okabe and Ito (2008), "Color universal design", the others chosen so
# that all six stay apart under every kind of colour blindness; on dark paper lighter shades, in
# the same order, so that a figure and a report speak of the same colours.
LIGHT = {
    "0": "#0072B2",
    "1": "#D55E00",
    "2": "#009E73",
    "3": "#B0528A",
    "4": "#332288",
    "5": "#7A1A1A",
    "ink": "#1B1F24",
    "muted": "#5C6570",
    "grid": "#E7EAEE",
    "paper": "#FFFFFF",
}
DARK = {
    "0": "#58A6FF",
    "1": "#FF8A4C",
    "2": "#57DDB2",
    "3": "#D684B8",
    "4": "#C9B6FF",
    "5": "#FFD24D",
    "ink": "#E8ECF1",
    "muted": "#98A3B0",
    "grid": "#2A313A",
    "paper": "#161B22",
}


# ----------------------------------------------------------------------------------------------
# Limits and round marks of axes, and numbers as text.
# ----------------------------------------------------------------------------------------------


LINE = 22  # letters of a row's label on one line
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def unit(title: str) -> Axis:
    """An axis of shares or probabilities, from 0 to 1.

    >>> unit("True positive rate").ticks
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    """
    return Axis(title=title, low=0.0, high=1.0, ticks=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0))


LEAST_SPAN = 1e-290  # of numbers that marks can be set between


def spanning(title: str, *values: object, room: float = 0.04, count: int = 5) -> Axis:
    """An axis that holds all finite values, with round marks and some room at both ends.

    >>> spanning("Time", [0.0, 9.7], room=0.0).ticks
    (0.0, 2.0, 4.0, 6.0, 8.0)
    """
    together = [np.ravel(np.asarray(v, dtype=np.float64)) for v in values if v is not None]
    found = np.concatenate(together) if together else np.zeros(0)
    found = found[np.isfinite(found)]
    low, high = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
    if high - low < LEAST_SPAN:
        margin = abs(low) * 0.1 if abs(low) > LEAST_SPAN else 0.5
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


# ----------------------------------------------------------------------------------------------
# Numbers that give clouds of points their shape: densities, spreads, fewer points.
# ----------------------------------------------------------------------------------------------


GRID = 101
GOLDEN = 0.6180339887498949


def unit_density(values: Floats, weight: Floats | None = None) -> tuple[Floats, Floats]:
    """A smooth density on [0, 1] by a Gaussian kernel, mass beyond an end folded back.

    Bandwidth by Silverman's rule with the smaller of the two spreads, never below 0.01; the
    reflection keeps the density from falling where predictions crowd at 0 or 1.

    References
    ----------
    Silverman (1986), eq. 3.31 and section 2.10.

    Examples
    --------
    >>> grid, density = unit_density(np.array([0.0, 0.5, 1.0]))
    >>> round(float(np.trapezoid(density, grid)), 3)
    1.0
    """
    grid = np.linspace(0.0, 1.0, GRID)
    counts = np.bincount(
        np.clip(np.rint(values * 500), 0, 500).astype(np.int64), weights=weight, minlength=501
    )
    share = counts / counts.sum()
    width = _bandwidth(values)
    places = np.arange(501) / 500
    density = np.zeros(GRID)
    for mirrored in (places, -places, 2.0 - places):
        away = (grid[:, None] - mirrored) / width
        density += (np.exp(-(away**2) / 2) * share).sum(axis=1)
    return grid, density / (width * np.sqrt(2 * np.pi))


def _bandwidth(values: Floats) -> float:
    quartiles = np.quantile(values, [0.25, 0.75])
    spread = min(float(values.std()), float(np.diff(quartiles)[0]) / 1.34)
    return max(0.9 * spread * len(values) ** -0.2, 0.01)


def spread(count: int) -> Floats:
    """Places in [0, 1) that never crowd: the golden-ratio sequence, the same every time.

    >>> spread(3)
    array([0.618..., 0.236..., 0.854...])
    """
    return np.asarray(np.arange(1, count + 1) * GOLDEN % 1.0)


def fewer(values: Array, most: int) -> Floats:
    """At most so many of the values, evenly spaced in their order, both extremes included.

    >>> fewer(np.arange(10.0), 4)
    array([0., 3., 6., 9.])
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if ordered.size <= most:
        return ordered
    return ordered[np.rint(np.linspace(0, ordered.size - 1, most)).astype(np.int64)]


def kept_vertices(x: Floats, y: Floats, tolerance: float, most: int = 400) -> Array:
    """Which vertices of a line to keep so that none dropped lies further away than a tolerance.

    Both axes are measured in shares of their range, so a tolerance of 0.001 cannot be seen.

    References
    ----------
    Douglas, Peucker (1973).

    Examples
    --------
    >>> kept_vertices(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]), 0.001)
    array([0, 2])
    """
    size = len(x)
    if size <= 2:
        return np.arange(size)
    # The tolerance below which each vertex is kept: its own distance, or that of one before it.
    below = np.zeros(size)
    below[[0, -1]] = np.inf
    first, last, bound = np.array([0]), np.array([size - 1]), np.array([np.inf])
    while first.size:  # all stretches of a line at once
        away, starts, at = _distances(x, y, first, last)
        most_away = np.maximum.reduceat(away, starts)
        parted = np.flatnonzero(most_away > tolerance)
        farthest = np.flatnonzero(away == np.repeat(most_away, last - first - 1))
        middle = at[farthest[np.searchsorted(farthest, starts[parted])]]
        bound = np.minimum(bound[parted], most_away[parted])
        below[middle] = bound
        first = np.concatenate([first[parted], middle])
        last = np.concatenate([middle, last[parted]])
        long = last - first >= 2
        first, last, bound = first[long], last[long], np.tile(bound, 2)[long]
    while np.count_nonzero(below > tolerance) > most:
        tolerance *= 1.5
    return np.flatnonzero(below > tolerance)


def _distances(x: Floats, y: Floats, first: Ints, last: Ints) -> tuple[Floats, Ints, Ints]:
    """How far vertices lie from stretches of a line, where each stretch begins, which they are."""
    inside = last - first - 1
    starts = np.cumsum(inside) - inside
    at = np.arange(inside.sum()) + np.repeat(first + 1 - starts, inside)
    right, up = (v[at] - np.repeat(v[first], inside) for v in (x, y))
    dx, dy = x[last] - x[first], y[last] - y[first]
    length = np.hypot(dx, dy)
    across = np.abs(np.repeat(dx, inside) * up - np.repeat(dy, inside) * right)
    if length.all():
        return across / np.repeat(length, inside), starts, at
    closed = np.repeat(length == 0, inside)
    divisor = np.repeat(np.where(length > 0, length, 1.0), inside)
    return np.where(closed, np.hypot(right, up), across / divisor), starts, at
