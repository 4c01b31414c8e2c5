"""Numbers, and labels or probabilities of several classes, from a stream; checked as they come."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, listed
from abovechance.io.classes import SUM_TOLERANCE
from abovechance.io.columns import where_missing
from abovechance.io.stream_cases import Dropped, Progress, first_row, kept
from abovechance.io.streams import Stream, coded, numbers
from abovechance.predictions.checks import same_label


@dataclass(frozen=True, eq=False)
class NumberCases:
    """Two columns of a stream: observed and predicted numbers."""

    stream: Stream
    outcome: str
    value: str
    missing: str = "refuse"
    seen: Dropped = field(default_factory=Dropped)

    def read(self, progress: Progress | None = None) -> Iterator[tuple[Floats, Floats]]:
        """Outcomes and predictions, piece by piece."""
        self.seen.dropped = 0
        for start, columns in self.stream.pieces([self.outcome, self.value]):
            names = {"outcome": self.outcome, "value": self.value}
            pair = [numbers(n, c) for n, c in zip(names.values(), columns, strict=True)]
            lost = {}
            for role, array in zip(names, pair, strict=True):
                if not np.isfinite(array.sum()):
                    if np.isinf(array).any():
                        row = start + first_row(np.isinf(array))
                        raise DataError(f"{role} must be finite; it is not at row {row}.")
                    lost[role] = np.isnan(array)
            stay = kept(lost, self.missing, start, self.seen)
            outcome, value = pair if stay is None else (array[stay] for array in pair)
            if outcome.size:
                yield outcome, value
            if progress is not None:
                progress(start + len(columns[0]), self.stream.rows)


@dataclass(frozen=True, eq=False)
class ClassCases:
    """Columns of a stream: observed classes, and predicted ones or the probability of each."""

    stream: Stream
    outcome: str
    classes: tuple[Any, ...]
    label: str | None = None
    probabilities: Mapping[Any, str] = field(default_factory=dict)
    missing: str = "refuse"
    seen: Dropped = field(default_factory=Dropped)

    def read(self, progress: Progress | None = None) -> Iterator[tuple[Ints, Array]]:
        """Classes by number, and labels likewise or probabilities (K, n), piece by piece."""
        self.seen.dropped = 0
        names = [self.label] if self.label else list(self.probabilities.values())
        prediction: Array
        for start, columns in self.stream.pieces([self.outcome, *names]):
            actual, lost = self._codes("outcome", self.outcome, columns[0], start)
            if self.label:
                prediction, gone = self._codes("label", self.label, columns[1], start)
                stay = kept({"outcome": lost, "label": gone}, self.missing, start, self.seen)
            else:
                prediction = _probabilities(names, columns[1:], start)
                gone = np.asarray(np.isnan(prediction).any(axis=0))
                stay = kept({"outcome": lost, "probability": gone}, self.missing, start, self.seen)
            if stay is not None:
                actual, prediction = actual[stay], prediction[..., stay]
            if actual.size:
                yield actual, prediction
            if progress is not None:
                progress(start + len(columns[0]), self.stream.rows)

    def _codes(self, role: str, name: str, column: Any, start: int) -> tuple[Ints, Bools]:
        """The number of each label's class, and where it is missing."""
        codes, labels = coded(name, column)
        absent = np.append(where_missing(np.asarray(labels)), True)
        number = np.zeros(len(labels) + 1, dtype=np.int64)
        for code, label in enumerate(labels.tolist()):
            if absent[code]:
                continue
            fits = [k for k, known in enumerate(self.classes) if same_label(known, label)]
            if not fits and (codes == code).any():
                raise DataError(
                    f"{role} must be one of the classes {listed(self.classes)}; got {label!r} at "
                    f"row {start + first_row(codes == code)}."
                )
            number[code] = fits[0] if fits else 0
        return number[codes], absent[codes]


def classes_of(stream: Stream, columns: list[str], progress: Progress | None = None) -> list[Any]:
    """The classes that occur in some columns, sorted; a reading of its own."""
    found: list[Any] = []
    for start, pieces in stream.pieces(columns):
        for name, column in zip(columns, pieces, strict=True):
            codes, labels = coded(name, column)
            absent = where_missing(np.asarray(labels))
            present = np.isin(np.arange(len(labels)), codes) & ~absent
            for label in np.asarray(labels)[present].tolist():
                if not any(same_label(label, known) for known in found):
                    found.append(label)
        if progress is not None:
            progress(start + len(pieces[0]), stream.rows)
    if found and all(not isinstance(c, str) and c in (0, 1) for c in found):
        return [False, True] if isinstance(found[0], bool) else [0, 1]
    return sorted(found, key=lambda c: (isinstance(c, str), c))


def _probabilities(names: list[str], columns: list[Any], start: int) -> Floats:
    """Probabilities (K, n); refused if one is none, or those of a case do not sum to 1."""
    pairs = zip(names, columns, strict=True)
    probability = np.stack([numbers(name, column) for name, column in pairs])
    wrong = np.asarray(((probability < 0.0) | (probability > 1.0)).any(axis=0))
    if wrong.any():
        row = start + first_row(wrong)
        raise DataError(f"probability must lie in [0, 1]; it does not at row {row}.")
    total = probability.sum(axis=0)
    off = np.abs(total - 1.0) > SUM_TOLERANCE
    if off.any():
        at = first_row(off)
        raise DataError(
            f"the probabilities of a case must sum to 1; row {start + at} sums to "
            f"{total[at - 1]:.6g}. Give one column for every class, or normalise them."
        )
    return probability
