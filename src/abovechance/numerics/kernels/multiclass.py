"""Compiled loops for many classes: one column of probabilities, parted by actual class."""

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.numerics.kernels import compiled
from abovechance.numerics.kernels.binary import places


@compiled
def scatter_by_class(actual: Array, column: Floats, start: Ints, parted: Floats) -> None:
    """Copy the values of each class together; `start` says where each class begins."""
    place = start.copy()
    for k in range(column.size):
        c = actual[k]
        parted[place[c]] = column[k]
        place[c] += 1


@compiled
def twice_u_against_others(parted: Floats, start: Ints, own: int, twice_u: Ints) -> None:
    """2U of one class against every other, each sorted and followed by infinity."""
    first = parted[start[own] : start[own + 1]]
    place = np.empty(first.size, dtype=np.int64)
    for other in range(start.size - 1):
        if other == own:
            continue
        second = parted[start[other] : start[other + 1]]
        tied = places(first, second, True, place)
        below = place[:-1].sum()
        if tied:
            places(first, second, False, place)
        twice_u[other] = below + place[:-1].sum()
