"""Assess bundled example predictions: benign or malignant, by two models."""

import click


@click.command(help=__doc__)
def demo() -> None:
    from abovechance.cli.show import show
    from abovechance.examples import path
    from abovechance.inference import assess
    from abovechance.io import read

    file = path("breast_cancer")
    click.echo(
        "$ abovechance assess breast_cancer.csv --outcome outcome --probability p_forest "
        "--positive malignant\n"
    )
    predictions = read(file, outcome="outcome", probability="p_forest", pos_label="malignant")
    show(assess(predictions), "text")
    click.echo(f"\nThe file: {file}")
