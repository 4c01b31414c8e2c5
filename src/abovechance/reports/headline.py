"""The answer in two words and one sentence."""

from collections.abc import Mapping
from typing import Any

from abovechance.plots.words import (
    as_float,
    between,
    number,
    p_phrase,
    percent,
    probability,
    signed,
)
from abovechance.reports.facts import (
    beats_chance,
    higher_is_better,
    level_of,
    models_of,
    primary_rows,
)
from abovechance.reports.prose import label

REFERENCE = {
    "binary": "always predicting the prevalence",
    "multiclass": "always predicting the prevalences",
    "numeric": "always predicting the mean",
}


def verdict(facts: Mapping[str, Any]) -> str:
    """The answer in a few words.

    >>> row = {"measure": "auc", "value": 0.8, "chance": 0.5, "p_value": 0.001}
    >>> verdict({"estimates": [row]}), verdict({"estimates": [{**row, "p_value": 0.3}]})
    ('Better than chance', 'Not shown to be better than chance')
    """
    difference = main_difference(facts)
    if difference is not None:
        return _compared(difference, facts)
    rows = primary_rows(facts)
    if len(rows) != 1:
        return _other(facts) if not rows else _ranked(facts)
    row = rows[0]
    if as_float(row["value"]) != as_float(row["value"]):
        return "No value"
    if row["p_value"] is None:
        return _untested(row)
    alpha = 1 - level_of(facts)
    skilled = row["skill"] is None or as_float(row["skill"].get("p_value")) < alpha
    if as_float(row["p_value"]) >= alpha or beats_chance(row) is False:
        return "Not shown to be better than chance"
    return "Better than chance" if skilled else "Associated with the outcome, skill not shown"


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


def _untested(row: Mapping[str, Any]) -> str:
    """Without a test the interval may still lie wholly on the better side of chance."""
    interval = row["interval"] or {"low": row["chance"], "high": row["chance"]}
    apart = not as_float(interval["low"]) <= as_float(row["chance"]) <= as_float(interval["high"])
    if row["interval"] and apart and beats_chance(row):
        return "Better than chance, judged by the interval"
    return "No test against chance"


def headline(facts: Mapping[str, Any]) -> str:
    """The answer in a sentence, with its numbers."""
    if facts.get("quantity"):
        return _posterior_sentence(facts)
    difference = main_difference(facts)
    if difference is not None:
        return _difference_sentence(difference, facts)
    rows = primary_rows(facts)
    sentences = [estimate_sentence(row, facts, named=len(rows) > 1) for row in rows]
    return " ".join(sentences) or _counts(facts)


def estimate_sentence(row: Mapping[str, Any], facts: Mapping[str, Any], *, named: bool) -> str:
    """One estimate with interval, chance level and test."""
    who = f" of {label(row['model'])}" if named and row.get("model") else ""
    subject = f"{label(row['title'])}{who}"
    if row.get("undefined") and as_float(row["value"]) != as_float(row["value"]):
        return f"{subject} is not defined: {label(row['undefined'])}."
    said = f"{subject} is {number(row['value'])}"
    if row.get("interval"):
        interval = row["interval"]
        limits = between(interval["low"], interval["high"])
        said += f" ({percent(interval['level'])} interval {limits})"
    if row.get("chance") is not None:
        said += f"; chance would give {number(row['chance'])}"
    said += "."
    if row.get("undefined"):
        said += f" Note: {label(row['undefined'])}."
    return f"{said} {_test_sentence(row, facts)}".strip()


def _test_sentence(row: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    if row.get("p_value") is None:
        if str(facts.get("origin")) in ("cv", "repeated_cv"):
            return "Cross-validated predictions get no p-value: they depend on each other."
        return ""
    said = f"Test against chance: {p_phrase(row['p_value'])} ({label(row['test'])})"
    skill = row.get("skill") or {}
    if skill.get("p_value") is None:
        return f"{said}."
    reference = REFERENCE.get(str(facts.get("outcome")), "the uninformative forecast")
    return (
        f"{said}; against {reference}: gain {number(skill['difference'])}, "
        f"{p_phrase(skill['p_value'])}."
    )


def main_difference(facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The difference of the primary measure when two models are compared."""
    found = [d for d in facts.get("differences") or () if d.get("difference") is not None]
    if not found or len(models_of(facts)) > 2:
        return None
    return next((d for d in found if d["measure"] == facts.get("primary")), found[0])


def adjusted(difference: Mapping[str, Any]) -> Any:
    """The p-value to judge a difference by: adjusted for many, where it is."""
    own, many = difference.get("p_value"), difference.get("p_adjusted")
    return own if many is None else many


def _compared(difference: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    margin = difference.get("margin")
    if margin:
        return _within(difference, margin)
    p, value = as_float(adjusted(difference)), as_float(difference["difference"])
    if p != p:
        return "Difference without a test"
    up = higher_is_better(str(difference["measure"]))
    if p >= 1 - level_of(facts) or up is None or value == 0:
        return "No difference shown"
    better = difference["first"] if (value > 0) == up else difference["second"]
    return f"{better} is better"


def _within(difference: Mapping[str, Any], margin: Mapping[str, Any]) -> str:
    first, second = difference["first"], difference["second"]
    if margin["equivalent"]:
        return f"{first} and {second} are equivalent within {number(margin['margin'])}"
    if margin["noninferior"]:
        return f"{first} is not worse than {second} by more than {number(margin['margin'])}"
    return f"Not shown: {first} no worse than {second} by more than {number(margin['margin'])}"


def _difference_sentence(difference: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    title = difference.get("title") or difference["measure"]
    said = (
        f"{label(title)} of {label(difference['first'])} minus {label(difference['second'])}: "
        f"{signed(difference['difference'])}"
    )
    interval = difference.get("interval")
    if interval:
        limits = between(interval["low"], interval["high"])
        said += f" ({percent(interval['level'])} interval {limits})"
    if difference.get("p_value") is not None:
        test = f", {label(difference['test'])}" if difference.get("test") else ""
        said += f"{test}, {p_phrase(difference['p_value'])}"
        if difference.get("p_adjusted") not in (None, difference["p_value"]):
            said += f", adjusted for several pairs {p_phrase(difference['p_adjusted'])}"
    return f"{said}."


def _both_p(test: Mapping[str, Any]) -> str:
    said = p_phrase(test["p_value"])
    many = test.get("p_adjusted")
    return said if many is None else f"{said} ({p_phrase(many)} adjusted for several tests)"


def _posterior_sentence(facts: Mapping[str, Any]) -> str:
    interval = facts["interval"]
    said = (
        f"The posterior median of {label(facts['quantity'])} is {number(facts['median'])}; with "
        f"probability {percent(interval['level'])} it lies between {number(interval['low'])} and "
        f"{number(interval['high'])}."
    )
    if facts.get("prob_above_chance") is not None:
        said += (
            f" It is above chance ({number(facts['chance'])}) with probability "
            f"{probability(facts['prob_above_chance'])}, which is not a p-value."
        )
    return f"{said} Prior: {label(facts['prior'])}." if facts.get("prior") else said


def _other(facts: Mapping[str, Any]) -> str:
    if facts.get("quantity"):
        return f"Posterior of {facts['quantity']}"
    if facts.get("tests"):
        alpha = 1 - level_of(facts)
        found = [t for t in facts["tests"] if as_float(adjusted(t)) < alpha]
        return "Signal detected" if found else "No signal shown"
    return "Power" if facts.get("cells") else "Result"


def _counts(facts: Mapping[str, Any]) -> str:
    tests, cells = facts.get("tests") or (), facts.get("cells") or ()
    if tests:
        return " ".join(
            f"{label(t.get('title') or t['statistic'])}: {number(t['value'])}, {_both_p(t)}."
            for t in tests[:3]
            if t.get("p_value") is not None
        )
    if cells:
        best = max(cells, key=lambda c: as_float(c.get("power")))
        return f"The highest power is {number(best['power'])}, of {label(best['statistic'])}."
    return ""
