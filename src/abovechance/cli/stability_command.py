"""Which features are selected again and again on halves of the cases."""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import feature_files, learner_options, options

EXAMPLES = """\b
Examples:
  abovechance stability features.csv --outcome group --positive sick
  abovechance stability features.csv --outcome group --copies
"""


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@feature_files.features
@feature_files.group
@click.option(
    "--measures",
    "measure",
    metavar="A,B,…",
    callback=options.names,
    help="What forward selection is to improve; log_score when not given.",
)
@click.option(
    "--selector",
    metavar="MODULE:NAME",
    help="A scikit-learn selector instead of forward selection, or beside it.",
)
@click.option(
    "--learner",
    metavar="NAME",
    help="What is fitted: a word, as logistic or forest, or module:name.",
)
@click.option(
    "--cv",
    metavar="SHARE|FOLDS",
    default="1/3",
    show_default=True,
    callback=feature_files.share_or_folds,
    help="How each half is judged within: a share of it held out, or folds.",
)
@click.option(
    "--take",
    "features",
    type=click.IntRange(min=1),
    help="Features selected in each half; when not given, as many as --errors allows.",
)
@click.option("--cutoff", type=float, help="Share of halves that makes a feature stable; 0.75.")
@click.option("--errors", type=float, help="False selections allowed on average; 1.")
@click.option(
    "--assumption",
    type=click.Choice(["none", "unimodal", "r-concave"]),
    default="unimodal",
    show_default=True,
    help="Of the bound on false selections.",
)
@click.option(
    "--steps", type=click.IntRange(min=1), help="How far paths are followed; twice --take."
)
@click.option("--copies", is_flag=True, help="Add a permuted copy of every feature as known noise.")
@options.settings("stability")
@options.report
@options.output
def stability(
    learner: str | None, selector: str | None, report: str | None, format_: str, **given: Any
) -> None:
    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.inference.stability_selection import stability as run

    columns, clusters, settings = options.apart(given, feature_files.features, feature_files.group)
    chosen = None
    if selector is not None:
        chosen = learner_options.imported(selector, "--selector", "get_support")
    read = feature_files.read(columns | clusters)
    with progress("selecting") as tell:
        result = run(
            read.X,
            read.y,
            learner=None if learner is None else learner_options.estimator_of(learner, read),
            selector=chosen,
            groups=read.blocks,
            feature_names=read.names,
            pos_label=columns["positive"],
            **settings,
            progress=tell,
        )
    result = replace(result, described=read.described)
    show(result, format_, *[f"seed {result.seed}"] * (settings["store"] is not None))
    write_files(result, report)
