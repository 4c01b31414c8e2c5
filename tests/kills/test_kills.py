"""Killed runs lose nothing: a few kills in every run of the tests, many in the slow ones."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("run_kills.py")
COUNTS = json.loads(SCRIPT.with_name("counts.json").read_text("utf-8"))
FAULTS = ("lost", "doubled", "half-written", "other numbers")


def killed(*options: str) -> list[dict[str, int]]:
    done = subprocess.run([sys.executable, SCRIPT, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_few_kills_lose_double_and_break_nothing() -> None:
    (found,) = killed("--jobs", "assess", "--kills", "4", "--seed", "3")
    assert found["kills"] == 4
    assert found["blocks"] > 1
    assert found["runs ended"] >= 1
    assert [found.get(fault, 0) for fault in FAULTS] == [0, 0, 0, 0]


@pytest.mark.slow
def test_many_kills_lose_double_and_break_nothing() -> None:
    found = killed("--kills", "60", "--workers", "20", "--schedulers", "1", "--seed", "4")
    assert sum(one["kills"] for one in found) == 81


def test_the_recorded_kills_are_many_and_without_fault() -> None:
    kills = {what: sum(run["kills"] for run in COUNTS if run["what"] == what)
             for what in {run["what"] for run in COUNTS}}  # fmt: skip
    assert all(run.get(fault, 0) == 0 for run in COUNTS for fault in FAULTS)
    main = {what: n for what, n in kills.items() if "main process" in what}
    assert sum(main.values()) >= 200
    assert min(main.values()) >= 40
    assert kills["one of two worker processes"] >= 50
    assert kills["the scheduler of a Dask cluster"] >= 5
