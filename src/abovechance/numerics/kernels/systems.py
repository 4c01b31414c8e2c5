"""Systems (Q + diag D) x = r of four problems at once, through the rows or through the features.

Q is given packed by rows, or as signed features Z (m, p) with Q = ZZ' when these are few; then
x = (r - Zv)/D with (I + Z'D⁻¹Z) v = Z'D⁻¹r, a system of the size of the features.
"""

from typing import Any

from abovechance.numerics.kernels import compiled
from abovechance.numerics.kernels.lanes import load, minus, plus, root, spread, store
from abovechance.numerics.kernels.triangles import factor, multiply, solve, solve_two


@compiled
def factor_rows(Q: Any, m: int, D: Any, F: Any) -> None:
    """Factor Q + diag D (m, m) into F."""
    for k in range(0, 2 * m * (m + 1), 4):
        store(F, k, load(Q, k))
    for i in range(m):
        k = 2 * i * (i + 1) + 4 * i
        store(F, k, load(F, k) + load(D, 4 * i))
    factor(F, m)


@compiled
def factor_features(Z: Any, m: int, p: int, D: Any, F: Any, scratch: Any) -> None:
    """Factor I + Z'D⁻¹Z (p, p) into F."""
    for i in range(m):
        weight = spread(1.0) / root(load(D, 4 * i))
        for k in range(4 * p * i, 4 * p * (i + 1), 4):
            store(scratch, k, load(Z, k) * weight)
    cross_products(scratch, m, p, F)
    for j in range(p):
        k = 2 * j * (j + 1) + 4 * j
        store(F, k, load(F, k) + spread(1.0))
    factor(F, p)


@compiled
def cross_products(T: Any, m: int, p: int, F: Any) -> None:
    """Packed T'T (p, p) of T (m, p)."""
    for j in range(p):
        for k in range(j, p, 4):
            _products(T, m, p, j, k, F)


@compiled
def _products(T: Any, m: int, p: int, j: int, k: int, F: Any) -> None:
    """Entries (k, j) to (k + 3, j) of T'T, as far as there are so many."""
    if k + 3 < p:
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        for i in range(0, 4 * p * m, 4 * p):
            x, q = load(T, i + 4 * j), i + 4 * k
            a, b = plus(x, load(T, q), a), plus(x, load(T, q + 4), b)
            c, d = plus(x, load(T, q + 8), c), plus(x, load(T, q + 12), d)
        store(F, 2 * k * (k + 1) + 4 * j, a)
        store(F, 2 * (k + 1) * (k + 2) + 4 * j, b)
        store(F, 2 * (k + 2) * (k + 3) + 4 * j, c)
        store(F, 2 * (k + 3) * (k + 4) + 4 * j, d)
    else:
        for r in range(k, p):
            a = spread(0.0)
            for i in range(0, 4 * p * m, 4 * p):
                a = plus(load(T, i + 4 * j), load(T, i + 4 * r), a)
            store(F, 2 * r * (r + 1) + 4 * j, a)


@compiled
def row_products(T: Any, m: int, p: int, F: Any) -> None:
    """Packed TT' (m, m) of T (m, p)."""
    for i in range(m):
        r, j = 4 * p * i, 0
        while j + 3 <= i:
            q = 4 * p * j
            a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
            for k in range(0, 4 * p, 4):
                x = load(T, r + k)
                a, b = plus(x, load(T, q + k), a), plus(x, load(T, q + 4 * p + k), b)
                c = plus(x, load(T, q + 8 * p + k), c)
                d = plus(x, load(T, q + 12 * p + k), d)
            to = 2 * i * (i + 1) + 4 * j
            store(F, to, a)
            store(F, to + 4, b)
            store(F, to + 8, c)
            store(F, to + 12, d)
            j += 4
        while j <= i:
            a = spread(0.0)
            for k in range(0, 4 * p, 4):
                a = plus(load(T, r + k), load(T, 4 * p * j + k), a)
            store(F, 2 * i * (i + 1) + 4 * j, a)
            j += 1


@compiled
def solve_features(Z: Any, m: int, p: int, D: Any, F: Any, g: Any, v: Any) -> None:
    """Replace right side g (m,) by its solution; v (p,) is room to work in."""
    for k in range(0, 4 * p, 4):
        store(v, k, spread(0.0))
    for i in range(m):
        x = load(g, 4 * i) / load(D, 4 * i)
        for k in range(0, 4 * p, 4):
            store(v, k, plus(load(Z, 4 * p * i + k), x, load(v, k)))
    solve(F, p, v)
    for i in range(m):
        x = load(g, 4 * i)
        for k in range(0, 4 * p, 4):
            x = minus(load(Z, 4 * p * i + k), load(v, k), x)
        store(g, 4 * i, x / load(D, 4 * i))


@compiled
def solve_both(
    Q: Any, m: int, p: int, few: bool, D: Any, F: Any, g: Any, h: Any, scratch: Any
) -> None:
    """Replace two right sides by their solutions."""
    if few:
        solve_features(Q, m, p, D, F, g, scratch)
        solve_features(Q, m, p, D, F, h, scratch)
    else:
        solve_two(F, m, g, h)


@compiled
def solve_one(Q: Any, m: int, p: int, few: bool, D: Any, F: Any, g: Any, scratch: Any) -> None:
    """Replace one right side by its solution."""
    if few:
        solve_features(Q, m, p, D, F, g, scratch)
    else:
        solve(F, m, g)


@compiled
def add_product(Q: Any, m: int, p: int, few: bool, a: Any, out: Any, v: Any) -> None:
    """out += Q a."""
    if not few:
        multiply(Q, m, a, out)
        return
    for k in range(0, 4 * p, 4):
        store(v, k, spread(0.0))
    for i in range(m):
        for k in range(0, 4 * p, 4):
            store(v, k, plus(load(Q, 4 * p * i + k), load(a, 4 * i), load(v, k)))
    for i in range(m):
        x = load(out, 4 * i)
        for k in range(0, 4 * p, 4):
            x = plus(load(Q, 4 * p * i + k), load(v, k), x)
        store(out, 4 * i, x)
