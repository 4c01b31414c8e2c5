"""Every study by its name."""

from collections.abc import Iterator
from pathlib import Path

from abovechance.errors import AboveChanceError, FileError, did_you_mean
from replications.data import FILES, GROUPS, OBTAIN, File, data_studies
from replications.dinga import DINGA
from replications.dinga_reliability import RELIABILITY
from replications.dinga_stability import STABILITY
from replications.repeated import Repetition
from replications.rosenblatt import ROSENBLATT
from replications.study import Study

STUDIES: dict[str, Study] = {study.name: study for study in (*DINGA, *ROSENBLATT)}
REPEATED: dict[str, Repetition] = {one.name: one for one in (*STABILITY, *RELIABILITY)}
REPEATED_GROUPS = {
    "dinga-stability": "Which measure selects features stably; all its tables",
    "dinga-reliability": "Cross-validated against hold-out performance; all its tables",
}


def find_repeated(name: str, data: str | Path | None = None) -> list[Repetition]:
    """The studies that repeat a verb which a name stands for: one, or a group; none of others.

    Of a group those whose table is there, or comes with scikit-learn.

    >>> [study.name for study in find_repeated("dinga-stability")]
    ['dinga-stability-breast-cancer']
    """
    if name in REPEATED:
        return [REPEATED[name]]
    mine = [one for one in REPEATED.values() if one.name.startswith(f"{name}-")]
    if name not in REPEATED_GROUPS:
        return []
    return [one for one in mine if not one.file or (data and (Path(data) / one.file).is_file())]


def find_study(name: str) -> Study:
    """The study of that name.

    >>> find_study("rosenblatt-fig5b").title
    'Shift, balanced 8 folds'
    """
    if name not in STUDIES:
        known = ("all", *STUDIES, *GROUPS, *REPEATED, *REPEATED_GROUPS)
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
    for one in FILES:
        if name == f"{group}-{one.name}" and one in _absent(data):
            raise FileError(f"{name} needs {one.file} in {str(data)!r}. {OBTAIN}.")
    real = list(data_studies(data, group))
    chosen = [study for study in real if name in (group, study.name)]
    if not chosen:
        names = [study.name for study in real]
        close = did_you_mean(name, names) or f"; choose from {', '.join(names)}."
        raise AboveChanceError(f"unknown study {name!r}{close}")
    return chosen


def left_out(name: str, data: str | Path | None = None) -> Iterator[str]:
    """What of a name is not run for want of its table, in sentences.

    >>> next(left_out("all"))
    'the studies on real tables are left out: give --data DIR.'
    """
    if name == "all" and data is None:
        yield "the studies on real tables are left out: give --data DIR."
    elif name in ("all", *GROUPS):
        absent = list(dict.fromkeys(one.file for one in _absent(data)))
        if absent:
            yield f"left out, for want of a table in {str(data)!r}: {', '.join(absent)}. {OBTAIN}."


def _absent(folder: str | Path | None) -> list[File]:
    return [one for one in FILES if folder and not (Path(folder) / one.file).is_file()]
