"""Compiled loops over the errors of numbers beside outcomes in other orders.

Every order is a stretch of one row, so that each loop reads memory from front to back. The callers
in `measures.turned` say what is computed.
"""

import math

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.numerics.kernels import compiled, compiled_sums

TOGETHER = 8  # logarithms taken at once, of a product


@compiled_sums
def sums(row: Floats, starts: Ints, value: Floats, weight: Floats, found: Floats) -> None:
    """Sums of absolute errors, each times the weight of its outcome unless there are none."""
    n = value.size
    for at in range(starts.size):
        start, total = starts[at], 0.0
        if weight.size:
            for i in range(n):
                total += abs(row[start + i] - value[i]) * weight[start + i]
        else:
            for i in range(n):
                total += abs(row[start + i] - value[i])
        found[at] = total


@compiled_sums
def log_sums(row: Floats, starts: Ints, value: Floats, found: Floats) -> None:
    """Sums of ln(1 + error): the logarithms of products, which errors below 1e30 do not exceed."""
    n = value.size
    part = n // TOGETHER
    product = np.empty(part)
    for at in range(starts.size):
        start, total = starts[at], 0.0
        product[:] = 1.0
        for some in range(TOGETHER):
            first = some * part
            for i in range(part):
                product[i] *= 1.0 + abs(row[start + first + i] - value[first + i])
        for i in range(part):
            total += math.log(product[i])
        for i in range(part * TOGETHER, n):
            total += math.log(1.0 + abs(row[start + i] - value[i]))
        found[at] = total


@compiled_sums
def largest(row: Floats, starts: Ints, value: Floats, found: Floats) -> None:
    """The largest absolute errors."""
    for at in range(starts.size):
        start, most = starts[at], 0.0
        for i in range(value.size):
            most = max(most, abs(row[start + i] - value[i]))
        found[at] = most


@compiled
def medians(
    row: Floats, starts: Ints, value: Floats, low: float, high: float, found: Floats
) -> None:
    """Medians of absolute errors that lie between two bounds; nan where one does not.

    Errors below are counted, and only those between are put in order.
    """
    n = value.size
    between = np.empty(n + 1)
    first, second = (n - 1) // 2, n // 2
    for at in range(starts.size):
        start, below, size = starts[at], 0, 0
        for i in range(n):
            error = abs(row[start + i] - value[i])
            between[size] = error
            below += error < low
            size += (error >= low) & (error <= high)
        found[at] = np.nan
        if below <= first and second < below + size:
            middle = np.partition(between[:size], second - below)[: second - below + 1]
            found[at] = middle[-1] if first == second else (middle[:-1].max() + middle[-1]) / 2.0
