"""Parts that pictures of curves share: lines over bands, and the numbers behind them."""

from collections.abc import Mapping

import numpy as np

from abovechance.plots.axes import spanning
from abovechance.plots.chart import Band, Chart, Layer, Line, Rule, Series, series_colour
from abovechance.plots.curves import HasCurve, fewer_steps, simple
from abovechance.plots.words import percent


def drawn(
    curves: Mapping[str, HasCurve],
    headings: tuple[str, str],
    notes: Mapping[str, str] | None = None,
    *,
    steps: bool = False,
) -> tuple[tuple[Layer, ...], tuple[Series, ...]]:
    """Bands below, lines above, and a series of numbers for each curve."""
    bands: list[Layer] = []
    lines: list[Layer] = []
    series = []
    for i, (name, curve) in enumerate(curves.items()):
        colour, shown = series_colour(i), fewer_steps(curve) if steps else simple(curve)
        if shown.low is not None and shown.high is not None:
            bands.append(
                Band(x=shown.x, low=shown.low, high=shown.high, colour=colour, steps=steps)
            )
        lines.append(Line(x=shown.x, y=shown.y, colour=colour, steps=steps))
        series.append(numbers(name, shown, headings, (notes or {}).get(name, ""), colour))
    return (*bands, *lines), tuple(series)


def numbers(
    name: str, curve: HasCurve, headings: tuple[str, str], note: str = "", colour: str = "0"
) -> Series:
    """The points of a curve as columns of a table, with their limits where they are known."""
    if curve.low is None or curve.high is None:
        return Series(
            name=name, headings=headings, columns=(curve.x, curve.y), colour=colour, note=note
        )
    return Series(
        name=name,
        headings=(*headings, "Low", "High"),
        columns=(curve.x, curve.y, curve.low, curve.high),
        colour=colour,
        note=note,
    )


def plain(
    curves: Mapping[str, HasCurve], title: str, headings: tuple[str, str], level: float
) -> Chart:
    """Curves on axes that hold them."""
    layers, series = drawn(curves, headings)
    ends = [end for c in curves.values() for end in (c.y, c.low, c.high) if end is not None]
    return Chart(
        title=title,
        caption=about_bands(curves, level),
        x=spanning(headings[0], *(c.x for c in curves.values()), room=0.0),
        y=spanning(headings[1], *ends),
        layers=(Rule(at=0.0, axis="y"), *layers),
        series=series,
    )


def diagonal() -> Line:
    """From corner to corner of a unit square."""
    ends = np.array([0.0, 1.0])
    return Line(x=ends, y=ends, colour="muted", dashed=True, thin=True)


def about_bands(curves: Mapping[str, HasCurve], level: float) -> str:
    """What the bands are, where there are any."""
    shown = any(c.low is not None for c in curves.values())
    return f"Bands are pointwise {percent(level)} intervals. " if shown else ""
