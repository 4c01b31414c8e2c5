"""Blocks of cases: codes from labels, members from codes."""

import math

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Array, Ints

UNCOUNTED = 60  # more cases of every kind than this: over 2⁶⁰ labellings, called infinitely many


def codes(values: npt.ArrayLike) -> Ints:
    """Labels of any kind as 0 … K − 1, in sorted order.

    >>> codes(["b", "a", "b"])
    array([1, 0, 1])
    """
    return np.unique(np.asarray(values), return_inverse=True)[1].ravel().astype(np.int64)


def members(code: Ints) -> list[Ints]:
    """The cases of every block, in order.

    >>> [block.tolist() for block in members(np.array([1, 0, 1]))]
    [[1], [0, 2]]
    """
    order = np.argsort(code, kind="stable")
    return np.split(order, np.cumsum(np.bincount(code))[:-1])


def one_per_case(name: str, found: int, cases: int) -> str:
    """The message for a column of the wrong length."""
    return f"{name} must have one entry per case; got {found} for {cases} cases"


def labellings(
    outcome: npt.ArrayLike, permute: str = "labels", blocks: npt.ArrayLike | None = None
) -> float:
    """How many different labellings permuting can give; no p is smaller than one over this.

    Orders that exchange equal outcomes give the same labelling and count once. `permute` is
    "labels", "within" blocks, or "blocks" as wholes, of which each holds one outcome.

    >>> labellings([0, 0, 1, 1]), labellings([0, 1, 0, 1], "within", ["a", "a", "b", "b"])
    (6.0, 4.0)
    >>> labellings([0, 0, 1, 1, 1], "blocks", ["a", "a", "b", "c", "c"])
    3.0
    """
    values = np.asarray(outcome)
    if blocks is None or permute == "labels":
        return _arrangements(values)
    parts = members(codes(blocks))
    if permute == "within":
        return math.prod(_arrangements(values[part]) for part in parts)
    return _arrangements(values[[part[0] for part in parts]])


def _arrangements(values: Array) -> float:
    """The multinomial coefficient of the values, infinite when it is beyond counting."""
    found, placed = 1.0, 0
    for count in np.unique(values, return_counts=True)[1].tolist():
        placed += count
        if min(count, placed - count) > UNCOUNTED:
            return math.inf
        found *= min(math.comb(placed, count), 2**UNCOUNTED)
    return found
