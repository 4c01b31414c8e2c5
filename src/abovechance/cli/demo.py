"""Assess bundled example predictions, and write the report that goes with them."""

import click


@click.command(help=__doc__)
@click.option(
    "--report", metavar="FILE.html", default="report.html", show_default=True, help="Where to."
)
@click.option("--open", "open_", is_flag=True, help="Show the report in the browser.")
def demo(report: str, open_: bool) -> None:
    from abovechance.cli.show import show
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
