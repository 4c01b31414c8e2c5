"""Tables of comparisons, detections and power studies."""

from collections.abc import Mapping, Sequence
from typing import Any

from abovechance.plots.tests_asked import test_title
from abovechance.plots.words import percent, thousands
from abovechance.reports.cells import count, numeric, p_cell
from abovechance.reports.document import Cell, Column, Table
from abovechance.reports.facts import (
    better_of,
    between_models,
    between_subgroups,
    is_shown,
    within_subgroups,
)


def difference_tables(facts: Mapping[str, Any]) -> list[Table]:
    """Differences between models, within subgroups, whether these differ, and between them."""
    found = [
        _differences(facts, between_models(facts), "Differences between models"),
        _differences(facts, within_subgroups(facts), "Models within subgroups"),
        _interactions(facts),
        _differences(facts, between_subgroups(facts), "Differences between subgroups"),
    ]
    return [table for table in found if table is not None]


def _differences(
    facts: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], title: str
) -> Table | None:
    """Differences with intervals and tests; columns that would say the same are left out."""
    if not rows:
        return None
    first = rows[0] is facts["differences"][0]
    shown = {
        "Model": len({row.get("model") for row in rows}) > 1,
        "First": len({(row["first"], row["second"]) for row in rows}) > 1,
        "Second": len({(row["first"], row["second"]) for row in rows}) > 1,
        "Subgroup": any(row.get("by") is not None for row in rows),
        "Cases": any(row.get("by") is not None for row in rows),
        "Events": any(row.get("events") is not None for row in rows),
        "p adjusted": any(row.get("p_adjusted") not in (None, row.get("p_value")) for row in rows),
        "Better": any("better" in row for row in rows),
        "Test": title == "Differences between models",
    }
    columns = [
        Column("Measure", "name"),
        Column("Model", "name"),
        Column("First", "name"),
        Column("Second", "name"),
        Column("Subgroup", "name"),
        Column("Cases", "number"),
        Column("Events", "number"),
        Column("Difference", "number"),
        Column("Low", "number"),
        Column("High", "number"),
        Column("p", "number"),
        Column("p adjusted", "number"),
        Column("Better", "name"),
        Column("Test"),
    ]
    if shown["Subgroup"] and shown["p adjusted"]:
        shown["p"] = False  # the one to judge by, in a table that is wide enough without the other
    kept = [i for i, column in enumerate(columns) if shown.get(column.heading, True)]
    cells = [_difference_cells(row, facts) for row in rows]
    return Table(
        title=title,
        caption=_compared(rows, facts),
        columns=tuple(columns[i] for i in kept),
        rows=tuple(tuple(line[i] for i in kept) for line in cells),
        name="differences" if first else title.lower().replace(" ", "-"),
        rows_of="differences" if len(rows) == len(facts["differences"]) else "",
    )


def _difference_cells(row: Mapping[str, Any], facts: Mapping[str, Any]) -> list[Cell]:
    interval = row.get("interval") or {}
    return [
        Cell(str(row.get("title") or row["measure"])),
        Cell(str(row.get("model") or "")),
        Cell(str(row["first"])),
        Cell(str(row["second"])),
        Cell(str(row.get("by") or "")),
        count(row.get("n")),
        count(row.get("events")),
        numeric(row["difference"], row.get("undefined"), plus=True, beside=interval),
        numeric(interval.get("low"), plus=True) if interval else Cell(),
        numeric(interval.get("high"), plus=True) if interval else Cell(),
        p_cell(row.get("p_value")),
        p_cell(row.get("p_adjusted")),
        Cell(_conclusion(row, facts)),
        Cell(str(row.get("test") or "")),
    ]


def _conclusion(row: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """Who is better, where that was shown."""
    if row.get("difference") is None:
        return ""
    if row.get("identical"):
        return "identical"
    return (better_of(row) or "differ") if is_shown(row, facts) else "not shown"


def _compared(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> str:
    """What the differences are of, and which way was asked."""
    cases = "the same cases" if all(row.get("paired", True) for row in rows) else "different cases"
    sides = {row.get("alternative") for row in rows if row.get("test")}
    sided = {"two-sided": "; two-sided tests", "greater": "; one-sided tests: is the first better?",
             "less": "; one-sided tests: is the second better?"}  # fmt: skip
    pairs = {(row["first"], row["second"]) for row in rows}
    first, second = pairs.pop() if len(pairs) == 1 else ("First", "second")
    said = f"{first} minus {second}, on {cases}{sided.get(str(next(iter(sides), '')), '')}."
    if any("better" in row for row in rows):
        said += " Better: shown by p (adjusted) and interval."
    if any(row.get("by") for row in rows) and facts.get("adjust") not in (None, "none"):
        said += " P-values are adjusted over the subgroups of each measure."
    return said


def _interactions(facts: Mapping[str, Any]) -> Table | None:
    """Whether the difference between two models differs between subgroups."""
    rows = facts.get("interactions") or ()
    if not rows:
        return None
    several = len({(row["first"], row["second"]) for row in rows}) > 1
    columns = [Column("Measure", "name")]
    columns += [Column("First", "name"), Column("Second", "name")] if several else []
    columns += [Column(h, "number") for h in ("Subgroups", "F", "df", "df of error", "p")]
    columns += [Column("p adjusted", "number")] if several else []
    cells = []
    for row in rows:
        line = [Cell(str(row["title"]), note=str(row.get("undefined") or ""))]
        line += [Cell(str(row["first"])), Cell(str(row["second"]))] if several else []
        line += [count(row.get("subgroups")), _number(row.get("statistic"))]
        line += [_number(row.get("df")), _number(row.get("df_error")), p_cell(row.get("p_value"))]
        line += [p_cell(row.get("p_adjusted"))] if several else []
        cells.append(tuple(line))
    return Table(
        title="Interaction",
        caption=f"Null hypothesis: {rows[0]['hypothesis']}. {rows[0]['test']}.",
        columns=tuple(columns),
        rows=tuple(cells),
        name="interactions",
        rows_of="interactions",
    )


def test_table(facts: Mapping[str, Any]) -> Table | None:
    """Statistics against their permutations."""
    rows = facts.get("tests") or ()
    if not rows:
        return None
    many = any(row.get("p_adjusted") is not None for row in rows)
    shown = numeric if facts.get("rule") == "paper" else p_cell  # by the papers' rule p can be 0
    columns = [Column("Test", "name"), Column("Value", "number"), Column("Null mean", "number")]
    columns += [Column("p", "number"), *([Column("p adjusted", "number")] if many else [])]
    cells = []
    for row in rows:
        name = str(row.get("title") or row.get("statistic") or row["measure"])
        line = [Cell(name), numeric(row["value"])]
        line += [numeric(row.get("null_mean")), shown(row.get("p_value"))]
        if many:
            line.append(shown(row.get("p_adjusted")))
        cells.append((*line, count(row.get("draws"))))
    return Table(
        title="Tests",
        caption=f"Null hypothesis: {facts['hypothesis']}." if facts.get("hypothesis") else "",
        columns=(*columns, Column("Permutations", "number")),
        rows=tuple(cells),
        name="tests",
        rows_of="tests",
    )


def size_table(facts: Mapping[str, Any]) -> Table | None:
    """Cases that every test needs."""
    rows = facts.get("sizes") or ()
    if not rows:
        return None
    headings = ("Cases", "Low", "High", "Power there", "Low", "High", "Samples", "By formula")
    columns = [Column("Test", "name"), *(Column(heading, "number") for heading in headings)]
    cells = []
    for row in rows:
        low, high = row.get("interval") or (None, None)
        there = row.get("power_interval") or {}
        found = (
            count(row.get("n"))
            if row.get("n") is not None
            else Cell(f">{thousands(facts['largest'])}")
        )
        cells.append(
            (
                Cell(test_title(row)),
                found,
                count(low),
                count(high),
                _number(row.get("power")),
                _number(there.get("low")),
                _number(there.get("high")),
                count(row.get("replications")),
                count(row.get("formula")),
            )
        )
    return Table(
        title="Cases needed",
        caption=f"For a power of {percent(facts['target'])} at level {facts['alpha']:g}; limits "
        "are 95% intervals.",
        columns=tuple(columns),
        rows=tuple(cells),
        name="sizes",
    )


def power_table(facts: Mapping[str, Any]) -> Table | None:
    """Powers in every setting, beside published values and formulas where there are some."""
    rows = [] if facts.get("sizes") else facts.get("cells") or ()
    if not rows:
        return None
    effects = len({row.get("effect") for row in rows}) > 1
    beside = {"Published": _published, "By formula": _by_formula}
    beside = {name: of for name, of in beside.items() if any(of(row) is not None for row in rows)}
    headings = ["Cases", *["Effect"] * effects, "Power", "Low", "High", *beside]
    cells = []
    for row in rows:
        interval = row.get("interval") or {}
        line = [Cell(test_title(row)), count(row.get("n"))]
        if effects:
            line.append(_number(row.get("effect")))
        line += [_number(row["power"]), _number(interval.get("low")), _number(interval.get("high"))]
        line += [_number(of(row)) for of in beside.values()]
        cells.append((*line, count(row.get("replications"))))
    return Table(
        title="Power",
        caption="Share of samples in which a test rejects, with 95% intervals.",
        columns=(
            Column("Test", "name"),
            *(Column(heading, "number") for heading in (*headings, "Samples")),
        ),
        rows=tuple(cells),
        name="cells",
        rows_of="cells",
    )


def _published(row: Mapping[str, Any]) -> Any:
    """A published power, which has a standard error of its own."""
    return row.get("reference") if row.get("reference_se") else None


def _by_formula(row: Mapping[str, Any]) -> Any:
    return row.get("theory") if row.get("reference_se") else row.get("reference")


def _number(value: Any) -> Cell:
    return Cell() if value is None else numeric(value)


def plain_table(facts: Mapping[str, Any], key: str, title: str) -> Table | None:
    """Rankings and tests of all models at once, as they are."""
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
