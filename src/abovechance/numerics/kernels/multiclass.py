"""A compiled loop for many classes: columns of probabilities, parted by actual class."""

from abovechance.arrays import Array, Floats, Ints
from abovechance.numerics.kernels import compiled


@compiled
def scatter_by_class(actual: Array, rows: Floats, start: Ints, parted: Floats) -> None:
    """Copy the values of each class together, in every row; `start` says where classes begin.

    All rows are filled at once, so each case is fetched once, however the values lie in memory.
    """
    place = start.copy()
    for k in range(actual.size):
        c = actual[k]
        to = place[c]
        place[c] = to + 1
        for row in range(rows.shape[0]):
            parted[row, to] = rows[row, k]
