"""What to draw, as data: axes and layers that every renderer understands.

A chart is described once and drawn by matplotlib for papers and as SVG for the report. Colours are
roles, not paint: "0" to "5" are the series, "ink" is text, "muted" what is in the background.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from abovechance.arrays import Array, Floats

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


Layer: TypeAlias = Line | Band | Points | Bars | Rule | Text | Cells


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
