"""Which column is what: as stated, else found by name; what cannot be told is refused."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import ColumnError
from abovechance.io.classes import class_family, distinct
from abovechance.io.columns import Kind, kind_of
from abovechance.io.names import WEIGHT_LIKE, fitting, normal, time_of
from abovechance.io.table import Table, counted, listed_names

CLASS_PREDICTIONS = ("probability", "probabilities", "score", "label")
SURVIVAL_ROLES = ("time", "event", "risk", "predicted_time", "survival")
ABOUT_CASES = ("id", "fold", "repeat", "groups", "sample_weight", "counts", "order")

Stated = str | bool | None


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The column (or columns) in each role; `found` are the roles found by name.

    A role stated as False is empty on purpose and not looked for.
    """

    outcome: tuple[str, ...] = ()
    probability: Stated = None
    probabilities: tuple[str, ...] = ()
    score: Stated = None
    label: Stated = None
    value: tuple[str, ...] = ()
    time: Stated = None
    event: Stated = None
    risk: Stated = None
    predicted_time: Stated = None
    survival: tuple[str, ...] = ()
    id: Stated = None
    fold: Stated = None
    repeat: Stated = None
    groups: Stated = None
    sample_weight: Stated = None
    counts: Stated = None
    order: Stated = None
    found: tuple[str, ...] = ()

    def columns(self, role: str) -> tuple[str, ...]:
        """The columns in one role."""
        taken = getattr(self, role)
        if isinstance(taken, tuple):
            return taken
        return (taken,) if isinstance(taken, str) else ()

    def used(self) -> dict[str, tuple[str, ...]]:
        """Every role that has columns."""
        names = (f.name for f in fields(self) if f.name != "found")
        return {role: self.columns(role) for role in names if self.columns(role)}

    def sentence(self, rows: int) -> str:
        """What was taken for what, in one line.

        >>> Roles(outcome=("y",), probability="p", found=("outcome", "probability")).sentence(569)
        'outcome = y, probability = p (found by name); 569 rows'
        """
        used = self.used()
        told = [_pair(role, used[role]) for role in used if role not in self.found]
        found = [_pair(role, used[role]) for role in used if role in self.found]
        parts = [", ".join(told)] * bool(told) + [f"{', '.join(found)} (found by name)"] * bool(
            found
        )
        return "; ".join([*parts, counted(rows)])


def find_roles(
    table: Table,
    stated: Roles | None = None,
    *,
    classes: Sequence[Any] | None = None,
    categorical: bool = False,
) -> Roles:
    """Complete the stated roles by the names of the columns.

    Predictions are looked for only when none is stated, so that one model's columns never join
    another's. Two columns whose names fit one role are refused, as is a name whose role depends
    on what the values mean.

    Parameters
    ----------
    classes
        The declared classes; those that occur when not given.
    categorical
        Whether the outcome is known to be one of classes, although they may be coded as numbers.
    """
    roles = stated or Roles()
    for role, columns in roles.used().items():
        table.require(columns)
        twice = [name for i, name in enumerate(columns) if name in columns[:i]]
        if twice:
            raise ColumnError(f"{role} must name every column once; {twice[0]!r} stands twice.")
    roles = (
        _survival(table, roles)
        if _is_survival(table, roles)
        else _outcome(table, roles, classes, categorical)
    )
    for role in ABOUT_CASES:
        roles = _named(table, roles, role)
    return roles


def weight_like(table: Table, roles: Roles) -> str | None:
    """A column that may be meant as weights, or as the weight of a patient; never taken unasked."""
    if roles.columns("sample_weight") or roles.sample_weight is False:
        return None
    names = [name for name in table.names if normal(name) in WEIGHT_LIKE]
    return next((name for name in names if name not in _taken(roles)), None)


def _is_survival(table: Table, roles: Roles) -> bool:
    """Whether the outcome is a time with an event: by what is stated, else by names."""
    others = ("outcome", *CLASS_PREDICTIONS, "value")
    if any(roles.columns(role) for role in SURVIVAL_ROLES):
        clash = [role for role in others if roles.columns(role)]
        if clash:
            raise ColumnError(
                f"{clash[0]} does not go with time and event; a survival outcome takes risk=, "
                "predicted_time= or survival=."
            )
        return True
    if any(roles.columns(role) for role in others):
        return False
    both = _matches(table, roles, "time") and _matches(table, roles, "event")
    outcome = _matches(table, roles, "outcome")
    if both and outcome:
        raise ColumnError(
            f"the outcome of {table.source} could be {outcome[0]!r}, or {both[0]!r} with its time. "
            "Say outcome= (--outcome), or time= and event= (--time, --event)."
        )
    return bool(both)


def _survival(table: Table, roles: Roles) -> Roles:
    for role in ("time", "event"):
        roles = _named(table, roles, role)
        if not roles.columns(role):
            raise ColumnError(_not_found(table, f"{role} column", role))
    kinds = ("risk", "predicted_time", "survival")
    if any(roles.columns(role) for role in kinds):
        return roles
    for role in ("risk", "predicted_time"):
        roles = _named(table, roles, role)
    timed = [name for name in table.names if time_of(name) is not None]
    if timed:
        ordered = sorted(timed, key=lambda name: time_of(name) or 0.0)
        roles = _with(roles, "survival", tuple(ordered))
    if not any(roles.columns(role) for role in kinds):
        raise ColumnError(_not_found(table, "prediction column", *kinds))
    return roles


def _outcome(table: Table, roles: Roles, classes: Sequence[Any] | None, categorical: bool) -> Roles:
    for first, second in (("value", CLASS_PREDICTIONS), ("probability", ("probabilities",))):
        clash = [role for role in second if roles.columns(role)]
        if roles.columns(first) and clash:
            raise ColumnError(f"give {first}= or {clash[0]}=, not both: they predict differently.")
    roles = _named(table, roles, "outcome")
    if not roles.outcome:
        hint = [name for name in table.names if normal(name) in ("label", "labels")]
        more = f" If {hint[0]!r} holds what was observed, say outcome={hint[0]!r}." if hint else ""
        raise ColumnError(_not_found(table, "outcome column", "outcome") + more)
    if any(roles.columns(role) for role in (*CLASS_PREDICTIONS, "value")):
        return roles
    if len(roles.outcome) > 1:
        raise ColumnError("several outcomes need as many predictions; say which with value=.")
    return _predictions(table, roles, table.labels(roles.outcome[0]), classes, categorical)


def _predictions(
    table: Table, roles: Roles, outcome: Array, classes: Sequence[Any] | None, categorical: bool
) -> Roles:
    """The columns of predictions by name, given what the outcome looks like."""
    measured = _is_measured(outcome) and not categorical
    if measured:
        roles = _named(table, roles, "value")
    else:
        for role in ("probability", "score", "label"):
            roles = _named(table, roles, role)
        declared = classes if classes is not None else distinct(outcome)
        per_class = class_family(table, declared, _taken(roles))
        if per_class and roles.columns("probability"):
            _refuse_many(
                [*roles.columns("probability"), *per_class], "the probability", "probability"
            )
        roles = _with(roles, "probabilities", per_class)
    if not roles.columns("value") and not roles.columns("label"):
        roles = _prediction(table, roles, outcome, measured, categorical)
    if not any(roles.columns(role) for role in (*CLASS_PREDICTIONS, "value")):
        if not measured and _is_number(outcome):
            roles = _named(table, roles, "value")
        if not roles.value:
            wanted = ("value",) if measured else (*CLASS_PREDICTIONS, "value")
            raise ColumnError(_not_found(table, "prediction column", *wanted))
    return roles


def _prediction(
    table: Table, roles: Roles, outcome: Array, measured: bool, declared: bool
) -> Roles:
    """A column called prediction, or alike: a value, a label, or refused when it could be both."""
    names = _matches(table, roles, "prediction")
    if not names:
        return roles
    _refuse_many(names, "the prediction", "label", "value")
    if measured:
        return _with(roles, "value", (names[0],))
    predicted = table.labels(names[0])
    same = set(distinct(predicted)) <= set(distinct(outcome))
    words = declared or not _is_number(outcome)
    two = words or set(distinct(outcome)) <= {0, 1}
    others = any(roles.columns(role) for role in CLASS_PREDICTIONS)
    if (same and (two or others)) or (words and not others and not _is_measured(predicted)):
        return _with(roles, "label", names[0])
    if others:
        return roles  # a plainer name was found, and this column cannot be its labels
    if not two and _is_measured(predicted):
        return _with(roles, "value", (names[0],))
    raise ColumnError(
        f"column {names[0]!r} could hold predicted classes, values or probabilities; "
        f"say label=, value= or probability={names[0]!r}."
    )


def _matches(table: Table, roles: Roles, role: str) -> list[str]:
    """The free columns whose names fit a role."""
    return fitting(role, (name for name in table.names if name not in _taken(roles)))


def _is_number(labels: Array) -> bool:
    return kind_of(labels) is Kind.NUMBER


def _is_measured(labels: Array) -> bool:
    """Whether values are clearly numbers rather than codes of classes: some are not whole."""
    if labels.dtype.kind != "f":
        return False
    known = labels[~np.isnan(labels)]
    return bool((known != np.rint(known)).any())


def _named(table: Table, roles: Roles, role: str) -> Roles:
    """The role filled by name, if it is not stated and a name fits."""
    if getattr(roles, role) not in (None, ()):
        return roles
    names = _matches(table, roles, role)
    if not names:
        return roles
    _refuse_many(names, f"the {role}", role)
    several = isinstance(getattr(Roles(), role), tuple)
    return _with(roles, role, (names[0],) if several else names[0])


def _taken(roles: Roles) -> set[str]:
    return {name for columns in roles.used().values() for name in columns}


def _with(roles: Roles, role: str, columns: str | tuple[str, ...]) -> Roles:
    if not columns:
        return roles
    return replace(roles, **{role: columns, "found": (*roles.found, role)})  # type: ignore[arg-type]


def _refuse_many(names: Sequence[str], what: str, *wanted: str) -> None:
    if len(names) > 1:
        raise ColumnError(
            f"{what} could be any of the columns {listed_names(names)}; "
            f"say which with {_options(wanted)}."
        )


def _not_found(table: Table, what: str, *wanted: str) -> str:
    return (
        f"no {what} was found by name in {table.source}; name it with {_options(wanted)}. "
        f"Its columns: {listed_names(table.names)}."
    )


def _options(roles: Sequence[str]) -> str:
    """How to state roles, in Python and on the command line.

    >>> _options(["label", "value"])
    'label= or value= (--label, --value)'
    """
    words = [f"{role}=" for role in roles]
    flags = [f"--{role.removeprefix('sample_').replace('_', '-')}" for role in roles]
    python = " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
    return f"{python} ({', '.join(flags)})"


def _pair(role: str, columns: tuple[str, ...]) -> str:
    return f"{role} = {listed_names(columns, most=6)}"
