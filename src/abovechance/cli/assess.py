"""Every applicable measure of the predictions in a file."""

from typing import Any

import click

from abovechance.cli import options


@click.command(help=__doc__)
@click.argument("file", type=click.Path())
@options.columns
@click.option("--by", metavar="COL", help="The measures again for each subgroup.")
@options.measures
@click.option("--primary", metavar="MEASURE", help="The measure the study is about.")
@click.option("--dialect", type=click.Choice(["familiar"]), help="As that R package computes.")
@options.output
def assess(
    file: str,
    by: str | None,
    measures: list[str] | None,
    primary: str | None,
    dialect: str | None,
    format_: str,
    **columns: Any,
) -> None:
    from abovechance.cli.reading import predictions_in
    from abovechance.cli.show import show
    from abovechance.inference import assess as assess_predictions

    predictions, subgroup = predictions_in(file, columns, by)
    result = assess_predictions(
        predictions, measures, primary=primary, by=subgroup, by_name=by or "", dialect=dialect
    )
    show(result, format_)
