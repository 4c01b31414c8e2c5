"""Arithmetic on maps: combinations, counts against a bar, clusters, support of neighbourhoods.

A map is a row of values, one per place. Places that touch are given as the two arrays of a
compressed sparse row matrix: the neighbours of v are neighbours[starts[v]:starts[v + 1]].
"""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import worthwhile

LOOPS = "map_loops"
LEVELS = 10_000  # steps of a support-enhanced map at most; higher values count as the last


class Adjacent(NamedTuple):
    """Which places touch."""

    starts: Ints
    neighbours: Ints

    @property
    def places(self) -> int:
        """How many places there are."""
        return len(self.starts) - 1


# ----------------------------------------------------------------------------------------------
# Combinations of maps, and what a reader of many of them keeps.
# ----------------------------------------------------------------------------------------------


def added(
    maps: Array,
    rows: Ints,
    signs: Floats,
    shift: Floats,
    scale: Floats,
    *,
    fast: bool | None = None,
) -> Floats:
    """The sum of the maps that each draw names, with signs, less `shift`, times `scale`.

    >>> maps = np.array([[1.0, 2.0], [3.0, 5.0]], dtype=np.float32)
    >>> rows, signs = np.array([[0, 1], [1, 1]]), np.ones((2, 2))
    >>> added(maps, rows, signs, np.zeros(2), np.ones(2)).tolist()
    [[4.0, 7.0], [6.0, 10.0]]
    """
    size = rows.size * maps.shape[1]
    if fast if fast is not None else worthwhile(size, module=LOOPS):
        from abovechance.numerics.kernels import map_loops

        out = np.empty((len(rows), maps.shape[1]))
        map_loops.added(maps, rows, signs, shift, scale, out)
        return out
    total = np.zeros((len(rows), maps.shape[1]))
    for k in range(rows.shape[1]):
        total += signs[:, k, None] * maps[rows[:, k]].astype(np.float64)
    return np.asarray((total - shift) * scale)


def smallest(maps: Array, rows: Ints, *, fast: bool | None = None) -> Floats:
    """The smallest value at each place among the maps that each draw names."""
    size = rows.size * maps.shape[1]
    if fast if fast is not None else worthwhile(size, module=LOOPS):
        from abovechance.numerics.kernels import map_loops

        out = np.empty((len(rows), maps.shape[1]))
        map_loops.smallest(maps, rows, out)
        return out
    least = maps[rows[:, 0]].astype(np.float64)
    for k in range(1, rows.shape[1]):
        np.minimum(least, maps[rows[:, k]], out=least)
    return least


class Counted(NamedTuple):
    """What is kept of many maps (B, V): how often each place reached its bar, highest values."""

    exceed: Ints
    top: Floats
    largest: Floats


def counted(values: Floats, bar: Floats, kept: int, *, fast: bool | None = None) -> Counted:
    """How many maps reach the bar at each place, the `kept` highest there, the highest of a map.

    >>> found = counted(np.array([[1.0, 5.0], [3.0, 4.0]]), np.array([2.0, 4.0]), 1)
    >>> found.exceed.tolist(), found.top.tolist(), found.largest.tolist()
    ([1, 2], [[3.0, 5.0]], [5.0, 4.0])
    """
    places = values.shape[1]
    if fast if fast is not None else worthwhile(values.size, module=LOOPS):
        from abovechance.numerics.kernels import map_loops

        exceed, top = np.zeros(places, dtype=np.int64), np.full((kept, places), -np.inf)
        largest = np.empty(len(values))
        map_loops.counted(values, bar, exceed, top, largest)
        return Counted(exceed, top, largest)
    return Counted(
        np.count_nonzero(values >= bar, axis=0), highest(values, kept), values.max(axis=1)
    )


def highest(values: Floats, kept: int) -> Floats:
    """The highest values of each column, falling; −∞ where there are fewer.

    >>> highest(np.array([[1.0], [3.0], [2.0]]), 2).ravel().tolist()
    [3.0, 2.0]
    """
    missing = max(kept - len(values), 0)
    padded = np.concatenate([values, np.full((missing, values.shape[1]), -np.inf)])
    if not kept:
        return padded[:0]
    found = np.partition(padded, len(padded) - kept, axis=0)[len(padded) - kept :]
    return np.asarray(np.sort(found, axis=0)[::-1])


# ----------------------------------------------------------------------------------------------
# Clusters: places above a bar that hang together.
# ----------------------------------------------------------------------------------------------


def clusters(inside: Bools, adjacent: Adjacent) -> Ints:
    """The number of the cluster of each place, 1 for the largest; 0 outside.

    >>> line = Adjacent(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]))
    >>> clusters(np.array([True, False, True, True]), line).tolist()
    [2, 0, 1, 1]
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    found = np.zeros(len(inside), dtype=np.int64)
    chosen = np.flatnonzero(inside)
    if not chosen.size:
        return found
    ones = np.ones(len(adjacent.neighbours), dtype=np.int8)
    graph = csr_matrix((ones, adjacent.neighbours, adjacent.starts), shape=(len(inside),) * 2)
    _, label = connected_components(graph[chosen][:, chosen], directed=False)
    sizes = np.bincount(label)
    # equal sizes in the order of their first places, which connected_components keeps
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(1, len(sizes) + 1)
    found[chosen] = rank[label]
    return found


def cluster_sizes(
    values: Floats, bar: Floats, adjacent: Adjacent, *, fast: bool | None = None
) -> tuple[Ints, Ints]:
    """How many clusters of each size lie above the bar in all maps, and the largest of each."""
    places = values.shape[1]
    histogram = np.zeros(places + 1, dtype=np.int64)
    largest = np.zeros(len(values), dtype=np.int64)
    if fast if fast is not None else worthwhile(values.size, module=LOOPS):
        from abovechance.numerics.kernels import map_loops

        map_loops.cluster_sizes(values, bar, *adjacent, histogram, largest)
        return histogram, largest
    for i, one in enumerate(values):
        sizes = np.bincount(clusters(one > bar, adjacent))[1:]
        np.add.at(histogram, sizes, 1)
        largest[i] = sizes.max(initial=0)
    return histogram, largest


# ----------------------------------------------------------------------------------------------
# Threshold-free cluster enhancement: every height that a place reaches counts, the more the
# larger the cluster that reaches it.
# ----------------------------------------------------------------------------------------------


def enhanced(
    values: Floats,
    adjacent: Adjacent,
    *,
    step: float = 0.1,
    extent: float = 0.5,
    height: float = 2.0,
    fast: bool | None = None,
) -> Floats:
    r"""Maps (B, V) by the support of their neighbourhoods, above 0 only.

    .. math:: \sum_{l=1}^{\lfloor z_v/\Delta \rfloor} e_v(l\Delta)^E (l\Delta)^H \Delta

    with :math:`e_v(h)` the size of the cluster of places at or above h that v is in.

    References
    ----------
    Smith & Nichols (2009), eq. 1, as a sum with a fixed step.

    Examples
    --------
    >>> line = Adjacent(np.array([0, 1, 2]), np.array([1, 0]))
    >>> enhanced(np.array([[1.0, 2.0]]), line, step=1.0).round(3).tolist()
    [[1.414, 5.414]]
    """
    places = values.shape[1]
    most = int(min(np.floor(max(float(values.max(initial=0.0)), 0.0) / step), LEVELS))
    weight = np.arange(places + 1, dtype=np.float64) ** extent
    heights = (np.arange(most + 1) * step) ** height * step
    out = np.zeros(values.shape)
    if fast if fast is not None else worthwhile(values.size, module=LOOPS):
        from abovechance.numerics.kernels import map_loops

        map_loops.enhanced(values, step, weight, heights, *adjacent, out)
        return out
    level = np.clip(np.floor(values / step), 0, most).astype(np.int64)
    for i in range(len(values)):
        for now in range(most, 0, -1):
            label = clusters(level[i] >= now, adjacent)
            size = np.bincount(label)[label]
            out[i] += np.where(label > 0, weight[size] * heights[now], 0.0)
    return out
