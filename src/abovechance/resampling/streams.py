"""Randomness and how much of it: one seed, a stream for every block.

A block of replicates draws from `SeedSequence(seed, spawn_key=(block,))` and from nothing else, so
its result does not depend on who computes it, when, or beside which others.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from typing import Any

import numpy as np

from abovechance.errors import AboveChanceError, shown
from abovechance.resampling.executors import Executor, Processes, Serial, Workers
from abovechance.resampling.store import Store

Progress = Callable[[int, int], None]
"""Called with the number of draws done and the number wanted."""


def whole_draws(draws: Any) -> None:
    """Refuse a number of draws that is none; None asks for the default."""
    if draws is None:
        return
    if isinstance(draws, bool) or not isinstance(draws, Integral):
        raise AboveChanceError(f"draws must be a whole number; got {shown(draws)}.")
    if draws < 1:
        raise AboveChanceError(f"draws must be at least 1; got {draws}.")


def tell(done: int, total: int) -> None:
    """What `progress=True` tells, on one line of the error stream."""
    end = "\n" if done >= total else ""
    print(f"\r{done} of {total}", end=end, file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How many replicates, from which seed, computed where, and kept in which file.

    `workers` is a number of processes, or an executor such as a `Dask` cluster. `block` is the
    number of draws that share a stream; left out, the computation chooses it. Changing it
    changes the draws; changing `draws` does not change the first ones.

    >>> Resampling(draws=999, seed=7).seed
    7
    """

    draws: int = 9999
    seed: int = 0
    workers: Workers = 1
    executor: Executor | None = None
    store: Store | str | PathLike[str] | None = None
    block: int | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        whole_draws(self.draws)
        for name in ("workers", "block"):
            value = getattr(self, name)
            if isinstance(value, int) and value < 1:
                raise AboveChanceError(f"{name} must be at least 1; got {value}")
        told: Any = self.progress  # True and False at the boundary: on a line, or not at all
        if isinstance(told, bool):
            object.__setattr__(self, "progress", tell if told else None)
        if self.seed < 0:
            raise AboveChanceError(f"a seed must not be negative; got {self.seed}")

    @property
    def runner(self) -> Executor:
        """Where blocks are computed."""
        if self.executor is not None:
            return self.executor
        if not isinstance(self.workers, int):
            return self.workers
        return Serial() if self.workers == 1 else Processes(self.workers)


DEFAULT = Resampling()


def seed_of(rng: int | np.integer | np.random.Generator | np.random.SeedSequence | None) -> int:
    """The one seed that `rng=` stands for: an integer to report and to give again.

    None asks the system for a fresh one; a Generator gives its next number.

    >>> seed_of(20), seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))
    (20, True)
    """
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(11))
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**53))
    if isinstance(rng, np.random.SeedSequence):
        return int(rng.generate_state(1, np.uint64)[0] >> np.uint64(11))
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise AboveChanceError(
            "rng must be None, a whole number from 0 on, a numpy Generator or a SeedSequence; "
            f"got {shown(rng)}"
        )
    return int(rng)


def child_seed(seed: int, *key: int | str) -> int:
    """A seed for a part of a larger run, independent of that of every other part.

    >>> child_seed(1, "bootstrap") == child_seed(1, "permutation")
    False
    """
    from abovechance.resampling.digest import digest

    return int(digest(seed, *key), 16) >> 75


def stream(seed: int, block: int) -> np.random.Generator:
    """The random numbers of one block."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,))))
