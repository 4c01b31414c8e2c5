"""Replicates by blocks: a stream of chance for each, the same bits in any order and place."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import NotApplicable
from abovechance.resampling.draws import Scheme
from abovechance.resampling.executors import Automatic, Executor, Processes, Serial
from abovechance.resampling.store import Shelf, as_store, digest
from abovechance.resampling.tails import Tail, tail
from abovechance.settings import QUICK, Alternative, Settings

# ----------------------------------------------------------------------------------------------
# Randomness and how much of it: one seed, a stream for every block.
#
# A block of replicates draws from `SeedSequence(seed, spawn_key=(block,))` and from nothing else,
# so its result does not depend on who computes it, when, or beside which others.
# ----------------------------------------------------------------------------------------------


DEFAULT = Settings()


def runner_of(settings: Settings) -> Executor:
    """Where blocks are computed: `workers` is a number of processes, "auto", or an executor."""
    if settings.executor is not None:
        return settings.executor
    if settings.workers == "auto":
        return Automatic()
    if not isinstance(settings.workers, int):
        return settings.workers
    return Serial() if settings.workers == 1 else Processes(settings.workers)


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

BLOCK = 128  # draws in a block of a statistic of unknown cost
FAST_BLOCK = 4096  # draws in a block of the compiled engines, which make tables for each block
CELLS = 2**22  # numbers drawn at a time; a block of more is drawn in parts
JOINED = 2048  # draws of several blocks that are worked on as one where that gives the same bits


class Joinable(Protocol):
    """Work that can do several blocks at once, each with the bits it has by itself.

    It says so by `joins`: then the draws of several blocks, each from its own stream, are handed
    over together.
    """

    @property
    def joins(self) -> bool: ...

    def drawn(self, rng: np.random.Generator, size: int) -> Array: ...

    def of(self, draws: Sequence[Array]) -> Iterable[Result]: ...


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
        with one_thread():
            return self.work(stream(self.seed, block), self.rows(block))

    def joined(self, numbers: Sequence[int]) -> Iterator[tuple[int, Result]]:
        """The same of work that joins, several blocks at a time."""
        work, step = cast(Joinable, self.work), max(1, JOINED // self.size)
        for start in range(0, len(numbers), step):
            some = numbers[start : start + step]
            with one_thread():
                draws = [work.drawn(stream(self.seed, b), self.rows(b)) for b in some]
                found = list(work.of(draws))
            for block, value in zip(some, found, strict=True):
                yield block, _cut(value, self.rows(block))


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
    statistic: Callable[[Array], Array], scheme: Scheme, settings: Settings = DEFAULT
) -> Array:
    """A statistic on every draw of a scheme: (draws, …).

    The statistic is given a batch, one draw per row, and answers with one row each.

    >>> from functools import partial
    >>> from abovechance.resampling import SignFlips
    >>> null = replicate(partial(np.inner, [0.5, 1.0, 0.2]), SignFlips(3), Settings(draws=99))
    >>> null.shape, float(abs(null).max())
    ((99,), 1.7)
    """
    merged = replicate_blocks(_Statistic(statistic, scheme), settings, block=BLOCK)
    assert not isinstance(merged, dict)
    return merged


def replicate_blocks(
    work: Work, settings: Settings = DEFAULT, *, block: int = FAST_BLOCK
) -> Result:
    """All replicates that `work` computes, in order; `block` is used if the settings name none."""
    parts: list[Any] = list(in_order(work, settings, block=block))
    first = parts[0]
    if isinstance(first, dict):
        return {name: np.concatenate([part[name] for part in parts]) for name in first}
    return np.concatenate(parts)


def in_order(
    work: Work, settings: Settings = DEFAULT, *, block: int = FAST_BLOCK
) -> Iterator[Result]:
    """Blocks of replicates, first to last; a reader that has seen enough just stops reading."""
    if settings.quick:
        raise NotApplicable(QUICK)
    blocks = Blocks(work, settings.seed, settings.block or block, settings.flips)
    waiting: dict[int, Result] = {}
    given = finished = 0
    with _shelf(blocks, settings) as shelf:
        for number, value, fresh in _any_order(blocks, settings, shelf):
            if shelf is not None and fresh:
                shelf.save(number, value)
            waiting[number] = value
            finished += blocks.rows(number)
            if settings.progress is not None:
                settings.progress(finished, blocks.draws)
            while given in waiting:
                yield waiting.pop(given)
                given += 1


def _any_order(
    blocks: Blocks, settings: Settings, shelf: Shelf | None
) -> Iterator[tuple[int, Result, bool]]:
    """Blocks from the store, then the others as they are finished."""
    missing = set(range(len(blocks)))
    for number in shelf.blocks() if shelf is not None else ():
        saved = shelf.load(number) if shelf is not None and number in missing else None
        if saved is not None and _rows(saved) >= blocks.rows(number):
            missing.discard(number)
            yield number, _cut(saved, blocks.rows(number)), False
    runner, wanted = runner_of(settings), sorted(missing)
    joins = isinstance(runner, Serial | Automatic) and getattr(blocks.work, "joins", False)
    one_by_one = settings.stop is not None  # what may end early is not done ahead
    done = blocks.joined(wanted) if joins and not one_by_one else runner.map(blocks, wanted)
    for number, value in done:
        yield number, value, True


def _shelf(blocks: Blocks, settings: Settings) -> AbstractContextManager[Shelf | None]:
    store = as_store(settings.store)
    if store is None:
        return nullcontext()
    from abovechance import __version__

    # the number of draws is left out: a longer run goes on where a shorter one ended
    known = {"seed": blocks.seed, "block": blocks.size, "abovechance": __version__}
    return store.open(digest(blocks.work, sorted(known.items())), known)


def _rows(value: Result) -> int:
    return len(next(iter(value.values())) if isinstance(value, dict) else value)


def _cut(value: Result, rows: int) -> Result:
    if isinstance(value, dict):
        return {name: item[:rows] for name, item in value.items()}
    return value[:rows]


def one_thread() -> AbstractContextManager[Any]:
    """Linear algebra by one thread, for blocks have the processors."""
    found = blas(len(sys.modules))
    alone = all(library.num_threads == 1 for library in found.lib_controllers)
    return nullcontext() if alone else found.limit(limits=1)


@lru_cache(maxsize=1)
def blas(modules: int) -> Any:
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
    statistic: Callable[[Array], Array], scheme: Scheme, settings: Settings = DEFAULT
) -> Null:
    """Every arrangement when there are no more of them than draws, otherwise random ones.

    >>> from functools import partial
    >>> from abovechance.resampling import SignFlips
    >>> null = null_distribution(partial(np.inner, [0.5, 1.0, 0.2]), SignFlips(3))
    >>> null.exact, null.tail(1.7).p_value
    (True, 0.125)
    """
    if scheme.arrangements > settings.flips:
        return Null(replicate(statistic, scheme, settings), exact=False)
    every = scheme.enumerate()
    rows = max(1, CELLS // every.shape[1])
    parts = [statistic(every[start : start + rows]) for start in range(0, len(every), rows)]
    return Null(np.concatenate([np.asarray(part) for part in parts]), exact=True)
