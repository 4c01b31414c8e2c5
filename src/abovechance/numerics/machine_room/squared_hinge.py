"""Support vector machines with squared hinge loss by Newton's method, four at a time.

½‖v‖² + Σ c max(0, 1 - m)² with margins m = Zv is quadratic while the same rows stay inside the
margin, so a Newton step lands on the minimum once it knows which. Until then the step is halved
where it does not lower the sum enough.
"""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled
from abovechance.numerics.machine_room.linear_systems import cross_products, factor, solve
from abovechance.numerics.machine_room.registers import (
    WIDTH,
    choose,
    larger,
    load,
    minus,
    plus,
    root,
    spread,
    store,
)

STEPS = 100  # five are usual
HALVINGS = 40
ROUNDING = 1e-12  # of the sum: a rise smaller than this is none
START, SLOPE, SIZE, ON, SUM = 0, 4, 8, 12, 16  # in the short array; ON is positive under way


@compiled
def minimisers(X: Any, rows: Any, sizes: Any, sign: Any, costs: Any, out: Any, failed: Any) -> None:
    """Minimisers `out` (F, q) for rows[f, :sizes[f]] of X (n, q), and which were not reached."""
    count, q, longest = rows.shape[0], X.shape[1], rows.shape[1]
    Z, T, F = np.empty(4 * longest * q), np.empty(4 * longest * q), np.empty(2 * q * (q + 1))
    # Costs, weights, margins now and at the target, for every row.
    w, v, short = np.empty(16 * longest), np.empty(8 * q), np.empty(20)
    for first in range(0, count, WIDTH):
        m = sizes[first : first + WIDTH].max()
        for lane in range(WIDTH):
            f = min(first + lane, count - 1)
            for k in range(m):
                real = k < sizes[f]
                w[4 * k + lane] = costs[f, rows[f, k]] if real else 0.0
                for j in range(q):
                    here = sign[f, rows[f, k]] * X[rows[f, k], j] if real else 0.0
                    Z[4 * (k * q + j) + lane] = here
        newton(Z, m, q, w, v, T, F, short)
        for lane in range(min(WIDTH, count - first)):
            failed[first + lane] = short[ON + lane] != 0.0
            for j in range(q):
                out[first + lane, j] = v[4 * j + lane]


@compiled
def newton(Z: Any, m: int, q: int, w: Any, v: Any, T: Any, F: Any, short: Any) -> None:
    """Minimise; v[:4q] receives the minimisers, short[ON:] is 0 where they were reached."""
    n, zero, two = 4 * m, spread(0.0), spread(2.0)
    for j in range(0, 4 * q, 4):
        store(v, j, zero)
    for i in range(0, n, 4):
        store(w, n + i, two * load(w, i))
        store(w, 2 * n + i, zero)
    store(short, ON, spread(1.0))
    for _ in range(STEPS):
        _aim(Z, m, q, w, v, T, F)
        _line(m, q, w, v, short)
        if not _move(m, q, w, v, short):
            break


@compiled
def _aim(Z: Any, m: int, q: int, w: Any, v: Any, T: Any, F: Any) -> None:
    """The minimum if the rows with weight stay those inside the margin, and its margins."""
    n, to = 4 * m, 4 * q
    for j in range(0, 4 * q, 4):
        store(v, to + j, spread(0.0))
    for i in range(m):
        weight = load(w, n + 4 * i)
        scale = root(weight)
        for j in range(0, 4 * q, 4):
            z = load(Z, 4 * q * i + j)
            store(T, 4 * q * i + j, z * scale)
            store(v, to + j, plus(z, weight, load(v, to + j)))
    cross_products(T, m, q, F)
    for j in range(q):
        k = 2 * j * (j + 1) + 4 * j
        store(F, k, load(F, k) + spread(1.0))
    factor(F, q)
    solve(F, q, v[to:])
    for i in range(m):
        margin = spread(0.0)
        for j in range(0, 4 * q, 4):
            margin = plus(load(Z, 4 * q * i + j), load(v, to + j), margin)
        store(w, 3 * n + 4 * i, margin)


@compiled
def _sum(m: int, q: int, w: Any, v: Any, size: Any) -> Any:
    """The sum to be minimised, `size` of the way to the target."""
    n, zero, one, total = 4 * m, spread(0.0), spread(1.0), spread(0.0)
    for j in range(0, 4 * q, 4):
        here = load(v, j)
        there = plus(size, load(v, 4 * q + j) - here, here)
        total = plus(there, there, total)
    total = total * spread(0.5)
    for i in range(0, n, 4):
        here = load(w, 2 * n + i)
        short = larger(one - plus(size, load(w, 3 * n + i) - here, here), zero)
        total = plus(load(w, i) * short, short, total)
    return total


@compiled
def _line(m: int, q: int, w: Any, v: Any, short: Any) -> None:
    """How far to go: all the way, or half of it until the sum falls by enough."""
    n, zero, one, slope = 4 * m, spread(0.0), spread(1.0), spread(0.0)
    for j in range(0, 4 * q, 4):
        here = load(v, j)
        slope = plus(here, load(v, 4 * q + j) - here, slope)
    for i in range(0, n, 4):
        here = load(w, 2 * n + i)
        pull = spread(2.0) * load(w, i) * larger(one - here, zero)
        slope = minus(pull, load(w, 3 * n + i) - here, slope)
    store(short, SLOPE, slope)
    store(short, START, _sum(m, q, w, v, zero))
    store(short, SIZE, one)
    for _ in range(HALVINGS):
        store(short, SUM, _sum(m, q, w, v, load(short, SIZE)))
        shorter = False
        for lane in range(WIDTH):
            start = short[START + lane]
            enough = start + 1e-4 * short[SIZE + lane] * short[SLOPE + lane] + ROUNDING * start
            if short[ON + lane] > 0.0 and short[SUM + lane] > enough:
                short[SIZE + lane] *= 0.5
                shorter = True
        if not shorter:
            break


@compiled
def _move(m: int, q: int, w: Any, v: Any, short: Any) -> bool:
    """Go there and see which rows are inside the margin now; whether any problem goes on."""
    n, zero, one = 4 * m, spread(0.0), spread(1.0)
    on, size, changed = load(short, ON), load(short, SIZE), one - load(short, SIZE)
    for j in range(0, 4 * q, 4):
        here = load(v, j)
        store(v, j, choose(on, plus(size, load(v, 4 * q + j) - here, here), here))
    for i in range(0, n, 4):
        here, before = load(w, 2 * n + i), load(w, n + i)
        margin = choose(on, plus(size, load(w, 3 * n + i) - here, here), here)
        weight = choose(one - margin, spread(2.0) * load(w, i), zero)
        store(w, 2 * n + i, margin)
        store(w, n + i, choose(on, weight, before))
        changed = larger(changed, larger(weight - before, before - weight))
    store(short, ON, choose(on, changed, zero))
    going = False
    for lane in range(WIDTH):
        going = going or short[ON + lane] > 0.0
    return going
