"""Where the rows of a series stand in the drawing: what the read-out looks for.

A path whose vertices are exactly the rows of a series says so; for other series an unseen path
holds the places, so that no number is written twice.
"""

import numpy as np
from markupsafe import Markup

from abovechance.arrays import Floats
from abovechance.plots.chart import Chart, Line, Points, Series
from abovechance.plots.svg.places import across, down, pairs


def whose(x: Floats, y: Floats, chart: Chart) -> str:
    """The attribute that names the series whose places these are, or nothing."""
    if chart.readout == "none":
        return ""
    for i, series in enumerate(chart.series):
        if _same((x, y), places(series)):
            return f' data-s="{i}"'
    return ""


def unseen(index: int, series: Series, chart: Chart) -> Markup:
    """A path through the places of a series that no line and no dots hold."""
    x, y = places(series)
    held = any(
        _same((layer.x, layer.y), (x, y))
        for layer in chart.layers
        if (isinstance(layer, Line) and not layer.steps and np.isfinite(layer.y).all())
        or (isinstance(layer, Points) and layer.shape == "dot")
    )
    if chart.readout == "none" or held or not len(x):
        return Markup("")
    return Markup('<path class="marks" data-s="{}" d="M{}"/>').format(
        index, pairs(across(chart, x), down(chart, y))
    )


def places(series: Series) -> tuple[Floats, Floats]:
    """Where the rows of a series stand: as it says, else by its first two columns."""
    if series.place is not None:
        return series.place
    if len(series.columns) < 2 or any(isinstance(c[0], str) for c in series.columns[:2] if len(c)):
        return np.zeros(0), np.zeros(0)
    return np.asarray(series.columns[0], float), np.asarray(series.columns[1], float)


def _same(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
