"""Test whether one model predicts better than another on the same cases.

\b
One file, a column a model:      compare FILE --outcome y --positive 1 --models a,b,c
A file a model, joined by id:    compare A.csv B.csv --outcome y --probability p --id id
A row per item and model:        compare items.jsonl --id item --model model --value correct

Differences are first − second, in the order of --models (or of the files), with an interval and
the test that fits the measure. Exit codes: 0 answered, 1 a --fail-if gate fired, 2 wrong usage or
bad data, 3 could not finish.
"""

from typing import Any

import click

from abovechance.cli import options
from abovechance.cli.gates import GATE_HELP, Gate, gates, reasons

KINDS = ("probability", "score", "label", "value", "risk", "predicted-time")


@click.command(help=__doc__)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option(
    "--models",
    metavar="A,B,…",
    callback=options.names,
    help="Columns of predictions; with several files, names for them; with --model, which.",
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(KINDS),
    help="What the columns of --models hold; probabilities of a class, values of a number.",
)
@click.option("--model", metavar="COL", help="Items: the model a row is of; see --value, --id.")
@click.option(
    "--lower-is-better", is_flag=True, help="Items: --value holds losses rather than scores."
)
@options.columns
@click.option(
    "--by", metavar="COL", help="The models within each of these subgroups, too, and interaction."
)
@click.option(
    "--between", is_flag=True, help="With --by: also each model's differences between subgroups."
)
@click.option(
    "--measures",
    metavar="A,B,…",
    callback=options.names,
    help="Names of measures; one of each family when not given.",
)
@click.option("--primary", metavar="MEASURE", help="The measure the study is about.")
@options.methods
@click.option(
    "--margin",
    metavar="NUMBER",
    help="How much worse is acceptable: a number, or brier=0.01,auc=0.02.",
)
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="'greater': is the first better?",
)
@click.option(
    "--adjust",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="Of the p-values of all pairs of a measure.",
)
@click.option("--rope", type=float, help="Half width of practical equivalence, for posteriors.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--unpaired", is_flag=True, help="The models predicted different cases.")
@click.option(
    "--studentised/--flips",
    default=None,
    help="Mean losses: test the means, or flip signs; by default means from 30 cases on.",
)
@click.option("--naive", is_flag=True, help="Over folds: the t-test that ignores their overlap.")
@click.option("--fail-if", multiple=True, callback=gates, metavar="CONDITION", help=GATE_HELP)
@options.report
@options.resampling
@options.output
def compare(
    files: tuple[str, ...],
    models: list[str] | None,
    kind: str | None,
    model: str | None,
    lower_is_better: bool,
    by: str | None,
    between: bool,
    measures: list[str] | None,
    primary: str | None,
    methods: dict[str, list[str]],
    margin: str | None,
    alternative: str,
    adjust: str,
    rope: float | None,
    level: float,
    unpaired: bool,
    studentised: bool | None,
    naive: bool,
    fail_if: list[Gate],
    draws: int | None,
    seed: int | None,
    workers: int,
    store: str | None,
    report: str | None,
    format_: str,
    **columns: Any,
) -> int:
    from abovechance.cli import ANSWERED, GATE
    from abovechance.cli.differences import show_comparison
    from abovechance.cli.models import items_in, models_in
    from abovechance.cli.progress import progress
    from abovechance.cli.show import write_report

    asked: dict[str, Any] = {
        "margin": margins(margin),
        "alternative": alternative,
        "adjust": adjust,
        "confidence_level": level,
        "rope": rope,
        "draws": draws,
        "rng": seed,
        "workers": workers,
        "store": store,
    }
    if between and by is None:
        raise click.UsageError("--between needs --by, the column of the subgroups.")
    read: dict[str, Any] | None = None
    with progress("drawing") as tell:
        if model is not None:
            from abovechance.inference.comparison import compare_items

            if measures or primary or by or unpaired or methods:
                raise click.UsageError(
                    "--measures, --primary, --method, --by and --unpaired do not go with --model."
                )
            found = items_in(files, columns, model, models, higher_is_better=not lower_is_better)
            result = compare_items(**found, **asked, progress=tell)
        else:
            from abovechance.inference.comparison import compare as compare_models

            read, subgroup = models_in(files, columns, models, kind, by)
            result = compare_models(
                read,
                measures,
                **asked,
                by=subgroup,
                by_name=by or "",
                between=between,
                primary=primary,
                methods=methods or None,
                paired=False if unpaired else None,
                studentised=studentised,
                naive=naive,
                progress=tell,
            )
    fired = reasons(result, fail_if)
    show_comparison(result, format_)
    if report is not None:
        write_report(result, report, read)
    for reason in fired:
        click.echo(f"abovechance: --fail-if: {reason}", err=True)
    return GATE if fired else ANSWERED


def margins(text: str | None) -> Any:
    """A margin for all measures, or one for each that is named."""
    if text is None:
        return None
    parts = [part.partition("=") for part in text.split(",")]
    try:
        if len(parts) == 1 and not parts[0][1]:
            return float(text)
        return {name.strip(): float(value) for name, sign, value in parts if sign or fail(text)}
    except ValueError:
        fail(text)


def fail(text: str) -> bool:
    """Refuse a margin that cannot be read."""
    raise click.BadParameter(f"--margin must be a number or measure=number, …; got {text!r}.")
