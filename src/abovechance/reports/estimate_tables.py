"""Tables of estimates: the key measures with intervals drawn, all of them, skill, groups."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from abovechance.plots.chart import series_colour
from abovechance.plots.contract import complete, whole
from abovechance.plots.words import as_float, percent
from abovechance.reports.cells import numeric, p_cell
from abovechance.reports.document import Bar, Cell, Column, Table
from abovechance.reports.facts import key_rows, level_of, measure_range, models_of


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
        "Remark": any(row["undefined"] for row in rows),
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
        numeric(row["value"]),
        numeric(interval.get("low")) if interval else Cell(),
        numeric(interval.get("high")) if interval else Cell(),
        Cell(bar=bar),
        numeric(row["chance"]) if row["chance"] is not None else Cell(),
        p_cell(row["p_value"]),
        Cell(str(row["undefined"] or "")),
    ]


def _about(rows: Iterable[Mapping[str, Any]], facts: Mapping[str, Any]) -> str:
    said = "Choose a heading to sort."
    if facts.get("primary"):
        said += " ★ primary measure; the others are descriptive."
    tested = {row["family"] for row in rows if row["p_value"] is not None}
    if tested - {"calibration"}:
        said += " p: one-sided, against chance."
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
    """Mean losses beside those of the uninformative forecast."""
    rows = [row for row in whole(facts) if row["skill"]]
    if not rows:
        return None
    models = models_of(facts)
    columns = [
        Column("Model", "name"),
        Column("Measure", "name"),
        Column("Forecast", "number"),
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
                numeric(skill["difference"]),
                numeric(interval.get("low")) if interval else Cell(),
                numeric(interval.get("high")) if interval else Cell(),
                p_cell(skill.get("p_value")),
            ]
        )
    first = 0 if len(models) > 1 else 1
    return Table(
        title="Skill",
        caption="Gain over the uninformative forecast, which always predicts the same.",
        columns=tuple(columns[first:]),
        rows=tuple(tuple(row[first:]) for row in cells),
        name="skill",
    )


def grid_tables(facts: Mapping[str, Any]) -> list[Table]:
    """Measures of each class and of each subgroup: measures across, groups down."""
    rows = [complete(row) for row in facts.get("estimates") or ()]
    found = []
    for key, title in (("class", "Per class"), ("by", "By subgroup")):
        mine = [r for r in rows if r[key] is not None and (key == "by") == (r["by"] is not None)]
        mine = [r for r in mine if key == "class" or r["class"] is None]
        if mine:
            found.append(_grid(mine, key, title))
    return found


def _grid(rows: Sequence[Mapping[str, Any]], key: str, title: str) -> Table:
    lines = list(dict.fromkeys((str(r["model"] or ""), str(r[key])) for r in rows))
    across = list(dict.fromkeys((r["measure"], r["output"]) for r in rows))
    titles = {(r["measure"], r["output"]): str(r["title"]) for r in rows}
    if key == "by" and len(across) > 8:
        across = [
            m for m in across if m[0] in {r["measure"] for r in key_rows({"estimates": rows})}
        ]
        across = across[:8] or list(titles)[:8]
    values = {(str(r["model"] or ""), str(r[key]), r["measure"], r["output"]): r for r in rows}
    several = len({model for model, _ in lines}) > 1
    body = []
    for model, group in lines:
        cells = [Cell(model)] if several else []
        cells.append(Cell(group))
        for measure in across:
            row = values.get((model, group, *measure))
            cells.append(Cell() if row is None else numeric(row["value"], row["undefined"]))
        body.append(tuple(cells))
    heads = [Column("Model", "name")] if several else []
    heads.append(Column("Class" if key == "class" else "Subgroup", "name"))
    heads += [Column(titles[m] + (f" [{m[1]}]" if m[1] else ""), "number") for m in across]
    return Table(title=title, columns=tuple(heads), rows=tuple(body), name=key)
