"""Replicates: the same bits whoever computes them, and the first ones first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from abovechance.resampling import (
    Bootstrap,
    LabelPermutations,
    Processes,
    Resampling,
    Sequential,
    SignFlips,
    Sorted,
    binary_bootstrap,
    exceedances,
    in_order,
    label_sums,
    null_distribution,
    replicate,
    replicate_blocks,
)
from abovechance.resampling.replicate import CELLS, _Statistic

DIFFERENCES = np.random.default_rng(1).normal(0.1, size=40)
FLIPPED = partial(np.inner, DIFFERENCES)
SETTINGS = Resampling(draws=500, seed=3, block=64)


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
    listed = null_distribution(partial(np.inner, DIFFERENCES[:9]), SignFlips(9), Resampling())
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
        settings = Resampling(draws=draws, seed=3, block=16, executor=executor)
        blocks = in_order(work, settings)
        found = rule.run(exceedances(observed, block) for block in blocks)
        blocks.close()  # type: ignore[attr-defined]
        return found

    found = result(Watched(), 10_000)
    assert found.decision is not None
    assert len(computed) == -(-found.steps // 16)
    assert result(Backwards(), 2_000) == found
