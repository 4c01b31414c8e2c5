"""Whether cross-validation of a few cases tells what many held-out cases say."""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import feature_files, learner_options, options

EXAMPLES = """\b
Examples:
  abovechance reliability features.csv --outcome group --positive sick
  abovechance reliability features.csv --outcome y --n 50,100
"""


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@feature_files.features
@click.option(
    "--estimator",
    metavar="NAME",
    help="What is cross-validated: logistic (ridge of numbers) when not given, lda, forest, "
    "boosting, bayes, linear; or module:name.",
)
@click.option(
    "--measures",
    metavar="A,B,…",
    callback=options.names,
    help="Names of measures; accuracy, AUC, Brier and log score when not given.",
)
@click.option(
    "--n",
    metavar="N,…",
    default="50",
    show_default=True,
    callback=lambda ctx, param, value: learner_options.numbers(value),
    help="How many cases are cross-validated.",
)
@click.option("--holdout", type=click.IntRange(min=2), help="Cases held out; 1000, or all left.")
@click.option(
    "--flips",
    metavar="SHARE,…",
    default="0.2",
    show_default=True,
    callback=lambda ctx, param, value: learner_options.numbers(value),
    help="The largest share of labels that is flipped, or several shares; 0 for none.",
)
@click.option(
    "--folds", "cv", type=click.IntRange(min=2), default=10, show_default=True, help="Folds."
)
@click.option("--balanced", is_flag=True, help="Draw classes in equal numbers.")
@options.settings("reliability")
@options.report
@options.output
def reliability(
    estimator: str | None,
    n: list[float],
    flips: list[float],
    report: str | None,
    format_: str,
    **given: Any,
) -> None:
    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.inference.cv_reliability import reliability as run

    if any(one != int(one) for one in n):
        raise click.UsageError("--n must be whole numbers of cases, as 50,100.")
    columns, settings = options.apart(given, feature_files.features)
    read = feature_files.read(columns)
    with progress("repeating") as tell:
        result = run(
            learner_options.estimator_of(estimator, read),
            read.X,
            read.y,
            n=[int(one) for one in n],
            flips=flips[0] if len(flips) == 1 else flips,
            pos_label=columns["positive"],
            **settings,
            progress=tell,
        )
    result = replace(result, described=read.described)
    show(result, format_, *[f"seed {result.seed}"] * (settings["store"] is not None))
    write_files(result, report)
