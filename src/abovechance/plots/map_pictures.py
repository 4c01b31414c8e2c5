"""Pictures of maps: cuts, courses over time, planes of two times; glass brains."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable, missing_extra, shown
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


# ----------------------------------------------------------------------------------------------
# Maps of a group as nilearn draws them: through a glass brain, and over a template.
# ----------------------------------------------------------------------------------------------


LOW, HIGH = (-100.0, -135.0, -85.0), (100.0, 105.0, 115.0)
"""Millimetres within which a brain in MNI space lies, with room for a mask that is too wide."""

SHARPNESS = 120  # dots per inch
COLOURS = {"z": "standard deviations from what combinations give", "log10_p": "−log10 p"}


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A picture that another library has drawn: what it shows, and its dots as PNG."""

    title: str
    caption: str
    png: bytes


def glass_brain(result: Any, *, name: str = "z", rejected: bool = True, **options: Any) -> Any:
    """A group map seen through a transparent brain, drawn by nilearn.

    Parameters
    ----------
    result
        What `group_maps` returns.
    name
        Which of its maps.
    rejected
        Whether to show the rejected centres alone.
    **options
        For `nilearn.plotting.plot_glass_brain`.

    Returns
    -------
    nilearn.plotting.displays.OrthoProjector
        What nilearn has drawn.

    Raises
    ------
    FileError
        If nilearn is not installed.
    NotApplicable
        If there is no such map, or its centres are not those of a volume.

    See Also
    --------
    plot : cuts through the volume, without nilearn.

    Examples
    --------
    >>> glass_brain(found).savefig("brain.png")  # doctest: +SKIP
    """
    if not _of_a_volume(result):
        raise NotApplicable(
            "a glass brain needs what group_maps returns for images; got "
            f"{'centres that are not in a volume' if hasattr(result, 'maps') else shown(result)}."
        )
    if find_spec("nilearn") is None:
        raise missing_extra("to draw a glass brain", "nilearn", "neuro")
    from nilearn.plotting import plot_glass_brain

    from abovechance.maps.images import image_of

    values = np.where(result.rejected, result[name], 0.0) if rejected else result[name]
    own = {"colorbar": True, "threshold": 1e-9, **options}  # what is 0 is not drawn
    return plot_glass_brain(image_of(result.geometry, values), **own)


def brain_drawings(result: Any) -> list[Drawing]:
    """The rejected centres of a volume in a glass brain and over a template; none without nilearn.

    A brain is drawn only where all centres lie as far out as one in MNI space can.
    """
    if find_spec("nilearn") is None or find_spec("matplotlib") is None:
        return []
    if not _of_a_volume(result) or not result.rejected.any():
        return []
    geometry = result.geometry
    if not _may_be_in_mni_space(geometry.coordinates):
        return []
    from matplotlib.figure import Figure
    from nilearn import __version__
    from nilearn.plotting import plot_stat_map

    from abovechance.maps.images import image_of

    name = "z" if "z" in result.maps else "log10_p"
    heights = np.where(result.rejected, result[name], 0.0)
    top = float(heights.max())
    shown = {"vmin": 0.0, "vmax": top, "cmap": "inferno", "symmetric_cbar": False}
    about = (
        f"Centres rejected at level {result.alpha:g} ({result.control}); colours: {COLOURS[name]}."
    )
    by = f"drawn by nilearn {__version__}; wrong for maps that are not in MNI space."
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what nilearn thinks of its own settings
        figure = Figure(figsize=(9.0, 3.1))
        glass_brain(result, name=name, figure=figure, vmin=0.0, vmax=top, cmap="inferno")
        found.append(
            Drawing(
                title="Glass brain",
                caption=f"{about} The highest along each line of sight, {by}",
                png=_dots(figure),
            )
        )
        figure, peak = Figure(figsize=(9.0, 3.1)), int(np.argmax(heights))
        place = tuple(float(at) for at in geometry.coordinates[peak])
        image = image_of(geometry, heights)
        plot_stat_map(image, cut_coords=place, figure=figure, threshold=1e-9, **shown)
        found.append(
            Drawing(
                title="Slices through the highest centre",
                caption=f"{about} Over the MNI152 template, {by}",
                png=_dots(figure),
            )
        )
    return found


def _of_a_volume(result: Any) -> bool:
    """Whether it is a group map of which images can be made."""
    geometry = getattr(result, "geometry", None)
    return hasattr(result, "rejected") and getattr(geometry, "affine", None) is not None


def _may_be_in_mni_space(coordinates: Floats) -> bool:
    return bool((coordinates >= LOW).all() and (coordinates <= HIGH).all())


def _dots(figure: Any) -> bytes:
    """A figure as PNG, without the time at which it was made."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=SHARPNESS, metadata={"Software": None})
    return file.getvalue()
