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

    @property
    def met(self) -> bool:
        return self.floor is None or self.ratio >= self.floor


def race(
    work: str,
    ours: Callable[[], Any],
    peers: Mapping[str, Callable[[], Any]],
    *,
    agree: Callable[[Any, Any], Any] | None,
    floors: Mapping[str, float] | None = None,
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
    floors, best = floors or {}, {name: min(values) for name, values in times.items()}
    return [
        Race(work, name, best[""], best[name], best[name] / best[""], floors.get(name))
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
    """The races as a Markdown table."""
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
    name: str, title: str, races: Callable[[], Iterable[Race]], packages: Sequence[str]
) -> int:
    """Run the races of one workload; print them and keep them in results/.

    With --check the exit code is 1 when a floor is missed.
    """
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--check", action="store_true", help="exit 1 when a floor is missed")
    check = parser.parse_args().check
    found = []
    for result in races():
        found.append(result)
        print(f"{result.work}: {result.ratio:.3g}× {result.peer}", file=sys.stderr)
    print(table(found))
    versions = ", ".join(f"{p} {version(p)}" for p in ("numpy", *packages))
    text = (
        f"# {title}\n\n{table(found)}\n\n"
        "CPU time of one thread, contenders interleaved in one process, the least over several "
        "rounds; results were checked to be equal before timing. "
        "The ratio is the peer's time over ours.\n\n"
        f"Made by `./run bench {name}` with Python {platform.python_version()}, {versions}.\n"
    )
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.md").write_text(text, encoding="utf-8")
    missed = [r for r in found if not r.met]
    for r in missed:
        print(f"missed: {r.work}, {r.ratio:.3g}× {r.peer}, floor {r.floor:g}×", file=sys.stderr)
    return 1 if check and missed else 0
