"""Maps of many places combined, counted, cut into clusters and enhanced by their support.

Every loop adds in the order of its plain form in `numerics/map_arithmetic.py`, to the last bit.
"""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled

TILE = 2048  # places whose sums stay in the fastest memory while maps are added


@compiled
def added(maps: Any, rows: Any, signs: Any, shift: Any, scale: Any, out: Any) -> None:
    """`out` (B, V): the sum of the maps that each draw names, from `shift`, times `scale`."""
    draws, parts = rows.shape
    places = maps.shape[1]
    for start in range(0, places, TILE):
        stop = min(start + TILE, places)
        for g in range(draws):
            for v in range(start, stop):
                out[g, v] = 0.0
            for k in range(parts):
                row, sign = rows[g, k], signs[g, k]
                for v in range(start, stop):
                    out[g, v] += sign * np.float64(maps[row, v])
            for v in range(start, stop):
                out[g, v] = (out[g, v] - shift[v]) * scale[v]


@compiled
def smallest(maps: Any, rows: Any, out: Any) -> None:
    """`out` (B, V): the smallest of the maps that each draw names."""
    draws, parts = rows.shape
    places = maps.shape[1]
    for start in range(0, places, TILE):
        stop = min(start + TILE, places)
        for g in range(draws):
            for v in range(start, stop):
                out[g, v] = maps[rows[g, 0], v]
            for k in range(1, parts):
                row = rows[g, k]
                for v in range(start, stop):
                    if maps[row, v] < out[g, v]:
                        out[g, v] = maps[row, v]


@compiled
def counted(values: Any, bar: Any, count: Any, top: Any, largest: Any) -> None:
    """Count the values (B, V) that reach the bar, keep the highest of each place and of each draw.

    `top` (C, V) holds the C highest so far of each place, falling; `largest` is one per draw.
    """
    draws, places = values.shape
    kept = top.shape[0]
    for g in range(draws):
        highest = -np.inf
        for v in range(places):
            value = values[g, v]
            if value >= bar[v]:
                count[v] += 1
            if value > highest:
                highest = value
            if kept > 0 and value > top[kept - 1, v]:
                i = kept - 1
                while i > 0 and top[i - 1, v] < value:
                    top[i, v] = top[i - 1, v]
                    i -= 1
                top[i, v] = value
        largest[g] = highest


@compiled
def cluster_sizes(
    values: Any, bar: Any, starts: Any, neighbours: Any, histogram: Any, largest: Any
) -> None:
    """Sizes of the clusters of places above the bar in each draw.

    `histogram[s]` counts the clusters of s places; `largest` has the size of the largest per draw.
    """
    draws, places = values.shape
    waiting = np.empty(places, dtype=np.int64)
    inside = np.zeros(places, dtype=np.bool_)
    for g in range(draws):
        for v in range(places):
            inside[v] = values[g, v] > bar[v]
        most = 0
        for seed in range(places):
            if not inside[seed]:
                continue
            inside[seed] = False
            waiting[0] = seed
            size, done = 1, 0
            while done < size:
                v = waiting[done]
                done += 1
                for j in range(starts[v], starts[v + 1]):
                    other = neighbours[j]
                    if inside[other]:
                        inside[other] = False
                        waiting[size] = other
                        size += 1
            histogram[size] += 1
            most = max(most, size)
        largest[g] = most


@compiled
def enhanced(
    values: Any, step: float, extent: Any, height: Any, starts: Any, neighbours: Any, out: Any
) -> None:
    """`out` (B, V): values enhanced by the support that their neighbourhoods give.

    Places join in falling order of their level, the number of steps that their value holds;
    clusters are kept as trees whose roots know their sizes. `extent[s]` is the weight of s places,
    `height[l]` that of level l; levels above the last are as the last.
    """
    draws, places = values.shape
    last = height.shape[0] - 1
    level = np.empty(places, dtype=np.int64)
    parent, size = np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64)
    order = np.empty(places, dtype=np.int64)
    begin = np.empty(last + 2, dtype=np.int64)
    for g in range(draws):
        begin[:] = 0
        for v in range(places):
            out[g, v] = 0.0
            at = np.floor(values[g, v] / step)
            level[v] = 0 if at < 1.0 else (last if at > last else int(at))
            parent[v] = -1
            begin[last - level[v]] += 1
        total = 0
        for i in range(last + 1):  # where the places of each level begin, highest first
            here = begin[i]
            begin[i] = total
            total += here
        begin[last + 1] = total
        for v in range(places):
            order[begin[last - level[v]]] = v
            begin[last - level[v]] += 1
        active = 0
        for now in range(last, 0, -1):
            while active < places and level[order[active]] == now:
                _join(order[active], starts, neighbours, parent, size)
                active += 1
            for i in range(active):
                v = order[i]
                out[g, v] += extent[size[_root(v, parent)]] * height[now]


@compiled
def _join(v: int, starts: Any, neighbours: Any, parent: Any, size: Any) -> None:
    """Make a place part of the clusters that it touches."""
    parent[v], size[v] = v, 1
    for j in range(starts[v], starts[v + 1]):
        other = neighbours[j]
        if parent[other] < 0:
            continue
        a, b = _root(v, parent), _root(other, parent)
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]


@compiled
def _root(v: int, parent: Any) -> int:
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v
