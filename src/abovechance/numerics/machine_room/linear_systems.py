"""Symmetric systems of four problems at once, in vector registers."""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from abovechance.numerics.kernels import compiled

# ----------------------------------------------------------------------------------------------
# Four numbers worked on at once: a vector register as a type that compiled loops may use.
#
# Left to itself the compiler does not put neighbouring problems into one register. Here four of
# them lie side by side in memory (the last axis, flattened) and a `Lanes` value holds one number
# of each. On machines with narrower registers the compiler splits them; results do not change.
# ----------------------------------------------------------------------------------------------


WIDTH = 4
REGISTER = ir.VectorType(ir.DoubleType(), WIDTH)


class Lanes(types.Type):  # type: ignore[misc]
    """The type of four numbers in one register."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


lanes = Lanes()


@register_model(Lanes)
class _Register(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, REGISTER)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), REGISTER.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def load(_: Any, array: Any, offset: Any) -> Any:
    """The four numbers that start at `offset` of a flat array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(_pointer(context, builder, signature.args[0], *args))
        value.align = 8
        return value

    return lanes(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(_: Any, array: Any, offset: Any, value: Any) -> Any:
    """Put four numbers where `load` finds them."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target = _pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], target).align = 8
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def spread(_: Any, number: Any) -> Any:
    """The same number four times."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nothing = ir.Constant(REGISTER, ir.Undefined)
        first = builder.insert_element(nothing, args[0], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(first, nothing, zeros)

    return lanes(types.float64), generate


def _call(name: str, *args: Any, builder: Any) -> Any:
    """One of LLVM's own functions of registers."""
    kind = ir.FunctionType(REGISTER, [REGISTER] * len(args))
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f64")
    return builder.call(function, args)


@intrinsic  # type: ignore[untyped-decorator]
def plus(_: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call("fma", *args, builder=builder)

    return lanes(lanes, lanes, lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def minus(_: Any, a: Any, b: Any, c: Any) -> Any:
    """c - a b, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call("fma", builder.fneg(args[0]), args[1], args[2], builder=builder)

    return lanes(lanes, lanes, lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def root(_: Any, a: Any) -> Any:
    """Square roots."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call("sqrt", *args, builder=builder)

    return lanes(lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def larger(_: Any, a: Any, b: Any) -> Any:
    """The larger of two, lane by lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call("maxnum", *args, builder=builder)

    return lanes(lanes, lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def smaller(_: Any, a: Any, b: Any) -> Any:
    """The smaller of two, lane by lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call("minnum", *args, builder=builder)

    return lanes(lanes, lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def choose(_: Any, on: Any, a: Any, b: Any) -> Any:
    """a where `on` is positive and b elsewhere, even where the other one is not a number."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        positive = builder.fcmp_ordered(">", args[0], ir.Constant(REGISTER, [0.0] * WIDTH))
        return builder.select(positive, args[1], args[2])

    return lanes(lanes, lanes, lanes), generate


def _arithmetic(symbol: Callable[[Any, Any], Any], instruction: str) -> None:
    """Let an operator of Python work on registers."""

    @intrinsic  # type: ignore[untyped-decorator]
    def work(_: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args)

        return lanes(lanes, lanes), generate

    @overload(symbol)  # type: ignore[untyped-decorator]
    def applied(a: Any, b: Any) -> Any:
        def together(a: Any, b: Any) -> Any:
            return work(a, b)

        return together if isinstance(a, Lanes) and isinstance(b, Lanes) else None


_arithmetic(operator.add, "fadd")
_arithmetic(operator.sub, "fsub")
_arithmetic(operator.mul, "fmul")
_arithmetic(operator.truediv, "fdiv")


# ----------------------------------------------------------------------------------------------
# Cholesky factors of four matrices at once, and what is solved with them.
#
# Lower triangles are packed by rows: entry (i, j) of all four matrices starts at 4 (i(i+1)/2 +
# j). A factor holds one over its diagonal, so that solving divides nothing.
# ----------------------------------------------------------------------------------------------


@compiled
def factor(A: Any, m: int) -> None:
    """Cholesky factors of A (m, m) in place; columns in pairs and rows by fours fill registers."""
    one = spread(1.0)
    for j in range(0, m, 2):
        rj = 2 * j * (j + 1)
        s = load(A, rj + 4 * j)
        for k in range(0, 4 * j, 4):
            x = load(A, rj + k)
            s = minus(x, x, s)
        d = one / root(s)
        store(A, rj + 4 * j, d)
        if j + 1 == m:
            break
        rq = rj + 4 * (j + 1)
        t, u = load(A, rq + 4 * j), load(A, rq + 4 * j + 4)
        for k in range(0, 4 * j, 4):
            x = load(A, rq + k)
            t, u = minus(x, load(A, rj + k), t), minus(x, x, u)
        t = t * d
        e = one / root(minus(t, t, u))
        store(A, rq + 4 * j, t)
        store(A, rq + 4 * j + 4, e)
        _below(A, m, j, d, t, e)


@compiled
def _below(A: Any, m: int, j: int, d: Any, t: Any, e: Any) -> None:
    """Columns j and j + 1 below their diagonal block, whose factor is (1/d; t, 1/e)."""
    rj = 2 * j * (j + 1)
    rq = rj + 4 * (j + 1)
    i, end = j + 2, 4 * j
    while i + 3 < m:
        r0 = 2 * i * (i + 1)
        r1 = r0 + 4 * (i + 1)
        r2 = r1 + 4 * (i + 2)
        r3 = r2 + 4 * (i + 3)
        a0, a1, a2, a3 = load(A, r0 + end), load(A, r1 + end), load(A, r2 + end), load(A, r3 + end)
        q = end + 4
        b0, b1, b2, b3 = load(A, r0 + q), load(A, r1 + q), load(A, r2 + q), load(A, r3 + q)
        for k in range(0, end, 4):
            x, y = load(A, rj + k), load(A, rq + k)
            z0, z1, z2, z3 = load(A, r0 + k), load(A, r1 + k), load(A, r2 + k), load(A, r3 + k)
            a0, b0 = minus(z0, x, a0), minus(z0, y, b0)
            a1, b1 = minus(z1, x, a1), minus(z1, y, b1)
            a2, b2 = minus(z2, x, a2), minus(z2, y, b2)
            a3, b3 = minus(z3, x, a3), minus(z3, y, b3)
        a0, a1, a2, a3 = a0 * d, a1 * d, a2 * d, a3 * d
        store(A, r0 + end, a0)
        store(A, r1 + end, a1)
        store(A, r2 + end, a2)
        store(A, r3 + end, a3)
        store(A, r0 + q, minus(a0, t, b0) * e)
        store(A, r1 + q, minus(a1, t, b1) * e)
        store(A, r2 + q, minus(a2, t, b2) * e)
        store(A, r3 + q, minus(a3, t, b3) * e)
        i += 4
    while i < m:
        r0 = 2 * i * (i + 1)
        a0, b0 = load(A, r0 + end), load(A, r0 + end + 4)
        for k in range(0, end, 4):
            z0 = load(A, r0 + k)
            a0, b0 = minus(z0, load(A, rj + k), a0), minus(z0, load(A, rq + k), b0)
        a0 = a0 * d
        store(A, r0 + end, a0)
        store(A, r0 + end + 4, minus(a0, t, b0) * e)
        i += 1


@compiled
def solve(A: Any, m: int, g: Any) -> None:
    """Replace right sides g (m,) by solutions, A being factored."""
    for i in range(m):
        r = 2 * i * (i + 1)
        a, b = load(g, 4 * i), spread(0.0)
        k = 0
        while k + 7 < 4 * i:
            a = minus(load(A, r + k), load(g, k), a)
            b = minus(load(A, r + k + 4), load(g, k + 4), b)
            k += 8
        if k < 4 * i:
            a = minus(load(A, r + k), load(g, k), a)
        store(g, 4 * i, (a + b) * load(A, r + 4 * i))
    for i in range(m - 1, -1, -1):
        r = 2 * i * (i + 1)
        a = load(g, 4 * i) * load(A, r + 4 * i)
        store(g, 4 * i, a)
        for k in range(0, 4 * i, 4):
            store(g, k, minus(load(A, r + k), a, load(g, k)))


@compiled
def solve_two(A: Any, m: int, g: Any, h: Any) -> None:
    """`solve` for two right sides, reading the factor once."""
    for i in range(m):
        r = 2 * i * (i + 1)
        a, b = load(g, 4 * i), load(h, 4 * i)
        c, d = spread(0.0), spread(0.0)
        k = 0
        while k + 7 < 4 * i:
            x, y = load(A, r + k), load(A, r + k + 4)
            a, b = minus(x, load(g, k), a), minus(x, load(h, k), b)
            c, d = minus(y, load(g, k + 4), c), minus(y, load(h, k + 4), d)
            k += 8
        if k < 4 * i:
            x = load(A, r + k)
            a, b = minus(x, load(g, k), a), minus(x, load(h, k), b)
        x = load(A, r + 4 * i)
        store(g, 4 * i, (a + c) * x)
        store(h, 4 * i, (b + d) * x)
    for i in range(m - 1, -1, -1):
        r = 2 * i * (i + 1)
        x = load(A, r + 4 * i)
        a, b = load(g, 4 * i) * x, load(h, 4 * i) * x
        store(g, 4 * i, a)
        store(h, 4 * i, b)
        for k in range(0, 4 * i, 4):
            x = load(A, r + k)
            store(g, k, minus(x, a, load(g, k)))
            store(h, k, minus(x, b, load(h, k)))


@compiled
def multiply(A: Any, m: int, v: Any, out: Any) -> None:
    """out += A v for packed symmetric A (m, m), not factored."""
    for i in range(m):
        r = 2 * i * (i + 1)
        here, a = load(v, 4 * i), spread(0.0)
        for k in range(0, 4 * i, 4):
            x = load(A, r + k)
            a = plus(x, load(v, k), a)
            store(out, k, plus(x, here, load(out, k)))
        store(out, 4 * i, load(out, 4 * i) + plus(load(A, r + 4 * i), here, a))


@compiled
def inverse_trace(A: Any, m: int, columns: Any) -> Any:
    """Sum of one over the eigenvalues, A being factored; `columns` (4, m) is room to work in.

    It is the sum of squares of the factor's inverse, found four columns at a time.
    """
    total, zero, one = spread(0.0), spread(0.0), spread(1.0)
    for j in range(0, m, 4):
        for i in range(j, m):
            r = 2 * i * (i + 1)
            a = one if i == j else zero
            b = one if i == j + 1 else zero
            c = one if i == j + 2 else zero
            d = one if i == j + 3 else zero
            for k in range(j, i):
                x, q = load(A, r + 4 * k), 16 * k
                a, b = minus(x, load(columns, q), a), minus(x, load(columns, q + 4), b)
                c, d = minus(x, load(columns, q + 8), c), minus(x, load(columns, q + 12), d)
            x, q = load(A, r + 4 * i), 16 * i
            a, b, c, d = a * x, b * x, c * x, d * x
            store(columns, q, a)
            store(columns, q + 4, b)
            store(columns, q + 8, c)
            store(columns, q + 12, d)
            total = plus(a, a, plus(b, b, plus(c, c, plus(d, d, total))))
    return total


# ----------------------------------------------------------------------------------------------
# Systems (Q + diag D) x = r of four problems at once, through the rows or through the features.
#
# Q is given packed by rows, or as signed features Z (m, p) with Q = ZZ' when these are few; then
# x = (r - Zv)/D with (I + Z'D⁻¹Z) v = Z'D⁻¹r, a system of the size of the features. Products are
# summed over some rows at a time, which stay in the cache meanwhile; each sum goes through the
# rows in their order.
# ----------------------------------------------------------------------------------------------


ROWS_AT_ONCE = 24


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
    """Factor I + Z'D⁻¹Z (p, p) into F; `scratch` has room for ROWS_AT_ONCE rows of Z."""
    for k in range(0, 2 * p * (p + 1), 4):
        store(F, k, spread(0.0))
    for first in range(0, m, ROWS_AT_ONCE):
        rows = min(ROWS_AT_ONCE, m - first)
        for i in range(rows):
            weight = spread(1.0) / root(load(D, 4 * (first + i)))
            for k in range(0, 4 * p, 4):
                z = load(Z, 4 * p * (first + i) + k)
                store(scratch, 4 * p * i + k, z * weight)
        _add_products(scratch, rows, p, F)
    for j in range(p):
        k = 2 * j * (j + 1) + 4 * j
        store(F, k, load(F, k) + spread(1.0))
    factor(F, p)


@compiled
def cross_products(T: Any, m: int, p: int, F: Any) -> None:
    """Packed T'T (p, p) of T (m, p)."""
    for k in range(0, 2 * p * (p + 1), 4):
        store(F, k, spread(0.0))
    for first in range(0, m, ROWS_AT_ONCE):
        _add_products(T[4 * p * first :], min(ROWS_AT_ONCE, m - first), p, F)


@compiled
def _add_products(T: Any, m: int, p: int, F: Any) -> None:
    """F += T'T; columns in pairs and rows of F by fours fill registers."""
    for j in range(0, p, 2):
        to = 2 * j * (j + 1) + 4 * j
        a = load(F, to)
        if j + 1 == p:
            for i in range(4 * j, 4 * p * m, 4 * p):
                x = load(T, i)
                a = plus(x, x, a)
            store(F, to, a)
            break
        under = to + 4 * (j + 1)
        b, c = load(F, under), load(F, under + 4)
        for i in range(4 * j, 4 * p * m, 4 * p):
            x, y = load(T, i), load(T, i + 4)
            a, b, c = plus(x, x, a), plus(x, y, b), plus(y, y, c)
        store(F, to, a)
        store(F, under, b)
        store(F, under + 4, c)
        _add_below(T, m, p, j, F)


@compiled
def _add_below(T: Any, m: int, p: int, j: int, F: Any) -> None:
    """Columns j and j + 1 of F += T'T, below their diagonal block."""
    k, end = j + 2, 4 * p * m
    while k + 3 < p:
        r0 = 2 * k * (k + 1) + 4 * j
        r1 = r0 + 4 * (k + 1)
        r2 = r1 + 4 * (k + 2)
        r3 = r2 + 4 * (k + 3)
        a0, a1, a2, a3 = load(F, r0), load(F, r1), load(F, r2), load(F, r3)
        b0, b1, b2, b3 = load(F, r0 + 4), load(F, r1 + 4), load(F, r2 + 4), load(F, r3 + 4)
        for i in range(0, end, 4 * p):
            x, y, q = load(T, i + 4 * j), load(T, i + 4 * j + 4), i + 4 * k
            z0, z1, z2, z3 = load(T, q), load(T, q + 4), load(T, q + 8), load(T, q + 12)
            a0, b0 = plus(x, z0, a0), plus(y, z0, b0)
            a1, b1 = plus(x, z1, a1), plus(y, z1, b1)
            a2, b2 = plus(x, z2, a2), plus(y, z2, b2)
            a3, b3 = plus(x, z3, a3), plus(y, z3, b3)
        store(F, r0, a0)
        store(F, r1, a1)
        store(F, r2, a2)
        store(F, r3, a3)
        store(F, r0 + 4, b0)
        store(F, r1 + 4, b1)
        store(F, r2 + 4, b2)
        store(F, r3 + 4, b3)
        k += 4
    while k < p:
        r0 = 2 * k * (k + 1) + 4 * j
        a0, b0 = load(F, r0), load(F, r0 + 4)
        for i in range(0, end, 4 * p):
            z0 = load(T, i + 4 * k)
            a0, b0 = plus(load(T, i + 4 * j), z0, a0), plus(load(T, i + 4 * j + 4), z0, b0)
        store(F, r0, a0)
        store(F, r0 + 4, b0)
        k += 1


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
