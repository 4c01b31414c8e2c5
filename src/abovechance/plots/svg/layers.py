"""The shapes of each kind of layer."""

from collections.abc import Callable
from typing import Any

import numpy as np
from markupsafe import Markup

from abovechance.arrays import Floats
from abovechance.plots.chart import Band, Bars, Cells, Chart, Line, Points, Rule, Text
from abovechance.plots.shapes import kept_vertices
from abovechance.plots.svg.marks import whose
from abovechance.plots.svg.places import SIZE, across, down, pairs, path, stepped

NOTHING = Markup("")
FINE, COARSE = 0.0015, 0.004  # of the drawing: what leaving out a corner may move an edge by
TICK = 45.0  # half the length of a tick, where rows do not set it


def shape(layer: Any, chart: Chart) -> Markup:
    """What of a layer is drawn; its words are written apart."""
    return DRAWERS[type(layer)](layer, chart)


def _line(layer: Line, chart: Chart) -> Markup:
    known = np.isfinite(layer.y)
    x, y = across(chart, layer.x[known]), down(chart, layer.y[known])
    if not x.size:
        return NOTHING
    attributes = whose(layer, chart)
    if layer.steps:
        x, y = stepped(x, y)
        kept = kept_vertices(x / SIZE, y / SIZE, FINE)
        x, y = x[kept], y[kept]
    kind = "line" + " thin" * layer.thin + " dash" * layer.dashed
    return path(kind, layer.colour, f"M{pairs(x, y)}", attributes)


def _band(layer: Band, chart: Chart) -> Markup:
    known = np.isfinite(layer.low) & np.isfinite(layer.high)
    x = across(chart, layer.x[known])
    if not x.size:
        return NOTHING
    edges = []
    # Of many densities below each other each has its share of the height, and of the tolerance.
    tolerance = COARSE * min(1.0, 2.0 / max(len(chart.y.labels), 1)) if layer.solid else COARSE
    for edge in (layer.high[known], layer.low[known]):
        y = down(chart, edge)
        along, y = stepped(x, y) if layer.steps else (x, y)
        kept = kept_vertices(along / SIZE, y / SIZE, tolerance)
        edges.append((along[kept], y[kept]))
    (right, high), (left, low) = edges
    around = f"M{pairs(right, high)} {pairs(left[::-1], low[::-1])}Z"
    return path("band" + " solid" * layer.solid, layer.colour, around)


def _points(layer: Points, chart: Chart) -> Markup:
    x, y = across(chart, layer.x), down(chart, layer.y)
    parts = []
    if layer.low is not None and layer.high is not None:
        ends = zip(x, down(chart, layer.low), down(chart, layer.high), strict=True)
        upright = "".join(f"M{at:.0f} {a:.0f}V{b:.0f}" for at, a, b in ends)
        parts.append(path("limits", layer.colour, upright))
    if layer.left is not None and layer.right is not None:
        ends = zip(y, across(chart, layer.left), across(chart, layer.right), strict=True)
        lying = "".join(f"M{a:.0f} {at:.0f}H{b:.0f}" for at, a, b in ends)
        parts.append(path("limits", layer.colour, lying))
    if layer.shape == "tick":
        half = TICK if not chart.rows else 0.3 * SIZE / (chart.y.high - chart.y.low)
        ticks = "".join(
            f"M{a:.0f} {b - half:.0f}v{2 * half:.0f}" for a, b in zip(x, y, strict=True)
        )
        parts.append(path("tick", layer.colour, ticks))
    elif layer.shape == "dot":
        dots = _dots(x, y)
        attributes = whose(layer, chart) + f' style="--w:{layer.size:g}px"'
        kind = "dot" + " faint" * layer.faint
        parts.append(path(kind, layer.colour, dots, attributes))
    return NOTHING.join(parts)


def _dots(x: Floats, y: Floats) -> str:
    """Lines of no length, each from where the last one stood: most steps are short.

    >>> _dots(np.array([5.0, 7.0]), np.array([9.0, 4.0]))
    'm5 9h0m2-5h0'
    """
    steps = zip(np.diff(x, prepend=0.0), np.diff(y, prepend=0.0), strict=True)
    return "".join(f"m{a:.0f} {b:.0f}h0".replace(" -", "-") for a, b in steps)


def _bars(layer: Bars, chart: Chart) -> Markup:
    left, right = across(chart, layer.left), across(chart, layer.right)
    top, base = down(chart, layer.height), float(down(chart, 0.0))
    around = "".join(
        f"M{a:.0f} {base:.0f}V{t:.0f}H{b:.0f}V{base:.0f}Z"
        for a, b, t in zip(left, right, top, strict=True)
        if t < base
    )
    return path("bar" + " faint" * layer.faint, layer.colour, around)


def _rule(layer: Rule, chart: Chart) -> Markup:
    upright = layer.axis == "x"
    at = float((across if upright else down)(chart, layer.at))
    d = f"M{at:.0f} 0V{SIZE}" if upright else f"M0 {at:.0f}H{SIZE}"
    return path("line thin" + " dash" * layer.dashed, layer.colour, d)


def _cells(layer: Cells, chart: Chart) -> Markup:
    rows, columns = layer.shade.shape
    wide, tall = SIZE / columns, SIZE / rows
    return NOTHING.join(
        Markup(
            '<rect class="cell c-{}" x="{:.0f}" y="{:.0f}" width="{:.0f}" height="{:.0f}" '
            'fill-opacity="{:.2f}"/>'
        ).format(
            layer.colour,
            j * wide + 8,
            i * tall + 8,
            wide - 16,
            tall - 16,
            # never so dark that the count in it could not be read, on light and on dark paper
            0.04 + 0.46 * float(layer.shade[i, j]),
        )
        for i in range(rows)
        for j in range(columns)
    )


def _nothing(layer: Text, chart: Chart) -> Markup:
    return NOTHING


DRAWERS: dict[type, Callable[[Any, Chart], Markup]] = {
    Line: _line,
    Band: _band,
    Points: _points,
    Bars: _bars,
    Rule: _rule,
    Text: _nothing,
    Cells: _cells,
}
