"""A table of features and one column of classes or numbers, for tests of whether they belong."""

from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import ColumnError, DataError
from abovechance.io.reading import read_table
from abovechance.io.table import MISSING_WORDS, NUMBER, Table, listed_names
from abovechance.predictions.checks import rows_of

NEARLY = 0.8
"""Share of numbers from which the other cells of a column are taken for mistakes."""


class Features(NamedTuple):
    """Features (n, p), outcome and blocks, and a line that says what was taken for what."""

    X: Floats
    y: Array
    blocks: Array | None
    names: list[str]
    described: str


def features_in(
    source: Any,
    outcome: str,
    features: list[str] | None = None,
    *,
    blocks: str | None = None,
    id: str | None = None,
    missing: str = "refuse",
    sheet: str | None = None,
) -> Features:
    """Read features, outcome and blocks.

    Without names, every other column of numbers is a feature, unless it only counts the rows.

    >>> found = features_in({"y": [0, 1, 1], "a": [0.1, 0.4, 0.2], "row": [1, 2, 3]}, "y")
    >>> found.described
    'outcome = y; 1 feature; 3 rows; features: a; left out: row (counting the rows)'
    """
    table = read_table(source, sheet=sheet)
    roles = [name for name in (outcome, blocks, id) if name is not None]
    table.require([*roles, *(features or ())])
    names, left_out = (features, "") if features is not None else _chosen(table, roles)
    if not names:
        raise ColumnError(
            "no column of numbers is left to be a feature; name them with --features."
        )
    X = np.column_stack([table.number(name) for name in names])
    y = table.labels(outcome)
    units = None if blocks is None else table.text(blocks)
    absent = np.isnan(X).any(axis=1) | np.asarray(table.missing(outcome))
    gone = _settled(absent, "features and outcome", missing)
    dropped = [f"{_cases(gone)} with a missing value dropped"] if gone.any() else []
    if units is not None:
        homeless = ~gone & np.array([unit is None for unit in units])
        if _settled(homeless, "blocks", missing).any():
            dropped.append(f"{_cases(homeless)} without a block dropped")
            gone = gone | homeless
        units = units[~gone].astype(str)
    many = f"{len(names)} feature{'s' * (len(names) != 1)}"
    words = [f"outcome = {outcome}", many, f"{int((~gone).sum())} rows"]
    words.append(f"features: {listed_names(names)}{left_out}")
    return Features(X[~gone], y[~gone], units, list(names), "; ".join([*words, *dropped]))


def counts_rows(values: Floats) -> bool:
    """Whether a column only numbers the rows: whole numbers without gap or repeat, in any order.

    >>> counts_rows(np.array([7.0, 9.0, 8.0])), counts_rows(np.array([1.0, 4.0, 2.0]))
    (True, False)
    """
    steps = np.diff(np.sort(values))
    return bool(len(steps) > 1 and values[0] == np.round(values[0]) and (steps == 1).all())


def _chosen(table: Table, roles: list[str]) -> tuple[list[str], str]:
    """The columns that are features, and which were left out for what."""
    chosen: list[str] = []
    left_out: dict[str, list[str]] = {}
    for name in table.names:
        if name in roles:
            continue
        kind = table.kind(name)
        if kind == "text":
            _refuse_few_words(table, name)
        if kind != "number":
            left_out.setdefault("without numbers", []).append(name)
        elif counts_rows(table.number(name)):
            left_out.setdefault("counting the rows", []).append(name)
        else:
            chosen.append(name)
    said = [f"{listed_names(names)} ({why})" for why, names in left_out.items()]
    return chosen, f"; left out: {', '.join(said)}" if said else ""


def _refuse_few_words(table: Table, name: str) -> None:
    """Refuse a column of numbers in which a few cells hold something else."""
    cells = ["" if text is None else str(text) for text in table.text(name)]
    if table.decimal_comma:
        cells = [cell.replace(",", ".") for cell in cells]
    said = [row for row, cell in enumerate(cells) if cell.lower() not in MISSING_WORDS]
    words = [row for row in said if not NUMBER.fullmatch(cells[row])]
    numbers = len(said) - len(words)
    if words and numbers >= NEARLY * len(said):
        more = f" and {len(words) - 1} more" if len(words) > 1 else ""
        raise DataError(
            f"column {name!r} has {numbers} numbers and {cells[words[0]]!r} at row "
            f"{words[0] + 1}{more}. Correct or empty the cell, or name the columns to use with "
            "--features."
        )


def _settled(gone: Bools, what: str, missing: str) -> Bools:
    """Rows to drop; refused when there are some and dropping was not asked for."""
    if gone.any() and missing == "refuse":
        raise DataError(
            f"{what} must not be missing; they are at {rows_of(gone)}. "
            "Complete the file, or drop such cases with --missing drop."
        )
    return gone


def _cases(gone: Bools) -> str:
    many = int(gone.sum())
    return f"{many} case{'s' * (many != 1)}"
