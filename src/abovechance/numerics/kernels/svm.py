"""Linear support vector machines on samples of rows: problems laid out, solved, read off."""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled
from abovechance.numerics.kernels.interior_point import (
    CAP,
    LINEAR,
    MU,
    POOR,
    SIGN,
    SLOPE,
    VECTORS,
    A,
    follow,
    offset,
)
from abovechance.numerics.kernels.lanes import WIDTH


@compiled
def machines(
    gram: Any,
    X: Any,
    scale: Any,
    rows: Any,
    sizes: Any,
    sign: Any,
    box: Any,
    few: bool,
    everywhere: bool,
    out: Any,
    failed: Any,
) -> None:
    """Decision values `out` (F, n) of F machines; `failed` marks those that did not arrive.

    Machine f is trained on rows[f, :sizes[f]] with signs sign[f] and bounds box[f]. Products of
    rows are gram (pairs, F), or come from X (n, p) times scale[f] when features are `few`.
    Values are computed for rows not trained on, and for the others if `everywhere`.
    """
    count, p, longest = sign.shape[0], X.shape[1], rows.shape[1]
    length = 4 * longest * p if few else 2 * longest * (longest + 1)
    Q, F = np.empty(length), np.empty(2 * p * (p + 1) if few else length)
    scratch = np.empty(max(length, 4 * p) if few else 4)
    w, short = np.empty(VECTORS * 4 * longest), np.empty(16)
    for first in range(0, count, WIDTH):
        m = sizes[first : first + WIDTH].max()
        for lane in range(WIDTH):
            f = min(first + lane, count - 1)
            _vectors(m, lane, rows[f], sizes[f], sign[f], box[f], w)
            if few:
                _signed_features(m, lane, rows[f], sizes[f], sign[f], X, scale[f], Q)
            else:
                _signed_products(m, lane, rows[f], sizes[f], sign[f], gram, f, Q)
        follow(Q, m, p, few, w, F, scratch, short)
        for lane in range(min(WIDTH, count - first)):
            f = first + lane
            failed[f] = not short[MU + lane] * 2 * m < POOR * short[SLOPE + lane]
            b = offset(m, lane, w, short)
            if few:
                _decide_features(m, lane, b, Q, w, X, scale[f], box[f], everywhere, scratch, out[f])
            else:
                _decide_products(m, lane, b, rows[f], w, gram, f, box[f], everywhere, out[f])


@compiled
def _vectors(m: int, lane: int, rows: Any, size: int, sign: Any, box: Any, w: Any) -> None:
    """Signs, bounds and linear terms of one problem, padded."""
    n = 4 * m
    for k in range(m):
        i, real = 4 * k + lane, k < size
        w[SIGN * n + i] = sign[rows[k]] if real else 0.0
        w[CAP * n + i] = box[rows[k]] if real else 1.0
        w[LINEAR * n + i] = 1.0 if real else 0.0


@compiled
def _signed_products(
    m: int, lane: int, rows: Any, size: int, sign: Any, gram: Any, f: int, Q: Any
) -> None:
    """Packed products of the rows of one problem times their signs."""
    k = lane
    for i in range(m):
        for j in range(i + 1):
            value = 0.0
            if i < size:
                r, q = rows[i], rows[j]
                value = gram[r * (r + 1) // 2 + q, f] * sign[r] * sign[q]
            Q[k] = value
            k += 4


@compiled
def _signed_features(
    m: int, lane: int, rows: Any, size: int, sign: Any, X: Any, scale: Any, Q: Any
) -> None:
    """Scaled features of the rows of one problem times their signs."""
    k = lane
    for i in range(m):
        for j in range(X.shape[1]):
            Q[k] = X[rows[i], j] * scale[j] * sign[rows[i]] if i < size else 0.0
            k += 4


@compiled
def _decide_products(
    m: int,
    lane: int,
    b: float,
    rows: Any,
    w: Any,
    gram: Any,
    f: int,
    box: Any,
    everywhere: bool,
    out: Any,
) -> None:
    """Decision values from products with the rows of the solution."""
    for r in range(out.size):
        if box[r] == 0.0 or everywhere:
            value = b
            for k in range(m):
                a = w[A * 4 * m + 4 * k + lane] * w[SIGN * 4 * m + 4 * k + lane]
                if a != 0.0:
                    q = rows[k]
                    pair = r * (r + 1) // 2 + q if r >= q else q * (q + 1) // 2 + r
                    value += a * gram[pair, f]
            out[r] = value


@compiled
def _decide_features(
    m: int,
    lane: int,
    b: float,
    Q: Any,
    w: Any,
    X: Any,
    scale: Any,
    box: Any,
    everywhere: bool,
    direction: Any,
    out: Any,
) -> None:
    """Decision values from the direction of the solution."""
    p = X.shape[1]
    for j in range(p):
        total = 0.0
        for k in range(m):
            total += w[A * 4 * m + 4 * k + lane] * Q[4 * (k * p + j) + lane]
        direction[j] = total * scale[j]
    for r in range(out.size):
        if box[r] == 0.0 or everywhere:
            value = b
            for j in range(p):
                value += X[r, j] * direction[j]
            out[r] = value
