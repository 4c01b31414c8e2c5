"""Four numbers worked on at once: a vector register as a type that compiled loops may use.

Left to itself the compiler does not put neighbouring problems into one register. Here four of
them lie side by side in memory (the last axis, flattened) and a `Lanes` value holds one number of
each. On machines with narrower registers the compiler splits them; results do not change.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

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
    """a where `on` is positive and b elsewhere, whatever nonsense the other one holds."""

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
