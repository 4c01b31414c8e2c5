"""Pictures of maps: cuts through a volume, courses over time, planes of two times; null maps."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.format import as_float, number, percent
from abovechance.inference.contract import contract
from abovechance.plots.chart import (
    Axis,
    Band,
    Chart,
    Layer,
    Line,
    Points,
    Raster,
    Series,
    Text,
    spanning,
)
from abovechance.plots.plotting import picture

GAP = 0.12  # between cuts, as a share of the widest
SHOWN = {"z": "standard deviations of the combinations", "log10_p": "−log10 p"}


def _view(result: Any, kind: str, what: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    facts = contract(result)
    view = facts.get("view") or {}
    if view.get("view") != kind:
        raise NotApplicable(f"{what} needs centres that lie in one; these do not.")
    return facts, view


def _matrix(rows: Any) -> Floats:
    return np.array([[as_float(one) for one in row] for row in rows], dtype=np.float64)


def _layers(values: Floats, rejected: Floats, full: float, **edges: Any) -> list[Layer]:
    """All centres faintly, those rejected in full colour; what lies below nought is palest."""
    scaled = values / full if full > 0 else 0.0 * values
    shade = np.clip(scaled, 0.0, 1.0)
    found: list[Layer] = [
        Raster(shade=np.where(rejected > 0, np.nan, shade), colour="0", faint=True, **edges)
    ]
    if (rejected > 0).any():
        found.append(Raster(shade=np.where(rejected > 0, shade, np.nan), colour="1", **edges))
    return found


def _peaks(facts: Mapping[str, Any]) -> Series:
    """The numbers behind a picture: where the peaks lie and how high they are."""
    geometry, peaks = facts["geometry"], facts["peaks"]
    columns = [[float(peak["at"][i]) for peak in peaks] for i in range(len(geometry["axes"]))]
    return Series(
        name="Rejected" if any(peak["rejected"] for peak in peaks) else "Strongest centres",
        headings=(
            *(f"{axis} ({geometry['unit']})" for axis in geometry["axes"]),
            "z",
            "p, maximum",
        ),
        columns=(
            *columns,
            [as_float(peak["z"]) for peak in peaks],
            [as_float(peak["p_maximum"]) for peak in peaks],
        ),
        colour="1",
    )


@picture(of=("group_maps",), usual=("group_maps",), report=10)
def slices(result: Any) -> Chart:
    """Three cuts through the highest centre of a volume, with the centres rejected.

    Examples
    --------
    >>> import abovechance as ac
    >>> made = ac.maps.simulate_subjects(3, voxel=16, rng=1)
    >>> maps = [ac.searchlight(one, made.labels, mask=made.mask, radius=16, draws=20, rng=1)
    ...         for one in made.images]
    >>> slices(ac.group_maps(maps, draws=99, rng=1)).title
    'Cuts through the highest centre'
    """
    facts, view = _view(result, "cuts", "a picture of slices")
    made = [_matrix(plane["values"]) for plane in view["planes"]]
    top = max(float(np.nanmax(values, initial=0.0)) for values in made)
    unit = view["unit"]
    both = list(zip(view["planes"], made, strict=True))
    wide = max(_size(plane["across"], values.shape[1]) for plane, values in both)
    tall = max(_size(plane["up"], values.shape[0]) for plane, values in both)
    layers: list[Layer] = []
    left = 0.0
    for plane, values in both:
        width, height = _size(plane["across"], values.shape[1]), _size(plane["up"], values.shape[0])
        edges = {"left": left, "right": left + width, "bottom": 0.0, "top": height}
        layers += _layers(values, _matrix(plane["rejected"]), top, **edges)
        at = f"{plane['axis']} = {plane['at']:g} {unit}".replace("-", "−")
        layers.append(Text(x=left + width / 2, y=tall * 1.03, text=at))
        left += width + GAP * wide
    right = left - GAP * wide
    return Chart(
        title="Cuts through the highest centre",
        caption=f"Shades: {SHOWN[view['map']]}, from 0 (palest) to {number(top, 1)}. In the second "
        f"colour the centres that are rejected at level {facts['alpha']:g} "
        f"({facts['control']}). To the right: {_sides(view, 'across')}; upwards: "
        f"{_sides(view, 'up')}, each from its lowest coordinate.",
        x=Axis(title="", low=0.0, high=right, grid=False),
        y=Axis(title="", low=0.0, high=tall * 1.15, grid=False),
        layers=tuple(layers),
        series=(_peaks(facts),),
        readout="none",
        height=float(np.clip(tall * 1.15 / right, 0.2, 1.2)),
    )


def _sides(view: Mapping[str, Any], word: str) -> str:
    return ", ".join(str(plane[word]["axis"]) for plane in view["planes"])


def _size(side: Mapping[str, Any], cells: int) -> float:
    """How long a side is, from the outer edge of the first cell to that of the last."""
    return (side["high"] - side["low"]) * cells / (cells - 1) if cells > 1 else 1.0


@picture(of=("group_maps",), usual=("group_maps",), report=11)
def time_course(result: Any) -> Chart:
    """The mean over subjects along time with its band, and what it would have to exceed."""
    facts, view = _view(result, "course", "a time course")
    x, mean = np.array(view["x"]), np.array(view["mean"])
    low, high, none = (np.array(view[name]) for name in ("low", "high", "by_chance"))
    found = np.array(view["rejected"]) > 0
    layers: list[Layer] = [
        Band(x=x, low=low, high=high, colour="0"),
        Line(x=x, y=none, colour="muted", dashed=True, thin=True),
    ]
    limit = None if view["critical"] is None else np.array([as_float(v) for v in view["critical"]])
    if limit is not None:
        layers.append(Line(x=x, y=limit, colour="1", dashed=True, thin=True))
    layers.append(Line(x=x, y=mean, colour="0"))
    if found.any():
        layers.append(Points(x=x[found], y=mean[found], colour="1", size=5.0))
    named = facts.get("statistic_title") or facts.get("statistic") or "Statistic"
    columns: list[Any] = [x, mean, low, high]
    return Chart(
        title="Time course",
        caption=f"Mean over {facts['n']} subjects with its {percent(view['level'])} band; dashed: "
        "chance, and in the second colour what the mean must exceed somewhere by chance in "
        f"{percent(facts['alpha'])} of cases. Dots: rejected ({facts['control']}).",
        x=spanning(f"{str(view['axis']).capitalize()} ({view['unit']})", x, room=0.0),
        y=spanning(str(named), low, high, none, limit),
        layers=tuple(layers),
        series=(
            Series(
                name="Mean over subjects",
                headings=(str(view["axis"]), "mean", "low", "high"),
                columns=tuple(columns),
            ),
        ),
        legend=False,
    )


@picture(of=("group_maps",), usual=("group_maps",), report=12)
def generalisation(result: Any) -> Chart:
    """Means over subjects for every time of training and of testing, with those rejected."""
    facts, view = _view(result, "plane", "a generalisation matrix")
    values, rejected = _matrix(view["values"]), _matrix(view["rejected"])
    base = as_float(view["chance"]) if view.get("chance") is not None else float(np.nanmin(values))
    top = float(np.nanmax(values)) - base
    (first, second), (last, end) = view["low"], view["high"]
    up, along = (
        (last - first) / max(values.shape[0] - 1, 1) / 2,
        (end - second) / max(values.shape[1] - 1, 1) / 2,
    )
    edges = {"left": second - along, "right": end + along, "bottom": first - up, "top": last + up}
    trained, tested = (f"{str(axis).capitalize()} ({view['unit']})" for axis in view["axes"])
    return Chart(
        title="Generalisation over time",
        caption=f"Mean over {facts['n']} subjects, from {number(base)} (palest) to "
        f"{number(base + top)}. In the second colour what is rejected at level "
        f"{facts['alpha']:g} ({facts['control']}).",
        x=spanning(tested, [edges["left"], edges["right"]], room=0.0),
        y=spanning(trained, [edges["bottom"], edges["top"]], room=0.0),
        layers=tuple(_layers(values - base, rejected, top, **edges)),
        series=(_peaks(facts),),
        readout="none",
        height=1.0,
    )


# ----------------------------------------------------------------------------------------------
# One subject's map beside its null maps: over time, and over all centres.
# ----------------------------------------------------------------------------------------------


@picture(of=("subject_map",), usual=("subject_map",), report=10)
def centres_reached(result: Any) -> Chart:
    """The share of centres that reach each value, in a subject's map and in its null maps."""
    facts = contract(result)
    return _beside_null(
        facts["reached"],
        "value",
        title="Centres that reach a value",
        across=str(facts["title"]),
        up="Share of centres",
        caption="Line: the subject's map. Band: nine in ten of its null maps, dashed their median. "
        "A line that leaves the band to the right has more high values than chance draws.",
    )


@picture(of=("subject_map",), report=11)
def subject_course(result: Any) -> Chart:
    """A subject's statistic along time, and where nine in ten permutations lie."""
    facts = contract(result)
    if facts.get("course") is None:
        raise NotApplicable("a course needs centres in a row, as of times; these are not.")
    geometry = facts["geometry"]
    return _beside_null(
        facts["course"],
        "at",
        title="Course of a subject",
        across=f"{str(geometry['axes'][0]).capitalize()} ({geometry['unit']})",
        up=str(facts["title"]),
        caption="Line: the subject's values. Band: nine in ten permutations at each point alone, "
        "dashed their median; over all points some values leave it by chance.",
    )


def _beside_null(
    columns: Any, along: str, *, title: str, across: str, up: str, caption: str
) -> Chart:
    named = (along, "observed", "low", "null", "high")
    x, seen, low, middle, high = (np.array(columns[name], dtype=float) for name in named)
    return Chart(
        title=title,
        caption=caption,
        x=spanning(across, x, room=0.0),
        y=spanning(up, seen, low, high),
        layers=(
            Band(x=x, low=low, high=high, colour="muted"),
            Line(x=x, y=middle, colour="muted", dashed=True, thin=True),
            Line(x=x, y=seen, colour="0"),
        ),
        series=(Series(name="Map", headings=named, columns=(x, seen, low, middle, high)),),
        legend=False,
    )
