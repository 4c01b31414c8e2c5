"""Races against peers: equal results first, then CPU times, interleaved in one process.

Times do not transfer between machines; ratios within one run do. Import this module before numpy:
it allows one thread to everybody.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

CHECKED = "results were checked to be equal before timing"
LEAST = 0.02  # seconds a contender runs per round, so that short ones are timed many times


@dataclass(frozen=True)
class Race:
    """How much more CPU time a peer takes than we do for the same work."""

    work: str
    peer: str
    ours: float
    theirs: float
    ratio: float
    floor: float | None = None
    ceiling: float | None = None  # of `times`, where we do more than the peer

    @property
    def times(self) -> float:
        """Our time over the peer's."""
        return self.ours / self.theirs

    @property
    def met(self) -> bool:
        low = self.floor is None or self.ratio >= self.floor
        return low and (self.ceiling is None or self.times <= self.ceiling)


def race(
    work: str,
    ours: Callable[[], Any],
    peers: Mapping[str, Callable[[], Any]],
    *,
    agree: Callable[[Any, Any], Any] | None,
    floors: Mapping[str, float] | None = None,
    ceilings: Mapping[str, float] | None = None,
    rounds: int = 5,
) -> list[Race]:
    """Check that everybody finds the same, then take turns; the least CPU time of each counts.

    (The least, because whatever else the machine does can only add to it.)
    `agree(ours, theirs)` raises if the results differ; None for bounds such as a bare sort, which
    compute something else.
    """
    found = ours()
    for peer in peers.values():
        theirs = peer()
        if agree is not None:
            agree(found, theirs)
    times: dict[str, list[float]] = {name: [] for name in ("", *peers)}
    for _ in range(rounds):
        for name, contender in {"": ours, **peers}.items():
            times[name].append(cpu_time(contender))
    floors, ceilings = floors or {}, ceilings or {}
    best = {name: min(values) for name, values in times.items()}
    return [
        Race(
            work,
            name,
            best[""],
            best[name],
            best[name] / best[""],
            floors.get(name),
            ceilings.get(name),
        )
        for name in peers
    ]


def cpu_time(contender: Callable[[], Any]) -> float:
    """CPU seconds per call, over as many calls as take a moment."""
    calls, start = 0, time.process_time()
    while (spent := time.process_time() - start) < LEAST:
        contender()
        calls += 1
    return spent / calls


def table(races: Sequence[Race]) -> str:
    """The races as a Markdown table; a table of its own for what does more than its peers."""
    more = [r for r in races if r.ceiling is not None]
    tables = [_costs(more)] * bool(more) + [_races([r for r in races if r.ceiling is None])]
    return "\n\n".join(tables[: len(tables) if len(more) < len(races) else 1])


def _costs(races: Sequence[Race]) -> str:
    lines = [
        "| work | ours | beside | theirs | ours : theirs | at most |",
        "|---|---:|---|---:|---:|---:|",
        *(
            f"| {r.work} | {_seconds(r.ours)} | {r.peer} | {_seconds(r.theirs)} "
            f"| {r.times:.3g} | {r.ceiling:g}{'' if r.met else ' **missed**'} |"
            for r in races
        ),
    ]
    return "\n".join(lines)


def _races(races: Sequence[Race]) -> str:
    lines = [
        "| work | ours | peer | theirs | ratio | floor |",
        "|---|---:|---|---:|---:|---:|",
        *(
            f"| {r.work} | {_seconds(r.ours)} | {r.peer} | {_seconds(r.theirs)} "
            f"| {r.ratio:.3g}× | {'' if r.floor is None else f'{r.floor:g}×'}"
            f"{'' if r.met else ' **missed**'} |"
            for r in races
        ),
    ]
    return "\n".join(lines)


def _seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


def main(
    name: str,
    title: str,
    races: Callable[[], Iterable[Race]],
    packages: Sequence[str],
    quick: Callable[[], Iterable[Race]] | None = None,
    checked: str = CHECKED,
) -> int:
    """Run the races of one workload; print them and keep them in results/.

    With --check the exit code is 1 when a floor is missed; with --quick, where a workload has
    such a part, only that is run, and nothing is kept.
    """
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--check", action="store_true", help="exit 1 when a floor is missed")
    if quick is not None:
        parser.add_argument("--quick", action="store_true", help="a part, in a minute or so")
    asked = parser.parse_args()
    part = quick if getattr(asked, "quick", False) else None
    found = []
    for result in (part or races)():
        found.append(result)
        print(_line(result), file=sys.stderr, flush=True)
    print(table(found))
    missed = [r for r in found if not r.met]
    for r in missed:
        print(f"missed: {_line(r)}", file=sys.stderr)
    if part is None:
        _keep(name, title, found, packages, checked)
    return 1 if asked.check and missed else 0


def _line(r: Race) -> str:
    if r.ceiling is not None:
        return f"{r.work}: {r.times:.3g} times {r.peer}, at most {r.ceiling:g}"
    floor = "" if r.floor is None else f", floor {r.floor:g}×"
    return f"{r.work}: {r.ratio:.3g}× {r.peer}{floor}"


def _keep(
    name: str, title: str, found: Sequence[Race], packages: Sequence[str], checked: str
) -> None:
    versions = ", ".join(f"{p} {version(p)}" for p in ("numpy", *packages))
    text = (
        f"# {title}\n\n{table(found)}\n\n"
        "CPU time of one thread, contenders interleaved in one process, the least over several "
        f"rounds; {checked}. "
        "The ratio is the peer's time over ours.\n\n"
        f"Made by `./run bench {name}` with Python {platform.python_version()}, {versions}.\n"
    )
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.md").write_text(text, encoding="utf-8")
