"""The words of a chart: at the marks of its axes, and at places within it."""

from typing import Any

from markupsafe import Markup

from abovechance.plots.axes import mark_labels
from abovechance.plots.chart import Axis, Cells, Chart, Points, Rule, Text
from abovechance.plots.svg.places import percent
from abovechance.plots.text import shown

NOTHING = Markup("")
LETTER = 0.58  # mean width of a letter, in em
WIDEST = 16.0  # em, of the labels on the left


def axis_words(chart: Chart) -> Markup:
    """What stands at the marks of both axes, and over the vertical one."""
    title = NOTHING
    if chart.y.title:
        title = Markup('<span class="ytitle"><bdi>{}</bdi></span>').format(shown(chart.y.title))
    return title + NOTHING.join(
        Markup('<span class="{}" style="{}:{}"><bdi>{}</bdi></span>').format(
            kind, side, percent(axis.share(at)), shown(text)
        )
        for axis, kind, side in ((chart.x, "xt", "left"), (chart.y, "yt", "bottom"))
        for at, text in zip(axis.ticks, mark_labels(axis), strict=True)
    )


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
                layer.colour, percent(chart.x.share(x)), percent(chart.y.share(y))
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
    return _word(chart, layer.at, chart.y.high, layer.text, f"{side} below")


def _word(chart: Chart, x: float, y: float, text: str, kind: str) -> Markup:
    return Markup('<span class="word {}" style="left:{};bottom:{}"><bdi>{}</bdi></span>').format(
        kind, percent(chart.x.share(x)), percent(chart.y.share(y)), shown(text)
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
                    percent((j + 0.5) / columns),
                    percent(1 - (i + 0.5) / rows),
                    layer.texts[i][j],
                    Markup("<small>{}</small>").format(note) if note else "",
                )
            )
    return NOTHING.join(found)
