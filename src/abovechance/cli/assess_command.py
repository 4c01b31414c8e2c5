"""Every applicable measure of the predictions in a file.

With --goal the verdict is that a standard stated beforehand is met, not met or undecided. Exit
codes: 0 answered, goals met; 1 goals not met, or a --fail-if gate fired; 2 wrong usage or bad data;
3 could not finish; 4 goals undecided.
"""

import sys
from collections.abc import Mapping
from typing import Any

import click

from abovechance.cli import gates, options

EXAMPLES = """\b
Examples:
  abovechance assess preds.csv
  abovechance assess preds.csv --outcome y --probability p --positive sick
  abovechance assess preds.csv --measures auc,brier --groups site
  abovechance assess preds.csv --by age_group --report report.html
  abovechance assess preds.csv --measures sensitivity --rate .8
  abovechance assess preds.csv --goal "sensitivity>=.85"
"""


def goals_in(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> Any:
    """The goals of --goal and of the file of --goals, as one; read before any work is done."""
    from dataclasses import replace
    from pathlib import Path

    from abovechance.inference.goals import read_goals, stated

    file, rule = ctx.params.pop("goals_file", None), ctx.params.pop("goal_rule", None)
    typed = stated(list(value), rule) if value else None
    if file is None:
        return typed
    kept = read_goals(Path(file), rule)
    return replace(kept, goals=(*kept.goals, *typed.goals)) if typed else kept


aims = options.stack(
    click.option(
        "--goals",
        "goals_file",
        metavar="FILE",
        is_eager=True,
        help="Goals from a TOML or JSON file, whose SHA-256 goes into the result.",
    ),
    click.option(
        "--goal-rule",
        type=click.Choice(["all", "any"]),
        is_eager=True,
        help="Whether all goals must be met, the default, or any.",
    ),
    click.option(
        "--goal",
        "goals",
        multiple=True,
        callback=goals_in,
        metavar="GOAL",
        help="A standard stated beforehand: 'sensitivity>=.85', 'brier<=.2', 'auc[sex=f]>=.7', "
        "'calibration_slope in .8..1.25'. Repeatable.",
    ),
    gates.undecided,
    gates.fail_if(gates.OF_ESTIMATES, "auc low < .7"),
    click.option(
        "--junit",
        metavar="FILE.xml",
        callback=options.writable,
        help="Also write the goals as test cases.",
    ),
    click.option(
        "--metrics",
        metavar="FILE.json",
        callback=options.writable,
        help="Also write values and limits as nested numbers.",
    ),
)


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@click.argument("file", type=click.Path())
@options.columns
@click.option("--by", metavar="COL", help="The measures again for each subgroup.")
@options.measures
@options.primary
@aims
@click.option("--dialect", type=click.Choice(["familiar"]), help="As that R package computes.")
@click.option(
    "--rate",
    metavar="RATE",
    callback=options.rates,
    help="Test accuracy, or the measures named, against this rate stated beforehand; "
    "sensitivity=.8,ppv=.5 for some; or accuracy against 'majority'.",
)
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read a Parquet file in pieces, or all at once; by its size when not given.",
)
@click.option(
    "--all",
    "full",
    is_flag=True,
    help="Print every measure, those of each class, and the methods.",
)
@options.settings("assess")
@options.report
@options.output
def assess(
    file: str,
    stream: bool | None,
    undecided: str,
    fail_if: list[gates.Gate],
    junit: str | None,
    metrics: str | None,
    report: str | None,
    format_: str,
    full: bool,
    **given: Any,
) -> int:
    from abovechance.cli.gates import write_junit, write_metrics
    from abovechance.cli.input_files import predictions_in, streamed
    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.inference import assess as assess_predictions

    columns, given = options.apart(given, options.columns)
    goals = given.pop("goals")
    if goals and stream:
        raise click.UsageError("--goal needs all cases at once; leave --stream out.")
    if junit and not goals:
        raise click.UsageError("--junit has goals for test cases; state one with --goal.")
    if goals and not given["inference"]:
        raise click.UsageError("--goal is judged by an interval; leave --no-inference out.")
    stream = False if goals else stream  # a summary has intervals of its own
    predictions = None
    result = streamed(file, columns, given, stream=stream)
    if result is None:
        by = given.pop("by")
        predictions, subgroup = predictions_in(file, columns, by)
        if predictions.n >= LONG and format_ == "text" and not full and sys.stdout.isatty():
            _answer_first(predictions, given)
        with progress("permuting") as tell:
            result = assess_predictions(
                predictions,
                by=subgroup,
                by_name=by or "",
                goals=goals,
                **given,
                progress=tell,
            )
    fired = gates.reasons(result, fail_if)
    show(result, format_, full=full or given.get("measures") is not None)
    write_files(result, report, predictions)
    write_junit(result, junit, undecided)
    write_metrics(result, metrics)
    gates.tell(fired)
    verdict = None if result.goals is None else result.goals.verdict
    return gates.exit_code(verdict, undecided, fired=bool(fired))


LONG = 50_000  # cases from which draws take seconds


def _answer_first(predictions: Any, given: Mapping[str, Any]) -> None:
    """What needs no draws, for whoever looks at the screen meanwhile."""
    from abovechance.cli.terminal import show
    from abovechance.inference import assess as assess_predictions

    if given["quick"] or not given["inference"] or given.get("methods"):
        return
    show(assess_predictions(predictions, **{**given, "quick": True, "exact": False}), "text")
    click.echo("\nThat needed no draws; all intervals and tests follow.\n")
