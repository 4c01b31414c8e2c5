"""Worker processes: killed, failing, interrupted."""

import contextlib
import hashlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import AboveChanceError, Unfinished
from abovechance.inference import assess
from abovechance.measures import Family, Form, Law
from abovechance.predictions import Binary, View
from abovechance.resampling import Processes, Settings, executors, in_order, replicate_blocks
from abovechance.resampling.executors import LOADING, Automatic, cores

FOLDER = Path(__file__).parent


def digest(values: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def killer(kills: int) -> tuple[Any, list[int]]:
    """A progress hook that kills a worker each time it is called and there is one, up to a number.

    A worker may end by itself between being seen and being killed; that is no kill.
    """
    chance, killed = random.Random(1), []

    def kill(done: int, total: int) -> None:
        children = multiprocessing.active_children()
        if len(killed) < kills and children:
            victim = chance.choice(children)
            if victim.pid is not None:
                time.sleep(0.01 * chance.random())
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim.pid, signal.SIGKILL)
                    killed.append(victim.pid)

    return kill, killed


def run_with_kills(chores: Any, kills: int, blocks: int) -> None:
    expected = replicate_blocks(chores.uniforms, Settings(draws=blocks * 10, seed=5, block=10))
    kill, killed = killer(kills)
    found = replicate_blocks(
        chores.slow_uniforms,
        Settings(draws=blocks * 10, seed=5, block=10, executor=Processes(2), progress=kill),
    )
    assert len(killed) == kills
    assert digest(found) == digest(expected)


def test_the_blocks_of_a_killed_worker_are_done_again(chores: Any) -> None:
    run_with_kills(chores, kills=3, blocks=12)


@pytest.mark.slow
def test_fifty_killed_workers_change_nothing(chores: Any) -> None:
    run_with_kills(chores, kills=50, blocks=120)


def test_a_block_is_not_blamed_for_workers_killed_at_birth(chores: Any) -> None:
    """While one worker goes on, the other is killed as soon as it is seen, many times."""
    elder: list[Any] = []
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        children = multiprocessing.active_children()
        elder[:] = elder or children[:1]
        for child in children:
            if child.pid != elder[0].pid and child.pid is not None:
                os.kill(child.pid, signal.SIGKILL)
                killed.append(child.pid)

    settings = Settings(draws=500, seed=5, block=10, progress=kill)
    found = replicate_blocks(
        chores.slow_uniforms, replace(settings, executor=Processes(2, tries=2))
    )
    assert len(killed) > 10
    assert np.array_equal(
        found, replicate_blocks(chores.uniforms, replace(settings, progress=None))
    )


def test_a_block_that_kills_its_workers_ends_the_run(chores: Any) -> None:
    settings = Settings(draws=40, seed=1, block=10, executor=Processes(2, tries=2))
    with pytest.raises(Unfinished, match=r"block \d ended its worker 2 times \(exit code -9\)"):
        replicate_blocks(chores.deadly, settings)
    assert multiprocessing.active_children() == []


def test_an_exception_in_a_worker_is_raised_here_with_its_trace(chores: Any) -> None:
    with pytest.raises(LookupError, match="no such thing") as raised:
        replicate_blocks(chores.failing, Settings(draws=10, executor=Processes(1)))
    assert "in failing" in raised.value.__notes__[0]
    assert multiprocessing.active_children() == []


def test_workers_end_when_the_reader_stops(chores: Any) -> None:
    blocks = in_order(chores.uniforms, Settings(draws=1000, block=10, executor=Processes(2)))
    next(blocks)
    assert len(multiprocessing.active_children()) == 2
    blocks.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


def test_what_cannot_be_pickled_is_refused_with_the_remedy() -> None:
    with pytest.raises(Unfinished, match="top of a module"):
        replicate_blocks(
            lambda rng, size: rng.random(size), Settings(draws=10, executor=Processes(2))
        )


def test_a_measure_made_inside_a_function_is_refused_not_left_without_p() -> None:
    def lost(table: Any) -> Any:
        return 100.0 * (np.diagonal(table, axis1=-2, axis2=-1) / table.sum(axis=-1)).mean(axis=-1)

    def fixed(table: Any, *, turn: Any = lambda value: value) -> Any:
        return turn(lost(table))

    y = np.arange(60) % 2
    cases = Binary(y, label=np.where(np.arange(60) % 5 == 0, 1 - y, y), pos_label=1)
    # the first travels by its name and is not found there, the second cannot set out
    for function, why in ((lost, "attribute 'lost'"), (fixed, "<lambda>")):
        own = ac.measure(
            title="Hundredfold",
            form=Form.COUNTS,
            family=Family.CATEGORICAL,
            reads=View.LABEL,
            range=(0.0, 100.0),
            best=100.0,
            law=Law.UNKNOWN,
            source="a user",
        )(function)
        assert assess(cases, [own], draws=400, rng=1).estimates[0].p_value is not None
        with pytest.raises(Unfinished, match=f"{why}.*top of a module") as refused:
            assess(cases, [own], draws=400, rng=1, workers=2)
        assert "\n" not in str(refused.value)


def test_one_thread_of_linear_algebra_in_a_worker(chores: Any) -> None:
    found = replicate_blocks(chores.threads, Settings(draws=3, executor=Processes(1)))
    assert np.all(found == 1)


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import chores
from abovechance.resampling import Processes, Settings, replicate_blocks

def say(done, total):
    print(done, flush=True)

if __name__ == "__main__":
    settings = Settings(draws=100_000, block=10, executor=Processes(2), progress=say)
    try:
        replicate_blocks(chores.slow_uniforms, settings)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
"""


def children_of(pid: int) -> set[int]:
    """The children of a process, from the process table itself: no program need be installed."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            found |= {int(path.parent.name)} if parent == pid else set()
    return found


def workers_of(pid: int, least: int) -> set[int]:
    """The same once there are so many, which may be after the first block is done."""
    for _ in range(2400):
        found = children_of(pid)
        if len(found) >= least:
            break
        time.sleep(0.1)
    return found


def all_end(pids: set[int]) -> bool:
    """Whether processes end within four minutes; one that only waits to be buried has ended."""
    for _ in range(2400):
        states = []
        for pid in pids:
            with contextlib.suppress(OSError):
                states.append(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0])
        if all(state == "Z" for state in states):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the process table")
@pytest.mark.parametrize("to", ["terminal", "parent"])
def test_an_interrupt_ends_the_workers_quietly(tmp_path: Path, to: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(FOLDER)))
    run = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stdout is not None
    run.stdout.readline()
    workers = workers_of(run.pid, 2)
    if to == "terminal":
        os.killpg(run.pid, signal.SIGINT)
    else:
        os.kill(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=240)
    assert run.returncode == 130
    assert out.splitlines()[-1] == "interrupted"
    assert err == ""
    assert len(workers) >= 2
    assert all_end(workers)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs signal masks")
def test_every_worker_is_born_deaf_to_an_interrupt(tmp_path: Path) -> None:
    """A worker that still imports must not die of Ctrl-C with a trace of its own."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal, sys\n"
        f"sys.path.insert(0, {str(FOLDER)!r})\n"
        "if __name__ == '__mp_main__':\n"
        "    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
        "    os.write(1, f'{blocked} '.encode())\n"
        "from abovechance.resampling import Processes, Settings, replicate_blocks\n"
        "if __name__ == '__main__':\n"
        "    import chores\n"
        "    settings = Settings(draws=60, seed=5, block=10, executor=Processes(3))\n"
        "    replicate_blocks(chores.slow_uniforms, settings)\n"
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True"] * 3


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the process table")
def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(FOLDER)))
    run = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    run.stdout.readline()
    workers = workers_of(run.pid, 2)
    run.kill()
    run.communicate()
    assert len(workers) >= 2
    assert all_end(workers)


def test_a_script_without_a_main_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from functools import partial\n"
        "import numpy as np\n"
        "from abovechance.resampling import Processes, Settings, SignFlips, replicate\n"
        "settings = Settings(draws=9, executor=Processes(1, tries=1))\n"
        "replicate(partial(np.inner, [1.0, 2.0]), SignFlips(2), settings)\n"
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "under if __name__ == '__main__'" in run.stderr


# ----------------------------------------------------------------------------------------------
# Processes that nobody asked for: started where the work that is left repays them.
# ----------------------------------------------------------------------------------------------


def seconds(*each: float) -> Any:
    """A clock by which blocks take so many seconds, one after the other, and the last ever on."""
    now, turns = 0.0, 0

    def clock() -> float:
        nonlocal now, turns
        turns += 1
        if turns % 2 == 0:  # read before and after each block
            now += each[min(turns // 2, len(each)) - 1]
        return now

    return clock


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many processes were started each time, in place of starting them."""
    found: list[int] = []

    def map_(self: Processes, task: Any, blocks: Any) -> Any:
        found.append(self.workers)
        assert not self.main
        return ((block, task(block)) for block in reversed(list(blocks)))

    monkeypatch.setattr(Processes, "map", map_)
    monkeypatch.setattr(executors, "cores", lambda: 4)
    return found


@pytest.mark.parametrize(
    ("each", "expected"),
    [
        ((0.01,), []),  # a tenth of a second in all
        ((LOADING + 0.4, 0.4), []),  # modules took the time
        ((0.1, 0.1, 9.0), []),  # the least counts
        ((1.0, 1.0), [4]),
        ((LOADING - 1.0, 2.0), [4]),  # a block while modules were read says nothing
        ((LOADING + 60.0,), [4]),
    ],
)
def test_the_work_that_is_left_decides_about_processes(each, expected, started) -> None:
    found = dict(Automatic(seconds(*each)).map(float, range(10)))
    assert found == {block: float(block) for block in range(10)}
    assert started == expected


def test_no_process_is_started_for_the_last_block(started) -> None:
    assert dict(Automatic(seconds(100.0)).map(float, range(2))) == {0: 0.0, 1: 1.0}
    assert not started


def only_here(block: int) -> int:
    return block


def test_what_cannot_be_sent_is_done_here(started, monkeypatch) -> None:
    def nowhere(block: int) -> int:
        return 2 * block

    assert dict(Automatic(seconds(9.0)).map(nowhere, range(4))) == {0: 0, 1: 2, 2: 4, 3: 6}
    monkeypatch.setattr(only_here, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "only_here", only_here, raising=False)
    assert dict(Automatic(seconds(9.0)).map(only_here, range(4))) == {0: 0, 1: 1, 2: 2, 3: 3}
    assert not started


def test_blocks_that_processes_could_not_finish_are_done_here(monkeypatch) -> None:
    def unable(self: Processes, task: Any, blocks: Any) -> Any:
        yield 2, task(2)
        raise Unfinished("no memory")

    monkeypatch.setattr(Processes, "map", unable)
    monkeypatch.setattr(executors, "cores", lambda: 2)
    assert list(Automatic(seconds(9.0)).map(float, range(4))) == [
        (0, 0.0),
        (2, 2.0),
        (1, 1.0),
        (3, 3.0),
    ]


def test_the_number_of_processes_can_be_bounded(monkeypatch) -> None:
    monkeypatch.setenv("ABOVECHANCE_WORKERS", "1")
    assert cores() == 1
    monkeypatch.setenv("ABOVECHANCE_WORKERS", "none")
    with pytest.raises(AboveChanceError, match="ABOVECHANCE_WORKERS must be a whole number"):
        cores()


UNGUARDED = """
import json, numpy as np
from functools import partial
from abovechance.resampling import SignFlips, Settings, executors, replicate, replicates

print("run")
executors.PAYS, executors.LOADING, executors.cores = 0.0, 0.0, lambda: 2
spread = replicate(partial(np.inner, np.arange(9.0)), SignFlips(9), Settings(
    draws=200, block=20, workers="auto"))
executors.PAYS = float("inf")
alone = replicate(partial(np.inner, np.arange(9.0)), SignFlips(9), Settings(
    draws=200, block=20, workers="auto"))
print(np.array_equal(spread, alone))
"""


def test_a_script_without_a_guard_is_not_run_again(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert (found.stdout.split(), found.stderr) == (["run", "True"], "")
