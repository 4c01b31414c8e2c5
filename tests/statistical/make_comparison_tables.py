"""Make the committed tables: `./run python tests/statistical/make_comparison_tables.py [NAME ...]`.

Names: type_one, power, coverage. `--replications N` scales them. `--missing` makes the rows that
the committed page of type_one lacks, with the random numbers that they have in a whole run, and
keeps the others as they are: it does not notice that a test of the same name has changed.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # not this folder: numba would import coverage.py

from statistical import comparison_coverage, comparison_power, comparison_type_one  # noqa: E402
from statistical.bars import Cell, cells_of, type_one_table  # noqa: E402

TABLES = Path(__file__).parent / "tables"
COMMAND = "./run python tests/statistical/make_comparison_tables.py {name} --replications {count}"
USUAL = {"type_one": 10_000, "power": 1000, "coverage": 2000}


def make(name: str, count: int, kept: Mapping[tuple[str, str], Cell]) -> str:
    command = COMMAND.format(name=name, count=count)
    if name == "power":
        return comparison_power.table(count, command)
    if name == "coverage":
        rows = [comparison_coverage.simulate(key, count) for key in comparison_coverage.SETTINGS]
        return comparison_coverage.table(rows, command)
    held, warned = (
        [
            kept[key] if key in kept else next(comparison_type_one.simulate({key: how}, count))
            for key, how in settings.items()
        ]
        for settings in (comparison_type_one.SETTINGS, comparison_type_one.WARNINGS)
    )
    older = (
        "Rows of a former run were kept where test and setting have the same name. " if kept else ""
    )
    return (
        "# Type I error of comparisons\n\nEqually good models, each test under its own hypothesis. "
        f"{older}"
        f"{type_one_table(held, command)}\n## What the defaults avoid\n\n"
        f"{type_one_table(warned, command)}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(USUAL))
    parser.add_argument("--replications", type=int)
    parser.add_argument("--missing", action="store_true")
    options = parser.parse_args()
    TABLES.mkdir(exist_ok=True)
    for chosen in options.names:
        page = TABLES / f"comparison_{chosen}.md"
        kept = cells_of(page.read_text("utf-8")) if options.missing else {}
        text = make(chosen, options.replications or USUAL[chosen], kept)
        page.write_text(text, "utf-8")
        print(f"wrote comparison_{chosen}.md", file=sys.stderr)
