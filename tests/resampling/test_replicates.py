"""Replicates are the same in any order and place."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.resampling import (
    DEFAULT,
    Bootstrap,
    LabelPermutations,
    Processes,
    Sequential,
    Serial,
    Settings,
    SignFlips,
    Sorted,
    binary_bootstrap,
    child_seed,
    exceedances,
    in_order,
    label_sums,
    null_distribution,
    replicate,
    replicate_blocks,
    seed_of,
    stream,
)
from abovechance.resampling.executors import Automatic
from abovechance.resampling.replicates import CELLS, _Statistic, runner_of

# ----------------------------------------------------------------------------------------------
# Seeds, settings and streams.
# ----------------------------------------------------------------------------------------------


def test_a_block_has_the_stream_of_its_spawn_key() -> None:
    expected = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(3,))).random(5)
    assert np.array_equal(stream(7, 3).random(5), expected)


def test_rng_becomes_one_seed() -> None:
    assert seed_of(12) == 12
    assert seed_of(np.int64(12)) == 12
    assert seed_of(None) != seed_of(None)
    rng = np.random.default_rng(1)
    assert seed_of(rng) != seed_of(rng)
    sequence = np.random.SeedSequence(5).spawn(2)
    assert seed_of(sequence[0]) != seed_of(sequence[1])
    assert seed_of(np.random.SeedSequence(5)) == seed_of(np.random.SeedSequence(5))


@pytest.mark.parametrize("rng", [None, np.random.default_rng(2), np.random.SeedSequence(2)])
def test_a_seed_survives_json(rng: object) -> None:
    seed = seed_of(rng)  # type: ignore[arg-type]
    assert 0 <= seed < 2**53
    assert int(float(seed)) == seed


@pytest.mark.parametrize("rng", [-1, True, 1.5, "7", np.random.RandomState(1)])
def test_other_things_are_no_rng(rng: object) -> None:
    with pytest.raises(AboveChanceError, match="rng must be"):
        seed_of(rng)  # type: ignore[arg-type]


def test_child_seeds_differ_and_repeat() -> None:
    seeds = [child_seed(1, part, cell) for part in ("a", "b") for cell in range(100)]
    assert len(set(seeds)) == 200
    assert max(seeds) < 2**53
    assert child_seed(1, "a", 0) == seeds[0]
    assert child_seed(2, "a", 0) != seeds[0]


def test_settings_are_checked() -> None:
    with pytest.raises(AboveChanceError, match="draws must be at least 1; got 0"):
        Settings(draws=0)
    with pytest.raises(AboveChanceError, match="workers"):
        Settings(workers=0)
    with pytest.raises(AboveChanceError, match="a whole number from 0 on"):
        Settings(seed=-1)


def test_workers_choose_the_executor() -> None:
    assert runner_of(DEFAULT) == Serial()
    assert isinstance(runner_of(Settings(workers="auto")), Automatic)
    assert runner_of(Settings(workers=3)) == Processes(3)
    assert runner_of(Settings(workers=3, executor=Serial())) == Serial()


# ----------------------------------------------------------------------------------------------
# Replicates: the same bits whoever computes them, and the first ones first.
# ----------------------------------------------------------------------------------------------


DIFFERENCES = np.random.default_rng(1).normal(0.1, size=40)
FLIPPED = partial(np.inner, DIFFERENCES)
SETTINGS = Settings(draws=500, seed=3, block=64)


@dataclass(frozen=True)
class Backwards:
    def map(self, task: Any, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
        for block in reversed(list(blocks)):
            yield block, task(block)


@pytest.mark.parametrize("executor", [Backwards(), Processes(2), Processes(3)], ids=str)
def test_every_executor_gives_the_same_bits(executor: Any) -> None:
    expected = replicate(FLIPPED, SignFlips(40), SETTINGS)
    found = replicate(FLIPPED, SignFlips(40), replace(SETTINGS, executor=executor))
    assert np.array_equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 4, 8])
def test_any_number_of_workers_gives_the_same_bits(workers: int) -> None:
    labels = np.arange(300) < 120
    work = partial(
        label_sums, np.random.default_rng(2).normal(size=(4, 300)), LabelPermutations(labels)
    )
    expected = replicate_blocks(work, SETTINGS)
    found = replicate_blocks(work, replace(SETTINGS, executor=Processes(workers)))
    assert np.array_equal(found, expected)


def test_a_longer_run_begins_with_the_shorter_one() -> None:
    long = replicate(FLIPPED, SignFlips(40), SETTINGS)
    for draws in (1, 63, 64, 65, 499):
        short = replicate(FLIPPED, SignFlips(40), replace(SETTINGS, draws=draws))
        assert np.array_equal(short, long[:draws]) or np.allclose(short, long[:draws], rtol=1e-14)


def test_the_draws_of_a_longer_run_are_the_same_to_the_bit() -> None:
    identity = partial(np.multiply, 1)
    long = replicate(identity, SignFlips(40), SETTINGS)
    for draws in (1, 63, 64, 65, 499):
        short = replicate(identity, SignFlips(40), replace(SETTINGS, draws=draws))
        assert np.array_equal(short, long[:draws])


def test_seeds_and_blocks_differ() -> None:
    first = replicate(FLIPPED, SignFlips(40), SETTINGS)
    other = replicate(FLIPPED, SignFlips(40), replace(SETTINGS, seed=4))
    assert not np.any(first == other)
    assert len(np.unique(first)) == len(first)


def test_a_wide_draw_is_cut_to_what_memory_holds() -> None:
    n = CELLS // 3
    seen = []

    def statistic(signs: Any) -> Any:
        seen.append(signs.shape)
        return signs[:, :2].sum(axis=1)

    work = _Statistic(statistic, SignFlips(n))
    whole = SignFlips(n).draw(np.random.default_rng(1), 5)[:, :2].sum(axis=1)
    assert np.array_equal(work(np.random.default_rng(1), 5), whole)
    assert seen == [(3, n), (2, n)]


def test_arrays_by_name_are_joined_by_name(chores: Any) -> None:
    found = replicate_blocks(chores.named, SETTINGS)
    assert isinstance(found, dict)
    assert found["values"].shape == (500,)
    assert found["pairs"].shape == (500, 2)
    again = replicate_blocks(chores.named, replace(SETTINGS, executor=Backwards()))
    assert all(np.array_equal(found[name], again[name]) for name in found)


def test_engines_run_by_blocks() -> None:
    rng = np.random.default_rng(3)
    cases = Sorted(rng.random(50) < 0.4, np.arange(50), 25, rng.random((2, 50)))
    work = partial(binary_bootstrap, cases, Bootstrap(50))
    found = replicate_blocks(work, SETTINGS)
    assert isinstance(found, dict)
    assert np.all(found["positives"] + found["negatives"] == 50)
    assert found["losses"].shape == (500, 2)


def test_progress_counts_draws() -> None:
    seen: list[tuple[int, int]] = []
    replicate(FLIPPED, SignFlips(40), replace(SETTINGS, progress=lambda *now: seen.append(now)))
    assert seen == [*((64 * n, 500) for n in range(1, 8)), (500, 500)]


def test_one_thread_of_linear_algebra_in_a_block(chores: Any) -> None:
    assert np.all(replicate_blocks(chores.threads, replace(SETTINGS, draws=3)) == 1)


def test_few_arrangements_are_listed_and_many_are_drawn() -> None:
    listed = null_distribution(partial(np.inner, DIFFERENCES[:9]), SignFlips(9), Settings())
    drawn = null_distribution(FLIPPED, SignFlips(40), SETTINGS)
    assert (listed.exact, len(listed.values)) == (True, 512)
    assert (drawn.exact, len(drawn.values)) == (False, 500)
    assert drawn.tail(DIFFERENCES.sum()).draws == 500


def test_a_sequential_test_reads_blocks_in_order_and_stops() -> None:
    observed = float(DIFFERENCES.sum())
    computed = []

    @dataclass(frozen=True)
    class Watched:
        def map(self, task: Any, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
            for block in blocks:
                computed.append(block)
                yield block, task(block)

    work = _Statistic(FLIPPED, SignFlips(40))
    rule = Sequential(steps=10_000)

    def result(executor: Any, draws: int) -> Any:
        settings = Settings(draws=draws, seed=3, block=16, executor=executor)
        blocks = in_order(work, settings)
        found = rule.run(exceedances(observed, block) for block in blocks)
        blocks.close()  # type: ignore[attr-defined]
        return found

    found = result(Watched(), 10_000)
    assert found.decision is not None
    assert len(computed) == -(-found.steps // 16)
    assert result(Backwards(), 2_000) == found
