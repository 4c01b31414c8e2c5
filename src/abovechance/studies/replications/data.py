"""Dinga et al. on real tables: power of tests in small balanced draws from large data."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from abovechance.errors import FileError
from abovechance.studies.replications.dinga import SOURCE, TESTS
from abovechance.studies.replications.study import Study
from abovechance.studies.trained import Table, Trained


@dataclass(frozen=True)
class File:
    """A table of the study: where it is, which column is the outcome, and the sizes drawn."""

    name: str
    file: str
    outcome: str
    positive: str
    n: tuple[int, ...]
    without: tuple[str, ...] = ()


OASIS = ("ID", "y_gender", "y_diagnosis")
FILES = (
    File("pima", "mlbench_PimaIndiansDiabetes.csv", "diabetes", "pos", (10, 20, 30, 40)),
    File("sonar", "mlbench_Sonar.csv", "Class", "M", (10, 20, 30, 40)),
    File("musk", "kernlab_musk.csv", "Class", "1", (10, 20, 30, 40)),
    File("spam", "kernlab_spam.csv", "type", "spam", (10, 30, 50, 70)),
    File("oasis-gm-sex", "derived_oasis_gm.csv", "y_gender", "1", (20, 35, 50, 65), OASIS),
    File("oasis-wm-sex", "derived_oasis_wm.csv", "y_gender", "1", (20, 35, 50, 65), OASIS),
    File("oasis-gm-diagnosis", "derived_oasis_gm.csv", "y_diagnosis", "1", (20, 35, 50, 65), OASIS),
    File("oasis-wm-diagnosis", "derived_oasis_wm.csv", "y_diagnosis", "1", (25, 40, 55, 70), OASIS),
    File("abide-sex", "derived_abide_thickness.csv", "y", "1", (20, 60, 100, 140), ("File",)),
)
OBTAIN = (
    "Pima and Sonar come with R's mlbench, musk and spam with kernlab (write.csv, row.names = "
    "FALSE, named package_dataset.csv); OASIS and ABIDE from their projects"
)


def data_studies(folder: str | Path) -> Iterator[Study]:
    """A study for each of the tables found in a folder."""
    found = [one for one in FILES if (Path(folder) / one.file).is_file()]
    if not found:
        wanted = ", ".join(dict.fromkeys(one.file for one in FILES))
        raise FileError(f"no table of the study is in {str(folder)!r}; wanted {wanted}. {OBTAIN}.")
    for one in found:
        yield Study(
            name=f"dinga-power-data-{one.name}",
            title=f"Power against chance, a support vector machine on {one.name}",
            source=SOURCE,
            design=Trained(load(folder, one), effects=(0.0, 1.0)),
            n=one.n,
            effects=(0.0, 1.0),
            tests=TESTS,
            draws=499,
            rule="valid",
            replications=50,
            departures=(
                "n rows to learn from and n to test, half of each class; effect 0 shuffles labels",
                "the kernel is Gaussian, as in the paper's code; its text says linear",
            ),
        )


def load(folder: str | Path, one: File) -> Table:
    """Features and outcome of a table."""
    from abovechance.io import read_table

    table = read_table(Path(folder) / one.file)
    table.require([one.outcome])
    leave = {one.outcome, *one.without}
    features = [table.number(name) for name in table.names if name not in leave]
    return Table(np.column_stack(features), table.text(one.outcome) == one.positive)
