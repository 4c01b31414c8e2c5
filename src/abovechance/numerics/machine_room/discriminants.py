"""Discriminants of weighted rows, and Hotelling's statistic with shrinkage, four at a time."""

from typing import Any

import numpy as np

from abovechance.numerics.covariance import ROUNDING
from abovechance.numerics.kernels import compiled
from abovechance.numerics.machine_room.linear_systems import (
    WIDTH,
    choose,
    cross_products,
    factor,
    inverse_trace,
    larger,
    load,
    plus,
    root,
    row_products,
    smaller,
    solve,
    spread,
    store,
)

# ----------------------------------------------------------------------------------------------
# Linear discriminants of rows counted more than once or not at all, four at a time.
# ----------------------------------------------------------------------------------------------


@compiled
def directions(
    X: Any,
    rows: Any,
    sizes: Any,
    labels: Any,
    weights: Any,
    means: Any,
    spreads: Any,
    narrow: bool,
    floor: float,
    out: Any,
    doubtful: Any,
) -> None:
    """Directions `out` (F, p) of F discriminants, and which of them are doubtful.

    Training f uses rows[f, :sizes[f]] of X, whose `weights` squared are how often each was drawn
    over the divisor N of the covariance; `means` (F, 2, p) are those of
    the classes and `spreads` (F, p) the standard deviations within them. With T the residuals in
    these units times their weights, the direction is (T'T)⁺ d: through T'T when there are no fewer
    rows than needed, otherwise (`narrow`) through TT', whose null vectors are known. It is
    doubtful when an eigenvalue might be below `floor` and would have to be left out.
    """
    count, p, longest = rows.shape[0], X.shape[1], rows.shape[1]
    side = longest if narrow else p
    T, F = np.empty(4 * longest * p), np.empty(2 * side * (side + 1))
    columns, g, short = np.empty(16 * side), np.empty(4 * max(side, p)), np.empty(4)
    for first in range(0, count, WIDTH):
        m = sizes[first : first + WIDTH].max()
        for lane in range(WIDTH):
            f = min(first + lane, count - 1)
            _residuals(
                m, lane, X, rows[f], sizes[f], labels[f], weights[f], means[f], spreads[f], T
            )
            for j in range(p):
                g[4 * j + lane] = (means[f, 1, j] - means[f, 0, j]) / spreads[f, j]
        if narrow:
            row_products(T, m, p, F)
            for lane in range(WIDTH):
                f = min(first + lane, count - 1)
                _fill_null(m, lane, rows[f], sizes[f], labels[f], weights[f], F)
            factor(F, m)
            store(short, 0, inverse_trace(F, m, columns))
            _through_rows(T, m, p, F, columns, g)
        else:
            cross_products(T, m, p, F)
            factor(F, p)
            store(short, 0, inverse_trace(F, p, columns))
            solve(F, p, g)
        for lane in range(min(WIDTH, count - first)):
            f = first + lane
            doubtful[f] = not short[lane] * floor < 1.0
            for j in range(p):
                out[f, j] = g[4 * j + lane] / spreads[f, j]


@compiled
def _residuals(
    m: int,
    lane: int,
    X: Any,
    rows: Any,
    size: int,
    labels: Any,
    weights: Any,
    means: Any,
    spreads: Any,
    T: Any,
) -> None:
    """Residuals of one problem in units of their spread, padded with rows of zeros."""
    p = X.shape[1]
    for k in range(m):
        if k < size:
            i = rows[k]
            mean = means[labels[i]]
            for j in range(p):
                T[4 * (k * p + j) + lane] = weights[i] * (X[i, j] - mean[j]) / spreads[j]
        else:
            for j in range(p):
                T[4 * (k * p + j) + lane] = 0.0


@compiled
def _fill_null(m: int, lane: int, rows: Any, size: int, labels: Any, weights: Any, F: Any) -> None:
    """Add the projection on the null vectors, each class's weights, and 1 for padding."""
    n1, n0 = 0.0, 0.0
    for k in range(size):
        if labels[rows[k]] == 1:
            n1 += weights[rows[k]] ** 2
        else:
            n0 += weights[rows[k]] ** 2
    for i in range(m):
        for j in range(i + 1):
            at = 2 * i * (i + 1) + 4 * j + lane
            if i < size:
                a, b = rows[i], rows[j]
                if labels[a] == labels[b]:
                    F[at] += weights[a] * weights[b] / (n1 if labels[a] == 1 else n0)
            elif i == j:
                F[at] = 1.0


@compiled
def _through_rows(T: Any, m: int, p: int, F: Any, v: Any, g: Any) -> None:
    """Replace g by T'(TT')⁻²T g."""
    for i in range(m):
        x = spread(0.0)
        for k in range(0, 4 * p, 4):
            x = plus(load(T, 4 * p * i + k), load(g, k), x)
        store(v, 4 * i, x)
    solve(F, m, v)
    solve(F, m, v)
    for k in range(0, 4 * p, 4):
        store(g, k, spread(0.0))
    for i in range(m):
        x = load(v, 4 * i)
        for k in range(0, 4 * p, 4):
            store(g, k, plus(load(T, 4 * p * i + k), x, load(g, k)))


# ----------------------------------------------------------------------------------------------
# Hotelling's statistic with shrunken covariances, four labellings at a time.
# ----------------------------------------------------------------------------------------------


MEAN, VARIANCE, SHRUNKEN, NOISE = 0, 1, 2, 3  # vectors over features of the group at hand


@compiled
def shrunken_distances(X: Any, ones: Any, zeros: Any, out: Any) -> None:
    """d'S⁻¹d (B,) between rows ones[b] and zeros[b] of X, S pooling both shrunken covariances."""
    count, p = ones.shape[0], X.shape[1]
    longest = max(ones.shape[1], zeros.shape[1])
    T, G, S = np.empty(4 * longest * p), np.empty(2 * p * (p + 1)), np.empty(2 * p * (p + 1))
    w, d, g = np.empty(16 * p), np.empty(4 * p), np.empty(4 * p)
    short, column = np.empty(4), np.empty(p)
    weight = 1.0 / (ones.shape[1] + zeros.shape[1] - 2)
    for first in range(0, count, WIDTH):
        S[:] = 0.0
        d[:] = 0.0
        _add_group(X, ones, first, 1.0, weight, T, G, S, w, d, short, column)
        _add_group(X, zeros, first, -1.0, weight, T, G, S, w, d, short, column)
        g[:] = d
        factor(S, p)
        solve(S, p, g)
        total = spread(0.0)
        for j in range(0, 4 * p, 4):
            total = plus(load(d, j), load(g, j), total)
        store(short, 0, total)
        for lane in range(min(WIDTH, count - first)):
            out[first + lane] = short[lane]


@compiled
def _add_group(
    X: Any,
    rows: Any,
    first: int,
    sign: float,
    weight: float,
    T: Any,
    G: Any,
    S: Any,
    w: Any,
    d: Any,
    short: Any,
    column: Any,
) -> None:
    """Add one group's shrunken scatter times `weight` to S and its mean times `sign` to d."""
    m, p = rows.shape[1], X.shape[1]
    for lane in range(WIDTH):
        b = min(first + lane, rows.shape[0] - 1)
        for k in range(m):
            for j in range(p):
                T[4 * (k * p + j) + lane] = X[rows[b, k], j]
    _centre(m, p, T, w)
    _shrink_variances(m, p, w, short, column)
    squares = _standardise(m, p, T, w)
    cross_products(T, m, p, G)
    kept = _kept(m, p, G, squares)
    for j in range(p):
        store(d, 4 * j, plus(spread(sign), load(w, MEAN * 4 * p + 4 * j), load(d, 4 * j)))
        here = root(load(w, SHRUNKEN * 4 * p + 4 * j)) * spread(weight)
        at = 2 * j * (j + 1)
        for k in range(0, 4 * j, 4):
            other = root(load(w, SHRUNKEN * 4 * p + k))
            store(S, at + k, plus(load(G, at + k) * kept, here * other, load(S, at + k)))
        own = load(w, SHRUNKEN * 4 * p + 4 * j) * spread(weight * (m - 1))
        store(S, at + 4 * j, load(S, at + 4 * j) + own)


@compiled
def _centre(m: int, p: int, T: Any, w: Any) -> None:
    """Means, variances and the variance of squares of each feature; rows less their mean."""
    share, zero = spread(1.0 / m), spread(0.0)
    for j in range(0, 4 * p, 4):
        mean, square, fourth = spread(0.0), spread(0.0), spread(0.0)
        for k in range(j, 4 * p * m, 4 * p):
            mean = mean + load(T, k)
        mean = mean * share
        for k in range(j, 4 * p * m, 4 * p):
            x = load(T, k) - mean
            z = x * x
            square, fourth = square + z, plus(z, z, fourth)
            store(T, k, x)
        average = square * share
        moves = square - spread(ROUNDING) * plus(mean * spread(float(m)), mean, square)
        store(w, MEAN * 4 * p + j, mean)
        store(w, VARIANCE * 4 * p + j, choose(moves, square * spread(1.0 / (m - 1)), zero))
        store(w, NOISE * 4 * p + j, fourth * share - average * average)


@compiled
def _shrink_variances(m: int, p: int, w: Any, short: Any, column: Any) -> None:
    """Variances drawn towards their median."""
    for lane in range(WIDTH):
        for j in range(p):
            column[j] = w[VARIANCE * 4 * p + 4 * j + lane]
        column.sort()
        short[lane] = 0.5 * (column[(p - 1) // 2] + column[p // 2])
    middle, noise, apart = load(short, 0), spread(0.0), spread(0.0)
    shrink = spread((m - 1.0) / m)
    for j in range(0, 4 * p, 4):
        away = (load(w, VARIANCE * 4 * p + j) - middle) * shrink
        noise, apart = noise + load(w, NOISE * 4 * p + j), plus(away, away, apart)
    part = _share(noise * spread(1.0 / (m - 1)), apart)
    for j in range(0, 4 * p, 4):
        own = load(w, VARIANCE * 4 * p + j)
        store(w, SHRUNKEN * 4 * p + j, plus(part, middle - own, own))


@compiled
def _standardise(m: int, p: int, T: Any, w: Any) -> Any:
    """Rows in units of standard deviations; the mean over rows of products of squares of pairs."""
    zero, one, total = spread(0.0), spread(1.0), spread(0.0)
    for j in range(0, 4 * p, 4):
        variance = load(w, VARIANCE * 4 * p + j)
        unit = one / root(choose(variance, variance, one))
        for k in range(j, 4 * p * m, 4 * p):
            store(T, k, choose(variance, load(T, k) * unit, zero))
    for k in range(0, 4 * p * m, 4 * p):
        squares, fourths = zero, zero
        for j in range(k, k + 4 * p, 4):
            x = load(T, j)
            z = x * x
            squares, fourths = squares + z, plus(z, z, fourths)
        total = total + (squares * squares - fourths)
    return total * spread(1.0 / m)


@compiled
def _kept(m: int, p: int, G: Any, squares: Any) -> Any:
    """The share of correlations that is kept, from their products and noise."""
    size, share = spread(0.0), spread(1.0 / m)
    for i in range(p):
        at = 2 * i * (i + 1)
        for k in range(at, at + 4 * i, 4):
            r = load(G, k) * share
            size = plus(r, r, size)
    size = size * spread(2.0)
    return spread(1.0) - _share((squares - size) * spread(1.0 / (m - 1)), size)


@compiled
def _share(noise: Any, signal: Any) -> Any:
    """Noise over signal cut to [0, 1], and 1 where there is no signal."""
    one = spread(1.0)
    ratio = noise / choose(signal, signal, one)
    return choose(signal, smaller(larger(ratio, spread(0.0)), one), one)
