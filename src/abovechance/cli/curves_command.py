"""A curve of the predictions in a file, with its band.

Where to cut the predictions in a file, given what errors cost.
"""

from typing import Any

import click

from abovechance.cli import options

# ----------------------------------------------------------------------------------------------
# A curve of the predictions in a file, with its band.
# ----------------------------------------------------------------------------------------------


KINDS = ("calibration", "roc", "precision-recall", "decision", "cost")


def numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> list[float] | None:
    """Comma-separated numbers."""
    if value is None:
        return None
    try:
        return [float(part) for part in value.split(",") if part.strip()]
    except ValueError:
        raise click.BadParameter(f"must be numbers separated by commas; got {value!r}.") from None


@click.command(help=__doc__)
@click.argument("file", type=click.Path())
@options.columns
@click.option(
    "--kind", type=click.Choice(KINDS), default="calibration", show_default=True, help="Which one."
)
@click.option(
    "--method",
    type=click.Choice(["loess", "isotonic", "binned"]),
    default="loess",
    show_default=True,
    help="Of a calibration curve.",
)
@click.option("--bins", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--at", "t", type=float, help="Time at which predicted survival is judged.")
@click.option(
    "--thresholds", metavar="A,B,…", callback=numbers, help="Of a decision curve; .01 to .99."
)
@options.settings("roc", level={"help": "Of the band."})
@options.report
@options.output
def curves(
    file: str,
    kind: str,
    method: str,
    bins: int,
    t: float | None,
    thresholds: list[float] | None,
    report: str | None,
    format_: str,
    **given: Any,
) -> None:
    if thresholds is not None and kind != "decision":
        raise click.UsageError(f"--thresholds are of a decision curve, not of kind {kind}.")
    if t is not None and kind != "calibration":
        raise click.UsageError(f"--at is of a calibration curve, not of kind {kind}.")
    from abovechance.cli.input_files import predictions_in
    from abovechance.cli.terminal import show, write_report
    from abovechance.inference import curves as offered

    columns, drawn = options.apart(given, options.columns)
    predictions, _ = predictions_in(file, columns, None)
    if kind == "calibration":
        level = drawn["confidence_level"]
        curve = offered.calibration(
            predictions, method=method, bins=bins, t=t, confidence_level=level
        )
    elif kind == "decision":
        curve = offered.decision(predictions, thresholds, **drawn)
    else:
        curve = getattr(offered, kind.replace("-", "_"))(predictions, **drawn)
    show(curve, format_)
    write_report(curve, report)


# ----------------------------------------------------------------------------------------------
# Where to cut the predictions in a file, given what errors cost.
# ----------------------------------------------------------------------------------------------


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
