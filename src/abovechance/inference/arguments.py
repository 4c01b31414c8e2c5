"""What users give to a verb: predictions, arrays, a table or a file; one model or several."""

import os
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from abovechance.errors import DataError
from abovechance.predictions import Predictions, checks
from abovechance.predictions.from_arrays import FACTS, inferred
from abovechance.settings import keywords, meant

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
    if given is not None and checks.unmasked(given, "y_true").size == 0:
        raise DataError("there must be at least one case; got 0 rows.")
    if (
        given is None
        or checks.axes(given) == 0
        or (prediction is not None and _are_names(prediction))
    ):
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
        names = getattr(models, "column_names", models.columns)  # Arrow's, others'
        return {str(name): models[name] for name in names}
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
