"""Make tables/seams.md: `./run python tests/statistical/make_seams.py [--replications 2000]`.

Figures are kept in tables/seams/TOPIC.json, one file for each module of `seams`.

`--only TEXT` takes the seams whose name contains the text, `--lacking` those whose figure rests on
fewer replications than asked for (others keep theirs); `--before` writes the figures of the tree at
hand as those of the version that failed: run it with PYTHONPATH set to the `src` of that version.
"""

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")
sys.path[0] = str(Path(__file__).parents[1])  # not this folder: numba would import coverage.py

from statistical.seams.seam import Measured, Seam, collected, measure, summary  # noqa: E402

TABLES = Path(__file__).parent / "tables"
COMMAND = "./run python tests/statistical/make_seams.py --replications {replications}"
BLOCK = 100


def _block(task: tuple[str, int, int]) -> tuple[str, list[float]]:
    name, replications, start = task
    chosen = next(s for s in collected() if s.name == name)
    return name, measure(chosen, replications, start)


def run(seams: list[Seam], replications: int, workers: int) -> dict[str, Measured]:
    tasks = [
        (s.name, min(BLOCK, replications - start), start)
        for s in seams
        for start in range(0, 1 if s.fixed else replications, BLOCK)
    ]
    values: dict[str, list[float]] = {s.name: [] for s in seams}
    with ProcessPoolExecutor(workers) as pool:
        for done, (name, found) in enumerate(pool.map(_block, tasks), 1):
            values[name] += found
            print(f"\r{done} of {len(tasks)} blocks", end="", file=sys.stderr)
    print(file=sys.stderr)
    return {name: summary(found) for name, found in values.items()}


def kept(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def rests_on(chosen: Seam, side: str) -> int:
    """How many replications the kept figure of a seam rests on."""
    figures = kept(TABLES / "seams" / f"{chosen.module}.json").get(chosen.name, {})
    return int(figures.get(side, {}).get("replications", 0))


def cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    if found["value"] is None:
        return "refused"
    error = f" ± {found['error']:.3f}" if found["replications"] > 1 else ""
    none = f" (no answer {found['unanswered']:.3f})" if found["unanswered"] > 0 else ""
    return f"{found['value']:.3f}{error}{none}"


def bar(chosen: Seam) -> str:
    if chosen.low == chosen.high:
        return f"{chosen.low:g}"
    low = "" if chosen.low == -float("inf") else f"≥ {chosen.low:g}"
    high = "" if chosen.high == float("inf") else f"≤ {chosen.high:g}"
    return " and ".join(filter(None, (low, high)))


def table(seams: list[Seam], figures: dict[str, dict[str, Any]], command: str) -> str:
    lines = [
        "# Answers that once misled, before and after",
        "",
        f"Made by `{command}`; the figures before are those of the same settings",
        "on commit 9ae1bf5, of what was found later on the version before its mend (`--before`).",
        "Bars are those of the policy, within 3 standard errors.",
        "",
        "| topic | setting | figure | bar | before | after | replications |",
        "|---|---|---|---|---|---|---|",
    ]
    for s in seams:
        before, found = (figures[s.name].get(side) for side in ("before", "after"))
        count = "" if found is None else str(found["replications"])
        lines.append(
            f"| {s.topic} | {s.setting} | {s.figure} | {bar(s)} | {cell(before)} "
            f"| {cell(found)} | {count} |"
        )
    return "\n".join(lines) + "\n"


def facts(found: Measured) -> dict[str, Any]:
    value = None if found.value != found.value else found.value
    error = None if value is None else found.error
    return {
        "value": value,
        "error": error,
        "replications": found.replications,
        "unanswered": found.unanswered,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--only", default="")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--before", action="store_true")
    parser.add_argument("--lacking", action="store_true")
    parser.add_argument("--show", action="store_true", help="print figures, write nothing")
    options = parser.parse_args()
    seams = collected()
    chosen = [s for s in seams if options.only in s.name]
    side = "before" if options.before else "after"
    if options.lacking:
        chosen = [s for s in chosen if rests_on(s, side) < (1 if s.fixed else options.replications)]
    found = run(chosen, options.replications, options.workers)
    for s in chosen:
        held = "holds" if found[s.name].holds(s) else "MISSES"
        print(f"{held:6}  {cell(facts(found[s.name])):30} {bar(s):18} {s.name}")
    if options.show:
        return
    figures: dict[str, dict[str, Any]] = {}
    for module in {s.module for s in seams}:
        file = TABLES / "seams" / f"{module}.json"
        file.parent.mkdir(exist_ok=True)
        earlier = kept(file)
        rows = {s.name: earlier.get(s.name, {}) for s in seams if s.module == module}
        rows |= {n: rows[n] | {side: facts(m)} for n, m in found.items() if n in rows}
        file.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")
        figures |= rows
    command = COMMAND.format(replications=options.replications)
    (TABLES / "seams.md").write_text(table(seams, figures, command), "utf-8")


if __name__ == "__main__":
    main()
