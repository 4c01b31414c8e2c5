"""Posterior densities with their central intervals, as in the balanced accuracy's paper."""

from typing import Any

import numpy as np

from abovechance.plots.axes import spanning
from abovechance.plots.chart import Axis, Band, Chart, Layer, Line, Rule, Series, series_colour
from abovechance.plots.curves import named
from abovechance.plots.words import between, number, percent

POINTS = 161


def posterior(
    posteriors: Any,
    *,
    chance: float | None = None,
    level: float = 0.95,
    title: str = "Posterior density",
) -> Chart:
    """Densities of one posterior, or of several by name, their central intervals filled.

    Anything with `pdf` and `ppf` can be drawn. `chance` is marked when given.

    References
    ----------
    Brodersen et al. (2010), figures 1 and 2.

    Examples
    --------
    >>> from scipy.stats import beta
    >>> posterior({"accuracy": beta(46, 3)}, chance=0.5).series[0].note
    '0.945, 95% 0.857 to 0.987'
    """
    found = named(posteriors)
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = _extent(list(found.values()), chance)
    layers: list[Layer] = []
    series = []
    top = 0.0
    for i, (name, one) in enumerate(found.items()):
        colour = series_colour(i)
        inner = np.asarray(one.ppf(ends), dtype=np.float64)
        x = np.unique(np.concatenate([np.linspace(low, high, POINTS), inner]))
        density = _finite(np.asarray(one.pdf(x), dtype=np.float64))
        top = max(top, float(density.max()))
        inside = (x >= inner[0]) & (x <= inner[1])
        zero = np.zeros(int(inside.sum()))
        layers.append(Band(x=x[inside], low=zero, high=density[inside], colour=colour, solid=True))
        layers.append(Line(x=x, y=density, colour=colour))
        median = float(one.ppf(0.5))
        series.append(
            Series(
                name=name,
                headings=("Value", "Density"),
                columns=(x, density),
                colour=colour,
                note=f"{number(median)}, {percent(level)} {between(*inner)}",
            )
        )
    if chance is not None:
        layers.append(Rule(at=chance, text="chance"))
    return Chart(
        title=title,
        caption=f"Filled: central {percent(level)} of each posterior.",
        x=spanning("Value", [low, high], room=0.0),
        y=Axis(title="Density", low=0.0, high=top * 1.12, ticks=(), grid=False),
        layers=tuple(layers),
        series=tuple(series),
        height=0.62,
    )


def _extent(posteriors: list[Any], chance: float | None) -> tuple[float, float]:
    """Where nearly all of the mass is, chance included, within the support when it is known."""
    low = min(float(one.ppf(0.0005)) for one in posteriors)
    high = max(float(one.ppf(0.9995)) for one in posteriors)
    if chance is not None:
        low, high = min(low, chance), max(high, chance)
    room = 0.06 * (high - low)
    floor = 0.0 if low >= 0 else -np.inf
    ceiling = 1.0 if high <= 1 else np.inf
    return max(low - room, floor), min(high + room, ceiling)


def _finite(density: Any) -> Any:
    """A density infinite at an end is drawn as high as the highest finite value."""
    known = density[np.isfinite(density)]
    return np.where(np.isfinite(density), density, known.max(initial=1.0))
