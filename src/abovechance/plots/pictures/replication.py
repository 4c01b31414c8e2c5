"""A published study again: every statistic on its line, the paper's values marked."""

from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.plots.axes import rows, unit
from abovechance.plots.chart import Chart, Layer, Points, Series, series_colour
from abovechance.plots.contract import contract
from abovechance.plots.tests_asked import power_limits
from abovechance.plots.words import as_float


def replication(result: Any) -> Chart:
    """Power of every statistic at every effect, as the papers draw it.

    Upright marks are the published values or, where there are none, the formula's.

    Examples
    --------
    >>> cell = {"statistic": "sd", "n": 40, "effect": 0.5, "power": 0.9, "se": 0.02}
    >>> replication({"cells": [{**cell, "reference": 1.0}]}).y.labels
    ('sd',)
    """
    facts = contract(result)
    cells = [c for c in facts.get("cells") or () if c.get("power") is not None]
    if not cells:
        raise NotApplicable("the result holds no power to show.")
    several = len({c["n"] for c in cells}) > 1
    names = list(dict.fromkeys(_name(c, several) for c in cells))
    effects = list(dict.fromkeys(c["effect"] for c in cells))
    layers: list[Layer] = []
    series = []
    known: list[tuple[Any, float]] = []
    for i, effect in enumerate(effects):
        mine = [c for c in cells if c["effect"] == effect]
        places = np.array(
            [
                len(names) - 1 - names.index(_name(c, several)) + _aside(i, len(effects))
                for c in mine
            ]
        )
        layers += _marks(mine, places, series_colour(i))
        known += [
            (c, place)
            for c, place in zip(mine, places.tolist(), strict=True)
            if c.get("reference") is not None
        ]
        series.append(
            Series(
                name=f"effect {effect:.3g}",
                headings=("Statistic", "Power", "Published or known"),
                columns=(
                    [_name(c, several) for c in mine],
                    [as_float(c["power"]) for c in mine],
                    [as_float(c.get("reference")) for c in mine],
                ),
                colour=series_colour(i),
                place=(np.array([as_float(c["power"]) for c in mine]), places),
            )
        )
    if known:
        values = np.array([as_float(c["reference"]) for c, _ in known])
        series.append(
            Series(
                name="published or known",
                headings=("Statistic", "Power"),
                columns=([_name(c, several) for c, _ in known], values),
                colour="ink",
                place=(values, np.array([place for _, place in known])),
            )
        )
    return Chart(
        title=str(facts.get("title") or "Power").split(":")[0],
        caption="Points with 95% Monte-Carlo limits; upright marks are published or known values.",
        x=unit("Power"),
        y=rows(names),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        rows=1.1 * len(names) + 0.5,
    )


def _name(cell: Any, several: bool) -> str:
    return f"{cell['statistic']}, n = {cell['n']}" if several else str(cell["statistic"])


def _aside(number: int, count: int) -> float:
    """How far off the middle of a line the marks of one effect stand."""
    return (0.5 - (number + 0.5) / count) * 0.6


def _marks(cells: list[Any], places: Any, colour: str) -> list[Layer]:
    power = np.array([as_float(c["power"]) for c in cells])
    low, high = np.array([power_limits(c) for c in cells]).T
    known = [i for i, c in enumerate(cells) if c.get("reference") is not None]
    return [
        Points(
            x=np.array([as_float(cells[i]["reference"]) for i in known]),
            y=places[known],
            colour="ink",
            shape="tick",
            size=5.0,
        ),
        Points(
            x=power,
            y=places,
            left=low,
            right=high,
            colour=colour,
            size=6.0,
        ),
    ]
