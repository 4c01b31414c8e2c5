"""Test whether classes differ in their features, before any classifier is praised."""

import click

from abovechance.cli import options


@click.command(help=__doc__)
@click.argument("file", type=click.Path())
@click.option("--outcome", metavar="COL", required=True, help="The classes, or numbers.")
@click.option(
    "--features", metavar="COLS", callback=options.names, help="Features; all others if not given."
)
@click.option(
    "--tests",
    metavar="A,B,…",
    callback=options.names,
    help="Statistics, such as hotelling_shrink, srivastava_du, svm.c10.cv8, lda.b632.",
)
@click.option(
    "--kind",
    type=click.Choice(["classes", "numeric"]),
    help="What the outcome holds; numeric by itself if fractions or over 20 different numbers.",
)
@click.option(
    "--standardise", is_flag=True, help="Divide features by their standard deviation first."
)
@click.option(
    "--permute",
    type=click.Choice(["labels", "within", "blocks", "features"]),
    default="labels",
    show_default=True,
)
@click.option("--blocks", metavar="COL", help="Blocks to permute within or as wholes.")
@click.option("--stop", type=click.Choice(["gandy"]), help="Stop when the first test is decided.")
@click.option("--missing", type=click.Choice(["refuse", "drop"]), default="refuse")
@options.report
@options.resampling
@options.output
def detect(
    file: str,
    outcome: str,
    features: list[str] | None,
    tests: list[str] | None,
    kind: str | None,
    standardise: bool,
    permute: str,
    blocks: str | None,
    stop: str | None,
    missing: str,
    draws: int | None,
    seed: int | None,
    workers: int,
    store: str | None,
    report: str | None,
    format_: str,
) -> None:
    from abovechance.cli.progress import progress
    from abovechance.cli.show import show_detection, write_report
    from abovechance.inference.detection import detect as run
    from abovechance.io.features import features_in

    if outcome in (features or ()):
        raise click.UsageError(f"{outcome!r} is the outcome; it cannot be a feature as well.")
    X, y, units, described = features_in(file, outcome, features, blocks, missing)
    with progress("permuting") as tell:
        result = run(
            X,
            y,
            tests=tests,
            kind=kind,
            standardise=standardise,
            draws=draws or 999,
            permute=permute,
            blocks=units,
            stop=stop,
            rng=seed,
            workers=workers,
            store=store,
            progress=tell,
        )
    show_detection(result, described, format_)
    if report is not None:
        write_report(result, report)
