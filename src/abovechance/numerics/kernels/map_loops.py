"""Loops for maps: a statistic in many neighbourhoods of columns, and arithmetic on whole maps.

First neighbourhoods, all labellings of one side by side.

Columns are rows here, so that what belongs to a voxel lies together; `members[starts[s]:
starts[s + 1]]` are the columns of neighbourhood s. Labellings are the last axis, which fills vector
registers.
"""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled, compiled_sums


@compiled_sums
def diagonal_parts(
    Z: Any, d: Any, inverse: Any, c: float, starts: Any, members: Any, squared: Any, trace: Any
) -> None:
    """Sums of squared differences and traces (S, B) of Srivastava and Du's statistic.

    `Z` (V, n) are centred columns of length one, `d` (V, B) their differences of means, `inverse`
    (V, B) one over the share 1 - c d² of their scatter that is within groups. Correlations within
    groups are those of all rows less a matrix of rank one, so the trace of their square is a sum
    over pairs of columns of products that only the pair and the labelling know.
    """
    batch, n = d.shape[1], Z.shape[1]
    most = _largest(starts)
    columns = np.empty((most, n))
    inv, weighted = np.empty((most, batch)), np.empty((most, batch))
    first, second = np.empty((most, batch)), np.empty((most, batch))
    for s in range(starts.size - 1):
        begin, k = starts[s], starts[s + 1] - starts[s]
        total, sums = trace[s], squared[s]
        for b in range(batch):
            total[b] = 0.0
            sums[b] = 0.0
        for i in range(k):
            one = members[begin + i]
            for j in range(n):
                columns[i, j] = Z[one, j]
            for b in range(batch):
                inv[i, b] = inverse[one, b]
                weighted[i, b] = inverse[one, b] * d[one, b]
                sums[b] += weighted[i, b] * d[one, b]
        correlations = np.dot(columns[:k], columns[:k].T)
        np.dot(correlations, weighted[:k], second[:k])
        for i in range(k):
            for j in range(k):
                correlations[i, j] *= correlations[i, j]
        np.dot(correlations, inv[:k], first[:k])
        for i in range(k):
            for b in range(batch):
                total[b] += inv[i, b] * first[i, b] - 2.0 * c * weighted[i, b] * second[i, b]
        for b in range(batch):
            total[b] += (c * sums[b]) ** 2


@compiled_sums
def _largest(starts: Any) -> int:
    """Of how many columns the largest neighbourhood is."""
    most = 0
    for s in range(starts.size - 1):
        most = max(most, starts[s + 1] - starts[s])
    return most


@compiled_sums
def discriminants(
    Z: Any,
    labels: Any,
    folds: Any,
    starts: Any,
    members: Any,
    lost: float,
    least: float,
    tie: float,
    accuracy: Any,
    doubtful: Any,
) -> None:
    """Accuracies (S, B) of linear discriminants in folds that are the same for all labellings.

    Rows are in the order of their folds: fold v is `folds[v]:folds[v + 1]`. `Z` (V, n) are centred
    columns of length one and `labels` (n, B) zeros and ones. Leaving a fold t out changes the
    fitted values of least squares by H[:, t] r with (I - H[t, t]) r = residuals of t, whatever the
    labels, so a fold of a neighbourhood is factored once. `doubtful` (S, B) are labellings with a
    fold whose training rows may have a within-class covariance with an eigenvalue below `least`.
    """
    n, batch = labels.shape
    most = _largest(starts)
    A, V, column = np.empty((most, most)), np.empty((most, n)), np.empty(most)
    G, B, H = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    fitted, r, inside = np.empty((n, batch)), np.empty((n, batch)), np.empty(batch)
    s1, ones, right = np.empty(batch), np.zeros(batch), np.empty(batch)
    above, below, n1, n0 = np.empty(batch), np.empty(batch), np.empty(batch), np.empty(batch)
    for i in range(n):
        for b in range(batch):
            ones[b] += labels[i, b]
    for s in range(starts.size - 1):
        k = starts[s + 1] - starts[s]
        accuracy[s] = 0.0
        doubtful[s] = False
        eigenvalue = 0.0
        if k <= n - 2:
            eigenvalue = _hat(Z, members[starts[s] : starts[s + 1]], A, V, column, H)
        if eigenvalue <= least:
            doubtful[s] = True
            continue
        floor = least / eigenvalue
        np.dot(H, labels, fitted)
        s1[:] = 0.0
        for i in range(n):
            for b in range(batch):
                s1[b] += labels[i, b] * fitted[i, b]
        for v in range(folds.size - 1):
            begin, m = folds[v], folds[v + 1] - folds[v]
            for i in range(m):
                for j in range(i + 1):
                    B[i, j] = -H[begin + i, begin + j]
                B[i, i] += 1.0
            smallest = _factored(B, m)
            if smallest <= 0.0:
                doubtful[s] = True
                break
            _inverted(B, m, G)
            widest = 0.0
            for i in range(m):
                widest += G[i, i]
            for b in range(batch):
                above[b] = s1[b]
                below[b] = ones[b] - s1[b]
                n1[b] = ones[b]
                n0[b] = n - ones[b]
                right[b] = 0.0
            for i in range(m):
                for b in range(batch):
                    r[i, b] = 0.0
                    inside[b] = 0.0
                whole = 0.0
                for j in range(m):
                    other, g, h = begin + j, G[i, j], H[begin + i, begin + j]
                    whole += h
                    for b in range(batch):
                        r[i, b] += g * (labels[other, b] - fitted[other, b])
                        inside[b] += h * labels[other, b]
                for b in range(batch):
                    y, f = labels[begin + i, b], fitted[begin + i, b]
                    above[b] -= r[i, b] * (f - inside[b]) + y * f
                    below[b] -= r[i, b] * (1.0 - f - whole + inside[b]) + (1.0 - y) * f
                    n1[b] -= y
                    n0[b] -= 1.0 - y
            for b in range(batch):
                train = n1[b] + n0[b]
                if n1[b] < 1.0 or n0[b] < 1.0 or train < 3.0:
                    doubtful[s, b] = True
                    continue
                high, low = above[b] / n1[b], below[b] / n0[b]
                left = 1.0 - (high - low)
                if smallest * left <= floor and left / widest <= floor:
                    doubtful[s, b] = True
                    continue
                unit = left * (n1[b] * n0[b] / train) / (train - lost)
                # log-odds above the tie are 0-1 outcomes less residuals above this
                inside[b] = 0.5 * (high + low) + unit * (tie - np.log(n1[b] / n0[b]))
            for i in range(m):
                for b in range(batch):
                    y = labels[begin + i, b]
                    chosen = 1.0 if y - r[i, b] > inside[b] else 0.0
                    right[b] += 1.0 - abs(chosen - y)
            for b in range(batch):
                accuracy[s, b] += right[b] / m
        for b in range(batch):
            accuracy[s, b] /= folds.size - 1


@compiled_sums
def _hat(Z: Any, members: Any, A: Any, V: Any, column: Any, H: Any) -> float:
    """The hat matrix of some columns with an intercept; a number below their least eigenvalue."""
    n, k = Z.shape[1], members.size
    for i in range(k):
        for j in range(n):
            V[i, j] = Z[members[i], j]
    correlations = np.dot(V[:k], V[:k].T)
    for i in range(k):
        for j in range(i + 1):
            A[i, j] = correlations[i, j]
    if _factored(A, k) <= 0.0:
        return 0.0
    widest = 0.0
    for j in range(k):
        for i in range(j, k):
            value = 1.0 if i == j else 0.0
            for q in range(j, i):
                value -= A[i, q] * column[q]
            column[i] = value * A[i, i]
            widest += column[i] * column[i]
    for i in range(k):
        for j in range(i):
            for q in range(n):
                V[i, q] -= A[i, j] * V[j, q]
        for q in range(n):
            V[i, q] *= A[i, i]
    product = np.dot(V[:k].T, V[:k])
    for i in range(n):
        for j in range(n):
            H[i, j] = product[i, j] + 1.0 / n
    return 1.0 / widest


# The loop of `hat_loops._factor`, compiled with sums in any order, which that one must not have.
# Written twice, for numba keeps what it compiled by source alone and would take one for the other.
@compiled_sums
def _factored(A: Any, m: int) -> float:
    """Cholesky factor in the lower triangle, one over its diagonal; the determinant, or 0."""
    determinant = 1.0
    for j in range(m):
        for i in range(j, m):
            value = A[i, j]
            for k in range(j):
                value -= A[i, k] * A[j, k]
            if i > j:
                A[i, j] = value * A[j, j]
            elif value <= 0.0:
                return 0.0
            else:
                determinant *= value
                A[j, j] = 1.0 / np.sqrt(value)
    return determinant


@compiled_sums
def _inverted(A: Any, m: int, G: Any) -> None:
    """The inverse of a factored matrix."""
    for j in range(m):
        for i in range(m):
            value = 1.0 if i == j else 0.0
            for k in range(i):
                value -= A[i, k] * G[k, j]
            G[i, j] = value * A[i, i]
        for i in range(m - 1, -1, -1):
            value = G[i, j]
            for k in range(i + 1, m):
                value -= A[k, i] * G[k, j]
            G[i, j] = value * A[i, i]


# ----------------------------------------------------------------------------------------------
# Maps of many places combined, counted, cut into clusters and enhanced by their support.
#
# Every loop adds in the order of its plain form in `numerics/map_arithmetic.py`, to the last bit.
# ----------------------------------------------------------------------------------------------


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
            # struck off when it begins to wait: none waits twice, and the next draw finds all
            # places free
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
