"""Tables of comparisons, detections and power studies."""

from collections.abc import Mapping
from typing import Any

from abovechance.reports.cells import numeric, p_cell
from abovechance.reports.document import Cell, Column, Table


def difference_table(facts: Mapping[str, Any]) -> Table | None:
    """Differences between models with intervals and paired tests."""
    rows = facts.get("differences") or ()
    if not rows:
        return None
    many = any(row.get("p_adjusted") is not None for row in rows)
    columns = [
        Column("Measure", "name"),
        Column("First", "name"),
        Column("Second", "name"),
        Column("Difference", "number"),
        Column("Low", "number"),
        Column("High", "number"),
        Column("p", "number"),
        *([Column("p adjusted", "number")] if many else []),
        Column("Test"),
    ]
    cells = []
    for row in rows:
        interval = row.get("interval") or {}
        line = [
            Cell(str(row.get("title") or row["measure"])),
            Cell(str(row["first"])),
            Cell(str(row["second"])),
            numeric(row["difference"], row.get("undefined"), plus=True),
            numeric(interval.get("low"), plus=True) if interval else Cell(),
            numeric(interval.get("high"), plus=True) if interval else Cell(),
            p_cell(row.get("p_value")),
        ]
        if many:
            line.append(p_cell(row.get("p_adjusted")))
        line.append(Cell(str(row.get("test") or "")))
        cells.append(tuple(line))
    return Table(
        title="Differences between models",
        caption="First minus second, on the same cases; two-sided tests.",
        columns=tuple(columns),
        rows=tuple(cells),
        name="differences",
        rows_of="differences",
    )


def plain_table(facts: Mapping[str, Any], key: str, title: str) -> Table | None:
    """Tests of a detection or cells of a power study, as they are."""
    rows = facts.get(key) or ()
    if not rows:
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    names = [n for n in names if any(_single(row.get(n)) for row in rows)]
    numbers = {n for n in names if any(isinstance(row.get(n), int | float) for row in rows)}
    return Table(
        title=title,
        columns=tuple(
            Column(n.replace("_", " "), "number" if n in numbers else "name") for n in names
        ),
        rows=tuple(tuple(_plain(n, row.get(n), n in numbers) for n in names) for row in rows),
        name=key,
    )


def _single(value: Any) -> bool:
    return value is not None and not isinstance(value, list | dict)


def _plain(name: str, value: Any, is_number: bool) -> Cell:
    if value is None or isinstance(value, list | dict):
        return Cell()
    if name == "p_value" or name.startswith("p_"):
        return p_cell(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return Cell(str(value), value=float(value))
    return numeric(value) if is_number else Cell(str(value))
