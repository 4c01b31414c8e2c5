"""From tables and choices to a report: what the page shows, without a server."""

import shlex
from collections.abc import Sequence
from typing import Any

from abovechance.app.columns import Choices, as_roles
from abovechance.errors import ColumnError, DataError
from abovechance.inference import assess, compare
from abovechance.io import read
from abovechance.io.table import Table
from abovechance.predictions import Predictions
from abovechance.reports import Report, report

MOST_MODELS = 6
SEED = 1


def answer(tables: Sequence[Table], choices: Choices) -> Report:
    """Assess the one model there is, or compare the several: columns of a file, or files."""
    models = models_in(tables, choices)
    if len(models) == 1:
        ((_, predictions),) = models.items()
        result: Any = assess(predictions, rng=SEED)
        return report(
            result,
            predictions=predictions,
            title=tables[0].source,
            command=command(tables, choices, "assess"),
        )
    result = compare(models, rng=SEED)
    return report(result, predictions=models, command=command(tables, choices, "compare"))


def models_in(tables: Sequence[Table], choices: Choices) -> dict[str, Predictions]:
    """The predictions of each model by name."""
    if not choices.predicted:
        raise ColumnError("say which column holds the predictions.")
    missing = (
        not (choices.time and choices.event) if choices.kind == "risk" else not choices.outcome
    )
    if missing:
        raise ColumnError("say which column holds what was observed.")
    if len(tables) > 1:
        return {_name(table, tables): _read(table, choices, choices.predicted) for table in tables}
    (table,) = tables
    if choices.kind == "probabilities" or len(choices.predicted) == 1:
        return {choices.predicted[0]: _read(table, choices, choices.predicted)}
    if len(choices.predicted) > MOST_MODELS:
        raise DataError(
            f"at most {MOST_MODELS} models are compared here; {len(choices.predicted)} columns "
            "are marked as predictions."
        )
    return {name: _read(table, choices, (name,)) for name in choices.predicted}


def _read(table: Table, choices: Choices, predicted: tuple[str, ...]) -> Predictions:
    return read(table, **as_roles(choices, predicted))


def _name(table: Table, tables: Sequence[Table]) -> str:
    same = [i for i, other in enumerate(tables) if other.source == table.source]
    at = next(i for i, other in enumerate(tables) if other is table)
    return table.source if len(same) == 1 else f"{table.source} ({at + 1})"


def command(tables: Sequence[Table], choices: Choices, name: str) -> str:
    """The command line that does the same.

    >>> from abovechance.io import read_table
    >>> table = read_table(b"y,p\\n1,.5\\n0,.4\\n", name="a b.csv")
    >>> command([table], Choices(outcome="y", predicted=("p",)), "assess")
    "abovechance assess 'a b.csv' --outcome y --probability p --seed 1"
    """
    words = ["abovechance", name, *(table.source for table in tables)]
    if choices.kind == "risk":
        words += ["--time", choices.time, "--event", choices.event]
    else:
        words += ["--outcome", choices.outcome]
    several = name == "compare" and len(tables) == 1
    words += ["--models" if several else f"--{choices.kind}", ",".join(choices.predicted)]
    if choices.positive:
        words += ["--positive", choices.positive]
    for role in ("id", "groups", "fold"):
        if getattr(choices, role):
            words += [f"--{role}", getattr(choices, role)]
    return shlex.join([*words, "--seed", str(SEED)])
