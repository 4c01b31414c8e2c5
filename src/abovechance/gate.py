"""The gate: what users pass to a public name is checked by what the name declares.

A function declares what it takes in its annotations: kinds of predictions, a measure, a number,
one value per case, a word of several, a list of names. `gated` reads them and checks what is
passed, once and before anything is computed, so that a wrong kind of thing is refused in one line
instead of failing somewhere inside. Inside the package functions call each other past the gate,
with what they made themselves.

Whatever has words of its own for what it takes, as measures do, says so by a method `meant`.
"""

import enum
import inspect
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from numbers import Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, TypeVar, Union, get_args, get_origin

import numpy as np

from abovechance.arrays import floats_or_none
from abovechance.docstrings import completed
from abovechance.errors import AboveChanceError, DataError, NotApplicable, did_you_mean, shown
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival, checks
from abovechance.predictions.from_arrays import FACTS, inferred
from abovechance.settings import every_setting, meant, number_of, seed_of, whole_draws

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
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
NONE = {"no column": np.empty(0)}
PLAIN: tuple[Any, ...] = (int, float, np.number)  # fractions become floats
WHOLE = 2**53  # beyond it floats, in which everything is computed, skip numbers

Function = TypeVar("Function", bound=Callable[..., Any])
Fact = TypeVar("Fact")


@dataclass(frozen=True)
class Rows:
    """An entry, or a row, for each case; passed on as it is, with its index and its names."""

    axes: tuple[int, ...] = (1,)

    def count(self, name: str, value: Any) -> int:
        """How many cases there are; refused where nothing can be counted."""
        shape = getattr(value, "shape", None)
        if not (isinstance(shape, tuple) and hasattr(value, "toarray")):  # a sparse table has one
            shape = checks.unmasked(value, name).shape
        if len(shape) not in self.axes:
            what = "one value for each case" if self.axes == (1,) else "a row for each case"
            raise DataError(f"{name} must hold {what}; got {shown(value)}.")
        return int(shape[0])


@dataclass(frozen=True)
class Numbers:
    """Numbers of so many axes, passed on as an array of floats."""

    axes: int = 1

    def of(self, name: str, value: Any) -> Any:
        """The array; refused where there is none."""
        found = floats_or_none(value)
        if found is None or found.ndim != self.axes or not found.size:
            what = {1: "a list of numbers", 2: "a table of numbers"}[self.axes]
            raise DataError(f"{name} must be {what}; got {shown(value)}.")
        return found


Row = Annotated[Any, Numbers(1)]
Matrix = Annotated[Any, Numbers(2)]
Column = Annotated[Any, Rows((1,))]
Outcome = Annotated[Any, Rows((1, 2))]
Features = Annotated[Any, Rows((1, 2, 3, 4))]  # estimators also take texts and pictures


class Trainable(Protocol):
    """What can be fitted and predicts."""

    fit: Any
    predict: Any


class Fitted(Protocol):
    """What predicts."""

    predict: Any


@contextmanager
def errors_of(who: Any, cannot: str) -> Iterator[None]:
    """What an estimator or a splitter raises of its own is told in one line, as what it said."""
    from sklearn.exceptions import NotFittedError

    try:
        yield
    except (AboveChanceError, NotFittedError, MemoryError):
        raise
    except Exception as error:
        name = who if isinstance(who, str) else type(who).__name__
        raise NotApplicable(f"{name} {cannot}; it says: {error}") from error


def offered(names: Mapping[str, Any], listed: Iterable[str]) -> dict[str, Any]:
    """The functions among the listed names, each behind the gate."""
    home = names["__name__"]
    return {name: gated(names[name], home) for name in listed if inspect.isfunction(names[name])}


def gated(function: Function, home: str | None = None) -> Function:
    """A function whose arguments are checked first, offered in the module `home`."""
    if hasattr(function, "__wrapped__"):
        return function
    takes = _Takes(function)

    @wraps(function)
    def ask(*args: Any, **options: Any) -> Any:
        args, options = takes.bound(args, options)
        given = dict(zip(takes.positional, args, strict=False)) | options
        for name, value in given.items():
            given[name] = takes.fitting(name, value)
        if takes.rows:
            takes.refuse_other_rows(given)
        if takes.columns:
            columns = {k: v for k, v in given.items() if k in takes.columns}
            checks.same_length(columns or NONE)
        first = [given.pop(name) for name in takes.positional[: len(args)]]
        return function(*first, *args[len(first) :], **given)

    taken = function.__code__.co_varnames[: _count(function)]
    returned = getattr(function.__annotations__.get("return"), "__name__", "")
    ask.__doc__ = completed(function.__doc__, taken, returned)
    ask.__module__ = home or function.__module__  # where it is offered, so that it can be pickled
    return ask  # type: ignore[return-value]


def _count(function: Callable[..., Any]) -> int:
    code = function.__code__
    return code.co_argcount + code.co_kwonlyargcount


class _Takes:
    """The parameters of a function, looked at when it is first called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @cached_property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters by name, as a plain dictionary: every call asks for each of them."""
        return dict(self.signature.parameters)

    @cached_property
    def kinds(self) -> dict[str, list[Any]]:
        """The kinds of things that each parameter takes."""
        return {k: alternatives(p.annotation) for k, p in self.parameters.items()}

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """The parameters that can be given by position."""
        return tuple(k for k, p in self.parameters.items() if p.kind in POSITIONAL)

    @cached_property
    def loose(self) -> bool:
        """Whether there may be arguments of any name."""
        return any(p.kind is p.VAR_KEYWORD for p in self.parameters.values())

    @cached_property
    def needed(self) -> frozenset[str]:
        """The parameters that must be given."""
        known = self.parameters.items()
        several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        return frozenset(k for k, p in known if p.default is p.empty and p.kind not in several)

    def bound(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments that go together; y_true and a prediction stand for predictions of theirs."""
        name, known = self.function.__name__, self.parameters
        if self._of_predictions and len(args) > 1 and _observed(args[0], args[1]):
            facts = {k: options.pop(k) for k in FACTS if k in options and k not in known}
            args = (inferred(args[0], args[1], **facts), *args[2:])
        unknown = [k for k in options if k not in known and not self.loose]
        if unknown:
            raise TypeError(
                f"{name}() got an unexpected keyword argument "
                f"{unknown[0]!r}{meant(unknown[0], known)}"
            )
        first = self.positional[: len(args)]
        if len(first) < len(args) or self.needed - {*first, *options} or {*first} & {*options}:
            try:
                self.signature.bind(*args, **options)
            except TypeError as wrong:
                takes = ", ".join(self.positional)
                raise DataError(f"{name} takes {takes}: {wrong}.") from None
        return args, options

    @cached_property
    def _of_predictions(self) -> bool:
        """Whether the first argument is one model's predictions, and no other follows."""
        first = next(iter(self.parameters.values()), None)
        if first is None or first.name != "predictions":
            return False
        return any(k in PREDICTED for k in self.kinds["predictions"])

    @cached_property
    def columns(self) -> frozenset[str]:
        """The parameters that hold one value per case."""
        known = self.parameters.items()
        return frozenset(k for k, p in known if get_origin(p.annotation) is np.ndarray)

    @cached_property
    def rows(self) -> dict[str, Rows]:
        """The parameters that have an entry for each case, and are passed on as they are."""
        return self._declared(Rows)

    @cached_property
    def numbers(self) -> dict[str, Numbers]:
        """The parameters that are arrays of numbers."""
        return self._declared(Numbers)

    def _declared(self, what: type[Fact]) -> dict[str, Fact]:
        """The parameters of which a fact of this type is declared."""
        return {
            name: fact
            for name, kinds in self.kinds.items()
            for kind in kinds
            for fact in getattr(kind, "__metadata__", ())
            if isinstance(fact, what)
        }

    def refuse_other_rows(self, given: Mapping[str, Any]) -> None:
        """Refuse columns of which some have more cases than others."""
        counts = {
            k: known.count(k, given[k])
            for k, known in self.rows.items()
            if given.get(k) is not None
        }
        if len(set(counts.values())) > 1:
            found = ", ".join(f"{name} has {size}" for name, size in counts.items())
            raise DataError(f"all must have the same number of cases; {found}.")

    def fitting(self, name: str, value: Any) -> Any:
        """A value as the parameter wants it; refused where it is of another kind."""
        parameter = self.parameters.get(name)
        if parameter is None or value is parameter.default:
            return value
        if name not in self._checks:
            self._checks[name] = self._check(name, self.kinds[name])
        return self._checks[name](name, value)

    @cached_property
    def _checks(self) -> dict[str, Callable[[str, Any], Any]]:
        """What becomes of the values of parameters that were ever given one."""
        return {}

    def _check(self, name: str, kinds: list[Any]) -> Callable[[str, Any], Any]:
        """What becomes of a parameter's values, by the kinds that it takes."""
        if name in SPECIAL:
            return SPECIAL[name]
        predicted = [k for k in kinds if k in PREDICTED]
        if predicted:
            called = f"{self.function.__name__} takes"
            return lambda name, value: _predictions(called, name, value, predicted)
        meant = next((kind.meant for kind in kinds if hasattr(kind, "meant")), None)
        if meant is not None:
            several = any(get_origin(k) is not None for k in kinds)
            return lambda _, value: meant(value, several=several)
        rows, numbers = self.rows.get(name), self.numbers.get(name)
        loose = Any in kinds or kinds == [inspect.Parameter.empty]

        def fitted(name: str, value: Any) -> Any:
            if rows is not None and (value is not None or NoneType not in kinds):
                rows.count(name, value)
                return value
            if numbers is not None and value is not None:
                return numbers.of(name, value)
            return value if loose else _fitting(name, value, kinds)

        return fitted


def _fitting(name: str, value: Any, kinds: list[Any]) -> Any:
    """A value that is one of several kinds, as the function wants it."""
    array = next((k for k in kinds if get_origin(k) is np.ndarray), None)
    if array is not None and not (value is None and NoneType in kinds):
        return _array(name, value, array, alone=len(kinds) > 1)
    if float in kinds or int in kinds:
        number = as_number(value, kinds)
        if number is not None:
            return number
    if any(fits(value, kind) for kind in kinds):
        return value
    wanted = in_words(kinds)
    if isinstance(value, float) and not np.isfinite(value):
        wanted = wanted.replace("a number", "a finite number")
    words = [str(word) for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    near = did_you_mean(value.lower(), words) if isinstance(value, str) else ""
    raise DataError(f"{name} must be {wanted}; got {shown(value)}{near or '.'}")


def in_words(kinds: Iterable[Any]) -> str:
    """Kinds of things as a message names them.

    >>> in_words([int, str, type(None)])
    'a whole number, a word or None'
    """
    *others, last = dict.fromkeys(words for kind in kinds for words in _words(kind))
    return f"{', '.join(others)} or {last}" if others else last


def _observed(first: Any, second: Any) -> bool:
    """Whether these are values of cases, what was observed and what was predicted."""
    if isinstance(first, Predictions | str | Mapping) or isinstance(second, str | Predictions):
        return False
    if hasattr(type(second), "meant"):
        return False
    return checks.axes(first) == 1 and checks.axes(second) in (1, 2)


def alternatives(annotation: Any) -> list[Any]:
    """The kinds of things that an annotation allows."""
    if get_origin(annotation) in (Union, UnionType):
        return [k for part in get_args(annotation) for k in alternatives(part)]
    return [NoneType if annotation is None else annotation]


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


def _array(name: str, value: Any, kind: Any, *, alone: bool) -> Any:
    """One value per case; where nothing need be given, a single number is one of them."""
    if alone and checks.axes(value) == 0 and isinstance(value, Real):
        value = [value]
    array = checks.vector(name, value)
    if not array.size:
        raise DataError(f"{name} must hold at least one value; it is empty.")
    numeric = "float" in str(get_args(kind)[-1:])
    return _numbers(name, array) if numeric else array


def as_number(value: Any, kinds: Sequence[Any]) -> Any:
    """A number that fits, as numpy can take it; None for what is none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return None
    number = number_of(value)
    if number != number:
        return None
    if float in kinds:
        return value if isinstance(value, PLAIN) and abs(number) < WHOLE else number
    return value if number.is_integer() and abs(number) <= WHOLE else None


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind, as far as an annotation tells."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind in (float, int):
        return as_number(value, [kind]) is not None
    if origin is Literal:
        return isinstance(value, str | int) and value in parts
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in alternatives(kind))
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and _all_fit(value.values(), parts[1:])
    if origin is not None and issubclass(origin, Callable):  # type: ignore[arg-type]
        return callable(value) and not isinstance(value, type)
    if origin is tuple and Ellipsis not in parts:
        return _several(value, True) and len(value) == len(parts) and all(map(fits, value, parts))
    if origin is not None and issubclass(origin, Iterable):
        return _several(value, issubclass(origin, Collection)) and _all_fit(
            value, parts[:1] if isinstance(value, Collection) else ()
        )
    if getattr(kind, "_is_protocol", False):
        return not isinstance(value, type) and all(hasattr(value, part) for part in _members(kind))
    return isinstance(value, origin or kind) if isinstance(origin or kind, type) else True


def _several(value: Any, known: bool) -> bool:
    """Whether there are several things to go through; `known` asks for how many."""
    if isinstance(value, str | bytes | Mapping | Predictions) or getattr(value, "ndim", 1) != 1:
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") if known else (
        isinstance(value, Iterable)
    )  # fmt: skip


def _all_fit(values: Iterable[Any], kinds: tuple[Any, ...]) -> bool:
    kinds = tuple(kind for kind in kinds if kind is not Any)
    return not kinds or all(fits(value, kinds[0]) for value in values)


def _members(protocol: Any) -> list[str]:
    """What a protocol asks for."""
    own = {*vars(protocol), *getattr(protocol, "__annotations__", {})}
    return [name for name in own if not name.startswith("_") or name == "__call__"]


def _words(kind: Any) -> list[str]:
    """What a kind is called in a message."""
    origin, parts = get_origin(kind), get_args(kind)
    known = {
        bool: "True or False",
        float: "a number",
        int: "a whole number",
        str: "a word",
        NoneType: "None",
    }
    if kind in known:
        return [known[kind]]
    if origin is Literal:
        return [repr(word) for word in parts]
    if origin is not None and issubclass(origin, Mapping):
        return ["a dictionary"]
    if origin is not None and issubclass(origin, Callable):  # type: ignore[arg-type]
        return ["a function"]
    if origin is not None and issubclass(origin, os.PathLike):
        return ["a path"]
    if origin is not None and issubclass(origin, Iterable):
        return [f"a list of {_plural(parts[0])}" if parts else "a list"]
    name = getattr(kind, "__name__", str(kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return [f"a {name}, as {name}.{next(iter(kind)).name}"]
    return [f"a {name}"]


def _plural(kind: Any) -> str:
    """What several of a kind are called in a message.

    >>> _plural(float), _plural(tuple[int, float]), _plural(Mapping[str, float])
    ('numbers', 'pairs of numbers', 'dictionaries')
    """
    known = {str: "names", float: "numbers", int: "whole numbers", Any: "values"}
    if kind in known:
        return known[kind]
    if get_origin(kind) is tuple and len(get_args(kind)) == 2:
        return "pairs of numbers"
    return "dictionaries" if _words(kind) == ["a dictionary"] else "values of the right kind"


def _pair(name: str, value: Any) -> Any:
    """Two numbers, the smaller first."""
    both = floats_or_none(value)
    if both is None or both.shape != (2,) or not both[0] < both[1]:
        raise DataError(f"{name} must be two numbers, the smaller first; got {shown(value)}.")
    return float(both[0]), float(both[1])


def _seed(name: str, value: Any) -> Any:
    if not isinstance(value, np.random.Generator | np.random.SeedSequence):
        seed_of(value)
    return value


def _numbers(name: str, value: Any) -> Any:
    found = checks.numbers(name, checks.vector(name, value))
    checks.finite(name, found)
    return found


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


def _names(name: str, value: Any) -> Any:
    return None if value is None else checks.names(name, value)


SPECIAL = {
    **{one.keyword: one.check for one in every_setting() if one.check is not None},
    "draws": _draws,
    "rng": _seed,
    "bounds": _pair,
    "weights": _numbers,
    "pair_weight": _numbers,
    "differences": _numbers,
    "values": _some_numbers,
    "feature_names": _names,
}
