"""Which kind of predictions a table's roles make, and from what arrays."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array
from abovechance.errors import ColumnError, DataError
from abovechance.io.classes import class_columns, distinct, sums_checked
from abovechance.io.columns import where_missing
from abovechance.io.names import time_of
from abovechance.io.roles import Roles
from abovechance.io.table import Table, listed_names
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival
from abovechance.predictions.checks import same_label

Columns = str | Sequence[str] | None


class Plan(NamedTuple):
    """A kind of predictions, and what to build it from."""

    kind: Callable[..., Predictions]
    arrays: dict[str, Array]
    options: dict[str, Any]
    notes: tuple[Advice, ...] = ()


def survival_plan(
    table: Table, roles: Roles, survival: Columns | Mapping[float, str], pos_label: Any
) -> Plan:
    """Times to an event with what was predicted of them."""
    arrays = _read(table.number, roles, "risk", "predicted_time")
    time, event = roles.columns("time")[0], roles.columns("event")[0]
    arrays |= {"time": table.number(time), "event": _event(event, table.labels(event), pos_label)}
    if not roles.survival:
        return Plan(Survival, arrays, {})
    if isinstance(survival, Mapping):
        timed = sorted((float(moment), name) for moment, name in survival.items())
    else:
        timed = sorted((_moment(name), name) for name in roles.survival)
    twins = [(a[1], b[1]) for a, b in pairwise(timed) if a[0] == b[0]]
    if twins:
        raise ColumnError(
            f"survival must have one column per time; {twins[0][0]!r} and {twins[0][1]!r} "
            "have the same. Say which with survival=."
        )
    arrays["survival"] = np.column_stack([table.number(name) for _, name in timed])
    return Plan(Survival, arrays, {"times": [moment for moment, _ in timed]})


def _event(name: str, labels: Array, pos_label: Any) -> Array:
    """1 where the event happened, 0 where not, nan where it is missing."""
    known = distinct(labels)
    if pos_label is None:
        if any(isinstance(value, str) or value not in (0, 1) for value in known):
            raise DataError(
                "event must be 1 where the event happened and 0 where not; column "
                f"{name!r} holds {listed_names(known, 5)}. Say which of them is the event with "
                "pos_label= (--positive)."
            )
        return labels
    happened = [label for label in known if same_label(label, _meant(pos_label, known))]
    if not happened:
        raise DataError(
            f"pos_label must be one of the values of event column {name!r}; got {pos_label!r} "
            f"among {listed_names(known, 5)}."
        )
    event = np.isin(labels.astype(np.array(known).dtype), happened).astype(np.float64)
    event[where_missing(labels)] = np.nan
    return event


def _moment(name: str) -> float:
    moment = time_of(name)
    if moment is not None:
        return moment
    last = re.search(r"(\d+(?:\.\d+)?)\D*$", name)
    if last is None:
        raise ColumnError(
            f"a column of survival must have its time in its name, as S_12; got {name!r}. "
            "In Python a mapping from time to column works too."
        )
    return float(last[1])


def numeric_plan(table: Table, roles: Roles) -> Plan:
    """Numbers, of one outcome or several."""
    y = np.column_stack([table.number(name) for name in roles.outcome])
    value = np.column_stack([table.number(name) for name in roles.value])
    return Plan(Numeric, {"y_true": y, "value": value}, {"outputs": roles.outcome})


def class_plan(
    table: Table,
    roles: Roles,
    probabilities: Columns | Mapping[Any, str],
    pos_label: Any,
    labels: Sequence[Any] | None,
    threshold: float | None,
) -> Plan:
    """Two classes or more, with labels, a score, or probabilities matched to classes by name."""
    if len(roles.outcome) > 1:
        raise ColumnError("outcome must be one column for classes; several go with value=.")
    arrays = {"y_true": table.labels(roles.outcome[0])}
    arrays |= _read(table.labels, roles, "label")
    classes = list(labels) if labels is not None else _seen(arrays)
    named = probabilities if isinstance(probabilities, Mapping) else roles.probabilities
    columns = class_columns(named, classes)
    unseen = [c for c in columns if not any(same_label(c, known) for known in classes)]
    classes += unseen
    if len(classes) > 2:
        said = (
            f"the outcome never takes the class{'es' * (len(unseen) > 1)} {listed_names(unseen, 5)}"
        )
        plan = _multiclass(table, roles, arrays, classes, columns)
        return plan._replace(notes=(Advice("AC704", said),) if unseen else ())
    positive = None if pos_label is None else _meant(pos_label, classes)
    arrays |= _read(table.number, roles, "probability", "score")
    if columns:
        arrays["probability"] = _of_positive(table, columns, classes, positive)
    declared = classes if labels is not None or unseen else None
    options = {"pos_label": positive, "labels": declared, "threshold": threshold}
    return Plan(Binary, arrays, options)


def _multiclass(
    table: Table,
    roles: Roles,
    arrays: dict[str, Array],
    classes: list[Any],
    columns: dict[Any, str],
) -> Plan:
    for role in ("probability", "score"):
        if roles.columns(role):
            raise DataError(
                f"one column of {role} needs two classes; {roles.outcome[0]!r} has "
                f"{len(classes)}: {listed_names(classes, 5)}. Give one column per class, as "
                f"p_{classes[0]}, with probabilities=."
            )
    if not columns:
        return Plan(Multiclass, arrays, {"labels": classes})
    ordered = []
    for label in classes:
        fits = [name for c, name in columns.items() if same_label(c, label)]
        if not fits:
            raise ColumnError(
                f"every class must have a column of probabilities; there is none for {label!r} "
                f"among {listed_names(columns.values())}."
            )
        ordered.append(table.number(fits[0]))
    return Plan(
        Multiclass, {**arrays, "probability": np.column_stack(ordered)}, {"labels": classes}
    )


def _of_positive(table: Table, columns: dict[Any, str], classes: list[Any], positive: Any) -> Array:
    """The probability of the positive class, from columns called after the classes."""
    if positive is None:
        if any(isinstance(c, str) or c not in (0, 1) for c in classes):
            raise DataError(
                "pos_label must say which class is positive; the classes are "
                f"{listed_names(classes, 5)}. Pass pos_label={classes[-1]!r}, for instance "
                f"(--positive {classes[-1]})."
            )
        positive = 1
    ours = [name for c, name in columns.items() if same_label(c, positive)]
    rest = [name for c, name in columns.items() if not same_label(c, positive)]
    if not ours:
        raise ColumnError(
            f"the positive class {positive!r} must have a column of probabilities; there is only "
            f"{listed_names(rest, 5)}."
        )
    probability = table.number(ours[0])
    if rest:
        sums_checked(probability, table.number(rest[0]))
    return probability


def _meant(pos_label: Any, classes: Sequence[Any]) -> Any:
    """The class a label stands for: TRUE, true and True are one among true/false."""
    if isinstance(pos_label, str) and not any(isinstance(c, str) for c in classes):
        return {"true": True, "false": False}.get(pos_label.casefold(), pos_label)
    return pos_label


def _seen(arrays: Mapping[str, Array]) -> list[Any]:
    """The classes that occur, as outcome or as label; of 0/1 always both."""
    classes = distinct(arrays["y_true"])
    more = distinct(arrays["label"]) if "label" in arrays else []
    classes += [c for c in more if not any(same_label(c, known) for known in classes)]
    if classes and all(not isinstance(c, str) and c in (0, 1) for c in classes):
        return [False, True] if isinstance(classes[0], bool) else [0, 1]
    return sorted(classes, key=lambda c: (isinstance(c, str), c))


def _read(convert: Callable[[str], Array], roles: Roles, *wanted: str) -> dict[str, Array]:
    """The columns in some roles, for those that have one."""
    return {role: convert(name) for role in wanted for name in roles.columns(role)}
