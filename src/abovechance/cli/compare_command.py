"""Test whether one model predicts better than another on the same cases.

\b
One file, a column per model:     compare FILE --outcome y --positive 1 --models a,b,c
A file per model, joined by id:  compare A.csv B.csv --outcome y --probability p --id id
A row per item and model:        compare items.jsonl --id item --model model --value correct
A row per item, right or wrong:  compare items.csv --id item --models a,b,c --as item

Differences are first − second, in the order of --models (or of the files), with an interval and
the test that fits the measure. With --baseline the verdict is that a model is no worse, worse or
undecided. Exit codes: 0 answered, 1 a --fail-if gate fired or a model is worse, 2 wrong usage or
bad data, 3 could not finish, 4 undecided.
"""

from dataclasses import replace
from typing import Any

import click

from abovechance.cli import gates, options

EXAMPLES = """\b
Examples:
  abovechance compare models.csv --outcome y --positive 1 --models old,new
  abovechance compare old.csv new.csv --outcome y --id patient --margin .02
  abovechance compare items.jsonl --id item --model model --value correct
"""

KINDS = ("probability", "score", "label", "value", "risk", "predicted-time", "item")


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
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
    help="What the columns of --models hold; when not given, probabilities of a class or values "
    "of a number. item: right or wrong, or a score.",
)
@click.option(
    "--model", metavar="COL", help="Items: the model that a row is about; see --value, --id."
)
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
@options.primary
@click.option("--unpaired", is_flag=True, help="The models predicted different cases.")
@click.option(
    "--baseline",
    metavar="MODEL",
    help="The model in use: is each other one no worse? See --margin.",
)
@gates.undecided
@gates.fail_if(gates.OF_DIFFERENCES, "accuracy difference < -0.02")
@options.settings("compare")
@options.report
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
    unpaired: bool,
    undecided: str,
    fail_if: list[gates.Gate],
    report: str | None,
    format_: str,
    **given: Any,
) -> int:
    from abovechance.cli.input_files import items_in, models_in
    from abovechance.cli.terminal import progress, show, write_files

    columns, given = options.apart(given, options.columns)
    if between and by is None:
        raise click.UsageError("--between needs --by, the column of the subgroups.")
    read: dict[str, Any] | None = None
    with progress("drawing") as tell:
        if model is not None or kind == "item":
            from abovechance.inference.items import compare_items

            if measures or primary or by or unpaired or given["methods"]:
                raise click.UsageError(
                    "--measures, --primary, --method, --by and --unpaired do not go with items."
                )
            items, described = items_in(
                files, columns, model, models, higher_is_better=not lower_is_better
            )
            result = replace(compare_items(**items, **given, progress=tell), described=described)
        else:
            from abovechance.inference.comparison import compare as compare_models

            read, subgroup = models_in(files, columns, models, kind, by)
            result = compare_models(
                read,
                measures,
                **given,
                by=subgroup,
                by_name=by or "",
                between=between,
                primary=primary,
                paired=False if unpaired else None,
                progress=tell,
            )
    fired = gates.reasons(result, fail_if)
    show(result, format_)
    write_files(result, report, read)
    gates.tell(fired)
    verdict = None if result.baseline is None else result.baseline.verdict
    return gates.exit_code(verdict, undecided, fired=bool(fired))
