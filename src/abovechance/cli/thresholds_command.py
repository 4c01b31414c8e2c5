"""Where to cut the predictions in a file, given what errors cost."""

from typing import Any

import click

from abovechance.cli import options


@click.command(help=__doc__)
@click.argument("file", type=click.Path())
@options.columns
@click.option("--cost-fp", type=float, default=1.0, show_default=True, help="Of a false positive.")
@click.option("--cost-fn", type=float, default=1.0, show_default=True, help="Of a false negative.")
@options.settings("thresholds")
@options.report
@options.output
def thresholds(file: str, report: str | None, format_: str, **given: Any) -> None:
    from abovechance.cli.input_files import predictions_in
    from abovechance.cli.terminal import show, write_report
    from abovechance.inference.thresholds import thresholds as chosen

    columns, costs = options.apart(given, options.columns)
    predictions, _ = predictions_in(file, columns, None)
    result = chosen(predictions, **costs)
    show(result, format_)
    write_report(result, report)
