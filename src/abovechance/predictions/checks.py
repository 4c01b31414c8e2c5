"""Checks of raw arrays, naming the row and the remedy; and rows matched by their labels."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable, did_you_mean, listed, shown
from abovechance.format import thousands
from abovechance.settings import number_of

# ----------------------------------------------------------------------------------------------
# Checks of raw arrays, each with a message that names the row and the remedy.
# ----------------------------------------------------------------------------------------------


# what to do with a table where one column belongs
COLUMNS = {
    "probability": " Take the column of the positive class: of predict_proba, [:, 1].",
    "score": " Take the column of the positive class: of predict_proba, [:, 1].",
    "label": " Of probabilities take the most probable class: labels[p.argmax(axis=1)].",
}
FROM_PROBABILITY = (
    "Of probabilities make labels with a threshold (p > 0.5), or pass probability= to Binary."
)
FROM_SCORE = "Of scores make labels with a threshold, or pass score= to Binary."
LARGEST_PERCENT = 100.0
LARGEST = 1e70  # fourth powers and their sums are still numbers: spreads of squared errors
SMALLEST = 1e-70  # of weights that are not 0: so are those of their inverses
ROUNDING = 1e-6  # beyond 0 or 1 by less is arithmetic, not another unit


def rows_of(mask: Bools) -> str:
    """The rows a mask marks, counted from 1 as a reader of the file would.

    >>> rows_of(np.array([False, True, True]))
    'rows 2, 3'
    """
    rows = (np.flatnonzero(mask) + 1).tolist()
    return f"row{'s' if len(rows) > 1 else ''} {listed(rows)}"


def vector(name: str, values: Any) -> Array:
    """One value per case, as an array of one axis."""
    array = unmasked(values, name)
    if array.ndim != 1:
        shape = "×".join(map(str, array.shape)) or "a single value"
        remedy = COLUMNS.get(name, "") if array.ndim == 2 else ""
        raise DataError(f"{name} must hold one value per case; got {shape}.{remedy}")
    if array.dtype.kind == "O":
        array = _plain(array)
    return array


def unmasked(values: Any, name: str = "it") -> Array:
    """Any array-like as an array, masked values as missing ones: the door for what users give."""
    if not isinstance(values, np.ma.MaskedArray):
        try:
            array = np.asarray(values)
        except (ValueError, TypeError, OverflowError):
            raise DataError(
                f"{name} must be a list or an array, its rows of one length; got {shown(values)}."
            ) from None
        if array.dtype.kind in "cV" and array.size:
            first = array.ravel()[0].item()
            raise DataError(f"{name} must hold numbers; got {shown(first)} at row 1.")
        return array
    if values.dtype.kind in "fiub":
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))
    return np.asarray(np.ma.filled(values.astype(np.object_), None))


def axes(values: Any) -> int:
    """How many axes an array-like has; 0 for a single thing, -1 where its rows differ."""
    own = getattr(values, "ndim", None)
    if isinstance(own, int):
        return own
    try:
        return np.asarray(values).ndim
    except (ValueError, TypeError):
        return -1


def names(what: str, values: Any) -> list[Any]:
    """A list of names of classes or outputs."""
    several = isinstance(values, Iterable) and not isinstance(values, dict)
    found = list(values) if several and getattr(values, "ndim", 1) > 0 else [[]]
    if any(isinstance(v, Collection) and not isinstance(v, str | bytes) for v in found):
        raise DataError(f"{what} must be a list of names; got {shown(values)}.")
    return [v.item() if hasattr(v, "item") else v for v in found]


def one_of(what: str, value: Any, known: Sequence[str]) -> str:
    """A word among those that are known."""
    if not isinstance(value, str) or value not in known:
        raise DataError(f"{what} must be one of {', '.join(known)}; got {shown(value)}.")
    return value


def same_length(arrays: Mapping[str, Array | None]) -> int:
    """The number of cases all arrays agree on."""
    lengths = {name: int(a.shape[-1]) for name, a in arrays.items() if a is not None}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {size}" for name, size in lengths.items())
        raise DataError(f"all columns must have the same number of cases; {found}.")
    return next(iter(lengths.values()))


def missing_mask(array: Array | None) -> Bools | None:
    """Which cases are missing; None when none are, found without a pass where possible."""
    if array is None or array.size == 0 or array.dtype.kind in "iubSU":
        return None
    mask: Bools
    if array.dtype.kind == "f":
        squares = np.vdot(array, array)
        if squares == squares:  # no square is negative: sums of them are numbers
            return None
        mask = np.isnan(array)
    elif array.dtype.kind in "mM":
        mask = np.isnat(array)
    else:
        mask = np.array([_is_missing(v) for v in array.ravel()], bool).reshape(array.shape)
    mask = _any_row(mask)
    return mask if mask.any() else None


def numbers(name: str, array: Array) -> Floats:
    """The array as floats, or the first row that is none."""
    if array.dtype.kind in "fiub":
        return np.asarray(array, dtype=np.float64)
    flat = array.ravel().tolist()
    row = next((i for i, v in enumerate(flat) if not _is_number(v)), None)
    if row is not None:
        raise DataError(
            f"{name} must hold numbers; got {shown(flat[row])} at row {row % array.shape[-1] + 1}."
        )
    return array.astype(np.float64)


SUM_TOLERANCE = 1e-3  # a table rounded to three digits passes


def sums_to_one(total: Floats, before: int = 0) -> None:
    """Refuse probabilities whose sums, one per case, are not 1; `before` are rows read earlier."""
    off = np.abs(total - 1.0) > SUM_TOLERANCE
    if off.any():
        row = int(np.argmax(off))
        raise DataError(
            f"the probabilities of a case must sum to 1; row {before + row + 1} sums to "
            f"{total[row]:.6g}. Give one column for every class, or normalise them."
        )


def within_unit(name: str, probability: Floats, remedy: str = "") -> None:
    """Refuse probabilities outside [0, 1]."""
    if probability.size and (probability.min() < 0.0 or probability.max() > 1.0):
        where = int(np.argmax(((probability < 0.0) | (probability > 1.0)).ravel()))
        row = where % probability.shape[-1] + 1
        low, high = float(probability.min()), float(probability.max())
        if low >= -ROUNDING and high <= 1.0 + ROUNDING:
            remedy = " That is rounding error: clip them, numpy.clip(p, 0, 1)."
        elif low >= 0.0 and 5.0 < high <= LARGEST_PERCENT:
            remedy = f" If these are percentages, divide by 100.{remedy}"
        value = float(probability.ravel()[where])
        shown = f"{value:.6g}"
        if 0.0 <= float(shown) <= 1.0:
            shown = repr(value)
        raise DataError(f"{name} must lie in [0, 1]; got {shown} at row {row}.{remedy}")


def finite(name: str, array: Floats) -> None:
    """Refuse infinite values, and those whose squares would be."""
    size = np.vdot(array, array)
    if not size < LARGEST**2:
        for mask, what in (
            (np.isinf(array), "finite; got an infinite value"),
            (np.abs(array) > LARGEST, f"within ±{LARGEST:g}; got a larger one"),
        ):
            if mask.any():
                raise DataError(f"{name} must be {what} at {rows_of(_any_row(mask))}.")


def codes(name: str, values: Array, classes: Sequence[Any]) -> Array:
    """Each value's position among the declared classes; an unknown label is refused."""
    if values.dtype.kind in "iub" and tuple(classes) == tuple(range(len(classes))):
        if values.size and (values.min() < 0 or values.max() >= len(classes)):
            bad = (values < 0) | (values >= len(classes))
            _unknown(name, values, bad, classes)
        return values.astype(np.uint8 if len(classes) < 256 else np.int64)
    position = {label_key(label): i for i, label in enumerate(classes)}
    distinct, inverse = np.unique(values, return_inverse=True)
    table = np.array([position.get(label_key(v), -1) for v in distinct.tolist()], dtype=np.int64)
    found = table[inverse]
    if (found < 0).any():
        _unknown(name, values, found < 0, classes)
    return found.astype(np.uint8 if len(classes) < 256 else np.int64)


def distinct(values: Array) -> list[Any]:
    """The labels that occur, sorted."""
    try:
        return list(np.unique(values).tolist())
    except TypeError:
        raise DataError(
            "labels must be all numbers or all text; these are of both kinds."
        ) from None


def stacked(outcome: Array, label: Array) -> Array:
    """Observed and predicted classes in one array; refused where no class can be in both."""
    if (outcome.dtype.kind in "mM") != (label.dtype.kind in "mM"):
        raise DataError("label must call the classes as outcome does; one of them holds dates.")
    return np.concatenate([outcome, label])


def refuse_no_labels(outcome: Array, label: Array) -> None:
    """Refuse as predicted classes what can only be probabilities, scores or another coding.

    Without declared classes every value would be a class of its own, and nothing ever right.
    """
    numeric = [a.dtype.kind in "iufb" or _all_numbers(a) for a in (outcome, label)]
    if numeric[0] != numeric[1] and not np.isin(label.astype(str), outcome.astype(str)).any():
        kinds = ["numbers" if n else "text" for n in numeric]
        raise DataError(
            f"label must call the classes as outcome does; outcome holds {kinds[0]}, label "
            f"{kinds[1]}. Recode one of them."
        )
    if label.dtype.kind != "f" or outcome.dtype.kind not in "iufb":
        return
    strange = (label != np.round(label)) & ~np.isin(label, outcome.astype(np.float64))
    if strange.any():
        row = int(np.argmax(strange))
        unit = label.min() >= 0.0 and label.max() <= 1.0
        raise DataError(
            f"label must hold predicted classes; got {label[row]:.6g} at row {row + 1}, which "
            f"is no class of outcome. {FROM_PROBABILITY if unit else FROM_SCORE}"
        )


def is_zero_one(values: Array) -> bool:
    """Whether the labels are 0 and 1 (or False and True): the one coding that needs no word."""
    if values.dtype.kind == "b":
        return True
    if values.dtype.kind not in "iuf" or values.size == 0:
        return False
    if values.dtype.kind in "iu":
        return bool(values.min() >= 0 and values.max() <= 1)
    return bool(np.isin(values, (0.0, 1.0)).all())


def same_label(first: Any, second: Any) -> bool:
    """Whether two labels are the same class: 1 and '1' are, as a file cannot tell them apart."""
    return bool(label_key(first) == label_key(second))


def _any_row(mask: Bools) -> Bools:
    return np.asarray(mask.reshape(-1, mask.shape[-1]).any(axis=0))


def _unknown(name: str, values: Array, bad: Bools, classes: Sequence[Any]) -> None:
    row = int(np.argmax(bad))
    label = values[row].item() if hasattr(values[row], "item") else values[row]
    names = [str(c) for c in classes]
    raise DataError(
        f"{name} must be one of the classes {listed(names)}; got {label!r} at row {row + 1}"
        f"{did_you_mean(str(label), names) or '.'}"
    )


def label_key(label: Any) -> Any:
    """What is equal for labels that are the same class."""
    if isinstance(label, bool | np.bool_):
        return int(label)
    if isinstance(label, int | float | np.integer | np.floating):
        found = number_of(label)
        return found if found == found else str(label)
    text = str(label)
    try:
        return float(text) if text.strip() == text and text.lower() not in {"nan", "inf"} else text
    except ValueError:
        return text


def _plain(array: Array) -> Array:
    """Objects as numbers or text where all of them are such; missing ones stay objects."""
    values = array.tolist()
    if any(_is_missing(v) for v in values):
        if all(_is_missing(v) or isinstance(v, int | float) for v in values):
            return np.array([np.nan if _is_missing(v) else float(v) for v in values])
        return array
    if all(isinstance(v, str) for v in values):
        return np.array(values, dtype=np.str_) if values else array
    if all(isinstance(v, bool | int | float | np.generic) for v in values):
        found = np.array(values)
        if found.dtype.kind == "O":
            raise DataError("numbers must be smaller than 1.8e308, which is all that floats hold.")
        return found
    raise DataError(
        "labels must be all numbers or all text; got "
        f"{listed(sorted({type(v).__name__ for v in values}))}. Convert the column first."
    )


def _all_numbers(array: Array) -> bool:
    return all(_is_number(v) for v in np.unique(array.astype(str)).tolist())


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating) and bool(value != value)


def _is_number(value: Any) -> bool:
    try:
        return not np.isnan(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def moments(name: str, values: Array) -> Floats:
    """Numbers or dates as numbers that keep their order; dates in seconds.

    >>> moments("order", np.array(["2026-01-02", "2026-01-01"])).tolist()
    [1767312000.0, 1767225600.0]
    """
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        found = array.astype(np.float64)
    else:
        try:
            found = array.astype(np.float64) if array.dtype.kind in "OUS" else _seconds(array)
        except (TypeError, ValueError):
            found = _seconds(array)
    if not np.isfinite(found).all():
        raise DataError(
            f"{name} must be numbers or dates; it is neither at {rows_of(~np.isfinite(found))}."
        )
    return found


def _seconds(array: Array) -> Floats:
    try:
        dates = array.astype("datetime64[ns]")
    except (TypeError, ValueError):
        return np.full(array.shape, np.nan)
    found: Floats = np.where(np.isnat(dates), np.nan, dates.astype(np.int64) / 1e9)
    return found


# ----------------------------------------------------------------------------------------------
# Row labels of dataframes and series: columns that carry the same ones are matched by them.
# ----------------------------------------------------------------------------------------------


BY_POSITION = "to match rows by position pass .to_numpy()"


def index_of(values: Any) -> Any:
    """The row labels of a pandas object; None for whatever has none."""
    index = getattr(values, "index", None)
    return index if hasattr(index, "get_indexer") else None  # a list's .index is a method


def aligned(columns: Mapping[str, Any]) -> tuple[dict[str, Any], Array | None, tuple[Advice, ...]]:
    """Columns in the order of the first that carries row labels; these labels; what was moved.

    Columns without row labels are matched by position, as they were made from the first. Columns
    of another length pass through: that is refused elsewhere, in words about lengths.
    """
    others = {k: v for k, v in columns.items() if not (v is None or type(v) is np.ndarray)}
    carrying = {name: v for name, v in others.items() if index_of(v) is not None}
    if not carrying:
        return dict(columns), None, ()
    (first, leader), *following = carrying.items()
    index = index_of(leader)
    found, moved = dict(columns), []
    for name, values in following:
        own = index_of(values)
        if own is index or len(own) != len(index) or own.equals(index):
            continue
        found[name] = values.iloc[_places(first, index, name, own)]
        moved.append(name)
    return found, _texts(index), (on_moved(first, moved),) if moved else ()


def in_order_of(index: Array | None, name: str, values: Any) -> Any:
    """A column in the order of rows whose labels are known; it may hold other rows too."""
    own = index_of(values)
    if index is None or own is None:
        return values
    labels = _texts(own)
    if len(labels) == len(index) and np.array_equal(labels, index):
        return values
    return values.iloc[places_of("the predictions", index, name, labels)]


def places_of(first: str, wanted: Array, name: str, labels: Array) -> Ints:
    """Where each wanted row label stands among others."""
    _refuse_twice(name, labels)
    if labels.dtype.kind != wanted.dtype.kind:
        labels, wanted = labels.astype(str), wanted.astype(str)
    order = np.argsort(labels, kind="stable")
    at = np.searchsorted(labels, wanted, sorter=order)
    places = order[np.minimum(at, len(labels) - 1)]
    absent = labels[places] != wanted
    if absent.any():
        _refuse_others(first, name, wanted[absent])
    _refuse_twice(first, wanted)
    return np.asarray(places)


def _places(first: str, index: Any, name: str, own: Any) -> Ints:
    for owner, labels in ((first, index), (name, own)):
        if not labels.is_unique:
            _refuse_twice(owner, _texts(labels))
    places = np.asarray(own.get_indexer(index))
    if (places < 0).any():
        _refuse_others(first, name, _texts(index[places < 0]))
    return places


def _texts(index: Any) -> Array:
    """Row labels as numbers or text, one per row; several levels as one text."""
    labels = np.asarray(index)
    return np.array([str(label) for label in labels]) if labels.dtype.kind == "O" else labels


def _refuse_others(first: str, name: str, absent: Array) -> None:
    raise DataError(
        f"{first} and {name} must carry the same index labels to be matched by them; {name} has no "
        f"{listed(absent.tolist(), 3)}. Give both the same index; {BY_POSITION}."
    )


def _refuse_twice(name: str, labels: Array) -> None:
    seen, counts = np.unique(labels, return_counts=True)
    if (counts > 1).any():
        twice = seen[counts > 1].tolist()
        raise DataError(
            f"the index of {name} must name every row once to be matched by it; "
            f"{listed(twice, 3)} occur{'s' * (len(twice) == 1)} more than once. Number the rows "
            f"anew (reset_index); {BY_POSITION}."
        )


def on_moved(first: str, moved: list[str]) -> Advice:
    """What to know when rows were put in another order."""
    came = "has" if len(moved) == 1 else "have"
    return Advice(
        "AC003",
        f"{listed(moved)} {came} the index labels of {first} in another order; rows were matched "
        f"by label, not by position ({BY_POSITION}).",
    )


MOST_CASES = 20_000_000  # cases that counts may stand for where they are spelled out one by one


def spelled_out(counts: Floats) -> Ints:
    """Row numbers, each as often as it counts; refused where they would fill the memory.

    >>> spelled_out(np.array([2.0, 0.0, 1.0]))
    array([0, 0, 2])
    """
    total = float(counts.sum())
    if total > MOST_CASES:
        raise NotApplicable(
            f"counts must stand for at most {thousands(MOST_CASES)} cases where cases are taken "
            f"one by one; they stand for {thousands(total)}. Give predicted labels alone (label=), "
            "which assess reads as a table, or a random part of the cases."
        )
    return np.repeat(np.arange(counts.size), counts.astype(np.int64))
