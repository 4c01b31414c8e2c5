"""Render a saved result (--format json) as one HTML file."""

import click


@click.command(help=__doc__)
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
    from abovechance.plots.contract import read_result
    from abovechance.reports import report as report_result

    made = report_result(read_result(file), output, title=title)
    click.echo(f"{made.document.verdict}. Written: {output}")
    if open_:
        click.launch(output)
