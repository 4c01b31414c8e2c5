"""From a file or a table in memory to predictions, or to features with their outcomes."""

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import ColumnError, DataError, FileError, listed, shown
from abovechance.io.arrow_files import read_arrow
from abovechance.io.labelled_files import labelled, read_labelled
from abovechance.io.numpy_files import read_numpy
from abovechance.io.roles import (
    ABOUT_CASES,
    Columns,
    Roles,
    Stated,
    class_plan,
    find_roles,
    numeric_plan,
    survival_plan,
    weight_like,
)
from abovechance.io.table import MISSING_WORDS, NUMBER, Table, listed_names, where_missing
from abovechance.io.text_files import (
    ARROW,
    HEAD,
    LABELLED,
    Format,
    arrow,
    as_utf8,
    from_columns,
    from_records,
    is_gzip,
    is_zip,
    looks_like_json,
    read_json,
    read_separated,
    recognise,
    refuse_twins,
    unzipped,
)
from abovechance.io.workbooks import read_workbook
from abovechance.paths import explained, place
from abovechance.predictions import Predictions
from abovechance.predictions.checks import names, one_of, rows_of

# ----------------------------------------------------------------------------------------------
# Tables already in memory: any dataframe, a dictionary of columns, a list of records.
# ----------------------------------------------------------------------------------------------


def from_frame(frame: Any, source: str = "the dataframe") -> Table:
    """A table from a dataframe (pandas, polars, pyarrow, ...), a mapping or a list of records.

    Datasets of Hugging Face are read by the names of their classes.

    >>> from_frame({"y": [0, 1], "p": [0.2, 0.9]}, "the columns").number("p").tolist()
    [0.2, 0.9]
    """
    if isinstance(frame, Mapping):
        _refuse_scores(frame)
        _refuse_splits(frame)
        return from_columns(frame, source)
    if _is_dataset(frame):
        return _from_dataset(frame, source)
    if isinstance(frame, list) and all(isinstance(record, Mapping) for record in frame):
        return from_records(frame, source)
    import narwhals.stable.v1 as nw

    try:
        known = nw.from_native(frame)
    except TypeError:
        raise DataError(
            "predictions are read from a path, a dataframe, a dictionary of columns or a list of "
            f"records; got {type(frame).__name__}."
        ) from None
    except ValueError as error:  # narwhals' DuplicateError
        said = " ".join(str(error).split()).rstrip(".")
        raise DataError(f"every column of {source} must have its own name. {said}.") from None
    table = known.collect() if isinstance(known, nw.LazyFrame) else known
    names = [str(name) for name in table.columns]
    refuse_twins(names, source)
    columns = dict(zip(names, map(_column, table.iter_columns()), strict=True))
    return Table(columns, len(table), (), source)


def _refuse_scores(results: Mapping[Any, Any]) -> None:
    """Refuse the results of scikit-learn's cross_validate: they are scores, not predictions."""
    if "fit_time" in results and "score_time" in results:
        raise DataError(
            "predictions are needed, one per case; these results of cross_validate hold one score "
            "per fold. Call cross_validate(..., return_estimator=True, return_indices=True) and "
            "pass its results to from_cross_validate(results, X, y)."
        )
    if "params" in results and "mean_fit_time" in results:
        raise DataError(
            "predictions are needed, one per case; these results of a search hold scores. Predict "
            "with the whole search by from_cv(search, X, y), which searches anew in every fold."
        )


def _is_dataset(frame: Any) -> bool:
    """Whether something is a dataset of Hugging Face; without loading that library."""
    return type(frame).__module__.startswith("datasets.") and hasattr(frame, "features")


def _refuse_splits(frame: Mapping[Any, Any]) -> None:
    splits = list(frame)
    if splits and all(_is_dataset(part) for part in frame.values()):
        raise DataError(
            f"one split of a dataset is read; this one has {listed_names(splits)}. Pass one, as "
            f"dataset[{splits[-1]!r}]."
        )


def _from_dataset(dataset: Any, source: str) -> Table:
    """A dataset of Hugging Face; its class labels are numbers with names, -1 where unknown."""
    if not hasattr(dataset, "num_rows"):
        raise DataError(
            "a dataset is read as a whole; this one is streamed. Load it with streaming=False."
        )
    table = dataset.with_format("arrow")[:]
    labels = {
        name: dict(enumerate(feature.names))
        for name, feature in dataset.features.items()
        if type(feature).__name__ == "ClassLabel"
    }
    columns = dict(zip(table.column_names, table.columns, strict=True))
    for name in labels:
        columns[name] = arrow([None if v == -1 else v for v in columns[name].to_pylist()])
    return labelled(columns, table.num_rows, source, labels, {})


def _column(series: Any) -> Any:
    import pyarrow as pa

    try:
        return arrow(series.to_arrow())
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return arrow(series.to_list())


# ----------------------------------------------------------------------------------------------
# Read a table from wherever it is.
# ----------------------------------------------------------------------------------------------


def read_table(
    source: Any,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    name: str | None = None,
) -> Table:
    """Read a table, text columns as text, and say what had to be assumed.

    Parameters
    ----------
    source
        A path; the bytes of a file or an open binary file; a dataframe of any library; a
        dictionary of columns; a list of records. The format of a file is seen from its content:
        values separated by commas, semicolons, tabs or bars; JSON lines or a JSON list; Parquet;
        Arrow (Feather); workbooks of Excel and OpenDocument; SPSS, Stata and SAS; NumPy's .npz;
        any of them compressed with gzip.
    separator, encoding
        Of a text file, when what is found by looking would be wrong.
    sheet
        Of a workbook, when several sheets hold something.
    name
        What messages call the table; the file's name when not given.

    Examples
    --------
    >>> table = read_table("id;p\\n007;0,73\\n".encode("utf-16"), name="autumn.csv")
    >>> table.text("id").tolist(), table.number("p").tolist()
    (['007'], [0.73])
    >>> print(*table.notes, sep="\\n")
    [AC701] autumn.csv is not UTF-8; it was read as UTF-16
    [AC702] autumn.csv was read as separated by semicolons; a comma in a number was read ...
    """
    if isinstance(source, str | os.PathLike):
        table = _from_path(place(source), separator, encoding, sheet, name)
    elif isinstance(source, bytes | bytearray | memoryview):
        table = _from_bytes(bytes(source), separator, encoding, sheet, name or "the data")
    elif isinstance(source, io.BufferedIOBase | io.RawIOBase):
        table = _from_bytes(source.read(), separator, encoding, sheet, name or "the file")
    else:
        table = from_frame(source, name or "the dataframe")
    if sheet is not None and not table.sheet:
        raise FileError(f"sheet is for workbooks; {table.source} is not one. Leave it out.")
    if table.rows == 0:
        raise FileError(
            f"{table.source} must hold at least one row; it has a header and no complete row."
            if table.columns
            else f"{table.source} must hold a table; it has no columns."
        )
    return table


def _from_path(
    path: Path, separator: str | None, encoding: str | None, sheet: str | None, name: str | None
) -> Table:
    shown = name or listed_names([path.name])
    with explained(path):
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(HEAD)
            kind = Format.TEXT if is_gzip(head) or is_zip(head) else recognise(head, shown)
            if kind in ARROW:
                return read_arrow(str(path), kind, shown)
        return _from_bytes(path.read_bytes(), separator, encoding, sheet, shown)


def _from_bytes(
    data: bytes, separator: str | None, encoding: str | None, sheet: str | None, source: str
) -> Table:
    if is_gzip(data):
        data = unzipped(data, source)
    if not data.strip():
        raise FileError(f"{source} must hold a table; it is empty.")
    kind = recognise(data, source)
    if kind in ARROW:
        return read_arrow(data, kind, source)
    if kind in LABELLED:
        return read_labelled(data, kind, source)
    if kind is Format.WORKBOOK:
        return read_workbook(data, source, sheet)
    if kind is Format.NUMPY:
        return read_numpy(data, source)
    text = as_utf8(data, source, encoding)
    if not text.data.strip():
        raise FileError(f"{source} must hold a table; it is empty.")
    if separator is None and looks_like_json(text.data):
        return read_json(text, source)
    return read_separated(text, source, separator)


# ----------------------------------------------------------------------------------------------
# From a table to predictions: what was observed beside what was predicted.
# ----------------------------------------------------------------------------------------------


def read(
    source: Any,
    *,
    outcome: Columns = None,
    probability: Stated = None,
    probabilities: Columns | Mapping[Any, str] = None,
    score: Stated = None,
    label: Stated = None,
    value: Columns = None,
    time: Stated = None,
    event: Stated = None,
    risk: Stated = None,
    predicted_time: Stated = None,
    survival: Columns | Mapping[float, str] = None,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    threshold: float | None = None,
    id: Stated = None,
    fold: Stated = None,
    repeat: Stated = None,
    groups: Stated = None,
    sample_weight: Stated = None,
    counts: Stated = None,
    order: Stated = None,
    missing: str = "refuse",
    origin: str | None = None,
    sheet: str | None = None,
) -> Predictions:
    r"""Read predictions from a file or a dataframe, finding by name the columns not stated.

    A column of numbers that are not whole, or `value`, makes `Numeric`; `time` and `event` make
    `Survival`; more than two classes make `Multiclass`, two make `Binary`. What was taken for what
    is in `described`, what was assumed in `notes`.

    Parameters
    ----------
    source
        A path, an open file, bytes, a dataframe, a dataset of Hugging Face, a mapping of columns,
        or a `Table`. Files may be CSV and its relatives, JSON, Parquet, Arrow, workbooks, SPSS,
        Stata, SAS, or NumPy's .npz.
    outcome, probability, score, label, value, time, event, risk, predicted_time
        Names of columns; `outcome` and `value` may be several.
    probabilities
        One column per class, called after it (p_sick, p_well), or a mapping from class to column.
    survival
        Columns with their time in the name (S_12), or a mapping from time to column.
    pos_label
        The positive class, or the code of an event that happened. Words need it; 0/1 and
        true/false do not. The text "1" is the class 1.
    labels
        The declared classes; those that occur when not given.
    threshold
        As in `Binary`: 0.5 for probabilities unless stated.
    id, fold, repeat, groups, sample_weight, counts, order
        Names of columns; False for none, whatever the columns are called. An order (numbers or
        dates) is never found by name.
    missing
        "refuse", or "drop" cases with a missing value and say how many.
    origin
        "test" (independent test set), "cv" or "repeated_cv"; seen from `fold` when not stated.
    sheet
        The sheet of a workbook; needed where several hold something.

    Returns
    -------
    Binary, Multiclass, Numeric or Survival
        The predictions, checked.

    Raises
    ------
    FileError
        If the file cannot be read as a table.
    ColumnError
        If a column is missing, or could not be told from the others.
    DataError
        If the values are not what they must be; the message names the row and the remedy.

    See Also
    --------
    Binary, Multiclass, Numeric, Survival : predictions from arrays.
    from_estimator, from_cv, from_cross_validate : predictions of scikit-learn estimators.

    Examples
    --------
    >>> found = read(b"id,y,p_well,p_sick\n007,sick,.1,.9\n008,well,.6,.4\n", pos_label="sick")
    >>> found, found.described
    (Binary(2 cases; label, probability, score; origin test),
     'outcome = y, probabilities = p_well, p_sick, id = id (found by name); 2 rows')
    """
    table = source if isinstance(source, Table) else read_table(source, sheet=sheet)
    _refuse_no_names(
        {"probability": probability, "score": score, "label": label, "time": time, "event": event}
        | {"risk": risk, "predicted_time": predicted_time, "id": id, "fold": fold}
        | {"repeat": repeat, "groups": groups, "sample_weight": sample_weight, "counts": counts}
        | {"order": order}
    )
    labels = None if labels is None else names("labels", labels)
    one_of("missing", missing, ("refuse", "drop"))
    stated = Roles(
        outcome=_several(outcome),
        probability=probability,
        probabilities=_several(probabilities),
        score=score,
        label=label,
        value=_several(value),
        time=time,
        event=event,
        risk=risk,
        predicted_time=predicted_time,
        survival=_several(survival),
        id=id,
        fold=fold,
        repeat=repeat,
        groups=groups,
        sample_weight=sample_weight,
        counts=counts,
        order=order,
    )
    categorical = pos_label is not None or labels is not None
    roles = find_roles(table, stated, classes=labels, categorical=categorical)
    if roles.time:
        plan = survival_plan(table, roles, survival, pos_label)
    elif roles.value:
        plan = numeric_plan(table, roles)
    else:
        plan = class_plan(table, roles, probabilities, pos_label, labels, threshold)
    facts = _facts(table, roles)
    _refuse_nameless(facts, plan.arrays if missing == "drop" else {})
    made = plan.kind(**plan.arrays, **plan.options, **facts, origin=origin, missing=missing)
    used = [name for columns in roles.used().values() for name in columns]
    remarks = [remark for name in used for remark in table.remarks.get(name, ())]
    notes = (*table.notes, *remarks, *plan.notes, *_unused_weights(table, roles))
    return made.with_notes(*notes, described=roles.sentence(table.rows, table.file))


def _facts(table: Table, roles: Roles) -> dict[str, Array]:
    """What is known about the cases: id and groups as text, fold as labels, weights as numbers."""
    read_as = {"id": table.text, "groups": table.text, "fold": table.labels, "repeat": table.labels}
    read_as["order"] = table.labels
    return {
        role: read_as.get(role, table.number)(name)
        for role in ABOUT_CASES
        for name in roles.columns(role)
    }


def _refuse_nameless(facts: Mapping[str, Array], dropped_with: Mapping[str, Array]) -> None:
    """Refuse missing facts about cases that stay in."""
    for role, array in facts.items():
        missing = where_missing(array)
        for other in dropped_with.values():
            gone = where_missing(other)
            missing = missing & ~(gone if gone.ndim == 1 else gone.any(axis=1))
        if missing.any():
            rows = (np.flatnonzero(missing) + 1).tolist()
            raise DataError(
                f"{role} must not be missing; it is at row{'s' * (len(rows) > 1)} {listed(rows)}. "
                f"Complete the file, or leave it out with {role}=False."
            )


def _unused_weights(table: Table, roles: Roles) -> tuple[Advice, ...]:
    name = weight_like(table, roles)
    if name is None:
        return ()
    said = f"column {name!r} was not used; if it holds sampling weights, pass "
    return (Advice("AC705", said + f"sample_weight={name!r} (--weight {name})"),)


def _refuse_no_names(stated: Mapping[str, Any]) -> None:
    """A role is stated by the name of a column, or by False for none."""
    for role, name in stated.items():
        if name is not None and name is not False and not isinstance(name, str):
            raise ColumnError(f"{role} must be the name of a column; got {shown(name)}.")


def _several(columns: Columns | Mapping[Any, str]) -> tuple[str, ...]:
    if columns is None:
        return ()
    if isinstance(columns, str):
        return (columns,)
    found = columns.values() if isinstance(columns, Mapping) else columns
    if not isinstance(found, Iterable) or not all(isinstance(name, str) for name in found):
        raise ColumnError(f"columns must be given by their names; got {shown(columns)}.")
    return tuple(found)


# ----------------------------------------------------------------------------------------------
# A table of features and one column of classes or numbers, for tests of whether they belong.
# ----------------------------------------------------------------------------------------------


NEARLY = 0.8  # share of numbers from which the other cells of a column are taken for mistakes


class Features(NamedTuple):
    """Features (n, p), outcome and blocks, and a line that says what was taken for what.

    `event` says of survival, whose outcome is a time, where the event happened.
    """

    X: Floats
    y: Array
    blocks: Array | None
    names: list[str]
    described: str
    event: Floats | None = None


def features_in(
    source: Any,
    outcome: str,
    features: list[str] | None = None,
    *,
    blocks: str | None = None,
    id: str | None = None,
    event: str | None = None,
    missing: str = "refuse",
    sheet: str | None = None,
) -> Features:
    """Read features, outcome and blocks; of survival the `event` too, the outcome being its time.

    Without names, every other column of numbers is a feature, unless it only counts the rows.

    >>> found = features_in({"y": [0, 1, 1], "a": [0.1, 0.4, 0.2], "row": [1, 2, 3]}, "y")
    >>> found.described
    'outcome = y; 1 feature; 3 rows; features: a; left out: row (counting the rows)'
    """
    table = read_table(source, sheet=sheet)
    roles = [name for name in (outcome, blocks, id, event) if name is not None]
    table.require([*roles, *(features or ())])
    names, left_out = (features, "") if features is not None else _chosen(table, roles)
    if not names:
        raise ColumnError(
            "no column of numbers is left to be a feature; name them with --features."
        )
    X = np.column_stack([table.number(name) for name in names])
    y = table.labels(outcome) if event is None else table.number(outcome)
    happened = None if event is None else table.number(event)
    units = None if blocks is None else table.text(blocks)
    absent = np.isnan(X).any(axis=1) | np.asarray(table.missing(outcome))
    if happened is not None:
        absent |= np.isnan(happened)
    gone = _settled(absent, "features and outcome", missing)
    dropped = [f"{_cases(gone)} with a missing value dropped"] if gone.any() else []
    if units is not None:
        homeless = ~gone & np.array([unit is None for unit in units])
        if _settled(homeless, "blocks", missing).any():
            dropped.append(f"{_cases(homeless)} without a block dropped")
            gone = gone | homeless
        units = units[~gone].astype(str)
    many = f"{len(names)} feature{'s' * (len(names) != 1)}"
    words = [f"outcome = {outcome}", many, f"{int((~gone).sum())} rows"]
    words.append(f"features: {listed_names(names)}{left_out}")
    return Features(
        X[~gone],
        y[~gone],
        units,
        list(names),
        "; ".join([*words, *dropped]),
        None if happened is None else happened[~gone],
    )


def counts_rows(values: Floats) -> bool:
    """Whether a column only numbers the rows: whole numbers without gap or repeat, in any order.

    >>> counts_rows(np.array([7.0, 9.0, 8.0])), counts_rows(np.array([1.0, 4.0, 2.0]))
    (True, False)
    """
    steps = np.diff(np.sort(values))
    return bool(len(steps) > 1 and values[0] == np.round(values[0]) and (steps == 1).all())


def _chosen(table: Table, roles: list[str]) -> tuple[list[str], str]:
    """The columns that are features, and which were left out for what."""
    chosen: list[str] = []
    left_out: dict[str, list[str]] = {}
    for name in table.names:
        if name in roles:
            continue
        kind = table.kind(name)
        if kind == "text":
            _refuse_few_words(table, name)
        if kind != "number":
            left_out.setdefault("without numbers", []).append(name)
        elif counts_rows(table.number(name)):
            left_out.setdefault("counting the rows", []).append(name)
        else:
            chosen.append(name)
    said = [f"{listed_names(names)} ({why})" for why, names in left_out.items()]
    return chosen, f"; left out: {', '.join(said)}" if said else ""


def _refuse_few_words(table: Table, name: str) -> None:
    """Refuse a column of numbers in which a few cells hold something else."""
    cells = ["" if text is None else str(text) for text in table.text(name)]
    if table.decimal_comma:
        cells = [cell.replace(",", ".") for cell in cells]
    said = [row for row, cell in enumerate(cells) if cell.lower() not in MISSING_WORDS]
    words = [row for row in said if not NUMBER.fullmatch(cells[row])]
    numbers = len(said) - len(words)
    if words and numbers >= NEARLY * len(said):
        more = f" and {len(words) - 1} more" if len(words) > 1 else ""
        raise DataError(
            f"column {name!r} has {numbers} numbers and {cells[words[0]]!r} at row "
            f"{words[0] + 1}{more}. Correct or empty the cell, or name the columns to use with "
            "--features."
        )


def _settled(gone: Bools, what: str, missing: str) -> Bools:
    """Rows to drop; refused when there are some and dropping was not asked for."""
    if gone.any() and missing == "refuse":
        raise DataError(
            f"{what} must not be missing; they are at {rows_of(gone)}. "
            "Complete the file, or drop such cases with --missing drop."
        )
    return gone


def _cases(gone: Bools) -> str:
    many = int(gone.sum())
    return f"{many} case{'s' * (many != 1)}"
