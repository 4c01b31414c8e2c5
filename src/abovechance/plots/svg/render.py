"""A chart as a fragment of HTML; the page supplies style sheet and colours."""

from markupsafe import Markup

from abovechance.plots.chart import Chart
from abovechance.plots.svg.layers import shape
from abovechance.plots.svg.marks import unseen
from abovechance.plots.svg.places import SIZE, across, down
from abovechance.plots.svg.words import axis_words, layer_words, left_room
from abovechance.plots.text import shown

PAGE = Markup(
    '<div class="plot{rows}" role="img" aria-label="{label}" style="--left:{left:.3g}em;{size}">'
    '<div class="frame">'
    '<svg viewBox="0 0 {s} {s}" preserveAspectRatio="none" aria-hidden="true">'
    "{grid}{shapes}{marks}</svg>{words}</div>"
    '<span class="xtitle"><bdi>{title}</bdi></span></div>'
)


def render(chart: Chart) -> Markup:
    """Draw a chart as HTML and inline SVG.

    >>> from abovechance import examples
    >>> from abovechance.plots import chart_of
    >>> render(chart_of(examples.breast_cancer(), "roc")).count('data-s="0"')
    1
    """
    nothing = Markup("")
    label = f"{chart.title}: {chart.name}" if chart.name else chart.title
    return PAGE.format(
        rows=" by-rows" if chart.rows else "",
        label=shown(label),
        left=left_room(chart.y),
        size=f"--rows:{chart.rows:g}" if chart.rows else f"--wide:{1 / chart.height:.3g}",
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
