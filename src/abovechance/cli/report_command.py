"""Reports: of a saved result, of the bundled example, and on a local page."""

import click

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
