"""When is the signal? `decode_over_time`: a statistic at every time, and from time to time."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.gate import Row
from abovechance.inference.detection import statistic_of
from abovechance.learning.learners import TIE, Learner, fit_predict, predicted
from abovechance.learning.schemes import VFold, fold_accuracy
from abovechance.learning.training import decisions
from abovechance.maps.engine import MapWork, one_store
from abovechance.maps.images import numbers_of, subjects_of
from abovechance.maps.neighbourhoods import pairs_of, windows
from abovechance.maps.searchlights import gathered, mapped, per_subject
from abovechance.maps.subject_map import Geometry, Singles, SubjectMap, SubjectMaps
from abovechance.numerics.kernels import available
from abovechance.resampling.replicates import blas, child_seed
from abovechance.settings import Settings, settled
from abovechance.signal import Accuracy

ENTRIES = 2**22
"""Decision values held at a time, of trials at all times."""


# ----------------------------------------------------------------------------------------------
# Trained at one time, tested at all times.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TimeToTime(MapWork):
    """Accuracies (1 + draws, times) of learners of one time at all times; a block is that time.

    Columns are sensors × times. Trials of a fold are predicted at all times by the learner that
    did not see them at its own.
    """

    sensors: int = 1

    @property
    def times(self) -> int:
        """Number of time points."""
        return self.X.shape[1] // self.sensors

    @property
    def many(self) -> int:
        return self.times**2

    def __len__(self) -> int:
        return self.times

    def centres(self, block: int) -> slice:
        return slice(block * self.times, (block + 1) * self.times)

    def __call__(self, block: int) -> Singles:
        with blas(len(sys.modules)).limit(limits=1):
            return self._trained_at(block).astype(np.float32)

    @cached_property
    def _table(self) -> Floats:
        """Sensors of every trial at every time (times, n, sensors)."""
        cube = np.asarray(self.X, dtype=float).reshape(len(self.X), self.sensors, self.times)
        return np.ascontiguousarray(cube.transpose(2, 0, 1))

    def _trained_at(self, time: int) -> Floats:
        assert isinstance(self.statistic, Accuracy)
        scheme = self.statistic.scheme
        assert isinstance(scheme, VFold)
        ((labels, _, _, made),) = self._parts
        found = np.zeros((len(labels), self.times))
        step = max(1, ENTRIES // (self.times * len(self.X) * scheme.folds))
        for start in range(0, len(labels), step):
            some = slice(start, start + step)
            for repeat in range(scheme.repeats):
                folds = made[(scheme.folds, scheme.balanced, repeat)][some]
                correct = self._correct(self.statistic.learner, labels[some], folds, time)
                for other in range(self.times):
                    found[some, other] += fold_accuracy(correct[:, other], folds, scheme.folds)
        return found / scheme.repeats

    def _correct(self, learner: Learner, labels: Ints, folds: Ints, time: int) -> Bools:
        """Which trials are predicted right (B, times, n)."""
        count, classes = int(folds.max()) + 1, int(labels.max()) + 1
        correct = np.zeros((len(labels), self.times, labels.shape[1]), dtype=bool)
        for fold in range(count):
            out = folds == fold
            done = np.zeros(len(labels), dtype=bool)
            if classes == 2 and available():
                done = self._linear(learner, labels, out, time, correct)
            for b in np.flatnonzero(~done & out.any(axis=1)):
                here, rows = self._table[time], self._table[:, out[b]]
                new = rows.reshape(-1, self.sensors)
                train = ~out[b]
                scores = fit_predict(learner, here[train], labels[b, train], new, classes)
                chosen = predicted(scores).reshape(self.times, -1)
                correct[b][:, out[b]] = chosen == labels[b, out[b]]
        return correct

    def _linear(
        self, learner: Learner, labels: Ints, out: Bools, time: int, correct: Bools
    ) -> Bools:
        """Many linear learners at once: what they say of a few points says all of them."""
        here = self._table[time]
        middle, spread = here.mean(axis=0), here.std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        probes = np.vstack([middle, middle + np.diag(spread)])
        none = np.zeros((len(labels), len(probes)), dtype=np.int64)
        made = decisions(
            learner,
            np.ascontiguousarray(np.vstack([here, probes])),
            np.concatenate([labels, none], axis=1),
            np.concatenate([(~out).astype(np.int64), none], axis=1),
            everywhere=False,
            fast=True,
        )
        if made is None:
            return np.zeros(len(labels), dtype=bool)
        values, bad = made
        offset = values[:, len(here)]
        weights = (values[:, len(here) + 1 :] - offset[:, None]) / spread
        cube = (self._table - middle).reshape(-1, self.sensors)
        said = (weights @ cube.T + offset[:, None]).reshape(len(labels), self.times, -1)
        right = (said > TIE) == (labels == 1)[:, None, :]
        sure = ~bad
        mine = sure[:, None, None] & out[:, None, :]
        np.copyto(correct, right, where=mine)
        return np.asarray(sure)


# ----------------------------------------------------------------------------------------------
# The verb.
# ----------------------------------------------------------------------------------------------


@settled
def decode_over_time(
    epochs: Any,
    labels: Any = None,
    *,
    times: Row | None = None,
    window: int = 1,
    adjacency: Any = None,
    generalise: bool = False,
    statistic: Any = "lda.cv8",
    runs: Any = None,
    subjects: Sequence[str] | None = None,
    folder: str | PathLike[str] | None = None,
    **given: Any,
) -> SubjectMap | SubjectMaps:
    """Find out when classes differ in a recording: a statistic at every time, with null maps.

    The permutations are the same at all times, so null courses are as smooth as the data make them.

    Parameters
    ----------
    epochs
        One subject: trials × sensors × times, or epochs of MNE. Several subjects: a list of those,
        or a mapping from their names.
    labels
        The class of each trial; for several subjects one such list for all, or one for each. The
        event codes of MNE's epochs when not given.
    times
        Of the last axis, in seconds; those of MNE's epochs, or 0, 1, …, when not given.
    window
        How many time points around each one are used, an odd number; at both ends it is cut.
    adjacency
        Which sensors are neighbours: a square matrix or pairs. With it the map has sensors × times
        for centres, each a sensor with its neighbours; without it all sensors are used at once.
    generalise
        Whether learners of every time are tested at all times (trained × tested).
    statistic
        A statistic of `detect`: an accuracy as `lda.cv8`, `svm.c1.cv8` or a scikit-learn
        classifier; or of two groups as `srivastava_du`, which detects more.
    runs
        The run of each trial, given as labels are. Labels are then permuted within runs, and
        accuracies in folds leave out each run in turn.
    subjects
        Names of the subjects; numbers when not given.
    folder
        Where null maps are kept as files that are mapped into memory; in memory when not given.

    Returns
    -------
    SubjectMap
        Observed values and null maps; `SubjectMaps` for several subjects.

    Raises
    ------
    DataError
        If recordings and labels do not fit together.
    NotApplicable
        If the statistic does not suit them; times are generalised by accuracies in folds alone.

    See Also
    --------
    detect : the same statistics on one table.
    searchlight : the same for images.

    References
    ----------
    King and Dehaene (2014).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(40) % 2
    >>> X = rng.normal(size=(40, 4, 6))
    >>> X[:, :, 3:5] += y[:, None, None]
    >>> found = decode_over_time(X, y, times=[0, 0.1, 0.2, 0.3, 0.4, 0.5], draws=50, rng=1)
    >>> found.geometry.coordinates[found.p_values < 0.05, 0].tolist()
    [0.3, 0.4]
    """
    settings = Settings.of("decode_over_time", given)
    each, names, several = _recordings(epochs, subjects)
    all_labels = per_subject("labels", labels, names, several)
    all_runs = per_subject("runs", runs, names, several)
    kept = None if folder is None else Path(folder)
    settings = replace(
        settings,
        store=one_store(settings, draws=settings.flips, window=window, generalise=generalise),
    )
    first = _cube(each[0], names[0])
    axis = _times(each[0], times, first.shape[2])
    if (
        isinstance(adjacency, tuple) and len(adjacency) == 2
    ):  # as MNE's find_ch_adjacency answers: with names of sensors
        adjacency = adjacency[0]
    pairs = None if adjacency is None else pairs_of(adjacency, first.shape[1])
    called = getattr(each[0], "ch_names", None) or range(1, first.shape[1] + 1)
    around = windows(first.shape[1], axis, window, pairs, called)
    if generalise:
        if pairs is not None or window != 1:
            raise NotApplicable("generalise uses all sensors at one time; leave out the others.")
        _accuracy_in_folds(statistic)
        around = replace(around, geometry=_plane(axis))
    maps = []
    for number, (one, name) in enumerate(zip(each, names, strict=True)):
        cube = _cube(one, name)
        if cube.shape[1:] != first.shape[1:]:
            raise DataError(
                f"recordings must have the same sensors and times; {names[0]} has "
                f"{first.shape[1]} × {first.shape[2]}, {name} {cube.shape[1]} × {cube.shape[2]}."
            )
        maps.append(
            mapped(
                cube.reshape(len(cube), -1),
                _labels(one, all_labels[number], name),
                all_runs[number],
                around,
                statistic,
                replace(
                    settings,
                    seed=child_seed(settings.seed, "subject", name) if several else settings.seed,
                ),
                subject=name,
                file=None if kept is None else kept / name / "null.npy",
                before=number * len(around.geometry),
                total=len(each) * len(around.geometry),
                kind=partial(TimeToTime, sensors=cube.shape[1]) if generalise else MapWork,
            )
        )
    return gathered(maps, settings.seed) if several else maps[0]


def _accuracy_in_folds(asked: Any) -> None:
    chosen = statistic_of(asked)
    folded = isinstance(chosen, Accuracy) and isinstance(chosen.scheme, VFold)
    if not folded or getattr(chosen, "scaling", "") != "plain":
        raise NotApplicable(
            f"generalise needs an accuracy in folds, as lda.cv8; got {chosen.name}, which has "
            "nothing to carry from one time to another."
        )


def _recordings(epochs: Any, names: Any) -> tuple[list[Any], list[str], bool]:
    """Recordings of each subject, their names, and whether there are several."""
    several = isinstance(epochs, Mapping | list | tuple) and not hasattr(epochs, "get_data")
    if several and not isinstance(epochs, Mapping):
        epochs = {f"sub-{k + 1:02d}": one for k, one in enumerate(epochs)}
    found, called, _ = subjects_of(epochs if several else {"sub-01": epochs}, names)
    return found, called, several


def _cube(epochs: Any, name: str) -> Floats:
    """Trials × sensors × times."""
    recorded = epochs.get_data() if hasattr(epochs, "get_data") else epochs
    found = numbers_of(recorded, f"the recording of {name}")
    if found.ndim != 3 or 0 in found.shape:
        raise DataError(
            f"a recording must be trials × sensors × times; {name} has shape {found.shape}."
        )
    return found


def _times(epochs: Any, given: Any, many: int) -> Floats:
    if given is None:
        given = getattr(epochs, "times", np.arange(many))
    found = np.asarray(given)
    if found.shape != (many,) or not (np.diff(found) > 0).all():
        raise DataError(
            f"times must be {many} numbers that increase, one for each time point; "
            f"got shape {found.shape}."
        )
    return found


def _labels(epochs: Any, given: Any, name: str) -> Any:
    if given is not None:
        return given
    events = getattr(epochs, "events", None)
    if events is None:
        raise DataError(f"labels must be given; {name} has no events to take them from.")
    return np.asarray(events)[:, 2]


def _plane(times: Floats) -> Geometry:
    """Every time of training with every time of testing."""
    many = len(times)
    train, test = np.meshgrid(times, times, indexing="ij")
    return Geometry(
        coordinates=np.column_stack([train.ravel(), test.ravel()]),
        axes=("trained", "tested"),
        unit="s",
        shape=(many, many),
        indices=np.arange(many**2),
    )
