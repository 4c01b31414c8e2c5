"""Curves of a binary prediction: ROC, precision and recall, calibration, net benefit."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from abovechance.plots.axes import spanning, unit
from abovechance.plots.chart import Chart, Layer, Line, Points, Rule, series_colour
from abovechance.plots.curves import HasCurve, named, simple
from abovechance.plots.pictures.lines import about_bands, diagonal, drawn, numbers


def roc(curves: Any, *, notes: Mapping[str, str] | None = None, level: float = 0.95) -> Chart:
    """The ROC curve of one model, or of several by name; `notes` stand beside the names.

    Examples
    --------
    >>> from abovechance import examples
    >>> from abovechance.plots.curves import roc_points
    >>> len(roc({"forest": roc_points(examples.breast_cancer())}).series[0])
    25
    """
    found = named(curves)
    headings = ("False positive rate", "True positive rate")
    layers, series = drawn(found, headings, notes)
    return Chart(
        title="ROC curve",
        caption=about_bands(found, level) + "The dashed line is chance.",
        x=unit(headings[0]),
        y=unit(headings[1]),
        layers=(diagonal(), *layers),
        series=series,
        height=1.0,
    )


def precision_recall(
    curves: Any,
    prevalence: float,
    *,
    notes: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> Chart:
    """Precision against recall, in steps; the prevalence is the precision of calling everyone."""
    found = named(curves)
    layers, series = drawn(found, ("Recall", "Precision"), notes, steps=True)
    return Chart(
        title="Precision and recall",
        caption=about_bands(found, level) + "The dashed line is chance.",
        x=unit("Recall (sensitivity)"),
        y=unit("Precision (positive predictive value)"),
        layers=(Rule(at=prevalence, axis="y", text="prevalence"), *layers),
        series=series,
        height=1.0,
    )


def calibration(
    curves: Any = None,
    groups: Any = None,
    *,
    notes: Mapping[str, str] | None = None,
    level: float = 0.95,
    titles: tuple[str, str] = ("Predicted probability", "Observed frequency"),
) -> Chart:
    """How often the outcome was observed among cases with a given predicted probability.

    `curves` are smooth lines with bands, `groups` the frequencies in bins of cases; either may
    be missing.
    """
    smooth = {} if curves is None else named(curves)
    binned = {} if groups is None else named(groups)
    headings = ("Predicted", "Observed")
    layers, series = drawn(smooth, headings, notes)
    marks: list[Layer] = []
    for i, (name, group) in enumerate(binned.items()):
        colour = series_colour(i)
        limits = {"low": group.low, "high": group.high}
        marks.append(Points(x=group.x, y=group.y, colour=colour, size=7.0, **limits))
        if not smooth:
            marks.append(Line(x=group.x, y=group.y, colour=colour, thin=True))
            note = (notes or {}).get(name, "")
            series = (*series, numbers(name, group, headings, note, colour))
    said = about_bands(smooth, level) + "Points are groups of cases. " * bool(binned)
    return Chart(
        title="Calibration",
        caption=said + "On the dashed line predictions come true as often as they say.",
        x=unit(titles[0]),
        y=unit(titles[1]),
        layers=(diagonal(), *layers, *marks),
        series=series,
        height=1.0,
        readout="along" if smooth else "nearest",
    )


def decision(
    curves: Any,
    everyone: HasCurve,
    *,
    notes: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> Chart:
    """Net benefit of acting on predictions, over the thresholds at which one would act.

    `everyone` is the net benefit of acting on all cases alike.

    References
    ----------
    Vickers, Elkin (2006).
    """
    found = {name or "these predictions": curve for name, curve in named(curves).items()}
    headings = ("Threshold", "Net benefit")
    layers, series = drawn(found, headings, notes)
    highest = max(float(np.nanmax(c.y)) for c in [*found.values(), everyone])
    right = max(float(np.max(c.x)) for c in found.values())
    across = spanning("Threshold probability", [0.0, 1.0 if right > 0.9 else right], room=0.0)
    no_one = Line(x=np.array([0.0, right]), y=np.zeros(2), colour="ink", thin=True)
    alike = simple(everyone)
    return Chart(
        title="Decision curve",
        caption=about_bands(found, level) + "Dashed: act on everyone. Line at 0: act on no one.",
        x=across,
        y=spanning("Net benefit", [-0.22 * highest, 1.1 * highest], room=0.0),
        layers=(
            no_one,
            Line(x=alike.x, y=alike.y, colour="muted", dashed=True, thin=True),
            *layers,
        ),
        series=(*series, numbers("Act on everyone", alike, headings, "", "muted")),
        height=0.8,
    )
