"""How many cases, and which test: power and sample sizes by simulation.

For a calibrated model of a stated AUC, for two of them on the same cases, or for predictions like
those of a pilot file; for an interval, as assess shows it, that is no wider than stated.
"""

from dataclasses import replace
from typing import Any

import click

from abovechance.advice import Advice
from abovechance.cli import options

EXAMPLES = """\b
Examples:
  abovechance power --auc .70 --prevalence .2 --tests auc,brier --target .8
  abovechance power --pilot preds.csv --n 50:500:50
  abovechance power --auc .70 --versus .75 --correlation .6 --prevalence .1
  abovechance power --auc .80 --prevalence .2 --width .1 --measure auc
"""

CROSS_VALIDATED = Advice(
    "AC811",
    "the pilot's cross-validated predictions are treated as those of one model on new cases; those "
    "of different folds are not on one scale, and a model of all its cases may do better.",
    "Forman & Scholz (2010)",
)


SHARE = click.FloatRange(0.0, 1.0, min_open=True, max_open=True)


def sizes(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    """Sizes as a list, 50,100,200, or a range with its end, 50:500:50."""
    if value is None:
        return None
    try:
        if ":" in value:
            start, stop, step = (int(part) for part in value.split(":"))
            given = list(range(start, stop + 1, step))
        else:
            given = [int(part) for part in value.split(",")]
    except ValueError:
        given = []
    if not given or min(given) < 4:
        raise click.BadParameter(
            f"must be whole numbers from 4 on, as 50,100 or 50:500:50; got {value!r}."
        )
    return given


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@click.option("--auc", type=click.FloatRange(0.5, 1.0, max_open=True), help="Of the model.")
@click.option(
    "--versus",
    "--auc2",
    "auc2",
    type=click.FloatRange(0.5, 1.0, max_open=True),
    help="AUC of a second model on the same cases, to be compared with the first.",
)
@click.option(
    "--correlation",
    type=click.FloatRange(-1.0, 1.0, min_open=True, max_open=True),
    help="Of both models' scores within classes; 0.5 when not given.",
)
@click.option("--pilot", type=click.Path(), metavar="FILE", help="Predictions already made.")
@click.option("--prevalence", type=float, help="Share of positives; 0.5 when not given.")
@click.option(
    "--keep",
    type=click.FloatRange(0.0, 1.0),
    help="Share of a pilot's cases that keep their own prediction; less than 1 for less signal. "
    "1 when not given.",
)
@click.option(
    "--tests",
    metavar="A,B,…",
    callback=options.names,
    help="Measures, each by its test in assess (of two models, in compare); accuracy, auc, brier "
    "and log_score when not given; skill.accuracy, skill.brier, skill.log_score against the "
    "uninformative forecast. MEASURE=NAME asks for another method, as --method of assess does. The "
    "papers' binomial test of accuracy is binomial.",
)
@click.option("--n", "n", metavar="SIZES", callback=sizes, help="Cases: 50,100 or 50:500:50.")
@click.option("--target", type=SHARE, help="Power to reach; finds n. 0.8 when neither is given.")
@click.option(
    "--width",
    type=click.FloatRange(min=0.0, min_open=True),
    help="Mean width of the interval of --measure to reach; finds n.",
)
@click.option(
    "--measure",
    metavar="A,B,…",
    callback=options.names,
    help="Measures whose intervals --width is about: auc, calibration_slope, oe_ratio, …",
)
@options.settings(
    "power",
    "sample_size",
    level={"default": None, "help": "Level of these intervals; 0.95 when not given."},
    replications={"type": click.IntRange(min=20)},
    draws={"type": click.IntRange(min=19)},
    seed={"default": 0, "show_default": True},
)
@options.columns
@options.report
@options.output
def power(
    auc: float | None,
    auc2: float | None,
    correlation: float | None,
    pilot: str | None,
    prevalence: float | None,
    keep: float | None,
    tests: list[str] | None,
    n: list[int] | None,
    target: float | None,
    width: float | None,
    measure: list[str] | None,
    report: str | None,
    format_: str,
    **given: Any,
) -> None:
    from abovechance import studies
    from abovechance.cli.terminal import progress, show, write_files

    if n is not None and target is not None:
        raise click.UsageError("--n asks for powers and --target for sizes; give one of them.")
    columns, given = options.apart(given, options.columns)
    level = given["confidence_level"]
    _width_alone(width, {"n": n, "target": target, "tests": tests}, measure, level)
    given["confidence_level"] = 0.95 if level is None else level
    given = options.taken_by("sample_size" if n is None else "power", given)
    second = (auc2, correlation)
    design, effect, tests, remarks = _design(auc, second, pilot, prevalence, keep, tests, columns)
    result: Any
    with progress("simulating") as tell:
        given["progress"] = tell
        if width is not None:
            result = studies.sample_size(
                design, effect=effect, width=width, measure=measure, **given
            )
        elif n is not None:
            result = studies.power(design, tests, n=n, effects=effect, **given)
        else:
            target = 0.8 if target is None else target
            result = studies.sample_size(design, tests, effect=effect, target=target, **given)
    result = replace(result, advice=(*result.advice, *remarks))
    show(result, format_)
    write_files(result, report)


def _width_alone(
    width: float | None,
    others: dict[str, Any],
    measure: list[str] | None,
    level: float | None,
) -> None:
    """Refuse options of powers beside a width, and options of widths without one."""
    if width is None:
        for name in (name for name, given in (("measure", measure), ("level", level)) if given):
            raise click.UsageError(f"--{name} goes with --width, which is about an interval.")
        return
    for name in (name for name, given in others.items() if given is not None):
        raise click.UsageError(f"--width is about an interval and --{name} about a power.")
    if not measure:
        raise click.UsageError("--width needs --measure, as --measure auc.")


def _design(
    auc: float | None,
    second: tuple[float | None, float | None],
    pilot: str | None,
    prevalence: float | None,
    keep: float | None,
    tests: list[str] | None,
    columns: dict[str, Any],
) -> tuple[Any, float, list[str] | None, tuple[Advice, ...]]:
    """What to draw samples from, how strong its effect is, the tests, and what to know of it."""
    from abovechance import studies

    if (auc is None) == (pilot is None):
        raise click.UsageError("give --auc for a model in mind, or --pilot for a file.")
    auc2, correlation = second
    if auc2 is None and correlation is not None:
        raise click.UsageError("--correlation goes with --versus, the second model's AUC.")
    if pilot is not None and auc2 is not None:
        raise click.UsageError("--versus goes with --auc, the first model's.")
    if auc is not None:
        threshold = columns["threshold"]
        given = {"keep": keep is not None, **columns, "threshold": None, "missing": None}
        for name in (name for name, value in given.items() if value):
            raise click.UsageError(f"--{name.strip('_')} goes with --pilot, which has cases.")
        share = 0.5 if prevalence is None else prevalence
        above = 0.5 if threshold is None else threshold
        if auc2 is not None:
            alike = 0.5 if correlation is None else correlation
            return studies.BinormalPair(auc, auc2, share, alike, above), auc2, tests, ()
        return studies.Binormal(share, above), auc, tests, ()
    if prevalence is not None:
        raise click.UsageError("--prevalence goes with --auc; a pilot has its own.")
    design, tests, remarks = _pilot(str(pilot), columns, tests)
    return design, 1.0 if keep is None else keep, tests, remarks


def _pilot(
    file: str, columns: dict[str, Any], tests: list[str] | None
) -> tuple[Any, list[str] | None, tuple[Advice, ...]]:
    """The pilot in a file, the tests it allows, and what to know of it."""
    import numpy as np

    from abovechance import studies
    from abovechance.cli.input_files import predictions_in
    from abovechance.errors import NotApplicable

    predictions, _ = predictions_in(file, columns, None)
    if getattr(predictions, "kind", "") != "binary" or predictions.probability is None:
        raise NotApplicable("a pilot needs an outcome of two classes and a probability column.")
    cases = predictions.cases
    if cases.sample_weight is not None or cases.groups is not None:
        raise NotApplicable(
            "samples like a pilot are drawn case by case, so its cases must be independent and "
            "weigh the same; leave --weight or --groups out, and multiply the number of cases by "
            "the design effect of the clusters."
        )
    times = 1 if cases.counts is None else cases.counts.astype(np.int64)
    positive = np.repeat(predictions.positive, times)
    probability = np.repeat(predictions.probability, times)
    remarks = []
    certain = int(((probability <= 0.0) | (probability >= 1.0)).sum())
    if tests is None and certain:
        tests = ["accuracy", "auc", "brier"]
        text = f"log_score is left out: {certain} of {len(probability)} cases have p = 0 or 1."
        remarks.append(Advice("AC810", text))
    if predictions.origin != "test":
        remarks.append(CROSS_VALIDATED)
    threshold = predictions.threshold if predictions.threshold is not None else 0.5
    return studies.Pilot(positive, probability, threshold), tests, tuple(remarks)
