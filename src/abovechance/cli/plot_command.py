"""Draw the predictions in a file, or a saved result.

Which pictures there are of what: abovechance plot --list.
"""

from typing import Any

import click

from abovechance.cli import options

EXAMPLES = """\b
Examples:
  abovechance plot preds.csv --outcome y --kind roc -o roc.svg
  abovechance plot preds.csv --outcome y --models old,new -o both.png
  abovechance plot result.json -o forest.pdf
"""


def _list(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from abovechance.cli.terminal import print_blocks
    from abovechance.plots import pictures
    from abovechance.tabular import tabulate

    every = sorted(pictures().values(), key=lambda one: one.name)
    table = tabulate(
        every,
        ("kind", "name", lambda one: one.name),
        ("of", "text", lambda one: ", ".join(of for of in one.of if ":" not in of)),
        ("shows", "text", lambda one: one.about),
    )
    print_blocks([table])
    ctx.exit()


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@click.argument("file", type=click.Path())
@options.columns
@click.option(
    "--models",
    metavar="A,B,…",
    callback=options.names,
    help="Columns of predictions, to be drawn together.",
)
@click.option(
    "--as",
    "holds",
    type=click.Choice(["probability", "score", "label", "value", "risk", "predicted-time"]),
    help="What the columns of --models hold; probabilities of a class, values of a number.",
)
@click.option("--kind", metavar="PICTURE", help="Which one; the usual one when not given.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    callback=options.picture_file,
    help="Where to: .svg, .png or .pdf.",
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list, help="All pictures."
)
def plot(
    file: str,
    models: list[str] | None,
    holds: str | None,
    kind: str | None,
    output: str,
    **columns: Any,
) -> None:
    from abovechance.plots import save

    save(_shown(file, columns, models, holds), output, kind=kind)
    click.echo(f"abovechance: picture written to {output}", err=True)


def _shown(file: str, columns: dict[str, Any], models: list[str] | None, holds: str | None) -> Any:
    """A saved result as it is, else the predictions of one model, or of several by name."""
    from abovechance.cli.input_files import models_in, predictions_in
    from abovechance.errors import FileError
    from abovechance.inference.contract import read_result

    if file.lower().endswith(".json"):
        try:
            return read_result(file)
        except FileError as refused:
            if "is not a result" not in str(refused) and "must hold JSON" not in str(refused):
                raise
    if models is not None:
        return models_in((file,), columns, models, holds, None)[0]
    return predictions_in(file, columns, None)[0]
