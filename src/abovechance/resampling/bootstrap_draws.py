"""How a sample might have come out differently: draws with replacement, and random weights."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.resampling.draws import codes, members, one_per_case
from abovechance.resampling.random_bits import Words, bounded, compiled_draws, keys

STEPS = 2**9
"""Case-draws numpy does in the time of one elementary step of `worthwhile`."""


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Cases drawn with replacement: indices (size, n), or how often each case was drawn.

    With `strata`, every stratum keeps its size. With `groups`, whole groups are drawn, as many
    as there are; when groups differ in size a replicate has no fixed number of cases, and only
    `kind="counts"` can be given.

    >>> Bootstrap(4, kind="counts").draw(np.random.default_rng(1), 2).sum(axis=1).tolist()
    [4, 4]
    """

    n: int
    strata: npt.ArrayLike | None = None
    groups: npt.ArrayLike | None = None
    kind: Literal["indices", "counts"] = "indices"

    def __post_init__(self) -> None:
        if self.strata is not None and self.groups is not None:
            raise NotApplicable("a bootstrap takes strata or groups, not both; drop one of them")
        if self._code.size != self.n:
            name = "groups" if self.groups is not None else "strata"
            raise DataError(one_per_case(name, self._code.size, self.n))
        sizes = {part.size for part in self._members}
        if self.kind == "indices" and self.groups is not None and len(sizes) > 1:
            raise NotApplicable(
                "drawing whole groups of different sizes gives no fixed number of cases; "
                "ask for how often each case was drawn (kind='counts')"
            )

    @cached_property
    def _code(self) -> Ints:
        given = self.groups if self.groups is not None else self.strata
        return np.zeros(self.n, np.int64) if given is None else codes(given)

    @cached_property
    def _members(self) -> list[Ints]:
        return members(self._code)

    @cached_property
    def strata_members(self) -> list[Ints]:
        """The units of every stratum; one stratum without `strata`."""
        return [np.arange(self.units)] if self.groups is not None else self._members

    @cached_property
    def compiled_strata(self) -> tuple[npt.NDArray[np.uint32], Ints, bool]:
        """Strata as the compiled loops take them: members, borders, and whether there is one."""
        strata = self.strata_members
        borders = np.cumsum([0, *(part.size for part in strata)])
        return np.concatenate(strata).astype(np.uint32), borders, len(strata) == 1

    @cached_property
    def units(self) -> int:
        """How many things are drawn: cases, or groups."""
        return len(self._members) if self.groups is not None else self.n

    @cached_property
    def unit_of(self) -> Ints:
        """The unit every case belongs to."""
        return self._code if self.groups is not None else np.arange(self.n)

    @property
    def arrangements(self) -> float:
        """Infinite: samples with replacement are not equally likely, so they are never listed."""
        return math.inf

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        key = keys(rng, size)
        if self.kind == "counts":
            return self.unit_counts(key)[:, self.unit_of]
        drawn = self._drawn(key)
        if self.groups is None:
            return drawn
        return np.stack(self._members)[drawn].reshape(size, -1)

    def enumerate(self) -> Array:
        raise NotApplicable("bootstrap samples are not equally likely, so they are not listed")

    def unit_counts(self, key: Words) -> Ints:
        """How often every unit was drawn, given the keys of the draws: (draws, units)."""
        compiled = compiled_draws(len(key) * self.units // STEPS)
        if compiled is not None:
            counts = np.empty((len(key), self.units), dtype=np.int64)
            compiled.fill_rows(key, *self.compiled_strata, counts)
            return counts
        flat = self._drawn(key) + np.arange(len(key))[:, None] * self.units
        counts = np.bincount(flat.ravel(), minlength=len(key) * self.units)
        return counts.reshape(len(key), self.units)

    def _drawn(self, key: Words) -> Ints:
        """The units drawn; a stratum fills the places of its members."""
        drawn = np.empty((len(key), self.units), dtype=np.int64)
        start = 0
        for part in self.strata_members:
            drawn[:, part] = part[bounded(key, start, part.size, part.size)]
            start += (part.size + 1) // 2
        return drawn


@dataclass(frozen=True)
class BayesianBootstrap:
    """Smooth random weights in place of repetition: weights (size, n) that sum to n.

    n times a flat Dirichlet draw, so that an unweighted sum keeps its scale.

    References
    ----------
    Rubin (1981), The Bayesian bootstrap.
    """

    n: int

    @property
    def arrangements(self) -> float:
        return math.inf

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        weights = rng.standard_exponential((size, self.n))
        return weights * (self.n / weights.sum(axis=1, keepdims=True))

    def enumerate(self) -> Array:
        raise NotApplicable("random weights are continuous, so they are not listed")


# ----------------------------------------------------------------------------------------------
# Bootstrap of binary predictions: every rank, threshold and mean measure from one sweep.
#
# Cases are sorted by score once. A replicate is a count (or a weight) per case; walking down from
# the highest score with the running numbers of positives and negatives gives the pairs of the
# area under the curve, the counts at the threshold, average precision, and the sum of every loss.
# ----------------------------------------------------------------------------------------------


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
    compiled = compiled_draws(size * cases.n // STEPS)
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
