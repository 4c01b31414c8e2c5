"""Make the committed tables: `./run python tests/statistical/make_comparison_tables.py [NAME ...]`.

Names: type_one, power, coverage. `--replications N` scales them.
"""

import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # not this folder: numba would import coverage.py

from statistical import comparison_coverage, comparison_power, comparison_type_one  # noqa: E402
from statistical.bars import type_one_table  # noqa: E402

TABLES = Path(__file__).parent / "tables"
COMMAND = "./run python tests/statistical/make_comparison_tables.py {name} --replications {count}"
USUAL = {"type_one": 10_000, "power": 1000, "coverage": 2000}


def make(name: str, count: int) -> str:
    command = COMMAND.format(name=name, count=count)
    if name == "power":
        return comparison_power.table(count, command)
    if name == "coverage":
        rows = [comparison_coverage.simulate(key, count) for key in comparison_coverage.SETTINGS]
        return comparison_coverage.table(rows, command)
    held = list(comparison_type_one.simulate(comparison_type_one.SETTINGS, count))
    warned = list(comparison_type_one.simulate(comparison_type_one.WARNINGS, count))
    return (
        "# Type I error of comparisons\n\nEqually good models, each test under its own hypothesis. "
        f"{type_one_table(held, command)}\n## What the defaults avoid\n\n"
        f"{type_one_table(warned, command)}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(USUAL))
    parser.add_argument("--replications", type=int)
    options = parser.parse_args()
    TABLES.mkdir(exist_ok=True)
    for chosen in options.names:
        text = make(chosen, options.replications or USUAL[chosen])
        (TABLES / f"comparison_{chosen}.md").write_text(text, "utf-8")
        print(f"wrote comparison_{chosen}.md", file=sys.stderr)
