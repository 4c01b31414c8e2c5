"""Every applicable measure of the predictions in a file."""

from typing import Any

import click

from abovechance.cli import options, streaming

EXAMPLES = """\b
Examples:
  abovechance assess predictions.csv
  abovechance assess predictions.csv --outcome y --probability p --positive sick
  abovechance assess predictions.csv --measures auc,brier --groups site --report report.html
  abovechance assess predictions.csv --measures sensitivity --rate .8
"""


@click.command(help=__doc__, epilog=EXAMPLES)
@click.argument("file", type=click.Path())
@options.columns
@click.option("--by", metavar="COL", help="The measures again for each subgroup.")
@options.measures
@click.option("--primary", metavar="MEASURE", help="The measure the study is about.")
@options.methods
@click.option("--dialect", type=click.Choice(["familiar"]), help="As that R package computes.")
@click.option(
    "--rate",
    metavar="RATE",
    help="Test accuracy, or the measures named, against this rate stated beforehand; "
    "sensitivity=.8,ppv=.5 for some; or accuracy against 'majority'.",
)
@click.option(
    "--sampling",
    type=click.Choice(["random", "case-control"]),
    default="random",
    show_default=True,
    help="Whether the classes were sampled separately.",
)
@click.option("--prevalence", type=float, help="Share of positives, for case-control samples.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--no-inference", is_flag=True, help="Values only, no intervals and tests.")
@streaming.flags
@options.report
@options.resampling
@options.output
def assess(
    file: str,
    by: str | None,
    measures: list[str] | None,
    primary: str | None,
    methods: dict[str, list[str]],
    dialect: str | None,
    rate: str | None,
    sampling: str,
    prevalence: float | None,
    level: float,
    no_inference: bool,
    stream: bool | None,
    exact: bool,
    draws: int | None,
    seed: int | None,
    workers: int,
    store: str | None,
    report: str | None,
    format_: str,
    **columns: Any,
) -> None:
    from abovechance.cli.progress import progress
    from abovechance.cli.reading import predictions_in
    from abovechance.cli.show import show, write_report
    from abovechance.inference import assess as assess_predictions

    asked = {
        "by": by,
        "measures": measures,
        "primary": primary,
        "dialect": dialect,
        "rate": options.rate(rate),
        "sampling": sampling,
        "prevalence": prevalence,
        "level": level,
        "no_inference": no_inference,
        "draws": draws,
        "seed": seed,
    }
    if methods and stream:
        raise click.UsageError("--method needs all cases at once; leave --stream out.")
    stream = False if methods else stream  # a summary has the methods of its own
    result = streaming.streamed(file, columns, asked, stream=stream, exact=exact)
    if result is not None:
        show(result, format_)
        if report is not None:
            write_report(result, report)
        return
    predictions, subgroup = predictions_in(file, columns, by)
    with progress("permuting") as tell:
        result = assess_predictions(
            predictions,
            measures,
            primary=primary,
            by=subgroup,
            by_name=by or "",
            dialect=dialect,
            rate=options.rate(rate),
            exact=exact,
            sampling=sampling,
            prevalence=prevalence,
            confidence_level=level,
            inference=not no_inference,
            methods=methods or None,
            draws=draws,
            rng=seed,
            workers=workers,
            store=store,
            progress=tell,
        )
    show(result, format_)
    if report is not None:
        write_report(result, report, predictions)
