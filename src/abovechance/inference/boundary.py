"""What a named method takes, checked by its own annotations before it is called.

Inside the package methods call each other with what they made themselves; what users type passes
here once, and a wrong kind of thing is refused in one line instead of failing somewhere inside.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from abovechance.errors import DataError, NotApplicable, shown
from abovechance.inference.arguments import share
from abovechance.measures import Measure, find
from abovechance.measures.catalogue import named
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival, checks
from abovechance.resampling import seed_of, whole_draws

PREDICTED = {
    Binary: "Binary(y_true, probability=…)",
    Multiclass: "Multiclass(y_true, probability=…)",
    Numeric: "Numeric(y_true, value=…)",
    Survival: "Survival(time, event, risk=…)",
    Predictions: "Binary(y_true, probability=…)",
}
OUTCOMES = {
    Binary: "two classes",
    Multiclass: "several classes",
    Numeric: "numbers",
    Survival: "times to an event",
    Predictions: "any kind",
}
NONE = {"no column": np.empty(0)}


def offered(names: Mapping[str, Any], listed: Iterable[str]) -> dict[str, Any]:
    """The functions among the listed names, each with its arguments checked."""
    home = names["__name__"]
    return {name: checked(names[name], home) for name in listed if inspect.isfunction(names[name])}


def checked(function: Callable[..., Any], home: str) -> Callable[..., Any]:
    """A function whose arguments are checked first, offered in the module `home`."""
    if hasattr(function, "__wrapped__"):
        return function
    takes = _Takes(function)

    @wraps(function)
    def ask(*args: Any, **options: Any) -> Any:
        given = takes.bound(args, options)
        for name, value in given.arguments.items():
            given.arguments[name] = takes.fitting(name, value)
        checks.same_length({k: v for k, v in given.arguments.items() if takes.column(k)} or NONE)
        return function(*given.args, **given.kwargs)

    ask.__module__ = home  # where it is offered, so that it can be pickled
    return ask


class _Takes:
    """The parameters of a function, looked at when it is first called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @cached_property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    def bound(self, args: tuple[Any, ...], options: dict[str, Any]) -> inspect.BoundArguments:
        """What was given, by parameter; a TypeError for what is unknown, missing or too much."""
        try:
            return self.signature.bind(*args, **options)
        except TypeError:
            first = next(iter(self.signature.parameters.values()))
            kinds = [k for k in _alternatives(first.annotation) if k in PREDICTED]
            if kinds and len(args) > 1 and not isinstance(args[0], Predictions):
                self.fitting(first.name, args[0])  # arrays where predictions belong: says how
            raise

    def column(self, name: str) -> bool:
        """Whether a parameter holds one value per case."""
        return get_origin(self.signature.parameters[name].annotation) is np.ndarray

    def fitting(self, name: str, value: Any) -> Any:
        """A value as the parameter wants it; refused where it is of another kind."""
        parameter = self.signature.parameters[name]
        if value is parameter.default or parameter.kind is parameter.VAR_KEYWORD:
            return value
        kinds = _alternatives(parameter.annotation)
        if name in SPECIAL:
            return SPECIAL[name](name, value)
        predicted = [k for k in kinds if k in PREDICTED]
        if name == "predictions" and kinds == [Any] and self.function.__name__ != "assess":
            predicted = [Predictions]
        if predicted:
            return _predictions(f"{self.function.__name__} takes", name, value, predicted)
        if Measure in kinds:
            if not any(get_origin(k) is not None for k in kinds):
                return find(value)
            if not isinstance(value, str | Measure | Iterable | NoneType):
                named(value)  # refused there
            return value
        if NoneType in kinds and value is None:
            return value
        if self.column(name):
            return _array(name, value, kinds[0])
        if float in kinds or int in kinds:
            return _number(name, value, kinds)
        if set(kinds) <= {str, NoneType} and not isinstance(value, str):
            raise DataError(f"{name} must be a word; got {shown(value)}.")
        if set(kinds) <= {bool, NoneType} and not isinstance(value, bool | np.bool_):
            raise DataError(f"{name} must be True or False; got {shown(value)}.")
        return value


def _alternatives(annotation: Any) -> list[Any]:
    if get_origin(annotation) in (Union, UnionType):
        return [k for part in get_args(annotation) for k in _alternatives(part)]
    if get_origin(annotation) is Literal:
        return [str]
    return [annotation]


def _predictions(called: str, name: str, value: Any, kinds: list[Any]) -> Any:
    example = " or ".join(PREDICTED[k] for k in kinds)
    if not isinstance(value, Predictions):
        got = repr(value) if value is None or isinstance(value, Real) else type(value).__name__
        raise DataError(f"{called} {name.replace('_', ' ')} made with {example}; got {got}.")
    if not isinstance(value, tuple(kinds)) and not hasattr(value, "summary"):
        wanted = " or ".join(OUTCOMES[k] for k in kinds)
        remedy = " Of several classes take one with against_rest(label)." if Binary in kinds else ""
        raise NotApplicable(f"{called} predictions of {wanted}; these are {value.kind}.{remedy}")
    return value


def _array(name: str, value: Any, kind: Any) -> Any:
    array = checks.vector(name, value)
    if not array.size:
        raise DataError(f"{name} must hold at least one value; it is empty.")
    numeric = "float" in str(get_args(kind)[-1:])
    return checks.numbers(name, array) if numeric else array


def _number(name: str, value: Any, kinds: list[Any]) -> Any:
    if isinstance(value, str) and str in kinds:
        return value
    if isinstance(value, Mapping) and any(get_origin(k) is Mapping for k in kinds):
        return value
    if any(get_origin(k) is not None or k in (Any, Mapping) for k in kinds) and np.ndim(value) > 0:
        return value
    if bool in kinds and isinstance(value, bool | np.bool_):
        return value
    if isinstance(value, np.random.Generator):
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or value != value:
        raise DataError(f"{name} must be a number; got {shown(value)}.")
    if float not in kinds and not (isinstance(value, Integral) or float(value).is_integer()):
        raise DataError(f"{name} must be a whole number; got {shown(value)}.")
    return value


def _pair(name: str, value: Any) -> Any:
    """Two numbers, the smaller first."""
    try:
        low, high = (float(v) for v in value)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not low < high:
        raise DataError(f"{name} must be two numbers, the smaller first; got {shown(value)}.")
    return low, high


def _seed(name: str, value: Any) -> Any:
    if not isinstance(value, np.random.Generator | np.random.SeedSequence):
        seed_of(value)
    return value


def _numbers(name: str, value: Any) -> Any:
    return checks.numbers(name, checks.vector(name, value))


def _some_numbers(name: str, value: Any) -> Any:
    found = _numbers(name, value)
    if not found.size:
        raise DataError(f"{name} must hold at least one value; it is empty.")
    return found


def _draws(name: str, value: Any) -> Any:
    if value is None:
        raise DataError(f"{name} must be a whole number; got None.")
    whole_draws(value)
    return value


def _workers(name: str, value: Any) -> Any:
    """A number of processes, or an executor: anything that maps a task over blocks."""
    executor = callable(getattr(value, "map", None)) and np.ndim(value) == 0
    return value if executor else _number(name, value, [int])


def _names(name: str, value: Any) -> Any:
    return None if value is None else checks.names(name, value)


SPECIAL = {
    "confidence_level": share,
    "draws": _draws,
    "rng": _seed,
    "workers": _workers,
    "bounds": _pair,
    "weights": _numbers,
    "pair_weight": _numbers,
    "differences": _numbers,
    "values": _some_numbers,
    "feature_names": _names,
}
