"""Linear support vector machines trained many at once: with the hinge, and with its square."""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled
from abovechance.numerics.machine_room.linear_systems import (
    ROWS_AT_ONCE,
    WIDTH,
    add_product,
    choose,
    cross_products,
    factor,
    factor_features,
    factor_rows,
    larger,
    load,
    minus,
    plus,
    root,
    smaller,
    solve,
    solve_both,
    solve_one,
    spread,
    store,
)

# ----------------------------------------------------------------------------------------------
# Four dual problems of support vector machines at once, by an interior-point method.
#
# The dual problem, min ½ a'Qa - l'a with 0 <= a <= c and s'a = 0, is followed along its central
# path by Mehrotra's predictor and corrector from a feasible start, so only the products a z and
# (c - a) t of the bounds with their multipliers z and t have to shrink. About ten steps do,
# whatever the cost; each factors Q + diag(z/a + t/(c - a)) once. Rows that pad a shorter problem
# have Q = l = s = 0.
#
# All vectors of a problem lie one after another in one array, four numbers (lanes) to an entry:
# vector V starts at V * 4m.
# ----------------------------------------------------------------------------------------------


STEPS = 30  # ten are usual
TOLERANCE = 1e-12  # of the duality gap, relative: decision values to about seven digits
POOR = 1e-8  # a gap that rounding kept above this after all steps is not accepted
A, U, Z, T = 0, 1, 2, 3  # the solution a, the room c - a above it, the multipliers of both bounds
BY_A, BY_U, RIDGE = 4, 5, 6  # 1/a, 1/u, z/a + t/u
STEP, AIM, STEP_Z, STEP_T = 7, 8, 9, 10  # steps of a, z, t; the solution for s
SIGN, CAP, LINEAR, VECTORS = 11, 12, 13, 14
MU, NU, SLOPE, ON = 0, 4, 8, 12  # in the short array: mean product, offset, s'AIM, 1 if under way


@compiled
def follow(Q: Any, m: int, p: int, few: bool, w: Any, F: Any, scratch: Any, short: Any) -> int:
    """Solve four problems; a and the multipliers end up in `w`, the offsets in `short`."""
    n = 4 * m
    _start(Q, m, p, few, w, scratch, short)
    for step in range(STEPS):
        if _arrived(m, w, short):
            return step
        _prepare(m, w)
        if few:
            factor_features(Q, m, p, w[RIDGE * n :], F, scratch)
        else:
            factor_rows(Q, m, w[RIDGE * n :], F)
        ridge, g, h = w[RIDGE * n :], w[STEP * n :], w[AIM * n :]
        solve_both(Q, m, p, few, ridge, F, g, h, scratch)
        _aim(m, w, _predict(m, w, short))
        solve_one(Q, m, p, few, ridge, F, g, scratch)
        _move(m, w, short)
    return STEPS


@compiled
def _start(Q: Any, m: int, p: int, few: bool, w: Any, scratch: Any, short: Any) -> None:
    """A point inside all bounds with s'a = 0, and multipliers that make it dual feasible."""
    n, zero, half = 4 * m, spread(0.0), spread(0.5)
    above, below, trace = zero, zero, zero
    for i in range(0, n, 4):
        s, c = load(w, SIGN * n + i), load(w, CAP * n + i)
        above, below = plus(c, larger(s, zero), above), plus(c, larger(zero - s, zero), below)
    for i in range(m):
        if few:
            for k in range(4 * p * i, 4 * p * (i + 1), 4):
                x = load(Q, k)
                trace = plus(x, x, trace)
        else:
            trace = trace + load(Q, 2 * i * (i + 1) + 4 * i)
    # A usual size of a is a few times one over the squared length of a row.
    usual = spread(5.0 * m * m) / (trace + spread(1e-300))
    level = smaller(half, usual / (above + below)) * smaller(above, below)
    for i in range(0, n, 4):
        s, c = load(w, SIGN * n + i), load(w, CAP * n + i)
        a = c * (level * (larger(s, zero) / above + larger(zero - s, zero) / below))
        a = a + half * c * (spread(1.0) - s * s)
        store(w, A * n + i, a)
        store(w, U * n + i, c - a)
        store(w, STEP * n + i, zero - load(w, LINEAR * n + i))
    add_product(Q, m, p, few, w[A * n :], w[STEP * n :], scratch)
    mu, slack = zero, spread(0.3)
    for i in range(0, n, 4):
        r = load(w, STEP * n + i)
        z, t = larger(r, zero) + slack, larger(zero - r, zero) + slack
        store(w, Z * n + i, z)
        store(w, T * n + i, t)
        mu = plus(load(w, A * n + i), z, plus(load(w, U * n + i), t, mu))
    store(short, MU, mu * spread(0.5 / m))
    store(short, NU, zero)


@compiled
def _arrived(m: int, w: Any, short: Any) -> bool:
    """Mark the problems still under way; whether there is none."""
    n, size = 4 * m, spread(1.0)
    for i in range(0, n, 4):
        size = size + load(w, A * n + i)
    store(short, SLOPE, size)
    left = False
    for lane in range(WIDTH):
        on = short[MU + lane] * 2 * m > TOLERANCE * short[SLOPE + lane]
        short[ON + lane] = 1.0 if on else 0.0
        left = left or on
    return not left


@compiled
def _prepare(m: int, w: Any) -> None:
    """The diagonal to add, and the right sides of the predictor and of the constraint."""
    n, one = 4 * m, spread(1.0)
    for i in range(0, n, 4):
        a, u = one / load(w, A * n + i), one / load(w, U * n + i)
        z, t = load(w, Z * n + i), load(w, T * n + i)
        store(w, BY_A * n + i, a)
        store(w, BY_U * n + i, u)
        store(w, RIDGE * n + i, plus(z, a, t * u))
        store(w, STEP * n + i, t - z)
        store(w, AIM * n + i, load(w, SIGN * n + i))


@compiled
def _constrain(m: int, w: Any) -> Any:
    """Keep s'a = 0 along the step; the change of the offset that does it."""
    n, g, h = 4 * m, spread(0.0), spread(0.0)
    for i in range(0, n, 4):
        s = load(w, SIGN * n + i)
        g, h = plus(s, load(w, STEP * n + i), g), plus(s, load(w, AIM * n + i), h)
    change = g / h
    for i in range(0, n, 4):
        store(w, STEP * n + i, minus(load(w, AIM * n + i), change, load(w, STEP * n + i)))
    return change


@compiled
def _predict(m: int, w: Any, short: Any) -> Any:
    """Where the step straight for the solution leads: the mean product to aim at instead."""
    n, zero, one = 4 * m, spread(0.0), spread(1.0)
    _constrain(m, w)
    ratio, after = one, zero
    for i in range(0, n, 4):
        step = load(w, STEP * n + i)
        x, y = step * load(w, BY_A * n + i), step * load(w, BY_U * n + i)
        ratio = larger(ratio, larger(larger(zero - x, y), larger(one + x, one - y)))
    beta = one / ratio
    for i in range(0, n, 4):
        step, z, t = load(w, STEP * n + i), load(w, Z * n + i), load(w, T * n + i)
        dz = zero - z * plus(step, load(w, BY_A * n + i), one)
        dt = zero - t * minus(step, load(w, BY_U * n + i), one)
        after = plus(plus(beta, step, load(w, A * n + i)), plus(beta, dz, z), after)
        after = plus(minus(beta, step, load(w, U * n + i)), plus(beta, dt, t), after)
        store(w, STEP_Z * n + i, zero - step * dz)
        store(w, STEP_T * n + i, step * dt)
    mu = load(short, MU)
    sigma = after * spread(0.5 / m) / mu
    return sigma * sigma * sigma * mu


@compiled
def _aim(m: int, w: Any, centre: Any) -> None:
    """The right side of the corrector: products that all equal `centre`."""
    n, zero = 4 * m, spread(0.0)
    for i in range(0, n, 4):
        z, t = zero - load(w, Z * n + i), zero - load(w, T * n + i)
        dz = plus(centre + load(w, STEP_Z * n + i), load(w, BY_A * n + i), z)
        dt = plus(centre + load(w, STEP_T * n + i), load(w, BY_U * n + i), t)
        store(w, STEP_Z * n + i, dz)
        store(w, STEP_T * n + i, dt)
        store(w, STEP * n + i, dz - dt)


@compiled
def _move(m: int, w: Any, short: Any) -> None:
    """Take the corrected step, nearly as far as the bounds allow."""
    n, zero, one = 4 * m, spread(0.0), spread(1.0)
    change = _constrain(m, w)
    ratio, mu = one, zero
    for i in range(0, n, 4):
        step, z, t = load(w, STEP * n + i), load(w, Z * n + i), load(w, T * n + i)
        x, y = step * load(w, BY_A * n + i), step * load(w, BY_U * n + i)
        dz = minus(z, x, load(w, STEP_Z * n + i))
        dt = plus(t, y, load(w, STEP_T * n + i))
        store(w, STEP_Z * n + i, dz)
        store(w, STEP_T * n + i, dt)
        ratio = larger(ratio, larger(larger(zero - x, y), larger(zero - dz / z, zero - dt / t)))
    beta, on = smaller(one, spread(0.999) / ratio), load(short, ON)
    for i in range(0, n, 4):
        a, u = load(w, A * n + i), load(w, U * n + i)
        z, t, step = load(w, Z * n + i), load(w, T * n + i), load(w, STEP * n + i)
        a, u = choose(on, plus(beta, step, a), a), choose(on, minus(beta, step, u), u)
        z = choose(on, plus(beta, load(w, STEP_Z * n + i), z), z)
        t = choose(on, plus(beta, load(w, STEP_T * n + i), t), t)
        store(w, A * n + i, a)
        store(w, U * n + i, u)
        store(w, Z * n + i, z)
        store(w, T * n + i, t)
        mu = plus(a, z, plus(u, t, mu))
    store(short, MU, mu * spread(0.5 / m))
    nu = load(short, NU)
    store(short, NU, choose(on, plus(beta, change, nu), nu))


@compiled
def offset(m: int, lane: int, w: Any, short: Any) -> float:
    """The middle of the offsets that fit: a single one unless every row sits at a bound."""
    n, nu = 4 * m, short[NU + lane]
    low, high = -np.inf, np.inf
    for i in range(lane, n, 4):
        sign, cap = w[SIGN * n + i], w[CAP * n + i]
        if sign == 0.0:
            continue
        z, t = w[Z * n + i], w[T * n + i]
        here = nu - sign * (z - t)
        at_zero, at_cap = w[A * n + i] < z * cap, w[U * n + i] < t * cap
        free = not at_zero and not at_cap
        if free or (at_zero and sign > 0) or (at_cap and sign < 0):
            low = max(low, here)
        if free or (at_zero and sign < 0) or (at_cap and sign > 0):
            high = min(high, here)
    return 0.5 * (low + high)


# ----------------------------------------------------------------------------------------------
# Linear support vector machines on samples of rows: problems laid out, solved, read off.
# ----------------------------------------------------------------------------------------------


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
    multipliers: Any,
) -> None:
    """Decision values `out` (F, n) of F machines; `failed` marks those that did not arrive.

    Machine f is trained on rows[f, :sizes[f]] with signs sign[f] and bounds box[f]. Products of
    rows are gram (F, pairs), or come from X (n, p) times scale[f] when features are `few`.
    Values are computed for rows not trained on, and for the others if `everywhere`. The
    `multipliers` (F, n) of the rows are given where there is room for them.
    """
    count, p, longest = sign.shape[0], X.shape[1], rows.shape[1]
    length = 4 * longest * p if few else 2 * longest * (longest + 1)
    Q, F = np.empty(length), np.empty(2 * p * (p + 1) if few else length)
    scratch = np.empty(4 * p * ROWS_AT_ONCE if few else 4)
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
            if multipliers.shape[1] > 0:
                for k in range(sizes[f]):
                    multipliers[f, rows[f, k]] = w[A * 4 * m + 4 * k + lane]
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
                value = gram[f, r * (r + 1) // 2 + q] * sign[r] * sign[q]
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
                    value += a * gram[f, pair]
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


# ----------------------------------------------------------------------------------------------
# Support vector machines with squared hinge loss by Newton's method, four at a time.
#
# ½‖v‖² + Σ c max(0, 1 - m)² with margins m = Zv is quadratic while the same rows stay inside the
# margin, so a Newton step lands on the minimum once it knows which. Until then the step is halved
# where it does not lower the sum enough.
# ----------------------------------------------------------------------------------------------


NEWTON_STEPS = 100  # five are usual
HALVINGS = 40
ROUNDING = 1e-12  # of the sum: a rise smaller than this is none
START, SQUARED_SLOPE, SIZE, SQUARED_ON, SUM = (
    0,
    4,
    8,
    12,
    16,
)  # in the short array; ON is positive under way


@compiled
def minimisers(
    X: Any,
    centre: Any,
    scale: Any,
    rows: Any,
    sizes: Any,
    sign: Any,
    costs: Any,
    out: Any,
    failed: Any,
) -> None:
    """Minimisers `out` (F, q) for rows[f, :sizes[f]] of X (n, q), and which were not reached.

    Features are shifted by centre[f] and multiplied by scale[f] first; of one row each, all by
    that one.
    """
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
                    here = 0.0
                    if real:
                        own = min(f, scale.shape[0] - 1)
                        value = (X[rows[f, k], j] - centre[own, j]) * scale[own, j]
                        here = sign[f, rows[f, k]] * value
                    Z[4 * (k * q + j) + lane] = here
        newton(Z, m, q, w, v, T, F, short)
        for lane in range(min(WIDTH, count - first)):
            failed[first + lane] = short[SQUARED_ON + lane] != 0.0
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
    store(short, SQUARED_ON, spread(1.0))
    for _ in range(NEWTON_STEPS):
        _squared_aim(Z, m, q, w, v, T, F)
        _line(m, q, w, v, short)
        if not _squared_move(m, q, w, v, short):
            break


@compiled
def _squared_aim(Z: Any, m: int, q: int, w: Any, v: Any, T: Any, F: Any) -> None:
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
    store(short, SQUARED_SLOPE, slope)
    store(short, START, _sum(m, q, w, v, zero))
    store(short, SIZE, one)
    for _ in range(HALVINGS):
        store(short, SUM, _sum(m, q, w, v, load(short, SIZE)))
        shorter = False
        for lane in range(WIDTH):
            start = short[START + lane]
            enough = (
                start + 1e-4 * short[SIZE + lane] * short[SQUARED_SLOPE + lane] + ROUNDING * start
            )
            if short[SQUARED_ON + lane] > 0.0 and short[SUM + lane] > enough:
                short[SIZE + lane] *= 0.5
                shorter = True
        if not shorter:
            break


@compiled
def _squared_move(m: int, q: int, w: Any, v: Any, short: Any) -> bool:
    """Go there and see which rows are inside the margin now; whether any problem goes on."""
    n, zero, one = 4 * m, spread(0.0), spread(1.0)
    on, size, changed = load(short, SQUARED_ON), load(short, SIZE), one - load(short, SIZE)
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
    store(short, SQUARED_ON, choose(on, changed, zero))
    going = False
    for lane in range(WIDTH):
        going = going or short[SQUARED_ON + lane] > 0.0
    return going
