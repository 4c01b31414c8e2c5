"""The answer in a few words."""

from collections.abc import Mapping
from typing import Any

from abovechance.plots.words import as_float, number
from abovechance.reports import detections, powers
from abovechance.reports.facts import (
    adjusted,
    beats_chance,
    better_of,
    has_skill,
    higher_is_better,
    is_shown,
    kind_of,
    level_of,
    main_difference,
    primary_rows,
)


def verdict(facts: Mapping[str, Any]) -> str:
    """The answer in a few words.

    >>> row = {"measure": "auc", "value": 0.8, "chance": 0.5, "p_value": 0.001}
    >>> verdict({"estimates": [row]}), verdict({"estimates": [{**row, "p_value": 0.3}]})
    ('Better than chance', 'Not shown to be better than chance')
    """
    kind = kind_of(facts)
    if kind == "posterior":
        return f"Posterior of {facts['quantity']}"
    if kind != "estimates":
        return (detections if kind == "detection" else powers).verdict(facts)
    difference = main_difference(facts)
    if difference is not None:
        return _compared(difference, facts)
    rows = primary_rows(facts)
    if len(rows) != 1:
        return _ranked(facts) if rows else "Result"
    return _against_chance(rows[0], facts)


def _against_chance(row: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    if as_float(row["value"]) != as_float(row["value"]):
        return "No value"
    if row["p_value"] is None:
        return _untested(row)
    alpha = 1 - level_of(facts)
    skilled = has_skill(row, alpha)
    if as_float(row["p_value"]) >= alpha or beats_chance(row) is False:
        if row["skill"] and skilled:
            return "Better than a constant prediction, association not shown"
        return "Not shown to be better than chance"
    if skilled:
        return "Better than chance"
    interval = (row["skill"] or {}).get("interval")
    if interval and as_float(interval["high"]) < 0:
        return "Associated with the outcome, but worse than a constant prediction"
    tested = "shown" if skilled is False else "tested"
    return f"Associated with the outcome, skill not {tested}"


def _untested(row: Mapping[str, Any]) -> str:
    """Without a test the interval may still lie wholly on the better side of both levels."""
    levels = [as_float(row[key]) for key in ("chance", "reference") if row[key] is not None]
    interval, up = row["interval"], higher_is_better(str(row["measure"]))
    if not interval or not levels or up is None:
        return "No test against chance"
    low, high = as_float(interval["low"]), as_float(interval["high"])
    if low > max(levels) if up else high < min(levels):
        return "Better than chance, judged by the interval"
    return "No test against chance"


def _ranked(facts: Mapping[str, Any]) -> str:
    """Which of several models is first, and whether that is more than chance."""
    places = [p for p in facts.get("ranking") or () if p["measure"] == facts.get("primary")]
    if len(places) < 2:
        return "Several models, side by side"
    first, *others = sorted(places, key=lambda p: int(p["rank"]))
    near = [str(p["model"]) for p in others if set(p["letters"]) & set(first["letters"])]
    if near:
        return f"{first['model']} ranks first, not told apart from {', '.join(near)}"
    return f"{first['model']} is the best of {len(places)}"


def _compared(difference: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    margin = difference.get("margin")
    if margin:
        return _within(difference, margin)
    if difference.get("identical"):
        return f"{difference['first']} and {difference['second']} predict the same"
    if adjusted(difference) is None and not difference.get("interval"):
        return "Difference without a test"
    if not is_shown(difference, facts):
        return "No difference shown"
    better = better_of(difference)
    if better is None:
        return f"{difference['first']} and {difference['second']} differ"
    if difference.get("model"):
        return f"{difference['model']} is better for {better}"
    return f"{better} is better"


def _within(difference: Mapping[str, Any], margin: Mapping[str, Any]) -> str:
    first, second = difference["first"], difference["second"]
    if margin["equivalent"]:
        return f"{first} and {second} are equivalent within {number(margin['margin'])}"
    if margin["noninferior"]:
        return f"{first} is not worse than {second} by more than {number(margin['margin'])}"
    return f"Not shown: {first} no worse than {second} by more than {number(margin['margin'])}"
