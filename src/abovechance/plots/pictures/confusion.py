"""How many cases of each class were predicted to be of which class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.errors import DataError
from abovechance.plots.chart import Axis, Cells, Chart, Series
from abovechance.plots.words import number, percent, thousands


def confusion(
    table: Any,
    labels: Sequence[Any],
    *,
    name: str = "",
    colour: str = "0",
    threshold: float | None = None,
) -> Chart:
    """A confusion table: rows actual, columns predicted, shaded by the share of the row.

    Examples
    --------
    >>> confusion([[48, 2], [5, 45]], ["well", "sick"]).layers[0].notes[0]
    ('96%', '4%')
    """
    above = "" if threshold is None else f" Cases above {threshold:g} are called {labels[-1]}."
    counts = np.asarray(table, dtype=np.float64)
    size = len(labels)
    if counts.shape != (size, size):
        raise DataError(
            f"the table must be {size} × {size}, as many as labels; got {counts.shape}."
        )
    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    names = tuple(str(label) for label in labels)
    places = tuple(float(i) for i in range(size))
    across = Axis(
        title="Predicted", low=-0.5, high=size - 0.5, ticks=places, labels=names, grid=False
    )
    up = Axis(
        title="Actual", low=-0.5, high=size - 0.5, ticks=places[::-1], labels=names, grid=False
    )
    return Chart(
        title="Confusion matrix",
        name=name,
        caption="Rows are actual classes; shades and percentages are shares of a row." + above,
        x=across,
        y=up,
        layers=(
            Cells(
                shade=share,
                texts=tuple(tuple(_count(c) for c in row) for row in counts),
                notes=tuple(tuple(percent(round(s, 2)) for s in row) for row in share),
                colour=colour,
            ),
        ),
        series=(
            Series(
                name="",
                headings=("Actual", "Predicted", "Cases"),
                columns=(
                    [a for a in names for _ in names],
                    [p for _ in names for p in names],
                    counts.ravel(),
                ),
            ),
        ),
        readout="none",
        legend=False,
        height=0.75 if size < 4 else 0.9,
    )


def _count(value: float) -> str:
    return thousands(value) if float(value).is_integer() else number(value, 1)
