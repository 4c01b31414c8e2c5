"""Gates for continuous integration: conditions on a comparison that fail a build."""

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import click

QUANTITIES = ("difference", "low", "high", "p", "p_adjusted")
SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
GATE_HELP = (
    "Exit with code 1 when this holds for any pair, or cannot be told: MEASURE QUANTITY SIGN "
    f"NUMBER, e.g. 'accuracy difference < -0.02'; QUANTITY is {', '.join(QUANTITIES)}. Repeatable."
)
FORM = re.compile(
    r"(?P<measure>.+?)\s+(?P<quantity>[A-Za-z_]+)\s*(?P<sign><=|>=|<|>)\s*(?P<limit>\S+)"
)


@dataclass(frozen=True)
class Gate:
    """One condition: a quantity of a measure's difference beyond a limit."""

    measure: str
    quantity: str
    sign: str
    limit: float

    def fired(self, result: Any) -> Iterator[str]:
        """Which differences fulfil the condition, in words; what is undefined counts as such."""
        for row in self._rows(result):
            value = self._value(row)
            who = f"{row.measure} {self.quantity} of {row.first} and {row.second}"
            if value is None or value != value:
                why = f": {row.undefined}" if row.undefined else ""
                yield f"{who} is undefined{why}"
            elif SIGNS[self.sign](value, self.limit):
                yield f"{who} is {value:.6g} {self.sign} {self.limit:g}"

    def _rows(self, result: Any) -> list[Any]:
        from abovechance.errors import UnknownMeasure, did_you_mean, listed

        known = list(dict.fromkeys(row.measure for row in result))
        name = self.measure
        if name not in known:
            from abovechance.measures import find

            try:
                name = find(name).for_outcome(result.outcome).label
            except UnknownMeasure:
                name = ""
        if name not in known:
            meant = did_you_mean(self.measure, known) or f"; compared are {listed(known, 10)}."
            raise UnknownMeasure(f"--fail-if names {self.measure!r}, which is not compared{meant}")
        return [row for row in result if row.measure == name and row.model is row.by is None]

    def _value(self, row: Any) -> float | None:
        if self.quantity in ("low", "high"):
            return None if row.interval is None else float(getattr(row.interval, self.quantity))
        return getattr(row, {"p": "p_value"}.get(self.quantity, self.quantity))


def gate(text: str) -> Gate:
    """A condition as it is written on the command line.

    >>> gate("accuracy difference < -0.02")
    Gate(measure='accuracy', quantity='difference', sign='<', limit=-0.02)
    """
    found = FORM.fullmatch(text.strip())
    if found is None:
        raise click.BadParameter(
            f"cannot read {text!r}; write MEASURE QUANTITY SIGN NUMBER, for instance "
            "'accuracy difference < -0.02'."
        )
    if found["quantity"] not in QUANTITIES:
        raise click.BadParameter(
            f"cannot read {text!r}; {found['quantity']!r} must be one of {', '.join(QUANTITIES)}."
        )
    try:
        limit = float(found["limit"])
    except ValueError:
        limit = float("nan")
    if limit != limit:
        raise click.BadParameter(f"cannot read {text!r}; {found['limit']!r} must be a number.")
    return Gate(found["measure"], found["quantity"], found["sign"], limit)


def gates(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> list[Gate]:
    """All conditions of a command line, checked before any work is done."""
    return [gate(text) for text in value]


def reasons(result: Any, conditions: list[Gate]) -> list[str]:
    """Why gates fire, one line each; none when all is well."""
    return [reason for condition in conditions for reason in condition.fired(result)]
