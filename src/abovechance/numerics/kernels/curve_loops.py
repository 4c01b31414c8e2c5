"""Compiled local regressions of cases that count several times, as bootstrap samples have them.

The loops follow `numerics.smooth.loess`, which says what is computed, on the cases as often as they
count, in ascending order.
"""

import math

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.numerics.kernels import compiled, compiled_sums

DEGREE = 2
CELL = 0.2
MARGIN = 0.005
SINGULAR = 1e-20


@compiled
def curves(
    x: Floats, y: Ints, order: Ints, counts: Ints, span: float, found: Floats, plain: Bools
) -> None:
    """Curves of several classes at every case, as often as it counts: `found` (classes, cases).

    `x` (classes, n) ascending, `y` the class of every case and `order` which case each place is.
    Classes with too few distinct values for a curve are marked as `plain`.
    """
    n, size = counts.size, found.shape[1]
    start = np.zeros(n, dtype=np.int64)  # where the copies of a case stand
    for i in range(1, n):
        start[i] = start[i - 1] + counts[i - 1]
    value, outcome = np.empty(size), np.empty(size)
    u, weight = np.empty(size), np.empty(size)
    vertices, fits = np.empty(size + 2), np.empty((size + 2, 2))
    for k in range(x.shape[0]):
        distinct, m = 0, 0
        for j in range(n):
            case = order[k, j]
            times = counts[case]
            if times > 0:
                if m == 0 or value[m - 1] != x[k, j]:
                    distinct += 1
                own = 1.0 if y[case] == k else 0.0
                for _ in range(times):
                    value[m], outcome[m] = x[k, j], own
                    m += 1
        plain[k] = distinct <= DEGREE + 1
        if plain[k]:
            continue
        many = _vertices(value, math.floor(size * span * CELL), vertices)
        nearest = max(1, min(size, math.floor(size * span + 1e-5)))
        for v in range(many):
            h = _distance(value, vertices[v], nearest) * max(1.0, math.sqrt(span))
            _fit(value, outcome, vertices[v], h, u, weight, fits[v])
        cell, last, level = 0, np.nan, 0.0
        for j in range(n):
            case = order[k, j]
            if counts[case] == 0:
                continue
            at = x[k, j]
            if at != last:
                while cell < many - 2 and vertices[cell + 1] <= at:
                    cell += 1
                level, last = _blended(vertices, fits, cell, at), at
            for copy in range(counts[case]):
                found[k, start[case] + copy] = level


@compiled
def _vertices(x: Floats, few: int, vertices: Floats) -> int:
    """Borders of cells that hold at most `few` cases, ascending; how many there are."""
    n = x.size
    margin = MARGIN * (x[n - 1] - x[0])
    vertices[0], vertices[1] = x[0] - margin, x[n - 1] + margin
    many = 2
    firsts, lasts = np.empty(n + 2, dtype=np.int64), np.empty(n + 2, dtype=np.int64)
    firsts[0], lasts[0] = 0, n - 1
    waiting = 1
    while waiting > 0:
        waiting -= 1
        first, last = firsts[waiting], lasts[waiting]
        if last - first + 1 <= few:
            continue
        cut = _median(x, first, last)
        if cut < 0:
            continue
        known = False
        for v in range(many):
            known = known or vertices[v] == x[cut]
        if known:
            continue
        vertices[many] = x[cut]
        many += 1
        firsts[waiting], lasts[waiting] = first, cut
        firsts[waiting + 1], lasts[waiting + 1] = cut + 1, last
        waiting += 2
    vertices[:many].sort()
    return many


@compiled
def _median(x: Floats, first: int, last: int) -> int:
    """The last case of the lower half, among ties the nearest place of a change; -1 for none."""
    middle = (first + last + 2) // 2 - 1
    above = middle
    while above < last and x[above] == x[above + 1]:
        above += 1
    below = middle - 1
    while below >= first and x[below] == x[below + 1]:
        below -= 1
    if above >= last and below < first:
        return -1
    cut = above
    if above >= last or (below >= first and middle - below < above - middle):
        cut = below
    if cut < middle and 2 * middle - cut >= last:
        return -1
    return cut


@compiled
def _distance(x: Floats, vertex: float, nearest: int) -> float:
    """How far the q-th nearest case lies from a vertex."""
    many = x.size - nearest + 1
    low, high = 0, many
    while low < high:
        middle = (low + high) // 2
        if x[middle] + x[middle + nearest - 1] < 2.0 * vertex:
            low = middle + 1
        else:
            high = middle
    at = min(low, many - 1)
    before = max(at - 1, 0)
    return min(
        max(vertex - x[at], x[at + nearest - 1] - vertex),
        max(vertex - x[before], x[before + nearest - 1] - vertex),
    )


@compiled_sums
def _fit(
    x: Floats, y: Floats, v: float, h: float, u: Floats, weight: Floats, found: Floats
) -> None:
    """Value and slope at v of a polynomial through the cases around it."""
    low, high = v - h, v + h
    start = np.searchsorted(x, low, side="left")
    stop = np.searchsorted(x, high, side="right")
    n = stop - start
    near, outcome = x[start:stop], y[start:stop]
    if h == 0.0:
        for i in range(n):
            u[i], weight[i] = 0.0, 1.0
    else:
        for i in range(n):
            u[i] = (near[i] - v) / h
            kernel = max(1.0 - abs(u[i] * u[i] * u[i]), 0.0)
            weight[i] = kernel * kernel * kernel
    first, last = 0, n - 1  # those of no weight stand at the ends
    if n and not weight[:n].any():  # all are tied at the edge: the nearest count alike
        closest = np.abs(u[:n]).min()
        for i in range(n):
            weight[i] = 1.0 if abs(u[i]) == closest else 0.0
    while first < n and not weight[first] > 0.0:
        first += 1
    while last > first and not weight[last] > 0.0:
        last -= 1
    found[0], found[1] = np.nan, np.nan
    if first >= n:
        return
    changes = 0
    for i in range(first, last):
        if near[i] != near[i + 1]:
            changes += 1
            if changes == DEGREE:
                break
    zeroth, sum_u, sum_uu, fourth, sum_y = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        square = u[i] * u[i]
        zeroth += weight[i]
        sum_u += weight[i] * u[i]
        sum_uu += weight[i] * square
        fourth += weight[i] * square * square
        sum_y += weight[i] * outcome[i]
    found[0], found[1] = sum_y / zeroth, 0.0
    if changes < 1:
        _per_unit(found, h)
        return
    centre = sum_u / zeroth
    length, sum_uu_q, sum_y_q = 0.0, 0.0, 0.0
    for i in range(n):
        q = u[i] - centre
        weighted = weight[i] * q
        length += weighted * q
        sum_uu_q += weighted * u[i] * u[i]
        sum_y_q += weighted * outcome[i]
    if length <= SINGULAR * sum_uu:
        _per_unit(found, h)
        return
    found[0] -= centre / length * sum_y_q
    found[1] += sum_y_q / length
    if changes < 2:
        _per_unit(found, h)
        return
    level, tilt = sum_uu / zeroth, sum_uu_q / length
    length, sum_y_q = 0.0, 0.0
    for i in range(n):
        q = u[i] * u[i] - level - tilt * (u[i] - centre)
        weighted = weight[i] * q
        length += weighted * q
        sum_y_q += weighted * outcome[i]
    if length > SINGULAR * fourth:
        found[0] += (tilt * centre - level) / length * sum_y_q
        found[1] -= tilt / length * sum_y_q
    _per_unit(found, h)


@compiled
def _per_unit(found: Floats, h: float) -> None:
    """A slope by the width of its neighbourhood as one by units."""
    if h > 0.0:
        found[1] /= h


@compiled
def _blended(vertices: Floats, fits: Floats, cell: int, at: float) -> float:
    """The cubic between two vertices that has their values and slopes."""
    width = vertices[cell + 1] - vertices[cell]
    u = (at - vertices[cell]) / width
    return (
        fits[cell, 0] * ((1.0 - u) ** 2 * (1.0 + 2.0 * u))
        + fits[cell + 1, 0] * (u**2 * (3.0 - 2.0 * u))
        + fits[cell, 1] * (u * (1.0 - u) ** 2 * width)
        + fits[cell + 1, 1] * (-(u**2) * (1.0 - u) * width)
    )
