"""Select features one by one, each time the one that improves a measure most."""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import feature_files, learner_options, options

EXAMPLES = """\b
Examples:
  abovechance select features.csv --outcome group --positive sick
  abovechance select features.csv --outcome group --measure brier --take 5
"""


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@feature_files.features
@feature_files.group
@click.option("--measure", default="log_score", show_default=True, help="What is to be improved.")
@click.option(
    "--learner",
    metavar="NAME",
    help="What is fitted: a word, as logistic or forest, or module:name.",
)
@click.option(
    "--cv",
    metavar="SHARE|FOLDS",
    default="5",
    show_default=True,
    callback=feature_files.share_or_folds,
    help="Cases held out once, as 1/3, or a number of folds.",
)
@click.option(
    "--take", "features", type=click.IntRange(min=1), help="So many features; else by the rule."
)
@click.option(
    "--gain",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="The measure must improve by more than this.",
)
@options.settings("select")
@options.report
@options.output
def select(learner: str | None, report: str | None, format_: str, **given: Any) -> None:
    from abovechance.cli.terminal import show, write_files
    from abovechance.inference.forward_selection import select as run

    columns, clusters, settings = options.apart(given, feature_files.features, feature_files.group)
    read = feature_files.read(columns | clusters)
    result = run(
        read.X,
        read.y,
        learner=None if learner is None else learner_options.estimator_of(learner, read),
        groups=read.blocks,
        feature_names=read.names,
        pos_label=columns["positive"],
        **settings,
    )
    result = replace(result, described=read.described)
    show(result, format_)
    write_files(result, report)
