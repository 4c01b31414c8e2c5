"""Charts for papers, drawn by matplotlib on axes of the caller or new ones."""

from collections.abc import Callable
from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import NotApplicable
from abovechance.format import shown
from abovechance.plots.chart import (
    LIGHT,
    Axis,
    Band,
    Bars,
    Cells,
    Chart,
    Line,
    Points,
    Rule,
    Series,
    Text,
    mark_labels,
)

COLUMN = 3.5  # inches: one column of a journal
FONT = 8.0
SHAPES = {"dot": "o", "diamond": "D", "tick": "|"}


def draw(chart: Chart, ax: Any = None) -> Any:
    """Draw a chart and return its matplotlib axes, made one column wide when none are given."""
    if ax is None:
        ax = _new_axes(chart)
    for order, layer in enumerate(chart.layers):
        DRAWERS[type(layer)](ax, layer, chart, 2.0 + order / 100)
    _frame(ax, chart)
    _legend(ax, chart)
    return ax


def _new_axes(chart: Chart) -> Any:
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise NotApplicable(
            "matplotlib is needed to plot; pip install 'abovechance[plot]'."
        ) from None

    tall = max(1.5, 0.19 * chart.rows + 0.75) if chart.rows else COLUMN * chart.height + 0.75
    figure, ax = pyplot.subplots(figsize=(COLUMN, tall), layout="constrained", dpi=150)
    figure.set_facecolor(LIGHT["paper"])
    return ax


def _frame(ax: Any, chart: Chart) -> None:
    title = f"{chart.title}: {chart.name}" if chart.name else chart.title
    ax.set_title(
        shown(title),
        fontsize=FONT + 1,
        loc="right" if chart.rows else "left",  # beside long row labels there is little room
        color=LIGHT["ink"],
        pad=5.0 + 1.45 * (FONT - 1) * len(_named(chart)),
        parse_math=False,
    )
    for axis, which in ((chart.x, "x"), (chart.y, "y")):
        _scale(ax, axis, which)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LIGHT["muted"])
        ax.spines[side].set_linewidth(0.6)
    if any(isinstance(layer, Cells) for layer in chart.layers):
        ax.spines[:].set_visible(False)
    ax.set_axisbelow(True)


def _scale(ax: Any, axis: Axis, which: str) -> None:
    getattr(ax, f"set_{which}lim")(axis.low, axis.high)
    labels = [shown(label) for label in mark_labels(axis)]
    getattr(ax, f"set_{which}ticks")(axis.ticks, labels, parse_math=False)
    getattr(ax, f"set_{which}label")(
        shown(axis.title), fontsize=FONT, color=LIGHT["ink"], parse_math=False
    )
    ax.tick_params(which, labelsize=FONT - 0.5, length=2.5 if axis.grid else 0, width=0.6)
    ax.tick_params(which, color=LIGHT["muted"], labelcolor=LIGHT["ink"])
    if axis.grid:
        ax.grid(axis=which, color=LIGHT["grid"], linewidth=0.6)


def _named(chart: Chart) -> list[Series]:
    """The series that need naming: those whose names the axis does not already show."""
    found = [s for s in chart.series if s.name and s.name not in chart.y.labels]
    return found if chart.legend else []


def _legend(ax: Any, chart: Chart) -> None:
    """Between title and axes, where it covers nothing."""
    named = _named(chart)
    if not named:
        return
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=LIGHT[s.colour], linewidth=1.6, label=shown(f"{s.name} {s.note}"))
        for s in named
    ]
    legend = ax.legend(
        handles=handles,
        fontsize=FONT - 1,
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderpad=0.0,
        borderaxespad=0.3,
        labelspacing=0.25,
        handlelength=1.4,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _line(ax: Any, layer: Line, chart: Chart, order: float) -> None:
    ax.plot(
        layer.x,
        layer.y,
        color=LIGHT[layer.colour],
        linewidth=0.8 if layer.thin else 1.6,
        linestyle=(0, (3, 2.5)) if layer.dashed else "-",
        drawstyle="steps-post" if layer.steps else "default",
        solid_joinstyle="round",
        zorder=order,
    )


def _band(ax: Any, layer: Band, chart: Chart, order: float) -> None:
    ax.fill_between(
        layer.x,
        layer.low,
        layer.high,
        color=LIGHT[layer.colour],
        alpha=0.3 if layer.solid else 0.16,
        linewidth=0,
        step="post" if layer.steps else None,
        zorder=order,
    )


def _points(ax: Any, layer: Points, chart: Chart, order: float) -> None:
    colour = LIGHT[layer.colour]
    ends = (
        ("vlines", layer.x, layer.low, layer.high),
        ("hlines", layer.y, layer.left, layer.right),
    )
    for lines, at, first, last in ends:
        if first is not None and last is not None:
            getattr(ax, lines)(at, first, last, color=colour, linewidth=1.1, zorder=order)
    tick = layer.shape == "tick"
    ax.plot(
        layer.x,
        layer.y,
        linestyle="none",
        marker=SHAPES[layer.shape],
        markersize=layer.size * (1.4 if tick else 0.55),
        color=colour,
        alpha=0.45 if layer.faint else 1.0,
        markeredgecolor=colour if tick else LIGHT["paper"],
        markeredgewidth=1.1 if tick else (0.0 if layer.faint else 0.6),
        zorder=order + 0.005,
        clip_on=False,
    )


def _bars(ax: Any, layer: Bars, chart: Chart, order: float) -> None:
    ax.bar(
        layer.left,
        layer.height,
        width=layer.right - layer.left,
        align="edge",
        color=LIGHT[layer.colour],
        alpha=0.35 if layer.faint else 0.8,
        linewidth=0,
        zorder=order,
    )


def _rule(ax: Any, layer: Rule, chart: Chart, order: float) -> None:
    across = ax.axvline if layer.axis == "x" else ax.axhline
    across(
        layer.at,
        color=LIGHT[layer.colour],
        linewidth=0.9,
        linestyle=(0, (3, 2.5)) if layer.dashed else "-",
        zorder=order,
    )
    if layer.text:
        upright = layer.axis == "x"
        late = upright and chart.x.share(layer.at) > 0.6
        ax.annotate(
            shown(layer.text),
            (layer.at, 1.0) if upright else (0.0, layer.at),
            xycoords=("data", "axes fraction") if upright else ("axes fraction", "data"),
            xytext=((-3 if late else 3), -2) if upright else (3, 2),
            textcoords="offset points",
            ha="right" if late else "left",
            va="top" if upright else "bottom",
            fontsize=FONT - 1,
            color=LIGHT[layer.colour],
            zorder=order,
            parse_math=False,
        )


def _text(ax: Any, layer: Text, chart: Chart, order: float) -> None:
    ax.annotate(
        shown(layer.text),
        (layer.x, layer.y),
        xytext=(0, 2 if layer.above else -2),
        textcoords="offset points",
        ha={"left": "left", "middle": "center", "right": "right"}[layer.anchor],
        va="bottom" if layer.above else "top",
        fontsize=FONT - 0.5,
        color=LIGHT[layer.colour],
        zorder=order,
        parse_math=False,
    )


def _cells(ax: Any, layer: Cells, chart: Chart, order: float) -> None:
    rows, columns = layer.shade.shape
    paint = _hex(LIGHT[layer.colour])
    for i in range(rows):
        for j in range(columns):
            shade = 0.06 + 0.84 * float(layer.shade[i, j])
            colour = 1 - shade * (1 - paint)
            y = rows - 1 - i
            ax.fill_between([j - 0.48, j + 0.48], y - 0.48, y + 0.48, color=tuple(colour), lw=0)
            ink = LIGHT["paper"] if shade > 0.55 else LIGHT["ink"]
            note = layer.notes[i][j] if layer.notes else ""
            common = {"ha": "center", "color": ink, "zorder": order, "parse_math": False}
            size = FONT + 2 if columns < 6 else FONT - 1
            ax.text(j, y, layer.texts[i][j], va="bottom" if note else "center", fontsize=size,
                    **common)  # fmt: skip
            if note and columns < 6:
                ax.text(j, y - 0.04, note, va="top", fontsize=FONT - 1, **common)


def _hex(colour: str) -> Array:
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])


DRAWERS: dict[type, Callable[[Any, Any, Chart, float], None]] = {
    Line: _line,
    Band: _band,
    Points: _points,
    Bars: _bars,
    Rule: _rule,
    Text: _text,
    Cells: _cells,
}
