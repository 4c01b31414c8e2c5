"""A group map in few numbers: peaks and clusters for tables, cuts and courses for pictures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.maps.error_control import Clustered
from abovechance.maps.subject_map import Geometry, SubjectMap
from abovechance.numerics.map_arithmetic import Adjacent, clusters

# ----------------------------------------------------------------------------------------------
# The places that a table names: peaks, and clusters.
# ----------------------------------------------------------------------------------------------


APART = 8.0  # mm between peaks of one cluster of a volume, at least
EACH = 3  # peaks of a cluster at most
MOST = 40  # peaks that are listed
STRONGEST = 5  # centres that are listed where nothing is rejected


@dataclass(frozen=True, kw_only=True)
class Peak:
    """A centre that is higher than its neighbours: where it lies, and its p-values.

    `size` is the number of rejected centres that hang together with it; 0 where it is not rejected.
    """

    at: tuple[float, ...]
    name: str
    centre: int
    size: int
    statistic: float
    effect: float
    z: float | None
    p_value: float
    p_maximum: float
    p_bh: float
    p_by: float
    p_tfce: float | None
    p_cluster: float | None
    prevalence: float | None
    rejected: bool


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Centres beyond the threshold that hang together: how many, where, and how rare by chance.

    `p_familywise` is of the largest cluster of a combination, `p_discovery` of all clusters of all
    combinations, adjusted for false discoveries.
    """

    cluster: int
    size: int
    at: tuple[float, ...]
    z: float
    p_familywise: float
    p_discovery: float


def peaks_of(
    values: Mapping[str, Floats], geometry: Geometry, adjacent: Adjacent
) -> tuple[Peak, ...]:
    """The peaks of every cluster of rejected centres, highest first.

    Where nothing is rejected, the strongest centres, so that a reader sees what came nearest.
    """
    height = values.get("z", values["statistic"])
    rejected = values["rejected"] > 0
    if not rejected.any():
        order = np.lexsort((-height, values["p"]))[:STRONGEST]
        return tuple(_peak(int(v), 0, values, geometry) for v in order)
    label = clusters(rejected, adjacent)
    sizes = np.bincount(label)
    found: list[int] = []
    taken = np.zeros(len(sizes), dtype=np.int64)
    for v in _local_maxima(height, rejected, adjacent):
        here = label[v]
        if taken[here] >= EACH or not _apart(v, found, geometry, label):
            continue
        taken[here] += 1
        found.append(int(v))
    return tuple(_peak(v, int(sizes[label[v]]), values, geometry) for v in found[:MOST])


def _local_maxima(height: Floats, inside: Bools, adjacent: Adjacent) -> Iterator[int]:
    """Centres that none of their neighbours exceeds, highest first."""
    for v in np.argsort(-height, kind="stable"):
        near = adjacent.neighbours[adjacent.starts[v] : adjacent.starts[v + 1]]
        if inside[v] and np.all(height[near] <= height[v]):
            yield int(v)


def _apart(v: int, others: list[int], geometry: Geometry, label: Ints) -> bool:
    same = [other for other in others if label[other] == label[v]]
    if not same or geometry.unit != "mm":
        return not same or geometry.shape is None or len(geometry.shape) == 1
    away = geometry.coordinates[same] - geometry.coordinates[v]
    return bool(np.sqrt((away**2).sum(axis=1)).min() >= APART)


def _peak(v: int, size: int, values: Mapping[str, Floats], geometry: Geometry) -> Peak:
    def given(name: str) -> float | None:
        return float(values[name][v]) if name in values else None

    return Peak(
        at=tuple(float(c) for c in geometry.coordinates[v]),
        name=geometry.names[v] if geometry.names else "",
        centre=v,
        size=size,
        statistic=float(values["statistic"][v]),
        effect=float(values["effect"][v]),
        z=given("z"),
        p_value=float(values["p"][v]),
        p_maximum=float(values["p_maximum"][v]),
        p_bh=float(values["p_bh"][v]),
        p_by=float(values["p_by"][v]),
        p_tfce=given("p_tfce"),
        p_cluster=given("p_cluster"),
        prevalence=given("prevalence"),
        rejected=bool(values["rejected"][v]),
    )


def clusters_found(
    found: Clustered, values: Mapping[str, Floats], geometry: Geometry
) -> tuple[Cluster, ...]:
    """The largest clusters, each with its highest centre."""
    rows = []
    for number in range(1, min(len(found.sizes), MOST) + 1):
        members = np.flatnonzero(found.label == number)
        top = int(members[np.argmax(values["z"][members])])
        rows.append(
            Cluster(
                cluster=number,
                size=int(found.sizes[number - 1]),
                at=tuple(float(c) for c in geometry.coordinates[top]),
                z=float(values["z"][top]),
                p_familywise=float(found.p_familywise[number - 1]),
                p_discovery=float(found.p_discovery[number - 1]),
            )
        )
    return tuple(rows)


# ----------------------------------------------------------------------------------------------
# What pictures need, kept in the JSON: cuts, a course over time, a plane.
# ----------------------------------------------------------------------------------------------


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
