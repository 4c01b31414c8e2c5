"""Dinga et al. on real tables: power of tests in small balanced draws from large data."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from abovechance.errors import AboveChanceError, FileError
from abovechance.studies import Table, Trained, TrainedOnLess
from replications.claims import least_power, shortfall
from replications.dinga import AS_PRINTED, CAPTION, KERNEL, PAIRED, SHARES, SOURCE, TESTS
from replications.study import Study

OPTIONS = " --data DIR"
POWER, COMPARE, NULL = "dinga-power-data", "dinga-compare-data", "dinga-compare-data-null"
LINEAR = "dinga-power-linear-data"
# A study belongs to the first group its name begins with.
GROUPS = {
    POWER: "Power against chance on real tables; needs --data DIR",
    LINEAR: "The same with the linear machine of the paper's text; needs --data DIR",
    NULL: "Two models on real tables of which none is better; needs --data DIR",
    COMPARE: "Power against a model trained on less, on real tables; needs --data DIR",
}


@dataclass(frozen=True)
class File:
    """A table of the study: where it is, which column is the outcome, and the sizes drawn.

    `n` are the sizes of the study against chance, `pair` that of the comparison of models.
    """

    name: str
    file: str
    outcome: str
    positive: str
    n: tuple[int, ...]
    pair: int
    without: tuple[str, ...] = ()


OASIS = ("ID", "y_gender", "y_diagnosis")
GREY, WHITE = "derived_oasis_gm.csv", "derived_oasis_wm.csv"
FILES = (
    File("pima", "mlbench_PimaIndiansDiabetes.csv", "diabetes", "pos", (10, 20, 30, 40), 100),
    File("sonar", "mlbench_Sonar.csv", "Class", "R", (10, 20, 30, 40), 50),
    File("musk", "kernlab_musk.csv", "Class", "1", (10, 20, 30, 40), 100),
    File("spam", "kernlab_spam.csv", "type", "spam", (10, 30, 50, 70), 100),
    File("oasis-gm-sex", GREY, "y_gender", "1", (20, 35, 50, 65), 100, OASIS),
    File("oasis-wm-sex", WHITE, "y_gender", "1", (20, 35, 50, 65), 100, OASIS),
    File("oasis-gm-diagnosis", GREY, "y_diagnosis", "1", (20, 35, 50, 65), 50, OASIS),
    File("oasis-wm-diagnosis", WHITE, "y_diagnosis", "1", (25, 40, 55, 70), 50, OASIS),
    File("abide-sex", "derived_abide_thickness.csv", "y", "1", (20, 60, 100, 140), 100, ("File",)),
)
OBTAIN = (
    "Pima and Sonar come with R's mlbench, musk and spam with kernlab (write.csv, row.names = "
    "FALSE, named package_dataset.csv); OASIS and ABIDE from their projects"
)


def data_studies(folder: str | Path | None, group: str = POWER) -> Iterator[Study]:
    """A study for each of the tables in a folder."""
    if folder is None:
        raise AboveChanceError(f"{group} needs --data DIR, a folder with its tables. {OBTAIN}.")
    present = [one for one in FILES if (Path(folder) / one.file).is_file()]
    if not present:
        wanted = ", ".join(dict.fromkeys(one.file for one in FILES))
        raise FileError(f"no table of the study is in {str(folder)!r}; wanted {wanted}. {OBTAIN}.")
    make = {POWER: _against_chance, LINEAR: _linear, COMPARE: _against_less, NULL: _exchanged}[
        group
    ]
    for one in present:
        yield make(one, load(folder, one))


def _against_chance(one: File, table: Table) -> Study:
    return Study(
        name=f"{POWER}-{one.name}",
        title=f"Power against chance, a support vector machine on {one.name}",
        source=SOURCE,
        design=Trained(table, effects=(0.0, 1.0)),
        n=one.n,
        effects=(0.0, 1.0),
        tests=TESTS,
        draws=499,
        rule="standard",
        replications=50,
        departures=(
            "n rows to learn from and n to test, half of each class; effect 0 shuffles the labels "
            "of each half, at the sizes of effect 1",
            KERNEL,
        ),
        options=OPTIONS,
        claims=shortfall,
    )


def _linear(one: File, table: Table) -> Study:
    rbf = _against_chance(one, table)
    return replace(
        rbf,
        name=f"{LINEAR}-{one.name}",
        title=f"Power against chance, a linear support vector machine on {one.name}",
        design=Trained(table, effects=(0.0, 1.0), kernel="linear"),
        departures=(*rbf.departures[:1], AS_PRINTED),
    )


def _against_less(one: File, table: Table) -> Study:
    return Study(
        name=f"{COMPARE}-{one.name}",
        title=f"Power against a model trained on a share of the rows (the effect) of {one.name}",
        source=SOURCE,
        design=TrainedOnLess(table, effects=SHARES),
        n=(one.pair,),
        effects=SHARES,
        tests=PAIRED,
        draws=999,
        rule="standard",
        replications=50,
        departures=("n rows to learn from and n to test, half of each class", CAPTION),
        options=OPTIONS,
        claims=least_power,
    )


def _exchanged(one: File, table: Table) -> Study:
    return replace(
        _against_less(one, table),
        name=f"{NULL}-{one.name}",
        title=f"Models trained on all rows and on a share (the effect) of {one.name}, their "
        "predictions exchanged at random, so that none is better",
        design=TrainedOnLess(table, effects=SHARES, exchanged=True),
        claims=None,
    )


def load(folder: str | Path, one: File) -> Table:
    """Features and outcome of a table."""
    from abovechance.io import read_table

    table = read_table(Path(folder) / one.file)
    table.require([one.outcome])
    leave = {one.outcome, *one.without}
    features = [table.number(name) for name in table.names if name not in leave]
    return Table(np.column_stack(features), table.text(one.outcome) == one.positive)
