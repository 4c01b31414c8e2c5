"""The same cases for every model: paired by id, or by row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.inference.interval_choice import expanded
from abovechance.inference.permutation import outcomes
from abovechance.predictions import Predictions
from abovechance.predictions.checks import on_moved, places_of

SHARED = ("groups", "sample_weight", "counts", "fold", "repeat", "order")


@dataclass(frozen=True, eq=False)
class Matched:
    """Models on the same cases in the same order, and what was left out to get there."""

    models: dict[str, Any]
    by: str
    unmatched: dict[str, int]
    notes: tuple[Advice, ...] = ()

    @property
    def n(self) -> int:
        return int(next(iter(self.models.values())).n)


def matched(models: Mapping[str, Predictions]) -> Matched | None:
    """The models on their common cases; None when they have ids and no case in common.

    Cases are paired by id when every model has ids, else by row.
    """
    same_kind(models)
    models = dict(zip(models, same_classes(list(models.values())), strict=True))
    keys = {name: _keys(p) for name, p in models.items()}
    if all(key is not None for key in keys.values()):
        found = _by_id(models, keys)
        if found is None:
            return None
    else:
        found = _by_row(models)
    shared, borrowed = _with_shared_facts(found.models)
    found = replace(found, models=shared, notes=(*found.notes, *borrowed))
    _same_outcomes(found)
    return replace(found, models={name: expanded(p) for name, p in found.models.items()})


def two_on_the_same_cases(first: Predictions, second: Predictions) -> tuple[Any, Any]:
    """Two models on their common cases."""
    same_kind({"the first": first, "the second": second})
    found = matched({"the first": first, "the second": second})
    if found is None:
        raise DataError("the models must share cases to be compared on them; no id is in both.")
    weighted = found.models["the first"].cases.sample_weight is not None
    if weighted:
        raise NotApplicable(
            "tests of a difference are for cases that count one each, not for sampling weights."
        )
    return found.models["the first"], found.models["the second"]


def same_kind(models: Mapping[str, Predictions]) -> None:
    """Refuse models that predict different things."""
    if len(models) < 1:
        raise DataError("there must be models to compare; got none.")
    first, *others = models.items()
    for name, p in others:
        if p.kind != first[1].kind:
            raise DataError(
                f"models must predict the same kind of outcome; {first[0]} is "
                f"{first[1].kind}, {name} is {p.kind}."
            )


def same_classes(models: Sequence[Any]) -> list[Any]:
    """Models with one list of classes, where they predict classes."""
    return [p.in_classes_of(models) for p in models]


def identical(first: Any, second: Any) -> bool:
    """Whether two models predict the same for every case, threshold and times included.

    >>> from abovechance import Binary
    >>> p = Binary([0, 1], probability=[0.2, 0.7])
    >>> identical(p, Binary([0, 1], probability=[0.2, 0.7]))
    True
    >>> identical(p, Binary([0, 1], probability=[0.2, 0.7], threshold=0.1))
    False
    """
    about = {f.name for f in fields(Predictions)}
    for name in (f.name for f in fields(first) if f.name not in about):
        if not np.array_equal(getattr(first, name), getattr(second, name)):
            return False
    return True


def _keys(predictions: Predictions) -> Array | None:
    """What names a case: its id, with its repeat when a case was predicted several times."""
    name, repeat = predictions.cases.id, predictions.cases.repeat
    if name is None:
        return None
    if repeat is None:
        return name.astype(str)
    return np.char.add(np.char.add(name.astype(str), "\0"), repeat.astype(str))


def _by_id(models: Mapping[str, Any], keys: Mapping[str, Any]) -> Matched | None:
    first = next(iter(keys.values()))
    if all(np.array_equal(key, first) for key in keys.values()):
        return Matched(dict(models), "id", dict.fromkeys(models, 0))
    common = first
    for key in keys.values():
        common = common[np.isin(common, key)]
    if not len(common):
        return None
    taken = {}
    for name, p in models.items():
        order = np.argsort(keys[name], kind="stable")
        taken[name] = p.take(order[np.searchsorted(keys[name], common, sorter=order)])
    lost = {name: key[~np.isin(key, common)] for name, key in keys.items()}
    unmatched = {name: len(key) for name, key in lost.items()}
    return Matched(taken, "id", unmatched, tuple(_on_unmatched(lost, len(common))))


def _by_row(models: Mapping[str, Any]) -> Matched:
    sizes = {name: p.n for name, p in models.items()}
    if len(set(sizes.values())) > 1:
        said = ", ".join(f"{name} has {n}" for name, n in sizes.items())
        raise DataError(
            f"models must have the same cases to be paired by row; {said}. Name the cases with "
            "id= (--id), or compare different cases with paired=False (--unpaired)."
        )
    return _by_index(models)


def _by_index(models: Mapping[str, Any]) -> Matched:
    """Rows as they stand, but those of dataframes in the order of the first one's labels."""
    carrying = {name: p for name, p in models.items() if p.cases.index is not None}
    taken, moved = dict(models), []
    first = next(iter(carrying), "")
    for name in list(carrying)[1:]:
        wanted, own = carrying[first].cases.index, carrying[name].cases.index
        if not np.array_equal(wanted, own):
            taken[name] = models[name].take(places_of(first, wanted, name, own))
            moved.append(name)
    notes = (on_moved(first, moved),) if moved else ()
    return Matched(taken, "row", dict.fromkeys(models, 0), notes)


def _on_unmatched(lost: Mapping[str, Array], common: int) -> list[Advice]:
    said = [
        f"{len(ids)} of {name} (id {listed(_names(ids), 3)})"
        for name, ids in lost.items()
        if len(ids)
    ]
    if not said:
        return []
    text = f"cases without a partner were left out: {', '.join(said)}; {common} are compared."
    return [Advice("AC140", text)]


def _names(keys: Array) -> list[str]:
    """Ids without the repeat that may be part of a key."""
    return [str(key).split("\0")[0] for key in keys]


def _with_shared_facts(models: dict[str, Any]) -> tuple[dict[str, Any], list[Advice]]:
    """Groups, weights and folds are facts about the cases, so every model has the same.

    Where they differ they are refused; what only some models came with is said.
    """
    facts: dict[str, Array] = {}
    notes, origin = [], None
    for field in SHARED:
        given = {n: getattr(p.cases, field) for n, p in models.items()}
        known = {n: column for n, column in given.items() if column is not None}
        if not known:
            continue
        (name, column), *others = known.items()
        for other, values in others:
            if not np.array_equal(column.astype(str), values.astype(str)):
                remedy = ""
                if field == "fold":
                    remedy = " Give from_cv the same splitter, or the same rng, for each model."
                raise DataError(
                    f"{field} must be the same for every model; {name} and {other} differ.{remedy}"
                )
        facts[field] = column
        without = [n for n in models if n not in known]
        if without:
            notes.append(_on_borrowed(field, name, without))
            origin = models[name].origin if field == "fold" else origin
    if "sample_weight" in facts and "counts" in facts:
        raise DataError("one model has sample_weight and another counts; give one of them to all.")
    return {n: _holding(p, facts, origin) for n, p in models.items()}, notes


def _holding(predictions: Any, facts: dict[str, Array], origin: str | None) -> Any:
    cases = replace(predictions.cases, **facts)
    return predictions.replace(cases=cases, origin=origin or predictions.origin)


def _on_borrowed(field: str, giver: str, without: list[str]) -> Advice:
    have = "has" if len(without) == 1 else "have"
    return Advice(
        "AC152",
        f"{listed(without, 3)} {have} no {field.replace('sample_weight', 'weights')}; those of "
        f"{giver} hold for every model, as they are facts about the cases.",
    )


def _same_outcomes(found: Matched) -> None:
    (name, first), *others = found.models.items()
    for other, p in others:
        apart = (outcomes(first) != outcomes(p)).any(axis=0)
        if not apart.any():
            continue
        at = np.flatnonzero(apart)
        if found.by == "id":
            where = f"id {listed(_names(first.cases.id[at]))}"
        else:
            where = f"row{'s' * (len(at) > 1)} {listed((at + 1).tolist())}"
        raise DataError(
            f"the outcome of a case must be the same for every model; {name} and {other} differ "
            f"at {where}. Check that the files belong together."
        )
