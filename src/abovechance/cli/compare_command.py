"""Test whether one model predicts better than another on the same cases.

\b
One file, a column a model:      compare FILE --outcome y --positive 1 --models a,b,c
A file a model, joined by id:    compare A.csv B.csv --outcome y --probability p --id id
A row per item and model:        compare items.jsonl --id item --model model --value correct

Differences are first − second, in the order of --models (or of the files), with an interval and
the test that fits the measure. Exit codes: 0 answered, 1 a --fail-if gate fired, 2 wrong usage or
bad data, 3 could not finish.
"""

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import click

from abovechance.cli import options

KINDS = ("probability", "score", "label", "value", "risk", "predicted-time")
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


@click.command(help=__doc__)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option(
    "--models",
    metavar="A,B,…",
    callback=options.names,
    help="Columns of predictions; with several files, names for them; with --model, which.",
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(KINDS),
    help="What the columns of --models hold; probabilities of a class, values of a number.",
)
@click.option("--model", metavar="COL", help="Items: the model a row is of; see --value, --id.")
@click.option(
    "--lower-is-better", is_flag=True, help="Items: --value holds losses rather than scores."
)
@options.columns
@click.option(
    "--by", metavar="COL", help="The models within each of these subgroups, too, and interaction."
)
@click.option(
    "--between", is_flag=True, help="With --by: also each model's differences between subgroups."
)
@click.option(
    "--measures",
    metavar="A,B,…",
    callback=options.names,
    help="Names of measures; one of each family when not given.",
)
@options.primary
@click.option("--unpaired", is_flag=True, help="The models predicted different cases.")
@click.option("--fail-if", multiple=True, callback=gates, metavar="CONDITION", help=GATE_HELP)
@options.settings("compare")
@options.report
@options.output
def compare(
    files: tuple[str, ...],
    models: list[str] | None,
    kind: str | None,
    model: str | None,
    lower_is_better: bool,
    by: str | None,
    between: bool,
    measures: list[str] | None,
    primary: str | None,
    unpaired: bool,
    fail_if: list[Gate],
    report: str | None,
    format_: str,
    **given: Any,
) -> int:
    from abovechance.cli import ANSWERED, GATE
    from abovechance.cli.input_files import items_in, models_in
    from abovechance.cli.terminal import progress, show, write_report

    columns, given = options.apart(given, options.columns)
    if between and by is None:
        raise click.UsageError("--between needs --by, the column of the subgroups.")
    read: dict[str, Any] | None = None
    with progress("drawing") as tell:
        if model is not None:
            from abovechance.inference.items import compare_items

            if measures or primary or by or unpaired or given["methods"]:
                raise click.UsageError(
                    "--measures, --primary, --method, --by and --unpaired do not go with --model."
                )
            items = items_in(files, columns, model, models, higher_is_better=not lower_is_better)
            result = compare_items(**items, **given, progress=tell)
        else:
            from abovechance.inference.comparison import compare as compare_models

            read, subgroup = models_in(files, columns, models, kind, by)
            result = compare_models(
                read,
                measures,
                **given,
                by=subgroup,
                by_name=by or "",
                between=between,
                primary=primary,
                paired=False if unpaired else None,
                progress=tell,
            )
    fired = reasons(result, fail_if)
    show(result, format_)
    write_report(result, report, read)
    for reason in fired:
        click.echo(f"abovechance: --fail-if: {reason}", err=True)
    return GATE if fired else ANSWERED
