"""What a table holds, and which column is probably what: a guess for the reader to correct."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from abovechance.errors import ColumnError
from abovechance.io.roles import find_roles, fitting
from abovechance.io.table import Kind, Table

EXAMPLES = 3
FEW_CLASSES = 30
ABOUT_CASES = ("id", "groups", "fold")
OF_CLASSES = ("probability", "probabilities", "score", "label")


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: its name, what it holds, some values, and its classes when they are few."""

    name: str
    kind: str
    examples: tuple[str, ...]
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Which column is what: `kind` says how the predicted columns are to be read."""

    kind: str = "probability"
    outcome: str = ""
    predicted: tuple[str, ...] = ()
    positive: str = ""
    time: str = ""
    event: str = ""
    id: str = ""
    groups: str = ""
    fold: str = ""


KINDS = (*OF_CLASSES, "value", "risk")


def described(table: Table) -> dict[str, Any]:
    """Columns, and a guess at their roles, as plain values.

    >>> from abovechance.io import read_table
    >>> found = described(read_table(b"id,y,p\\n1,sick,.9\\n2,well,.2\\n"))
    >>> found["guess"]["outcome"], found["guess"]["predicted"], found["guess"]["kind"]
    ('y', ('p',), 'probability')
    """
    columns = [_column(table, name) for name in table.names]
    return {
        "source": table.source,
        "rows": table.rows,
        "columns": [asdict(column) for column in columns],
        "guess": asdict(guessed(table, columns)),
        "notes": [str(note) for note in table.notes],
    }


def guessed(table: Table, columns: list[Column]) -> Choices:
    """By the names of the columns, and where those leave it open by what they hold."""
    try:
        roles = find_roles(table)
    except ColumnError:
        return _by_content(columns)
    kind = next((k for k in KINDS if roles.columns(k)), "label")
    outcome = roles.outcome[0] if roles.outcome else ""
    return Choices(
        kind=kind,
        outcome=outcome,
        predicted=roles.columns(kind),
        positive=_positive(outcome, columns) if kind in OF_CLASSES else "",
        time="".join(roles.columns("time")),
        event="".join(roles.columns("event")),
        **{role: "".join(roles.columns(role)) for role in ABOUT_CASES},
    )


def _by_content(columns: list[Column]) -> Choices:
    """Several models in one file: every column of probabilities is one."""
    names = [c.name for c in columns]
    about = {role: next(iter(fitting(role, names)), "") for role in ABOUT_CASES}
    free = [c for c in columns if c.name not in about.values()]
    fits = fitting("outcome", [c.name for c in free])
    outcome = next(iter(fits), next((c.name for c in free if c.classes), ""))
    shares = tuple(c.name for c in free if c.kind == "share" and c.name != outcome)
    if shares:
        positive = _positive(outcome, columns)
        return Choices(outcome=outcome, predicted=shares, positive=positive, **about)
    numbers = tuple(c.name for c in free if c.kind == "number" and c.name != outcome)
    return Choices(kind="value", outcome=outcome, predicted=numbers[:1], **about)


def _positive(outcome: str, columns: list[Column]) -> str:
    """The second of two classes; numbers 0 and 1 need no saying. Shown, for the reader to judge."""
    classes = next((c.classes for c in columns if c.name == outcome), ())
    if len(classes) != 2:
        return ""
    return "1" if set(classes) == {"0", "1"} else classes[1]


def _column(table: Table, name: str) -> Column:
    labels = table.labels(name)
    texts = [str(value) for value in labels[:200].tolist() if value is not None and value == value]
    distinct = list(dict.fromkeys(texts))
    whole = np.asarray(labels)
    kind = table.kind(name)
    if kind is Kind.NUMBER:
        known = table.number(name)
        known = known[np.isfinite(known)]
        inside = known.size and known.min() >= 0 and known.max() <= 1
        fractions = bool((known != np.rint(known)).any())
        held = "share" if inside and fractions else "number"
    else:
        held = str(kind.value)
    classes: tuple[str, ...] = ()
    if held != "share":
        seen = sorted({str(v) for v in whole.tolist() if v is not None and v == v}, key=_natural)
        classes = tuple(seen) if 1 < len(seen) <= FEW_CLASSES else ()
    return Column(name=name, kind=held, examples=tuple(distinct[:EXAMPLES]), classes=classes)


def _natural(text: str) -> tuple[bool, float, str]:
    try:
        return False, float(text), text
    except ValueError:
        return True, 0.0, text


def as_roles(choices: Choices, predicted: tuple[str, ...]) -> dict[str, Any]:
    """The choices as `read` takes them, for one model's columns."""
    several = choices.kind in ("probabilities",)
    roles: dict[str, Any] = {choices.kind: list(predicted) if several else predicted[0]}
    if choices.kind == "risk":
        roles |= {"time": choices.time, "event": choices.event}
    else:
        roles["outcome"] = choices.outcome
    taken = {choices.outcome, choices.time, choices.event, *predicted}
    for role in ABOUT_CASES:
        column = getattr(choices, role)
        roles[role] = column if column and column not in taken else False
    roles["repeat"] = False
    if choices.positive and choices.kind in OF_CLASSES:
        roles["pos_label"] = choices.positive
    return roles
