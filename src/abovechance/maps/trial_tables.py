"""Labels and runs of trials from tables beside the images, as BIDS keeps events."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools
from abovechance.errors import ColumnError, DataError, FileError
from abovechance.io import Table, read_table

LABELS = ("label", "labels", "trial_type", "condition")
RUNS = ("run", "runs", "chunk", "chunks")
SUBJECTS = ("participant_id", "subject", "sub")


class Trials(NamedTuple):
    """Labels and runs of one subject's trials, and what was taken for what."""

    labels: Array
    runs: Array | None
    described: str


def trials_of(
    tables: Sequence[str],
    images: Sequence[str],
    subjects: Sequence[str],
    *,
    label: str | None = None,
    runs: str | None = None,
) -> Mapping[str, Trials]:
    """Trials of every subject, from one table, one for each, or one beside each image.

    `runs` is the name of a column, or "no".
    """
    if len(tables) not in (1, len(images)):
        raise DataError(
            f"labels must be one file for all, or one for each of the {len(images)} images; got "
            f"{len(tables)}."
        )
    paths = [Path(tables[0])] * len(images) if len(tables) == 1 else [Path(t) for t in tables]
    if len(tables) == 1 and not paths[0].exists() and paths[0].name == str(paths[0]):
        paths = [Path(image).parent / paths[0] for image in images]
    known: dict[Path, Table] = {}
    found = {}
    for subject, path in zip(subjects, paths, strict=True):
        if path not in known:
            if not path.exists():
                raise FileError(f"{str(path)!r}, the labels of {subject}, does not exist.")
            known[path] = read_table(str(path))
        found[subject] = _trials(known[path], subject, path.name, label, runs)
    return found


def _trials(table: Table, subject: str, file: str, label: str | None, runs: str | None) -> Trials:
    named = label or _first(table, LABELS)
    if named is None:
        raise ColumnError(
            f"{file} must have a column of labels; none of its columns is called "
            f"{' or '.join(LABELS)}. Name it with --label-column."
        )
    chunk = None if runs == "no" else runs or _first(table, RUNS)
    table.require([named, *([chunk] if chunk else [])])
    mine = _rows_of(table, subject, file)
    said = [f"labels = {named}", f"runs = {chunk}" if chunk else "no runs"]
    return Trials(
        table.labels(named)[mine],
        None if chunk is None else table.text(chunk)[mine].astype(str),
        f"{file}: {'; '.join(said)}",
    )


def _first(table: Table, names: Sequence[str]) -> str | None:
    return next((name for name in names if name in table.names), None)


def _rows_of(table: Table, subject: str, file: str) -> Bools:
    """The rows of one subject where a table holds several; all of them otherwise."""
    column = _first(table, SUBJECTS)
    if column is None:
        return np.ones(len(table.text(table.names[0])), dtype=bool)
    who = np.array([str(name).removeprefix("sub-") for name in table.text(column)])
    mine = who == subject.removeprefix("sub-")
    if not mine.any():
        raise DataError(f"{file} must have rows of every subject; {subject} has none in {column}.")
    return np.asarray(mine)
