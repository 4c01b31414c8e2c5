"""Dask: the same bits, workers that die, a scheduler that dies."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance.errors import Unfinished
from abovechance.resampling import Dask, Resampling, replicate_blocks
from abovechance.resampling.cluster import Done

pytest.importorskip("distributed")
# dask and tornado warn of their own past and of sockets closed late; none of it is ours
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.slow]

FOLDER = Path(__file__).parent
SETTINGS = Resampling(draws=400, seed=6, block=10)


@pytest.fixture
def chores(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))
    import chores

    yield chores
    sys.modules.pop("chores", None)


class Machines:
    """A scheduler and workers, each started on its own."""

    def __init__(self) -> None:
        self.environment = {**os.environ, "PYTHONPATH": str(FOLDER)}
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        assert self.scheduler.stderr is not None
        for line in self.scheduler.stderr:
            if found := re.search(r"Scheduler at:\s+(tcp://\S+)", line):
                self.address = found[1]
                break
        self.workers = [self.worker() for _ in range(2)]

    def _start(self, *arguments: str) -> Any:
        command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        return subprocess.Popen(
            [*command, "--no-dashboard"],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def worker(self) -> Any:
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny")

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            with contextlib.suppress(OSError):
                process.kill()
            process.communicate()


@pytest.fixture
def machines() -> Iterator[Machines]:
    started = Machines()
    yield started
    started.stop()


def test_a_local_cluster_gives_the_same_bits(chores: Any) -> None:
    expected = replicate_blocks(chores.uniforms, SETTINGS)
    found = replicate_blocks(chores.uniforms, replace(SETTINGS, executor=Dask("local", workers=2)))
    assert np.array_equal(found, expected)


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
    start = time.monotonic()
    with pytest.raises(Unfinished, match="went away") as raised:
        replicate_blocks(chores.slow_uniforms, settings)
    assert time.monotonic() - start < 60
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


def test_an_exception_in_a_worker_is_raised_here(chores: Any) -> None:
    with pytest.raises(LookupError, match="no such thing"):
        replicate_blocks(chores.failing, replace(SETTINGS, executor=Dask("local", workers=1)))


def test_an_address_where_nobody_answers_is_said(chores: Any) -> None:
    settings = replace(SETTINGS, executor=Dask("tcp://127.0.0.1:1", patience=2))
    with pytest.raises(Unfinished, match="no Dask scheduler answers"):
        replicate_blocks(chores.uniforms, settings)


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
