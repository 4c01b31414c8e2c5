"""Curves of predictions: ROC, precision, calibration, decisions, survival by predicted risk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.format import number, percent, plural
from abovechance.inference import curves
from abovechance.inference.curves import Curve
from abovechance.plots.chart import (
    Band,
    Chart,
    Layer,
    Line,
    Points,
    Rule,
    Series,
    kept_vertices,
    spanning,
    unit,
)
from abovechance.plots.plotting import SEED, picture
from abovechance.predictions import Binary
from abovechance.tabular import series_colour

# ----------------------------------------------------------------------------------------------
# Curves of predictions: ROC, precision and recall, calibration, net benefit, and any other.
# ----------------------------------------------------------------------------------------------


UNSEEN = 0.0015  # of the axis: what dropping a vertex may move a curve by
MOST = 64  # points of a curve, in the drawing and in the table under it
MOST_BANDS = 3  # curves that keep their bands when drawn together
MANY = 50_000  # cases beyond which groups of cases say as much as a smooth curve, at once


class HasPoints(Protocol):
    """Anything with x, y and limits of y (or None)."""

    @property
    def x(self) -> Floats: ...
    @property
    def y(self) -> Floats: ...
    @property
    def low(self) -> Floats | None: ...
    @property
    def high(self) -> Floats | None: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Path:
    """Points to draw in order, with limits where they are known."""

    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None


@picture(
    of=("binary", "curve:roc"), usual=("binary", "curve:roc"), several=True, seeded=True, report=30
)
def roc(shown: Mapping[str, Any], seed: int = SEED) -> Chart:
    """The ROC curve with its band, the area beside each name.

    Examples
    --------
    >>> from abovechance import examples
    >>> roc({"forest": examples.breast_cancer()}).series[0].note
    'AUC 0.991'
    """
    models = as_curves(shown, lambda p: curves.roc(p, rng=seed))
    headings = ("False positive rate", "True positive rate")
    layers, series = drawn(models, headings, _notes(models, "auc", "AUC"))
    return Chart(
        title="ROC curve",
        caption=about_bands(models) + "The dashed line is chance.",
        x=unit(headings[0]),
        y=unit(headings[1]),
        layers=(diagonal(), *layers),
        series=series,
        height=1.0,
    )


@picture(
    of=("binary", "curve:precision_recall"),
    usual=("curve:precision_recall",),
    several=True,
    seeded=True,
    report=40,
)
def precision_recall(shown: Mapping[str, Any], seed: int = SEED) -> Chart:
    """Precision against recall, in steps; the prevalence is the precision of calling everyone."""
    models = as_curves(shown, lambda p: curves.precision_recall(p, rng=seed))
    first = next(iter(models.values()))
    notes = _notes(models, "average_precision", "average")
    stepped = {name: _until(curve) for name, curve in models.items()}
    layers, series = drawn(stepped, ("Recall", "Precision"), notes, steps=True)
    return Chart(
        title="Precision and recall",
        caption=about_bands(models) + "The dashed line is chance.",
        x=unit("Recall (sensitivity)"),
        y=unit("Precision (positive predictive value)"),
        layers=(Rule(at=float(first.columns["chance"][0]), axis="y", text="prevalence"), *layers),
        series=series,
        height=1.0,
    )


@picture(
    of=("binary", "multiclass", "numeric", "survival", "curve:calibration"),
    usual=("curve:calibration",),
    several=True,
    report=20,
    reported=("binary", "multiclass"),
)
def calibration(shown: Mapping[str, Any]) -> Chart:
    """Observed frequencies against predicted probabilities, smooth with a band, and in groups."""
    plain = all(isinstance(p, Binary) and p.weight is None for p in shown.values())
    smooth, groups = shown, {}
    if plain and all(p.n > MANY for p in shown.values()):
        smooth = {}
        groups = as_curves(shown, lambda p: curves.calibration(p, method="binned", bins=20))
    elif plain and len(shown) == 1:
        groups = as_curves(shown, lambda p: curves.calibration(p, method="binned"))
    models = as_curves(smooth, curves.calibration)
    first = next(iter((models or groups).values()))
    notes = _notes(models or groups, "slope", "slope")
    layers, series = drawn(models, ("Predicted", "Observed"), notes)
    marks: list[Layer] = []
    for i, (name, group) in enumerate(groups.items()):
        colour = series_colour(i)
        marks.append(
            Points(x=group.x, y=group.y, low=group.low, high=group.high, colour=colour, size=7.0)
        )
        if not models:
            marks.append(Line(x=group.x, y=group.y, colour=colour, thin=True))
            note = notes.get(name, "")
            series = (*series, _series(name, group, ("Predicted", "Observed"), note, colour))
    said = about_bands(models) + "Points are groups of cases. " * bool(groups)
    return Chart(
        title="Calibration",
        caption=said + "On the dashed line predictions come true as often as they say.",
        x=unit(first.x_name),
        y=unit(first.y_name),
        layers=(diagonal(), *layers, *marks),
        series=series,
        height=1.0,
        readout="along" if models else "nearest",
    )


@picture(
    of=("binary", "curve:decision"),
    usual=("curve:decision",),
    several=True,
    seeded=True,
    report=50,
)
def decision(shown: Mapping[str, Any], seed: int = SEED) -> Chart:
    """Net benefit of acting on predictions, over the thresholds at which one would act.

    References
    ----------
    Vickers, Elkin (2006).
    """
    named = {name or "these predictions": one for name, one in shown.items()}
    models = as_curves(named, lambda p: curves.decision(p, rng=seed))
    first = next(iter(models.values()))
    everyone = simple(Path(x=first.x, y=first.columns["treat_all"]))
    headings = ("Threshold", "Net benefit")
    layers, series = drawn(models, headings)
    highest = max(float(np.nanmax(y)) for y in [*(c.y for c in models.values()), everyone.y])
    right = max(float(np.max(c.x)) for c in models.values())
    across = spanning("Threshold probability", [0.0, 1.0 if right > 0.9 else right], room=0.0)
    no_one = Line(x=np.array([0.0, right]), y=np.zeros(2), colour="ink", thin=True)
    return Chart(
        title="Decision curve",
        caption=about_bands(models) + "Dashed: act on everyone. Line at 0: act on no one.",
        x=across,
        y=spanning("Net benefit", [-0.22 * highest, 1.1 * highest], room=0.0),
        layers=(
            no_one,
            Line(x=everyone.x, y=everyone.y, colour="muted", dashed=True, thin=True),
            *layers,
        ),
        series=(*series, _series("Act on everyone", everyone, headings, "", "muted")),
        height=0.8,
    )


@picture(of=("curve",), usual=("curve",), several=True)
def curve(shown: Mapping[str, Curve]) -> Chart:
    """Any curve, or several of one kind by name, on axes that hold them."""
    first = next(iter(shown.values()))
    layers, series = drawn(shown, (first.x_name, first.y_name))
    ends = [end for c in shown.values() for end in (c.y, c.low, c.high) if end is not None]
    return Chart(
        title=first.title,
        caption=about_bands(shown),
        x=spanning(first.x_name, *(c.x for c in shown.values()), room=0.0),
        y=spanning(first.y_name, *ends),
        layers=(Rule(at=0.0, axis="y"), *layers),
        series=series,
    )


def as_curves(shown: Mapping[str, Any], made: Callable[[Any], Curve]) -> dict[str, Curve]:
    """Curves by model: as they are, or made of predictions."""
    return {name: one if isinstance(one, Curve) else made(one) for name, one in shown.items()}


def drawn(
    curves: Mapping[str, HasPoints],
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
        if len(curves) <= MOST_BANDS and shown.low is not None and shown.high is not None:
            bands.append(
                Band(x=shown.x, low=shown.low, high=shown.high, colour=colour, steps=steps)
            )
        lines.append(Line(x=shown.x, y=shown.y, colour=colour, steps=steps))
        series.append(_series(name, shown, headings, (notes or {}).get(name, ""), colour))
    return (*bands, *lines), tuple(series)


def _series(
    name: str, curve: HasPoints, headings: tuple[str, str], note: str = "", colour: str = "0"
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


def _notes(models: Mapping[str, Curve], key: str, word: str) -> dict[str, str]:
    """What the whole of each curve comes to, beside its name."""
    known = {name: c.summary[key] for name, c in models.items() if key in c.summary}
    return {name: f"{word} {number(v)}" for name, v in known.items() if np.isfinite(v)}


def diagonal() -> Line:
    """From corner to corner of a unit square."""
    ends = np.array([0.0, 1.0])
    return Line(x=ends, y=ends, colour="muted", dashed=True, thin=True)


def about_bands(curves: Mapping[str, Any]) -> str:
    """What the bands are, where there are any."""
    levels = [c.level for c in curves.values() if c.low is not None]
    if not levels:
        return ""
    if len(curves) > MOST_BANDS:
        return f"Bands of more than {MOST_BANDS} curves would hide each other and are left out. "
    return f"Bands are pointwise {percent(levels[0])} intervals. "


def simple(curve: HasPoints, tolerance: float = UNSEEN) -> Path:
    """A curve without the vertices whose absence nobody could see, limits kept at the others.

    >>> simple(Path(x=np.array([0.0, 1.0, 2.0]), y=np.array([0.0, 3.0, 6.0]))).x
    array([0., 2.])
    """
    with np.errstate(over="ignore"):
        width, height = np.ptp(curve.x) or 1.0, np.ptp(curve.y) or 1.0
    if not np.isfinite([width, height]).all():
        raise NotApplicable("the curve spans more than numbers reach; it cannot be drawn.")
    return taken(curve, kept_vertices(curve.x / width, curve.y / height, tolerance, MOST))


def fewer_steps(curve: HasPoints, most: int = MOST) -> Path:
    """A step function with at most so many steps, evenly spaced among them: too small to be seen.

    >>> fewer_steps(Path(x=np.arange(9.0), y=np.arange(9.0)), 3).x
    array([0., 4., 8.])
    """
    size = len(curve.x)
    return taken(
        curve, np.unique(np.rint(np.linspace(0, size - 1, min(size, most))).astype(np.int64))
    )


def taken(curve: HasPoints, kept: Array) -> Path:
    """Some points of a curve."""
    return Path(
        x=curve.x[kept],
        y=curve.y[kept],
        low=None if curve.low is None else curve.low[kept],
        high=None if curve.high is None else curve.high[kept],
    )


def _until(curve: HasPoints) -> Path:
    """A curve whose values hold up to their place, as one whose values hold from it."""

    def held(values: Floats) -> Floats:
        return np.concatenate([values, values[-1:]])

    return Path(
        x=np.concatenate([[0.0], curve.x]),
        y=held(curve.y),
        low=None if curve.low is None else held(curve.low),
        high=None if curve.high is None else held(curve.high),
    )


# ----------------------------------------------------------------------------------------------
# Survival of cases predicted at low and at high risk, and discrimination over time.
# ----------------------------------------------------------------------------------------------


@picture(
    of=("survival", "curve:survival"), usual=("survival", "curve:survival"), report=10, cases=True
)
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
