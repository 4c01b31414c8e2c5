"""A file of features and an outcome, as the commands that fit models read it."""

from dataclasses import dataclass
from typing import Any

import click

from abovechance.cli import options

features = options.stack(
    options.sheet,
    click.option("--outcome", metavar="COL", required=True, help="The classes, or numbers."),
    click.option(
        "--features",
        "columns",
        metavar="COLS",
        callback=options.names,
        help="Features; when not given, all other columns of numbers that do not count the rows.",
    ),
    click.option("--id", "id_", metavar="COL", help="Names the cases; not a feature."),
    click.option("--positive", metavar="LABEL", help="The positive class."),
    click.option(
        "--missing",
        type=click.Choice(["refuse", "drop"]),
        default="refuse",
        show_default=True,
        help="What to do with cases that miss a value.",
    ),
)


@dataclass(frozen=True, eq=False)
class Read:
    """What was read: features, outcome, names, the positive class, and a line that says so."""

    X: Any
    y: Any
    names: list[str]
    positive: Any
    described: str

    @property
    def numeric(self) -> bool:
        """Whether the outcome holds numbers."""
        from abovechance.signal import holds_numbers

        return holds_numbers(self.y)


def read(
    file: str,
    *,
    sheet: str | None,
    outcome: str,
    columns: list[str] | None,
    id_: str | None,
    positive: str | None,
    missing: str,
) -> Read:
    """The features and the outcome of a file."""
    from abovechance.io.reading import features_in

    for column, role in ((outcome, "the outcome"), (id_, "the id")):
        if column is not None and column in (columns or ()):
            raise click.UsageError(f"{column!r} is {role}; it cannot be a feature as well.")
    found = features_in(file, outcome, columns, id=id_, missing=missing, sheet=sheet)
    return Read(found.X, found.y, found.names, positive, found.described)


def share_or_folds(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | int | None:
    """A share to hold out, as 0.3 or 1/3, or a number of folds."""
    if value is None:
        return None
    above, line, below = value.partition("/")
    try:
        return (
            float(above) / float(below) if line else int(value) if value.isdigit() else float(value)
        )
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(
            f"must be a share to hold out, as 1/3, or a number of folds, as 5; got {value!r}."
        ) from None


def numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> list[float] | None:
    """Numbers between commas."""
    if value is None:
        return None
    try:
        return [float(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"must be numbers between commas; got {value!r}.") from None
