"""Whether more cases would make a learner better, and how many it would take.

Each measure by the number of cases trained on, continued by an inverse power law; with goals, the
number of cases at which they would be met.
"""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import learner_options, options
from abovechance.cli.power_command import sizes as read_sizes

EXAMPLES = """\b
Examples:
  abovechance learning-curve cases.csv --outcome died --goal "auc>=.8"
  abovechance learning-curve cases.csv --outcome died --sizes 50:400:50
"""


@click.command("learning-curve", help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@learner_options.columns
@learner_options.learner
@options.measures
@click.option(
    "--sizes",
    metavar="SIZES",
    callback=read_sizes,
    help="Cases to train on: 50,100,200 or 50:400:50; eight sizes when not given.",
)
@click.option(
    "--goal",
    "goals",
    metavar="GOAL",
    multiple=True,
    help="What shall be reached, as 'auc>=.8'; repeatable.",
)
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Of cross-validation."
)
@options.settings("learning_curve")
@options.report
@options.output
def learning_curve(
    estimator: str | None,
    folds: int,
    goals: tuple[str, ...],
    times: list[float] | None,
    report: str | None,
    format_: str,
    **given: Any,
) -> None:
    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.inference.learning_curves import learning_curve as run

    named, given = options.apart(given, learner_options.columns)
    read = learner_options.read(named)
    facts = learner_options.facts_of(read, {**named, "times": times})
    learner = learner_options.estimator_of(estimator, read)
    with progress("refitting") as tell:
        result = run(
            learner,
            read.X,
            read.y,
            cv=folds,
            goals=goals or None,
            **facts,
            **given,
            progress=tell,
        )
    result = replace(result, described=read.described)
    show(result, format_, *[f"seed {result.seed}"] * (given["store"] is not None))
    write_files(result, report)
