"""Try inputs that nobody would type on purpose: `./run fuzz TARGET --minutes M --seed S`.

Every input must be answered, or refused by an error of this package in one line. Input number i of
a seed is always the same; minutes only decide how many are tried. `--input I` shows one and lets
its error through, `--keep` puts what fell through into the corpus that the tests try again, and
`--record` adds the counts to the committed table. Exit code 1 when anything fell through.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")
TESTS = str(Path(__file__).parents[1])
sys.path[0] = TESTS
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (TESTS, os.environ.get("PYTHONPATH"))))

from fuzz import frame  # noqa: E402

RUNS = frame.HERE / "counts.json"
PAGE = frame.HERE / "counts.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run fuzz", description=__doc__)
    parser.add_argument("target", metavar="TARGET", help=f"all, or {', '.join(frame.names())}")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--inputs", type=int, help="try so many at most")
    parser.add_argument("--input", type=int, help="this one only, shown, its error let through")
    parser.add_argument("--keep", action="store_true", help="put what fell through in the corpus")
    parser.add_argument("--record", action="store_true", help="add the counts to the table")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        frame.child(options.target, options.seed, options.child)
    chosen = frame.names() if options.target == "all" else [options.target]
    if options.target != "all" and "." not in options.target and chosen[0] not in frame.names():
        parser.error(f"TARGET must be all, {', '.join(frame.names())}; got {options.target}.")
    if options.input is not None:
        return shown(chosen[0], options.seed, options.input)
    return max(tried(name, options) for name in chosen)


def shown(name: str, seed: int, number: int) -> int:
    """One input, and what becomes of it."""
    target = frame.target_of(name)
    data = frame.drawn(name, target, seed, number)
    print(data.decode("utf-8", "backslashreplace"))
    print(target.attempt(data))
    return 0


def tried(name: str, options: argparse.Namespace) -> int:
    """The inputs of one target, counted; 1 when any fell through."""
    begun = time.monotonic()
    tally = frame.search(
        name, options.seed, minutes=options.minutes, first=options.first, most=options.inputs
    )
    counts, total = tally.counts, sum(tally.counts.values())
    print(
        f"{name}: {total:,} inputs in {time.monotonic() - begun:.0f} s, "
        f"{counts['answered']:,} answered, {counts['refused']:,} refused, "
        f"{counts['fell']:,} fell through",
        flush=True,
    )
    alike: dict[str, list[int]] = {}
    for number, how in tally.fallen:
        alike.setdefault(how.partition(": ")[0], []).append(number)
    first = dict(tally.fallen)
    for numbers in sorted(alike.values(), key=len, reverse=True):
        print(
            f"  {len(numbers):6,} as --seed {tally.seed} --input {numbers[0]}: {first[numbers[0]]}"
        )
        if options.keep:
            target = frame.target_of(name)
            print("       ", frame.kept(name, frame.drawn(name, target, tally.seed, numbers[0])))
    if options.record:
        record(tally)
    return int(counts["fell"] > 0)


def record(tally: frame.Tally) -> None:
    """Add a run to those that are committed, and write their table anew."""
    from abovechance import __version__

    runs = json.loads(RUNS.read_text("utf-8")) if RUNS.exists() else []
    tried = sum(tally.counts.values())
    runs.append(
        {
            "target": tally.target,
            "version": __version__,
            "seed": tally.seed,
            "first": tally.next - tried,
            "tried": tried,
            **{what: tally.counts[what] for what in ("answered", "refused", "fell")},
        }
    )
    RUNS.write_text("[\n" + ",\n".join(json.dumps(run) for run in runs) + "\n]\n", "utf-8")
    PAGE.write_text(frame.page(runs), "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
