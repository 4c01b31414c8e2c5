"""Runs that are ended by `kill -9` at random moments and taken up again: are the files the same?

`./run python tests/maps/kills.py --kills 10` simulates a study in a temporary folder and does both
commands of maps, with one process and with two. A command is killed so often, each time at a moment
drawn uniformly from the time that it takes undisturbed, and then left to end. Every file that it
leaves must have the bytes of an undisturbed run.
"""

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

RUN = [sys.executable, "-m", "abovechance"]
SEARCH = [
    *("searchlight", "sub-01/bold.nii.gz", "sub-02/bold.nii.gz", "sub-03/bold.nii.gz"),
    *("--labels", "labels.tsv", "--mask", "mask.nii.gz", "--statistic", "svm.c1.cv4"),
    *("--neighbours", "27", "--draws", "12", "--seed", "1"),
]
GROUP = ["group-maps", "searched", "--draws", "20000", "--seed", "1"]


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path there."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def blocks(store: Path) -> int:
    """How many blocks a store holds."""
    if not store.exists():
        return 0
    with closing(sqlite3.connect(store)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM blocks").fetchone()[0])
        except sqlite3.OperationalError:  # killed before it had tables
            return 0


SCRIPT = """
import os, signal, sys
from abovechance.cli import main
from abovechance.resampling.store import Shelf

left, saved = int(sys.argv[1]), Shelf.save

def save(*given):
    global left
    saved(*given)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

Shelf.save = save
main(sys.argv[2:])
"""


def killed_after(saved: int, command: list[str]) -> None:
    """A command in a process that gets `kill -9` as soon as so many blocks are in its store."""
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(saved), *command], capture_output=True)
    assert run.returncode == -signal.SIGKILL, run.stderr.decode()


def killed(command: list[str], out: str, workers: int, kills: int, folder: Path) -> Counter[str]:
    """What became of so many endings; raises where the files differ in the end."""
    started = time.monotonic()
    more = ["--workers", str(workers)]
    subprocess.run(
        [*RUN, *command, *more, "--out", out], cwd=folder, check=True, capture_output=True
    )
    lasts = time.monotonic() - started
    chance, store = random.Random(workers), folder / f"{out}-{workers}.store"
    again = [*RUN, *command, *more, "--store", store.name, "--out", f"{out}-killed"]
    tally: Counter[str] = Counter()
    for _ in range(kills):
        before = blocks(store)
        run = subprocess.Popen(
            again,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            run.wait(lasts * chance.random())
            assert run.returncode == 0, run.returncode
            tally["ended before"] += 1
            for path in folder.glob(f"{store.name}*"):  # the next begins anew
                path.unlink()
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            now = blocks(store)
            assert now >= before
            tally["killed with new blocks" if now > before else "killed without"] += 1
    subprocess.run(again, cwd=folder, check=True, capture_output=True)
    whole, resumed = files(folder / out), files(folder / f"{out}-killed")
    differ = sorted(n for n in whole | resumed if whole.get(n) != resumed.get(n))
    assert not differ, differ
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--kills", type=int, default=10, help="of each command and number of workers"
    )
    given = parser.parse_args()
    from abovechance.maps import simulate_subjects

    print("| command | workers | killed with new blocks | killed without | ended before | files |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        simulate_subjects(3, voxel=12, rng=1).write(folder)
        for command, out in ((SEARCH, "searched"), (GROUP, "group")):
            for workers in (1, 2):
                tally = killed(command, out, workers, given.kills, folder)
                counts = [
                    tally[what]
                    for what in ("killed with new blocks", "killed without", "ended before")
                ]
                row = " | ".join(map(str, counts))
                print(f"| {command[0]} | {workers} | {row} | the same |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
