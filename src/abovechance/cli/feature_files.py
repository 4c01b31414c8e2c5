"""A file of features and an outcome, as the commands that fit models read it."""

from typing import Any

import click

from abovechance.cli import options

features = options.stack(
    click.argument("file", type=click.Path()),
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
group = click.option("--group", metavar="COL", help="Clusters: subject, site, …; kept whole.")


def read(given: dict[str, Any]) -> Any:
    """The features and the outcome of a file."""
    from abovechance.io.reading import features_in

    roles = {"outcome": "the outcome", "id_": "the id", "group": "the group"}
    for column, role in ((given.get(name), role) for name, role in roles.items()):
        if column is not None and column in (given["columns"] or ()):
            raise click.UsageError(f"{column!r} is {role}; it cannot be a feature as well.")
    return features_in(
        given["file"],
        given["outcome"],
        given["columns"],
        blocks=given.get("group"),
        id=given["id_"],
        missing=given["missing"],
        sheet=given["sheet"],
    )


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
