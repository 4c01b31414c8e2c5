"""How often a test would find what is there, against the number of cases or the effect."""

from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.plots.axes import spanning, unit
from abovechance.plots.chart import SERIES, Chart, Line, Points, Rule, Series, series_colour
from abovechance.plots.contract import contract
from abovechance.plots.pictures.replication import replication
from abovechance.plots.tests_asked import assumed, power_limits, test_title
from abovechance.plots.words import as_float

USUAL = 0.8
TITLES = {"n": "Number of cases", "effect": "Effect"}


def power(result: Any, *, target: float | None = USUAL) -> Chart:
    """Power of each statistic with its Monte-Carlo error; the usual 80 % is marked.

    Drawn against the number of cases when that varies, else against the effect. Where both vary
    and lines would be too many to tell apart, every test has a line of text as in `replication`.

    Examples
    --------
    >>> cell = {"statistic": "auc", "n": 20, "effect": 0.5, "power": 0.2, "se": 0.01}
    >>> power({"cells": [cell, {**cell, "n": 80, "power": 0.7}]}).x.title
    'Number of cases'
    """
    cells = [c for c in contract(result).get("cells") or () if c.get("power") is not None]
    if not cells:
        raise NotApplicable("the result holds no power to show.")
    along = "n" if len({c.get("n") for c in cells}) > 1 else "effect"
    if any(c.get(along) is None for c in cells):
        raise NotApplicable("power is drawn against the number of cases or the effect; see n=.")
    other = "effect" if along == "n" else "n"
    several = len({c.get(other) for c in cells}) > 1
    groups: dict[str, list[Any]] = {}
    for cell in cells:
        name = test_title(cell)
        if several:
            name += f", {TITLES[other].lower()} {cell.get(other)}"
        groups.setdefault(name, []).append(cell)
    if len(groups) > SERIES:
        return replication(result)
    layers: list[Any] = []
    if target is not None:
        layers.append(Rule(at=target, axis="y", text=f"{target:.0%}"))
    series = []
    for i, (name, mine) in enumerate(groups.items()):
        mine.sort(key=lambda c: float(c[along]))
        x = np.array([float(c[along]) for c in mine])
        y = np.array([as_float(c["power"]) for c in mine])
        low, high = np.array([power_limits(c) for c in mine]).T
        colour = series_colour(i)
        layers += [
            Line(x=x, y=y, colour=colour),
            Points(x=x, y=y, low=low, high=high, colour=colour, size=6.0),
        ]
        series.append(
            Series(
                name=name,
                headings=(TITLES[along], "Power", "Low", "High"),
                columns=(x, y, low, high),
                colour=colour,
            )
        )
    return Chart(
        title="Power",
        caption="Share of samples in which the test rejects; bars are 95% Monte-Carlo limits."
        f"{assumed(contract(result))}",
        x=spanning(TITLES[along], [c[along] for c in cells]),
        y=unit("Power"),
        layers=tuple(layers),
        series=tuple(series),
        height=0.75,
    )
