"""Bootstrap of binary predictions: every rank, threshold and mean measure from one sweep.

Cases are sorted by score once. A replicate is a count (or a weight) per case; walking down from
the highest score with the running numbers of positives and negatives gives the pairs of the area
under the curve, the counts at the threshold, average precision, and the sum of every loss.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError
from abovechance.resampling.bootstraps import STEPS, BayesianBootstrap, Bootstrap
from abovechance.resampling.words import Words, kernel, keys

CELLS = 2**21
"""Weights held in memory at once by the numpy path."""


@dataclass(frozen=True, eq=False)
class Sorted:
    """Binary predictions in order of increasing score.

    `positive` says whether the case is positive, `group` numbers the distinct scores 0, 1, …,
    `threshold` is the first case whose label is positive (n when there is none), `losses` are
    (losses, n), any number of them.
    """

    positive: Bools
    group: Ints
    threshold: int
    losses: Floats

    def __post_init__(self) -> None:
        if np.any(np.diff(self.group) < 0):
            raise DataError("cases must be sorted by score; a group number is followed by a less")
        inside = 0 < self.threshold < self.n
        if inside and self.group[self.threshold - 1] == self.group[self.threshold]:
            raise DataError("the threshold must lie between two scores; it divides equal ones")

    @property
    def n(self) -> int:
        return self.positive.size

    @cached_property
    def ends(self) -> Ints:
        """Where groups of equal scores begin, and n."""
        return np.append(np.flatnonzero(np.diff(self.group, prepend=-1)), self.n)


def binary_bootstrap(
    cases: Sorted,
    scheme: Bootstrap | BayesianBootstrap,
    rng: np.random.Generator,
    size: int,
    *,
    average_precision: bool = False,
) -> dict[str, Array]:
    """What `size` bootstrap replicates say about binary predictions, one entry per replicate.

    `scheme` draws cases in their sorted order. The entries: `tp` and `fp` at the threshold,
    `positives`, `negatives`, `doubled_u` (twice the pairs ranked rightly, ties counting one),
    `losses` (size, losses) as weighted sums and, if asked for, `average_precision`. With counts
    all but the last two are integers; with Bayesian weights they are real. The area under the
    curve is doubled_u / (2 positives negatives).

    >>> cases = Sorted(np.array([False, True]), np.array([0, 1]), 1, np.ones((1, 2)))
    >>> drawn = binary_bootstrap(cases, Bootstrap(2), np.random.default_rng(1), 50)
    >>> bool(np.all(drawn["doubled_u"] == 2 * drawn["positives"] * drawn["negatives"]))
    True
    """
    if isinstance(scheme, BayesianBootstrap):
        return sweep(cases, scheme.draw(rng, size), average_precision=average_precision)
    key = keys(rng, size)
    compiled = kernel("bootstrap", size * cases.n // STEPS)
    if compiled is not None:
        return _compiled(compiled, cases, scheme, key, average_precision)
    rows = max(1, CELLS // cases.n)
    parts = [
        sweep(
            cases,
            scheme.unit_counts(key[start : start + rows])[:, scheme.unit_of],
            average_precision=average_precision,
        )
        for start in range(0, size, rows)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def sweep(cases: Sorted, weights: Array, *, average_precision: bool = False) -> dict[str, Array]:
    """The same summary for given weights or counts (draws, n) of the sorted cases."""
    down = weights[:, ::-1]
    of_positive = np.where(cases.positive[::-1], down, 0)
    starts = cases.n - cases.ends[:0:-1]
    positives = np.add.reduceat(of_positive, starts, axis=1)
    drawn = np.cumsum(np.add.reduceat(down, starts, axis=1), axis=1)
    tp = np.cumsum(positives, axis=1)
    negatives = np.diff(drawn - tp, axis=1, prepend=0)
    above = int(np.searchsorted(starts, cases.n - cases.threshold))
    at = (drawn[:, :0].sum(axis=1),) * 2 if above == 0 else (tp[:, above - 1], drawn[:, above - 1])
    # cumulative sums add one case after the other, as the compiled loop does
    products = down[:, None, :] * cases.losses[:, ::-1]
    summary: dict[str, Array] = {
        "tp": at[0],
        "fp": at[1] - at[0],
        "positives": tp[:, -1],
        "negatives": drawn[:, -1] - tp[:, -1],
        "doubled_u": (negatives * (2 * tp - positives)).sum(axis=1),
        "losses": np.cumsum(products, axis=2)[:, :, -1],
    }
    if average_precision:
        floor = 1 if np.issubdtype(drawn.dtype, np.integer) else np.finfo(np.float64).tiny
        gains = np.cumsum((positives * tp) / np.maximum(drawn, floor), axis=1)[:, -1]
        summary["average_precision"] = _shared(gains, tp[:, -1])
    return summary


def _compiled(
    compiled: Any, cases: Sorted, scheme: Bootstrap, key: Words, average_precision: bool
) -> dict[str, Array]:
    count = len(cases.losses)
    losses = np.zeros((max(1, (count + 1) // 2), cases.n, 2))
    for row, values in enumerate(cases.losses):
        losses[row // 2, :, row % 2] = values
    tied = cases.ends.size <= cases.n
    integers = np.empty((len(key), 5), dtype=np.int64)
    reals = np.empty((len(key), 1 + 2 * len(losses)))
    compiled.binary_bootstrap(
        key,
        *scheme.compiled_strata,
        scheme.unit_of if scheme.groups is not None else np.empty(0, dtype=np.int64),
        cases.positive,
        cases.ends if tied else np.empty(0, dtype=np.int64),
        int(np.searchsorted(cases.ends, cases.threshold)) if tied else cases.threshold,
        losses,
        average_precision,
        integers,
        reals,
    )
    names = ("tp", "fp", "positives", "negatives", "doubled_u")
    summary: dict[str, Array] = dict(zip(names, integers.T, strict=True))
    summary["losses"] = reals[:, 1 : count + 1]
    if average_precision:
        summary["average_precision"] = _shared(reals[:, 0], summary["positives"])
    return summary


def _shared(gains: Floats, positives: Array) -> Floats:
    """Gains per positive; undefined without positives."""
    share = np.full(gains.shape, np.nan)
    return np.divide(gains, positives, out=share, where=positives > 0)
