"""Where the rows of a series stand in the drawing: what the read-out looks for.

A path whose vertices are exactly the rows of a series says so; for other series an unseen path
holds the places, so that no number is written twice.
"""

from typing import TypeGuard

import numpy as np
from markupsafe import Markup

from abovechance.arrays import Floats
from abovechance.plots.chart import Chart, Layer, Line, Points, Series
from abovechance.plots.svg.places import across, down, pairs


def whose(layer: Line | Points, chart: Chart) -> str:
    """The attribute that names the series whose places a layer holds, or nothing."""
    for i, series in enumerate(chart.series):
        if _holder(series, chart) is layer:
            return f' data-s="{i}"'
    return ""


def unseen(index: int, series: Series, chart: Chart) -> Markup:
    """A path through the places of a series that no line and no dots hold."""
    x, y = places(series)
    if chart.readout == "none" or not len(x) or _holder(series, chart) is not None:
        return Markup("")
    return Markup('<path class="marks" data-s="{}" d="M{}"/>').format(
        index, pairs(across(chart, x), down(chart, y))
    )


def _holder(series: Series, chart: Chart) -> Line | Points | None:
    """The first layer whose vertices or dots are exactly the rows of a series."""
    if chart.readout == "none":
        return None
    x, y = places(series)
    for layer in chart.layers:
        if _plain(layer) and np.array_equal(layer.x, x) and np.array_equal(layer.y, y):
            return layer
    return None


def _plain(layer: Layer) -> TypeGuard[Line | Points]:
    """Whether a layer is drawn as one place after the other."""
    if isinstance(layer, Line):
        return not layer.steps and bool(np.isfinite(layer.y).all())
    return isinstance(layer, Points) and layer.shape == "dot"


def places(series: Series) -> tuple[Floats, Floats]:
    """Where the rows of a series stand: as it says, else by its first two columns."""
    if series.place is not None:
        return series.place
    if len(series.columns) < 2 or any(isinstance(c[0], str) for c in series.columns[:2] if len(c)):
        return np.zeros(0), np.zeros(0)
    return np.asarray(series.columns[0], float), np.asarray(series.columns[1], float)
