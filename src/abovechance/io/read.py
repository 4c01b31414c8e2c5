"""From a table to predictions: what was observed beside what was predicted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array
from abovechance.errors import ColumnError, DataError, listed, shown
from abovechance.io.columns import where_missing
from abovechance.io.plans import Columns, class_plan, numeric_plan, survival_plan
from abovechance.io.read_table import read_table
from abovechance.io.roles import ABOUT_CASES, Roles, Stated, find_roles, weight_like
from abovechance.io.table import Table
from abovechance.predictions import Predictions
from abovechance.predictions.checks import names, one_of


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
) -> Predictions:
    """Read predictions from a file or a dataframe, finding by name the columns not stated.

    A column of numbers that are not whole, or `value`, makes `Numeric`; `time` and `event` make
    `Survival`; more than two classes make `Multiclass`, two make `Binary`. What was taken for what
    is in `described`, what was assumed in `notes`.

    Parameters
    ----------
    source
        Anything `read_table` takes, or a `Table`.
    outcome, probability, score, label, value, time, event, risk, predicted_time
        Names of columns; `outcome` and `value` may be several.
    probabilities
        One column per class, called after it (p_sick, p_well), or a mapping from class to column.
    survival
        Columns with their time in the name (S_12), or a mapping from time to column.
    pos_label
        The positive class, or the code of an event that happened. Words need it; 0/1 and
        true/false do not. The text "1" is the class 1.
    threshold
        As in `Binary`: 0.5 for probabilities unless stated.
    id, fold, repeat, groups, sample_weight, counts, order
        Names of columns; False for none, whatever the columns are called. An order (numbers or
        dates) is never found by name.

    Examples
    --------
    >>> found = read(b"id,y,p_well,p_sick\\n007,sick,.1,.9\\n008,well,.6,.4\\n", pos_label="sick")
    >>> found, found.described
    (Binary(2 cases; label, probability, score; origin test),
     'outcome = y, probabilities = p_well, p_sick, id = id (found by name); 2 rows')
    """
    table = source if isinstance(source, Table) else read_table(source)
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
    notes = (*table.notes, *plan.notes, *_unused_weights(table, roles))
    return made.with_notes(*notes, described=roles.sentence(table.rows))


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
        if name is not None and not isinstance(name, str | bool):
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
