"""Replicates by blocks: a stream of chance for each, the same bits in any order and place."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from os import PathLike
from typing import Any, NamedTuple, cast

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import AboveChanceError, shown
from abovechance.resampling.draws import Scheme
from abovechance.resampling.executors import Executor, Processes, Serial, Workers
from abovechance.resampling.store import Shelf, Store, as_store, digest
from abovechance.resampling.tails import Alternative, Tail, tail

# ----------------------------------------------------------------------------------------------
# Randomness and how much of it: one seed, a stream for every block.
#
# A block of replicates draws from `SeedSequence(seed, spawn_key=(block,))` and from nothing else,
# so its result does not depend on who computes it, when, or beside which others.
# ----------------------------------------------------------------------------------------------


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


PATIENCE = 1.0  # seconds before a bar is shown: what ends sooner needs none
STEP = 0.1  # seconds between two drawings of it
LENGTH = 30  # letters


class Bar:
    """What `progress=True` shows after a second, on one line of the error stream.

    >>> import io
    >>> stream = io.StringIO()
    >>> bar = Bar(stream, clock=iter([0.0, 2.0, 4.0]).__next__)
    >>> bar(50, 100), bar(100, 100)
    (None, None)
    >>> stream.getvalue().split("\\r")[1]
    '50%|###############               | 50/100 [00:02<00:02]'
    """

    def __init__(self, stream: Any = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._begun, self._last, self._wide = clock(), float("-inf"), 0

    def __call__(self, done: int, total: int) -> None:
        """So much is done of so much; wiped when that is all."""
        now = self._clock()
        spent = now - self._begun
        stream = sys.stderr if self._stream is None else self._stream
        if done >= total:
            if self._wide:
                print(f"\r{' ' * self._wide}\r", end="", file=stream, flush=True)
            self._begun, self._wide = now, 0
            return
        if spent < PATIENCE or now - self._last < STEP:
            return
        self._last = now
        share = done / total
        left = _minutes(spent / share - spent) if share else "?"
        cells = f"{'#' * int(share * LENGTH):{LENGTH}}"
        line = f"{share:.0%}|{cells}| {done}/{total} [{_minutes(spent)}<{left}]"
        print(f"\r{line:{self._wide}}", end="", file=stream, flush=True)
        self._wide = max(self._wide, len(line))


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60:02}:{int(seconds) % 60:02}"


def heard(progress: Any) -> Progress | None:
    """What was asked for as `progress`: a function, True for a bar, or nothing."""
    if isinstance(progress, bool) or progress is None:
        return Bar() if progress else None
    if not callable(progress):
        raise AboveChanceError(
            "progress must be True, or a function of the numbers done and to do; "
            f"got {shown(progress)}."
        )
    return cast("Progress", progress)


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
        object.__setattr__(self, "progress", heard(self.progress))  # True at the boundary
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
    from abovechance.resampling.store import digest

    return int(digest(seed, *key), 16) >> 75


def stream(seed: int, block: int) -> np.random.Generator:
    """The random numbers of one block."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,))))


# ----------------------------------------------------------------------------------------------
# Replicates by blocks: the same bits from one process, eight, or a cluster, in any order.
# ----------------------------------------------------------------------------------------------


Result = Array | dict[str, Array]
Work = Callable[[np.random.Generator, int], Result]
"""Computes replicates: given a stream and their number, an array (or arrays) with one row each."""

BLOCK = 128
"""Draws in a block of a statistic of unknown cost."""

FAST_BLOCK = 4096
"""Draws in a block of the compiled engines, which make tables for each block."""

CELLS = 2**22
"""Numbers drawn at a time; a block of more is drawn in parts."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """A computation cut into blocks; calling it with a number computes that block."""

    work: Work
    seed: int
    size: int
    draws: int

    def __len__(self) -> int:
        return -(-self.draws // self.size)

    def rows(self, block: int) -> int:
        """How many draws the block has; the last one may be short."""
        return min(self.size, self.draws - block * self.size)

    def __call__(self, block: int) -> Result:
        with _blas(len(sys.modules)).limit(limits=1):
            return self.work(stream(self.seed, block), self.rows(block))


@dataclass(frozen=True, eq=False)
class _Statistic:
    """A statistic of a scheme's draws, as work."""

    statistic: Callable[[Array], Array]
    scheme: Scheme

    def __call__(self, rng: np.random.Generator, size: int) -> Array:
        rows = max(1, CELLS // self.scheme.n)
        parts = [
            np.asarray(self.statistic(self.scheme.draw(rng, min(rows, size - start))))
            for start in range(0, size, rows)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def replicate(
    statistic: Callable[[Array], Array], scheme: Scheme, resampling: Resampling = DEFAULT
) -> Array:
    """A statistic on every draw of a scheme: (draws, …).

    The statistic is given a batch, one draw a row, and answers with one row each.

    >>> from functools import partial
    >>> from abovechance.resampling import SignFlips
    >>> null = replicate(partial(np.inner, [0.5, 1.0, 0.2]), SignFlips(3), Resampling(draws=99))
    >>> null.shape, float(abs(null).max())
    ((99,), 1.7)
    """
    merged = replicate_blocks(_Statistic(statistic, scheme), resampling, block=BLOCK)
    assert not isinstance(merged, dict)
    return merged


def replicate_blocks(
    work: Work, resampling: Resampling = DEFAULT, *, block: int = FAST_BLOCK
) -> Result:
    """All replicates that `work` computes, in order; `block` is used if the settings name none."""
    parts: list[Any] = list(in_order(work, resampling, block=block))
    first = parts[0]
    if isinstance(first, dict):
        return {name: np.concatenate([part[name] for part in parts]) for name in first}
    return np.concatenate(parts)


def in_order(
    work: Work, resampling: Resampling = DEFAULT, *, block: int = FAST_BLOCK
) -> Iterator[Result]:
    """Blocks of replicates, first to last; a reader that has seen enough just stops reading."""
    blocks = Blocks(work, resampling.seed, resampling.block or block, resampling.draws)
    waiting: dict[int, Result] = {}
    given = finished = 0
    with _shelf(blocks, resampling) as shelf:
        for number, value, fresh in _any_order(blocks, resampling, shelf):
            if shelf is not None and fresh:
                shelf.save(number, value)
            waiting[number] = value
            finished += blocks.rows(number)
            if resampling.progress is not None:
                resampling.progress(finished, blocks.draws)
            while given in waiting:
                yield waiting.pop(given)
                given += 1


def _any_order(
    blocks: Blocks, resampling: Resampling, shelf: Shelf | None
) -> Iterator[tuple[int, Result, bool]]:
    """Blocks from the store, then the others as they are finished."""
    missing = set(range(len(blocks)))
    for number in shelf.blocks() if shelf is not None else ():
        saved = shelf.load(number) if shelf is not None and number in missing else None
        if saved is not None and _rows(saved) >= blocks.rows(number):
            missing.discard(number)
            yield number, _cut(saved, blocks.rows(number)), False
    for number, value in resampling.runner.map(blocks, sorted(missing)):
        yield number, value, True


def _shelf(blocks: Blocks, resampling: Resampling) -> AbstractContextManager[Shelf | None]:
    store = as_store(resampling.store)
    if store is None:
        return nullcontext()
    from abovechance import __version__

    # the number of draws is left out: a longer run goes on where a shorter one ended
    settings = {"seed": blocks.seed, "block": blocks.size, "abovechance": __version__}
    return store.open(digest(blocks.work, sorted(settings.items())), settings)


def _rows(value: Result) -> int:
    return len(next(iter(value.values())) if isinstance(value, dict) else value)


def _cut(value: Result, rows: int) -> Result:
    if isinstance(value, dict):
        return {name: item[:rows] for name, item in value.items()}
    return value[:rows]


@lru_cache(maxsize=1)
def _blas(modules: int) -> Any:
    """Control over the threads of the linear algebra loaded so far.

    Looking for libraries takes half a millisecond; they only come with new modules.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class Null(NamedTuple):
    """What a statistic does when nothing is going on."""

    values: Array
    exact: bool

    def tail(
        self,
        observed: float,
        *,
        alternative: Alternative = "greater",
        center: float | None = None,
    ) -> Tail:
        """How far out an observed value lies."""
        return tail(observed, self.values, alternative=alternative, exact=self.exact, center=center)


def null_distribution(
    statistic: Callable[[Array], Array], scheme: Scheme, resampling: Resampling = DEFAULT
) -> Null:
    """Every arrangement when there are no more of them than draws, otherwise random ones.

    >>> from functools import partial
    >>> from abovechance.resampling import SignFlips
    >>> null = null_distribution(partial(np.inner, [0.5, 1.0, 0.2]), SignFlips(3))
    >>> null.exact, null.tail(1.7).p_value
    (True, 0.125)
    """
    if scheme.arrangements > resampling.draws:
        return Null(replicate(statistic, scheme, resampling), exact=False)
    every = scheme.enumerate()
    rows = max(1, CELLS // every.shape[1])
    parts = [statistic(every[start : start + rows]) for start in range(0, len(every), rows)]
    return Null(np.concatenate([np.asarray(part) for part in parts]), exact=True)
