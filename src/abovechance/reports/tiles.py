"""The large facts at the top of a report."""

import math
from collections.abc import Mapping
from typing import Any

from abovechance.plots.contract import whole
from abovechance.plots.tests_asked import test_title
from abovechance.plots.words import (
    as_float,
    between,
    number,
    p_phrase,
    p_value,
    percent,
    probability,
    signed,
    thousands,
)
from abovechance.reports.detections import by_papers_rule, share
from abovechance.reports.document import Tile
from abovechance.reports.facts import (
    UNSTATED,
    adjusted,
    kind_of,
    main_difference,
    model_words,
    models_of,
    primary_rows,
)


def tiles_of(facts: Mapping[str, Any], described: str = "") -> list[Tile]:
    """At most four facts: values, evidence, cases."""
    kind = kind_of(facts)
    if kind == "detection":
        return _test_tiles(facts)
    if kind == "power":
        return _power_tiles(facts)
    if facts.get("quantity"):
        return _posterior_tiles(facts)
    tiles = [_estimate_tile(row, facts) for row in primary_rows(facts)[:2]]
    difference = main_difference(facts)
    if difference is not None:
        p = adjusted(difference)
        note = f"{difference.get('test') or 'difference'}, {p_phrase(p)}" if p else "difference"
        tiles.append(Tile("Difference", signed(difference["difference"]), note))
    elif len(tiles) == 1:
        tiles += _second_tiles(facts)
    if facts.get("n") is not None:
        tiles.append(Tile("Cases", thousands(facts["n"]), described or _origin(facts)))
    return tiles[:4]


def _origin(facts: Mapping[str, Any]) -> str:
    words = model_words(facts)
    return "origin not stated" if words == UNSTATED else words


def _posterior_tiles(facts: Mapping[str, Any]) -> list[Tile]:
    interval = facts["interval"]
    limits = between(interval["low"], interval["high"])
    tiles = [Tile("Median", number(facts["median"]), f"{percent(interval['level'])} {limits}")]
    if facts.get("prob_above_chance") is not None:
        note = f"chance {number(facts['chance'])}"
        tiles.append(
            Tile("Probability above chance", probability(facts["prob_above_chance"]), note)
        )
    return [*tiles, Tile("Cases", thousands(facts["n"]), str(facts.get("prior") or ""))]


def _estimate_tile(row: Mapping[str, Any], facts: Mapping[str, Any]) -> Tile:
    interval = row["interval"]
    note = "" if row["chance"] is None else f"chance {number(row['chance'])}"
    if interval:
        note = f"{percent(interval['level'])} {between(interval['low'], interval['high'])}"
    named = len(models_of(facts)) > 1 and row["model"]
    label = f"{row['title']}, {row['model']}" if named else str(row["title"])
    return Tile(label, number(row["value"]), note)


def _second_tiles(facts: Mapping[str, Any]) -> list[Tile]:
    """Another well-known measure, and the evidence against chance."""
    primary = primary_rows(facts)[0]
    wanted = ("auc", "balanced_accuracy", "accuracy", "r2", "mae", "c_index", "brier")
    rows = {row["measure"]: row for row in whole(facts) if row["output"] is None}
    found = [rows[m] for m in wanted if m in rows and m != primary["measure"]][:1]
    tiles = [_estimate_tile(row, facts) for row in found]
    if primary["p_value"] is not None:
        note = str(primary["test"] or "").split(";")[0]
        skill = primary["skill"] or {}
        if skill.get("p_value") is not None:
            note += f"; skill {p_phrase(skill['p_value'])}"
        tiles.append(Tile("p against chance", p_value(primary["p_value"]), note))
    elif primary["chance"] is not None:
        tiles.append(Tile("Chance", number(primary["chance"]), str(primary["title"])))
    return tiles


def _test_tiles(facts: Mapping[str, Any]) -> list[Tile]:
    """The most telling tests by their p-values, and the cases; what is undefined tells nothing."""
    tests = [test for test in facts["tests"] if not math.isnan(as_float(test.get("p_value")))]
    counted = by_papers_rule(facts)
    found = []
    for test in sorted(tests, key=lambda t: as_float(t["p_value"]))[:3]:
        many, note = test.get("p_adjusted"), number(test["value"])
        if many is not None:
            note += f"; adjusted {f'p = {as_float(many):.3g}' if counted else p_phrase(many)}"
        name = str(test.get("title") or test.get("statistic") or test["measure"])
        found.append(Tile(f"p, {name}", share(test) if counted else p_value(test["p_value"]), note))
    if facts.get("n") is not None:
        note = f"{facts['features']} features" if facts.get("features") else ""
        found.append(Tile("Cases", thousands(facts["n"]), note))
    return found


def _power_tiles(facts: Mapping[str, Any]) -> list[Tile]:
    """Of each test the cases needed, or its power with the most cases."""
    if facts.get("sizes"):
        sizes = sorted(facts["sizes"], key=lambda s: as_float(s["n"] or "Infinity"))
        return [_size_tile(size, facts) for size in sizes[:4]]
    last: dict[str, Mapping[str, Any]] = {}
    for cell in sorted(facts["cells"], key=lambda c: as_float(c.get("n") or 0)):
        last[str(cell["statistic"])] = cell
    return [
        Tile(
            test_title(cell),
            number(cell["power"]),
            f"with {thousands(cell['n'])} cases" if cell.get("n") else "",
        )
        for cell in list(last.values())[:4]
    ]


def _size_tile(size: Mapping[str, Any], facts: Mapping[str, Any]) -> Tile:
    name = test_title(size)
    if size.get("n") is None:
        return Tile(name, f">{thousands(facts['largest'])}", "cases")
    low, high = size.get("interval") or (None, None)
    limits = "" if low is None else f", 95% {thousands(low)} to {thousands(high)}"
    return Tile(name, thousands(size["n"]), f"cases{limits}")
