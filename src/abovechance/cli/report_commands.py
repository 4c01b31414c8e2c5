"""Reports and pictures: `report`, `demo`, `app`, `plot`, `curves`, `thresholds`."""

from typing import Any

import click

from abovechance.cli import options


def _list(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from abovechance.cli.terminal import print_blocks
    from abovechance.plots import pictures
    from abovechance.tabular import tabulate

    every = sorted(pictures().values(), key=lambda one: one.name)
    table = tabulate(
        every,
        ("kind", "name", lambda one: one.name),
        ("of", "text", lambda one: ", ".join(of for of in one.of if ":" not in of)),
        ("shows", "text", lambda one: one.about),
    )
    print_blocks([table])
    ctx.exit()


@click.command(
    epilog=options.examples(
        "plot preds.csv --outcome y --kind roc -o roc.svg",
        "plot preds.csv --outcome y --models old,new -o both.png",
        "plot result.json -o forest.pdf",
    ),
    cls=options.Sections,
)
@click.argument("file", type=click.Path())
@options.columns
@click.option(
    "--models",
    metavar="A,B,…",
    callback=options.names,
    help="Columns of predictions, to be drawn together.",
)
@click.option(
    "--as",
    "holds",
    type=click.Choice(["probability", "score", "label", "value", "risk", "predicted-time"]),
    help="What the columns of --models hold; probabilities of a class, values of a number.",
)
@click.option("--kind", metavar="PICTURE", help="Which one; the usual one when not given.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    callback=options.picture_file,
    help="Where to: .svg, .png or .pdf.",
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list, help="All pictures."
)
def plot(
    file: str,
    models: list[str] | None,
    holds: str | None,
    kind: str | None,
    output: str,
    **columns: Any,
) -> None:
    """Draw the predictions in a file, or a saved result.

    Which pictures there are of what: abovechance plot --list.
    """

    from abovechance.plots import save

    save(_shown(file, columns, models, holds), output, kind=kind)
    click.echo(f"abovechance: picture written to {output}", err=True)


def _shown(file: str, columns: dict[str, Any], models: list[str] | None, holds: str | None) -> Any:
    """A saved result as it is, else the predictions of one model, or of several by name."""
    from abovechance.cli.input_files import models_in, predictions_in
    from abovechance.errors import FileError
    from abovechance.inference.contract import read_result

    if file.lower().endswith(".json"):
        try:
            return read_result(file)
        except FileError as refused:
            if "is not a result" not in str(refused) and "must hold JSON" not in str(refused):
                raise
    if models is not None:
        return models_in((file,), columns, models, holds, None)[0]
    return predictions_in(file, columns, None)[0]


KINDS = ("calibration", "roc", "precision-recall", "decision", "cost")


def numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> list[float] | None:
    """Comma-separated numbers."""
    if value is None:
        return None
    try:
        return [float(part) for part in value.split(",") if part.strip()]
    except ValueError:
        raise click.BadParameter(f"must be numbers separated by commas; got {value!r}.") from None


@click.command(
    epilog=options.examples(
        "curves preds.csv --outcome y --picture calibration.svg",
        "curves preds.csv --outcome y --kind decision --format csv",
    ),
    cls=options.Sections,
)
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
    """A curve of the predictions in a file, with its band."""
    if thresholds is not None and kind != "decision":
        raise click.UsageError(f"--thresholds are of a decision curve, not of kind {kind}.")
    if t is not None and kind != "calibration":
        raise click.UsageError(f"--at is of a calibration curve, not of kind {kind}.")
    from abovechance.cli.input_files import predictions_in
    from abovechance.cli.terminal import show, write_files
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
    write_files(curve, report)


@click.command(
    epilog=options.examples(
        "thresholds preds.csv --outcome y --probability p",
        "thresholds preds.csv --outcome y --probability p --cost-fn 5",
    ),
    cls=options.Sections,
)
@click.argument("file", type=click.Path())
@options.columns
@click.option("--cost-fp", type=float, default=1.0, show_default=True, help="Of a false positive.")
@click.option("--cost-fn", type=float, default=1.0, show_default=True, help="Of a false negative.")
@options.settings("thresholds")
@options.report
@options.output
def thresholds(file: str, report: str | None, format_: str, **given: Any) -> None:
    """Where to cut the predictions in a file, given what errors cost."""

    from abovechance.cli.input_files import predictions_in
    from abovechance.cli.terminal import show, write_files
    from abovechance.inference.thresholds import thresholds as chosen

    columns, costs = options.apart(given, options.columns)
    predictions, _ = predictions_in(file, columns, None)
    result = chosen(predictions, **costs)
    show(result, format_)
    write_files(result, report)


# ----------------------------------------------------------------------------------------------
# Reports: of a saved result, of the bundled example, and on a local page.
# ----------------------------------------------------------------------------------------------


REPORT = """\b
Example:
  abovechance report result.json -o report.html
"""
DEMO = """\b
Example:
  abovechance demo --open
"""
APP = """\b
Example:
  abovechance app
"""


@click.command(help="Render a saved result (--format json) as one HTML file.", epilog=REPORT)
@click.argument("file", type=click.Path())
@click.option(
    "-o",
    "--output",
    metavar="FILE.html",
    default="report.html",
    show_default=True,
    help="Where to write the report.",
)
@click.option("--title", metavar="TEXT", help="A heading of your own.")
@click.option("--open", "open_", is_flag=True, help="Show it in the browser.")
def report(file: str, output: str, title: str | None, open_: bool) -> None:
    from abovechance.inference.contract import read_result
    from abovechance.reports import report as report_result

    made = report_result(read_result(file), output, title=title)
    click.echo(f"{made.document.verdict}. Written: {output}")
    if open_:
        click.launch(output)


@click.command(
    help="Assess bundled example predictions, and write the report that goes with them.",
    epilog=DEMO,
)
@click.option(
    "--report", metavar="FILE.html", default="report.html", show_default=True, help="Where to."
)
@click.option("--open", "open_", is_flag=True, help="Show the report in the browser.")
def demo(report: str, open_: bool) -> None:
    from abovechance.cli.terminal import show
    from abovechance.examples import path
    from abovechance.inference import assess
    from abovechance.io import read
    from abovechance.reports import report as write

    file = path("breast_cancer")
    command = (
        "abovechance assess breast_cancer.csv --outcome outcome --probability p_forest "
        f"--positive malignant --seed 1 --report {report}"
    )
    click.echo(f"$ {command}\n")
    predictions = read(file, outcome="outcome", probability="p_forest", pos_label="malignant")
    result = assess(predictions, rng=1)
    show(result, "text")
    write(result, report, predictions=predictions, command=command)
    click.echo(f"\nThe report: {report}\nThe file:   {file}")
    if open_:
        click.launch(report)


@click.command(help="Open a local page: drop a file of predictions, see its report.", epilog=APP)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Any free one by default.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def app(port: int, no_browser: bool) -> None:
    try:
        from abovechance.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("abovechance"):
            raise
        raise click.ClickException(
            f"{error.name} is needed for the page; pip install 'abovechance[app]'."
        ) from None
    serve(port, browse=not no_browser, say=click.echo)
