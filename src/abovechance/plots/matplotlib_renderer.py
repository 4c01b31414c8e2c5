"""Charts for papers, drawn by matplotlib on axes of the caller or new ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import NotApplicable, did_you_mean, listed
from abovechance.format import shown
from abovechance.plots.chart import (
    DARK,
    LIGHT,
    Axis,
    Band,
    Bars,
    Cells,
    Chart,
    Line,
    Points,
    Raster,
    Rule,
    Series,
    Text,
    mark_labels,
)

SHAPES = {"diamond": "D", "tick": "|"}


# ----------------------------------------------------------------------------------------------
# How figures look: on light and dark screens, or in one column of a paper.
# ----------------------------------------------------------------------------------------------


MILLIMETRE = 1 / 25.4  # inches

Dashes = tuple[float, ...]
REFERENCE: Dashes = (3, 2.5)  # of what a series is held against


@dataclass(frozen=True, kw_only=True)
class Style:
    """Colours, sizes, letters and signs of a figure.

    Attributes
    ----------
    colours
        The paint of each role that a chart names.
    width
        Of new figures, in inches.
    font
        Size of the letters at the axes, in points; others are a little larger or smaller.
    families
        Fonts wanted, the first that the machine has is taken; matplotlib's own when empty.
    titled
        Whether the title stands over the figure; a journal prints it in the caption.
    grid
        Whether lines cross the figure at the marks.
    line
        Width of the lines of series, in points.
    dashes, markers, hatches
        By series, so that they can be told apart without colour; none: all are alike.
    """

    colours: Mapping[str, str]
    width: float = 3.5
    font: float = 8.0
    families: tuple[str, ...] = ()
    titled: bool = True
    grid: bool = True
    line: float = 1.6
    dashes: tuple[Dashes, ...] = ()
    markers: tuple[str, ...] = ()
    hatches: tuple[str, ...] = ()

    def letters(self) -> dict[str, Any]:
        """What matplotlib is told about the font of a text."""
        found = _first_installed(self.families)
        return {"fontfamily": found} if found else {}

    def dash_of(self, colour: str) -> Any:
        """The line of a series."""
        own = self.dashes[int(colour)] if self.dashes and colour.isdigit() else ()
        return (0, own) if own else "-"

    def marker_of(self, colour: str) -> str:
        """The dot of a series."""
        return self.markers[int(colour)] if self.markers and colour.isdigit() else "o"

    def hatch_of(self, colour: str) -> str:
        """What fills the bars of a series."""
        return self.hatches[int(colour)] if self.hatches and colour.isdigit() else ""

    def key_of(self, colour: str, chart: Chart) -> dict[str, Any]:
        """How the legend shows a series: as it is drawn, where that differs between series."""
        if not self.markers:
            return {}
        own = [one for one in chart.layers if getattr(one, "colour", "") == colour]
        lines = [one for one in own if isinstance(one, Line)]
        dots = any(isinstance(one, Points) and one.shape == "dot" for one in own)
        dashed = bool(lines) and all(one.dashed for one in lines)
        dash = (0, REFERENCE) if dashed else self.dash_of(colour)
        return {
            "linestyle": dash if lines or not dots else "none",
            "marker": self.marker_of(colour) if dots else "",
            "markersize": 3.5,
        }


STYLES = {
    "screen": Style(colours=LIGHT),
    "dark": Style(colours=DARK),
    # one column of most journals; letters of 7 points and more; a printer without colour
    "paper": Style(
        colours=LIGHT,
        width=85 * MILLIMETRE,
        families=("Arial", "Helvetica", "Liberation Sans", "Nimbus Sans"),
        titled=False,
        grid=False,
        line=1.2,
        dashes=((), (5, 1.5), (1.2, 1.2), (5, 1.5, 1.2, 1.5), (9, 2), (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
        markers=("o", "s", "^", "v", "P", "X"),
        hatches=("", "////", "....", "\\\\\\\\", "xxxx", "----"),
    ),
}


def style_of(name: str) -> Style:
    """The style of that name.

    >>> round(style_of("paper").width * 25.4, 6)
    85.0
    """
    if name not in STYLES:
        known = did_you_mean(name, STYLES) or f"; there are {listed(list(STYLES))}."
        raise NotApplicable(f"no style {name!r}{known}")
    return STYLES[name]


@cache
def _first_installed(families: tuple[str, ...]) -> str | None:
    """A font that is there: matplotlib complains of every other that it is asked for."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist} if families else set()
    return next((family for family in families if family in installed), None)


# ----------------------------------------------------------------------------------------------
# Drawing.
# ----------------------------------------------------------------------------------------------


def draw(chart: Chart, ax: Any = None, style: Style = STYLES["screen"]) -> Any:
    """Draw a chart and return its matplotlib axes, made one column wide when none are given."""
    if ax is None:
        ax = _new_axes(chart, style)
    for order, layer in enumerate(chart.layers):
        DRAWERS[type(layer)](ax, layer, chart, style, 2.0 + order / 100)
    _frame(ax, chart, style)
    _legend(ax, chart, style)
    return ax


def _new_axes(chart: Chart, style: Style) -> Any:
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise NotApplicable(
            "matplotlib is needed to plot; pip install 'abovechance[plot]'."
        ) from None

    tall = max(1.5, 0.19 * chart.rows + 0.75) if chart.rows else style.width * chart.height + 0.75
    if not style.titled:
        tall -= (1.6 * style.font - 1.45 * (style.font - 1) * len(_named(chart))) / 72
    figure, ax = pyplot.subplots(figsize=(style.width, tall), layout="constrained", dpi=150)
    figure.set_facecolor(style.colours["paper"])
    ax.set_facecolor(style.colours["paper"])
    return ax


def _frame(ax: Any, chart: Chart, style: Style) -> None:
    title = f"{chart.title}: {chart.name}" if chart.name else chart.title
    if style.titled:
        ax.set_title(
            shown(title),
            fontsize=style.font + 1,
            loc="right" if chart.rows else "left",  # beside long row labels there is little room
            color=style.colours["ink"],
            pad=5.0 + 1.45 * (style.font - 1) * len(_named(chart)),
            parse_math=False,
            **style.letters(),
        )
    for axis, which in ((chart.x, "x"), (chart.y, "y")):
        _scale(ax, axis, which, style)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(style.colours["muted"])
        ax.spines[side].set_linewidth(0.6)
    if any(isinstance(layer, Cells | Raster) for layer in chart.layers):
        ax.spines[:].set_visible(False)
    ax.set_axisbelow(True)


def _scale(ax: Any, axis: Axis, which: str, style: Style) -> None:
    getattr(ax, f"set_{which}lim")(axis.low, axis.high)
    labels = [shown(label) for label in mark_labels(axis)]
    letters = style.letters()
    getattr(ax, f"set_{which}ticks")(axis.ticks, labels, parse_math=False, **letters)
    getattr(ax, f"set_{which}label")(
        shown(axis.title),
        fontsize=style.font,
        color=style.colours["ink"],
        parse_math=False,
        **letters,
    )
    ax.tick_params(which, labelsize=style.font - 0.5, length=2.5 if axis.grid else 0, width=0.6)
    ax.tick_params(which, color=style.colours["muted"], labelcolor=style.colours["ink"])
    if axis.grid and style.grid:
        ax.grid(axis=which, color=style.colours["grid"], linewidth=0.6)


def _named(chart: Chart) -> list[Series]:
    """The series that need naming: those whose names the axis does not already show."""
    found = [s for s in chart.series if s.name and s.name not in chart.y.labels]
    return found if chart.legend else []


def _legend(ax: Any, chart: Chart, style: Style) -> None:
    """Between title and axes, where it covers nothing."""
    named = _named(chart)
    if not named:
        return
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=style.colours[s.colour],
            linewidth=style.line,
            label=shown(f"{s.name} {s.note}"),
            **style.key_of(s.colour, chart),
        )
        for s in named
    ]
    legend = ax.legend(
        handles=handles,
        fontsize=style.font - 1,
        frameon=False,
        labelcolor=style.colours["ink"],
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderpad=0.0,
        borderaxespad=0.3,
        labelspacing=0.25,
        handlelength=2.6 if style.dashes else 1.4,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
        text.update(style.letters())


def _line(ax: Any, layer: Line, chart: Chart, style: Style, order: float) -> None:
    ax.plot(
        layer.x,
        layer.y,
        color=style.colours[layer.colour],
        linewidth=0.8 if layer.thin else style.line,
        linestyle=(0, REFERENCE) if layer.dashed else style.dash_of(layer.colour),
        drawstyle="steps-post" if layer.steps else "default",
        solid_joinstyle="round",
        zorder=order,
    )


def _band(ax: Any, layer: Band, chart: Chart, style: Style, order: float) -> None:
    ax.fill_between(
        layer.x,
        layer.low,
        layer.high,
        color=style.colours[layer.colour],
        alpha=0.3 if layer.solid else 0.16,
        linewidth=0,
        step="post" if layer.steps else None,
        zorder=order,
    )


def _points(ax: Any, layer: Points, chart: Chart, style: Style, order: float) -> None:
    colour = style.colours[layer.colour]
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
        marker=SHAPES.get(layer.shape) or style.marker_of(layer.colour),
        markersize=layer.size * (1.4 if tick else 0.55),
        color=colour,
        alpha=0.45 if layer.faint else 1.0,
        markeredgecolor=colour if tick else style.colours["paper"],
        markeredgewidth=1.1 if tick else (0.0 if layer.faint else 0.6),
        zorder=order + 0.005,
        clip_on=False,
    )


def _bars(ax: Any, layer: Bars, chart: Chart, style: Style, order: float) -> None:
    ax.bar(
        layer.left,
        layer.height,
        width=layer.right - layer.left,
        align="edge",
        color=style.colours[layer.colour],
        alpha=0.35 if layer.faint else 0.8,
        linewidth=0,
        hatch=style.hatch_of(layer.colour),
        zorder=order,
    )


def _rule(ax: Any, layer: Rule, chart: Chart, style: Style, order: float) -> None:
    across = ax.axvline if layer.axis == "x" else ax.axhline
    across(
        layer.at,
        color=style.colours[layer.colour],
        linewidth=0.9,
        linestyle=(0, REFERENCE) if layer.dashed else "-",
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
            fontsize=style.font - 1,
            color=style.colours[layer.colour],
            zorder=order,
            parse_math=False,
            **style.letters(),
        )


def _text(ax: Any, layer: Text, chart: Chart, style: Style, order: float) -> None:
    ax.annotate(
        shown(layer.text),
        (layer.x, layer.y),
        xytext=(0, 2 if layer.above else -2),
        textcoords="offset points",
        ha={"left": "left", "middle": "center", "right": "right"}[layer.anchor],
        va="bottom" if layer.above else "top",
        fontsize=style.font - 0.5,
        color=style.colours[layer.colour],
        zorder=order,
        parse_math=False,
        **style.letters(),
    )


def _cells(ax: Any, layer: Cells, chart: Chart, style: Style, order: float) -> None:
    rows, columns = layer.shade.shape
    paint, paper = (_hex(style.colours[name]) for name in (layer.colour, "paper"))
    for i in range(rows):
        for j in range(columns):
            shade = 0.06 + 0.84 * float(layer.shade[i, j])
            colour = paper + shade * (paint - paper)
            y = rows - 1 - i
            ax.fill_between([j - 0.48, j + 0.48], y - 0.48, y + 0.48, color=tuple(colour), lw=0)
            ink = style.colours["paper"] if shade > 0.55 else style.colours["ink"]
            note = layer.notes[i][j] if layer.notes else ""
            common = {"ha": "center", "color": ink, "zorder": order, "parse_math": False}
            common |= style.letters()
            size = style.font + 2 if columns < 6 else style.font - 1
            ax.text(j, y, layer.texts[i][j], va="bottom" if note else "center", fontsize=size,
                    **common)  # fmt: skip
            if note and columns < 6:
                ax.text(j, y - 0.04, note, va="top", fontsize=style.font - 1, **common)


def _raster(ax: Any, layer: Raster, chart: Chart, style: Style, order: float) -> None:
    paint, paper = (_hex(style.colours[name]) for name in (layer.colour, "paper"))
    known = np.isfinite(layer.shade)
    lowest, most = (0.05, 0.35) if layer.faint else (0.3, 0.7)
    shade = lowest + most * np.nan_to_num(layer.shade)[..., None]
    cells = np.concatenate([paper + shade * (paint - paper), known[..., None]], axis=-1)
    ax.imshow(
        cells,
        extent=(layer.left, layer.right, layer.bottom, layer.top),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        zorder=order,
    )


def _hex(colour: str) -> Array:
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])


DRAWERS: dict[type, Callable[[Any, Any, Chart, Style, float], None]] = {
    Line: _line,
    Band: _band,
    Points: _points,
    Bars: _bars,
    Rule: _rule,
    Text: _text,
    Cells: _cells,
    Raster: _raster,
}
