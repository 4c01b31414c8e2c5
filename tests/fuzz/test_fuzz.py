"""Hostile inputs of every target: some of a seed, what once fell through, and the frame itself."""

import subprocess
import sys
from collections import Counter

import pytest

from fuzz import frame
from fuzz.frame import became, drawn, found_before, names, search, target_of

THOROUGH = 5000
TOLD = {"0": "refused", "6": "answered", "7": "answered"}


@pytest.mark.parametrize("name", names())
def test_an_input_is_known_by_seed_and_number(name: str) -> None:
    target = target_of(name)
    several = [drawn(name, target, 3, i) for i in range(20)]
    assert several == [drawn(name, target, 3, i) for i in range(20)]
    assert len(set(several)) > 10


@pytest.mark.parametrize("name", names())
def test_the_first_inputs_are_answered_or_refused(name: str) -> None:
    first = target_of(name).first
    tally = search(name, 1, minutes=30, most=first)
    assert tally.fallen == []
    assert tally.counts.total() == first


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_many_inputs_are_answered_or_refused(name: str) -> None:
    assert search(name, 2, minutes=30, most=THOROUGH).fallen == []


@pytest.mark.parametrize("name", names())
def test_what_once_fell_through_does_no_more(name: str) -> None:
    target = target_of(name)
    fates = {path.name: became(target, path.read_bytes()) for path in found_before(name)}
    assert {file: how for file, (what, how) in fates.items() if what == "fell"} == {}


def test_what_raises_dies_hangs_or_takes_all_memory_is_counted() -> None:
    toy = target_of("fuzz.toys")
    wanted = {d: next(i for i in range(200) if drawn("fuzz.toys", toy, 1, i) == d)
              for d in (b"0", b"1", b"2", b"3", b"4", b"5", b"6")}  # fmt: skip
    said = {}
    for digit, number in wanted.items():
        tally = search("fuzz.toys", 1, minutes=5, first=number, most=1)
        (what,) = tally.counts
        said[digit.decode()] = (what, tally.fallen[0][1] if tally.fallen else "")
    assert said["0"] == ("refused", "")
    assert said["6"] == ("answered", "")
    assert "not one line" in said["1"][1]
    assert said["2"][1].startswith("KeyError in toys.py")
    assert said["3"] == ("fell", "the process ended with -6")
    assert said["4"] == ("fell", "no answer within 4 s")
    assert said["5"][1].startswith("MemoryError")


def test_a_run_goes_on_behind_what_killed_it() -> None:
    toy = target_of("fuzz.toys")
    tally = search("fuzz.toys", 2, minutes=5, most=12)
    digits = [drawn("fuzz.toys", toy, 2, i).decode() for i in range(12)]
    assert tally.counts == Counter(TOLD.get(d, "fell") for d in digits)
    assert [i for i, _ in tally.fallen] == [i for i, d in enumerate(digits) if d not in TOLD]


def test_the_command_counts_and_says_what_fell() -> None:
    script = str(frame.HERE / "run_fuzz.py")
    done = subprocess.run(
        [sys.executable, script, "fuzz.toys", "--inputs", "6", "--seed", "2"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("fuzz.toys: 6 inputs in ")
    assert done.returncode == (1 if "--input" in done.stdout else 0)
    unknown = subprocess.run([sys.executable, script, "nothing"], capture_output=True, text=True)
    assert unknown.returncode == 2
    assert "TARGET must be all" in unknown.stderr
