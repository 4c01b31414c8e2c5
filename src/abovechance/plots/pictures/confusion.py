"""How many cases of each class were predicted to be of which class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abovechance.errors import DataError, NotApplicable
from abovechance.plots.chart import Axis, Cells, Chart, Series
from abovechance.plots.words import number, percent, thousands

FEW = 6  # classes whose cells have room for a share beside the count
MOST = 60
LETTERS = 60  # of all names together, below the columns


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
    many = size > FEW
    if size > MOST:
        raise NotApplicable(f"{size} classes are too many for a picture of their confusion.")
    # Names that would stand on each other below the columns are numbers there, beside rows both.
    numbered = many and sum(len(name) for name in names) > LETTERS
    places = tuple(float(i) for i in range(size))
    below = tuple(str(i + 1) for i in range(size)) if numbered else names
    beside = tuple(f"{i} {name}" for i, name in enumerate(names, 1)) if numbered else names
    across = Axis(
        title="Predicted", low=-0.5, high=size - 0.5, ticks=places, labels=below, grid=False
    )
    up = Axis(
        title="Actual", low=-0.5, high=size - 0.5, ticks=places[::-1], labels=beside, grid=False
    )
    said = "Rows are actual classes; shades and percentages are shares of a row."
    if many:
        said = "Rows are actual classes; shades are shares of a row, cells without cases are empty."
    if numbered:
        said += " Columns have the numbers of the rows."
    return Chart(
        title="Confusion matrix",
        name=name,
        caption=said + above,
        x=across,
        y=up,
        layers=(
            Cells(
                shade=share,
                texts=tuple(
                    tuple("" if many and c == 0 else _count(c) for c in row) for row in counts
                ),
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
        rows=1.1 * size if many else 0.0,
    )


def _count(value: float) -> str:
    return thousands(value) if float(value).is_integer() else number(value, 1)
