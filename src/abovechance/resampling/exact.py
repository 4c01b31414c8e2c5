"""Exact nulls of label permutations, by counting instead of drawing."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from abovechance.errors import AboveChanceError, NotApplicable

CELLS = 200_000_000
"""Additions that counting rank sums may take: about half a second."""

LARGEST = 1000
"""With more cases the number of subsets exceeds what a float can hold."""


class ExactTail(NamedTuple):
    """Upper tail of an enumerated null: with ties (the p-value), and without."""

    p_value: float
    p_strict: float


def countable(doubled_midranks: npt.ArrayLike, positives: int) -> bool:
    """Whether `exact_rank_sum` is quick enough to be worth it."""
    ranks = _steps(doubled_midranks)
    size = min(positives, ranks.size - positives)
    return ranks.size <= LARGEST and _cells(ranks, size) <= CELLS


def exact_rank_sum(doubled_midranks: npt.ArrayLike, positives: int, observed: int) -> ExactTail:
    """The exact chance that a random set of positives has ranks summing to `observed` or more.

    Midranks are doubled so that ties stay integers. Subsets are counted by size and sum, one
    case after the other; counts are floats, all additions of positive numbers, so the relative
    error is below n · 1e-16.

    >>> exact_rank_sum([2, 4, 6, 8], 2, 14)
    ExactTail(p_value=0.1666, p_strict=0.0)
    """
    ranks = np.asarray(doubled_midranks, dtype=np.int64)
    n = ranks.size
    if not 0 < positives < n:
        raise AboveChanceError(f"both classes must occur; got {positives} positives of {n} cases")
    if not countable(ranks, positives):
        raise NotApplicable(f"counting rank sums of {n} cases takes too long; draw permutations")
    steps = _steps(ranks)
    divisor = _divisor(ranks)
    # the rank sum of the positives, in steps above the least rank
    target, remainder = divmod(int(observed) - positives * int(ranks.min()), divisor)
    least = target + (remainder > 0)
    if positives > n - positives:  # count the smaller class: sums of the rest are the whole less
        sums = _sums(steps, n - positives)
        upper = int(steps.sum()) - least
        weak = sums[: max(upper + 1, 0)].sum()
        strict = sums[: max(upper + 1 - (remainder == 0), 0)].sum()
    else:
        sums = _sums(steps, positives)
        weak = sums[max(least, 0) :].sum()
        strict = sums[max(least + (remainder == 0), 0) :].sum()
    return ExactTail(float(weak / sums.sum()), float(strict / sums.sum()))


def hypergeometric(n: int, positives: int, predicted: int, observed: int) -> ExactTail:
    """The exact chance of `observed` or more true positives when labels mean nothing.

    With both margins fixed every binary confusion measure is monotone in the true positives, so
    this is the exact permutation p of all of them (Fisher's test).

    >>> hypergeometric(8, 4, 4, 3)
    ExactTail(p_value=0.2428, p_strict=0.0142)
    """
    from scipy.stats import hypergeom

    null = hypergeom(n, positives, predicted)
    return ExactTail(float(null.sf(observed - 1)), float(null.sf(observed)))


def _steps(doubled_midranks: npt.ArrayLike) -> npt.NDArray[np.int64]:
    ranks = np.asarray(doubled_midranks, dtype=np.int64)
    return np.sort((ranks - ranks.min()) // _divisor(ranks))


def _divisor(ranks: npt.NDArray[np.int64]) -> int:
    return max(int(np.gcd.reduce(ranks - ranks.min())), 1)


def _cells(steps: npt.NDArray[np.int64], size: int) -> int:
    return int(steps.size * (size + 1) * (steps[-size:].sum() + 1))


def _sums(steps: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.float64]:
    """How many subsets of `size` have each sum."""
    return _counted(steps.tobytes(), size)


@lru_cache(maxsize=64)
def _counted(sorted_steps: bytes, size: int) -> npt.NDArray[np.float64]:
    """The same, kept: samples without ties differ only in their sizes."""
    steps = np.frombuffer(sorted_steps, dtype=np.int64)
    counts = np.zeros((size + 1, int(steps[-size:].sum()) + 1))
    counts[0, 0] = 1.0
    reach = 0
    for case, step in enumerate(steps):
        top = min(case + 1, size)
        reach = min(reach + int(step), counts.shape[1] - 1)
        shifted = counts[:top, : reach + 1 - int(step)].copy()
        counts[1 : top + 1, int(step) : reach + 1] += shifted
    found = counts[size].copy()
    found.flags.writeable = False
    return found
