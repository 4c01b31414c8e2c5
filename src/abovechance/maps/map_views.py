"""What pictures of a group map need of it, kept in its JSON: cuts, a course over time, a plane."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.maps.subject_map import Geometry, SubjectMap

DIGITS = 3
LEVEL = 0.95
"""Of the band around the mean over subjects."""


def view_of(
    values: Mapping[str, Floats],
    geometry: Geometry,
    maps: Sequence[SubjectMap],
    critical: Floats | None,
) -> dict[str, Any] | None:
    """What is to be seen, by the kind of grid; None of centres that are on none."""
    if geometry.shape is None or geometry.indices is None:
        return None
    makers = {1: _course, 2: _plane, 3: _cuts}
    make = makers.get(len(geometry.shape))
    return None if make is None else make(values, geometry, maps, critical)


def _shown(values: Mapping[str, Floats]) -> tuple[str, Floats]:
    """The map that is drawn: in standard deviations where there are such."""
    name = "z" if "z" in values else "log10_p"
    return name, values[name]


def _cuts(
    values: Mapping[str, Floats],
    geometry: Geometry,
    maps: Sequence[SubjectMap],
    critical: Floats | None,
) -> dict[str, Any]:
    """Three cuts through the highest centre, as seen from the right, the front and above."""
    assert geometry.shape is not None
    assert geometry.indices is not None
    name, height = _shown(values)
    peak = np.unravel_index(int(geometry.indices[np.argmax(height)]), geometry.shape)
    volume = geometry.as_volume(height.astype(np.float64), np.nan)
    found = geometry.as_volume(values["rejected"], 0.0)
    affine = np.eye(4) if geometry.affine is None else geometry.affine
    world = _world_axes(affine)
    planes = []
    for axis in np.argsort(world):  # first the cut across x, then y, then z
        across, up = (i for i in np.argsort(world) if i != axis)
        at: list[Any] = [slice(None)] * 3
        at[axis] = int(peak[axis])
        order = (0, 1) if across < up else (1, 0)
        cut, inside = (one[tuple(at)].transpose(order) for one in (volume, found))
        edges = {}
        for word, i in (("across", across), ("up", up)):
            ends = _along(affine, world, peak, i, geometry.shape[i])
            if ends[0] > ends[1]:
                flip = 0 if word == "across" else 1
                cut, inside = np.flip(cut, flip), np.flip(inside, flip)
            edges[word] = {
                "axis": geometry.axes[world[i]],
                "low": float(min(ends)),
                "high": float(max(ends)),
            }
        place = affine[:3, :3] @ np.array(peak) + affine[:3, 3]
        planes.append(
            {
                "axis": geometry.axes[world[axis]],
                "at": float(place[world[axis]]),
                **edges,
                "values": _rounded(cut.T),
                "rejected": (inside.T > 0).astype(int).tolist(),
            }
        )
    return {"view": "cuts", "map": name, "unit": geometry.unit, "planes": planes}


def _world_axes(affine: Floats) -> Array:
    """Which axis of the world each axis of the grid runs along, nearest by; each once."""
    steepness = np.abs(affine[:3, :3])
    found = np.full(3, -1)
    for _ in range(3):
        world, axis = np.unravel_index(int(np.argmax(steepness)), (3, 3))
        found[axis] = world
        steepness[world, :], steepness[:, axis] = -1, -1
    return found


def _along(affine: Floats, world: Array, peak: Any, axis: int, size: int) -> tuple[float, float]:
    """Where the first and the last cell along an axis of the grid lie in the world."""
    place = np.array(peak, dtype=np.float64)
    ends = []
    for at in (0, size - 1):
        place[axis] = at
        ends.append(float((affine[:3, :3] @ place + affine[:3, 3])[world[axis]]))
    return ends[0], ends[1]


def _rounded(values: Array) -> list[list[float | None]]:
    """Rows of numbers, None where there is no centre."""
    return [[None if np.isnan(one) else round(float(one), DIGITS) for one in row] for row in values]


def _course(
    values: Mapping[str, Floats],
    geometry: Geometry,
    maps: Sequence[SubjectMap],
    critical: Floats | None,
) -> dict[str, Any]:
    """The mean over subjects along the row, its band, and what it would have to exceed."""
    from scipy.special import stdtrit

    observed = np.array([one.observed for one in maps], dtype=np.float64)
    mean, n = observed.mean(axis=0), len(observed)
    half = stdtrit(n - 1, (1 + LEVEL) / 2) * observed.std(axis=0, ddof=1) / np.sqrt(n)
    by_chance = maps[0].chance
    none = mean - values["effect"] if by_chance is None else np.full(len(mean), by_chance)
    return {
        "view": "course",
        "axis": geometry.axes[0],
        "unit": geometry.unit,
        "x": geometry.coordinates[:, 0].tolist(),
        "mean": mean.tolist(),
        "low": (mean - half).tolist(),
        "high": (mean + half).tolist(),
        "level": LEVEL,
        "by_chance": none.tolist(),
        "critical": None if critical is None else critical.tolist(),
        "rejected": (values["rejected"] > 0).astype(int).tolist(),
    }


def _plane(
    values: Mapping[str, Floats],
    geometry: Geometry,
    maps: Sequence[SubjectMap],
    critical: Floats | None,
) -> dict[str, Any]:
    """The mean over subjects in a plane of two times."""
    first, second = (np.unique(geometry.coordinates[:, i]) for i in (0, 1))
    mean = np.asarray(np.mean([one.observed for one in maps], axis=0, dtype=np.float64))
    return {
        "view": "plane",
        "axes": list(geometry.axes),
        "unit": geometry.unit,
        "low": [float(first[0]), float(second[0])],
        "high": [float(first[-1]), float(second[-1])],
        "chance": maps[0].chance,
        "values": _rounded(geometry.as_volume(mean, np.nan)),
        "rejected": geometry.as_volume(values["rejected"], 0.0).astype(int).tolist(),
    }
