"""A study has one digest, whoever computes it and however often he is killed."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abovechance.cli import main
from abovechance.resampling import Dask, Processes, Serial, Store
from abovechance.studies import Shift, power, sample_size
from resampling.machines import Machines

Captured = pytest.CaptureFixture[str]
# dask and tornado warn of their own past and of sockets closed late; none of it is ours
pytestmark = pytest.mark.filterwarnings("default")

ASKED = [
    "reproduce",
    "rosenblatt-fig5b",
    "--statistics",
    "Hotelling,Hotelling.shrink,sd",
    "--format",
    "json",
]
BLOCKS = 12
RUN = [*ASKED, "--replications", str(16 * BLOCKS)]


def digest(executor: Any) -> str:
    """The digest of a small study of two groups."""
    study = power(
        Shift(features=5),
        ["hotelling", "hotelling_shrink", "srivastava_du"],
        n=20,
        effects=(0.0, 0.5),
        replications=150,
        draws=39,
        rng=7,
        workers=executor,
    )
    return study.digest


@pytest.fixture(scope="module")
def serial() -> str:
    return digest(Serial())


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    pytest.importorskip("distributed")
    started = Machines(tmp_path)
    yield started
    started.stop()


def test_two_processes_and_a_local_cluster_give_the_digest_of_one(serial: str) -> None:
    assert digest(Processes(2)) == serial
    pytest.importorskip("distributed")
    with Dask("local", workers=2) as cluster:
        assert digest(cluster) == serial


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3, 4, 5, 6, 7, 8])
def test_any_number_of_processes_gives_the_digest_of_one(workers: int, serial: str) -> None:
    assert digest(Processes(workers)) == serial


@pytest.mark.slow
def test_a_scheduler_with_two_workers_gives_the_digest_of_one(
    machines: Machines, serial: str, capfd: Captured
) -> None:
    assert digest(Dask(machines.address)) == serial
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_a_search_for_a_size_finds_the_same_on_a_cluster() -> None:
    pytest.importorskip("distributed")

    def found(workers: Any) -> Any:
        design = Shift(features=3)
        return sample_size(
            design, ["hotelling"], effect=0.8, replications=60, draws=39, rng=1, workers=workers
        )

    with Dask("local", workers=2) as cluster:
        assert found(cluster).sizes == found(1).sizes


def test_a_cluster_is_an_option_of_a_command(machines: Machines, capfd: Captured) -> None:
    table = machines.folder / "table.csv"
    rows = (f"{i % 2},{0.2 + 0.01 * (7 * i % 60)},{i * i % 11}" for i in range(60))
    table.write_text("\n".join(["outcome,probability,size", *rows]))
    seeded = ["--seed", "1", "--format", "json"]
    for asked in (
        [*ASKED, "--replications", "20"],
        ["assess", str(table), "--outcome", "outcome", "--measures", "brier,mcc", *seeded],
        ["detect", str(table), "--outcome", "outcome", "--tests", "hotelling,energy", *seeded],
    ):
        assert main(asked) == 0
        alone = json.loads(capfd.readouterr().out)
        assert main([*asked, "--cluster", machines.address]) == 0
        assert json.loads(capfd.readouterr().out) == alone


@pytest.mark.parametrize(
    ("asked", "said", "code"),
    [
        (["--cluster", "somewhere"], "tcp://host:port; got 'somewhere'", 2),
        (["--cluster", "tcp://127.0.0.1:1", "--workers", "3"], "has its own workers", 2),
    ],
)
def test_a_wrong_cluster_is_refused_in_one_line(
    asked: list[str], said: str, code: int, capfd: Captured
) -> None:
    assert main([*RUN, *asked]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "abovechance", *arguments]


def kept(store: Path) -> set[int]:
    """The blocks in a store; none in a file that is not one yet."""
    try:
        with contextlib.closing(sqlite3.connect(store)) as connection:
            return {row[0] for row in connection.execute("SELECT block FROM blocks")}
    except sqlite3.OperationalError:
        return set()


def wait_for_blocks(store: Path, more_than: int, run: Any) -> None:
    """Until a run has kept so many blocks, or has ended."""
    while run.poll() is None and _size(store) <= more_than:
        time.sleep(0.02)


def _size(store: Path) -> int:
    """How much is written: the store is locked while a run has it open, its files are not."""
    journal = store.with_name(f"{store.name}-wal")
    return sum(file.stat().st_size for file in (store, journal) if file.exists())


def unused(folder: Path) -> int:
    """How much is written to a store before its first block."""
    with Store(folder / "unused.store").open("task", {"seed": 0, "block": 16}):
        return _size(folder / "unused.store")


def expected(capfd: Captured) -> str:
    assert main(RUN) == 0
    return str(json.loads(capfd.readouterr().out)["digest"])


def survives(folder: Path, kills: int, workers: int, wanted: str) -> None:
    """Kill the main process at random points, from its birth on; resume; compare."""
    store, chance = folder / "run.store", random.Random(kills + workers)
    resumed = command(*RUN, "--store", str(store), "--workers", str(workers))
    before: set[int] = set()
    for _ in range(kills):
        run = subprocess.Popen(resumed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if chance.random() < 0.7:
            wait_for_blocks(store, _size(store), run)
        time.sleep(0.5 * chance.random())
        run.kill()
        run.wait()
        now = kept(store)
        assert before <= now
        before = now
    done = subprocess.run(resumed, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["digest"] == wanted
    with contextlib.closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT count(*), count(DISTINCT block) FROM blocks").fetchone()
    assert rows == (BLOCKS, BLOCKS)


def test_a_study_killed_on_the_way_resumes(tmp_path: Path, capfd: Captured) -> None:
    survives(tmp_path, kills=1, workers=1, wanted=expected(capfd))


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_twenty_five_kills_of_a_study_lose_and_double_nothing(
    workers: int, tmp_path: Path, capfd: Captured
) -> None:
    survives(tmp_path, kills=25, workers=workers, wanted=expected(capfd))


@pytest.mark.slow
def test_a_worker_of_a_cluster_dies_and_the_study_goes_on(
    machines: Machines, tmp_path: Path, capfd: Captured
) -> None:
    wanted, store = expected(capfd), tmp_path / "run.store"
    asked = command(*RUN, "--cluster", machines.address, "--store", str(store))
    run = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_blocks(store, unused(tmp_path), run)
    machines.workers[0].send_signal(signal.SIGKILL)
    out, err = run.communicate()
    assert json.loads(out)["digest"] == wanted
    assert err == ""
    assert kept(store) == set(range(BLOCKS))


@pytest.mark.slow
def test_a_scheduler_dies_and_the_study_resumes_on_another(
    machines: Machines, tmp_path: Path, capfd: Captured
) -> None:
    wanted, store = expected(capfd), tmp_path / "run.store"
    asked = command(*RUN, "--store", str(store), "--cluster")
    run = subprocess.Popen(
        [*asked, machines.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for_blocks(store, unused(tmp_path), run)
    machines.scheduler.send_signal(signal.SIGKILL)
    out, err = run.communicate()
    if run.returncode != 0:  # else it was quicker than the signal
        assert run.returncode == 3
        assert (out, err.count("\n")) == ("", 1)
        assert "went away" in err
    (tmp_path / "again").mkdir()
    others = Machines(tmp_path / "again")
    try:
        again = subprocess.run([*asked, others.address], capture_output=True, text=True, check=True)
    finally:
        others.stop()
    assert json.loads(again.stdout)["digest"] == wanted
    assert kept(store) == set(range(BLOCKS))


def test_a_second_run_on_a_store_is_refused_politely(tmp_path: Path) -> None:
    store = tmp_path / "run.store"
    asked = command(*RUN, "--store", str(store))
    first = subprocess.Popen(
        command(*ASKED, "--replications", "100000", "--store", str(store)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for_blocks(store, unused(tmp_path), first)
        second = subprocess.run(asked, capture_output=True, text=True, check=False)
    finally:
        first.kill()
        first.wait()
    assert second.returncode == 3
    assert "in use by another run" in second.stderr
    assert second.stderr.count("\n") == 1


def test_one_store_serves_several_studies(tmp_path: Path, capfd: Captured) -> None:
    asked = ["reproduce", "all", "--statistics", "Oracle", "--replications", "2", "--format", "csv"]
    store = ["--store", str(tmp_path / "all.store")]
    assert main([*asked, *store]) == 0
    first = capfd.readouterr().out
    assert main([*asked, *store]) == 0
    assert capfd.readouterr().out == first
    assert main([*asked, *store, "--seed", "1"]) == 2
    assert "seed is 0 there and 1 here" in capfd.readouterr().err
    assert os.path.getsize(store[1]) > 0
