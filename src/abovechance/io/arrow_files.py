"""Parquet and Arrow files: typed columns read when asked for, in batches, and as checked cases."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import AboveChanceError, ColumnError, DataError, FileError, listed
from abovechance.format import thousands
from abovechance.io.roles import _meant
from abovechance.io.table import (
    Table,
    as_labels,
    fixed,
    floats,
    listed_names,
    unknown_column,
    where_missing,
)
from abovechance.io.text_files import HEAD as HEAD_BYTES
from abovechance.io.text_files import Format, is_zip, recognise, refuse_twins
from abovechance.limits import refuse_larger
from abovechance.paths import explained, place
from abovechance.predictions.base import DROP
from abovechance.predictions.checks import same_label, sums_to_one

# ----------------------------------------------------------------------------------------------
# Parquet and Arrow files: typed columns, read when asked for; and in batches.
# ----------------------------------------------------------------------------------------------


BATCH = 2**18
MOST_SAID = 120  # letters of what a library says about damage
MOST_DIGITS = 76  # of a decimal
CELL = 8  # bytes that a value takes at the least once it is a number here


@dataclass(frozen=True, eq=False)
class ParquetColumns(Mapping[str, Any]):
    """The columns of a Parquet file, each read and checked when it is asked for."""

    file: Any
    source: str

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.file.schema_arrow.names)}

    def __getitem__(self, name: str) -> Any:
        if name not in self._places:
            raise KeyError(name)
        rows = self.file.metadata.num_rows
        with decoded(self.source, Format.PARQUET):
            column = self.file.read(columns=[name], use_threads=True).column(name)
            _sound(column, rows, name)
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_arrow(data: bytes | str, kind: Format, source: str) -> Table:
    """The table in a Parquet or Arrow file, given as its path or as its bytes."""
    import pyarrow as pa

    if kind is Format.PARQUET:
        file = _parquet(data, source)
        refuse_twins(file.schema_arrow.names, source)
        return Table(ParquetColumns(file, source), file.metadata.num_rows, (), source)
    with decoded(source, kind):
        opened = pa.OSFile(data) if isinstance(data, str) else pa.BufferReader(data)
        if kind is Format.ARROW_FILE:
            reader = pa.ipc.open_file(opened)
            _possible(reader.schema)
            parts = [_checked_batch(reader.get_batch(i)) for i in range(reader.num_record_batches)]
        else:
            reader = pa.ipc.open_stream(opened)
            _possible(reader.schema)
            parts = [_checked_batch(part) for part in reader]
        table = pa.Table.from_batches(parts, reader.schema)
        refuse_larger(CELL * len(table), source, f"{thousands(len(table))} rows")
        refuse_twins(table.column_names, source)
    return Table(dict(zip(table.column_names, table.columns, strict=True)), len(table), (), source)


@contextmanager
def decoded(source: str, kind: Format) -> Iterator[None]:
    """What Arrow says of a file it cannot decode, in one line of ours.

    Arrow answers damage with errors of many types, and hands out what it does not look at: values
    behind the end of their buffer, codes of no dictionary. Whoever decodes checks it here too.
    """
    import pyarrow as pa

    try:
        yield
    except AboveChanceError:
        raise
    except OSError as error:
        if error.errno is not None:  # of the path, not of what is in the file
            raise
        raise _damaged(source, kind, error) from None
    except (pa.ArrowException, MemoryError, KeyError, ValueError, OverflowError) as error:
        raise _damaged(source, kind, error) from None


def _sound(column: Any, rows: int, name: str) -> None:
    """Refuse a column whose content is not what its description says."""
    column.validate(full=True)
    if len(column) != rows:
        raise ValueError(
            f"column {name!r} has {thousands(len(column))} values for {thousands(rows)} rows"
        )


def _possible(schema: Any) -> None:
    """Refuse names that are no text, and decimals whose scale Arrow would look up out of bounds."""
    import pyarrow as pa

    for name, kind in zip(schema.names, schema.types, strict=True):
        inner = kind.value_type if pa.types.is_dictionary(kind) else kind
        if pa.types.is_decimal(inner) and abs(inner.scale) > MOST_DIGITS:
            raise ValueError(f"column {name!r} has decimals of scale {thousands(inner.scale)}")


def _checked_batch(batch: Any) -> Any:
    batch.validate(full=True)
    return batch


def batches(
    path: str | os.PathLike[str], columns: Sequence[str], rows: int = BATCH
) -> Iterator[dict[str, Array]]:
    """Read some columns of a Parquet file piece by piece, in memory that does not grow.

    Yields a dictionary of arrays for every `rows` rows, in order; numbers as the file stores them
    (nan where they are missing), text as objects.
    """
    found = place(path)
    with explained(found):
        file = _parquet(str(found), found.name)
    known = file.schema_arrow.names
    for name in columns:
        if name not in known:
            raise ColumnError(unknown_column(name, known, found.name))
    for batch in _batches(file, found.name, rows, list(columns)):
        yield {name: batch.column(name).to_numpy(zero_copy_only=False) for name in columns}


def _parquet(data: bytes | str, source: str) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    with decoded(source, Format.PARQUET):
        opened = pa.OSFile(data) if isinstance(data, str) else pa.BufferReader(data)
        file = parquet.ParquetFile(opened, pre_buffer=False)
        _plausible(file, source)
    return file


def _plausible(file: Any, source: str) -> None:
    """Refuse a footer that contradicts itself, or promises more than the memory holds."""
    about = file.metadata
    _possible(file.schema_arrow)
    # no fact of a single column is asked here: a damaged one ends the process inside Arrow
    if about.num_rows != sum(about.row_group(i).num_rows for i in range(about.num_row_groups)):
        raise ValueError("its parts do not add up to its number of rows")
    refuse_larger(CELL * about.num_rows, source, f"{thousands(about.num_rows)} rows")


def _batches(file: Any, source: str, rows: int, columns: list[str] | None = None) -> Iterator[Any]:
    """The file in pieces of so many rows, each checked."""
    found = file.iter_batches(batch_size=rows, columns=columns, use_threads=False)
    while True:
        with decoded(source, Format.PARQUET):
            batch = next(found, None)
            if batch is None:
                return
            _checked_batch(batch)
        yield batch


def _damaged(source: str, kind: Format, error: Exception) -> FileError:
    said = str(error).split("\n")[0].strip().rstrip(".")[:MOST_SAID]
    return FileError(
        f"{source} must be a whole {kind.value}; it is damaged or cut off ({said}). Copy it again."
    )


# ----------------------------------------------------------------------------------------------
# Parquet files read piece by piece, in memory that does not grow with them.
# ----------------------------------------------------------------------------------------------


PIECE = 2**16  # rows: what fits the processor's cache is summed fastest
BUFFER = 2**20  # bytes read ahead of each column
HEAD = 1000


@dataclass(frozen=True, eq=False)
class Stream:
    """A Parquet file of which one piece is in memory at a time."""

    path: Path
    source: str
    rows: int
    bytes: int
    names: tuple[str, ...]

    def head(self, rows: int = HEAD) -> Table:
        """The first rows as a table, for finding out which column is what."""
        import pyarrow as pa

        with _opened(self.path, self.source) as file:
            batch = next(_batches(file, self.source, rows), None)
            if batch is None:
                raise FileError(f"{self.source} must hold at least one row; it has none.")
            table = pa.Table.from_batches([batch])
        return Table(
            dict(zip(table.column_names, table.columns, strict=True)), len(batch), (), self.source
        )

    def pieces(self, columns: Sequence[str], rows: int = PIECE) -> Iterator[tuple[int, list[Any]]]:
        """The columns piece by piece as Arrow arrays, each with the number of rows before it."""
        start, wanted = 0, list(dict.fromkeys(columns))
        with _opened(self.path, self.source, columns) as file:
            for batch in _batches(file, self.source, rows, wanted):
                yield start, [batch.column(name) for name in columns]
                start += len(batch)


def open_stream(path: str | os.PathLike[str]) -> Stream | None:
    """A Parquet file, ready to be read in pieces; None if the file is something else."""
    found = place(path)
    shown = listed_names([found.name])
    with explained(found):
        if not found.is_file():
            return None
        with found.open("rb") as file:
            head = file.read(HEAD_BYTES)
            if is_zip(head) or recognise(head, shown) is not Format.PARQUET:
                return None
        size = found.stat().st_size
    with _opened(found, shown) as parquet:
        names = tuple(parquet.schema_arrow.names)
        refuse_twins(names, shown)
        return Stream(found, shown, parquet.metadata.num_rows, size, names)


def numbers(name: str, column: Any) -> Floats:
    """An Arrow array of numbers as floats, nan where they are missing; copied only if need be."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_float64(kind) and not column.null_count and len(column):
        return _fixed(column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return floats(column)
    raise DataError(
        f"column {name!r} must be stored as numbers to be read in pieces; it holds {kind}."
    )


def coded(name: str, column: Any) -> tuple[Array, Array]:
    """An Arrow array of labels as codes, and the labels they stand for; -1 where it is missing."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
        codes = _fixed(column) if not column.null_count else _integers(column)
        return codes, np.array([False, True])
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    labels = as_labels(name, pa.chunked_array([column.dictionary]))
    return _integers(column.indices), labels


def stored_numbers(column: Any) -> Array | None:
    """An Arrow array of numbers without missing values as they are stored; None if it is none."""
    import pyarrow as pa

    known = pa.types.is_integer(column.type) or pa.types.is_float64(column.type)
    if not known or column.null_count or not len(column):
        return None
    return _fixed(column)


def _fixed(column: Any) -> Array:
    kind = np.dtype("float64" if str(column.type) == "double" else str(column.type))
    return fixed(column, kind)


def _integers(column: Any) -> Array:
    """Codes, -1 where they are null."""
    codes = floats(column)
    return np.where(np.isnan(codes), -1.0, codes).astype(np.int64)


def _opened(path: Path, source: str, columns: Sequence[str] = ()) -> Any:
    """The file; text in the columns asked for comes as codes into a list of distinct texts."""
    from pyarrow import parquet

    with decoded(source, Format.PARQUET):
        schema = parquet.read_schema(path) if columns else None
        texts = [n for n in columns if schema is not None and _is_text(schema.field(n).type)]
        return parquet.ParquetFile(
            path, pre_buffer=False, buffer_size=BUFFER, read_dictionary=texts or None
        )


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


# ----------------------------------------------------------------------------------------------
# Outcomes and scores of two classes from a stream, checked as they come; rows are the file's.
# ----------------------------------------------------------------------------------------------


Progress = Callable[[int, int], None]
NEVER_SEEN = object()


@dataclass
class Dropped:
    """How many cases were left out so far because they missed a value."""

    dropped: int = 0


@dataclass
class Seen(Dropped):
    """What reading has found out so far: the two classes beside."""

    positive: Any = 1
    negative: Any = 0
    stated: bool = False

    @classmethod
    def of(cls, pos_label: Any) -> "Seen":
        """Nothing yet but what is stated; without a positive class the classes are 0 and 1."""
        if pos_label is None:
            return cls()
        return cls(positive=pos_label, negative=NEVER_SEEN, stated=True)

    @property
    def classes(self) -> tuple[Any, Any]:
        """The negative and the positive class."""
        rest = f"not {self.positive}" if self.negative is NEVER_SEEN else self.negative
        return rest, self.positive

    def is_positive(self, label: Any, row: int) -> bool:
        """Whether a label is the positive class; refused if it is a third one."""
        if same_label(label, _meant(self.positive, [label])):
            self.positive = label
            return True
        if self.negative is NEVER_SEEN:
            self.negative = label
        if same_label(label, self.negative):
            return False
        if not self.stated:
            raise DataError(
                f"pos_label must say which class is positive unless the classes are 0 and 1; got "
                f"{label!r} at row {row}. Pass pos_label={label!r}, for instance "
                f"(--positive {label})."
            )
        raise DataError(
            f"two classes are needed, one of them the positive class {self.positive!r}; found "
            f"{self.negative!r} and, at row {row}, {label!r}."
        )


@dataclass(frozen=True, eq=False)
class StreamCases:
    """Two columns of a stream: outcomes of two classes and what was predicted of them."""

    stream: Stream
    outcome: str
    prediction: str
    probabilities: bool
    missing: str = "refuse"
    seen: Seen = field(default_factory=lambda: Seen.of(None))

    def read(self, progress: Progress | None = None) -> Iterator[tuple[Bools, Floats]]:
        """Whether each case is positive and its score, piece by piece.

        May be called again for another reading; the cases are the same.
        """
        self.seen.dropped = 0
        for start, (outcome, prediction) in self.stream.pieces([self.outcome, self.prediction]):
            positive, lost = self._positive(outcome, start)
            score = numbers(self.prediction, prediction)
            stay = self._checked(score, lost, start)
            if stay is not None:
                positive, score = positive[stay], score[stay]
            if score.size:
                yield positive, score
            if progress is not None:
                progress(start + len(prediction), self.stream.rows)

    def extremes(self, progress: Progress | None = None) -> tuple[float, float]:
        """The least and the greatest score."""
        low, high = np.inf, -np.inf
        for _, score in self.read(progress):
            low, high = min(low, float(score.min())), max(high, float(score.max()))
        return low, high

    def _positive(self, column: Any, start: int) -> tuple[Bools, Bools | None]:
        """Whether each outcome is the positive class, and where it is missing."""
        stored, (negative, positive) = stored_numbers(column), self.seen.classes
        if stored is not None and _is_number(negative) and _is_number(positive):
            found = stored == positive
            if (found | (stored == negative)).all():
                return found, None
        codes, labels = coded(self.outcome, column)
        truth = np.zeros(len(labels) + 1, dtype=np.bool_)
        absent = np.append(where_missing(np.asarray(labels)), True)
        for code, label in enumerate(labels.tolist()):
            at = codes == code
            if not absent[code] and at.any():
                truth[code] = self.seen.is_positive(label, start + first_row(at))
        gone = absent[codes]
        return truth[codes], gone if gone.any() else None

    def _checked(self, score: Floats, lost: Bools | None, start: int) -> Bools | None:
        """Refuse scores that cannot be; which cases stay if others may be left out."""
        role = "probability" if self.probabilities else "score"
        low, high = (score.min(), score.max()) if score.size else (0.0, 0.0)
        if self.probabilities and not (low >= 0.0 and high <= 1.0):
            _refuse((score < 0.0) | (score > 1.0), score, start, UNIT_ONLY)
        if not np.isfinite(low + high):
            _refuse(np.isinf(score), score, start, "score must be finite to be read in pieces")
        empty = np.isnan(score) if np.isnan(low) else None
        return kept({"outcome": lost, role: empty}, self.missing, start, self.seen)


def kept(lost: Mapping[str, Bools | None], missing: str, start: int, seen: Dropped) -> Bools | None:
    """Which cases of a piece stay, None for all; refused if values must not be missing."""
    gone: Bools | None = None
    for what, mask in lost.items():
        if mask is None or not mask.any():
            continue
        if missing == "refuse":
            row = start + first_row(mask)
            raise DataError(f"{what} must not be missing; it is at row {row}. {DROP}")
        gone = mask if gone is None else gone | mask
    if gone is None:
        return None
    seen.dropped += int(gone.sum())
    return ~gone


UNIT_ONLY = "probability must lie in [0, 1]"


def _refuse(wrong: Bools, score: Floats, start: int, rule: str) -> None:
    if wrong.any():
        remedy = " If these are decision scores, pass them as score=." * (rule == UNIT_ONLY)
        row = start + first_row(wrong)
        raise DataError(f"{rule}; got {score[wrong][0]:g} at row {row}.{remedy}")


def first_row(mask: Array) -> int:
    """The row of the first marked case in a piece, counted from 1."""
    return int(np.argmax(mask)) + 1


def _is_number(label: Any) -> bool:
    return isinstance(label, int | float)


# ----------------------------------------------------------------------------------------------
# Numbers, and labels or probabilities of several classes, from a stream; checked as they come.
# ----------------------------------------------------------------------------------------------


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
    sums_to_one(probability.sum(axis=0), start)
    return probability
