"""Tables of estimates: the key measures with intervals drawn, all of them, skill, groups."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from abovechance.inference.estimates import AT_THRESHOLD
from abovechance.inference.significance.accuracy import chance_words
from abovechance.plots.chart import series_colour
from abovechance.plots.contract import complete, whole
from abovechance.plots.words import as_float, percent
from abovechance.reports.cells import count, numeric, p_cell
from abovechance.reports.document import Bar, Cell, Column, Kind, Table
from abovechance.reports.facts import key_rows, level_of, measure_range, models_of

MOST_BY = 8  # measures by subgroup


def measure_tables(facts: Mapping[str, Any]) -> list[Table]:
    """The key measures with their intervals drawn, and all of them folded below."""
    keys, every = key_rows(facts), whole(facts)
    if not every:
        return []
    level = percent(level_of(facts))
    known = any(row["interval"] for row in keys)
    title = f"Measures with {level} intervals" if known else "Measures"
    short = _estimates(facts, keys, title, drawn=True)
    if len(every) == len(keys):
        return [short]
    count = len({row["measure"] for row in every})
    return [short, _estimates(facts, every, f"All {count} measures", drawn=False)]


def _estimates(
    facts: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], title: str, *, drawn: bool
) -> Table:
    models = models_of(facts)
    known = any(row["interval"] for row in rows)
    shown = {
        "Model": len(models) > 1,
        "Family": not drawn,
        "Output": any(row["output"] is not None for row in rows),
        "Low": known,
        "High": known,
        "Interval": drawn and known,
        "p": any(row["p_value"] is not None for row in rows),
        "Remark": any(row["undefined"] or row["remark"] for row in rows),
    }
    columns = [
        Column("Model", "name"),
        Column("Measure", "name"),
        Column("Family"),
        Column("Output", "name"),
        Column("Estimate", "number"),
        Column("Low", "number"),
        Column("High", "number"),
        Column("Interval", "interval"),
        Column("Chance", "number"),
        Column("p", "number"),
        Column("Remark", "name"),
    ]
    bars = _bars(rows, models) if drawn else [None] * len(rows)
    cells = [_estimate_cells(row, models, bar, facts) for row, bar in zip(rows, bars, strict=True)]
    kept = [i for i, column in enumerate(columns) if shown.get(column.heading, True)]
    return Table(
        title=title,
        caption=_about(rows, facts),
        columns=tuple(columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in cells),
        folded=not drawn,
        name="measures" if drawn else "all-measures",
        rows_of="estimates",
    )


def _estimate_cells(
    row: Mapping[str, Any], models: Sequence[str], bar: Bar | None, facts: Mapping[str, Any]
) -> list[Cell]:
    interval = row["interval"] or {}
    name = str(row["model"] or "")
    colour = series_colour(models.index(name)) if name in models else ""
    primary = row["measure"] == facts.get("primary")
    return [
        Cell(name, colour=colour if bar else ""),
        Cell(str(row["title"]), mark="primary" if primary else ""),
        Cell(str(row["family"] or "")),
        Cell(str(row["output"] or "")),
        numeric(row["value"], beside=interval),
        numeric(interval.get("low")) if interval else Cell(),
        numeric(interval.get("high")) if interval else Cell(),
        Cell(bar=bar),
        numeric(row["chance"]) if row["chance"] is not None else Cell(),
        p_cell(row["p_value"]),
        Cell(str(row["undefined"] or row["remark"] or "")),
    ]


def _about(rows: Iterable[Mapping[str, Any]], facts: Mapping[str, Any]) -> str:
    said = "Choose a heading to sort."
    if facts.get("primary"):
        said += " ★ primary measure; the others are descriptive."
    if facts.get("threshold") is not None and any(r["family"] in AT_THRESHOLD for r in rows):
        said += f" Cases above {facts['threshold']:g} are called positive."
    tested = {row["family"] for row in rows if row["p_value"] is not None}
    if tested - {"calibration"}:
        clustered = any("clusters" in (row.get("test") or "") for row in rows)
        how = "as the methods say" if clustered else "among the cases"
        hypotheses = {
            str(row["title"]): row.get("hypothesis")
            for row in rows
            if row["p_value"] is not None and row["family"] != "calibration"
        }
        level = chance_words(hypotheses, f"the mean when outcomes are shuffled {how}")
        said += f" Chance: {level}; p tests against it, one-sided."
    if "calibration" in tested:
        said += " p of calibration: against probabilities that are right."
    return said


def _bars(rows: Sequence[Mapping[str, Any]], models: Sequence[str]) -> list[Bar | None]:
    """Intervals drawn on the range of their measure, or on what the models span of it."""
    spans: dict[str, tuple[float, float]] = {}
    for name in {row["measure"] for row in rows}:
        seen = [
            as_float(value)
            for row in rows
            if row["measure"] == name
            for value in (row["value"], row["chance"], *_limits(row))
        ]
        spans[name] = _span(measure_range(name), [v for v in seen if np.isfinite(v)])
    return [_bar(row, spans[row["measure"]], models) for row in rows]


def _limits(row: Mapping[str, Any]) -> tuple[Any, Any]:
    interval = row["interval"] or {}
    return interval.get("low"), interval.get("high")


def _span(range_: tuple[float, float], seen: list[float]) -> tuple[float, float]:
    low, high = range_
    if low == -1.0 and high == 1.0 and min(seen, default=0.0) >= 0.0:
        low = 0.0
    if np.isfinite(low) and np.isfinite(high) and high - low <= 2.0:
        return low, high
    low = low if np.isfinite(low) else min([0.0, *seen]) * 1.06
    return low, max([low + 1e-9, 0.0, *seen]) * (1.06 if max(seen, default=0.0) > 0 else 1.0)


def _bar(row: Mapping[str, Any], span: tuple[float, float], models: Sequence[str]) -> Bar | None:
    value, ends = as_float(row["value"]), [as_float(v) for v in _limits(row)]
    if not np.isfinite(value) or not np.isfinite(ends).all():
        return None
    low, high = span
    width = (high - low) or 1.0
    chance = as_float(row["chance"])
    name = str(row["model"] or "")
    return Bar(
        low=max(0.0, (ends[0] - low) / width),
        value=(value - low) / width,
        high=min(1.0, (ends[1] - low) / width),
        chance=(chance - low) / width if np.isfinite(chance) and low <= chance <= high else None,
        colour=series_colour(models.index(name)) if name in models else "0",
    )


def skill_table(facts: Mapping[str, Any]) -> Table | None:
    """Values beside their reference, the best prediction that is the same for all."""
    rows = [row for row in whole(facts) if row["skill"]]
    if not rows:
        return None
    models = models_of(facts)
    columns = [
        Column("Model", "name"),
        Column("Measure", "name"),
        Column("Reference", "number"),
        Column("Gain", "number"),
        Column("Low", "number"),
        Column("High", "number"),
        Column("p", "number"),
    ]
    cells = []
    for row in rows:
        skill = row["skill"]
        interval = skill.get("interval") or {}
        name = str(row["model"] or "")
        cells.append(
            [
                Cell(name, colour=series_colour(models.index(name)) if name in models else ""),
                Cell(str(row["title"])),
                numeric(skill["reference"]),
                numeric(skill["difference"], beside=interval),
                numeric(interval.get("low")) if interval else Cell(),
                numeric(interval.get("high")) if interval else Cell(),
                p_cell(skill.get("p_value")),
            ]
        )
    first = 0 if len(models) > 1 else 1
    return Table(
        title="Skill",
        caption="Gain over the reference: the best prediction that is the same for every case.",
        columns=tuple(columns[first:]),
        rows=tuple(tuple(row[first:]) for row in cells),
        name="skill",
    )


def grid_tables(facts: Mapping[str, Any]) -> list[Table]:
    """Measures of each class, measures across; and of each subgroup with their intervals."""
    rows = [complete(row) for row in facts.get("estimates") or ()]
    per_class = [row for row in rows if row["class"] is not None and row["by"] is None]
    by = [row for row in rows if row["by"] is not None and row["class"] is None]
    found = [_per_class(per_class)] if per_class else []
    return [*found, _by_subgroup(by, facts)] if by else found


def _per_class(rows: Sequence[Mapping[str, Any]]) -> Table:
    lines = list(dict.fromkeys((str(r["model"] or ""), str(r["class"])) for r in rows))
    titles = {(r["measure"], r["output"]): str(r["title"]) for r in rows}
    values = {(str(r["model"] or ""), str(r["class"]), r["measure"], r["output"]): r for r in rows}
    several = len({model for model, _ in lines}) > 1
    body = []
    for model, group in lines:
        cells = [Cell(model)] if several else []
        cells.append(Cell(group))
        for measure in titles:
            row = values.get((model, group, *measure))
            cells.append(
                Cell() if row is None else numeric(row["value"], row["undefined"] or row["remark"])
            )
        body.append(tuple(cells))
    heads = [Column("Model", "name")] if several else []
    heads.append(Column("Class", "name"))
    heads += [Column(titles[m] + (f" [{m[1]}]" if m[1] else ""), "number") for m in titles]
    return Table(title="Per class", columns=tuple(heads), rows=tuple(body), name="class")


def _by_subgroup(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> Table:
    """Subgroups of each measure: how many cases, how many events, value and interval."""
    measures = list(dict.fromkeys((r["measure"], r["output"]) for r in rows))
    kept = measures
    if len(measures) > MOST_BY:
        known = dict.fromkeys(r["measure"] for r in key_rows({**facts, "estimates": [
            {**row, "by": None} for row in rows]}))  # fmt: skip
        kept = [m for name in known for m in measures if m[0] == name][:MOST_BY]
        kept = kept or measures[:MOST_BY]
    sizes = {str(s["by"]): s for s in facts.get("subgroups") or ()}
    shown = [row for m in kept for row in rows if (row["measure"], row["output"]) == m]
    models = models_of(facts)
    optional = {
        "Model": len(models) > 1,
        "Cases": bool(sizes),
        "Events": any(s.get("events") is not None for s in sizes.values()),
        "Low": any(row["interval"] for row in shown),
        "High": any(row["interval"] for row in shown),
        "Interval": any(row["interval"] for row in shown),
    }
    headings: list[tuple[str, Kind]] = [
        ("Measure", "name"),
        ("Model", "name"),
        ("Subgroup", "name"),
        ("Cases", "number"),
        ("Events", "number"),
        ("Estimate", "number"),
        ("Low", "number"),
        ("High", "number"),
        ("Interval", "interval"),
    ]
    kept_columns = [i for i, (name, _) in enumerate(headings) if optional.get(name, True)]
    body = []
    for row, bar in zip(shown, _bars(shown, models), strict=True):
        size, interval = sizes.get(str(row["by"]), {}), row["interval"] or {}
        line = [
            Cell(str(row["title"]) + (f" [{row['output']}]" if row["output"] else "")),
            Cell(str(row["model"] or "")),
            Cell(str(row["by"])),
            count(size.get("n")),
            count(size.get("events")),
            numeric(row["value"], row["undefined"], beside=interval),
            numeric(interval.get("low")) if interval else Cell(),
            numeric(interval.get("high")) if interval else Cell(),
            Cell(bar=bar),
        ]
        body.append(tuple(line[i] for i in kept_columns))
    left = len(measures) - len(kept)
    return Table(
        title="By subgroup",
        caption=f"{left} other measures are in the JSON." if left else "",
        columns=tuple(Column(*headings[i]) for i in kept_columns),
        rows=tuple(body),
        name="by",
    )
