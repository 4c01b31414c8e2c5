"""The places of a group map that a table names: peaks, and clusters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.maps.error_control import Clustered
from abovechance.maps.subject_map import Geometry
from abovechance.numerics.map_arithmetic import Adjacent, clusters

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
