"""End runs by `kill -9` at random moments, resume them, and compare with runs that nobody stopped.

    ./run python tests/kills/run_kills.py --kills 200 --workers 50 --schedulers 5 --record

Verbs with a store and a report are begun in a process of their own and killed; whatever was
finished before must still be there, whole, and no file half-written. The run that comes to its end
must give the numbers, and hold the blocks, of one that was never stopped. Then workers are killed
below a run that goes on, and Dask schedulers. Exit code 1 when anything was lost, doubled, broken.
"""

import argparse
import contextlib
import hashlib
import io
import json
import math
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent)
sys.path.append(str(HERE.parent / "resampling"))
RUNS, PAGE = HERE / "counts.json", HERE / "counts.md"
FAULTS = ("lost", "doubled", "half-written", "other numbers")

# What is begun; {data} is a table of cases, {store} and {report} are files of the run.
COMMANDS = {
    "assess": "assess {data} --outcome y --probability p --measures auc,brier,f1,mcc --draws 20000",
    "power": "power --auc .7 --tests auc,accuracy --n 40,60 --replications 400",
    "detect": "detect {data} --outcome y --features a,b,c --tests hotelling_shrink,lda.cv4 "
    "--draws 4000",
    "validate": "validate {data} --outcome y --features a,b,c --measures auc,brier --draws 400",
}
REPORTED = ("assess", "power", "detect", "validate")
OF_ONE_RUN = 3  # kills, after which it may come to its end
JOBS = (*COMMANDS, "refits")


def table(path: Path) -> None:
    """Cases with a prediction and three features."""
    chance = random.Random(5)
    lines = ["y,p,a,b,c"]
    for case in range(120):
        y = case % 2
        features = ",".join(f"{chance.gauss(0.4 * y, 1):.3f}" for _ in range(3))
        lines.append(f"{y},{min(max(chance.gauss(0.4 + 0.2 * y, 0.2), 0), 1):.3f},{features}")
    path.write_text("\n".join(lines) + "\n")


def begun(job: str, folder: Path) -> str:
    """One run to its end: what it says, as text that is the same for the same numbers."""
    if job == "refits":
        return _refits(folder)
    from abovechance.cli import main

    words = COMMANDS[job].format(data=folder.parent / "data.csv").split()
    words += ["--seed", "1", "--format", "json", "--store", str(folder / "store")]
    if job in REPORTED:
        words += ["--report", str(folder / "report.html")]
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out):
        code = main(words)
    out.flush()
    if code:
        raise SystemExit(code)
    return out.buffer.getvalue().decode()


def _refits(folder: Path) -> str:
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    import abovechance as ac

    rows = np.loadtxt(folder.parent / "data.csv", delimiter=",", skiprows=1)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    found = ac.permutation_test(
        tree, rows[:, 2:], rows[:, 0], measures=["accuracy"], cv=2, draws=240, rng=1,
        store=str(folder / "store"),
    )  # fmt: skip
    return str(found.to_json())


# ----------------------------------------------------------------------------------------------
# The main process.
# ----------------------------------------------------------------------------------------------


def started(job: str, folder: Path) -> int:
    """A process of its own that runs a job and writes what it says; libraries are loaded."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.setsid()
        os.dup2(os.open(folder / "errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        said = begun(job, folder)
        (folder / "said").write_text(said)
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def blocks(folder: Path) -> tuple[dict[tuple[str, int], bytes], int]:
    """The finished blocks of a store by task and number, and how many rows are no whole block."""
    from abovechance.resampling import store

    if not (folder / "store").exists():
        return {}, 0
    # a copy is looked at: the next run shall find what the killed one left, its journal too
    look = folder / "look"
    shutil.rmtree(look, ignore_errors=True)
    look.mkdir()
    for path in folder.glob("store*"):
        shutil.copy(path, look / path.name)
    with contextlib.closing(sqlite3.connect(look / "store")) as connection:
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return {}, 0
        rows = connection.execute("SELECT task, block, payload, checksum FROM blocks").fetchall()
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    broken = sum(bytes(c) != store._checksum(t, b, bytes(p)) for t, b, p, c in rows)
    return {(t, b): bytes(p) for t, b, p, _ in rows}, broken + (not sound)


def worked(process: int) -> float:
    """Seconds of CPU that a process has had: moments drawn by them do not move with other load."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


class Watch:
    """One job, killed again and again; what became of it is counted."""

    def __init__(self, job: str, place: Path, chance: random.Random) -> None:
        self.job, self.place, self.chance = job, place, chance
        self.counts: Counter[str] = Counter()
        with contextlib.redirect_stderr(io.StringIO()):
            begun(job, self._new())  # loads what the processes begun later share
        folder = self._new()
        _, self.seconds = self._end(started(job, folder))
        self.said, self.blocks = (folder / "said").read_text(), blocks(folder)[0]
        self.folder: Path = self._new()
        self.kept: dict[tuple[str, int], bytes] = {}
        self.in_a_row = 0

    def _new(self) -> Path:
        return Path(tempfile.mkdtemp(prefix=f"{self.job}-", dir=self.place))

    def _end(self, child: int, after: float = math.inf) -> tuple[int, float]:
        """How a process ended, and after how much work; killed once it has worked so long."""
        while True:
            now = worked(child)
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status), now
            if now >= after:
                os.kill(child, signal.SIGKILL)
                after = math.inf
            time.sleep(0.001)

    def kill_once(self) -> None:
        """Begin or resume the job, and kill it unless it was faster."""
        moment = self.chance.random() * self.seconds
        code, _ = self._end(started(self.job, self.folder), moment)
        now, broken = blocks(self.folder)
        self.counts["half-written"] += broken
        report = self.folder / "report.html"
        if report.exists() and not report.read_text("utf-8").rstrip().endswith("</html>"):
            self.counts["half-written"] += 1
        self.counts["lost"] += sum(now.get(key) != value for key, value in self.kept.items())
        self.kept = now
        if code == -signal.SIGKILL:
            self.counts["kills"] += 1
            self.counts["kills with blocks kept"] += bool(now)
            self.in_a_row += 1
        else:
            self._finished(code)
        if self.in_a_row == OF_ONE_RUN:
            self.finish()

    def finish(self) -> None:
        """Let the job come to its end."""
        self._finished(self._end(started(self.job, self.folder))[0])

    def _finished(self, code: int) -> None:
        self.counts["runs ended"] += 1
        if code:
            print((self.folder / "errors").read_text()[-1500:], file=sys.stderr)
            self.counts["other numbers"] += 1
        elif (self.folder / "said").read_text() != self.said:
            self.counts["other numbers"] += 1
        now, broken = blocks(self.folder)
        self.counts["half-written"] += broken
        self.counts["lost"] += len(self.blocks.keys() - now.keys())
        self.counts["doubled"] += len(now.keys() - self.blocks.keys())
        self.counts["other numbers"] += sum(now.get(k, v) != v for k, v in self.blocks.items())
        shutil.rmtree(self.folder)
        self.folder, self.kept, self.in_a_row = self._new(), {}, 0


def main_process(
    jobs: list[str], kills: int, minutes: float, place: Path, chance: random.Random
) -> list[Any]:
    """Each job in turn, until so many kills are done in all or time is up."""
    table(place / "data.csv")
    watches, until = [Watch(job, place, chance) for job in jobs], time.monotonic() + 60 * minutes
    while sum(w.counts["kills"] for w in watches) < kills and time.monotonic() < until:
        min(watches, key=lambda watch: watch.counts["kills"]).kill_once()
    for watch in watches:
        watch.finish()
    return [
        {"what": f"the main process of `{w.job}`", "blocks": len(w.blocks), **w.counts}
        for w in watches
    ]


# ----------------------------------------------------------------------------------------------
# Workers and schedulers.
# ----------------------------------------------------------------------------------------------


def digest_of(values: Any) -> str:
    return hashlib.sha256(values.tobytes()).hexdigest()


def counted_run(settings: Any, folder: Path, wanted: str, counts: Counter[str]) -> None:
    """A run to its end: its numbers, and each of its blocks once."""
    import chores

    from abovechance.resampling import replicate_blocks

    values = replicate_blocks(chores.slow_uniforms, settings)
    counts["runs ended"] += 1
    counts["other numbers"] += digest_of(values) != wanted
    found, broken = blocks(folder)
    counts["half-written"] += broken
    counts["lost"] += max(0, 40 - len(found))
    counts["doubled"] += max(0, len(found) - 40)


def workers(kills: int, place: Path, chance: random.Random) -> dict[str, Any]:
    """Kill one of two workers whenever a few blocks are done."""
    import multiprocessing

    import chores

    from abovechance.resampling import Processes, Settings, replicate_blocks

    plain = Settings(draws=400, seed=6, block=10)
    wanted, counts = digest_of(replicate_blocks(chores.uniforms, plain)), Counter[str]()

    def kill(done: int, total: int) -> None:
        alive = multiprocessing.active_children()
        if alive and counts["kills"] < kills and chance.random() < 0.4:
            time.sleep(0.03 * chance.random())
            os.kill(chance.choice(alive).pid or 0, signal.SIGKILL)
            counts["kills"] += 1

    while counts["kills"] < kills:
        folder = Path(tempfile.mkdtemp(prefix="workers-", dir=place))
        settings = Settings(
            draws=400, seed=6, block=10, executor=Processes(2, tries=10_000), progress=kill,
            store=folder / "store",
        )  # fmt: skip
        counted_run(settings, folder, wanted, counts)
    return {"what": "one of two worker processes", "blocks": 40, **counts}


def schedulers(kills: int, place: Path, chance: random.Random) -> dict[str, Any]:
    """Kill the Dask scheduler once some blocks are done; another cluster, or none, ends the run."""
    import chores
    from machines import Machines

    from abovechance.errors import Unfinished
    from abovechance.resampling import Dask, Settings, replicate_blocks

    plain = Settings(draws=400, seed=6, block=10)
    wanted, counts = digest_of(replicate_blocks(chores.uniforms, plain)), Counter[str]()
    while counts["kills"] < kills:
        folder = Path(tempfile.mkdtemp(prefix="schedulers-", dir=place))
        cluster, at = Machines(folder), chance.randrange(10, 300)

        def kill(done: int, total: int, cluster: Any = cluster, at: int = at) -> None:
            if done >= at and cluster.scheduler.poll() is None:
                cluster.scheduler.send_signal(signal.SIGKILL)
                cluster.scheduler.wait()
                counts["kills"] += 1

        settings = Settings(
            draws=400, seed=6, block=10, executor=Dask(cluster.address, patience=5), progress=kill,
            store=folder / "store",
        )  # fmt: skip
        try:
            replicate_blocks(chores.slow_uniforms, settings)
            counts["runs that had all they needed"] += 1
        except Unfinished:
            counts["runs said to be unfinished"] += 1
        finally:
            cluster.stop()
        kept, _ = blocks(folder)
        plain_again = Settings(draws=400, seed=6, block=10, store=folder / "store")
        counted_run(plain_again, folder, wanted, counts)
        now, _ = blocks(folder)
        counts["lost"] += sum(now.get(key) != value for key, value in kept.items())
    return {"what": "the scheduler of a Dask cluster", "blocks": 40, **counts}


# ----------------------------------------------------------------------------------------------
# What is counted.
# ----------------------------------------------------------------------------------------------


def page(runs: list[dict[str, Any]]) -> str:
    """The table of all runs that were recorded, what was killed a row."""
    lines = ["| killed | kills | runs resumed to their end | " + " | ".join(FAULTS) + " |"]
    lines += ["|---|---:|---:|" + "---:|" * len(FAULTS)]
    for what in dict.fromkeys(run["what"] for run in runs):
        of_it = [run for run in runs if run["what"] == what]
        sums = [sum(run.get(key, 0) for run in of_it) for key in ("kills", "runs ended", *FAULTS)]
        lines.append(f"| {what} | " + " | ".join(f"{n:,}" for n in sums) + " |")
    return "\n".join(lines) + "\n"


def record(found: list[dict[str, Any]], seed: int) -> None:
    from abovechance import __version__

    runs = json.loads(RUNS.read_text("utf-8")) if RUNS.exists() else []
    runs += [{"version": __version__, "seed": seed, **one} for one in found]
    RUNS.write_text("[\n" + ",\n".join(json.dumps(run) for run in runs) + "\n]\n", "utf-8")
    PAGE.write_text(page(runs), "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--kills", type=int, default=0, help="of the main process, over all jobs")
    parser.add_argument("--minutes", type=float, default=1e9, help="for kills of the main process")
    parser.add_argument("--workers", type=int, default=0, help="kills of worker processes")
    parser.add_argument("--schedulers", type=int, default=0, help="kills of Dask schedulers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="add the counts to the table")
    options = parser.parse_args()
    chance, found = random.Random(options.seed), []
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        parts: list[tuple[int, Callable[[Path], list[Any]]]] = [
            (
                options.kills,
                lambda at: main_process(options.jobs, options.kills, options.minutes, at, chance),
            ),
            (options.workers, lambda at: [workers(options.workers, at, chance)]),
            (options.schedulers, lambda at: [schedulers(options.schedulers, at, chance)]),
        ]
        for wanted, part in parts:
            for one in part(Path(folder)) if wanted else ():
                print(json.dumps(one), flush=True)
                found.append(one)
    if options.record:
        record(found, options.seed)
    return int(any(one.get(fault, 0) for one in found for fault in FAULTS))


if __name__ == "__main__":
    raise SystemExit(main())
