"""What the tests of a power study are called, and the settings they were asked in.

A result says both itself (`title`, `setting`); what is here are the words for results of versions
that did not.
"""

from collections.abc import Mapping
from typing import Any

from abovechance.errors import AboveChanceError
from abovechance.plots.words import as_float, percent

AGAINST_CHANCE = {
    "accuracy": "Binomial test of accuracy",
    "fisher": "Fisher's exact test",
    "auc": "Mann–Whitney test of the AUC",
    "brier": "Permutation test of the Brier score",
    "log_score": "Permutation test of the log score",
}
OF_TWO_MODELS = {
    "accuracy": "McNemar's test of accuracy",
    "auc": "DeLong's test of the AUC",
    "brier": "Sign-flip test of the Brier score",
    "log_score": "Sign-flip test of the log score",
}
TWO_MODELS = ("correlated models", "trained on less")
SIDES = {"greater": "one-sided ", "two-sided": "two-sided "}
WIDE = 1.959963984540054  # standard errors in a 95 % interval


def test_title(cell: Mapping[str, Any]) -> str:
    """A test in words, from its name and the design it was simulated in.

    >>> test_title({"statistic": "auc", "design": "binormal"}), test_title({"statistic": "mine"})
    ('Mann–Whitney test of the AUC', 'mine')
    """
    name = str(cell["statistic"])
    known = OF_TWO_MODELS if cell.get("design") in TWO_MODELS else AGAINST_CHANCE
    if cell.get("title"):
        return str(cell["title"])
    if name in known:
        return known[name]
    from abovechance.signal import find

    try:
        return str(find(name).title)
    except AboveChanceError:
        return name


def setting(cell: Mapping[str, Any]) -> str:
    """The effect of a design in words.

    >>> setting({"design": "binormal", "effect": 0.7})
    'a calibrated model with an AUC of 0.7'
    """
    if cell.get("setting"):
        return str(cell["setting"])
    design, effect = str(cell.get("design") or ""), as_float(cell.get("effect"))
    if effect != effect:
        return design
    if design == "binormal":
        return f"a calibrated model with an AUC of {effect:g}"
    if design == "pilot":
        kept = "" if effect == 1 else f", of which {percent(effect)} keep their signal"
        return f"predictions like those of the pilot{kept}"
    return f"{design or 'the design'} with effect {effect:g}"


def sides_and_level(facts: Mapping[str, Any]) -> str:
    """Sides, where they are known and the same for all tests, and the level.

    >>> sides_and_level({"alpha": 0.05, "cells": [{"alternative": "greater"}]})
    'One-sided tests at level 0.05'
    """
    rows = facts.get("cells") or facts.get("sizes") or ()
    known = {row.get("alternative") for row in rows}
    word = SIDES.get(next(iter(known)) or "", "") if len(known) == 1 else ""
    return f"{word}tests at level {as_float(facts.get('alpha') or 0.05):g}".capitalize()


def assumed(facts: Mapping[str, Any]) -> str:
    """What the powers depend on besides sizes, for a caption."""
    rows = facts.get("cells") or facts.get("sizes") or ()
    settings = list(dict.fromkeys(str(row["setting"]) for row in rows if row.get("setting")))
    if len(settings) != 1:
        return ""
    return f" {settings[0][0].upper()}{settings[0][1:]}. {sides_and_level(facts)}."


def power_limits(cell: Mapping[str, Any]) -> tuple[float, float]:
    """The interval of a power, or what its standard error gives."""
    if cell.get("interval"):
        return as_float(cell["interval"]["low"]), as_float(cell["interval"]["high"])
    power, se = as_float(cell["power"]), as_float(cell.get("se") or 0.0)
    return max(power - WIDE * se, 0.0), min(power + WIDE * se, 1.0)
