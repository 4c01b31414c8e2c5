"""Every study by its name."""

from pathlib import Path

from abovechance.errors import AboveChanceError, did_you_mean
from abovechance.studies.replications.data import GROUPS, data_studies
from abovechance.studies.replications.dinga import DINGA
from abovechance.studies.replications.rosenblatt import ROSENBLATT
from abovechance.studies.replications.study import Study

STUDIES: dict[str, Study] = {study.name: study for study in (*DINGA, *ROSENBLATT)}


def find_study(name: str) -> Study:
    """The study of that name.

    >>> find_study("rosenblatt-fig5b").title
    'Shift, balanced 8 folds'
    """
    if name not in STUDIES:
        known = ("all", *STUDIES, *GROUPS)
        close = did_you_mean(name, known) or f"; choose from {', '.join(known)}."
        raise AboveChanceError(f"unknown study {name!r}{close}")
    return STUDIES[name]


def find_studies(name: str, data: str | Path | None = None) -> list[Study]:
    """The studies a name stands for: one, those of a group on real tables, or all of them.

    Those on real tables are there when `data` names the folder of the tables.
    """
    if name == "all":
        real = [] if data is None else [s for group in GROUPS for s in data_studies(data, group)]
        return [*STUDIES.values(), *real]
    group = next((group for group in GROUPS if name.startswith(group)), None)
    if group is None:
        return [find_study(name)]
    real = list(data_studies(data, group))
    chosen = [study for study in real if name in (group, study.name)]
    if not chosen:
        names = [study.name for study in real]
        close = did_you_mean(name, names) or f"; choose from {', '.join(names)}."
        raise AboveChanceError(f"unknown study {name!r}{close}")
    return chosen
