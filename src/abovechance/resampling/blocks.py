"""Blocks of cases: codes from labels, members from codes."""

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Ints


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
