"""What users give to verbs and named methods, checked once and made into what the package uses.

First what users give to a verb; then the arguments of named methods, checked by annotations.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from abovechance.errors import DataError, NotApplicable, shown
from abovechance.measures import Measure, find
from abovechance.measures.catalogue import named
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival, checks
from abovechance.predictions.from_arrays import FACTS, inferred
from abovechance.settings import every_setting, keywords, meant, seed_of, whole_draws

# ----------------------------------------------------------------------------------------------
# What users give to a verb: predictions, arrays, a table or a file; one model or several.
# ----------------------------------------------------------------------------------------------


EXAMPLE = "Binary(y_true, probability=…)"


def predictions_given(
    verb: str, given: Any, prediction: Any, measures: Any, facts: Mapping[str, Any]
) -> tuple[Predictions, Any]:
    """Predictions and measures from the first arguments of a verb.

    After predictions, a table or a file, the second argument names measures; after observed
    values it is what was predicted.
    """
    if isinstance(given, Predictions):
        _refuse_unknown(verb, facts, FACTS)
        if facts:
            name = next(iter(facts))
            raise DataError(f"{name} belongs to the predictions; give it where they are made.")
        return given, _measures(verb, prediction, measures)
    if _is_table(given) and (prediction is None or _are_names(prediction)):
        from abovechance.io import read

        _refuse_unknown(verb, facts, (*FACTS, "outcome", "probabilities", "time", "event"))
        return read(given, **facts), _measures(verb, prediction, measures)
    _refuse_unknown(verb, facts, FACTS)
    if given is not None and np.size(given) == 0:
        raise DataError("there must be at least one case; got 0 rows.")
    if given is None or np.ndim(given) == 0 or (prediction is not None and _are_names(prediction)):
        raise DataError(
            f"{verb} takes predictions, as {EXAMPLE}, or y_true and a prediction; "
            f"got {_kind_of(given)}."
        )
    return inferred(given, prediction, **facts), measures


def models_given(models: Any, y_true: Any, measures: Any, facts: Mapping[str, Any]) -> Any:
    """Predictions by name, and the measures, from the first arguments of a comparison."""
    _refuse_unknown("compare", facts, FACTS)
    if isinstance(models, Predictions) and isinstance(y_true, Predictions):
        models, y_true = [models, y_true], None
    if isinstance(y_true, Mapping) and not isinstance(models, Mapping):
        models, y_true = y_true, models  # truth first
    if isinstance(y_true, Predictions):
        raise DataError("give all models together, as {'old': …, 'new': …} or [old, new].")
    if y_true is not None and _are_names(y_true):
        measures, y_true = _measures("compare", y_true, measures), None
    made = _by_name(models)
    others = {name: p for name, p in made.items() if not isinstance(p, Predictions)}
    if not others:
        if y_true is not None or facts:
            name = "y_true" if y_true is not None else next(iter(facts))
            raise DataError(f"{name} belongs to the predictions; give it where they are made.")
        return made, measures
    name, first = next(iter(others.items()))
    if y_true is None or len(others) < len(made):
        raise DataError(
            f"models must be predictions by name, as {{'old': {EXAMPLE}, 'new': …}}; {name!r} is "
            f"{_kind_of(first)}. Of plain arrays: compare({{'old': p0, 'new': p1}}, y_true)."
        )
    return {name: inferred(y_true, p, **facts) for name, p in made.items()}, measures


def _by_name(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        return {str(name): p for name, p in models.items()}
    if hasattr(models, "columns") and not isinstance(models, Predictions):
        return {str(name): models[name] for name in models.columns}
    if isinstance(models, Sequence) and not isinstance(models, str | bytes):
        return {f"model {i + 1}": p for i, p in enumerate(models)}
    raise DataError(
        f"models must be predictions by name, as {{'old': {EXAMPLE}, 'new': …}}; "
        f"got {_kind_of(models)}."
    )


def _measures(verb: str, second: Any, measures: Any) -> Any:
    if second is not None and measures is not None:
        raise DataError(f"{verb} takes one list of measures; got two.")
    return measures if second is None else second


def _are_names(things: Any) -> bool:
    """Whether these are measures or their names, and not values of cases."""
    from abovechance.measures import Measure, find

    if isinstance(things, str | Measure):
        return True
    if not isinstance(things, Sequence | set | frozenset) or hasattr(things, "dtype"):
        return not hasattr(things, "__len__") and hasattr(things, "__iter__")  # a generator
    if not all(isinstance(thing, str | Measure) for thing in things):
        return False
    if not len(things) or any(isinstance(thing, Measure) for thing in things):
        return True
    for thing in things:
        try:
            find(thing)
        except ValueError:
            continue
        return True
    return len(set(things)) == len(things)  # misspelt names stand once, classes repeat


def _is_table(given: Any) -> bool:
    if isinstance(given, str | os.PathLike | Mapping | bytes) or hasattr(given, "columns"):
        return True
    return isinstance(given, list) and bool(given) and all(isinstance(r, Mapping) for r in given)


def _refuse_unknown(verb: str, facts: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in facts:
        if name not in known:
            raise TypeError(
                f"{verb}() got an unexpected keyword argument {name!r}"
                f"{meant(name, [*known, 'measures', *keywords(verb)])}"
            )


def _kind_of(thing: Any) -> str:
    if thing is None or isinstance(thing, Real):
        return repr(thing)
    return f"{type(thing).__name__}"


# ----------------------------------------------------------------------------------------------
# What a named method takes, checked by its own annotations before it is called.
#
# Inside the package methods call each other with what they made themselves; what users type
# passes here once, and a wrong kind of thing is refused in one line instead of failing somewhere
# inside.
# ----------------------------------------------------------------------------------------------


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
        """Arguments by name; y_true and a prediction stand for predictions of theirs."""
        name, known = self.function.__name__, self.signature.parameters
        if self._of_predictions() and len(args) > 1 and _observed(args[0], args[1]):
            facts = {k: options.pop(k) for k in FACTS if k in options and k not in known}
            args = (inferred(args[0], args[1], **facts), *args[2:])
        loose = any(p.kind is p.VAR_KEYWORD for p in known.values())
        unknown = [k for k in options if k not in known and not loose]
        if unknown:
            raise TypeError(
                f"{name}() got an unexpected keyword argument "
                f"{unknown[0]!r}{meant(unknown[0], known)}"
            )
        try:
            return self.signature.bind(*args, **options)
        except TypeError as wrong:
            takes = ", ".join(k for k, p in known.items() if p.kind in POSITIONAL)
            raise DataError(f"{name} takes {takes}: {wrong}.") from None

    def _of_predictions(self) -> bool:
        """Whether the first argument is one model's predictions, and no other follows."""
        first = next(iter(self.signature.parameters.values()), None)
        if first is None or first.name != "predictions" or self.function.__name__ == "assess":
            return False
        return any(k in PREDICTED for k in _alternatives(first.annotation))

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


def _observed(first: Any, second: Any) -> bool:
    """Whether these are values of cases, what was observed and what was predicted."""
    if isinstance(first, Predictions | str | Mapping) or isinstance(second, Measure | str):
        return False
    return np.ndim(first) == 1 and np.ndim(second) in (1, 2)


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
