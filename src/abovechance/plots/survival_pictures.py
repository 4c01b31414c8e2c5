"""Survival of cases predicted at low and at high risk, and discrimination over time."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from abovechance.format import percent, plural
from abovechance.inference import curves
from abovechance.inference.curves import Curve
from abovechance.plots.axes import spanning, unit
from abovechance.plots.chart import Chart, Layer, Points, Rule
from abovechance.plots.curve_pictures import about_bands, as_curves, drawn, taken
from abovechance.plots.plotting import picture


@picture(of=("survival", "curve:survival"), usual=("survival", "curve:survival"), report=10)
def kaplan_meier(shown: Mapping[str, Any]) -> Chart:
    """Survival by predicted risk: Kaplan–Meier curves of risk groups, censorings ticked.

    Examples
    --------
    >>> from abovechance import Survival
    >>> p = Survival([1, 2, 3, 4], [1, 1, 0, 1], risk=[4, 3, 2, 1])
    >>> [series.note for series in kaplan_meier(curves.survival(p, groups=2)).series]
    ['2 cases, 1 event', '2 cases, 2 events']
    """
    name, groups = "", dict(shown)
    first = next(iter(groups.values()))
    if not isinstance(first, Curve):
        ((name, predictions),) = groups.items()
        groups = curves.survival(predictions)
    notes = {
        group: f"{plural(c.n, 'case')}, {plural(int(c.columns['events'].sum()), 'event')}"
        for group, c in groups.items()
    }
    layers, series = drawn(
        {group: _where_it_falls(c) for group, c in groups.items()},
        ("Time", "Survival"),
        notes,
        steps=True,
    )
    ticks: list[Layer] = []
    for one, c in zip(series, groups.values(), strict=True):
        gone = c.columns["censored"] > 0
        if gone.any():
            ticks.append(
                Points(x=c.x[gone], y=c.y[gone], colour=one.colour, shape="tick", size=5.0)
            )
    level = next(iter(groups.values())).level
    return Chart(
        title="Survival by predicted risk",
        name=name,
        caption=f"Kaplan–Meier; bands are pointwise {percent(level)} intervals, ticks censorings.",
        x=spanning("Time", [0.0, max(float(c.x.max()) for c in groups.values())], room=0.0),
        y=unit("Event-free"),
        layers=(*layers, *ticks),
        series=series,
        height=0.75,
    )


def _where_it_falls(curve: Curve) -> Any:
    """The curve at its start, at the events and where observation ends: no other step is seen."""
    kept = curve.columns["events"] > 0
    kept[[0, -1]] = True
    return taken(curve, np.flatnonzero(kept))


@picture(
    of=("survival", "curve:auc_over_time"), usual=("curve:auc_over_time",), several=True, report=20
)
def auc_over_time(shown: Mapping[str, Any]) -> Chart:
    """The area under the ROC curve for events until each time."""
    models = as_curves(shown, curves.auc_over_time)
    layers, series = drawn(models, ("Time", "AUC"))
    lowest = min(float(np.nanmin(c.y if c.low is None else c.low)) for c in models.values())
    last = max(float(np.max(c.x)) for c in models.values())
    return Chart(
        title="AUC over time",
        caption=about_bands(models) + "The dashed line is chance.",
        x=spanning("Time", [0.0, last], room=0.0),
        y=unit("Area under the ROC curve")
        if lowest < 0.35
        else spanning("Area under the ROC curve", [min(lowest, 0.45), 1.0], room=0.0),
        layers=(Rule(at=0.5, axis="y", text="chance"), *layers),
        series=series,
        height=0.75,
    )
