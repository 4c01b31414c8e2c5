"""Linear discriminants of rows counted more than once or not at all, four at a time."""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled
from abovechance.numerics.kernels.lanes import WIDTH, load, plus, spread, store
from abovechance.numerics.kernels.systems import cross_products, row_products
from abovechance.numerics.kernels.triangles import factor, inverse_trace, solve


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
