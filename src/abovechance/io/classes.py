"""Columns of probabilities matched to classes by name, never by order."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import ColumnError, DataError
from abovechance.io.columns import where_missing
from abovechance.io.names import PER_CLASS, normal
from abovechance.io.table import Table, listed_names

SUM_TOLERANCE = 1e-3  # a table rounded to three digits passes


def distinct(labels: Array) -> list[Any]:
    """The values that occur, sorted, without missing ones."""
    known = labels[~where_missing(labels)]
    if known.dtype.kind == "O":
        known = known.astype(np.str_)
    return list(np.unique(known).tolist())


def class_family(table: Table, classes: Sequence[Any], taken: Collection[str]) -> tuple[str, ...]:
    """Columns p_<class>: one prefix, then the name of a class.

    A column of that prefix whose class never occurs belongs to them when the probabilities of a
    case sum to 1 only with it.
    """
    free = [name for name in table.names if name not in taken]
    families = {}
    for prefix in PER_CLASS:
        rest = {name: normal(name).removeprefix(prefix) for name in free}
        ours = [name for name in free if normal(name).startswith(prefix) and rest[name]]
        known = [name for name in ours if rest[name] in {normal(str(c)) for c in classes}]
        if known:
            families[prefix] = tuple(
                known if _sum_to_one(table, known) else _whole(table, known, ours)
            )
    if len(families) > 1:
        shown = listed_names([name for names in families.values() for name in names])
        raise ColumnError(
            f"the probabilities of the classes stand there twice: {shown}; "
            "say which with probabilities=."
        )
    return next(iter(families.values()), ())


def class_columns(
    columns: Sequence[str] | Mapping[Any, str], classes: Sequence[Any]
) -> dict[Any, str]:
    """Which column holds the probabilities of which class.

    A column belongs to the class it is called after, alone or behind a prefix; one with the same
    prefix and another ending belongs to a class that does not occur.

    >>> class_columns(["p_well", "p_sick", "p_dead"], ["sick", "well"])
    {'well': 'p_well', 'sick': 'p_sick', 'dead': 'p_dead'}
    """
    if isinstance(columns, Mapping):
        return dict(columns)
    fits = {column: _class_of(column, classes) for column in columns}
    prefixes = {c[: len(c) - len(str(fit[0]))] for c, fit in fits.items() if fit}
    matched: dict[Any, str] = {}
    for column, fit in fits.items():
        if not fit and len(prefixes) == 1 and column.startswith(prefix := next(iter(prefixes))):
            fit = (column.removeprefix(prefix),)
        if not fit:
            raise ColumnError(
                f"column {column!r} must be called after its class, as p_{classes[0]}; "
                f"the classes are {listed_names(classes, 5)}."
            )
        if fit[0] in matched:
            raise ColumnError(
                f"every class must have one column of probabilities; {fit[0]!r} has "
                f"{matched[fit[0]]!r} and {column!r}."
            )
        matched[fit[0]] = column
    return matched


def sums_checked(first: Array, second: Array) -> None:
    """Refuse probabilities of two classes that do not sum to 1."""
    total = first + second
    off = np.abs(total - 1.0) > SUM_TOLERANCE
    if off.any():
        row = int(np.argmax(off))
        raise DataError(
            f"the probabilities of a case must sum to 1; row {row + 1} sums to {total[row]:.6g}. "
            "Give one column for every class, or normalise them."
        )


def _class_of(column: str, classes: Sequence[Any]) -> tuple[Any] | tuple[()]:
    """The class a column is called after, the longest name winning; exact spelling first."""
    for spelled in (str, normal):
        name = spelled(column)
        fits = [
            c
            for c in classes
            if name == spelled(str(c)) or name.endswith(("_" + spelled(str(c)), "." + str(c)))
        ]
        if fits:
            return (max(fits, key=lambda c: len(str(c))),)
    return ()


def _whole(table: Table, known: list[str], ours: list[str]) -> list[str]:
    """All columns of the prefix if only together they sum to 1, else the known ones."""
    try:
        return ours if len(ours) > len(known) and _sum_to_one(table, ours) else known
    except DataError:  # one of them holds no numbers
        return known


def _sum_to_one(table: Table, names: Sequence[str]) -> bool:
    total = sum((table.number(name) for name in names), start=np.zeros(table.rows))
    return not bool((np.abs(total - 1.0) > SUM_TOLERANCE).any())
