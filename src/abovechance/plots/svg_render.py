"""Charts for the report: shapes as inline SVG that stretches, words as HTML that does not.

The drawing is scaled to whatever room there is, while lines keep their width (non-scaling strokes)
and text its size, so a chart is as readable on a phone as on a desk. Dots are lines of no length
with round ends. Colours are CSS variables, so one drawing serves light and dark paper and print.
A path whose vertices are exactly the rows of a series says so; for other series an unseen path
holds the places that the read-out looks for, so that no number is written twice.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeGuard

import numpy as np
from markupsafe import Markup, escape

from abovechance.arrays import Floats
from abovechance.format import shown, turns
from abovechance.plots.chart import (
    Axis,
    Band,
    Bars,
    Cells,
    Chart,
    Layer,
    Line,
    Points,
    Raster,
    Rule,
    Series,
    Text,
    kept_vertices,
    mark_labels,
)

FAR = 1e6  # times the length of an axis
SIZE = 1000  # the drawing's own units, both ways: finer than pixels, and short numbers

NOTHING = Markup("")
LETTER = 0.58  # mean width of a letter, in em
WIDEST = 16.0  # em, of the labels on the left
PHONE = 27.0  # em, of a picture on a phone

FEW_CELLS = 8  # side by side, that have room on a phone
FINE, COARSE = 0.0015, 0.004  # of the drawing: what leaving out a corner may move an edge by
TICK = 45.0  # half the length of a tick, where rows do not set it

PAGE = Markup(
    '<div class="plot{rows}" role="img" aria-label="{label}"{reached} '
    'style="--left:{left:.3g}em;{size}">'
    '<div class="frame">'
    '<svg viewBox="0 0 {s} {s}" preserveAspectRatio="none" aria-hidden="true">'
    "{grid}{shapes}{marks}</svg>{words}</div>"
    '<span class="xtitle"><bdi>{title}</bdi></span></div>'
)


def across(chart: Chart, x: Any) -> Floats:
    """Places along the horizontal axis."""
    return _placed(chart.x.share(x))


def down(chart: Chart, y: Any) -> Floats:
    """Places along the vertical axis, from the top."""
    return _placed(1.0 - chart.y.share(y))


def _placed(share: Any) -> Floats:
    """Shares of an axis in the units of a picture; what lies far outside of it is not drawn."""
    return np.round(np.clip(np.nan_to_num(share), -FAR, FAR) * SIZE)


def _percent(share: Any) -> str:
    """A place as a share of the frame."""
    return f"{100 * float(share):.4g}%"


def pairs(x: Iterable[float], y: Iterable[float]) -> str:
    """Places as a path names them.

    >>> pairs([1.0, 2.0], [3.0, 4.0])
    '1 3 2 4'
    """
    return " ".join(f"{a:.0f} {b:.0f}" for a, b in zip(x, y, strict=True))


def path(kind: str, colour: str, d: str, attributes: str = "") -> Markup:
    """A path of a kind and a colour that the style sheet knows."""
    return Markup('<path class="{} c-{}"{} d="{}"/>').format(kind, colour, Markup(attributes), d)


def stepped(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The corners of a line that keeps its value until the next point.

    >>> stepped(np.array([0, 1, 2]), np.array([9, 8, 7]))
    (array([0, 1, 1, 2, 2]), array([9, 9, 8, 8, 7]))
    """
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def axis_words(chart: Chart) -> Markup:
    """What stands at the marks of both axes, and over the vertical one."""
    title = NOTHING
    if chart.y.title:
        title = Markup('<span class="ytitle">{}</span>').format(_mark(shown(chart.y.title)))
    wide = _wide_only(chart)
    return title + NOTHING.join(
        Markup('<span class="{}" style="{}:{}">{}</span>').format(
            f"{kind} wide-only" if kind == "xt" and i in wide else kind,
            side,
            _percent(axis.share(at)),
            _mark(shown(text)),
        )
        for axis, kind, side in ((chart.x, "xt", "left"), (chart.y, "yt", "bottom"))
        for i, (at, text) in enumerate(zip(axis.ticks, mark_labels(axis), strict=True))
    )


def _wide_only(chart: Chart) -> set[int]:
    """Marks below the drawing that would run into their neighbours on a phone: every other one."""
    labels = mark_labels(chart.x)
    room = PHONE - min(left_room(chart.y), PHONE / 2)
    if sum(len(text) * LETTER + 0.6 for text in labels) <= room:
        return set()
    zero = next((i for i, at in enumerate(chart.x.ticks) if at == 0.0), 0)
    return {i for i in range(len(labels)) if (i - zero) % 2}


def _mark(text: str) -> Markup:
    """Words in a picture; isolated where they could turn something around."""
    return Markup("<bdi>{}</bdi>").format(text) if turns(text) else escape(text)


def left_room(axis: Axis) -> float:
    """Room for the labels on the left, in em: as the longest needs, within reason."""
    longest = max((len(text) for text in mark_labels(axis)), default=0)
    return min(longest * LETTER + 0.9, WIDEST)


def layer_words(layer: Any, chart: Chart) -> Markup:
    """The words of a layer, and marks that must not be stretched with the drawing."""
    if isinstance(layer, Text):
        return _word(chart, layer.x, layer.y, layer.text, f"w-{layer.anchor}")
    if isinstance(layer, Points) and layer.shape == "diamond":
        return NOTHING.join(
            Markup('<i class="diamond c-{}" style="left:{};bottom:{}"></i>').format(
                layer.colour, _percent(chart.x.share(x)), _percent(chart.y.share(y))
            )
            for x, y in zip(layer.x, layer.y, strict=True)
        )
    if isinstance(layer, Rule) and layer.text:
        return _rule_word(layer, chart)
    return _cell_words(layer) if isinstance(layer, Cells) else NOTHING


def _rule_word(layer: Rule, chart: Chart) -> Markup:
    if layer.axis == "y":
        return _word(chart, chart.x.low, layer.at, layer.text, "w-left")
    side = "w-right" if float(chart.x.share(layer.at)) > 0.6 else "w-left"
    upright = [x for x in chart.layers if isinstance(x, Rule) and x.axis == "x" and x.text]
    later = " later" * (layer is not upright[0])  # on a small screen below the first
    return _word(chart, layer.at, chart.y.high, layer.text, f"{side} below{later}")


def _word(chart: Chart, x: float, y: float, text: str, kind: str) -> Markup:
    return Markup('<span class="word {}" style="left:{};bottom:{}">{}</span>').format(
        kind, _percent(chart.x.share(x)), _percent(chart.y.share(y)), _mark(shown(text))
    )


def _cell_words(layer: Cells) -> Markup:
    rows, columns = layer.shade.shape
    found = []
    kind = "count" if columns < 6 else "count many"
    for i in range(rows):
        for j in range(columns):
            if not layer.texts[i][j]:
                continue
            note = layer.notes[i][j] if layer.notes and columns < 6 else ""
            found.append(
                Markup('<span class="{}" style="left:{};bottom:{}">{}{}</span>').format(
                    kind,
                    _percent((j + 0.5) / columns),
                    _percent(1 - (i + 0.5) / rows),
                    layer.texts[i][j],
                    Markup("<small>{}</small>").format(note) if note else "",
                )
            )
    return NOTHING.join(found)


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


SHADES = 8  # of a raster; more are not told apart


def _raster(layer: Raster, chart: Chart) -> Markup:
    """Cells of one shade as one path; neighbours in a row are one piece of it."""
    rows, columns = layer.shade.shape
    x = across(chart, np.linspace(layer.left, layer.right, columns + 1))
    y = down(chart, np.linspace(layer.bottom, layer.top, rows + 1))
    known = np.isfinite(layer.shade)
    shade = np.where(known, np.rint(np.nan_to_num(layer.shade) * SHADES), -1).astype(np.int64)
    pieces: dict[int, list[str]] = {}
    for i in range(rows):
        ends = np.flatnonzero(np.diff(shade[i])) + 1
        for start, stop in zip([0, *ends], [*ends, columns], strict=True):
            if shade[i, start] >= 0:
                box = f"M{x[start]:.0f} {y[i]:.0f}H{x[stop]:.0f}V{y[i + 1]:.0f}H{x[start]:.0f}Z"
                pieces.setdefault(int(shade[i, start]), []).append(box)
    lowest, most = (0.05, 0.35) if layer.faint else (0.3, 0.7)
    return NOTHING.join(
        path(
            "shade",
            layer.colour,
            "".join(boxes),
            f' fill-opacity="{lowest + most * one / SHADES:.2f}"',
        )
        for one, boxes in sorted(pieces.items())
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
    Raster: _raster,
}


def render(chart: Chart) -> Markup:
    """Draw a chart as HTML and inline SVG.

    >>> from abovechance import examples
    >>> from abovechance.plots import chart_of
    >>> render(chart_of(examples.breast_cancer(), "roc")).count('data-s="0"')
    1
    """
    nothing = Markup("")
    label = f"{chart.title}: {chart.name}" if chart.name else chart.title
    # many cells side by side keep the room of their counts, and scroll on a small screen
    columns = max((x.shade.shape[1] for x in chart.layers if isinstance(x, Cells)), default=0)
    across_cells = columns if columns > FEW_CELLS else 0
    sizes = [f"--rows:{chart.rows:g}" if chart.rows else f"--wide:{1 / chart.height:.3g}"]
    if across_cells:
        sizes.append(f"--cells:{across_cells}")
    return PAGE.format(
        rows=" by-rows" * bool(chart.rows) + " by-cells" * bool(across_cells),
        label=shown(label),
        reached=Markup(' tabindex="0"') if across_cells else nothing,
        left=left_room(chart.y),
        size=";".join(sizes),
        s=SIZE,
        grid=_grid(chart),
        shapes=nothing.join(shape(layer, chart) for layer in chart.layers),
        marks=nothing.join(unseen(i, series, chart) for i, series in enumerate(chart.series)),
        words=axis_words(chart) + nothing.join(layer_words(x, chart) for x in chart.layers),
        title=shown(chart.x.title),
    )


def _grid(chart: Chart) -> Markup:
    lines = ""
    if chart.x.grid:
        lines += "".join(f"M{float(across(chart, t)):.0f} 0V{SIZE}" for t in chart.x.ticks)
    if chart.y.grid:
        lines += "".join(f"M0 {float(down(chart, t)):.0f}H{SIZE}" for t in chart.y.ticks)
    return Markup('<path class="grid" d="{}"/>').format(lines) if lines else Markup("")
