"""What all fuzzers share: inputs drawn by number, tried in a process that may die, and counted.

A target is a module of `targets/` that says how an input is drawn and what becomes of it:

    TARGET = Target("mutated files into read", draw, attempt)

`draw(rng)` returns bytes, the same for the same state of the generator; `attempt(bytes)` returns
"answered" or "refused" (`settle` tells which) and raises where anything else came of it. Input
number i of a seed is always the same, so a number is all that is needed to see one again. Inputs
are tried in a child process with bounded memory: one that kills it, or does not come back, is
counted like one that raised, and the next child goes on behind it.
"""

import json
import os
import select
import subprocess
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
LONGEST = 500  # characters of a message
LONGEST_WAIT = 30  # times the seconds of a target


@dataclass(frozen=True)
class Target:
    """One kind of input: how it is drawn, and what becomes of it.

    `seconds` is how long an input may take, `megabytes` how much memory it may ask for; `first` is
    how many each run of the tests tries, fewer where every input needs a process of its own.
    """

    title: str
    draw: Callable[[Random], bytes]
    attempt: Callable[[bytes], str]
    seconds: float = 60.0
    megabytes: int = 3000
    first: int = 60


def names() -> list[str]:
    """Every target there is."""
    return sorted(path.stem for path in (HERE / "targets").glob("[!_]*.py"))


def target_of(name: str) -> Target:
    """A target by its name, or by the module that holds it."""
    found = import_module(name if "." in name else f"fuzz.targets.{name}").TARGET
    assert isinstance(found, Target)
    return found


def drawn(name: str, target: Target, seed: int, number: int) -> bytes:
    """Input `number` of a seed: always the same."""
    return target.draw(Random(f"{name}:{seed}:{number}"))


def settle(call: Callable[[], Any]) -> str:
    """Whether a call is answered or refused as this package refuses; anything else is raised.

    Refused is an error of this package in one line that can be read; warnings count as errors.
    """
    from abovechance.errors import AboveChanceError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module="sklearn")  # what estimators say for themselves
        try:
            call()
        except AboveChanceError as refused:
            readable(str(refused))
            return "refused"
    return "answered"


def readable(said: str) -> None:
    """A refusal is one line, of a length that is read."""
    if not said or "\n" in said or len(said) > LONGEST:
        raise AssertionError(f"not one line of at most {LONGEST} characters: {said[:2000]!r}")


def became(target: Target, data: bytes) -> tuple[str, str]:
    """What became of an input: answered, refused or fell; and for the last, how and where."""
    try:
        return target.attempt(data), ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [f for f in frames if "abovechance" in Path(f.filename).parts]
        place = ours[-1] if ours else frames[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return "fell", f"{type(error).__name__} in {where}: {str(error)[:160]}".replace("\n", " ")


# ----------------------------------------------------------------------------------------------
# The child tries inputs one after another; the parent counts, and starts another when it dies.
# ----------------------------------------------------------------------------------------------


def child(name: str, seed: int, first: int) -> None:
    """Try inputs from the first on, and say after each what became of it; until killed."""
    target, out = target_of(name), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a target prints is not for the parent
    _bounded(target.megabytes)
    os.write(out, b"ready\n")
    number = first
    while True:
        what, how = became(target, drawn(name, target, seed, number))
        os.write(out, (json.dumps([number, what, how]) + "\n").encode())
        number += 1


def _bounded(megabytes: int) -> None:
    """At most so much memory beyond what is taken by now, where the system can see to it."""
    try:
        import resource

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError):
        return
    most = taken + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


@dataclass
class Tally:
    """What became of the inputs of one run."""

    target: str
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    fallen: list[tuple[int, str]] = field(default_factory=list)
    next: int = 0

    def add(self, number: int, what: str, how: str = "") -> None:
        """Count one input."""
        self.counts[what] += 1
        self.next = number + 1
        if what == "fell":
            self.fallen.append((number, how))


def search(
    name: str, seed: int, *, minutes: float, first: int = 0, most: int | None = None
) -> Tally:
    """Try inputs for some minutes, or so many of them."""
    target, tally = target_of(name), Tally(name, seed, next=first)
    end = time.monotonic() + 60.0 * minutes
    stop = float("inf") if most is None else first + most
    while tally.next < stop and time.monotonic() < end:
        for number, what, how in _said(name, target, seed, tally.next):
            tally.add(number, what, how)
            if tally.next >= stop or time.monotonic() >= end:
                break
    return tally


def _said(name: str, target: Target, seed: int, first: int) -> Iterator[tuple[int, str, str]]:
    """What one child says of its inputs; its death or silence is said of the input it had."""
    command = [sys.executable, str(HERE / "run_fuzz.py"), name, "--seed", str(seed)]
    started = subprocess.Popen(
        [*command, "--child", str(first)],
        bufsize=0,  # a line kept in a buffer would not be seen by select
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert started.stdout is not None
    number = first
    try:
        started.stdout.readline()  # libraries are loaded
        while True:
            if not _answers(started, target.seconds):
                yield number, "fell", f"no answer within {target.seconds:g} s"
                return
            line = started.stdout.readline()
            if not line.endswith(b"\n"):
                code = started.wait()
                yield number, "fell", f"the process ended with {code}"
                return
            number, what, how = json.loads(line)
            yield number, what, how
            number += 1
    finally:
        started.kill()
        started.wait()
        started.stdout.close()


def _answers(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Whether a child says something in time; on a busy machine its own time counts."""
    begun = before = _spent(process.pid)
    for _ in range(LONGEST_WAIT):
        if select.select([process.stdout], [], [], seconds)[0]:
            return True
        now = _spent(process.pid)
        asleep = now == before and _stat(process.pid)[:1] not in (["R"], ["D"])
        if asleep or now - begun >= seconds:
            return False
        before = now
    return False


def _stat(process: int) -> list[str]:
    """What the system says of a process from its state on; nothing where it does not say."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _spent(process: int) -> float:
    """Seconds of CPU that a process has taken."""
    return sum(map(int, _stat(process)[11:13])) / os.sysconf("SC_CLK_TCK")


# ----------------------------------------------------------------------------------------------
# What was found, and what was counted.
# ----------------------------------------------------------------------------------------------


def found_before(name: str) -> list[Path]:
    """Inputs that once fell through: each is tried again by the tests."""
    return sorted((CORPUS / name).glob("*"))


def kept(name: str, data: bytes) -> Path:
    """An input in the corpus of its target, named by what it holds."""
    from hashlib import sha256

    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / sha256(data).hexdigest()[:12]
    path.write_bytes(data)
    return path


def page(runs: list[dict[str, Any]]) -> str:
    """The table of all runs that were recorded, a target a row."""
    lines = ["| inputs | tried | answered | refused in one line | fell through |"]
    lines += ["|---|---:|---:|---:|---:|"]
    for name in sorted({run["target"] for run in runs}):
        of_it = [run for run in runs if run["target"] == name]
        tried, answered, refused, fell = (
            sum(run[key] for run in of_it) for key in ("tried", "answered", "refused", "fell")
        )
        title = f"{target_of(name).title} (`{name}`)"
        lines.append(f"| {title} | {tried:,} | {answered:,} | {refused:,} | {fell:,} |")
    return "\n".join(lines) + "\n"
