"""A compiled loop for many classes: one column of probabilities, parted by actual class."""

from abovechance.arrays import Array, Floats, Ints
from abovechance.numerics.kernels import compiled


@compiled
def scatter_by_class(actual: Array, column: Floats, start: Ints, parted: Floats) -> None:
    """Copy the values of each class together; `start` says where each class begins."""
    place = start.copy()
    for k in range(column.size):
        c = actual[k]
        parted[place[c]] = column[k]
        place[c] += 1
