"""Commands that fit a learner: to judge it, to choose its features, to judge its validation."""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import learner_options, options
from abovechance.cli.power_command import sizes as read_sizes


@click.command(
    epilog=options.examples(
        "validate cases.csv --outcome died",
        "validate cases.csv --outcome died --method optimism",
        "validate cases.csv --outcome died --group site --estimator lda",
    ),
    cls=options.Sections,
)
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
    """How good a model will be on new cases, from the cases it is trained on.

    Apparent value, optimism and corrected value of every measure, from the same refits; the model
    of all cases, and of parts of them, is made anew each time.
    """

    from abovechance.cli.terminal import progress
    from abovechance.inference.validation import validate as run

    named, given = options.apart(given, learner_options.columns)
    read = learner_options.read(named)
    facts = learner_options.facts_of(read, {**named, "times": times})
    learner = learner_options.estimator_of(estimator, read)
    with progress("refitting") as tell:
        result = run(learner, read.X, read.y, cv=folds, **facts, **given, progress=tell)
    _show(result, read, format_, report, resumable=given["store"] is not None)


@click.command(
    "learning-curve",
    epilog=options.examples(
        'learning-curve cases.csv --outcome died --goal "auc>=.8"',
        "learning-curve cases.csv --outcome died --sizes 50:400:50",
    ),
    cls=options.Sections,
)
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
    """Whether more cases would make a learner better, and how many it would take.

    Each measure by the number of cases trained on, continued by an inverse power law; with goals,
    the number of cases at which they would be met.
    """

    from abovechance.cli.terminal import progress
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
    _show(result, read, format_, report, resumable=given["store"] is not None)


@click.command(
    epilog=options.examples(
        "select features.csv --outcome group --positive sick",
        "select features.csv --outcome group --measure brier --take 5",
    ),
    cls=options.Sections,
)
@learner_options.features
@learner_options.group
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
    callback=learner_options.share_or_folds,
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
    """Select features one by one, each time the one that improves a measure most."""

    from abovechance.inference.forward_selection import select as run

    columns, clusters, settings = options.apart(
        given, learner_options.features, learner_options.group
    )
    read = learner_options.read(columns | clusters, group_apart=True)
    result = run(
        read.X,
        read.y,
        learner=None if learner is None else learner_options.estimator_of(learner, read),
        groups=read.blocks,
        feature_names=read.names,
        pos_label=columns["positive"],
        **settings,
    )
    _show(result, read, format_, report)


@click.command(
    epilog=options.examples(
        "stability features.csv --outcome group --positive sick",
        "stability features.csv --outcome group --copies",
    ),
    cls=options.Sections,
)
@learner_options.features
@learner_options.group
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
    callback=learner_options.share_or_folds,
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
    """Which features are selected again and again on halves of the cases."""

    from abovechance.cli.terminal import progress
    from abovechance.inference.stability_selection import stability as run

    columns, clusters, settings = options.apart(
        given, learner_options.features, learner_options.group
    )
    chosen = None
    if selector is not None:
        chosen = learner_options.imported(selector, "--selector", "get_support")
    read = learner_options.read(columns | clusters, group_apart=True)
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
    _show(result, read, format_, report, resumable=settings["store"] is not None)


@click.command(
    epilog=options.examples(
        "reliability features.csv --outcome group --positive sick",
        "reliability features.csv --outcome y --n 50,100",
    ),
    cls=options.Sections,
)
@learner_options.features
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
    """Whether cross-validation of a few cases tells what many held-out cases say."""

    from abovechance.cli.terminal import progress
    from abovechance.inference.cv_reliability import reliability as run

    if any(one != int(one) for one in n):
        raise click.UsageError("--n must be whole numbers of cases, as 50,100.")
    columns, settings = options.apart(given, learner_options.features)
    read = learner_options.read(columns)
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
    _show(result, read, format_, report, resumable=settings["store"] is not None)


def _show(
    result: Any, read: Any, format_: str, report: str | None, *, resumable: bool = False
) -> None:
    """A result with what was read of the file; with its seed where the run can be resumed."""
    from abovechance.cli.terminal import show, write_files

    result = replace(result, described=read.described)
    show(result, format_, *[f"seed {result.seed}"] * resumable)
    write_files(result, report)
