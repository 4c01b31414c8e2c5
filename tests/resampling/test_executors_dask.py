"""Dask: the same bits, workers that die, a scheduler that dies."""

import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance.errors import AboveChanceError, Unfinished
from abovechance.resampling import Dask, Settings, replicate_blocks
from abovechance.resampling.executors import Done
from resampling.machines import Machines

pytest.importorskip("distributed")
# dask and tornado warn of their own past and of sockets closed late; none of it is ours
pytestmark = [pytest.mark.filterwarnings("default")]

SETTINGS = Settings(draws=400, seed=6, block=10)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    started = Machines(tmp_path)
    yield started
    started.stop()


def test_a_local_cluster_gives_the_same_bits_and_stays_open(chores: Any) -> None:
    expected = replicate_blocks(chores.uniforms, SETTINGS)
    with Dask("local", workers=2) as cluster:
        for _ in range(2):
            found = replicate_blocks(chores.uniforms, replace(SETTINGS, workers=cluster))
            assert np.array_equal(found, expected)
        client = cluster._open[-1].client
        assert client.status == "running"
        with pytest.raises(LookupError, match="no such thing"):
            replicate_blocks(chores.failing, replace(SETTINGS, workers=cluster))
    assert client.status == "closed"


@pytest.mark.slow
def test_workers_started_apart_give_the_same_bits_though_one_dies(
    chores: Any, machines: Machines
) -> None:
    def kill(done: int, total: int) -> None:
        if done == 100:
            machines.workers[0].send_signal(signal.SIGKILL)

    expected = replicate_blocks(chores.uniforms, SETTINGS)
    executor = Dask(machines.address)
    settings = replace(SETTINGS, executor=executor, progress=kill)
    assert np.array_equal(replicate_blocks(chores.slow_uniforms, settings), expected)


@pytest.mark.slow
def test_a_dead_scheduler_ends_the_run_and_the_store_resumes_it(
    chores: Any, machines: Machines, tmp_path: Path
) -> None:
    reached = []

    def kill(done: int, total: int) -> None:
        reached.append(done)
        if done == 100:
            machines.scheduler.send_signal(signal.SIGKILL)

    store = tmp_path / "run.store"
    executor = Dask(machines.address, patience=5)
    settings = replace(SETTINGS, executor=executor, progress=kill, store=store)
    with pytest.raises(Unfinished, match="went away") as raised:
        replicate_blocks(chores.slow_uniforms, settings)
    assert "\n" not in str(raised.value)
    computed: list[int] = []

    @dataclass(frozen=True)
    class Counting:
        def map(self, task: Any, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
            for block in blocks:
                computed.append(block)
                yield block, task(block)

    again = replace(SETTINGS, store=store, executor=Counting())
    found = replicate_blocks(chores.slow_uniforms, again)
    assert np.array_equal(found, replicate_blocks(chores.uniforms, SETTINGS))
    assert 0 < len(computed) == 40 - max(reached) // 10


@pytest.mark.slow
def test_a_cluster_that_is_not_kept_open_works_once(chores: Any) -> None:
    found = replicate_blocks(chores.uniforms, replace(SETTINGS, executor=Dask("local", workers=1)))
    assert np.array_equal(found, replicate_blocks(chores.uniforms, SETTINGS))


def test_an_address_where_nobody_answers_is_said(chores: Any) -> None:
    settings = replace(SETTINGS, executor=Dask("tcp://127.0.0.1:1", patience=2))
    with pytest.raises(Unfinished, match="no Dask scheduler answers"):
        replicate_blocks(chores.uniforms, settings)


def test_what_is_not_an_address_is_refused() -> None:
    with pytest.raises(AboveChanceError, match="tcp://host:port; got 'here:8786'"):
        Dask("here:8786")


def test_what_is_not_a_finished_block_is_not_taken_for_one() -> None:
    class Handed:
        status = "finished"

        def __init__(self, value: object) -> None:
            self.value = value

        def result(self, timeout: float) -> object:
            return self.value

    dask = Dask("tcp://somewhere:8786")
    assert dask._value(Handed(Done(3, 1.0)), 3) == 1.0
    for wrong in (ConnectionError("closed"), Done(4, 1.0), None):
        with pytest.raises(Unfinished, match="went away"):
            dask._value(Handed(wrong), 3)


def test_a_block_cancelled_while_it_is_fetched_is_said_to_be_unfinished() -> None:
    from distributed.client import FutureCancelledError

    class Cancelled:
        status = "finished"

        def result(self, timeout: float) -> object:
            raise FutureCancelledError("a block", "scheduler-connection-lost")

    with pytest.raises(Unfinished, match="went away") as raised:
        Dask("tcp://somewhere:8786")._value(Cancelled(), 3)
    assert "\n" not in str(raised.value)
