"""From a command's column options to predictions."""

from typing import Any


def predictions_in(file: str, columns: dict[str, Any], by: str | None) -> tuple[Any, Any]:
    """The predictions in a file, and the subgroup of each case when one is asked for."""
    from abovechance.io import read, read_table

    table = read_table(file)
    if by is not None:
        table.require([by])
    options = dict(columns)
    predictions = read(
        table,
        pos_label=options.pop("positive"),
        id=options.pop("id_"),
        sample_weight=options.pop("weight"),
        **options,
    )
    if by is None:
        return predictions, None
    column = table.text(by)
    return predictions, column if predictions.kept is None else column[predictions.kept]
