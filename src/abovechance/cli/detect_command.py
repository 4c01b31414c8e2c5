"""Test whether classes differ in their features, before any classifier is praised."""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import options
from abovechance.errors import AboveChanceError, FileError, NotApplicable

EXAMPLES = """\b
Examples:
  abovechance detect features.csv --outcome group
  abovechance detect features.csv --outcome group --draws 9999 --seed 1
"""


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@click.argument("file", type=click.Path())
@options.sheet
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
    "--missing",
    type=click.Choice(["refuse", "drop"]),
    default="refuse",
    show_default=True,
    help="What to do with cases that miss a value.",
)
@options.settings("detect")
@options.report
@options.output
def detect(
    file: str,
    sheet: str | None,
    outcome: str,
    features: list[str] | None,
    id_: str | None,
    blocks: str | None,
    missing: str,
    report: str | None,
    format_: str,
    **given: Any,
) -> None:
    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.inference.detection import detect as run
    from abovechance.io.reading import features_in

    _check_columns(outcome, features, id_, given["permute"], blocks)
    read = features_in(file, outcome, features, blocks=blocks, id=id_, missing=missing, sheet=sheet)
    try:
        with progress("permuting") as tell:
            result = run(
                read.X,
                read.y,
                feature_names=read.names,
                blocks=read.blocks,
                **given,
                progress=tell,
            )
    except AboveChanceError as refused:
        raise _as_options(refused, given["rng"]) from refused
    result = replace(result, described=read.described)
    if format_ == "csv":
        from abovechance.inference.printing import about_permutations

        for line in (result.described, *about_permutations(result.to_dict())):
            click.echo(f"abovechance: {line}", err=True)
    show(result, format_, *[f"seed {result.seed}"] * (given["store"] is not None))
    write_files(result, report)


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
