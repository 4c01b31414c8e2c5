"""How a sample might have come out differently: draws with replacement, and random weights."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.resampling.blocks import codes, members, one_per_case
from abovechance.resampling.words import Words, bounded, kernel, keys

STEPS = 2**11
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
        compiled = kernel("bootstrap", len(key) * self.units // STEPS)
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
