"""Statistics under permuted outcomes: all permutations, or until every test is decided."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.resampling import (
    Resampling,
    Sequential,
    exceedances,
    in_order,
    replicate_blocks,
    stream,
)
from abovechance.resampling.draws import codes, members
from abovechance.signal import evaluate, evaluate_numeric

OBSERVED = 2**31  # a block number that no permutation uses
BLOCK = 128
"""Permutations that share a stream."""


@dataclass(frozen=True, eq=False)
class Labellings:
    """Statistics on permuted outcomes (size, S), as work for blocks.

    `outcome` holds class numbers, or numbers. `fast` is that of `evaluate`; it changes no value, so
    a stored run goes on with another.
    """

    X: Floats
    outcome: Array
    statistics: tuple[Any, ...]
    scheme: Any
    permute: str
    fast: bool | None = field(compare=False)
    seed: int = field(default=0, compare=False)  # of folds that are kept; runs have it themselves

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        """A part of a block is cut from the whole: folds are drawn for all labellings at once."""
        if self.permute == "features":
            return self._shuffled(rng, size)
        if self.permute == "rows":
            return self._moved(self.scheme.draw(rng, size))
        return self._permuted(rng, max(size, BLOCK))[:size]

    def observed(self) -> Floats:
        """The statistics (S,) of the outcomes as they are."""
        if self.permute == "rows":
            return self._moved(np.arange(len(self.X))[None, :])[0]
        return self.values(self.X, self.outcome[None, :], stream(self.seed, OBSERVED))[0]

    def _moved(self, orders: Array) -> Floats:
        """Whole rows moved to other places; folds and samples, from one stream, stay."""
        if self.outcome.dtype.kind == "f":
            return evaluate_numeric(self.X, self.outcome[orders], self.statistics)
        rng = stream(self.seed, OBSERVED)
        labels = np.broadcast_to(self.outcome, orders.shape)
        return evaluate(self.X, labels, self.statistics, rng, fast=self.fast, orders=orders)

    def _permuted(self, rng: np.random.Generator, size: int) -> Floats:
        drawn = self.scheme.draw(rng, size)
        chosen = drawn.astype(np.int64) if drawn.dtype == np.bool_ else self.outcome[drawn]
        if self.permute == "blocks":
            return self._apart(chosen, rng)
        return self.values(self.X, chosen, rng)

    def values(self, X: Floats, outcomes: Array, rng: np.random.Generator) -> Floats:
        """Values (B, S) for outcomes (B, n)."""
        if self.outcome.dtype.kind == "f":
            return evaluate_numeric(X, outcomes, self.statistics)
        return evaluate(X, outcomes, self.statistics, rng, fast=self.fast)

    def _shuffled(self, rng: np.random.Generator, size: int) -> Floats:
        """Every feature permuted on its own: breaks their correlation as well."""
        rows = []
        for _ in range(size):
            other = rng.permuted(self.X, axis=0)
            rows.append(self.values(other, self.outcome[None, :], rng)[0])
        return np.array(rows)

    def _apart(self, outcomes: Array, rng: np.random.Generator) -> Floats:
        """Blocks of unequal size change how many cases have an outcome: those sets one by one."""
        kinds, which = np.unique(np.sort(outcomes, axis=1), axis=0, return_inverse=True)
        found = np.empty((len(outcomes), len(self.statistics)))
        for kind in range(len(kinds)):
            rows = which.ravel() == kind
            found[rows] = self.values(self.X, outcomes[rows], rng)
        return found


def every_value(work: Labellings, how: Resampling) -> list[Floats]:
    """The null values of every statistic, in order of the statistics."""
    found = replicate_blocks(work, how, block=BLOCK)
    assert isinstance(found, np.ndarray)
    return list(found.T)


def until_decided(
    work: Labellings,
    how: Resampling,
    observed: Floats,
    *,
    level: float,
    risk: float,
    shared: int,
) -> tuple[list[Floats], list[str | None]]:
    """Null values of every statistic until its own test is decided, and the decisions.

    The tests read the same permutations; the last to be decided says how many are drawn. The level
    is shared by so many tests: each is decided at its part, at which Holm's method rejects too.

    References
    ----------
    Gandy (2009).
    """
    rule = Sequential(level=level / shared, risk=risk, steps=how.draws)
    drawn: list[Floats] = []
    values: list[Floats] = []
    decisions: list[str | None] = []
    part = "level" if shared == 1 else f"level/{shared}"
    stream = cast(Generator[Any, None, None], in_order(work, how, block=BLOCK))
    with closing(stream) as blocks:
        for column, value in enumerate(observed):
            answer = rule.run(_exceeding(drawn, blocks, column, float(value)))
            values.append(np.concatenate([part[:, column] for part in drawn])[: answer.steps])
            decisions.append(answer.decision and answer.decision.replace("level", part))
    return values, decisions


def _exceeding(
    drawn: list[Floats], blocks: Iterator[Any], column: int, observed: float
) -> Iterator[Bools]:
    """Blocks of one statistic: those already drawn, then new ones, which are kept for others."""
    place = 0
    while True:
        if place == len(drawn):
            fresh = next(blocks, None)
            if fresh is None:
                return
            drawn.append(fresh)
        yield exceedances(observed, drawn[place][:, column])
        place += 1


def check_stop(stop: str | None, level: float) -> None:
    """Refuse a way of stopping, or a level to stop at, that there is not."""
    if stop not in (None, "gandy"):
        raise NotApplicable(f"stop must be 'gandy' or None; got {stop!r}.")
    if stop is not None and not 0 < level < 1:
        raise NotApplicable(f"level must lie between 0 and 1; got {level}.")


def fewest_cases(outcome: Array, blocks: Array) -> Iterator[Array]:
    """For every class the labelling of whole blocks that leaves it the fewest cases.

    >>> [one.tolist() for one in fewest_cases(np.array([0, 0, 1]), np.array([7, 7, 8]))]
    [[1, 1, 0], [0, 0, 1]]
    """
    code = codes(blocks)
    parts = members(code)
    labels = outcome[[part[0] for part in parts]]
    smallest_first = np.argsort([part.size for part in parts], kind="stable")
    for label in np.unique(labels):
        moved = np.empty_like(labels)
        moved[smallest_first] = np.concatenate([labels[labels == label], labels[labels != label]])
        yield moved[code]
