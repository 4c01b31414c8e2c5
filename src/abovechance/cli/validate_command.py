"""How good a model will be on new cases, from the cases it is trained on.

Apparent value, optimism and corrected value of every measure, from the same refits; the model of
all cases, and of parts of them, is made anew each time.
"""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import learner_options, options

EXAMPLES = """\b
Examples:
  abovechance validate cases.csv --outcome died
  abovechance validate cases.csv --outcome died --method optimism
  abovechance validate cases.csv --outcome died --group site --estimator lda
"""


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@learner_options.columns
@learner_options.learner
@options.measures
@click.option(
    "--method",
    type=click.Choice(["optimism", ".632", ".632+", "cv", "repeated_cv", "bootstrap_cv"]),
    default="repeated_cv",
    show_default=True,
    help="How values are corrected: cross-validation, bootstrap optimism, the .632 bootstraps, or "
    "cross-validation of bootstrap samples.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    help="Of cross-validation; 10, or as many as the rarest class has cases.",
)
@options.settings("validate")
@options.report
@options.output
def validate(
    estimator: str | None,
    folds: int | None,
    times: list[float] | None,
    report: str | None,
    format_: str,
    **given: Any,
) -> None:
    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.inference.validation import validate as run

    named, given = options.apart(given, learner_options.columns)
    read = learner_options.read(named)
    facts = learner_options.facts_of(read, {**named, "times": times})
    learner = learner_options.estimator_of(estimator, read)
    with progress("refitting") as tell:
        result = run(learner, read.X, read.y, cv=folds, **facts, **given, progress=tell)
    result = replace(result, described=read.described)
    show(result, format_, *[f"seed {result.seed}"] * (given["store"] is not None))
    write_files(result, report)
