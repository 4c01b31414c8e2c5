"""A curve of the predictions in a file, with its band."""

from typing import Any

import click

from abovechance.cli import options

KINDS = ("calibration", "roc", "precision-recall", "decision", "cost")
SHOWN = 21  # points on the terminal; JSON and CSV hold them all
HIDDEN = ("treat_none", "standardised", "interventions_avoided")  # there is no room for them


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
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the band.")
@click.option("--draws", type=click.IntRange(min=2), default=1000, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), help="Seed of all draws.")
@options.report
@options.output
def curves(
    file: str,
    kind: str,
    method: str,
    bins: int,
    t: float | None,
    thresholds: list[float] | None,
    level: float,
    draws: int,
    seed: int | None,
    report: str | None,
    format_: str,
    **columns: Any,
) -> None:
    if thresholds is not None and kind != "decision":
        raise click.UsageError(f"--thresholds are of a decision curve, not of kind {kind}.")
    if t is not None and kind != "calibration":
        raise click.UsageError(f"--at is of a calibration curve, not of kind {kind}.")
    from abovechance.cli.reading import predictions_in
    from abovechance.cli.show import write_report
    from abovechance.inference import curves as found

    predictions, _ = predictions_in(file, columns, None)
    drawn: dict[str, Any] = {"confidence_level": level, "draws": draws, "rng": seed}
    if kind == "calibration":
        curve = found.calibration(
            predictions, method=method, bins=bins, t=t, confidence_level=level
        )
    elif kind == "decision":
        curve = found.decision(predictions, thresholds, **drawn)
    else:
        maker = {"roc": found.roc, "precision-recall": found.precision_recall, "cost": found.cost}
        curve = maker[kind](predictions, **drawn)
    show_curve(curve, format_)
    if report is not None:
        write_report(curve, report)


def show_curve(curve: Any, format_: str) -> None:
    """Print a curve: all points as JSON or CSV, some of them as text."""
    from abovechance.cli.show import console, print_lines
    from abovechance.format import number
    from abovechance.io.text_tables import Column, Row, TextTable, paragraph

    if format_ != "text":
        click.echo(curve.to_json() if format_ == "json" else curve.to_csv(), nl=format_ == "json")
        return
    rows = [{k: v for k, v in row.items() if k not in HIDDEN} for row in curve.rows()]
    step = (len(rows) - 1) / max(1, min(SHOWN, len(rows)) - 1)
    picked = [rows[round(k * step)] for k in range(min(SHOWN, len(rows)))]
    heading = {"x": curve.x_name, "y": curve.y_name}
    columns = [Column(heading.get(name, name.replace("_", " "))) for name in rows[0]]
    cells = [
        Row(tuple(f"{v:.0f}" if k == "cases" else number(v) for k, v in row.items()))
        for row in picked
    ]
    screen = console()
    print_lines(screen, paragraph(str(curve), screen.width, ""))
    print_lines(screen, TextTable(tuple(columns), tuple(cells)).lines(screen.width))
    for advice in curve.advice:
        print_lines(screen, paragraph(f"{advice}", screen.width, ""))
