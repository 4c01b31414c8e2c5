"""A table of features and one column of classes, for tests of whether classes differ."""

from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import ColumnError, DataError
from abovechance.io.read_table import read_table
from abovechance.predictions.checks import rows_of


def features_in(
    source: Any,
    outcome: str,
    features: list[str] | None = None,
    blocks: str | None = None,
    missing: str = "refuse",
) -> tuple[Floats, Array, Array | None, str]:
    """Features (n, p), classes, blocks, and a line that says what was taken for what.

    Without names, every column but the outcome and the blocks is a feature if it holds numbers.
    """
    table = read_table(source)
    table.require([name for name in (outcome, blocks) if name is not None])
    chosen, skipped = features, 0
    if chosen is None:
        others = [name for name in table.names if name not in (outcome, blocks)]
        chosen = [name for name in others if table.kind(name) == "number"]
        skipped = len(others) - len(chosen)
    else:
        table.require(chosen)
    if not chosen:
        raise ColumnError(
            "no column of numbers is left to be a feature; name them with --features."
        )
    X = np.column_stack([table.number(name) for name in chosen])
    y = table.labels(outcome)
    gone = np.isnan(X).any(axis=1) | np.asarray(table.missing(outcome))
    if gone.any():
        if missing == "refuse":
            raise DataError(
                f"features and outcome must not be missing; they are at {rows_of(gone)}. "
                "Complete the file, or drop such cases with --missing drop."
            )
        X, y = X[~gone], y[~gone]
    units = None if blocks is None else table.text(blocks)[~gone]
    words = f"outcome = {outcome}; {len(chosen)} features; {len(y)} rows"
    if skipped:
        words += f"; {skipped} column{'s' * (skipped != 1)} without numbers left out"
    if gone.any():
        words += f"; {int(gone.sum())} cases with a missing value dropped"
    return X, y, units, words
