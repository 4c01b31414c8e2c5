"""Row labels of dataframes and series: columns that carry the same ones are matched by them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Ints
from abovechance.errors import DataError, listed

BY_POSITION = "to match rows by position pass .to_numpy()"


def index_of(values: Any) -> Any:
    """The row labels of a pandas object; None for whatever has none."""
    index = getattr(values, "index", None)
    return index if hasattr(index, "get_indexer") else None  # a list's .index is a method


def aligned(columns: Mapping[str, Any]) -> tuple[dict[str, Any], Array | None, tuple[Advice, ...]]:
    """Columns in the order of the first that carries row labels; these labels; what was moved.

    Columns without row labels are matched by position, as they were made from the first. Columns
    of another length pass through: that is refused elsewhere, in words about lengths.
    """
    carrying = {name: v for name, v in columns.items() if index_of(v) is not None}
    if not carrying:
        return dict(columns), None, ()
    (first, leader), *others = carrying.items()
    index = index_of(leader)
    found, moved = dict(columns), []
    for name, values in others:
        own = index_of(values)
        if own is index or len(own) != len(index) or own.equals(index):
            continue
        found[name] = values.iloc[_places(first, index, name, own)]
        moved.append(name)
    return found, _texts(index), (on_moved(first, moved),) if moved else ()


def in_order_of(index: Array | None, name: str, values: Any) -> Any:
    """A column in the order of rows whose labels are known; it may hold other rows too."""
    own = index_of(values)
    if index is None or own is None:
        return values
    labels = _texts(own)
    if len(labels) == len(index) and np.array_equal(labels, index):
        return values
    return values.iloc[places_of("the predictions", index, name, labels)]


def places_of(first: str, wanted: Array, name: str, labels: Array) -> Ints:
    """Where each wanted row label stands among others."""
    _refuse_twice(name, labels)
    if labels.dtype.kind != wanted.dtype.kind:
        labels, wanted = labels.astype(str), wanted.astype(str)
    order = np.argsort(labels, kind="stable")
    at = np.searchsorted(labels, wanted, sorter=order)
    places = order[np.minimum(at, len(labels) - 1)]
    absent = labels[places] != wanted
    if absent.any():
        _refuse_others(first, name, wanted[absent])
    _refuse_twice(first, wanted)
    return np.asarray(places)


def _places(first: str, index: Any, name: str, own: Any) -> Ints:
    for owner, labels in ((first, index), (name, own)):
        if not labels.is_unique:
            _refuse_twice(owner, _texts(labels))
    places = np.asarray(own.get_indexer(index))
    if (places < 0).any():
        _refuse_others(first, name, _texts(index[places < 0]))
    return places


def _texts(index: Any) -> Array:
    """Row labels as numbers or text, one a row; several levels as one text."""
    labels = np.asarray(index)
    return np.array([str(label) for label in labels]) if labels.dtype.kind == "O" else labels


def _refuse_others(first: str, name: str, absent: Array) -> None:
    raise DataError(
        f"{first} and {name} must carry the same index labels to be matched by them; {name} has no "
        f"{listed(absent.tolist(), 3)}. Give both the same index; {BY_POSITION}."
    )


def _refuse_twice(name: str, labels: Array) -> None:
    seen, counts = np.unique(labels, return_counts=True)
    if (counts > 1).any():
        twice = seen[counts > 1].tolist()
        raise DataError(
            f"the index of {name} must name every row once to be matched by it; "
            f"{listed(twice, 3)} occur{'s' * (len(twice) == 1)} more than once. Number the rows "
            f"anew (reset_index); {BY_POSITION}."
        )


def on_moved(first: str, moved: list[str]) -> Advice:
    """What to know when rows were put in another order."""
    came = "has" if len(moved) == 1 else "have"
    return Advice(
        "AC003",
        f"{listed(moved)} {came} the index labels of {first} in another order; rows were matched "
        f"by label, not by position ({BY_POSITION}).",
    )
