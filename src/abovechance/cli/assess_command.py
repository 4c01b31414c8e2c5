"""Every applicable measure of the predictions in a file."""

from typing import Any

import click

from abovechance.cli import options

EXAMPLES = """\b
Examples:
  abovechance assess predictions.csv
  abovechance assess predictions.csv --outcome y --probability p --positive sick
  abovechance assess predictions.csv --measures auc,brier --groups site --report report.html
  abovechance assess predictions.csv --measures sensitivity --rate .8
"""


@click.command(help=__doc__, epilog=EXAMPLES)
@click.argument("file", type=click.Path())
@options.columns
@click.option("--by", metavar="COL", help="The measures again for each subgroup.")
@options.measures
@options.primary
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
@options.settings("assess")
@options.report
@options.output
def assess(file: str, stream: bool | None, report: str | None, format_: str, **given: Any) -> None:
    from abovechance.cli.input_files import predictions_in, streamed
    from abovechance.cli.terminal import progress, show, write_report
    from abovechance.inference import assess as assess_predictions

    columns, given = options.apart(given, options.columns)
    predictions = None
    result = streamed(file, columns, given, stream=stream)
    if result is None:
        by = given.pop("by")
        predictions, subgroup = predictions_in(file, columns, by)
        with progress("permuting") as tell:
            result = assess_predictions(
                predictions,
                by=subgroup,
                by_name=by or "",
                **given,
                progress=tell,
            )
    show(result, format_)
    write_report(result, report, predictions)
