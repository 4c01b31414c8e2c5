"""Make the committed tables: `./run python tests/statistical/make_tables.py [NAME ...]`.

Names: type_one, coverage, shares, cross_validation, rosenblatt, goal_risks, validation,
validation_candidates, learning_curves, map_truths, map_power, false_stable.
`--replications N` scales them. `validation` takes hours; with `--store FOLDER` it goes on where it
was interrupted, and with `--made` it shows what there is.
"""

import argparse
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
# Not this folder: numba would import coverage.py. Studies are in replications/, beside tests/.
sys.path[:1] = [str(TESTS), str(TESTS.parent)]

from statistical import (  # noqa: E402
    coverage,
    cross_validation,
    false_stable,
    goal_risks,
    learning_coverage,
    map_truths,
    rosenblatt,
    type_one,
    validation_coverage,
)
from statistical.bars import type_one_table  # noqa: E402

TABLES = Path(__file__).parent / "tables"
COMMAND = "./run python tests/statistical/make_tables.py {name} --replications {replications}"


def make(name: str, replications: int, store: Path | None = None, *, made: bool = False) -> str:
    command = COMMAND.format(name=name, replications=replications)
    if name == "validation":
        return validation_coverage.table(replications, command, store, made=made)
    if name == "validation_candidates":
        return validation_coverage.candidates_table(replications, command)
    if name == "learning_curves":
        return learning_coverage.table(replications, command)
    if name == "type_one":
        held = list(type_one.simulate(type_one.SETTINGS, replications))
        text = "# Type I error of the tests against chance\n\n" + type_one_table(held, command)
        inflated = list(type_one.simulate(type_one.WARNINGS, replications))
        warned = type_one_table(inflated, command)
        return f"{text}\n## What ignoring clusters or the hypothesis does\n\n{warned}"
    if name == "coverage":
        rows = [coverage.simulate(i, replications) for i in range(len(coverage.SETTINGS))]
        return "# Coverage of the default intervals\n\n" + coverage.table(rows, command)
    if name == "shares":
        lines = "\n".join(coverage.shares_table())
        exact = f"Made by `{command}`; exact, by enumeration over a grid of true shares."
        return f"# Coverage of the intervals of shares\n\n{exact}\n\n{lines}\n"
    if name == "goal_risks":
        return goal_risks.table(replications, command)
    if name == "map_truths":
        return map_truths.table(replications, command)
    if name == "map_power":
        return map_truths.power_table(replications, command)
    if name == "false_stable":
        return false_stable.table(replications, command)
    if name == "rosenblatt":
        return rosenblatt.table(replications, command)
    return cross_validation.table(replications, command)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    known = ["type_one", "coverage", "shares", "cross_validation", "rosenblatt", "goal_risks"]
    known += ["map_truths", "map_power", "false_stable"]
    parser.add_argument("names", nargs="*", default=known)
    parser.add_argument("--replications", type=int, default=5000)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--made", action="store_true")
    options = parser.parse_args()
    TABLES.mkdir(exist_ok=True)
    if options.store is not None:
        options.store.mkdir(parents=True, exist_ok=True)
    for chosen in options.names:
        text = make(chosen, options.replications, options.store, made=options.made)
        (TABLES / f"{chosen}.md").write_text(text, "utf-8")
        print(f"wrote {chosen}.md", file=sys.stderr)
