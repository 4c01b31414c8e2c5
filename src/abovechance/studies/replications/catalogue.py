"""Every study by its name."""

from abovechance.errors import AboveChanceError, did_you_mean
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
        close = did_you_mean(name, STUDIES) or f"; choose from {', '.join(STUDIES)}."
        raise AboveChanceError(f"unknown study {name!r}{close}")
    return STUDIES[name]
