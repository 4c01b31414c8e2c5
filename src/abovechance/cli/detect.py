"""Test whether classes differ in their features, before any classifier is praised."""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import options
from abovechance.errors import AboveChanceError, FileError, NotApplicable


@click.command(help=__doc__)
@click.argument("file", type=click.Path())
@click.option("--outcome", metavar="COL", required=True, help="The classes, or numbers.")
@click.option(
    "--features",
    metavar="COLS",
    callback=options.names,
    help="Features; when not given, all other columns of numbers that do not count the rows.",
)
@click.option("--id", "id_", metavar="COL", help="Names the cases; not a feature.")
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
    type=click.Choice(["labels", "rows", "within", "blocks", "features"]),
    default="labels",
    show_default=True,
    help="What is permuted: labels freely, within or as whole --blocks; rows of features, folds "
    "kept; or every feature on its own.",
)
@click.option("--blocks", metavar="COL", help="Blocks to permute within or as wholes.")
@click.option(
    "--rule",
    type=click.Choice(["standard", "paper"]),
    default="standard",
    show_default=True,
    help="How p counts: (b + 1) / (m + 1), or b / m as the papers did.",
)
@click.option("--stop", type=click.Choice(["gandy"]), help="Stop every test when it is decided.")
@click.option(
    "--missing",
    type=click.Choice(["refuse", "drop"]),
    default="refuse",
    show_default=True,
    help="What to do with cases that miss a value.",
)
@options.report
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=999,
    show_default=True,
    help="Permutations.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed of all draws.")
@options.workers
@options.output
def detect(
    file: str,
    outcome: str,
    features: list[str] | None,
    id_: str | None,
    tests: list[str] | None,
    kind: str | None,
    standardise: bool,
    permute: str,
    blocks: str | None,
    rule: str,
    stop: str | None,
    missing: str,
    draws: int,
    seed: int | None,
    workers: Any,
    store: str | None,
    report: str | None,
    format_: str,
) -> None:
    from abovechance.cli.progress import progress
    from abovechance.cli.show import write_report
    from abovechance.inference.detection import detect as run
    from abovechance.io.features import features_in

    _check_columns(outcome, features, id_, permute, blocks)
    found = features_in(file, outcome, features, blocks=blocks, id=id_, missing=missing)
    try:
        with progress("permuting") as tell:
            result = run(
                found.X,
                found.y,
                tests=tests,
                feature_names=found.names,
                kind=kind,
                standardise=standardise,
                draws=draws,
                permute=permute,
                blocks=found.blocks,
                rule=rule,
                stop=stop,
                rng=seed,
                workers=workers,
                store=store,
                progress=tell,
            )
    except AboveChanceError as refused:
        raise _as_options(refused, seed) from refused
    result = replace(result, described=found.described)
    _show(result, format_, store is not None)
    if report is not None:
        write_report(result, report)


def _check_columns(
    outcome: str, features: list[str] | None, id_: str | None, permute: str, blocks: str | None
) -> None:
    for column, role in ((outcome, "the outcome"), (id_, "the id")):
        if column is not None and column in (features or ()):
            raise click.UsageError(f"{column!r} is {role}; it cannot be a feature as well.")
    if permute in ("within", "blocks") and blocks is None:
        raise click.UsageError(f"--permute {permute} needs --blocks COL, a value for every case.")
    if permute not in ("within", "blocks") and blocks is not None:
        raise click.UsageError("--blocks goes with --permute within or --permute blocks.")


def _as_options(refused: AboveChanceError, seed: int | None) -> AboveChanceError:
    """The refusal in words of the command line."""
    import re

    said = str(refused)
    other = re.search(r"seed is (\d+) there", said)
    if isinstance(refused, FileError) and seed is None and other is not None:
        return FileError(f"{said}. To resume that run, give --seed {other[1]}.")
    if isinstance(refused, NotApplicable):
        return NotApplicable(re.sub(r"permute='(\w+)'", r"--permute \1", said))
    return refused


def _show(result: Any, format_: str, stored: bool) -> None:
    """Print the tests; what CSV cannot hold goes to stderr."""
    from abovechance.cli.show import console

    said = [*result.remarks(), *(f"seed {result.seed}" for _ in range(stored))]
    if format_ == "json":
        click.echo(result.to_json())
        return
    if format_ == "csv":
        click.echo(result.to_csv(), nl=False)
        for line in (result.described, *said, *result.advice):
            click.echo(f"abovechance: {line}", err=True)
        return
    screen = console()
    screen.print(result.described, style="dim", markup=False)
    screen.print(_table(result))
    draws = max(row.draws for row in result.tests)
    up_to = "up to " if result.stop is not None else ""
    lines = [f"H0: {result.hypothesis}; {up_to}{draws} permutations", *said]
    lines += [f"{r.statistic}: undefined, {r.undefined}" for r in result.tests if r.undefined]
    for line in lines:
        screen.print(line, style="dim", markup=False)
    for advice in result.advice:
        screen.print(f"{advice}", markup=False)


def _table(result: Any) -> Any:
    from rich.markup import escape
    from rich.table import Table

    from abovechance.format import number, p_value

    def share(row: Any) -> str:
        if result.rule == "paper" and not row.undefined:
            return f"{round(row.p_value * row.draws)} of {row.draws}"
        return p_value(row.p_value)

    def adjusted(p: float) -> str:
        return f"{p:.3g}" if result.rule == "paper" else p_value(p)

    shown = {
        "value": lambda row: number(row.value),
        "null mean": lambda row: number(row.null_mean),
        "p": share,
    }
    if any(row.p_adjusted is not None for row in result.tests):
        shown["adjusted"] = lambda row: adjusted(row.p_adjusted)
    if result.stop is not None:
        shown["permutations"] = lambda row: str(row.draws)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("statistic", "", *shown):
        table.add_column(heading, justify="right" if heading in shown else "left")
    for row in result.tests:
        cells = [cell(row) for cell in shown.values()]
        table.add_row(escape(row.statistic), escape(row.title), *cells)
    return table
