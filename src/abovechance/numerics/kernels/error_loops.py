"""Compiled loops over the errors of numbers beside outcomes in other orders.

Every order is a stretch of one row, so that each loop reads memory from front to back. The callers
in `measures.chance_levels` say what is computed.
"""

import math

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.numerics.kernels import compiled, compiled_sums, inlined

TOGETHER = 8  # logarithms taken at once, of a product


@compiled_sums
def sums(row: Floats, starts: Ints, value: Floats, weight: Floats, found: Floats) -> None:
    """Sums of absolute errors, each times the weight of its outcome unless there are none."""
    n = value.size
    for at in range(starts.size):
        total = 0.0
        outcome = row[starts[at] : starts[at] + n]
        if weight.size:
            own = weight[starts[at] : starts[at] + n]
            for i in range(n):
                total += abs(outcome[i] - value[i]) * own[i]
        else:
            for i in range(n):
                total += abs(outcome[i] - value[i])
        found[at] = total


@compiled_sums
def log_sums(row: Floats, starts: Ints, value: Floats, found: Floats) -> None:
    """Sums of ln(1 + error): the logarithms of products, which errors below 1e30 do not exceed."""
    n = value.size
    part = n // TOGETHER
    product = np.empty(part)
    for at in range(starts.size):
        total = 0.0
        outcome = row[starts[at] : starts[at] + n]
        product[:] = 1.0
        for some in range(TOGETHER):
            mine, theirs = outcome[some * part :], value[some * part :]
            for i in range(part):
                product[i] *= 1.0 + abs(mine[i] - theirs[i])
        for i in range(part):
            total += math.log(product[i])
        for i in range(part * TOGETHER, n):
            total += math.log(1.0 + abs(outcome[i] - value[i]))
        found[at] = total


@compiled_sums
def largest(row: Floats, starts: Ints, value: Floats, found: Floats) -> None:
    """The largest absolute errors."""
    for at in range(starts.size):
        most = 0.0
        outcome = row[starts[at] : starts[at] + value.size]
        for i in range(value.size):
            error = abs(outcome[i] - value[i])
            most = error if error > most else most
        found[at] = most


@compiled
def medians(
    row: Floats,
    starts: Ints,
    value: Floats,
    centre: float,
    reach: float,
    rate: float,
    found: Floats,
) -> None:
    """Medians of absolute errors that lie where expected; nan where one does not.

    Errors below a bound are counted, and only those up to another one are put in order. The bounds
    are within `reach` of the `centre`; where the `rate` of errors there is known, above 0, they are
    put closer, about where so many more or fewer errors lead.
    """
    n = value.size
    between, errors = np.empty(n), np.empty(n)
    first, second = (n - 1) // 2, n // 2
    for at in range(starts.size):
        outcome = row[starts[at] : starts[at] + n]
        for i in range(n):
            errors[i] = abs(outcome[i] - value[i])
        middle, near = centre, reach
        if rate > 0.0:
            lacking = n / 2.0 - _below(errors, centre)
            middle = centre + lacking / rate
            near = 6.0 * math.sqrt(abs(lacking) + 16.0) / rate
        below, size = 0, 0
        for i in range(n):
            below += errors[i] - middle < -near
        for i in range(n):
            if abs(errors[i] - middle) <= near:  # rarely, so that it can be guessed
                between[size] = errors[i]
                size += 1
        found[at] = np.nan
        if below <= first and second < below + size:
            some = np.partition(between[:size], second - below)[: second - below + 1]
            found[at] = some[-1] if first == second else (some[:-1].max() + some[-1]) / 2.0


@inlined
def _below(errors: Floats, bound: float) -> int:
    count = 0
    for i in range(errors.size):
        count += errors[i] < bound
    return count
