"""Survival of cases predicted at low and at high risk, and discrimination over time."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.plots.axes import spanning, unit
from abovechance.plots.chart import Chart, Layer, Points, Rule
from abovechance.plots.curves import named
from abovechance.plots.pictures.lines import about_bands, drawn
from abovechance.plots.risk_groups import RiskGroup
from abovechance.plots.words import percent, plural


def kaplan_meier(groups: Sequence[RiskGroup], *, name: str = "", level: float = 0.95) -> Chart:
    """Kaplan–Meier curves of the cases in groups of predicted risk, censorings ticked."""
    curves = {g.name: g.curve for g in groups}
    notes = {g.name: f"{plural(g.n, 'case')}, {plural(g.events, 'event')}" for g in groups}
    layers, series = drawn(curves, ("Time", "Survival"), notes, steps=True)
    ticks: list[Layer] = [
        Points(x=g.censored.x, y=g.censored.y, colour=series[i].colour, shape="tick", size=5.0)
        for i, g in enumerate(groups)
        if g.censored.x.size
    ]
    latest = max(float(g.curve.x.max()) for g in groups)
    return Chart(
        title="Survival by predicted risk",
        name=name,
        caption=f"Kaplan–Meier; bands are pointwise {percent(level)} intervals, ticks censorings.",
        x=spanning("Time", [0.0, latest], room=0.0),
        y=unit("Event-free"),
        layers=(*layers, *ticks),
        series=series,
        height=0.75,
    )


def auc_over_time(curves: Any, *, level: float = 0.95) -> Chart:
    """The area under the ROC curve for events until each time.

    `curves` have times as x and areas as y, of one model or of several by name.
    """
    found = named(curves)
    layers, series = drawn(found, ("Time", "AUC"))
    lowest = min(float(np.nanmin(c.y if c.low is None else c.low)) for c in found.values())
    last = max(float(np.max(c.x)) for c in found.values())
    return Chart(
        title="AUC over time",
        caption=about_bands(found, level) + "The dashed line is chance.",
        x=spanning("Time", [0.0, last], room=0.0),
        y=unit("Area under the ROC curve")
        if lowest < 0.35
        else spanning("Area under the ROC curve", [min(lowest, 0.45), 1.0], room=0.0),
        layers=(Rule(at=0.5, axis="y", text="chance"), *layers),
        series=series,
        height=0.75,
    )
