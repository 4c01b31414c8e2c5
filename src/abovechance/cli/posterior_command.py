"""Posterior of accuracy and balanced accuracy from a confusion table, without any file.

Give the four counts of two classes, a whole table, or just how many were right and wrong.
"""

import json
import sys
from typing import Any

import click

from abovechance import __version__
from abovechance.cli import options

EXAMPLES = """\b
Examples:
  abovechance posterior --tp 48 --fn 2 --tn 45 --fp 5
  abovechance posterior --confusion "48,2;5,45" --prior jeffreys
  abovechance posterior --correct 17 --wrong 3
"""

FOUR = ("tp", "fn", "tn", "fp")
COUNT = click.IntRange(min=0)


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@click.option("--tp", type=COUNT, help="Positives called positive.")
@click.option("--fn", type=COUNT, help="Positives called negative.")
@click.option("--tn", type=COUNT, help="Negatives called negative.")
@click.option("--fp", type=COUNT, help="Negatives called positive.")
@click.option("--confusion", metavar="ROWS", help='Rows actual, columns predicted: "48,2;5,45".')
@click.option("--correct", type=COUNT, help="Right predictions, with --wrong.")
@click.option("--wrong", type=COUNT, help="Wrong predictions, with --correct.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option(
    "--prior",
    default="flat",
    show_default=True,
    help="flat, jeffreys, a number added to right and wrong, or two: 2,1.",
)
@click.option(
    "--model",
    type=click.Choice(["collapsed", "dirichlet"]),
    default="collapsed",
    show_default=True,
    help="A prior for each class's accuracy, or for all labels in each class.",
)
@click.option("--chance", type=float, help="What guessing is worth; 1/classes when not given.")
@options.report
@options.output
def posterior(
    confusion: str | None,
    correct: int | None,
    wrong: int | None,
    level: float,
    prior: str,
    model: str,
    chance: float | None,
    report: str | None,
    format_: str,
    **four: int | None,
) -> None:
    from abovechance.cli.terminal import write_files
    from abovechance.inference.posterior import accuracy, balanced_accuracy

    shapes = _prior(prior)
    if correct is not None or wrong is not None:
        _only("--correct and --wrong", confusion, *four.values())
        if correct is None or wrong is None:
            raise click.UsageError("--correct and --wrong belong together.")
        found = [accuracy(correct, wrong, prior=shapes)]
    else:
        table = _table(confusion, four)
        # Accuracy itself has no labels to spread a prior over.
        found = [
            accuracy(table, prior=shapes),
            balanced_accuracy(table, prior=shapes, model=model),
        ]
    if not 0.0 < level < 1.0:
        raise click.UsageError(f"--level must lie between 0 and 1; got {level}.")
    facts: dict[str, Any] = {
        "abovechance": __version__,
        "kind": "posteriors",
        "posteriors": _rows(found, level, chance),
    }
    _show(found[-1], facts, level, chance, format_)
    drawn = {row["quantity"]: one for row, one in zip(facts["posteriors"], found, strict=True)}
    write_files(facts, report, drawn=drawn)


def _table(confusion: str | None, four: dict[str, int | None]) -> list[list[int]]:
    given = [name for name in FOUR if four[name] is not None]
    if confusion is not None:
        _only("--confusion", *four.values())
        try:
            return [[int(cell) for cell in row.split(",")] for row in confusion.split(";")]
        except ValueError:
            raise click.UsageError(
                f'--confusion must be counts, as in "48,2;5,45"; got {confusion!r}.'
            ) from None
    if len(given) < len(FOUR):
        absent = ", ".join(f"--{name}" for name in FOUR if name not in given)
        raise click.UsageError(
            f"give {absent} too."
            if given
            else "give --tp --fn --tn --fp, --confusion, or --correct."
        )
    tp, fn, tn, fp = (int(four[name] or 0) for name in FOUR)
    return [[tn, fp], [fn, tp]]


def _only(what: str, *others: Any) -> None:
    if any(other is not None for other in others):
        raise click.UsageError(f"{what} cannot be given with other counts.")


def _prior(text: str) -> Any:
    if text in ("flat", "jeffreys"):
        return text
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise click.UsageError(
            f"--prior must be flat, jeffreys, a number or two numbers; got {text!r}."
        )
    return numbers if len(numbers) == 2 else numbers[0]


def _rows(found: list[Any], level: float, chance: float | None) -> list[dict[str, Any]]:
    rows = []
    for one in found:
        row = one.summary(level)
        if chance is not None:
            spread = one.against_chance or one.distribution
            row |= {"chance": chance, "prob_above_chance": float(spread.sf(chance))}
        rows.append(row)
    return rows


def _show(
    last: Any, facts: dict[str, Any], level: float, chance: float | None, format_: str
) -> None:
    from abovechance.cli.terminal import print_blocks
    from abovechance.inference.posterior.distribution import sketch
    from abovechance.inference.printing import blocks_of
    from abovechance.tabular import markdown

    if format_ == "json":
        click.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
    elif format_ == "csv":
        from abovechance.io.export import to_csv_text

        click.echo(to_csv_text([_flat(row) for row in facts["posteriors"]]), nl=False)
    elif format_ == "markdown":
        click.echo(markdown(blocks_of(facts)), nl=False)
    else:
        ascii_only = not (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
        click.echo(sketch(last, level=level, chance=chance, ascii_only=ascii_only))
        click.echo()
        print_blocks(blocks_of(facts))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    interval = row["interval"]
    others = {key: value for key, value in row.items() if key != "interval"}
    return {**others, "low": interval["low"], "high": interval["high"], "level": interval["level"]}
